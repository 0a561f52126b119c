//! One pass over JSON bytes: syntax, schema and typed value together.
//!
//! The reader relies on nothing that came before it: it checks syntax, duplicate keys and depth by
//! itself, inside skipped values too. What does not fit a schema is recorded and read past, so that
//! one pass reports everything; what is not JSON ends the pass.
mod array;
mod check;
mod cursor;
mod keys;
mod map;
mod number;
mod object;
mod skip;
mod slot;
mod string;
mod tuple;
mod union;

use super::arg::Arg;
use super::node::Node;
use super::raw::RawArguments;
use super::violation::{self, Findings, Received, Segment, Violation, code};
use std::fmt;

pub(crate) use number::whole;
pub use object::Fields;
pub use slot::Slot;
pub use union::Inside;

/// Objects and arrays inside one another.
pub(super) const MAX_DEPTH: usize = 64;

/// Why a value could not be read. The reader knows the details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// It does not fit; that is recorded, the value is consumed, and reading goes on.
    Invalid,
    /// The bytes cannot be read any further.
    Syntax,
}

/// What ended a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    NotJson { problem: &'static str, at: usize },
    TooDeep,
    DuplicateKey { at: usize },
}

/// The cursor of one pass, and what the pass has found. Derived decoders drive it.
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    findings: Findings,
    fault: Option<Fault>,
    /// The key of the tag that stands among the fields of the next object.
    tag: Option<&'static str>,
}

/// Decodes arguments and checks them against their type's schema, in one pass.
///
/// ```
/// use sovereign_core::Arg;
/// use sovereign_core::schema::{RawArguments, decode};
///
/// /// Rolls a die.
/// #[derive(Arg)]
/// struct Roll {
///     /// How many sides the die has.
///     sides: u8,
/// }
///
/// let roll: Roll = decode(&RawArguments::parse(br#"{"sides": 6.0}"#)?).expect("6.0 is whole");
/// assert_eq!(roll.sides, 6);
///
/// let wrong = decode::<Roll>(&RawArguments::parse(br#"{"sides": "6"}"#)?).err().expect("a string");
/// assert_eq!(wrong[0].to_string(), "`/sides`: type: expected an integer from 0 to 255, received a string");
/// # Ok::<(), sovereign_core::schema::Malformed>(())
/// ```
///
/// # Errors
/// Every [`Violation`] up to [`super::MAX_VIOLATIONS`], and one more entry when there were more.
pub fn decode<T: Arg>(raw: &RawArguments) -> Result<T, Vec<Violation>> {
    // as `Reader::whole`, with less to compile for each type
    let mut reader = Reader::new(raw.as_str());
    match T::decode(&mut reader, &T::NODE) {
        Ok(value) => reader.conclude().map(|()| value),
        Err(_) => Err(reader.into_violations()),
    }
}

/// As [`decode`], for arguments that arrive parsed. They are written out and frozen like any others,
/// so that there is one reading of them, and one text that a confirmation can be bound to.
///
/// # Errors
/// As [`decode`], and when the value is no object within the limits.
pub fn decode_value<T: Arg>(value: &serde_json::Value) -> Result<T, Vec<Violation>> {
    match RawArguments::from_value(value) {
        Ok(raw) => decode(&raw),
        Err(malformed) => Err(vec![Violation {
            at: String::new(),
            code: malformed.code(),
            expected: "one object within the limits".into(),
            received: Received::of(value),
        }]),
    }
}

/// Checks one JSON value against `node` without building it; results go through here.
///
/// # Errors
/// As [`decode`].
pub fn check(json: &[u8], node: &Node) -> Result<(), Vec<Violation>> {
    over(json, |reader| reader.check(node))
}

/// One pass over bytes that nothing has looked at.
fn over<'a, T>(
    json: &'a [u8],
    read: impl FnOnce(&mut Reader<'a>) -> Result<T, Stop>,
) -> Result<T, Vec<Violation>> {
    match std::str::from_utf8(json) {
        Ok(text) => Reader::new(text).whole(read),
        Err(error) => {
            let at = error.valid_up_to();
            Err(vec![Fault::NotJson { problem: "bytes that are not UTF-8", at }.into()])
        }
    }
}

impl<'a> Reader<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0, findings: Findings::EMPTY, fault: None, tag: None }
    }

    /// `read`, then nothing else.
    pub(super) fn whole<T>(
        mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Vec<Violation>> {
        match read(&mut self) {
            Ok(value) => self.conclude().map(|()| value),
            Err(_) => Err(self.into_violations()),
        }
    }

    /// After the value nothing else may follow. A value with violations never gets out, whatever a
    /// hand-written decoder made of them.
    pub(super) fn conclude(mut self) -> Result<(), Vec<Violation>> {
        match self.end() {
            Ok(()) if self.findings.is_empty() && self.fault.is_none() => Ok(()),
            Ok(()) | Err(_) => Err(self.into_violations()),
        }
    }

    /// Exactly one JSON object and nothing else, whatever is in it.
    pub(super) fn one_object(&mut self) -> Result<(), Fault> {
        let problem = match self.received() {
            Received::Object => None,
            Received::Nothing => Some("nothing where an object should start"),
            Received::Array => Some("an array where an object should start"),
            Received::String => Some("a string where an object should start"),
            Received::Null
            | Received::Boolean
            | Received::Number
            | Received::Fraction
            | Received::NotJson
            | Received::Withheld => Some("no object"),
        };
        let read = match problem {
            Some(problem) => Err(self.not_json(problem)),
            None => self.skip().and_then(|()| self.end()),
        };
        // INVARIANT: every `Stop::Syntax` sets the fault, and nothing here yields `Invalid`.
        let unknown = Fault::NotJson { problem: "unreadable", at: self.at };
        read.map_err(|_| self.fault.unwrap_or(unknown))
    }

    /// Records a violation of `node` by the value just read; the kind is the one that `node` wants.
    #[cold]
    pub fn fail(&mut self, code: &'static str, node: &Node) -> Stop {
        self.record(code, violation::wanted(node), node)
    }

    #[cold]
    fn record(&mut self, code: &'static str, received: Received, node: &Node) -> Stop {
        self.findings.add(code, received, || violation::expected(node));
        Stop::Invalid
    }

    /// The value at the cursor is of another type: reads past it, and records that.
    #[cold]
    fn mismatch(&mut self, node: &Node) -> Stop {
        let received = self.received();
        match self.skip() {
            Ok(()) => self.record(code::TYPE, received, node),
            Err(stop) => stop,
        }
    }

    /// As [`Self::mismatch`], where there is no node.
    #[cold]
    fn wrong(&mut self, expected: &'static str) -> Stop {
        let received = self.received();
        match self.skip() {
            Ok(()) => {
                self.findings.add(code::TYPE, received, || expected.into());
                Stop::Invalid
            }
            Err(stop) => stop,
        }
    }

    /// Runs `read` one level down. An invalid value is `None`: its findings have got the segment.
    #[inline]
    fn within<T>(
        &mut self,
        segment: Segment,
        read: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<Option<T>, Stop> {
        let mark = self.findings.len();
        match read(self) {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Invalid) => {
                self.findings.prefix(mark, segment);
                Ok(None)
            }
            Err(Stop::Syntax) => Err(Stop::Syntax),
        }
    }

    #[cold]
    fn halt(&mut self, fault: Fault) -> Stop {
        self.fault.get_or_insert(fault);
        Stop::Syntax
    }

    #[cold]
    fn not_json(&mut self, problem: &'static str) -> Stop {
        self.halt(Fault::NotJson { problem, at: self.at })
    }

    fn into_violations(self) -> Vec<Violation> {
        match self.fault {
            Some(fault) => vec![fault.into()],
            None => self.findings.into_violations(),
        }
    }
}

impl From<Fault> for Violation {
    /// Of the whole: where reading stopped, nothing that was found before can be relied on.
    fn from(fault: Fault) -> Self {
        let (code, received, expected) = match fault {
            Fault::NotJson { problem, at } => (
                code::NOT_JSON,
                Received::NotJson,
                format!("one JSON value, found {problem} at byte {at}"),
            ),
            Fault::TooDeep => (
                code::TOO_DEEP,
                Received::NotJson,
                format!("at most {MAX_DEPTH} levels of nesting"),
            ),
            Fault::DuplicateKey { at } => {
                (code::DUPLICATE_KEY, Received::Object, format!("each key once, until byte {at}"))
            }
        };
        Self { at: String::new(), code, expected: expected.into(), received }
    }
}

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reader(at byte {} of {})", self.at, self.text.len())
    }
}

#[cfg(test)]
mod tests;
