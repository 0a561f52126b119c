//! The checked model to `Schema` and `Arg`.
mod constraint;
mod field;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Generics, Path, parse_quote};

use super::Role;
use super::ast::{Body, Content, Field, Item, Tagging, Variant};
use crate::path::private;
use field::Place;

pub(super) fn item(item: &Item<'_>) -> TokenStream {
    match &item.body {
        // What serde writes for it; an argument is always an object.
        Body::Unit if item.role == Role::Result => {
            let s = private(Span::call_site());
            impls(item, &TokenStream::new(), &quote!(#s::Node::NULL), None)
        }
        Body::Unit => structure(item, &[]),
        Body::Struct(fields) => structure(item, fields),
        Body::Newtype(only) => newtype(item, only),
        Body::Enum(variants) if is_plain(item, variants) => choice(item, variants),
        Body::Enum(variants) => union(item, variants),
        Body::Tuple(_) | Body::Union(_) => TokenStream::new(),
    }
}

/// Without data and without a tag: one word.
fn is_plain(item: &Item<'_>, variants: &[Variant<'_>]) -> bool {
    matches!(item.tagging(), Tagging::External)
        && variants.iter().all(|v| matches!(v.content, Content::Unit))
}

fn structure(item: &Item<'_>, fields: &[Field<'_>]) -> TokenStream {
    let (s, id) = (private(Span::call_site()), item.ident);
    let places = places(item, None, fields);
    let constants: TokenStream = places.iter().map(Place::constants).collect();
    let table = places.iter().map(Place::row);
    let (name, text) = (id.to_string(), &item.summary.text);
    let node = quote! {
        #s::Node::object(|| const {
            &#s::Object { name: #name, description: #text, fields: &[#(#table),*] }
        })
    };
    let unit = matches!(item.body, Body::Unit).then(|| quote!(Self));
    let object = (quote!(fill), quote!(__node));
    let decode = read_fields(&places, object, &quote!(Self), unit);
    let members = places.iter().map(Place::spelled);
    let spelled = quote!(#s::spelled([#(#members),*]));
    impls_with(item, &constants, &node, Some(decode), Wrapped::spelled(item, &spelled))
}

fn newtype(item: &Item<'_>, only: &Field<'_>) -> TokenStream {
    let s = private(Span::call_site());
    let place = Place::new(item, None, 0, only);
    let (ty, value) = (
        place.ty(),
        match only.ident {
            Some(name) => quote!(|__value| Self { #name: __value }),
            None => quote!(Self),
        },
    );
    let decode = quote!(<#ty as #s::Arg>::decode(__reader, __node).map(#value));
    let held = only.ident.map_or_else(|| quote!(0), ToTokens::to_token_stream);
    let spelled = Wrapped::spelled(item, &quote!(#s::Arg::spelled(&self.#held))).arg;
    let items = place.items();
    let more = Wrapped {
        schema: quote! {
            const OPTIONAL: bool = <#ty as #s::Schema>::OPTIONAL;
            const ITEMS: ::core::option::Option<#s::Node> = #items;
        },
        arg: quote! {
            fn absent() -> ::core::option::Option<Self> {
                <#ty as #s::Arg>::absent().map(#value)
            }
            #spelled
        },
    };
    impls_with(item, &place.constants(), &place.node(), Some(decode), more)
}

fn choice(item: &Item<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let s = private(Span::call_site());
    let words = variants.iter().map(|v| &v.wire);
    let arms = variants.iter().enumerate().map(|(i, v)| {
        let variant = v.ident;
        quote!(#i => ::core::result::Result::Ok(Self::#variant),)
    });
    let decode = quote! {
        match __reader.choice(__node)? {
            #(#arms)*
            _ => ::core::result::Result::Err(#s::Stop::Invalid),
        }
    };
    let told = variants.iter().map(|v| {
        let (variant, wire) = (v.ident, &v.wire);
        quote!(Self::#variant => #wire,)
    });
    let spelled = quote!(#s::spelled_word(match self { #(#told)* }));
    let node = quote!(#s::Node::choice(&[#(#words),*]));
    let more = Wrapped::spelled(item, &spelled);
    impls_with(item, &TokenStream::new(), &node, Some(decode), more)
}

fn union(item: &Item<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let (s, id) = (private(Span::call_site()), item.ident);
    let (mut constants, mut rows, mut arms) = (TokenStream::new(), Vec::new(), Vec::new());
    for (i, variant) in variants.iter().enumerate() {
        let (name, wire, text) = (variant.ident, &variant.wire, &variant.summary.text);
        let (body, read) = match &variant.content {
            Content::Unit => (
                quote!(#s::Body::Unit),
                quote!({
                    __reader.unit(__inside)?;
                    ::core::result::Result::Ok(Self::#name)
                }),
            ),
            Content::Newtype(only) => {
                let place = Place::new(item, Some(name), 0, only);
                constants.extend(place.constants());
                let mut node = place.node();
                if matches!(item.tagging(), Tagging::Internal(_)) {
                    constants.extend(place.beside_tag());
                    // without constants, where it is used is the only place to ask
                    node = if item.is_generic() { quote!(#node.beside_tag()) } else { node };
                }
                let ty = place.ty();
                let value = match only.ident {
                    Some(field) => quote!(|__value| Self::#name { #field: __value }),
                    None => quote!(Self::#name),
                };
                (
                    quote!(#s::Body::Newtype(#node)),
                    quote!(__reader.newtype::<#ty>(__inside).map(#value)),
                )
            }
            Content::Struct(fields) => {
                let places = places(item, Some(name), fields);
                constants.extend(places.iter().map(Place::constants));
                let table = places.iter().map(Place::row);
                let object = (quote!(fill_variant), quote!(__inside));
                (
                    quote!(#s::Body::Struct(&[#(#table),*])),
                    read_fields(&places, object, &quote!(Self::#name), None),
                )
            }
            Content::Tuple(_) => continue,
        };
        rows.push(quote!(#s::Variant { name: #wire, description: #text, body: #body }));
        arms.push(quote!(#i => #read,));
    }
    let tagging = match item.tagging() {
        Tagging::External => quote!(External),
        Tagging::Internal(tag) => quote!(Internal { tag: #tag }),
        Tagging::Adjacent(tag, content) => quote!(Adjacent { tag: #tag, content: #content }),
    };
    let (name, text) = (id.to_string(), &item.summary.text);
    let node = quote! {
        #s::Node::union(|| const {
            &#s::Union {
                name: #name,
                description: #text,
                tagging: #s::Tagging::#tagging,
                variants: &[#(#rows),*],
            }
        })
    };
    let decode = quote! {
        __reader.union(__node, |__reader, __index, __inside| match __index {
            #(#arms)*
            _ => ::core::result::Result::Err(#s::Stop::Invalid),
        })
    };
    impls(item, &constants, &node, Some(decode))
}

fn places<'a>(
    item: &'a Item<'a>,
    variant: Option<&syn::Ident>,
    fields: &'a [Field<'a>],
) -> Vec<Place<'a>> {
    // What serde never writes is no part of a result; arguments have no such fields.
    let fields = fields.iter().filter(|f| f.is_written()).enumerate();
    fields.map(|(i, field)| Place::new(item, variant, i, field)).collect()
}

/// Reads an object, by which method and of what, into the fields of `value`; `unit` is a value without
/// any.
fn read_fields(
    places: &[Place<'_>],
    (fill, object): (TokenStream, TokenStream),
    value: &TokenStream,
    unit: Option<TokenStream>,
) -> TokenStream {
    let s = private(Span::call_site());
    let slots = places.iter().map(Place::slot);
    let filled = places.iter().map(Place::filled);
    let taken = places.iter().map(Place::taken);
    let there = places.iter().map(Place::there);
    let values = places.iter().map(Place::value);
    let value = unit.unwrap_or_else(|| quote!(#value { #(#values),* }));
    quote! {{
        #(#slots)*
        let __read = __reader.#fill(#object, &mut [#(#filled),*]);
        match (__read, #(#taken),*) {
            (::core::result::Result::Ok(()), #(#there),*) => ::core::result::Result::Ok(#value),
            (::core::result::Result::Err(__stop), ..) => ::core::result::Result::Err(__stop),
            _ => ::core::result::Result::Err(#s::Stop::Invalid),
        }
    }}
}

/// What a newtype passes on from its value.
#[derive(Default)]
struct Wrapped {
    schema: TokenStream,
    arg: TokenStream,
}

impl Wrapped {
    /// How a value is written, for a type that may be a default: a capability's own is none.
    fn spelled(item: &Item<'_>, text: &TokenStream) -> Self {
        let method = quote! {
            fn spelled(&self) -> ::core::option::Option<::std::string::String> {
                #text
            }
        };
        let arg = if item.role == Role::Argument { method } else { TokenStream::new() };
        Self { arg, ..Self::default() }
    }
}

fn impls(
    item: &Item<'_>,
    constants: &TokenStream,
    node: &TokenStream,
    decode: Option<TokenStream>,
) -> TokenStream {
    impls_with(item, constants, node, decode, Wrapped::default())
}

fn impls_with(
    item: &Item<'_>,
    constants: &TokenStream,
    node: &TokenStream,
    decode: Option<TokenStream>,
    wrapped: Wrapped,
) -> TokenStream {
    let (s, id) = (private(Span::call_site()), item.ident);
    let bound: Path = match item.role {
        Role::Result => parse_quote!(#s::Schema),
        Role::Capability | Role::Argument => parse_quote!(#s::Arg),
    };
    let generics = bounded(item.generics, &bound);
    let (impl_generics, type_generics, conditions) = generics.split_for_impl();
    let Wrapped { schema, arg } = wrapped;
    let decode = decode.filter(|_| item.role != Role::Result).map(|decode| {
        quote! {
            #[automatically_derived]
            impl #impl_generics #s::Arg for #id #type_generics #conditions {
                fn decode(
                    __reader: &mut #s::Reader<'_>,
                    __node: &#s::Node,
                ) -> ::core::result::Result<Self, #s::Stop> {
                    #decode
                }
                #arg
            }
        }
    });
    quote! {
        const _: () = {
            #constants
            #[automatically_derived]
            impl #impl_generics #s::Schema for #id #type_generics #conditions {
                const NODE: #s::Node = #node;
                #schema
            }
            #decode
        };
    }
}

/// Every type parameter is described itself.
fn bounded(generics: &Generics, bound: &Path) -> Generics {
    let mut generics = generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#bound));
    }
    generics
}

fn optional(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
