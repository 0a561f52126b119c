//! What an error body says, and what kind of failure that is: by its words first, by its status only
//! where the words mean nothing. Servers use 500 for what is nobody's outage and 400 for what is.
use crate::http::{Reply, status_line};
use crate::quote::quoted;
use serde_json::Value;
use sovereign_core::backend::{BackendError, FailureClass};

/// The error in a body, however it is wrapped.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// `type`, `code` and `param`, whichever there are.
    words: Vec<String>,
    message: String,
}

impl Said {
    /// Reads `{"error":{…}}`, `{"error":"…"}`, `{"detail":…}`, `{"message":…}`; anything else is its
    /// own message.
    pub(crate) fn read(body: &[u8]) -> Self {
        match serde_json::from_slice(body) {
            Ok(value @ Value::Object(_)) => Self::of(&value),
            _ => Self { words: Vec::new(), message: String::from_utf8_lossy(body).into_owned() },
        }
    }

    /// The same of a parsed body, or of the inside of its `error`.
    pub(crate) fn of(value: &Value) -> Self {
        let mut inner = value;
        // two levels: {"detail":{"error":{…}}}
        for _ in 0..2 {
            let nested = inner.get("error").or_else(|| inner.get("detail"));
            inner = nested.filter(|n| !n.is_null()).unwrap_or(inner);
        }
        let text = |key: &str| inner.get(key).and_then(Value::as_str);
        let words = ["type", "code", "param", "reason"].into_iter().filter_map(text);
        let message = inner.as_str().or_else(|| text("message")).unwrap_or_default();
        Self { words: words.map(ToOwned::to_owned).collect(), message: message.to_owned() }
    }

    pub(crate) fn has_word(&self, word: &str) -> bool {
        self.words.iter().any(|w| w == word)
    }

    pub(crate) fn mentions(&self, part: &str) -> bool {
        self.message.contains(part)
    }

    /// As one line of ours: the status, and the message or else the words.
    fn line(&self, status: Option<u16>) -> String {
        let words = self.words.join(", ");
        let said = if self.message.is_empty() { &words } else { &self.message };
        match status {
            Some(status) => status_line(status, said.as_bytes()),
            None => format!("it answered with an error: {}", quoted(said.as_bytes())),
        }
    }

    /// A telling word, else a telling phrase, else a word that says little.
    fn class(&self) -> Option<FailureClass> {
        let word = |table: &[(&str, FailureClass)]| {
            table.iter().find(|(word, _)| self.has_word(word)).map(|(_, class)| *class)
        };
        let phrase = || PHRASES.iter().find(|(p, _)| self.mentions(p)).map(|(_, class)| *class);
        word(&WORDS).or_else(phrase).or_else(|| word(&GENERAL))
    }

    /// The failure that this is; without a status it came inside a stream.
    pub(crate) fn failure(&self, status: Option<u16>) -> BackendError {
        let class = self.class().unwrap_or(match status {
            Some(404) => FailureClass::Unsupported,
            Some(408 | 504) => FailureClass::Timeout,
            Some(401..=403) => FailureClass::Unauthorised,
            Some(400 | 405 | 413 | 415 | 422) => FailureClass::Rejected,
            _ => FailureClass::Refused,
        });
        BackendError::new(class, self.line(status))
    }
}

/// The failure that an answer with an error status reports.
pub(crate) fn failure(reply: &Reply) -> BackendError {
    Said::read(&reply.body).failure(Some(reply.status))
}

/// Whole words of the fields `type` and `code`.
const WORDS: [(&str, FailureClass); 22] = [
    ("exceed_context_size_error", FailureClass::TooLong),
    ("context_length_exceeded", FailureClass::TooLong),
    ("request_too_large", FailureClass::TooLong),
    ("authentication_error", FailureClass::Unauthorised),
    ("invalid_api_key", FailureClass::Unauthorised),
    ("permission_error", FailureClass::Unauthorised),
    ("billing_error", FailureClass::Unauthorised),
    ("insufficient_quota", FailureClass::Unauthorised),
    ("insufficient_balance", FailureClass::Unauthorised),
    ("token_already_spent", FailureClass::Refused),
    ("invalid_token", FailureClass::Refused),
    ("untrusted_mint", FailureClass::Refused),
    ("mint_error", FailureClass::Refused),
    ("cashu_error", FailureClass::Refused),
    ("rate_limit_error", FailureClass::Refused),
    ("rate_limit_exceeded", FailureClass::Refused),
    ("overloaded_error", FailureClass::Refused),
    ("unavailable_error", FailureClass::Refused),
    ("timeout_error", FailureClass::Timeout),
    ("not_found_error", FailureClass::Unsupported),
    ("model_not_found", FailureClass::Unsupported),
    ("not_supported_error", FailureClass::Unsupported),
];

/// Words that servers put beside telling ones too.
const GENERAL: [(&str, FailureClass); 2] = [
    ("unsupported_parameter", FailureClass::Rejected),
    ("invalid_request_error", FailureClass::Rejected),
];

/// Parts of messages, where the fields say nothing.
const PHRASES: [(&str, FailureClass); 8] = [
    ("prompt is too long", FailureClass::TooLong),
    ("maximum context length", FailureClass::TooLong),
    ("exceeds the available context size", FailureClass::TooLong),
    ("does not support tools", FailureClass::Unsupported),
    ("tool use is not supported", FailureClass::Unsupported),
    // what the model wrote could not be read as a call, or the history could not be written
    ("does not match the expected", FailureClass::Protocol),
    ("Failed to parse", FailureClass::Protocol),
    ("error parsing tool call", FailureClass::Protocol),
];

#[cfg(test)]
mod tests {
    use super::failure;
    use crate::http::Reply;
    use sovereign_core::backend::FailureClass::{self, *};

    fn read(status: u16, body: &str) -> (FailureClass, String) {
        let error = failure(&Reply { status, body: body.into() });
        (error.class(), error.to_string())
    }

    #[test]
    fn a_failure_is_classified_by_its_body_not_by_its_status() {
        let table: &[(u16, &str, FailureClass, &str)] = &[
            (
                400,
                r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"too big","n_ctx":4096}}"#,
                TooLong,
                "it answered 400: too big",
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}"#,
                TooLong,
                "it answered 400: prompt is too long: 9 > 8",
            ),
            (
                500,
                r#"{"error":{"code":500,"type":"server_error","message":"The model produced output that does not match the expected peg-native format"}}"#,
                Protocol,
                "it answered 500: The model produced output that does not match the expected peg-native format",
            ),
            (
                200,
                r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                Refused,
                "it answered 200: Overloaded",
            ),
            (
                400,
                r#"{"error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"m"}}"#,
                TooLong,
                "it answered 400: m",
            ),
            (
                404,
                r#"{"type":"error","error":{"type":"not_found_error","message":"model: x"}}"#,
                Unsupported,
                "it answered 404: model: x",
            ),
            (500, r#"{"error":"text"}"#, Refused, "it answered 500: text"),
            (401, r#"{"detail":"no"}"#, Unauthorised, "it answered 401: no"),
            (
                402,
                r#"{"detail":{"error":{"code":"insufficient_balance","message":"pay"}}}"#,
                Unauthorised,
                "it answered 402: pay",
            ),
            (429, r#"{"message":"slow down"}"#, Refused, "it answered 429: slow down"),
            (529, "<html>busy</html>", Refused, "it answered 529: <html>busy</html>"),
            (500, r#"{"error":{"message":""}}"#, Refused, "it answered 500"),
            (422, r#"{"detail":[{"msg":"x"}]}"#, Rejected, "it answered 422"),
            (504, "", Timeout, "it answered 504"),
            (404, "", Unsupported, "it answered 404"),
            (400, "null", Rejected, "it answered 400: null"),
        ];
        for (status, body, class, line) in table {
            assert_eq!(read(*status, body), (*class, (*line).to_owned()), "{body}");
        }
    }

    #[test]
    fn a_deep_or_hostile_error_is_one_bounded_line() {
        let deep = format!("{}1{}", r#"{"error":"#.repeat(50_000), "}".repeat(50_000));
        assert!(read(500, &deep).1.len() < 400);
        let (_, line) = read(500, "{\"error\":\"a\\u001b[2J\\nb\"}");
        assert_eq!(line, r"it answered 500: a\u{1b}[2J\nb");
    }
}
