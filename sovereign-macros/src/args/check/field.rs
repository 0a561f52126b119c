//! Rules of one field.
use syn::{GenericArgument, PathArguments, Type};

use super::super::Role;
use super::super::ast::Field;
use super::{names, serde_agrees, value};
use crate::errors::Errors;

pub(super) fn named(field: &Field<'_>, role: Role, errors: &mut Errors) {
    described(field, role, errors);
    serde_agrees(&field.serde, role, errors);
    skips_agree(field, role, errors);
    defaults_agree(field, role, errors);
    names::portable(&field.wire, field.renamed(role), field.span(), errors);
    if role == Role::Result {
        for (key, why) in [
            ("rename", "a result is written by serde: write `#[serde(rename = …)]`"),
            ("default", "a result is never read, so nothing is left to a default: take it out"),
            (
                "sensitive",
                "a result goes to the model, so nothing in it stays secret: leave the field out",
            ),
        ] {
            if let Some((_, span)) = field.arg.keys.iter().find(|(k, _)| *k == key) {
                errors.at(*span, why);
            }
        }
    }
    values(field, errors);
}

/// The field of a newtype, which has no key of its own.
pub(super) fn unnamed(field: &Field<'_>, role: Role, errors: &mut Errors) {
    for (key, span) in &field.arg.keys {
        if matches!(*key, "default" | "rename" | "sensitive" | "examples") {
            errors.at(*span, format!("`{key}` belongs to a field with a name, and this value has none: write it where the type is used"));
        }
    }
    let skip = field.serde.skip.as_ref().map(|(word, span)| (word.as_str(), *span));
    let skip = skip.or_else(|| field.serde.skip_if.map(|span| ("skip_serializing_if", span)));
    if let Some((word, span)) = skip {
        errors.at(span, format!("`#[serde({word})]` leaves nothing of this value: take it out"));
    }
    if role != Role::Result {
        defaults_agree(field, role, errors);
    }
    values(field, errors);
}

fn values(field: &Field<'_>, errors: &mut Errors) {
    telling(field.ty, errors);
    let inner = field.arg.inner.iter().flat_map(|(_, constraints)| constraints);
    for constraint in field.arg.constraints.iter().chain(inner) {
        value::satisfiable(constraint, errors);
    }
    value::fits(field, errors);
}

fn described(field: &Field<'_>, role: Role, errors: &mut Errors) {
    if role == Role::Result {
        return;
    }
    if let Some(computed) = &field.summary.computed {
        errors.on(
            computed,
            "write this text out: the model reads it, and a macro in its place is not expanded yet",
        );
    } else if field.summary.text.is_empty() {
        let name = &field.wire;
        errors.at(
            field.span(),
            format!("`{name}` has no doc comment, and the model reads it to know what to put there: write `/// …` above it"),
        );
    }
}

/// A field that is never written is simply no part of a result; an argument would be.
fn skips_agree(field: &Field<'_>, role: Role, errors: &mut Errors) {
    if let (Some((word, span)), true) = (&field.serde.skip, role != Role::Result) {
        errors.at(*span, format!("`#[serde({word})]` is not allowed on arguments: a field that is left out is no argument, move it out of this struct"));
    }
}

/// `#[serde(default)]` may repeat `#[arg(default)]`, for a type that serde reads elsewhere.
fn defaults_agree(field: &Field<'_>, role: Role, errors: &mut Errors) {
    if let (Some(span), Role::Capability | Role::Argument, None) =
        (field.serde.default, role, &field.arg.default)
    {
        errors.at(span, "`#[serde(default)]` is not allowed on arguments: they are read from their schema, not by serde: write `#[arg(default)]`");
    }
    if let Some(default) = &field.arg.default
        && is_option(field.ty)
    {
        errors.at(
            default.span,
            "an `Option` has its default, which is `None`: take the `Option` away, or the default",
        );
    }
}

/// What a set cannot hold, by the names that these types mostly go by.
const NOT_IN_SETS: &[&str] =
    &["bool", "f32", "f64", "Option", "Vec", "BTreeSet", "HashSet", "BTreeMap", "HashMap", "Json"];

/// Says on the field what the constant of the type says somewhere in core; that one also sees through
/// aliases.
fn telling(ty: &Type, errors: &mut Errors) {
    let Type::Path(path) = ty else { return };
    let Some(last) = path.path.segments.last() else { return };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return };
    let is_set = last.ident == "BTreeSet" || last.ident == "HashSet";
    for argument in &arguments.args {
        let GenericArgument::Type(inner) = argument else { continue };
        if last.ident == "Option" && is_option(inner) {
            errors.on(ty, "an `Option` in an `Option` cannot be told apart in JSON: use one");
        } else if is_set && is_one_of(inner, NOT_IN_SETS) {
            errors.on(ty, "a set holds integers, texts or words, because nothing else is equal in the same way to every reader: use a `Vec`");
        } else {
            telling(inner, errors);
        }
    }
}

fn is_option(ty: &Type) -> bool {
    is_one_of(ty, &["Option"])
}

fn is_one_of(ty: &Type, names: &[&str]) -> bool {
    let last = match ty {
        Type::Path(path) => path.path.segments.last(),
        Type::Tuple(_) | Type::Array(_) => return names == NOT_IN_SETS,
        _ => None,
    };
    last.is_some_and(|segment| names.iter().any(|name| segment.ident == name))
}
