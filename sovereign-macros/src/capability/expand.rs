//! The checked declaration to `Capability` and `ENTRY`.
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::DeriveInput;

use super::check::{Category, Declared, Network, SideEffect};
use crate::doc::Summary;
use crate::fallback;
use crate::path::private;

/// Where a word was not understood, the most permissive class stands in, so that the body of the
/// capability causes no second message.
pub(super) fn declaration(declared: &Declared, item: &DeriveInput) -> TokenStream {
    let (s, id) = (private(Span::call_site()), &item.ident);
    let (impl_generics, type_generics, conditions) = item.generics.split_for_impl();
    // Only an item with errors is generic; its bounds are then taken for granted.
    let conditions = if item.generics.type_params().next().is_none() {
        quote!(#conditions)
    } else {
        quote!(where Self: ::core::marker::Send)
    };
    let Declared { version, timeout_ms, max_result, max_per_turn, .. } = declared;
    let name = declared.name.clone().unwrap_or_else(|| fallback::name(id));
    let description = Some(Summary::parse(&item.attrs).text).filter(|text| !text.is_empty());
    let description = description.unwrap_or_else(|| name.clone());
    let side_effect = match declared.side_effect {
        Some(SideEffect::ReadOnly) => quote!(ReadOnly),
        Some(SideEffect::Mutating) => quote!(Mutating),
        None => quote!(Unknown),
    };
    let (network, marker) = match declared.network {
        Some(Network::Local) => (quote!(Local), None),
        Some(Network::Loopback) => (quote!(Local), Some(quote!(Loopback))),
        Some(Network::External) | None => (quote!(External), Some(quote!(External))),
    };
    let loopback = declared.network == Some(Network::Loopback);
    let category = match &declared.category {
        Some(Category::Standard(variant)) => {
            let variant = Ident::new(variant, Span::call_site());
            quote!(#s::Category::#variant)
        }
        Some(Category::Custom(name)) => quote!(#s::custom_category(#name)),
        None => quote!(#s::Category::System),
    };
    let marker = marker.map(|marker| {
        quote! {
            #[automatically_derived]
            impl #impl_generics #s::#marker for #id #type_generics #conditions {}
        }
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics #s::Capability for #id #type_generics #conditions {
            const DECLARATION: #s::Declaration = #s::Declaration {
                name: #name,
                version: #version,
                description: #description,
                category: #category,
                bounds: #s::Bounds {
                    timeout: #s::Duration::from_millis(#timeout_ms),
                    max_result: #max_result,
                    max_per_turn: #max_per_turn,
                },
                loopback: #loopback,
            };
            type SideEffect = #s::class::#side_effect;
            type Network = #s::class::#network;
        }
        #marker
    }
    .into_iter()
    .chain(entry(item))
    .collect()
}

/// The one constant with the author's own span: rustc then warns on the struct when no plugin lists
/// it.
fn entry(item: &DeriveInput) -> TokenStream {
    let id = &item.ident;
    if !item.generics.params.is_empty() {
        // An error by now: nothing more is asked of it.
        let s = private(Span::call_site());
        let (impl_generics, type_generics, _) = item.generics.split_for_impl();
        return quote! {
            impl #impl_generics #id #type_generics where Self: #s::Capability + #s::Run + 'static {
                pub(crate) const ENTRY: #s::Entry<<Self as #s::Run>::State> = #s::Entry::of::<Self>();
            }
        };
    }
    // One span for all mentions of `Run`, so that its absence is reported once.
    let constant = quote_spanned! {id.span()=>
        pub(crate) const ENTRY: ::sovereign_core::__private::EntryOf<
            Self,
            { ::sovereign_core::__private::runs::<#id>() },
        > = <::sovereign_core::__private::Known<
            Self,
            { ::sovereign_core::__private::runs::<#id>() },
        > as ::sovereign_core::__private::Behaving>::ENTRY;
    };
    quote!(impl #id { #constant })
}
