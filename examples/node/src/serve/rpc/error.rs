use axum::http::StatusCode;
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A refusal, as JSON-RPC has it: a number, one line for a person, and in `data.code` the stable word.
pub(crate) struct RpcError {
    pub(crate) status: StatusCode,
    pub(crate) number: i32,
    pub(crate) code: &'static str,
    pub(crate) message: Cow<'static, str>,
    /// The decision that is outstanding, without a token.
    pub(crate) pending: Option<Box<RawValue>>,
    /// When to try again.
    pub(crate) retry_after_seconds: Option<u64>,
}

const fn error(
    status: StatusCode,
    number: i32,
    code: &'static str,
    message: &'static str,
) -> RpcError {
    let message = Cow::Borrowed(message);
    RpcError { status, number, code, message, pending: None, retry_after_seconds: None }
}

/// The same body for all of an application's own refusals.
const APPLICATION: i32 = -32_000;
const OK: StatusCode = StatusCode::OK;

impl RpcError {
    // JSON-RPC 2.0's own
    pub(crate) const NOT_JSON: Self = error(OK, -32_700, "not_json", "this is no JSON object");
    pub(crate) const INVALID_REQUEST: Self = error(
        OK,
        -32_600,
        "invalid_request",
        "a request is one object with `jsonrpc`, `id`, `method` and `params`",
    );
    pub(crate) const UNKNOWN_METHOD: Self =
        error(OK, -32_601, "unknown_method", "there is no such method");
    pub(crate) const INTERNAL: Self =
        error(OK, -32_603, "internal", "something inside failed; the log says what");

    // who asks
    pub(crate) const NO_SESSION: Self =
        error(StatusCode::UNAUTHORIZED, APPLICATION, "no_session", "log in first");
    pub(crate) const LOGIN_FAILED: Self = error(
        StatusCode::UNAUTHORIZED,
        APPLICATION,
        "login_failed",
        "this name and password, or this token, let nobody in",
    );
    pub(crate) const NO_CSRF_TOKEN: Self = error(
        StatusCode::FORBIDDEN,
        APPLICATION,
        "csrf",
        "the token of this session's page is missing or wrong",
    );
    pub(crate) const NOT_FOR_THIS_ROLE: Self =
        error(StatusCode::FORBIDDEN, APPLICATION, "role", "this account may not do that");
    pub(crate) const FOREIGN: Self =
        error(StatusCode::FORBIDDEN, APPLICATION, "foreign_origin", "another site asks");

    pub(crate) const WRONG_PASSWORD: Self =
        error(OK, APPLICATION, "wrong_password", "this is not your password");

    // how it is asked
    pub(crate) const MISDIRECTED: Self = error(
        StatusCode::MISDIRECTED_REQUEST,
        APPLICATION,
        "misdirected",
        "nothing is served under this name",
    );
    pub(crate) const NOT_FOUND: Self =
        error(StatusCode::NOT_FOUND, APPLICATION, "not_found", "there is nothing here");
    pub(crate) const WRONG_TYPE: Self = error(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        APPLICATION,
        "content_type",
        "a request is `application/json`",
    );
    pub(crate) const TOO_LARGE: Self = error(
        StatusCode::PAYLOAD_TOO_LARGE,
        APPLICATION,
        "too_large",
        "a request has at most 65536 bytes",
    );
    pub(crate) const TOO_SLOW: Self = error(
        StatusCode::REQUEST_TIMEOUT,
        APPLICATION,
        "too_slow",
        "the rest of the request did not come",
    );
    pub(crate) const TOO_MANY: Self = error(
        StatusCode::TOO_MANY_REQUESTS,
        APPLICATION,
        "too_many_requests",
        "too many requests: wait a moment",
    );
    pub(crate) const TOO_MANY_LOGINS: Self = error(
        StatusCode::TOO_MANY_REQUESTS,
        APPLICATION,
        "too_many_attempts",
        "too many logins failed: wait a few minutes",
    );
    pub(crate) const TOO_MANY_SESSIONS: Self = error(
        StatusCode::SERVICE_UNAVAILABLE,
        APPLICATION,
        "too_many_sessions",
        "too many sessions are open",
    );
    pub(crate) const STOPPING: Self = error(
        StatusCode::SERVICE_UNAVAILABLE,
        APPLICATION,
        "stopping",
        "the session or the node is ending",
    );

    // what it comes to
    pub(crate) const TURN_RUNNING: Self =
        error(OK, APPLICATION, "turn_running", "the previous message is still being answered");
    pub(crate) const DECISION_OUTSTANDING: Self = error(
        OK,
        APPLICATION,
        "decision_outstanding",
        "a decision is outstanding: answer it first",
    );
    pub(crate) const NO_SUCH_TURN: Self =
        error(OK, APPLICATION, "no_such_turn", "no turn of this session runs under this id");
    pub(crate) const ALREADY_RESOLVED: Self =
        error(OK, APPLICATION, "already_resolved", "this decision was already made");
    pub(crate) const NOT_PENDING: Self = error(
        OK,
        APPLICATION,
        "not_pending",
        "no decision is pending under this confirmation token",
    );
    pub(crate) const NO_TRANSCRIPT: Self =
        error(OK, APPLICATION, "no_transcript", "this account's transcript cannot be used");
    pub(crate) const NOT_CHANGED: Self =
        error(OK, APPLICATION, "not_changed", "nothing was changed; the log says why");
    pub(crate) const LOG_UNREADABLE: Self =
        error(OK, APPLICATION, "log_unreadable", "the audit log cannot be read");

    /// The parameters do not fit; `why` names fields, never values.
    pub(crate) fn invalid_params(why: impl Into<Cow<'static, str>>) -> Self {
        let invalid = error(OK, -32_602, "invalid_params", "");
        Self { message: why.into(), ..invalid }
    }

    /// One of the application's own, in a person's words.
    pub(crate) fn because(code: &'static str, why: impl Into<Cow<'static, str>>) -> Self {
        Self { message: why.into(), ..error(OK, APPLICATION, code, "") }
    }

    pub(crate) fn after(self, wait: std::time::Duration) -> Self {
        // rounded up: a moment early is a failure
        Self { retry_after_seconds: Some(wait.as_secs().saturating_add(1)), ..self }
    }
}

impl Serialize for RpcError {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Body<'a> {
            code: i32,
            message: &'a str,
            data: Data<'a>,
        }
        #[derive(Serialize)]
        struct Data<'a> {
            code: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            pending: Option<&'a RawValue>,
            #[serde(skip_serializing_if = "Option::is_none")]
            retry_after_seconds: Option<u64>,
        }
        let data = Data {
            code: self.code,
            pending: self.pending.as_deref(),
            retry_after_seconds: self.retry_after_seconds,
        };
        Body { code: self.number, message: &self.message, data }.serialize(serializer)
    }
}
