//! A leg that does not answer is left alone for a while, so that it does not cost every turn its
//! timeout.
use async_trait::async_trait;
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, FailureClass, Request, Window,
};
use sovereign_core::clock::{Clock, Moment};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// After how many failures in a row a leg is left alone.
pub const FAILURES_BEFORE_PAUSE: u32 = 3;
/// For how long it is left alone.
pub const PAUSE: Duration = Duration::from_secs(60);

/// A backend with a circuit breaker around it.
///
/// What counts is silence: nothing listens, the connection breaks, no complete reply comes in time. A
/// server that says no has answered. After [`FAILURES_BEFORE_PAUSE`] such failures in a row the leg is
/// not asked for [`PAUSE`]; then one call goes through, alone, and decides whether it is asked again. A
/// call that is cancelled decides nothing.
///
/// # Example
/// ```
/// use sovereign_backends::{Guarded, Keyword, LegState};
/// use sovereign_core::clock::SystemClock;
/// use std::sync::Arc;
/// let leg = Guarded::new(Arc::new(Keyword::new()), Arc::new(SystemClock::default()));
/// assert_eq!(leg.state(), LegState::Closed { failures: 0 });
/// ```
pub struct Guarded {
    leg: Arc<dyn Backend>,
    clock: Arc<dyn Clock>,
    failures_before_pause: u32,
    pause: Duration,
    circuit: Mutex<Circuit>,
}

/// What is known of a leg, for a list of backends.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a breaker has these three states")]
pub enum LegState {
    /// It is asked.
    Closed {
        /// Failures in a row, so far.
        failures: u32,
    },
    /// It is not asked.
    Open {
        /// For how long still.
        left: Duration,
        /// How it failed last.
        why: String,
    },
    /// The pause is over: the next call decides.
    HalfOpen {
        /// How it failed last.
        why: String,
    },
}

impl fmt::Display for LegState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed { failures: 0 } => f.write_str("in use"),
            Self::Closed { failures } => write!(f, "in use, failed {failures} times in a row"),
            Self::Open { left, why } => {
                write!(f, "not asked for another {} s: {why}", seconds(*left))
            }
            Self::HalfOpen { why } => write!(f, "asked again with the next turn: {why}"),
        }
    }
}

/// Rounded up: a pause that is not over has no zero seconds left.
fn seconds(left: Duration) -> u64 {
    left.as_secs().saturating_add(u64::from(left.subsec_nanos() > 0))
}

#[derive(Debug, Default)]
struct Circuit {
    failures: u32,
    why: String,
    /// Not asked before this moment.
    open_until: Option<Moment>,
    /// The one call of a half-open circuit is on its way.
    probing: bool,
}

/// One call that was let through; a call that is dropped gives its place back and counts for nothing.
struct Pass<'a> {
    leg: &'a Guarded,
    probe: bool,
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if self.probe {
            self.leg.circuit().probing = false;
        }
    }
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guarded")
            .field("leg", &self.leg.identity())
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

impl Guarded {
    /// Around this leg.
    #[must_use]
    pub fn new(leg: Arc<dyn Backend>, clock: Arc<dyn Clock>) -> Self {
        Self {
            leg,
            clock,
            failures_before_pause: FAILURES_BEFORE_PAUSE,
            pause: PAUSE,
            circuit: Mutex::default(),
        }
    }

    /// Left alone after this many failures in a row (1 at least), for this long.
    #[must_use]
    pub fn pausing(mut self, failures: u32, pause: Duration) -> Self {
        self.failures_before_pause = failures.max(1);
        self.pause = pause;
        self
    }

    /// Whether it is asked now, and why not.
    #[must_use]
    pub fn state(&self) -> LegState {
        let now = self.clock.now();
        let circuit = self.circuit();
        let why = || circuit.why.clone();
        match circuit.open_until {
            None => LegState::Closed { failures: circuit.failures },
            Some(until) if now < until => LegState::Open { left: until.since(now), why: why() },
            Some(_) => LegState::HalfOpen { why: why() },
        }
    }

    /// The leg itself, for whoever only looks: what it is asked past its guard counts for nothing.
    #[must_use]
    pub fn unguarded(&self) -> &Arc<dyn Backend> {
        &self.leg
    }

    fn circuit(&self) -> MutexGuard<'_, Circuit> {
        self.circuit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pass(&self) -> Result<Pass<'_>, BackendError> {
        let now = self.clock.now();
        let mut circuit = self.circuit();
        let Some(until) = circuit.open_until else { return Ok(Pass { leg: self, probe: false }) };
        let why = &circuit.why;
        let left_alone = |how: String| Err(BackendError::new(FailureClass::Unreachable, how));
        if now < until {
            let left = seconds(until.since(now));
            return left_alone(format!("it is not asked for another {left} s: {why}"));
        }
        if circuit.probing {
            return left_alone(format!("it is being tried by another turn: {why}"));
        }
        circuit.probing = true;
        Ok(Pass { leg: self, probe: true })
    }

    /// `answered`: a whole reply closes the circuit; being ready alone does not, since a server may
    /// answer that and then hang.
    fn count<T>(&self, pass: &Pass<'_>, outcome: &Result<T, BackendError>, answered: bool) {
        let now = self.clock.now();
        let mut circuit = self.circuit();
        match outcome {
            Err(error) if is_silence(error.class()) => {
                circuit.failures = circuit.failures.saturating_add(1);
                circuit.why = error.to_string();
                if pass.probe || circuit.failures >= self.failures_before_pause {
                    circuit.open_until = Some(now.after(self.pause));
                }
            }
            Err(_) => *circuit = Circuit { probing: circuit.probing, ..Circuit::default() },
            Ok(_) if answered => {
                *circuit = Circuit { probing: circuit.probing, ..Circuit::default() };
            }
            Ok(_) => {}
        }
    }
}

const fn is_silence(class: FailureClass) -> bool {
    matches!(class, FailureClass::Unreachable | FailureClass::Interrupted | FailureClass::Timeout)
}

#[async_trait]
impl Backend for Guarded {
    fn identity(&self) -> BackendIdentity {
        self.leg.identity()
    }

    fn is_paid(&self) -> bool {
        self.leg.is_paid()
    }

    fn window(&self) -> Option<Window> {
        self.leg.window()
    }

    async fn ready(&self) -> Result<(), BackendError> {
        let pass = self.pass()?;
        let ready = self.leg.ready().await;
        self.count(&pass, &ready, false);
        ready
    }

    async fn send(
        &self,
        request: Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        let pass = self.pass()?;
        let reply = self.leg.send(request, sink).await;
        self.count(&pass, &reply, true);
        reply
    }
}

#[cfg(test)]
#[path = "guarded_tests.rs"]
mod tests;
