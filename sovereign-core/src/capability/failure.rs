use std::error::Error;
use std::fmt;

/// The capability's own no: a stable code and one line that the model may read.
///
/// There is no `From` for other errors: what a library says about itself is not for the model, so an
/// author picks a code at each place and keeps the rest as detail for the local log.
///
/// # Example
/// ```
/// use sovereign_core::prelude::*;
/// fn free(text: &str) -> Result<u64, Failure> {
///     text.trim().parse::<u64>().or_fail("unreadable")
/// }
/// assert_eq!(free("many").unwrap_err().code(), "unreadable");
/// ```
#[derive(Debug)]
pub struct Failure {
    pub(crate) code: &'static str,
    pub(crate) message: &'static str,
    pub(crate) before_effect: bool,
    pub(crate) detail: Option<Box<dyn Error + Send + Sync>>,
}

impl Failure {
    /// With a stable `snake_case` code.
    #[must_use]
    pub const fn new(code: &'static str) -> Self {
        Self { code, message: "", before_effect: false, detail: None }
    }

    /// One line that the model may read; a constant, so that no outside text gets in.
    #[must_use]
    pub const fn says(mut self, message: &'static str) -> Self {
        self.message = message;
        self
    }

    /// Nothing was changed yet: a mutating call then ends as `failed`, not as `unknown_effect`.
    #[must_use]
    pub const fn before_effect(mut self) -> Self {
        self.before_effect = true;
        self
    }

    /// For the local log only.
    #[must_use]
    pub fn detail(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.detail = Some(source.into());
        self
    }

    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code
    }
}

/// Turns any error or absence into a [`Failure`], with a code chosen at that place.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot become a `Failure`",
    label = "only `Result` and `Option` have `or_fail`",
    note = "make a failure yourself: `Failure::new(\"code\")`"
)]
pub trait OrFail<T> {
    /// # Errors
    /// The same case, as a [`Failure`] with this code.
    fn or_fail(self, code: &'static str) -> Result<T, Failure>;
}

impl<T, E: Into<Box<dyn Error + Send + Sync>>> OrFail<T> for Result<T, E> {
    fn or_fail(self, code: &'static str) -> Result<T, Failure> {
        self.map_err(|e| Failure::new(code).detail(e))
    }
}

impl<T> OrFail<T> for Option<T> {
    fn or_fail(self, code: &'static str) -> Result<T, Failure> {
        self.ok_or(Failure::new(code))
    }
}

/// The argument check's no; becomes a refusal at the policy stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAllowed {
    code: &'static str,
}

impl NotAllowed {
    /// With a stable `snake_case` code.
    #[must_use]
    pub const fn new(code: &'static str) -> Self {
        Self { code }
    }

    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code
    }
}

impl fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not allowed here: `{}`", self.code)
    }
}

impl Error for NotAllowed {}

impl From<NotAllowed> for Failure {
    /// The same code: an address rule says no before the call and again at the connection.
    fn from(no: NotAllowed) -> Self {
        Self::new(no.code).before_effect()
    }
}
