//! One file per subcommand.
mod accounts;
mod ask;
mod audit;
mod chat;
mod exchange;
mod grants;
mod policy;
mod serve;
mod tools;

pub(crate) use accounts::{passwd, users};
pub(crate) use ask::ask;
pub(crate) use audit::audit;
pub(crate) use chat::chat;
pub(crate) use grants::grants;
pub(crate) use policy::policy;
pub(crate) use serve::serve;
pub(crate) use tools::tools;
