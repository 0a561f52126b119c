//! Which backend answers: each is asked once per turn whether it can, in order; one that fails is not
//! asked again in that turn, and what its failure says of others counts for the rest of the turn.

use super::report::Skipped;
use crate::backend::{Backend, BackendError, FailureClass};
use std::sync::Arc;

pub(super) struct Legs<'a> {
    rest: std::slice::Iter<'a, Arc<dyn Backend>>,
    current: Option<&'a Arc<dyn Backend>>,
    admitted: bool,
    /// A window of so many tokens was too small.
    too_small: Option<usize>,
    /// A reply that may have been paid for did not come.
    paid_for: bool,
    /// The request itself was found wrong.
    rejected: bool,
    failed: usize,
    too_long: usize,
}

impl<'a> Legs<'a> {
    pub(super) fn new(legs: &'a [Arc<dyn Backend>]) -> Self {
        let mut rest = legs.iter();
        let current = rest.next();
        Self {
            rest,
            current,
            admitted: false,
            too_small: None,
            paid_for: false,
            rejected: false,
            failed: 0,
            too_long: 0,
        }
    }

    pub(super) const fn current(&self) -> Option<&'a Arc<dyn Backend>> {
        self.current
    }

    /// Why the current one need not be asked after what the others said.
    pub(super) fn barred(&self) -> Option<BackendError> {
        let leg = self.current?;
        if let Some((small, own)) = self.too_small.zip(leg.window())
            && own.tokens <= small
        {
            let reason = format!("its window of {} tokens is no larger", own.tokens);
            return Some(BackendError::new(FailureClass::TooLong, reason));
        }
        if leg.is_paid() && self.paid_for {
            let reason = "it is not asked: a reply that did not come may have been paid for";
            return Some(BackendError::new(FailureClass::Withheld, reason));
        }
        if leg.is_paid() && self.rejected {
            let reason = "it is not asked: the request itself was found wrong";
            return Some(BackendError::new(FailureClass::Withheld, reason));
        }
        None
    }

    /// Gives up the current one.
    pub(super) fn fail(&mut self, error: &BackendError) -> Option<Skipped> {
        let failed = self.current?;
        self.failed = self.failed.saturating_add(1);
        match error.class() {
            FailureClass::TooLong => {
                self.too_long = self.too_long.saturating_add(1);
                let own = failed.window().map(|window| window.tokens);
                self.too_small = self.too_small.max(own);
            }
            // what was generated is billed, whether it came or not
            FailureClass::Timeout | FailureClass::Interrupted | FailureClass::Protocol => {
                self.paid_for |= failed.is_paid();
            }
            FailureClass::Rejected => self.rejected = true,
            FailureClass::Unreachable
            | FailureClass::Unsupported
            | FailureClass::Refused
            | FailureClass::Unauthorised
            | FailureClass::Withheld => {}
        }
        self.current = self.rest.next();
        self.admitted = false;
        let (id, code) = (failed.identity().id, error.class().word());
        if error.class() == FailureClass::Unauthorised {
            tracing::warn!(backend = id, code, reason = %error, "leg skipped");
        } else {
            tracing::info!(backend = id, code, reason = %error, "leg skipped");
        }
        Some(Skipped { id, code, reason: error.to_string() })
    }

    /// Whether every leg said that it is too much.
    pub(super) const fn found_too_long(&self) -> bool {
        self.failed > 0 && self.failed == self.too_long
    }

    /// Whether the current one may be asked at all; found out once per turn.
    pub(super) async fn admit(&mut self) -> Result<(), BackendError> {
        let Some(leg) = self.current.filter(|_| !self.admitted) else { return Ok(()) };
        leg.ready().await?;
        self.admitted = true;
        Ok(())
    }
}
