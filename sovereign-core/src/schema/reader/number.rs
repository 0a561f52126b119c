//! Numbers. An integer is a number whose exact value is whole (JSON Schema's rule), so `10.0` and
//! `1e3` are integers, and the digits that were sent are the ones that count, not their nearest
//! float.
use super::{Reader, Stop};
use crate::schema::constraint::{FloatRange, IntRange};
use crate::schema::node::{Kind, Node};
use crate::schema::violation::{Received, code};

/// One number token.
enum Numeral<'a> {
    /// Plain digits that fit.
    Whole(i128),
    /// Everything else, with its nearest float.
    Decimal { token: &'a str, nearest: f64 },
}

/// The exact value of a token, as far as integers are concerned.
#[derive(Debug, PartialEq, Eq)]
enum Exact {
    Whole(i128),
    /// Whole, but beyond every integer type here.
    Huge,
    Fraction,
}

impl<'a> Reader<'a> {
    /// Reads a whole number within the node's bounds.
    ///
    /// # Errors
    /// When something else is next.
    #[inline]
    pub fn int(&mut self, node: &Node) -> Result<i128, Stop> {
        let (Some(b'-' | b'0'..=b'9'), Kind::Int(range)) = (self.peek(), node.kind) else {
            return Err(self.mismatch(node));
        };
        match self.short() {
            Some(value) => self.in_range(i128::from(value), range, node),
            None => self.int_of_any_form(range, node),
        }
    }

    #[inline(never)]
    fn int_of_any_form(&mut self, range: IntRange, node: &Node) -> Result<i128, Stop> {
        match self.numeral()? {
            Numeral::Whole(value) => self.in_range(value, range, node),
            Numeral::Decimal { token, .. } => match exact(token) {
                Exact::Whole(value) => self.in_range(value, range, node),
                Exact::Huge => Err(self.fail(code::RANGE, node)),
                Exact::Fraction => Err(self.record(code::TYPE, Received::Fraction, node)),
            },
        }
    }

    /// The number at the cursor, if it is plain digits and few of them, as most are.
    #[inline]
    fn short(&mut self) -> Option<i64> {
        let rest = self.rest();
        let (sign, digits) = match rest {
            [b'-', digits @ ..] => (1, digits),
            digits => (0, digits),
        };
        let (mut value, mut count) = (0i64, 0usize);
        while let Some(digit @ b'0'..=b'9') = digits.get(count) {
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit & 0x0f));
            count = count.saturating_add(1);
        }
        let zero = digits.first() == Some(&b'0') && (count > 1 || sign > 0);
        // a leading zero is no number, `-0` is read with its sign, and 18 digits fit
        if zero
            || !(1..=18).contains(&count)
            || matches!(digits.get(count), Some(b'.' | b'e' | b'E'))
        {
            return None;
        }
        self.advance(count.saturating_add(sign));
        Some(if sign == 0 { value } else { value.wrapping_neg() })
    }

    #[inline]
    fn in_range(&mut self, value: i128, range: IntRange, node: &Node) -> Result<i128, Stop> {
        match range.judge(value) {
            Ok(()) => Ok(value),
            Err(code) => Err(self.fail(code, node)),
        }
    }

    /// Reads a finite number within the node's bounds, as its nearest `f64`.
    ///
    /// # Errors
    /// When something else is next.
    #[inline]
    pub fn number(&mut self, node: &Node) -> Result<f64, Stop> {
        let (Some(b'-' | b'0'..=b'9'), Kind::Float(range)) = (self.peek(), node.kind) else {
            return Err(self.mismatch(node));
        };
        let value = match self.numeral()? {
            #[expect(
                clippy::cast_precision_loss,
                reason = "the nearest float is what a float field takes"
            )]
            Numeral::Whole(value) => value as f64,
            Numeral::Decimal { nearest, .. } => nearest,
        };
        if FloatRange::admits(range, value) { Ok(value) } else { Err(self.fail(code::RANGE, node)) }
    }

    /// Reads past a number.
    pub(super) fn skip_number(&mut self) -> Result<(), Stop> {
        self.numeral().map(drop)
    }

    fn numeral(&mut self) -> Result<Numeral<'a>, Stop> {
        let start = self.at;
        let negative = self.here() == Some(b'-');
        self.advance(usize::from(negative));
        let first = self.here();
        let (count, value) = self.digits();
        if count == 0 || (count > 1 && first == Some(b'0')) {
            return Err(self.not_json("a malformed number"));
        }
        // 19 digits fit an u64; the float keeps the sign of `-0`
        if count <= 19
            && !matches!(self.here(), Some(b'.' | b'e' | b'E'))
            && (value != 0 || !negative)
        {
            let value = i128::from(value);
            return Ok(Numeral::Whole(if negative { value.wrapping_neg() } else { value }));
        }
        if self.here() == Some(b'.') {
            self.advance(1);
            self.some_digits()?;
        }
        if matches!(self.here(), Some(b'e' | b'E')) {
            self.advance(1);
            if matches!(self.here(), Some(b'+' | b'-')) {
                self.advance(1);
            }
            self.some_digits()?;
        }
        let token = self.since(start);
        match token.parse::<f64>() {
            Ok(nearest) if nearest.is_finite() => Ok(Numeral::Decimal { token, nearest }),
            _ => Err(self.not_json("a number that no finite float can hold")),
        }
    }

    /// How many digits there were, and their value, which is meaningless beyond 19 of them.
    #[inline]
    fn digits(&mut self) -> (usize, u64) {
        let (start, mut value) = (self.at, 0u64);
        while let Some(digit @ b'0'..=b'9') = self.here() {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit & 0x0f));
            self.advance(1);
        }
        (self.at.saturating_sub(start), value)
    }

    fn some_digits(&mut self) -> Result<(), Stop> {
        match self.digits() {
            (0, _) => Err(self.not_json("a malformed number")),
            _ => Ok(()),
        }
    }
}

/// The value of a number token that an integer field took.
pub(crate) fn whole(token: &str) -> Option<i128> {
    match exact(token) {
        Exact::Whole(value) => Some(value),
        Exact::Huge | Exact::Fraction => None,
    }
}

/// `token` is a number by the JSON grammar.
fn exact(token: &str) -> Exact {
    let (negative, unsigned) = match token.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, token),
    };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let trailing = fraction.bytes().rev().take_while(|b| *b == b'0').count();
    let fraction = fraction.get(..fraction.len().saturating_sub(trailing)).unwrap_or_default();
    let digits = || whole.bytes().chain(fraction.bytes());
    let zeros = digits().rev().take_while(|b| *b == b'0').count();
    let leading = digits().take_while(|b| *b == b'0').count();
    let all = whole.len().saturating_add(fraction.len());
    let Some(significant) = all.checked_sub(zeros.saturating_add(leading)).filter(|n| *n > 0)
    else {
        return Exact::Whole(0);
    };
    // An exponent that overflows is as good as the largest one: the token is far shorter.
    let exponent = exponent.parse::<i64>().unwrap_or(match exponent.starts_with('-') {
        true => i64::MIN,
        false => i64::MAX,
    });
    let scale = exponent
        .saturating_sub(i64::try_from(fraction.len()).unwrap_or(i64::MAX))
        .saturating_add(i64::try_from(zeros).unwrap_or(i64::MAX));
    let Ok(scale) = usize::try_from(scale) else {
        return if scale < 0 { Exact::Fraction } else { Exact::Huge };
    };
    // 38 digits fit an i128
    if significant.saturating_add(scale) > 38 {
        return Exact::Huge;
    }
    let zeros = std::iter::repeat_n(b'0', scale);
    let value =
        digits().skip(leading).take(significant).chain(zeros).fold(0i128, |value, digit| {
            value.wrapping_mul(10).wrapping_add(i128::from(digit & 0x0f))
        });
    Exact::Whole(if negative { value.wrapping_neg() } else { value })
}

#[cfg(test)]
#[path = "number_tests.rs"]
mod tests;
