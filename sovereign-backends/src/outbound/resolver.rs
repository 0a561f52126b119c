//! From a name to addresses.

use sovereign_core::BoxFuture;
use std::io;
use std::net::SocketAddr;

/// Finds the addresses of a name. Tests count what is asked and say what comes back.
pub trait Resolver: Send + Sync + 'static {
    /// Every address of `host`, each with `port`.
    ///
    /// # Errors
    /// When the name has none or nobody could be asked.
    fn resolve<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>>;
}

/// Asks the system, hosts file included.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}
