//! Stands in for [`confinement`](super::confinement) where that is not built: there is none.

#[cfg(unix)]
use super::{Command, Exited};
use super::{Failure, Outbound, Request, Response};
use crate::BoxFuture;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(crate) enum Confinement {}

impl Confinement {
    pub(crate) const fn of_call(&self) -> Confined {
        match *self {}
    }
}

pub(crate) enum Confined {}

impl Confined {
    pub(crate) fn spawn<T>(&self, _: BoxFuture<'static, T>) -> Option<Task<T>> {
        match *self {}
    }

    pub(crate) const fn holds_here() -> bool {
        false
    }

    #[cfg(unix)]
    pub(super) async fn command(&self, _: Command) -> Result<Exited, Failure> {
        match *self {}
    }

    pub(super) async fn send(
        &self,
        _: &Arc<dyn Outbound>,
        _: Request,
    ) -> Result<Response, Failure> {
        match *self {}
    }
}

pub(crate) struct Task<T>(std::convert::Infallible, std::marker::PhantomData<T>);

impl<T> Task<T> {
    pub(crate) async fn outcome(&mut self) -> Option<T> {
        match self.0 {}
    }

    pub(crate) async fn put_away(&mut self) -> bool {
        match self.0 {}
    }
}
