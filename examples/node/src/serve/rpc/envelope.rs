use super::RpcError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sovereign_core::schema::RawArguments;

/// The longest id that is echoed.
const MAX_ID: usize = 128;

/// One request of JSON-RPC 2.0, as strict as it can be read: one object, no key twice at any depth, no
/// unknown field, no batch, no notification, parameters by name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Envelope {
    jsonrpc: String,
    pub(crate) id: Box<RawValue>,
    pub(crate) method: String,
    #[serde(default)]
    params: Option<Box<RawValue>>,
}

/// The parameters of one request: an object's text.
pub(crate) struct Params(Box<RawValue>);

impl Envelope {
    pub(crate) fn read(body: &[u8]) -> Result<Self, RpcError> {
        // depth and duplicate keys, before anything is built
        let checked = RawArguments::parse(body).map_err(|_| RpcError::NOT_JSON)?;
        let envelope: Self =
            serde_json::from_str(checked.as_str()).map_err(|_| RpcError::INVALID_REQUEST)?;
        let id = envelope.id.get();
        let text = id.starts_with('"');
        let number = id.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        if envelope.jsonrpc != "2.0" || id.len() > MAX_ID || !(text || number) {
            return Err(RpcError::INVALID_REQUEST);
        }
        Ok(envelope)
    }

    /// The id, and what is asked.
    pub(crate) fn parts(self) -> Result<(Box<RawValue>, String, Params), RpcError> {
        let params = match self.params {
            Some(params) => params,
            None => RawValue::from_string("{}".to_owned()).map_err(|_| RpcError::INTERNAL)?,
        };
        Ok((self.id, self.method, Params(params)))
    }
}

impl Params {
    /// As this method's own type, which refuses what it does not know.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, RpcError> {
        // serde would take a list for a struct, by position
        if !self.0.get().starts_with('{') {
            return Err(RpcError::invalid_params("parameters are one object, by name"));
        }
        serde_json::from_str(self.0.get()).map_err(|error| {
            let told = error.to_string();
            // which field, as the parser says it; values are not repeated
            let what = ["unknown field", "missing field", "duplicate field"];
            let known = what.into_iter().any(|word| told.starts_with(word));
            let told = told.split(" at line ").next().unwrap_or_default().to_owned();
            let told = if known { told } else { "a parameter has the wrong type".to_owned() };
            RpcError::invalid_params(told)
        })
    }
}

/// The body of an answer.
pub(crate) fn answer(id: Option<&RawValue>, result: Result<&RawValue, &RpcError>) -> Vec<u8> {
    #[derive(Serialize)]
    struct Answer<'a> {
        jsonrpc: &'static str,
        id: Option<&'a RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<&'a RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a RpcError>,
    }
    let (result, error) = (result.ok(), result.err());
    // INVARIANT: texts and numbers
    serde_json::to_vec(&Answer { jsonrpc: "2.0", id, result, error }).unwrap_or_default()
}
