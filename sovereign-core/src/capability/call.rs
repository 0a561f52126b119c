use super::outbound::{Http, Outbound};
use super::outliving::Outliving;
use super::{Clearance, Confined, External, Failure, Loopback, Run};
#[cfg(unix)]
use super::{Command, Exited};
use crate::clock::{Clock, Moment};
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::Semaphore;

/// What a cleared capability may use. Only the executor makes one, so a capability cannot be run
/// around the stages, and nothing in it leads back to the executor.
pub struct Call<'a, C: Run> {
    state: &'a dyn Shared<C::State>,
    outbound: Option<&'a Arc<dyn Outbound>>,
    context: &'a CallContext,
}

impl<C: Run> fmt::Debug for Call<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Call")
    }
}

/// A state as every call of the plugin shares it. That one is not `Sync` is said of `Run::State`; with
/// this in between, it is not said once more of each future that holds a call.
trait Shared<S: ?Sized>: Send + Sync {
    fn get(&self) -> &S;
    fn share(&self) -> Arc<S>;
}

impl<S: ?Sized + Send + Sync> Shared<S> for Arc<S> {
    fn get(&self) -> &S {
        self
    }

    fn share(&self) -> Self {
        Self::clone(self)
    }
}

/// The part that does not depend on the capability.
pub(crate) struct CallContext {
    pub(crate) deadline: Moment,
    pub(crate) max_result: u32,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) blocking: Arc<Semaphore>,
    pub(crate) outliving: Arc<Outliving>,
    /// Where the call runs, when that is not where the executor does.
    pub(crate) confined: Option<Confined>,
    pub(crate) _clearance: Clearance,
}

impl<'a, C: Run> Call<'a, C> {
    pub(crate) const fn new(
        state: &'a Arc<C::State>,
        outbound: Option<&'a Arc<dyn Outbound>>,
        context: &'a CallContext,
    ) -> Self {
        Self { state, outbound, context }
    }

    /// What the plugin was installed with.
    #[must_use]
    pub fn state(&self) -> &'a C::State {
        self.state.get()
    }

    /// When the call is cut off.
    #[must_use]
    pub const fn deadline(&self) -> Moment {
        self.context.deadline
    }

    /// The time on the executor's wall clock, for results that carry a date.
    #[must_use]
    pub fn wall(&self) -> SystemTime {
        self.context.clock.wall()
    }

    /// The way off the device that the plugin was installed with.
    #[must_use]
    pub const fn http(&self) -> Http<'a>
    where
        C: External,
    {
        self.way_out()
    }

    /// Services on this device, nothing else.
    #[must_use]
    pub const fn loopback(&self) -> Http<'a>
    where
        C: Loopback,
    {
        self.way_out()
    }

    const fn way_out(&self) -> Http<'a> {
        Http { outbound: self.outbound, confined: self.context.confined.as_ref() }
    }

    /// Synchronous work on a bounded pool beside the runtime, with the state. It is not cut off by
    /// the deadline: the call ends then, with the code `still_running`, the work goes on and keeps
    /// its place in the pool, and the audit log gets a `late_completion` when it comes back.
    ///
    /// # Errors
    /// `panicked`, when the work panicked; `not_confined`, when it should run on a confined thread and
    /// there is none.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&C::State) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let place = Arc::clone(&self.context.blocking).acquire_owned().await;
        let place = place.map_err(|e| Failure::new("closed").before_effect().detail(e))?;
        let (state, piece) = (self.state.share(), self.context.outliving.starts());
        let confined = self.context.confined.is_some();
        let done = tokio::task::spawn_blocking(move || {
            // in this order also when the work panics
            let (_piece, _place) = (piece, place);
            // the pool is that of the threads that the call runs on
            (!confined || Confined::holds_here()).then(|| work(&state))
        });
        let done = done.await.map_err(|e| Failure::new("panicked").detail(e))?;
        done.ok_or_else(|| Failure::new("not_confined").before_effect())
    }

    /// Runs another program to its end. At the deadline, or when the call is cancelled, its process
    /// group is killed; what it left running in that group is killed when the program itself has
    /// ended, so that nothing it started holds up the answer. See [`Command`] for the limits.
    ///
    /// # Errors
    /// `program_not_absolute` and `not_started`, both before any effect; `program_lost`, when its end
    /// cannot be learned.
    #[cfg(unix)]
    pub async fn command(&self, command: Command) -> Result<Exited, Failure> {
        match &self.context.confined {
            Some(confined) => confined.command(command).await,
            None => command.run().await,
        }
    }
}
