//! Keys to a declaration.
mod attr;
mod check;
mod expand;
mod measure;
mod name;

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::DeriveInput;

use crate::args::{self, Role};
use crate::errors::Errors;
use crate::path::private;

/// The attribute. A derive can take structs, enums and unions and says what is wrong with the last
/// two; anything else is answered here.
pub(crate) fn delegate(keys: &TokenStream, item: &TokenStream) -> TokenStream {
    if was_delegated(item.clone()) {
        let error =
            syn::Error::new(Span::call_site(), "`#[capability]` is written twice: remove one");
        let error = error.into_compile_error();
        return quote!(#item #error);
    }
    match keyword(item.clone()) {
        Some(word) if word == "struct" || word == "enum" || word == "union" => {
            let s = private(Span::call_site());
            quote! {
                #[derive(#s::__Capability)]
                #[__sovereign(#keys)]
                #item
            }
        }
        other => {
            let span = other.map_or_else(Span::call_site, |word| word.span());
            let text = "`#[capability]` goes on the struct that holds the arguments; what it does goes into `impl Run for` that struct";
            let error = syn::Error::new(span, text).into_compile_error();
            quote!(#item #error)
        }
    }
}

/// Whether an earlier `#[capability]` has left its keys.
fn was_delegated(item: TokenStream) -> bool {
    item.into_iter().any(|tree| match tree {
        TokenTree::Group(group) => matches!(
            group.stream().into_iter().next(),
            Some(TokenTree::Ident(word)) if word == "__sovereign"
        ),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The derive behind it.
pub(crate) fn derive(item: &DeriveInput) -> TokenStream {
    let mut errors = Errors::new();
    let keys = attr::Keys::parse(item, &mut errors);
    let declared = check::declaration(&keys, item, &mut errors);
    let arguments = args::impls(item, Role::Capability, &mut errors);
    let errors = errors.finish();
    let declaration = expand::declaration(&declared, item);
    quote!(#errors #arguments #declaration)
}

/// The word that says what kind of item this is; an item that went through a `macro_rules!` sits in
/// an invisible group.
fn keyword(item: TokenStream) -> Option<Ident> {
    const KINDS: &[&str] = &[
        "struct", "enum", "union", "fn", "impl", "trait", "mod", "type", "const", "static", "use",
    ];
    item.into_iter().find_map(|tree| match tree {
        TokenTree::Ident(word) if KINDS.contains(&word.to_string().as_str()) => Some(word),
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => keyword(group.stream()),
        TokenTree::Ident(_) | TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {
            None
        }
    })
}
