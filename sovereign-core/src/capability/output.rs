//! What `run` may give back. The side-effect class decides the shape, so that a mutating capability
//! cannot forget to say whether it changed anything and a read-only one cannot claim it.
use serde::Serialize;

use super::Capability;
use super::declaration::class::{Mutating, ReadOnly, Unknown};
use crate::schema::Schema;

/// Where a result comes from: data beside the result, never prose (A23).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Citation {
    /// The full address.
    pub url: String,
    /// What the source calls itself.
    pub title: String,
    /// When it was read (RFC 3339, UTC).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieved_at: Option<String>,
}

impl Citation {
    /// A source by its address and title.
    #[must_use]
    pub fn new(url: impl Into<String>, title: impl Into<String>) -> Self {
        Self { url: url.into(), title: title.into(), retrieved_at: None }
    }

    /// The same with when it was read (RFC 3339, UTC).
    #[must_use]
    pub fn retrieved_at(mut self, at: impl Into<String>) -> Self {
        self.retrieved_at = Some(at.into());
        self
    }
}

/// What the capability `C` may give back, by its side-effect class.
///
/// | class | output |
/// |---|---|
/// | `ReadOnly` | `T`, [`Cited<T>`] |
/// | `Mutating` | [`Changed<T>`], `Changed<Cited<T>>` |
///
/// where `T` derives `serde::Serialize` and [`Schema`]. Nothing else implements this trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the output of `{C}`",
    label = "not an output of its side-effect class",
    note = "a `read_only` capability returns a type that derives `serde::Serialize` and `Schema`, or `Cited<…>` of one",
    note = "a `mutating` capability returns `Changed<…>` of such a type, which says whether anything changed"
)]
pub trait Output<C> {
    /// What the result's schema describes and the model reads.
    type Body: Serialize + Schema + Send;

    /// Takes the output apart into the body and what travels beside it.
    fn into_parts(self) -> Parts<Self::Body>;
}

// The class is looked up here and not in the bound of `Run::Output`: that one would be a second
// message for a type that is no capability.
impl<C: Capability, T: OutputOf<C::SideEffect>> Output<C> for T {
    type Body = T::Body;

    fn into_parts(self) -> Parts<T::Body> {
        self.apart()
    }
}

/// The output of a capability of class `E`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the output of a capability of this side-effect class"
)]
pub trait OutputOf<E> {
    /// What the result's schema describes.
    type Body: Serialize + Schema + Send;

    /// Takes the output apart.
    fn apart(self) -> Parts<Self::Body>;
}

/// An output taken apart; made by this module only.
#[derive(Debug)]
pub struct Parts<B> {
    pub(crate) body: B,
    pub(crate) changed: Option<bool>,
    pub(crate) citations: Vec<Citation>,
}

// What `T` lacks would be one message each: the trait's own notes say all of it.
#[diagnostic::do_not_recommend]
impl<T: Serialize + Schema + Send> OutputOf<ReadOnly> for T {
    type Body = T;

    fn apart(self) -> Parts<T> {
        Parts { body: self, changed: None, citations: Vec::new() }
    }
}

/// A result with its sources.
///
/// ```
/// use sovereign_core::prelude::*;
///
/// let source = Citation::new("https://example.com/", "Example Domain");
/// let result = Cited::new("Example Domain".to_owned(), [source]);
/// ```
#[derive(Debug)]
pub struct Cited<T> {
    body: T,
    citations: Vec<Citation>,
}

impl<T> Cited<T> {
    /// The result `body`, taken from these sources.
    pub fn new(body: T, citations: impl IntoIterator<Item = Citation>) -> Self {
        Self { body, citations: citations.into_iter().collect() }
    }
}

impl<T: Serialize + Schema + Send> OutputOf<ReadOnly> for Cited<T> {
    type Body = T;

    fn apart(self) -> Parts<T> {
        Parts { body: self.body, changed: None, citations: self.citations }
    }
}

/// The result of a mutating capability, which says whether it changed anything.
///
/// ```
/// use sovereign_core::prelude::*;
///
/// let switched = Changed::yes("on".to_owned());
/// let already_on = Changed::no("on".to_owned());
/// ```
#[derive(Debug)]
pub struct Changed<T> {
    changed: bool,
    body: T,
}

impl<T> Changed<T> {
    /// Something is different now.
    pub const fn yes(body: T) -> Self {
        Self { changed: true, body }
    }

    /// The state was already as asked.
    pub const fn no(body: T) -> Self {
        Self { changed: false, body }
    }
}

impl<T: OutputOf<ReadOnly>> OutputOf<Mutating> for Changed<T> {
    type Body = T::Body;

    fn apart(self) -> Parts<T::Body> {
        Parts { changed: Some(self.changed), ..self.body.apart() }
    }
}

/// After a compile error in the declaration any output will do.
impl<T> OutputOf<Unknown> for T {
    type Body = ();

    fn apart(self) -> Parts<()> {
        Parts { body: (), changed: None, citations: Vec::new() }
    }
}
