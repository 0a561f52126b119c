use super::{Command, Exited, Failure, Outbound, Request, Response};
use crate::BoxFuture;
use filter::{Filter, Rules};
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::os::unix::net::UnixDatagram;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::task::Poll;
use std::thread;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

mod filter;
#[cfg(test)]
mod filter_tests;

/// How many confined calls are polled at once. One that blocks its thread takes one of them away.
const THREADS: usize = 4;

/// Threads that the kernel lets open no socket, no ring of `io_uring` and no process: where
/// [`ExecutorBuilder::confine_local`](crate::executor::ExecutorBuilder::confine_local) runs the code of
/// `network = local` capabilities, and their `call.blocking`. Cheap to clone.
///
/// `call.loopback()` goes through a task outside, so `local(loopback)` works. `call.command` starts its
/// program on a thread that may start programs and nothing else of the above: the filter is inherited,
/// so the program opens no socket either, and gains no rights from a set-user-id bit.
///
/// This is a second fence for code with a mistake, not a prison for hostile code: the threads share
/// memory and descriptors with the rest of the process. What is refused fails with `EPERM`, as a missing
/// permission does; it ends nothing.
///
/// # Example
/// ```
/// use sovereign_core::capability::Confinement;
/// # use sovereign_core::{executor::Executor, host::*, testing::MemoryAudit};
/// # use std::sync::Arc;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (registry, policy) = (Registry::builder().build()?, Policy::granting(|_| Categories::NONE));
/// # let audit = Arc::new(MemoryAudit::default());
/// let executor = Executor::builder(registry, policy, audit)
///     .confine_local(Confinement::seccomp()?)
///     .build()?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Confinement(Arc<Threads>);

struct Threads {
    capabilities: Pool,
    programs: Pool,
}

impl fmt::Debug for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Confinement(seccomp)")
    }
}

/// Why nothing can be confined here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfinementError {
    /// No filter is known for this processor.
    #[error("there is no system call filter for this processor")]
    Unsupported,
    /// The kernel refuses filters.
    #[error("the kernel takes no system call filter: {0}")]
    Refused(#[source] io::Error),
    /// The kernel took the filter, and a socket could be opened all the same.
    #[error("the system call filter is not in force")]
    NotInForce,
    /// A thread does not start.
    #[error("a confined thread does not start: {0}")]
    Thread(#[source] io::Error),
}

impl Confinement {
    /// Starts the threads, after trying the filter on one that is then thrown away.
    ///
    /// # Errors
    /// When the kernel or the processor has no such filter, or no thread starts.
    pub fn seccomp() -> Result<Self, ConfinementError> {
        let filter = |rules| Filter::new(rules).ok_or(ConfinementError::Unsupported);
        let (narrow, wide) = (filter(Rules::Capability)?, filter(Rules::Program)?);
        let trial = narrow.clone();
        let trial = thread::Builder::new()
            .spawn(move || trial.apply().map(|()| UnixDatagram::unbound().is_err()))
            .map_err(ConfinementError::Thread)?;
        match trial.join() {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) | Err(_) => return Err(ConfinementError::NotInForce),
            Ok(Err(error)) => return Err(ConfinementError::Refused(error)),
        }
        let threads = Threads {
            capabilities: Pool::start("confined", THREADS, narrow)?,
            programs: Pool::start("programs", 1, wide)?,
        };
        Ok(Self(Arc::new(threads)))
    }

    /// For one call, whose requests to this device go through the runtime around it.
    pub(crate) fn of_call(&self) -> Confined {
        Confined { confinement: self.clone(), outside: Handle::current() }
    }
}

/// A runtime of which every thread, also those for blocking work, took the filter before anything else.
struct Pool {
    runtime: Option<Runtime>,
    rules: Rules,
}

impl Pool {
    fn start(name: &str, threads: usize, filter: Filter) -> Result<Self, ConfinementError> {
        let rules = filter.rules();
        let runtime = Builder::new_multi_thread()
            .thread_name(name)
            .worker_threads(threads)
            .enable_all()
            // a thread that could not take it is known by that, and runs nothing
            .on_thread_start(move || drop(filter.apply()))
            .build()
            .map_err(ConfinementError::Thread)?;
        Ok(Self { runtime: Some(runtime), rules })
    }

    fn spawn<T: Send + 'static>(&self, mut work: BoxFuture<'static, T>) -> Option<Task<T>> {
        let rules = self.rules;
        let checked = poll_fn(move |cx| {
            if rules.hold_here() { work.as_mut().poll(cx).map(Some) } else { Poll::Ready(None) }
        });
        self.runtime.as_ref().map(|runtime| Task(runtime.spawn(checked)))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // the last owner may be a task, which may not wait
            runtime.shutdown_background();
        }
    }
}

/// What one call runs in.
pub(crate) struct Confined {
    confinement: Confinement,
    outside: Handle,
}

impl Confined {
    pub(crate) fn spawn<T: Send + 'static>(&self, work: BoxFuture<'static, T>) -> Option<Task<T>> {
        self.confinement.0.capabilities.spawn(work)
    }

    /// Whether this thread is one of those for capabilities.
    pub(crate) fn holds_here() -> bool {
        Rules::Capability.hold_here()
    }

    pub(super) async fn command(&self, command: Command) -> Result<Exited, Failure> {
        let lost = || Err(Failure::new("not_confined").before_effect());
        let Some(mut task) = self.confinement.0.programs.spawn(Box::pin(command.run())) else {
            return lost();
        };
        task.outcome().await.unwrap_or_else(lost)
    }

    pub(super) async fn send(
        &self,
        outbound: &Arc<dyn Outbound>,
        request: Request,
    ) -> Result<Response, Failure> {
        let outbound = Arc::clone(outbound);
        let sent = self.outside.spawn(async move { Some(outbound.send(request).await) });
        let lost = || Err(Failure::new("no_way_out"));
        Task(sent).outcome().await.unwrap_or_else(lost)
    }
}

/// Work elsewhere that is stopped when nobody waits for it any more.
pub(crate) struct Task<T>(JoinHandle<Option<T>>);

impl<T> Task<T> {
    /// What it came to, panics included; none when its thread had no filter.
    pub(crate) async fn outcome(&mut self) -> Option<T> {
        match (&mut self.0).await {
            Ok(done) => done,
            Err(error) => error.try_into_panic().map_or(None, |panic| resume_unwind(panic)),
        }
    }

    /// Stops it where it waits, and ends when it is gone; says whether it went without a panic.
    pub(crate) async fn put_away(&mut self) -> bool {
        self.0.abort();
        (&mut self.0).await.err().is_none_or(|error| !error.is_panic())
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
