/// Whether a backend asks for its reply in pieces. A proposal exists only when its reply is complete,
/// either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Streaming {
    /// Whole replies only.
    Never,
    /// In pieces where nothing can be proposed (C-13).
    WithoutTools,
    /// In pieces.
    Always,
}

impl Streaming {
    pub(crate) const fn is_on(self, with_tools: bool) -> bool {
        match self {
            Self::Never => false,
            Self::WithoutTools => !with_tools,
            Self::Always => true,
        }
    }
}
