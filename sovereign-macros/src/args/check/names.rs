//! Names on the wire.
use std::collections::BTreeMap;

use proc_macro2::Span;

use super::super::Role;
use super::super::ast::{Body, Content, Field, Item, Variant};
use super::super::attr::Text;
use super::super::serde::{Given, SerdeName};
use crate::errors::Errors;

impl Field<'_> {
    /// Where its name was given, if it was.
    pub(super) const fn renamed(&self, role: Role) -> Option<&Text> {
        match role {
            Role::Result => self.serde.rename.as_ref(),
            Role::Capability | Role::Argument => self.arg.rename.as_ref(),
        }
    }
}

impl Variant<'_> {
    /// Where its name was given, if it was.
    pub(super) const fn renamed(&self, role: Role) -> Option<&Text> {
        match role {
            Role::Result => self.serde.rename.as_ref(),
            Role::Capability | Role::Argument => self.arg.rename.as_ref(),
        }
    }
}

/// Providers refuse other property names; an empty text is no word.
pub(super) fn portable(wire: &str, renamed: Option<&Text>, own: Span, errors: &mut Errors) {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if wire.is_empty() || wire.len() > 64 || !wire.chars().all(good) {
        let span = renamed.map_or(own, |(_, span)| *span);
        errors.at(
            span,
            format!(
                "`{wire}` is not a name that every provider takes: 1 to 64 of `A-Z a-z 0-9 _ - .`"
            ),
        );
    }
}

pub(super) fn distinct<'a>(
    names: impl Iterator<Item = (&'a str, Span)>,
    what: &str,
    errors: &mut Errors,
) {
    let mut seen = BTreeMap::new();
    for (name, span) in names {
        if seen.insert(name, ()).is_some() {
            errors.at(span, format!("two {what} are called `{name}` on the wire: rename one"));
        }
    }
}

/// Arguments are named by `#[arg]`; serde may repeat it, for a type that results use too.
pub(super) fn agree(item: &Item<'_>, errors: &mut Errors) {
    if item.role == Role::Result {
        return;
    }
    for (key, published, by_serde) in [
        ("tag", &item.arg.tag, &item.serde.tag),
        ("content", &item.arg.content, &item.serde.content),
    ] {
        if let Some((text, span)) = by_serde
            && published.as_ref().map(|(text, _)| text) != Some(text)
        {
            errors.at(*span, format!("the model is not shown this, so serde may not say it alone: write `#[arg({key} = \"{text}\")]` too"));
        }
    }
    if let (Some(span), None) = (item.serde.transparent, item.arg.transparent)
        && !matches!(item.body, Body::Newtype(_))
    {
        errors.at(span, "the model is not shown this, so serde may not say it alone: write `#[arg(transparent)]` too");
    }
    let mut fields = Differences::default();
    match &item.body {
        Body::Struct(all) => all.iter().for_each(|f| fields.look(&f.wire, &f.serde_name, errors)),
        Body::Enum(all) => {
            let mut variants = Differences::default();
            for variant in all {
                variants.look(&variant.wire, &variant.serde_name, errors);
                if let Content::Struct(all) = &variant.content {
                    all.iter().for_each(|f| fields.look(&f.wire, &f.serde_name, errors));
                }
            }
        }
        Body::Unit | Body::Newtype(_) | Body::Tuple(_) | Body::Union(_) => {}
    }
}

/// Names of one kind; a rule that gives many wrong ones is one mistake.
#[derive(Default)]
struct Differences {
    rule_reported: bool,
}

impl Differences {
    fn look(&mut self, wire: &str, serde: &SerdeName, errors: &mut Errors) {
        let SerdeName { name, given } = serde;
        let span = match given {
            _ if wire == name => return,
            Given::Alone(span) => *span,
            Given::ByRule(span) if !self.rule_reported => {
                self.rule_reported = true;
                *span
            }
            Given::ByRule(_) | Given::ByRust => return,
        };
        errors.at(span, format!("the model is shown `{wire}`, so serde may not say `{name}`: arguments are named by `#[arg(rename = …)]` and `#[arg(rename_all = …)]`"));
    }
}
