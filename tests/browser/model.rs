//! Models that do what a test needs.

use async_trait::async_trait;
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, Request,
};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Says one piece after the other, each when it is let.
#[derive(Clone)]
pub struct Paced {
    pieces: &'static [&'static str],
    gate: Arc<Semaphore>,
}

impl Paced {
    pub fn new(pieces: &'static [&'static str]) -> Self {
        Self { pieces, gate: Arc::new(Semaphore::new(0)) }
    }

    /// Lets it say so many more.
    pub fn more(&self, many: usize) {
        self.gate.add_permits(many);
    }
}

#[async_trait]
impl Backend for Paced {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity::local("paced", None)
    }

    async fn ready(&self) -> Result<(), BackendError> {
        Ok(())
    }

    async fn send(
        &self,
        _: Request<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        for piece in self.pieces {
            self.gate.acquire().await.expect("an open gate").forget();
            sink.text(piece);
        }
        Ok(BackendTurn::text(self.identity(), self.pieces.concat()))
    }
}
