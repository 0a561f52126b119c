use sovereign_core::clock::{Clock, Moment};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What one launch may use. A page that runs wild, or somebody who got the token, costs no more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caps {
    /// Messages, whether they are answered or not.
    pub(crate) requests: u32,
    /// Text in both directions.
    pub(crate) bytes: u64,
    /// From the launch on.
    pub(crate) time: Duration,
}

/// Which cap is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Spent {
    #[error("this launch has answered as many messages as it may: start it again")]
    Requests,
    #[error("this launch has passed on as much text as it may: start it again")]
    Bytes,
    #[error("the time of this launch is over: start it again")]
    Time,
}

/// What is left of the caps.
pub(crate) struct Budget {
    left: Mutex<(u32, u64)>,
    until: Moment,
    clock: Arc<dyn Clock>,
}

impl Budget {
    pub(crate) fn new(caps: Caps, clock: Arc<dyn Clock>) -> Self {
        let until = clock.now().after(caps.time);
        Self { left: Mutex::new((caps.requests, caps.bytes)), until, clock }
    }

    /// One more message.
    pub(crate) fn begin(&self) -> Result<(), Spent> {
        if self.clock.now() >= self.until {
            return Err(Spent::Time);
        }
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if left.1 == 0 {
            return Err(Spent::Bytes);
        }
        left.0 = left.0.checked_sub(1).ok_or(Spent::Requests)?;
        Ok(())
    }

    /// So much text; what does not fit ends it, and is not passed on.
    pub(crate) fn pass(&self, text: usize) -> Result<(), Spent> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let text = u64::try_from(text).unwrap_or(u64::MAX);
        match left.1.checked_sub(text) {
            Some(rest) => left.1 = rest,
            None => {
                left.1 = 0;
                return Err(Spent::Bytes);
            }
        }
        Ok(())
    }
}
