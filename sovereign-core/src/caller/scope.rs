use super::{Categories, Grants, Unavailable};
use std::fmt;

/// Who asks: the primary noun, and the only source of authority (B02, B03).
///
/// History goes by principal, open decisions by session. No stage reads a field of one variant to
/// decide what the caller may do; it asks [`CallerScope::granted_categories`].
///
/// A voice caller has its place here when a node has a microphone: like `Mesh` it will hold what it
/// is granted and will not be able to confirm, since nobody can be sure who spoke.
///
/// # Example
/// ```
/// use sovereign_core::caller::{CallerScope, Categories, Category};
/// let grants = |scope: &CallerScope| match scope {
///     CallerScope::LocalOperator { .. } => [Category::System].into(),
///     _ => Categories::NONE,
/// };
/// let operator = CallerScope::operator("alice", "session-1");
/// assert!(operator.granted_categories(&grants).unwrap().contains(Category::System));
/// assert!(CallerScope::mesh("!a1b2").granted_categories(&grants).unwrap().is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallerScope {
    /// A peer on a radio or mesh link. Cannot confirm anything.
    Mesh {
        /// The peer's own id, as the link authenticates it.
        peer_id: String,
    },
    /// A person at this device.
    LocalOperator {
        /// The account: stable, names the transcript.
        principal: String,
        /// The session: decisions that it was asked die with it.
        session_id: String,
    },
}

impl CallerScope {
    /// A person at this device.
    #[must_use]
    pub fn operator(principal: impl Into<String>, session_id: impl Into<String>) -> Self {
        Self::LocalOperator { principal: principal.into(), session_id: session_id.into() }
    }

    /// A peer on a mesh link.
    #[must_use]
    pub fn mesh(peer_id: impl Into<String>) -> Self {
        Self::Mesh { peer_id: peer_id.into() }
    }

    /// What this scope holds now: the one way to authority, for every variant (B03, B05).
    ///
    /// # Errors
    /// When the grants cannot be read: nothing is held then.
    pub fn granted_categories(&self, grants: &dyn Grants) -> Result<Categories, Unavailable> {
        grants.granted(self)
    }

    /// Whether a person sits behind this scope who may be asked (C-22).
    #[must_use]
    pub const fn may_confirm(&self) -> bool {
        match self {
            Self::LocalOperator { .. } => true,
            Self::Mesh { .. } => false,
        }
    }

    /// The kind of scope, without who it is: what files and the audit log hold.
    #[must_use]
    pub const fn kind(&self) -> ScopeKind {
        match self {
            Self::LocalOperator { .. } => ScopeKind::Operator,
            Self::Mesh { .. } => ScopeKind::Mesh,
        }
    }
}

/// The kinds of [`CallerScope`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ScopeKind {
    /// `CallerScope::LocalOperator`.
    Operator,
    /// `CallerScope::Mesh`.
    Mesh,
}

impl ScopeKind {
    /// The word in files, on the command line and in the audit log.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Mesh => "mesh",
        }
    }
}

impl fmt::Display for ScopeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
