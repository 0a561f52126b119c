//! Literal numbers in constraints.
use syn::{Error, Expr, ExprLit, ExprUnary, Lit, UnOp};

use crate::doc::peel;

/// A literal with its sign. Only literals, because the schema publishes the number as text and const
/// code cannot print a float.
#[derive(Debug, Clone)]
pub(super) struct Number {
    pub(super) value: Value,
    /// As JSON writes it.
    pub(super) text: String,
    pub(super) written: Expr,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    Int(i128),
    Float(f64),
}

impl Number {
    pub(super) fn parse(expr: &Expr) -> syn::Result<Self> {
        let (lit, negative) = match peel(expr) {
            Expr::Lit(ExprLit { lit, .. }) => (lit.clone(), false),
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr: inner, .. }) => match peel(inner) {
                Expr::Lit(ExprLit { lit, .. }) => (lit.clone(), true),
                _ => return Err(not_a_number(expr)),
            },
            _ => return Err(not_a_number(expr)),
        };
        let sign = if negative { "-" } else { "" };
        let written = expr.clone();
        match lit {
            Lit::Int(int) => {
                let text = format!("{sign}{}", int.base10_digits());
                let value = text.parse().map_err(|_| {
                    Error::new_spanned(expr, format!("`{text}` is larger than any integer type"))
                })?;
                Ok(Self { value: Value::Int(value), text, written })
            }
            Lit::Float(float) => {
                let digits = float.base10_digits();
                let zero = if digits.ends_with('.') { "0" } else { "" };
                let text = format!("{sign}{digits}{zero}");
                match text.parse::<f64>() {
                    Ok(value) if value.is_finite() => {
                        Ok(Self { value: Value::Float(value), text, written })
                    }
                    _ => Err(Error::new_spanned(expr, format!("`{text}` is not a finite number"))),
                }
            }
            _ => Err(not_a_number(expr)),
        }
    }

    /// The value for comparison and for float bounds.
    #[expect(
        clippy::cast_precision_loss,
        reason = "an integer bound of a float is meant as a float"
    )]
    pub(super) const fn as_float(&self) -> f64 {
        match self.value {
            Value::Int(int) => int as f64,
            Value::Float(float) => float,
        }
    }

    /// The value as a length.
    pub(super) fn as_length(&self) -> Option<u32> {
        match self.value {
            Value::Int(int) => u32::try_from(int).ok(),
            Value::Float(_) => None,
        }
    }

    /// The value as a step from one multiple to the next.
    pub(super) fn as_step(&self) -> Option<u64> {
        match self.value {
            Value::Int(int) => u64::try_from(int).ok().filter(|step| *step > 0),
            Value::Float(_) => None,
        }
    }

    /// A number that was counted, not written.
    pub(super) fn count(count: usize, written: &Expr) -> Self {
        let value = Value::Int(i128::try_from(count).unwrap_or(i128::MAX));
        Self { value, text: count.to_string(), written: written.clone() }
    }

    /// Exact between integers.
    pub(super) fn exceeds(&self, other: &Self) -> bool {
        match (self.value, other.value) {
            (Value::Int(a), Value::Int(b)) => a > b,
            _ => self.as_float() > other.as_float(),
        }
    }
}

fn not_a_number(expr: &Expr) -> Error {
    Error::new_spanned(
        expr,
        "write this limit as a number: it is published in the schema as it stands here",
    )
}

#[cfg(test)]
#[path = "number_tests.rs"]
mod tests;
