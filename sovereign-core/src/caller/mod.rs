//! Who asks, and what they hold.
//!
//! Owns the scope of a caller, the permission categories and the question "what does this scope hold
//! now?". It does not decide: see [`policy`](crate::policy) for that.
mod categories;
mod category;
mod grants;
mod grants_file;
mod scope;

pub use categories::{Categories, UnknownCategory};
pub use category::Category;
pub use grants::{Grants, Unavailable};
pub(crate) use grants_file::GrantChange;
pub use grants_file::GrantsFile;
pub use scope::{CallerScope, ScopeKind};
