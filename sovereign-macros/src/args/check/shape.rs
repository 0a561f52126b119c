//! Rules of the whole: generics, tags, wrappers.
use super::super::Role;
use super::super::ast::{Body, Field, Item, Tagging};
use super::names;
use crate::errors::Errors;

/// One type, one constant; a capability is one type.
pub(super) fn generics(item: &Item<'_>, errors: &mut Errors) {
    if let Some(first) = item.generics.lifetimes().next() {
        errors.at(first.lifetime.span(), "described types own their data and have no lifetimes: use `String` and `Vec` instead of references");
    } else if item.is_generic() && item.role == Role::Capability {
        errors.on(
            item.generics,
            "a capability cannot be generic, because its schema is one constant: name the types",
        );
    }
}

pub(super) fn container(item: &Item<'_>, errors: &mut Errors) {
    let is_enum = matches!(item.body, Body::Enum(_));
    match (item.tag(), item.content()) {
        (Some((_, span)), _) if !is_enum => {
            errors.at(*span, "`tag` tells the variants of an enum apart, and this is a struct: write a field that says it");
        }
        (None, Some((_, span))) => {
            errors.at(*span, "`content` needs a `tag` beside it: without one there is nothing to tell the variants apart");
        }
        (Some((tag, _)), Some((content, span))) if tag == content => {
            errors.at(
                *span,
                format!("`tag` and `content` are both `{tag}`: one object cannot hold both"),
            );
        }
        (tag, content) => {
            for (text, span) in [tag, content].into_iter().flatten() {
                names::portable(text, None, *span, errors);
            }
        }
    }
    if let Some(span) = item.transparent()
        && !matches!(item.body, Body::Newtype(_))
    {
        errors.at(span, "`transparent` takes the shape of the only field: this needs to be a struct with exactly one");
    }
    let rule = match item.role {
        Role::Result => item.serde.rename_all_fields,
        Role::Capability | Role::Argument => item.arg.rename_all_fields,
    };
    if let (Some((_, span)), false) = (rule, is_enum) {
        errors.at(span, "`rename_all_fields` names the fields of an enum's variants, and this is a struct: write `rename_all`");
    }
}

/// The fields of a variant stand beside the tag.
pub(super) fn beside_tag(item: &Item<'_>, fields: &[Field<'_>], errors: &mut Errors) {
    let Tagging::Internal(tag) = item.tagging() else { return };
    for field in fields.iter().filter(|f| f.wire == tag) {
        errors.at(
            field.span(),
            format!("`{tag}` is the enum's tag, which stands beside this field: rename one"),
        );
    }
}
