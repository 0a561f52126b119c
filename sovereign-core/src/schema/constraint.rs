//! What narrows a field beyond its Rust type, and the only places where it is judged.
//!
//! Wrong use fails in const evaluation, with a message that names the attribute.
use super::format::Format;
use super::node::{Kind, Node};
use super::pattern::Pattern;
use super::violation::code;

/// How many code points or items, both bounds inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Length {
    pub(crate) min: u32,
    pub(crate) max: u32,
}

/// A whole number between two inclusive bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IntRange {
    pub(crate) min: i128,
    pub(crate) max: i128,
    /// Only its multiples; 0 when there is no such rule.
    pub(crate) step: u64,
    /// Whether zero is one of them.
    pub(crate) zero: bool,
}

/// What a string must be like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextRules {
    /// In code points.
    pub(crate) length: Length,
    pub(crate) pattern: Option<&'static Pattern>,
    pub(crate) format: Option<Format>,
}

/// A bound with its JSON text, because const evaluation cannot print a float. An empty text is the
/// bound that finiteness already sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FloatBound {
    pub(crate) value: f64,
    pub(crate) text: &'static str,
}

/// A finite number between two inclusive bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FloatRange {
    pub(crate) min: FloatBound,
    pub(crate) max: FloatBound,
}

impl Length {
    pub(crate) const ANY: Self = Self { min: 0, max: u32::MAX };

    const fn narrow(self, min: u32, max: u32) -> Self {
        let min = if min > self.min { min } else { self.min };
        let max = if max < self.max { max } else { self.max };
        assert!(min <= max, "`#[arg(length)]`: min is greater than max");
        Self { min, max }
    }

    pub(crate) fn admits(self, count: usize) -> bool {
        count >= self.min as usize && (self.max == u32::MAX || count <= self.max as usize)
    }

    /// Counts code points, but only when the byte length does not settle it: a code point is one to
    /// four bytes.
    pub(crate) fn admits_text(self, text: &str) -> bool {
        let bytes = text.len();
        let surely = bytes.div_ceil(4) >= self.min as usize
            && (self.max == u32::MAX || bytes <= self.max as usize);
        surely || self.admits(text.chars().count())
    }
}

impl IntRange {
    const fn holds(self, value: i128) -> bool {
        value >= self.min && value <= self.max
    }

    /// Whether any value fits.
    const fn has_multiple(self) -> bool {
        let step = if self.step == 0 { 1 } else { self.step as i128 };
        // bounds and steps are those of 64 bits, far from the ends of 128
        let first = match self.min.checked_rem(step) {
            Some(0) | None => self.min,
            Some(rest) if rest < 0 => self.min.saturating_sub(rest),
            Some(rest) => self.min.saturating_add(step).saturating_sub(rest),
        };
        first <= self.max && (self.zero || first != 0 || step <= self.max)
    }

    /// What is wrong with `value`, as one of [`code`].
    #[inline]
    pub(crate) const fn judge(self, value: i128) -> Result<(), &'static str> {
        if !self.holds(value) || (value == 0 && !self.zero) {
            return Err(code::RANGE);
        }
        match value.checked_rem(self.step as i128) {
            None | Some(0) => Ok(()),
            Some(_) => Err(code::MULTIPLE),
        }
    }
}

impl TextRules {
    pub(crate) const ANY: Self = Self { length: Length::ANY, pattern: None, format: None };

    /// Whether the length is all there is to judge.
    pub(crate) const fn only_length(self) -> bool {
        self.pattern.is_none() && self.format.is_none()
    }

    /// What is wrong with `text`, as one of [`code`].
    #[inline]
    pub(crate) fn judge(self, text: &str) -> Result<(), &'static str> {
        if !self.length.admits_text(text) {
            return Err(code::LENGTH);
        }
        if self.pattern.is_some_and(|pattern| !pattern.is_match(text)) {
            return Err(code::PATTERN);
        }
        if self.format.is_some_and(|format| !format.is_match(text)) {
            return Err(code::FORMAT);
        }
        Ok(())
    }
}

impl FloatRange {
    pub(crate) fn admits(self, value: f64) -> bool {
        value >= self.min.value && value <= self.max.value
    }
}

impl Node {
    /// Narrows a string (in code points) or a list (in items) to `lo..=hi`.
    ///
    /// # Panics
    /// On another type, and when nothing is left: in a constant, which is then a compile error.
    #[must_use]
    #[expect(clippy::panic, reason = "const evaluation: the panic is the compile error")]
    #[track_caller]
    pub const fn length(mut self, lo: u32, hi: u32) -> Self {
        assert!(lo <= hi, "`#[arg(length)]`: min is greater than max");
        self.kind = match self.kind {
            Kind::Text(rules) => {
                Kind::Text(TextRules { length: rules.length.narrow(lo, hi), ..rules })
            }
            Kind::Array { items, length, unique } => {
                Kind::Array { items, length: length.narrow(lo, hi), unique }
            }
            Kind::Map { values, length } => Kind::Map { values, length: length.narrow(lo, hi) },
            _ => panic!(
                "`#[arg(length)]` applies to strings, lists and maps, not to this field's type"
            ),
        };
        self
    }

    /// Narrows an integer to the multiples of `step`.
    ///
    /// # Panics
    /// On another type, for 0, for a second one, and when no multiple is within the bounds: in a
    /// constant, which is then a compile error.
    #[must_use]
    #[expect(clippy::panic, reason = "const evaluation: the panic is the compile error")]
    #[track_caller]
    pub const fn multiple_of(mut self, step: u64) -> Self {
        assert!(step > 0, "`#[arg(multiple_of)]` needs a number above 0");
        self.kind = match self.kind {
            Kind::Int(range) => {
                assert!(range.step == 0, "`#[arg(multiple_of)]`: the type has one already");
                assert!(
                    (IntRange { step, ..range }).has_multiple(),
                    "`#[arg(multiple_of)]`: no multiple lies within the bounds"
                );
                Kind::Int(IntRange { step, ..range })
            }
            _ => panic!("`#[arg(multiple_of)]` applies to integers, not to this field's type"),
        };
        self
    }

    /// Narrows a string to what `pattern` matches as a whole.
    ///
    /// # Panics
    /// On another type, for a second pattern, and for a program that is none: in a constant, which is
    /// then a compile error.
    #[must_use]
    #[expect(clippy::panic, reason = "const evaluation: the panic is the compile error")]
    #[track_caller]
    pub const fn pattern(mut self, pattern: &'static Pattern) -> Self {
        self.kind = match self.kind {
            Kind::Text(rules) => {
                assert!(rules.pattern.is_none(), "`#[arg(pattern)]`: the type has one already");
                Kind::Text(TextRules { pattern: Some(pattern.checked()), ..rules })
            }
            _ => panic!("`#[arg(pattern)]` applies to strings, not to this field's type"),
        };
        self
    }

    /// Narrows a string to a well-known format.
    ///
    /// # Panics
    /// On another type and for a second format: in a constant, which is then a compile error.
    #[must_use]
    #[expect(clippy::panic, reason = "const evaluation: the panic is the compile error")]
    #[track_caller]
    pub const fn format(mut self, format: Format) -> Self {
        self.kind = match self.kind {
            Kind::Text(rules) => {
                assert!(rules.format.is_none(), "`#[arg(format)]`: the type has one already");
                Kind::Text(TextRules { format: Some(format), ..rules })
            }
            _ => panic!("`#[arg(format)]` applies to strings, not to this field's type"),
        };
        self
    }

    /// Narrows an integer to the given inclusive bounds; a bound that is `None` stays the type's own.
    ///
    /// # Panics
    /// On another type, for a bound outside the type, and when nothing is left: in a constant, which
    /// is then a compile error.
    #[must_use]
    #[expect(clippy::panic, reason = "const evaluation: the panic is the compile error")]
    #[track_caller]
    pub const fn range_int(mut self, lo: Option<i128>, hi: Option<i128>) -> Self {
        let own = match self.kind {
            Kind::Int(range) => range,
            Kind::Float(_) => panic!(
                "`#[arg(range)]`: this field is a float, so write its bounds with a decimal point, as in `1.0`"
            ),
            _ => panic!("`#[arg(range)]` applies to numbers, not to this field's type"),
        };
        let min = if let Some(lo) = lo { lo } else { own.min };
        let max = if let Some(hi) = hi { hi } else { own.max };
        assert!(
            own.holds(min) && own.holds(max),
            "`#[arg(range)]`: a bound lies outside this field's integer type"
        );
        assert!(min <= max, "`#[arg(range)]`: min is greater than max");
        let range = IntRange { min, max, ..own };
        assert!(
            range.has_multiple(),
            "`#[arg(range)]`: nothing that this field allows lies between min and max"
        );
        self.kind = Kind::Int(range);
        self
    }

    /// Narrows a float to the given inclusive bounds, each with the JSON text to publish.
    ///
    /// # Panics
    /// As [`Self::range_int`], and for a text that is not a JSON number.
    #[must_use]
    #[expect(clippy::panic, reason = "const evaluation: the panic is the compile error")]
    #[track_caller]
    pub const fn range_float(
        mut self,
        lo: Option<(f64, &'static str)>,
        hi: Option<(f64, &'static str)>,
    ) -> Self {
        let own = match self.kind {
            Kind::Float(range) => range,
            Kind::Int(_) => panic!(
                "`#[arg(range)]`: this field is an integer, so write its bounds without a decimal point"
            ),
            _ => panic!("`#[arg(range)]` applies to numbers, not to this field's type"),
        };
        let min = if let Some(lo) = lo { own.bound(lo) } else { own.min };
        let max = if let Some(hi) = hi { own.bound(hi) } else { own.max };
        assert!(min.value <= max.value, "`#[arg(range)]`: min is greater than max");
        self.kind = Kind::Float(FloatRange { min, max });
        self
    }
}

impl FloatRange {
    #[track_caller]
    const fn bound(self, (value, text): (f64, &'static str)) -> FloatBound {
        // false for NaN and the infinities too
        assert!(
            value >= self.min.value && value <= self.max.value,
            "`#[arg(range)]`: a bound lies outside this field's float type"
        );
        assert!(
            is_json_number(text),
            "`#[arg(range)]`: write a float bound as plain digits, as in `0.5` or `1.0e6`"
        );
        FloatBound { value, text }
    }
}

/// The grammar of RFC 8259 section 6.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "const evaluation")]
const fn is_json_number(text: &str) -> bool {
    let b = text.as_bytes();
    let mut i = 0;
    if i < b.len() && b[i] == b'-' {
        i += 1;
    }
    let int = i;
    i = digits(b, i);
    if i == int || (i > int + 1 && b[int] == b'0') {
        return false;
    }
    if i < b.len() && b[i] == b'.' {
        let fraction = i + 1;
        i = digits(b, fraction);
        if i == fraction {
            return false;
        }
    }
    if i < b.len() && (b[i] == b'e' || b[i] == b'E') {
        i += 1;
        if i < b.len() && (b[i] == b'+' || b[i] == b'-') {
            i += 1;
        }
        let exponent = i;
        i = digits(b, exponent);
        if i == exponent {
            return false;
        }
    }
    i == b.len()
}

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "const evaluation")]
const fn digits(b: &[u8], mut i: usize) -> usize {
    while i < b.len() && b[i].is_ascii_digit() {
        i += 1;
    }
    i
}

#[cfg(test)]
#[path = "constraint_tests.rs"]
mod tests;
