use super::{CallerScope, Categories};

/// Which categories a scope holds.
///
/// Asked at listing, at policy, and again after a confirmation; the answer may change between two
/// asks and is never cached. A closure over a fixed set is one; `GrantsFile` is the persisted one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say who may use what",
    label = "not a source of grants",
    note = "pass a `GrantsFile`, or a closure `|scope: &CallerScope| -> Categories`"
)]
pub trait Grants: Send + Sync + 'static {
    /// What `scope` holds now.
    ///
    /// # Errors
    /// When the grants cannot be read: the scope then holds nothing.
    fn granted(&self, scope: &CallerScope) -> Result<Categories, Unavailable>;
}

/// Grants or policy that cannot be read; everything they would open is closed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unavailable {
    reason: String,
}

impl Unavailable {
    /// With the reason an operator reads: which file, which line, what to do.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

impl<F> Grants for F
where
    F: Fn(&CallerScope) -> Categories + Send + Sync + 'static,
{
    fn granted(&self, scope: &CallerScope) -> Result<Categories, Unavailable> {
        Ok(self(scope))
    }
}
