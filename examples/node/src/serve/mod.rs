//! The daemon: JSON-RPC, an event stream and pages for a browser on this machine.
//!
//! Owns who is let in and who may ask what. A turn belongs to a task of its own; handlers watch it.
//! What touches the node goes through the executor.
mod daemon;
mod decisions;
mod guests;
mod http;
mod identity;
mod limits;
mod live;
mod patient;
pub(crate) mod perimeter;
mod rpc;
mod service;
mod stream;
mod turns;

pub use daemon::{Daemon, LoginLink, ServeError};
pub(crate) use daemon::{listen, receive};
pub use identity::{AccountView, Accounts, AccountsError, Role};
pub(crate) use identity::{FIRST, Secret};
pub use limits::Limits;
pub(crate) use rpc::RpcError;
pub use service::{Legs, Parts};

/// Every method with the least role that may call it, in the order of the table; none: nobody has to
/// be logged in.
pub fn methods() -> impl Iterator<Item = (&'static str, Option<Role>)> {
    rpc::methods::all().map(|method| match method.access {
        rpc::methods::Access::Login => (method.name, None),
        rpc::methods::Access::Session(least, _) => (method.name, Some(least)),
    })
}
