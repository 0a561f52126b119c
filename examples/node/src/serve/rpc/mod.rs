//! JSON-RPC over one path: who may ask what stands in [`methods`], and is checked before anything is
//! dispatched.
mod assistant;
mod auth;
mod change;
mod envelope;
mod error;
mod log;
mod look;
pub(crate) mod methods;
mod node;

pub(crate) use assistant::watch;
pub(crate) use auth::login;
pub(crate) use envelope::{Envelope, Params, answer};
pub(crate) use error::RpcError;

use super::identity::Session;
use super::service::Service;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;

/// What a method gives, with what the browser keeps of it.
pub(crate) struct Answer {
    pub(crate) result: Box<RawValue>,
    /// `Some`: the cookie is set to this, or, when it is empty, removed.
    pub(crate) cookie: Option<String>,
    /// What a browser that has logged in is known by.
    pub(crate) browser: Option<String>,
}

/// One request of a session that may make it.
pub(crate) struct Call {
    pub(crate) service: Arc<Service>,
    pub(crate) session: Arc<Session>,
    pub(crate) params: Params,
}

impl Call {
    /// That nothing is asked beside the method itself.
    pub(crate) fn no_params(&self) -> Result<(), RpcError> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Nothing {}
        self.params.read::<Nothing>().map(drop)
    }
}

pub(crate) fn plain(result: &impl Serialize) -> Result<Answer, RpcError> {
    let result = to_raw_value(result).map_err(|_| RpcError::INTERNAL)?;
    Ok(Answer { result, cookie: None, browser: None })
}
