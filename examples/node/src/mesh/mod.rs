//! Callers on a radio link: a private Unix socket on which link processes hand over what peers say.
//!
//! Owns who may ask, how often, how much, and what goes back over the air. It judges no proposal and
//! holds no authority: a peer is a [caller](sovereign_core::caller) like any other, whose grants
//! [`ContactGrants`] narrows. A peer can never confirm, and never sees a transcript but its own.
mod airtime;
mod config;
mod contacts;
mod desk;
mod lines;
mod link;
mod message;
mod peer;
mod socket;
mod turn;

pub use config::{MeshConfig, Sent};
pub use contacts::{ContactGrants, Contacts};
pub use peer::{NotAPeer, Peer};
pub use socket::{Socket, SocketError};

use config::{MAX_LINKS, PAUSE};
use desk::Desk;
use sovereign_core::backend::Backend;
use sovereign_core::clock::Clock;
use sovereign_core::executor::Executor;
use sovereign_core::history::Histories;
use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Says which backends there are now: a key may come or go while the node runs.
pub type Legs = Box<dyn Fn() -> Vec<Arc<dyn Backend>> + Send + Sync>;

/// What the link needs of the node around it.
#[expect(clippy::exhaustive_structs, reason = "a daemon has to say all of it")]
pub struct Parts {
    /// Everything that a peer's model proposes goes through it; its grants are [`ContactGrants`].
    pub executor: Executor,
    /// The backends that a turn which begins now would ask, in order of preference; those off this
    /// device are asked only as [`Sent`] says.
    pub legs: Legs,
    /// Where the transcripts of contacts are; none: nothing is remembered.
    pub histories: Option<Arc<Histories>>,
    /// Counts the hours.
    pub clock: Arc<dyn Clock>,
    /// What the operator set.
    pub config: MeshConfig,
}

/// The mesh side of a node.
pub struct Mesh(Arc<Shared>);

struct Shared {
    executor: Executor,
    legs: Legs,
    histories: Option<Arc<Histories>>,
    clock: Arc<dyn Clock>,
    config: MeshConfig,
    desk: Arc<Desk>,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("config", &self.config).finish_non_exhaustive()
    }
}

impl fmt::Debug for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Mesh").field(&self.0.config).finish()
    }
}

impl Mesh {
    /// Puts it together; nothing happens until it is served.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let Parts { executor, legs, histories, clock, config } = parts;
        let desk = Arc::new(Desk::new(config.clone(), Arc::clone(&clock)));
        Self(Arc::new(Shared { executor, legs, histories, clock, config, desk }))
    }

    /// Listens until `shutdown`. Then nobody is let in, the socket is gone, turns are stopped, and the
    /// future ends once each has its terminal record on the disk. Spawn it: no turn runs in its own task.
    pub async fn serve(self, socket: Socket, shutdown: impl Future<Output = ()> + Send) {
        let (stop, stopped) = watch::channel(false);
        let mut links = JoinSet::new();
        let mut shutdown = pin!(shutdown);
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut shutdown => break,
                Some(_) = links.join_next() => continue,
                accepted = socket.accept() => accepted,
            };
            match accepted {
                Ok(stream) if links.len() < MAX_LINKS => {
                    links.spawn(link::serve(Arc::clone(&self.0), stream, stopped.clone()));
                }
                Ok(_) => tracing::warn!("{MAX_LINKS} links are connected: one more was sent away"),
                Err(error) => {
                    tracing::warn!(%error, "no link can connect for a moment");
                    let clock = &self.0.clock;
                    tokio::select! {
                        () = &mut shutdown => break,
                        () = clock.sleep_until(clock.now().after(PAUSE)) => {}
                    }
                }
            }
        }
        drop(socket);
        stop.send_replace(true);
        while links.join_next().await.is_some() {}
        if let Err(error) = self.0.executor.durable().await {
            tracing::error!(%error, "what happened last could not be recorded");
        }
    }
}
