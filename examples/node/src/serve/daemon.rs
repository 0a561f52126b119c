use super::http::router;
use super::identity::AccountsError;
use super::patient::Patient;
use super::perimeter::node_host;
use super::service::{Parts, Service};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use sovereign_core::entropy::EntropyError;
use sovereign_core::files::{self, FileError};
use std::io;
use std::net::{Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// How long the head of a request may take, and how long a connection may be idle between two.
const HEAD_TIME: Duration = Duration::from_secs(15);
/// The largest head of a request, in bytes.
const MAX_HEAD: usize = 16 << 10;
/// How many headers a request may have.
const MAX_HEADERS: usize = 64;
/// How many connections are served at once; who comes later waits.
const MAX_CONNECTIONS: usize = 1024;
/// How often what has run out is looked for.
const SWEEP: Duration = Duration::from_secs(15);
/// How long answers that are under way may take once the daemon stops.
const LAST_ANSWERS: Duration = Duration::from_secs(3);
/// How long to wait when the system has no room for one more connection.
const NO_ROOM: Duration = Duration::from_millis(100);

/// Why the daemon does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be listened at.
    #[error("cannot listen at `{address}`")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The accounts cannot be used.
    #[error(transparent)]
    Accounts(#[from] AccountsError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// No random bytes could be had.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
}

/// A daemon that has its address and serves nobody yet.
pub struct Daemon {
    service: Arc<Service>,
    listeners: Vec<TcpListener>,
    address: SocketAddr,
}

impl std::fmt::Debug for Daemon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Daemon").field(&self.address).finish()
    }
}

/// A link that lets its account in once, within ten minutes. No `Debug`, no `Display`: it is for one
/// person.
#[expect(missing_debug_implementations, reason = "a secret")]
pub struct LoginLink {
    service: Arc<Service>,
    user: String,
    url: String,
}

impl LoginLink {
    /// Whose.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The address; the token is in its fragment, which a browser keeps to itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.url
    }

    /// Puts it into a private file, which goes away with it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep_in(self, path: &Path) -> Result<(), FileError> {
        files::write_private(path, format!("{}\n", self.url).as_bytes())?;
        self.service.tokens.kept_in(path.to_owned());
        Ok(())
    }
}

impl Daemon {
    /// Takes its address; port 0 takes any. At a loopback address of IPv4 the same port of `::1` is
    /// taken too, so that nobody else can answer as `localhost` there.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub async fn bind(parts: Parts, address: SocketAddr) -> Result<Self, ServeError> {
        let listener = listen(address).await?;
        let taken = listener.local_addr().map_err(|source| ServeError::Listen { address, source });
        let taken = taken?;
        let mut listeners = vec![listener];
        if taken.is_ipv4() && taken.ip().is_loopback() {
            match listen((Ipv6Addr::LOCALHOST, taken.port()).into()).await {
                Ok(second) => listeners.push(second),
                // a machine without IPv6 has nobody there either
                Err(ServeError::Listen { source, .. })
                    if source.kind() != io::ErrorKind::AddrInUse => {}
                Err(error) => return Err(error),
            }
        }
        let service = Arc::new(Service::new(parts, taken.port()));
        Ok(Self { service, listeners, address: taken })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where a browser finds it.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/", node_host(self.address.port()))
    }

    /// While no operator has a password: a link that lets one in. An earlier one is void.
    ///
    /// # Errors
    /// When the accounts cannot be read, or there is no randomness.
    pub fn first_login(&self) -> Result<Option<LoginLink>, ServeError> {
        let Some(user) = self.service.parts.accounts.locked_out()? else { return Ok(None) };
        let token = self.service.tokens.mint(user.clone(), &*self.service.parts.entropy)?;
        let url = format!("{}login#token={}", self.url(), token.reveal());
        Ok(Some(LoginLink { service: Arc::clone(&self.service), user, url }))
    }

    /// Serves until `stop` ends. Then nothing new is taken, what is pending is withdrawn, turns are
    /// stopped, and the audit log is on the disk when this returns; `hurry` cuts all of that short.
    pub async fn run(self, stop: impl Future<Output = ()>, hurry: impl Future<Output = ()>) {
        let Self { service, listeners, .. } = self;
        let connections = Arc::new(GracefulShutdown::new());
        let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let router = router(&service);
        let accepting = listeners.into_iter().map(|listener| {
            let serving =
                accept(listener, router.clone(), Arc::clone(&connections), Arc::clone(&room));
            tokio::spawn(serving)
        });
        let mut tasks: Vec<_> = accepting.collect();
        tasks.push(tokio::spawn(sweep(Arc::clone(&service))));
        stop.await;
        for task in tasks {
            task.abort();
            // its listener and its share of `connections` go with it
            drop(task.await);
        }
        let end = async {
            service.close().await;
            if let Some(connections) = Arc::into_inner(connections) {
                drop(tokio::time::timeout(LAST_ANSWERS, connections.shutdown()).await);
            }
        };
        tokio::select! {
            () = end => {}
            () = hurry => tracing::warn!("stopped in a hurry"),
        }
    }
}

async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })
}

async fn accept(
    listener: TcpListener,
    router: Router,
    connections: Arc<GracefulShutdown>,
    room: Arc<Semaphore>,
) {
    loop {
        // INVARIANT: the semaphore is never closed
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let served = serve(stream, router.clone(), &connections);
                tokio::spawn(async move {
                    served.await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::debug!(%error, "a connection was not taken");
                tokio::time::sleep(NO_ROOM).await;
            }
        }
    }
}

fn serve(
    stream: TcpStream,
    router: Router,
    connections: &GracefulShutdown,
) -> impl Future<Output = ()> + use<> {
    // answers are small and somebody waits for them; without it they are only slower
    drop(stream.set_nodelay(true));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD);
    let stream = TokioIo::new(Patient::new(stream));
    let connection = http.serve_connection(stream, TowerToHyperService::new(router));
    let watched = connections.watch(connection);
    async move {
        if let Err(error) = watched.await {
            tracing::debug!(%error, "a connection ended");
        }
    }
}

async fn sweep(service: Arc<Service>) {
    loop {
        let next = service.parts.clock.now().after(SWEEP);
        service.parts.clock.sleep_until(next).await;
        service.sweep().await;
    }
}
