//! `#[serde(…)]`: the part that gives names and shapes, and the part that would make serde and the
//! schema disagree. Unknown items belong to the second, so that a new serde attribute cannot slip in.
use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, Token};

use super::Role;
use super::attr::{Text, word};
use super::rename::Rule;
use crate::doc::peel;
use crate::errors::Errors;

#[derive(Debug, Default)]
pub(super) struct Serde {
    pub(super) rename: Option<Text>,
    /// `rename(serialize = …, deserialize = …)`.
    pub(super) split: Option<Text>,
    pub(super) rename_all: Option<(Rule, Span)>,
    pub(super) rename_all_fields: Option<(Rule, Span)>,
    pub(super) tag: Option<Text>,
    pub(super) content: Option<Text>,
    pub(super) transparent: Option<Span>,
    pub(super) skip_if: Option<Span>,
    /// Never written: no part of a result.
    pub(super) skip: Option<Text>,
    /// `default` without a value.
    pub(super) default: Option<Span>,
    /// Everything else, by its first word.
    pub(super) others: Vec<Text>,
}

impl Serde {
    pub(super) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut out = Self::default();
        for attr in attrs.iter().filter(|a| a.path().is_ident("serde")) {
            let parsed = attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
            for meta in errors.keep(parsed).into_iter().flatten() {
                out.take(&meta, errors);
            }
        }
        out
    }

    fn take(&mut self, meta: &Meta, errors: &mut Errors) {
        let (word, span) = (word(meta), meta.path().span());
        let named = || written(meta).map(|l| (l.value(), l.span()));
        if let (Meta::List(_), true) = (meta, word.starts_with("rename")) {
            self.split = Some((word.clone(), span));
        }
        match word.as_str() {
            "rename" => self.rename = named(),
            "rename_all" => self.rename_all = rule(meta, errors),
            "rename_all_fields" => self.rename_all_fields = rule(meta, errors),
            "tag" => self.tag = named(),
            "content" => self.content = named(),
            "transparent" => self.transparent = Some(span),
            "skip_serializing_if" => self.skip_if = Some(span),
            "skip" | "skip_serializing" => self.skip = Some((word, span)),
            "default" if matches!(meta, Meta::Path(_)) => self.default = Some(span),
            _ => self.others.push((word, span)),
        }
    }

    /// The name that serde would write: its own `rename`, or what `rule` makes of the Rust name.
    pub(super) fn named(
        &self,
        own: &str,
        rule: Option<(Rule, Span)>,
        by_rule: impl FnOnce(Rule, &str) -> String,
    ) -> SerdeName {
        match (&self.rename, rule) {
            (Some((name, span)), _) => SerdeName { name: name.clone(), given: Given::Alone(*span) },
            (None, Some((rule, span))) => {
                SerdeName { name: by_rule(rule, own), given: Given::ByRule(span) }
            }
            (None, None) => SerdeName { name: own.to_owned(), given: Given::ByRust },
        }
    }
}

/// A name as serde would write it.
#[derive(Debug)]
pub(super) struct SerdeName {
    pub(super) name: String,
    pub(super) given: Given,
}

/// What gives a name, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Given {
    Alone(Span),
    ByRule(Span),
    ByRust,
}

fn rule(meta: &Meta, errors: &mut Errors) -> Option<(Rule, Span)> {
    let text = written(meta)?;
    let rule = Rule::parse(&text.value()).map_err(|why| syn::Error::new(text.span(), why));
    errors.keep(rule).map(|rule| (rule, text.span()))
}

/// The text for writing: `= "x"` or `(serialize = "x")`.
fn written(meta: &Meta) -> Option<LitStr> {
    match meta {
        Meta::NameValue(pair) => match peel(&pair.value) {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
            _ => None,
        },
        Meta::List(list) => {
            let inner = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
            inner.ok()?.iter().find(|m| m.path().is_ident("serialize")).and_then(written)
        }
        Meta::Path(_) => None,
    }
}

/// Why a serde item cannot stay, or nothing when it changes neither side.
pub(super) fn objection(word: &str, role: Role) -> Option<&'static str> {
    let result = role == Role::Result;
    Some(match word {
        "crate" | "bound" | "expecting" | "deny_unknown_fields" => return None,
        // Only reading, and results are never read.
        "alias" | "default" | "deserialize_with" | "skip_deserializing" | "from" | "try_from"
        | "other" | "borrow"
            if result =>
        {
            return None;
        }
        "alias" => "it reads a name that the model is never shown",
        "default" => {
            "arguments are read from their schema, not by serde: write `#[arg(default = …)]`"
        }
        "deserialize_with" => {
            "arguments are read from their schema, not by serde: implement `Arg` for a type of your own"
        }
        "skip_deserializing" => {
            "a field that is not read is no argument: move it out of this struct"
        }
        "from" | "try_from" | "remote" | "into" => {
            "a conversion hides the shape that is on the wire: describe that shape itself"
        }
        "other" => "a catch-all variant takes values outside the published ones",
        "borrow" => "arguments own their data: use `String`",
        "flatten" => {
            "it takes fields that the schema does not list: nest the struct or copy its fields"
        }
        "with" | "serialize_with" => {
            "it puts something on the wire that the schema does not say: give the field a type that has this shape"
        }
        "untagged" => {
            "values that only their content tells apart are read wrongly sooner or later: give the enum a `tag`"
        }
        _ => "it is not known here, so the schema could disagree with it",
    })
}
