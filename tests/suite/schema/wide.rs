//! The other types that authors write, std's and the field's.
use super::types::{Point, TimeRange, narrowed};
use serde::{Deserialize, Serialize};
use sovereign_core::Arg;
use sovereign_core::schema::{Arg, Format, Json, Node, Pattern, Reader, Schema, Step, Stop};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::{NonZeroI8, NonZeroI64, NonZeroU8, NonZeroU16};

/// Integers with a rule.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Ruled {
    /// From 1.
    pub(crate) a: NonZeroU8,
    /// Below and above.
    pub(crate) b: NonZeroI8,
    /// Below and above.
    pub(crate) c: Option<NonZeroI64>,
    /// From 1.
    pub(crate) d: Option<NonZeroU16>,
    /// Fives.
    pub(crate) e: Fives,
    /// Hundreds or none.
    pub(crate) f: Option<Hundreds>,
}
narrowed!(Fives(i16) = i16::NODE.range_int(Some(-100), Some(100)).multiple_of(5));
narrowed!(Hundreds(NonZeroI64) = NonZeroI64::NODE.multiple_of(100));

/// Sets.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Sets {
    /// Numbers.
    #[arg(length(max = 4))]
    pub(crate) a: BTreeSet<u8>,
    /// Texts.
    pub(crate) b: HashSet<String>,
    /// Words.
    pub(crate) c: BTreeSet<TimeRange>,
    /// Numbers or nothing.
    #[arg(length(min = 1))]
    pub(crate) d: Option<HashSet<i64>>,
}

/// Maps.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Maps {
    /// Numbers.
    #[arg(length(min = 1, max = 3))]
    pub(crate) a: BTreeMap<String, u8>,
    /// Objects.
    pub(crate) b: HashMap<String, Point>,
    /// Lists or nothing.
    pub(crate) c: Option<BTreeMap<String, Vec<Option<bool>>>>,
    /// Maps.
    pub(crate) d: BTreeMap<String, BTreeMap<String, i8>>,
}

/// Fixed lengths.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Fixed {
    /// Two.
    pub(crate) a: (u8, bool),
    /// Three.
    pub(crate) b: (i8, String, Option<bool>),
    /// Four.
    pub(crate) c: Option<(char, [u8; 2], Point, Box<u16>)>,
    /// The same twice.
    pub(crate) d: [(u8, u8); 2],
    /// One code point.
    pub(crate) e: char,
}

/// Formats.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Formats {
    /// Four bytes.
    pub(crate) a: Ipv4Addr,
    /// Sixteen.
    pub(crate) b: Ipv6Addr,
    /// Either.
    pub(crate) c: Option<IpAddr>,
    /// An identifier.
    pub(crate) d: uuid::Uuid,
    /// A day.
    pub(crate) e: jiff::civil::Date,
    /// A moment.
    pub(crate) f: jiff::Timestamp,
    /// How long.
    pub(crate) g: jiff::Span,
    /// A page.
    pub(crate) h: url::Url,
}

/// Formats of texts.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct FormatTexts {
    /// Four bytes.
    pub(crate) a: TextIpv4,
    /// An identifier.
    pub(crate) b: TextUuid,
    /// A day.
    pub(crate) c: TextDate,
    /// A moment.
    pub(crate) d: TextDateTime,
    /// How long.
    pub(crate) e: TextDuration,
    /// A page.
    pub(crate) f: TextUri,
    /// Either address.
    pub(crate) g: Vec<TextIp>,
}
narrowed!(TextIpv4(String) = String::NODE.format(Format::Ipv4));
narrowed!(TextUuid(String) = String::NODE.format(Format::Uuid));
narrowed!(TextDate(String) = String::NODE.format(Format::Date));
narrowed!(TextDateTime(String) = String::NODE.format(Format::DateTime));
narrowed!(TextDuration(String) = String::NODE.format(Format::Duration));
narrowed!(TextUri(String) = String::NODE.format(Format::Uri));
narrowed!(TextIp(String) = String::NODE.format(Format::Ip));

/// Patterns.
#[derive(Debug, Serialize, Deserialize, Arg)]
pub(crate) struct Patterned {
    /// Loops.
    pub(crate) a: Looped,
    /// A code.
    pub(crate) b: Coded,
    /// Codes or none.
    pub(crate) c: Vec<Option<Coded>>,
}
static LOOPED: Pattern = Pattern {
    text: "^(ab|a[0-9]*)+$",
    program: &[
        Step::Split(1, 4),
        Step::Class(&[(97, 97)]),
        Step::Class(&[(98, 98)]),
        Step::Jump(8),
        Step::Class(&[(97, 97)]),
        Step::Split(6, 8),
        Step::Class(&[(48, 57)]),
        Step::Jump(5),
        Step::Split(0, 9),
        Step::Match,
    ],
};
static CODED: Pattern = Pattern {
    text: "^[A-Z]{3}\\-[0-9]{2}$",
    program: &[
        Step::Class(&[(65, 90)]),
        Step::Class(&[(65, 90)]),
        Step::Class(&[(65, 90)]),
        Step::Class(&[(45, 45)]),
        Step::Class(&[(48, 57)]),
        Step::Class(&[(48, 57)]),
        Step::Match,
    ],
};
narrowed!(Looped(String) = String::NODE.pattern(&LOOPED).length(1, 4));
narrowed!(Coded(String) = String::NODE.pattern(&CODED));

/// Free values.
#[derive(Debug, Serialize, Arg)]
pub(crate) struct Free {
    /// Anything.
    pub(crate) a: Json,
    /// Anything or nothing.
    pub(crate) b: Option<Json>,
    /// Many things.
    pub(crate) c: Vec<Json>,
    /// Named things.
    pub(crate) d: BTreeMap<String, Json>,
}
