//! `#[arg(…)]` as written, by the place where it stands.
mod constraint;
mod literal;

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, Token};

pub(super) use constraint::{Constraint, Kind, Limits, Rule};
pub(super) use literal::{Default, DefaultValue, Known, Literal};

use super::rename;
use crate::doc::{peel, written};
use crate::errors::Errors;
use crate::suggest::{hint, list};

/// A text and where it stands.
pub(super) type Text = (String, Span);

/// What may be written at one place, and how the place is called.
struct Place {
    name: &'static str,
    keys: &'static [&'static str],
}

const CONTAINER: Place = Place {
    name: "a type",
    keys: &["rename_all", "rename_all_fields", "tag", "content", "transparent"],
};
const VARIANT: Place = Place { name: "a variant", keys: &["rename", "rename_all"] };
const FIELD: Place = Place {
    name: "a field",
    keys: &[
        "length",
        "range",
        "multiple_of",
        "pattern",
        "format",
        "inner",
        "default",
        "rename",
        "sensitive",
        "examples",
    ],
};
const INNER: Place = Place {
    name: "the elements of a list or map",
    keys: &["length", "range", "multiple_of", "pattern", "format"],
};

/// Of a struct or an enum.
#[derive(Debug, std::default::Default)]
pub(super) struct Container {
    pub(super) rename_all: Option<(rename::Rule, Span)>,
    pub(super) rename_all_fields: Option<(rename::Rule, Span)>,
    pub(super) tag: Option<Text>,
    pub(super) content: Option<Text>,
    pub(super) transparent: Option<Span>,
    /// Every key that was written, with its place.
    pub(super) keys: Vec<(&'static str, Span)>,
}

/// Of a variant.
#[derive(Debug, std::default::Default)]
pub(super) struct Variant {
    pub(super) rename: Option<Text>,
    pub(super) rename_all: Option<(rename::Rule, Span)>,
    pub(super) keys: Vec<(&'static str, Span)>,
}

/// Of a field.
#[derive(Debug, std::default::Default)]
pub(super) struct Field {
    pub(super) constraints: Vec<Constraint>,
    /// Of the elements.
    pub(super) inner: Option<(Span, Vec<Constraint>)>,
    pub(super) default: Option<Default>,
    pub(super) rename: Option<Text>,
    pub(super) sensitive: Option<Span>,
    pub(super) examples: Vec<Literal>,
    pub(super) keys: Vec<(&'static str, Span)>,
}

impl Container {
    pub(super) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut out = Self::default();
        for (key, meta) in keys(attrs, &CONTAINER, &mut out.keys, errors) {
            match key {
                "rename_all" => out.rename_all = rule(&meta, errors),
                "rename_all_fields" => out.rename_all_fields = rule(&meta, errors),
                "tag" => out.tag = name(&meta, "`tag = \"kind\"`", errors),
                "content" => out.content = name(&meta, "`content = \"value\"`", errors),
                _ => out.transparent = flag(&meta, errors),
            }
        }
        out
    }
}

impl Variant {
    pub(super) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut out = Self::default();
        for (key, meta) in keys(attrs, &VARIANT, &mut out.keys, errors) {
            match key {
                "rename" => out.rename = name(&meta, "`rename = \"…\"`", errors),
                _ => out.rename_all = rule(&meta, errors),
            }
        }
        out
    }
}

impl Field {
    /// What cannot be read is reported and left out.
    pub(super) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut out = Self::default();
        for (key, meta) in keys(attrs, &FIELD, &mut out.keys, errors) {
            match key {
                "inner" => out.inner = inner(&meta, errors),
                "default" => out.default = Default::parse(&meta, errors),
                "rename" => out.rename = name(&meta, "`rename = \"…\"`", errors),
                "sensitive" => out.sensitive = flag(&meta, errors),
                "examples" => out.examples = literal::examples(&meta, errors).unwrap_or_default(),
                _ => out.constraints.extend(constraint(key, &meta, errors)),
            }
        }
        out
    }
}

/// The keys of all `#[arg(…)]` of one place, each once, the unknown ones reported.
fn keys(
    attrs: &[Attribute],
    place: &Place,
    seen: &mut Vec<(&'static str, Span)>,
    errors: &mut Errors,
) -> Vec<(&'static str, Meta)> {
    let own = attrs.iter().filter(|a| a.path().is_ident("arg"));
    let metas: Vec<_> = own.flat_map(|attr| items(attr, place, errors)).collect();
    known(metas, place, seen, errors)
}

fn known(
    metas: Vec<Meta>,
    place: &Place,
    seen: &mut Vec<(&'static str, Span)>,
    errors: &mut Errors,
) -> Vec<(&'static str, Meta)> {
    let mut out = Vec::new();
    for meta in metas {
        let (span, word) = (meta.path().span(), word(&meta));
        let Some(key) = place.keys.iter().copied().find(|key| *key == word) else {
            errors.at(span, misplaced(&word, place));
            continue;
        };
        if seen.iter().any(|(earlier, _)| *earlier == key) {
            errors.at(span, format!("`{key}` is given twice: put what it says into one"));
            continue;
        }
        seen.push((key, span));
        out.push((key, meta));
    }
    out
}

/// Why a key cannot stand here: it belongs elsewhere, or it is unknown.
fn misplaced(word: &str, place: &Place) -> String {
    let here = place.name;
    let elsewhere = [&FIELD, &VARIANT, &CONTAINER]
        .into_iter()
        .find(|other| other.name != here && other.keys.contains(&word));
    match elsewhere {
        Some(other) => format!(
            "`{word}` belongs to {} and says nothing on {here}: known here are {}",
            other.name,
            list(place.keys)
        ),
        None => format!(
            "`{word}` is not a key of `#[arg]` on {here}: known are {}{}",
            list(place.keys),
            hint(word, place.keys)
        ),
    }
}

fn constraint(key: &str, meta: &Meta, errors: &mut Errors) -> Option<Constraint> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.word() == key)?;
    Constraint::parse(kind, meta, errors)
}

/// `inner(length(…), …)`.
fn inner(meta: &Meta, errors: &mut Errors) -> Option<(Span, Vec<Constraint>)> {
    let usage = "`inner` holds the constraints of each element: `inner(length(max = 20))`";
    let Meta::List(list) = meta else {
        errors.on(meta, usage);
        return None;
    };
    let parsed = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let metas: Vec<_> = errors.keep(parsed)?.into_iter().collect();
    if metas.is_empty() {
        errors.on(meta, usage);
        return None;
    }
    let known = known(metas, &INNER, &mut Vec::new(), errors);
    let constraints =
        known.iter().filter_map(|(key, meta)| constraint(key, meta, errors)).collect();
    Some((list.path.span(), constraints))
}

fn items(attr: &Attribute, place: &Place, errors: &mut Errors) -> Vec<Meta> {
    let Meta::List(list) = &attr.meta else {
        let example = if place.name == FIELD.name {
            "length(max = 100)"
        } else {
            "rename_all = \"snake_case\""
        };
        errors
            .on(&attr.meta, format!("`#[arg]` is written with what it says: `#[arg({example})]`"));
        return Vec::new();
    };
    let parsed = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    errors.keep(parsed).into_iter().flatten().collect()
}

/// The text of `key = "text"`.
fn text(meta: &Meta, usage: &str, errors: &mut Errors) -> Option<LitStr> {
    match meta {
        Meta::NameValue(pair) => match peel(&pair.value) {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
            other => {
                errors.on(other, format!("this is a text in quotes: write {usage}"));
                None
            }
        },
        other => {
            errors.on(other, format!("`{}` is written with its value: {usage}", word(other)));
            None
        }
    }
}

fn name(meta: &Meta, usage: &str, errors: &mut Errors) -> Option<Text> {
    text(meta, usage, errors).map(|text| (text.value(), text.span()))
}

fn rule(meta: &Meta, errors: &mut Errors) -> Option<(rename::Rule, Span)> {
    let text = text(meta, "`rename_all = \"snake_case\"`", errors)?;
    let rule = rename::Rule::parse(&text.value());
    let rule = errors.keep(rule.map_err(|why| syn::Error::new(text.span(), why)))?;
    Some((rule, text.span()))
}

fn flag(meta: &Meta, errors: &mut Errors) -> Option<Span> {
    if let Meta::Path(path) = meta {
        return Some(path.span());
    }
    let word = word(meta);
    errors.on(meta, format!("`{word}` is written without a value: `#[arg({word})]`"));
    None
}

pub(super) fn word(meta: &Meta) -> String {
    written(meta.path())
}
