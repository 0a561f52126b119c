use super::guests::{Guests, Place};
use super::http::router;
use super::identity::AccountsError;
use super::limits::Limits;
use super::patient::Patient;
use super::perimeter::node_host;
use super::service::{Parts, Service};
use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use sovereign_core::entropy::EntropyError;
use sovereign_core::files::{self, FileError};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// The largest head of a request, in bytes.
const MAX_HEAD: usize = 16 << 10;
/// How many headers a request may have.
const MAX_HEADERS: usize = 64;
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
    /// Browsers leave this port out of the names that they send.
    #[error("port 80 cannot be used: browsers do not name it")]
    UnnamedPort,
    /// Whether this covers IPv4 differs from machine to machine.
    #[error("`::` cannot be listened at: name one address, or `0.0.0.0`")]
    Unclear,
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
    /// Takes `port` of `127.0.0.1` and `::1`, whatever else is asked for: nobody else can then answer
    /// under the names that browsers use. Port 0 takes any. `also` is one more address, for a
    /// forwarder that ends on this machine.
    ///
    /// # Errors
    /// When an address cannot be had.
    pub async fn bind(parts: Parts, port: u16, also: Option<IpAddr>) -> Result<Self, ServeError> {
        if port == 80 {
            return Err(ServeError::UnnamedPort);
        }
        let everywhere = also.is_some_and(|also| also == Ipv4Addr::UNSPECIFIED);
        if also.is_some_and(|also| also == Ipv6Addr::UNSPECIFIED) {
            return Err(ServeError::Unclear);
        }
        // a listener at all addresses of IPv4 is one at 127.0.0.1 too
        let first = if everywhere { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
        let address = SocketAddr::from((first, port));
        let listener = listen(address).await?;
        let taken = listener.local_addr().map_err(|source| ServeError::Listen { address, source });
        let address = taken?;
        let mut listeners = vec![listener];
        match listen((Ipv6Addr::LOCALHOST, address.port()).into()).await {
            Ok(second) => listeners.push(second),
            // a machine without IPv6 has nobody there either
            Err(ServeError::Listen { source, .. }) if source.kind() != io::ErrorKind::AddrInUse => {
            }
            Err(error) => return Err(error),
        }
        let own = [IpAddr::from(first), Ipv6Addr::LOCALHOST.into(), Ipv4Addr::LOCALHOST.into()];
        if let Some(also) = also.filter(|also| !own.contains(also)) {
            listeners.push(listen((also, address.port()).into()).await?);
        }
        let service = Arc::new(Service::new(parts, address.port()));
        Ok(Self { service, listeners, address })
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
        let guests = Arc::new(Guests::new(service.parts.limits.connections));
        let router = router(&service);
        let accepting = listeners.into_iter().map(|listener| {
            let door = Door {
                router: router.clone(),
                connections: Arc::clone(&connections),
                guests: Arc::clone(&guests),
                limits: service.parts.limits,
            };
            tokio::spawn(door.open(listener))
        });
        let accepting: Vec<_> = accepting.collect();
        let (stopping, stopped) = oneshot::channel::<()>();
        let sweeping = tokio::spawn(sweep(Arc::clone(&service), stopped));
        stop.await;
        for task in accepting {
            task.abort();
            // its listener and its share of `connections` go with it
            drop(task.await);
        }
        let end = async {
            drop(stopping);
            drop(sweeping.await);
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

pub(crate) async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })
}

/// Serves at one listener, within these limits, until it is dropped.
pub(crate) async fn receive(listener: TcpListener, router: Router, limits: Limits) {
    let connections = Arc::new(GracefulShutdown::new());
    let guests = Arc::new(Guests::new(limits.connections));
    Door { router, connections, guests, limits }.open(listener).await;
}

/// Lets connections in at one listener.
struct Door {
    router: Router,
    connections: Arc<GracefulShutdown>,
    guests: Arc<Guests>,
    limits: Limits,
}

impl Door {
    async fn open(self, listener: TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let Some(place) = self.guests.admit().await else { return };
                    tokio::spawn(self.serve(stream, place));
                }
                Err(error) => {
                    tracing::debug!(%error, "a connection was not taken");
                    tokio::time::sleep(NO_ROOM).await;
                }
            }
        }
    }

    fn serve(&self, stream: TcpStream, place: Place) -> impl Future<Output = ()> + use<> {
        // answers are small and somebody waits for them; without it they are only slower
        drop(stream.set_nodelay(true));
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(self.limits.head_time)
            .max_headers(MAX_HEADERS)
            .max_buf_size(MAX_HEAD);
        let stream = TokioIo::new(Patient::new(stream, self.limits.stalled));
        let guest = Arc::clone(&place.guest);
        let router = TowerToHyperService::new(self.router.clone());
        let asked = service_fn(move |mut request: Request<Incoming>| {
            place.guest.is_heard();
            request.extensions_mut().insert(Arc::clone(&place.guest));
            router.call(request)
        });
        let watched = self.connections.watch(http.serve_connection(stream, asked));
        async move {
            tokio::select! {
                ended = watched => if let Err(error) = ended {
                    tracing::debug!(%error, "a connection ended");
                },
                () = guest.leaves() => tracing::debug!("a connection made room"),
            }
        }
    }
}

/// Ends what has run out, until the daemon stops.
async fn sweep(service: Arc<Service>, mut stopped: oneshot::Receiver<()>) {
    loop {
        let next = service.parts.clock.now().after(SWEEP);
        let sleep = service.parts.clock.sleep_until(next);
        tokio::select! {
            _ = &mut stopped => return,
            () = sleep => service.sweep().await,
        }
    }
}
