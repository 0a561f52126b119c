//! Types that capabilities of other crates take.
use sovereign_core::Arg;

/// A run of pages.
#[derive(Debug, Clone, PartialEq, Eq, Arg)]
pub struct Pages {
    /// The first one.
    #[arg(range(min = 1), default = 1)]
    pub first: u32,
    /// In which order.
    #[arg(default)]
    pub order: Order,
}

/// In which order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Arg)]
#[arg(rename_all = "snake_case")]
pub enum Order {
    /// From the front.
    #[default]
    Forwards,
    /// From the back.
    Backwards,
}

impl Pages {
    /// From the first on.
    pub const ALL: Self = Self { first: 1, order: Order::Forwards };
}
