//! Impls emitted beside errors. They stand in for what could not be built, so that the code around
//! the item still type-checks and rustc adds nothing to the message that matters.
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::DeriveInput;

use crate::args::Role;
use crate::path::private;

/// `Schema`, and `Arg` where the role has one.
pub(crate) fn schema(item: &DeriveInput, role: Role) -> TokenStream {
    let (s, id) = (private(Span::call_site()), &item.ident);
    let (impl_generics, type_generics, conditions) = item.generics.split_for_impl();
    let arg = (role != Role::Result).then(|| {
        quote! {
            #[automatically_derived]
            impl #impl_generics #s::Arg for #id #type_generics #conditions {
                fn decode(
                    _: &mut #s::Reader<'_>,
                    _: &#s::Node,
                ) -> ::core::result::Result<Self, #s::Stop> {
                    ::core::result::Result::Err(#s::Stop::Invalid)
                }
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics #s::Schema for #id #type_generics #conditions {
            const NODE: #s::Node = #s::Node::NULL;
        }
        #arg
    }
}

/// A name that passes every rule and is most likely unique, made from the type's own.
pub(crate) fn name(ident: &syn::Ident) -> String {
    let letters = ident.to_string().to_lowercase();
    let letters = letters.chars().filter(char::is_ascii_alphanumeric).take(40);
    std::iter::once('x').chain(letters).collect()
}
