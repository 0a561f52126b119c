use serde::{Serialize, Serializer};
use std::fmt;

/// What a grant is about: the ten standard permission categories (B06), or one of a plugin's own.
///
/// A capability declares exactly one; a caller's scope holds a set of them (`Categories`), closed by
/// default. A custom one is treated as sensitive.
///
/// # Example
/// ```
/// use sovereign_core::caller::Category;
/// assert_eq!(Category::AiLocal.to_string(), "ai_local");
/// assert_eq!(Category::Custom("home").to_string(), "custom:home");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the ten are a closed set; everything else is custom")]
pub enum Category {
    /// Installed applications.
    Apps,
    /// The machine itself: health, disks.
    System,
    /// The local network.
    Network,
    /// Money.
    Wallet,
    /// The household's files.
    Files,
    /// Music, pictures, films.
    Media,
    /// Searching and reading the web.
    Search,
    /// Models that run on the device.
    AiLocal,
    /// Notes.
    Notes,
    /// The Bitcoin node.
    Bitcoin,
    /// A plugin's own, `[a-z][a-z0-9]*(_[a-z0-9]+)*`, checked where the capability is declared.
    Custom(&'static str),
}

impl Category {
    /// The ten standard ones, in the order of B06.
    pub const STANDARD: [Self; 10] = [
        Self::Apps,
        Self::System,
        Self::Network,
        Self::Wallet,
        Self::Files,
        Self::Media,
        Self::Search,
        Self::AiLocal,
        Self::Notes,
        Self::Bitcoin,
    ];

    /// The word used in files and on the command line; a custom one lacks its `custom:` here.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Apps => "apps",
            Self::System => "system",
            Self::Network => "network",
            Self::Wallet => "wallet",
            Self::Files => "files",
            Self::Media => "media",
            Self::Search => "search",
            Self::AiLocal => "ai_local",
            Self::Notes => "notes",
            Self::Bitcoin => "bitcoin",
            Self::Custom(name) => name,
        }
    }

    pub(crate) const fn bit(self) -> Option<u16> {
        Some(match self {
            Self::Apps => 1,
            Self::System => 1 << 1,
            Self::Network => 1 << 2,
            Self::Wallet => 1 << 3,
            Self::Files => 1 << 4,
            Self::Media => 1 << 5,
            Self::Search => 1 << 6,
            Self::AiLocal => 1 << 7,
            Self::Notes => 1 << 8,
            Self::Bitcoin => 1 << 9,
            Self::Custom(_) => return None,
        })
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Custom(name) => write!(f, "custom:{name}"),
            standard => f.write_str(standard.word()),
        }
    }
}

impl Serialize for Category {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
