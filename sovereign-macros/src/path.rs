//! Names in generated code.
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// The author's position with the macro's own name resolution: with the raw span, generated locals
/// are not found when the item comes out of a `macro_rules!`.
pub(crate) fn here(span: Span) -> Span {
    Span::call_site().located_at(span)
}

/// `::sovereign_core::__private`, reported at `span`.
pub(crate) fn private(span: Span) -> TokenStream {
    let at = here(span);
    quote_spanned!(at=> ::sovereign_core::__private)
}
