//! The rules, one function each.
mod field;
mod names;
mod shape;
mod value;

use super::Role;
use super::ast::{Body, Content, Field, Item, Variant};
use super::serde::{Serde, objection};
use crate::errors::Errors;

/// The reader keeps what it has seen of one object in a fixed set of bits.
const MAX_FIELDS: usize = 120;

pub(super) fn item(item: &Item<'_>, errors: &mut Errors) {
    shape::generics(item, errors);
    described(item, errors);
    serde_agrees(&item.serde, item.role, errors);
    if let (Some(span), true) = (item.serde.default, item.role != Role::Result) {
        errors.at(span, "`#[serde(default)]` is not allowed on arguments: they are read from their schema, not by serde: write `#[arg(default)]` on the fields that may be left out");
    }
    named_by_serde(&item.arg.keys, item.role, errors);
    shape::container(item, errors);
    match &item.body {
        Body::Tuple(span) => errors.at(
            *span,
            "fields without names mean nothing to a model: write a struct with named fields, or one field",
        ),
        Body::Union(span) => errors.at(*span, "a union has no schema: write a struct or an enum"),
        Body::Enum(_) if item.role == Role::Capability => errors.at(
            item.ident.span(),
            "the arguments of a capability are one JSON object: write a struct, with this enum as the type of a field",
        ),
        Body::Newtype(only) if item.role == Role::Capability => errors.at(
            only.span(),
            "the arguments of a capability are one JSON object: write a struct with named fields",
        ),
        Body::Unit => {}
        Body::Newtype(only) => newtype(only, item.role, errors),
        Body::Struct(fields) => structure(item, fields, errors),
        Body::Enum(variants) => enumeration(item, variants, errors),
    }
    names::agree(item, errors);
}

fn structure(item: &Item<'_>, fields: &[Field<'_>], errors: &mut Errors) {
    if fields.len() > MAX_FIELDS {
        errors.at(
            item.ident.span(),
            format!(
                "{} fields are too many: at most {MAX_FIELDS}, group them into structs",
                fields.len()
            ),
        );
    }
    for field in fields {
        field::named(field, item.role, errors);
    }
    let written = fields.iter().filter(|f| item.role != Role::Result || f.is_written());
    names::distinct(written.map(|f| (f.wire.as_str(), f.span())), "fields", errors);
}

fn newtype(only: &Field<'_>, role: Role, errors: &mut Errors) {
    serde_agrees(&only.serde, role, errors);
    field::unnamed(only, role, errors);
}

fn enumeration(item: &Item<'_>, variants: &[Variant<'_>], errors: &mut Errors) {
    if variants.is_empty() {
        errors.at(item.ident.span(), "an enum without variants has no value that could be sent");
    }
    for variant in variants {
        serde_agrees(&variant.serde, item.role, errors);
        named_by_serde(&variant.arg.keys, item.role, errors);
        if let Some((word, span)) = &variant.serde.skip {
            errors.at(*span, format!("`#[serde({word})]` leaves a value without a wire form: take the variant out, or leave the attribute out"));
        }
        names::portable(&variant.wire, variant.renamed(item.role), variant.ident.span(), errors);
        match &variant.content {
            Content::Unit => {}
            Content::Newtype(only) => newtype(only, item.role, errors),
            Content::Struct(fields) => {
                structure(item, fields, errors);
                shape::beside_tag(item, fields, errors);
            }
            Content::Tuple(span) => errors.at(
                *span,
                "a variant holds nothing, one value or named fields: positions mean nothing to a model",
            ),
        }
    }
    names::distinct(variants.iter().map(|v| (v.wire.as_str(), v.ident.span())), "variants", errors);
}

/// Arguments are described, because the model reads nothing else about them.
fn described(item: &Item<'_>, errors: &mut Errors) {
    let reader = match item.role {
        Role::Capability => "the model reads it to choose this capability",
        Role::Argument if matches!(item.body, Body::Struct(_) | Body::Unit) => {
            "the model reads it to fill this in"
        }
        Role::Argument | Role::Result => return,
    };
    if let Some(computed) = &item.summary.computed {
        errors.on(
            computed,
            "write this text out: the model reads it, and a macro in its place is not expanded yet",
        );
    } else if item.summary.text.is_empty() {
        let id = item.ident;
        errors.at(
            id.span(),
            format!("`{id}` has no doc comment, and {reader}: write `/// …` above it"),
        );
    }
}

/// Serde reads no arguments and writes all results; what it is told must fit the schema.
fn serde_agrees(serde: &Serde, role: Role, errors: &mut Errors) {
    let on = if role == Role::Result { "a result" } else { "arguments" };
    for (word, span) in &serde.others {
        if let Some(why) = objection(word, role) {
            errors.at(*span, format!("`#[serde({word})]` is not allowed on {on}: {why}"));
        }
    }
    if let (Some((word, span)), true) = (&serde.split, role != Role::Result) {
        errors.at(*span, format!("`#[serde({word}(…))]` is not allowed on arguments: one name for both directions, as the model is shown one"));
    }
}

/// The names and shapes of a result are those that serde writes.
fn named_by_serde(keys: &[(&'static str, proc_macro2::Span)], role: Role, errors: &mut Errors) {
    if role == Role::Result {
        for (key, span) in keys {
            errors.at(*span, format!("a result is written by serde, which does not read `#[arg({key})]`: write `#[serde({key})]`"));
        }
    }
}

#[cfg(test)]
mod tests;
