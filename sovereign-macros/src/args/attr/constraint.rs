//! The constraints as written: `length(…)`, `range(…)`, `multiple_of = …`, `pattern = "…"`,
//! `format = "…"`.
use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Expr, Meta, Token};

use super::super::number::Number;
use super::super::pattern::Pattern;
use super::{text, word};
use crate::errors::Errors;
use crate::suggest::{hint, list};

/// The formats by their names in JSON Schema, each with the name that core has for it.
const FORMATS: &[(&str, &str)] = &[
    ("date", "Date"),
    ("date-time", "DateTime"),
    ("duration", "Duration"),
    ("uri", "Uri"),
    ("uuid", "Uuid"),
    ("ipv4", "Ipv4"),
    ("ipv6", "Ipv6"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    Length,
    Range,
    MultipleOf,
    Pattern,
    Format,
}

/// One constraint of one value; its numbers are not yet judged.
#[derive(Debug)]
pub(in super::super) struct Constraint {
    pub(in super::super) kind: Kind,
    pub(in super::super) span: Span,
    pub(in super::super) rule: Rule,
}

#[derive(Debug)]
pub(in super::super) enum Rule {
    Limits(Box<Limits>),
    MultipleOf(Number),
    Pattern(Pattern),
    /// The name that core has for it.
    Format(&'static str),
}

/// The limits of `length` and `range`.
#[derive(Debug)]
pub(in super::super) struct Limits {
    pub(in super::super) min: Option<Number>,
    pub(in super::super) max: Option<Number>,
    pub(in super::super) equal: Option<Number>,
}

impl Limits {
    pub(in super::super) fn low(&self) -> Option<&Number> {
        self.min.as_ref().or(self.equal.as_ref())
    }

    pub(in super::super) fn high(&self) -> Option<&Number> {
        self.max.as_ref().or(self.equal.as_ref())
    }
}

impl Kind {
    pub(super) const ALL: [Self; 5] =
        [Self::Length, Self::Range, Self::MultipleOf, Self::Pattern, Self::Format];

    pub(in super::super) const fn word(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Range => "range",
            Self::MultipleOf => "multiple_of",
            Self::Pattern => "pattern",
            Self::Format => "format",
        }
    }

    pub(in super::super) const fn usage(self) -> &'static str {
        match self {
            Self::Length => "`length(min = …, max = …)` or `length(equal = …)`",
            Self::Range => "`range(min = …, max = …)`",
            Self::MultipleOf => "`multiple_of = 5`",
            Self::Pattern => "`pattern = \"^[a-z]+$\"`",
            Self::Format => "`format = \"date\"`",
        }
    }

    const fn limits(self) -> &'static [&'static str] {
        match self {
            Self::Length => &["min", "max", "equal"],
            _ => &["min", "max"],
        }
    }
}

impl Constraint {
    pub(super) fn parse(kind: Kind, meta: &Meta, errors: &mut Errors) -> Option<Self> {
        let rule = match kind {
            Kind::Length | Kind::Range => limits(kind, meta, errors)?,
            Kind::MultipleOf => {
                let value = value(kind, meta, errors)?;
                Rule::MultipleOf(errors.keep(Number::parse(value))?)
            }
            Kind::Pattern => {
                let literal = text(meta, kind.usage(), errors)?;
                let compiled = Pattern::compile(&literal.value());
                Rule::Pattern(
                    errors.keep(compiled.map_err(|why| syn::Error::new(literal.span(), why)))?,
                )
            }
            Kind::Format => {
                let literal = text(meta, kind.usage(), errors)?;
                Rule::Format(errors.keep(
                    format(&literal.value()).map_err(|why| syn::Error::new(literal.span(), why)),
                )?)
            }
        };
        Some(Self { kind, span: meta.path().span(), rule })
    }
}

fn format(name: &str) -> Result<&'static str, String> {
    let known: Vec<_> = FORMATS.iter().map(|(n, _)| *n).collect();
    FORMATS.iter().find(|(n, _)| *n == name).map(|(_, own)| *own).ok_or_else(|| {
        format!(
            "`{name}` is not a format that is enforced: known are {}{}",
            list(&known),
            hint(name, &known)
        )
    })
}

fn value<'a>(kind: Kind, meta: &'a Meta, errors: &mut Errors) -> Option<&'a Expr> {
    if let Meta::NameValue(pair) = meta {
        return Some(&pair.value);
    }
    errors.on(meta, format!("`{}` is written with its value: {}", kind.word(), kind.usage()));
    None
}

fn limits(kind: Kind, meta: &Meta, errors: &mut Errors) -> Option<Rule> {
    let (span, usage) = (meta.path().span(), kind.usage());
    let Meta::List(list) = meta else {
        errors.at(span, format!("`{}` needs its limits: write {usage}", kind.word()));
        return None;
    };
    let parsed = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let (mut min, mut max, mut equal) = (None, None, None);
    for limit in errors.keep(parsed)? {
        let word = word(&limit);
        let slot = match word.as_str() {
            "min" => &mut min,
            "max" => &mut max,
            "equal" if kind == Kind::Length => &mut equal,
            _ => {
                let hint = hint(&word, kind.limits());
                errors.at(
                    limit.path().span(),
                    format!("`{word}` is not a limit of `{}`: write {usage}{hint}", kind.word()),
                );
                return None;
            }
        };
        let Meta::NameValue(pair) = &limit else {
            errors.on(&limit, format!("`{word}` needs a value: write `{word} = …`"));
            return None;
        };
        let number = errors.keep(Number::parse(&pair.value))?;
        if slot.replace(number).is_some() {
            errors.at(limit.path().span(), format!("`{word}` is given twice"));
            return None;
        }
    }
    Some(Rule::Limits(Box::new(Limits { min, max, equal })))
}
