use crate::schema::{Malformed, RawArguments};

/// What a model, an RPC or a button asks for. Untrusted; making one decides nothing and cannot fail,
/// so that every proposal, however broken, ends in one outcome. Where it came from is not in it (A25).
///
/// # Example
/// ```
/// use sovereign_core::executor::Proposal;
/// let proposal = Proposal::new("system.disk_status", 1, b"{}");
/// let broken = Proposal::new("system.disk_status", 1, b"{\"path\":"); // ends as `parse_failed`
/// ```
#[derive(Debug, Clone)]
pub struct Proposal {
    pub(crate) name: String,
    pub(crate) version: Option<u32>,
    /// The frozen bytes, or why there are none.
    pub(crate) arguments: Result<RawArguments, Unparsed>,
}

/// Why a proposal's arguments cannot be read.
#[derive(Debug, Clone)]
pub(crate) struct Unparsed {
    pub(crate) code: &'static str,
    pub(crate) reason: String,
}

impl From<Malformed> for Unparsed {
    fn from(malformed: Malformed) -> Self {
        Self { code: malformed.code(), reason: malformed.to_string() }
    }
}

impl Proposal {
    /// A proposal by registered name and version, with the arguments' bytes as received.
    #[must_use]
    pub fn new(name: impl Into<String>, version: u32, arguments: &[u8]) -> Self {
        Self {
            name: name.into(),
            version: Some(version),
            arguments: RawArguments::parse(arguments).map_err(Unparsed::from),
        }
    }

    /// A name that is in no table; goes unmodified to resolve, which refuses it.
    pub(crate) fn unlisted(name: &str, arguments: Result<RawArguments, Unparsed>) -> Self {
        Self { name: name.to_owned(), version: None, arguments }
    }

    pub(crate) fn listed(
        name: &'static str,
        version: u32,
        arguments: Result<RawArguments, Unparsed>,
    ) -> Self {
        Self { name: name.to_owned(), version: Some(version), arguments }
    }
}
