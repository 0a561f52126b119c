//! The declarations of the reference page, as they stand there.
#![allow(dead_code)]
use std::collections::{BTreeMap, BTreeSet};

use sovereign_core::prelude::*;

/// Texts.
#[derive(Arg)]
struct Texts {
    /// At least one letter, at most a hundred; a letter is a code point.
    #[arg(length(min = 1, max = 100))]
    title: String,
    /// Two capital letters and digits.
    #[arg(pattern = r"^[A-Z]{2}\d+$")]
    order: String,
    /// A day.
    #[arg(format = "date")]
    on: String,
}

/// Numbers.
#[derive(Arg)]
struct Numbers {
    /// Both limits are allowed values.
    #[arg(range(min = 5, max = 60), multiple_of = 5)]
    minutes: u8,
    /// The limits of a float are written with a point.
    #[arg(range(min = -90.0, max = 90.0))]
    latitude: f64,
    /// Limits beyond 2^53 are enforced, and published only where they can be read exactly.
    offset: i64,
}

/// Lists, sets and maps.
#[derive(Arg)]
struct Many {
    /// One to three names of two letters.
    #[arg(length(min = 1, max = 3), inner(length(equal = 2)))]
    languages: Vec<String>,
    /// No number twice.
    #[arg(inner(range(max = 9)))]
    digits: BTreeSet<u8>,
    /// Shares by name.
    #[arg(length(max = 5), inner(range(min = 0.0, max = 1.0)))]
    shares: BTreeMap<String, f64>,
}

const PAGE: u16 = 20;

/// What may be left out.
#[derive(Arg)]
struct LeftOut {
    /// Nothing when left out.
    note: Option<String>,
    /// A literal is published with the field.
    #[arg(default = "en")]
    language: String,
    /// A constant too.
    #[arg(default = PAGE)]
    page_size: u16,
    /// `Default::default()`.
    #[arg(default)]
    exact: bool,
}

/// Names and texts.
#[derive(Arg)]
#[arg(rename_all = "camelCase")]
struct Named {
    /// By the rule of the struct.
    free_bytes: u64,
    /// By its own name.
    #[arg(rename = "type")]
    kind: String,
    /// What a model may write here.
    #[arg(examples("de", "pt-BR"))]
    language: String,
    /// Shown to the person who decides, and to nobody else.
    #[arg(sensitive)]
    password: String,
}

#[derive(Arg)]
enum Period {
    LastDay,
    #[arg(rename = "week")]
    LastWeek,
}

/// Enums without data are words.
#[derive(Arg)]
struct Words {
    /// How far back.
    period: Option<Period>,
}

/// A place.
#[derive(Arg)]
struct Place {
    /// Its name.
    name: String,
}

#[derive(Arg)]
#[arg(tag = "kind")]
enum Target {
    /// Everything there is.
    All,
    /// A place and what belongs to it.
    Place(Place),
    /// A circle.
    Circle {
        /// In kilometres.
        #[arg(range(min = 1, max = 50))]
        radius: u8,
    },
}

/// A tag stands beside the variant's own fields.
#[derive(Arg)]
struct Internal {
    /// Where to look.
    target: Target,
}

#[derive(Arg)]
#[arg(tag = "unit", content = "value")]
enum Amount {
    Pieces(u32),
    Grams(f64),
}

/// With `content`, the variant's value has a key of its own.
#[derive(Arg)]
struct Adjacent {
    /// How much.
    amount: Amount,
}

#[derive(Arg)]
enum Step {
    Stop,
    Wait(u8),
}

/// Without a tag, the variant's name is the key.
#[derive(Arg)]
struct External {
    /// What next.
    step: Step,
}

#[derive(Arg)]
struct OrderId(#[arg(pattern = "^[A-Z]{2}[0-9]+$")] String);

/// A page of anything.
#[derive(Arg)]
struct Page<T> {
    /// What is on it.
    items: Vec<T>,
}

/// Newtypes and generics.
#[derive(Arg)]
struct Composed {
    /// Which ones.
    orders: Page<OrderId>,
    /// At most as many.
    #[arg(length(max = 8))]
    also: Vec<OrderId>,
}

/// A folder.
#[derive(Arg)]
struct Folder {
    /// Its name.
    name: String,
    /// What is in it.
    folders: Vec<Folder>,
}

#[derive(serde::Serialize, Schema)]
#[serde(tag = "is", rename_all = "snake_case")]
enum State {
    Good,
    Failing {
        #[arg(range(max = 100))]
        percent: u8,
    },
}

/// Space on one volume.
#[derive(serde::Serialize, Schema)]
#[serde(rename_all = "camelCase")]
struct Volume {
    /// Bytes free.
    free_bytes: u64,
    /// What it is called, where it has a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    state: State,
}

/// What each declaration publishes, by the name of the type.
pub const DECLARED: &[super::Shown] = &[
    ("Texts", super::published::<Texts>),
    ("Numbers", super::published::<Numbers>),
    ("Many", super::published::<Many>),
    ("LeftOut", super::published::<LeftOut>),
    ("Named", super::published::<Named>),
    ("Words", super::published::<Words>),
    ("Internal", super::published::<Internal>),
    ("Adjacent", super::published::<Adjacent>),
    ("External", super::published::<External>),
    ("Composed", super::published::<Composed>),
    ("Folder", super::published::<Folder>),
    ("Volume", super::published::<Volume>),
];
