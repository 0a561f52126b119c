use super::caps::{Budget, Caps};
use super::http::{Shared, router};
use crate::serve::{Limits, Secret, ServeError, listen, receive};
use sovereign_core::backend::Backend;
use sovereign_core::clock::Clock;
use sovereign_core::entropy::Entropy;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// How many connections a page may hold.
const MAX_CONNECTIONS: usize = 32;

/// A proxy that has its address and serves nobody yet.
pub(crate) struct Proxy {
    shared: Arc<Shared>,
    listener: TcpListener,
}

impl Proxy {
    /// Takes its address, which is always of loopback; port 0 takes any.
    ///
    /// # Errors
    /// When the address cannot be had, or there is no randomness.
    pub(crate) async fn bind(
        port: u16,
        backend: Arc<dyn Backend>,
        caps: Caps,
        clock: Arc<dyn Clock>,
        entropy: &dyn Entropy,
    ) -> Result<Self, ServeError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = listen(address).await?;
        let taken =
            listener.local_addr().map_err(|source| ServeError::Listen { address, source })?;
        let budget = Arc::new(Budget::new(caps, clock));
        let (launch, turns) = (Secret::random(entropy)?, Arc::new(Semaphore::new(1)));
        let shared = Arc::new(Shared { backend, budget, launch, port: taken.port(), turns });
        Ok(Self { shared, listener })
    }

    /// Where the page is; the token is in the fragment, which the page wipes.
    pub(crate) fn link(&self) -> String {
        let Shared { port, launch, .. } = &*self.shared;
        format!("http://127.0.0.1:{port}/#launch={}", launch.reveal())
    }

    /// Serves until it is dropped.
    pub(crate) async fn run(self) {
        let limits = Limits { connections: MAX_CONNECTIONS, ..Limits::default() };
        receive(self.listener, router(&self.shared), limits).await;
    }
}
