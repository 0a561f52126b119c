//! Types as authors write them.
use serde::{Deserialize, Serialize};
use sovereign_core::Arg;
use sovereign_core::schema::{Arg, Node, Reader, Schema, Stop};

/// What a search takes.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Search {
    /// What to look for.
    #[arg(length(min = 1, max = 8))]
    pub(crate) query: String,
    /// How many.
    pub(crate) limit: Percent,
    /// Marks.
    #[arg(length(max = 3))]
    pub(crate) tags: Vec<String>,
    /// Where.
    pub(crate) within: Option<Point>,
    /// How far back.
    pub(crate) time_range: Option<TimeRange>,
}

/// A point.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Point {
    /// Across.
    pub(crate) x: i8,
    /// Down.
    pub(crate) y: Option<i8>,
}

/// How far back.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Arg)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TimeRange {
    Day,
    LastMonth,
    Year,
}

/// Every integer type.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Integers {
    /// 8
    pub(crate) a: u8,
    /// 8
    pub(crate) b: i8,
    /// 16
    pub(crate) c: u16,
    /// 16
    pub(crate) d: i16,
    /// 32
    pub(crate) e: u32,
    /// 32
    pub(crate) f: i32,
    /// 64
    pub(crate) g: u64,
    /// 64
    pub(crate) h: i64,
    /// 64
    pub(crate) i: Option<usize>,
    /// 64
    pub(crate) j: Option<isize>,
}

/// Floats.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Floats {
    /// Any.
    pub(crate) a: f64,
    /// Single.
    pub(crate) b: f32,
    /// Bounded.
    pub(crate) c: Ratio,
    /// Any or none.
    pub(crate) d: Option<f64>,
}

/// Texts and words.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Texts {
    /// Any.
    pub(crate) a: String,
    /// Two to four.
    #[arg(length(min = 2, max = 4))]
    pub(crate) b: String,
    /// At most two, or none.
    #[arg(length(max = 2))]
    pub(crate) c: Option<String>,
    /// A word.
    pub(crate) d: TimeRange,
    /// Yes or no.
    pub(crate) e: bool,
    /// Nothing.
    pub(crate) f: (),
}

/// Lists.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Lists {
    /// Numbers or nothing.
    pub(crate) a: Vec<Option<u8>>,
    /// Lists of lists.
    #[arg(length(min = 1, max = 2))]
    pub(crate) b: Vec<Vec<bool>>,
    /// Objects.
    pub(crate) c: Option<Vec<Point>>,
    /// Words.
    #[arg(length(min = 1))]
    pub(crate) d: Option<Vec<TimeRange>>,
}

/// A tree.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Tree {
    /// Its value.
    pub(crate) v: u8,
    /// Below it.
    #[arg(length(max = 3))]
    pub(crate) kids: Vec<Tree>,
    /// Beside it.
    pub(crate) left: Option<Box<Tree>>,
    /// To the other kind.
    pub(crate) other: Option<Box<Other>>,
}

/// The other kind.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Other {
    /// Back.
    pub(crate) back: Option<Box<Tree>>,
    /// On.
    pub(crate) on: Vec<Other>,
}

/// Takes nothing.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Empty {}

/// A newtype as an author writes it by hand.
macro_rules! narrowed {
    ($name:ident($inner:ty) = $node:expr) => {
        #[derive(Debug, Serialize, Deserialize)]
        pub(crate) struct $name(pub(crate) $inner);
        impl Schema for $name {
            const NODE: Node = $node;
        }
        impl Arg for $name {
            fn decode(reader: &mut Reader<'_>, node: &Node) -> Result<Self, Stop> {
                <$inner>::decode(reader, node).map(Self)
            }
        }
    };
}
pub(crate) use narrowed;
narrowed!(Percent(i64) = i64::NODE.range_int(Some(1), Some(100)));
narrowed!(Ratio(f64) = f64::NODE.range_float(Some((-0.5, "-0.5")), Some((1.5e2, "1.5e2"))));
