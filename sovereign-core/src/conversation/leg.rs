//! Which backend answers: each is asked once per turn whether it can, in order; one that fails is not
//! asked again in that turn.

use super::report::Skipped;
use crate::backend::{Backend, BackendError};
use std::sync::Arc;

pub(super) struct Legs<'a> {
    rest: std::slice::Iter<'a, Arc<dyn Backend>>,
    current: Option<&'a Arc<dyn Backend>>,
    admitted: bool,
}

impl<'a> Legs<'a> {
    pub(super) fn new(legs: &'a [Arc<dyn Backend>]) -> Self {
        let mut rest = legs.iter();
        let current = rest.next();
        Self { rest, current, admitted: false }
    }

    pub(super) const fn current(&self) -> Option<&'a Arc<dyn Backend>> {
        self.current
    }

    /// Gives up the current one.
    pub(super) fn fail(&mut self, error: &BackendError) -> Option<Skipped> {
        let failed = self.current?;
        self.current = self.rest.next();
        self.admitted = false;
        let id = failed.identity().id;
        tracing::info!(backend = id, class = ?error.class(), reason = %error, "leg skipped");
        Some(Skipped { id, reason: error.to_string() })
    }

    /// Whether the current one may be asked at all; found out once per turn.
    pub(super) async fn admit(&mut self) -> Result<(), BackendError> {
        let Some(leg) = self.current.filter(|_| !self.admitted) else { return Ok(()) };
        leg.ready().await?;
        self.admitted = true;
        Ok(())
    }
}
