//! One file per subcommand.
mod accounts;
mod ask;
mod audit;
mod backends;
mod chat;
mod doctor;
mod exchange;
mod grants;
mod history;
mod keys;
mod policy;
mod reset;
mod shell;
mod tools;

pub(crate) use accounts::{passwd, users};
pub(crate) use ask::ask;
pub(crate) use audit::audit;
pub(crate) use backends::backends;
pub(crate) use chat::chat;
pub(crate) use doctor::doctor;
pub(crate) use grants::grants;
pub(crate) use history::history;
pub(crate) use keys::keys;
pub(crate) use policy::policy;
pub(crate) use reset::reset;
pub(crate) use shell::{completions, man};
pub(crate) use tools::tools;
