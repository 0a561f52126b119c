//! What the literals alone say; whether the type fits them is left to the constant.
use syn::Expr;

use super::super::ast::Field;
use super::super::attr::{Constraint, DefaultValue, Kind, Known, Limits, Literal, Rule};
use super::super::number::{Number, Value};
use crate::errors::Errors;

pub(super) fn satisfiable(constraint: &Constraint, errors: &mut Errors) {
    let (min, max, equal) = match &constraint.rule {
        Rule::Limits(limits) => {
            let Limits { min, max, equal } = &**limits;
            (min, max, equal)
        }
        Rule::MultipleOf(step) => {
            if step.as_step().is_none() {
                errors.on(
                    &step.written,
                    format!(
                        "`{}` has no multiples to speak of: a whole number from 1 to {}",
                        step.text,
                        u64::MAX
                    ),
                );
            }
            return;
        }
        Rule::Pattern(_) | Rule::Format(_) => return,
    };
    let (kind, span) = (constraint.kind, constraint.span);
    let word = kind.word();
    if min.is_none() && max.is_none() && equal.is_none() {
        errors.at(span, format!("`{word}` without a limit says nothing: write {}", kind.usage()));
    }
    if let (Some(equal), true) = (equal, min.is_some() || max.is_some()) {
        errors.on(
            &equal.written,
            "`equal` is both limits at once: write it alone, or `min` and `max`",
        );
    }
    if kind == Kind::Length {
        for number in [min, max, equal].into_iter().flatten() {
            if number.as_length().is_none() {
                errors.on(
                    &number.written,
                    format!(
                        "`{}` is not a length: a whole number from 0 to {}",
                        number.text,
                        u32::MAX
                    ),
                );
            }
        }
    }
    if let (Some(min), Some(max)) = (min, max)
        && min.exceeds(max)
    {
        errors.on(
            &max.written,
            format!("no value fits: `min = {}` is greater than `max = {}`", min.text, max.text),
        );
    }
}

/// Defaults and examples are values of the field, so its constraints hold for them.
pub(super) fn fits(field: &Field<'_>, errors: &mut Errors) {
    let default = match &field.arg.default {
        Some(default) => match &default.value {
            DefaultValue::Literal(literal) => Some(("default", &**literal)),
            DefaultValue::Constant(expr) => {
                constant(expr, errors);
                None
            }
            DefaultValue::OfType => None,
        },
        None => None,
    };
    let examples = field.arg.examples.iter().map(|literal| ("example", literal));
    for (what, literal) in default.into_iter().chain(examples) {
        for constraint in &field.arg.constraints {
            if let Some(why) = objection(constraint, literal) {
                errors.on(
                    &literal.written,
                    format!(
                        "this {what} is refused by the field's own `{}`: {why}",
                        constraint.kind.word()
                    ),
                );
            }
        }
    }
}

/// A closure or a block would be read as a value by nobody.
fn constant(expr: &Expr, errors: &mut Errors) {
    if let Expr::Closure(_) = expr {
        errors.on(expr, "a default is a value: write a literal or a constant");
    }
}

fn objection(constraint: &Constraint, literal: &Literal) -> Option<String> {
    match (&constraint.rule, &literal.value) {
        (Rule::Limits(limits), value) => {
            let (low, high) = (limits.low(), limits.high());
            let (what, number) = match (constraint.kind, value) {
                (Kind::Length, Known::Text(text)) => {
                    ("has", Number::count(text.chars().count(), &literal.written))
                }
                (Kind::Range, Known::Number(number)) => ("is", number.clone()),
                // of another type than the field's: rustc says it
                _ => return None,
            };
            let outside = low.is_some_and(|low| low.exceeds(&number))
                || high.is_some_and(|high| number.exceeds(high));
            let unit = if constraint.kind == Kind::Length { " characters" } else { "" };
            outside.then(|| format!("it {what} {}{unit}", number.text))
        }
        (Rule::MultipleOf(step), Known::Number(number)) => match (step.as_step(), number.value) {
            (Some(step), Value::Int(int)) if int.checked_rem(step.into()) != Some(0) => {
                Some(format!("{} is not a multiple of {step}", number.text))
            }
            _ => None,
        },
        (Rule::Pattern(pattern), Known::Text(text)) => {
            (!pattern.admits(text)).then(|| format!("it does not match `{}`", pattern.text))
        }
        _ => None,
    }
}
