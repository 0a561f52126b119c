//! Structs and enums to `Schema` and `Arg`.
mod ast;
mod attr;
mod check;
mod expand;
mod number;
mod pattern;
mod rename;
mod serde;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::DeriveInput;

use crate::errors::Errors;
use crate::fallback;

/// What a type is described for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The arguments of a capability.
    Capability,
    /// A type inside arguments.
    Argument,
    /// A type inside results, which serde writes.
    Result,
}

/// The whole output of `derive(Arg)` and `derive(Schema)`.
pub(crate) fn derive(item: &DeriveInput, role: Role) -> TokenStream {
    let mut errors = Errors::new();
    // `#[capability]` brings its own impls, so none stand in here
    let impls = if by_capability(item, role, &mut errors) {
        TokenStream::new()
    } else {
        impls(item, role, &mut errors)
    };
    let errors = errors.finish();
    quote!(#errors #impls)
}

/// Whether `#[capability]` stands on the item too: not expanded yet, or with its keys left behind.
fn by_capability(item: &DeriveInput, role: Role, errors: &mut Errors) -> bool {
    let mut words = item.attrs.iter().filter_map(|a| a.path().segments.last());
    let there = words.any(|s| s.ident == "capability" || s.ident == "__sovereign");
    if there {
        let word = if role == Role::Result { "Schema" } else { "Arg" };
        errors.at(
            Span::call_site(),
            format!("`#[capability]` derives `{word}` itself: take this one out"),
        );
    }
    there
}

/// The impls, or their stand-ins when the item has errors of this kind.
pub(crate) fn impls(item: &DeriveInput, role: Role, errors: &mut Errors) -> TokenStream {
    let before = errors.count();
    let parsed = ast::Item::parse(item, role, errors);
    check::item(&parsed, errors);
    if errors.count() == before { expand::item(&parsed) } else { fallback::schema(item, role) }
}
