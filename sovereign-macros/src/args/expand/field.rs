//! One field: its constants, its row in the table, its part of the decoder.
//!
//! Everything that needs a field's type to have a schema sits in one constant per field, so that an
//! unsupported type is one message and a wrong constraint is reported for each field. Where the type
//! depends on parameters there are no such constants, and the same expressions stand in place.
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;

use super::super::Role;
use super::super::ast::{Field, Item};
use super::super::attr::{DefaultValue, Known};
use super::constraint::call;
use crate::path::{here, private};

/// A field and where it stands.
pub(super) struct Place<'a> {
    pub(super) field: &'a Field<'a>,
    item: &'a Item<'a>,
    /// Makes the names of its constants its own.
    name: String,
    /// Its number in the table.
    index: usize,
}

impl<'a> Place<'a> {
    pub(super) fn new(
        item: &'a Item<'a>,
        variant: Option<&Ident>,
        index: usize,
        field: &'a Field<'a>,
    ) -> Self {
        let own = field.ident.map_or_else(|| index.to_string(), |id| id.unraw().to_string());
        let name =
            variant.map_or_else(|| own.clone(), |variant| format!("{}_{own}", variant.unraw()));
        Self { field, item, name, index }
    }

    /// The constants that stand beside the impls; none for a generic type.
    pub(super) fn constants(&self) -> TokenStream {
        if self.item.is_generic() {
            return TokenStream::new();
        }
        let of_type = self.type_constant();
        let (inner, node, default) =
            (self.inner_constant(), self.node_constant(), self.default_constant());
        let skipped = self.field.serde.skip_if.map(|span| {
            let (at, s, of_type) = (here(span), private(span), self.of_type());
            quote_spanned!(at=> const _: () = #s::left_out(#of_type.required);)
        });
        let defaulted = self.field.arg.default.as_ref().map(|default| {
            let (at, s, of_type) = (here(default.span), private(default.span), self.of_type());
            quote_spanned!(at=> const _: () = #s::defaulted(#of_type.required);)
        });
        let judged = self.default_judged();
        quote!(#of_type #inner #node #default #skipped #defaulted #judged)
    }

    /// The node of the value: narrowed when it has constraints, else its type's.
    pub(super) fn node(&self) -> TokenStream {
        match self.narrowed_at() {
            None => {
                let of_type = self.of_type();
                quote!(#of_type.node)
            }
            Some(_) if self.item.is_generic() => self.narrowed(),
            Some(at) => self.constant("FIELD", at).into_token_stream(),
        }
    }

    /// What the elements of a newtype's value are.
    pub(super) fn items(&self) -> TokenStream {
        if self.field.arg.inner.is_some() {
            let inner = self.inner();
            return quote!(::core::option::Option::Some(#inner));
        }
        let (s, ty) = (private(Span::call_site()), self.ty());
        quote!(<#ty as #s::Schema>::ITEMS)
    }

    /// Asks on the type whether it can stand beside a tag; nothing for a generic type.
    pub(super) fn beside_tag(&self) -> Option<TokenStream> {
        let span = self.field.ty.span();
        let (at, s, node) = (here(span), private(span), respanned(self.node(), here(span)));
        (!self.item.is_generic())
            .then(|| quote_spanned!(at=> const _: #s::Node = #node.beside_tag();))
    }

    /// The row in the table.
    pub(super) fn row(&self) -> TokenStream {
        let (s, node, of_type) = (private(Span::call_site()), self.node(), self.of_type());
        let (name, text) = (&self.field.wire, self.description());
        let default = self.field.arg.default.as_ref().map(|default| match &default.value {
            DefaultValue::Literal(literal) => {
                let json = literal.json();
                quote!(.default(::core::option::Option::Some(#json)))
            }
            DefaultValue::OfType | DefaultValue::Constant(_) => {
                let value = self.default_value();
                quote!(.computed(|| (#of_type.spelled)(&#value)))
            }
        });
        let sensitive = self.field.arg.sensitive.map(|_| quote!(.sensitive()));
        quote!(#s::Field::new(#name, #text, #node).required(#of_type.required)#default #sensitive)
    }

    /// The local that takes the value.
    pub(super) fn slot(&self) -> TokenStream {
        let (slot, ty) = (self.slot_name(), self.ty());
        quote!(let mut #slot: ::core::option::Option<#ty> = ::core::option::Option::None;)
    }

    /// Where the decoder puts it.
    pub(super) fn filled(&self) -> TokenStream {
        let (slot, of_type) = (self.slot_name(), self.of_type());
        quote!((#of_type.slot)(&mut #slot))
    }

    /// What has been read, and what stands for it when that is nothing.
    pub(super) fn taken(&self) -> TokenStream {
        let slot = self.slot_name();
        match self.default_value() {
            Some(value) => {
                quote!(::core::option::Option::Some(#slot.unwrap_or_else(|| #value)))
            }
            None => slot.into_token_stream(),
        }
    }

    /// The pattern of a value that is there.
    pub(super) fn there(&self) -> TokenStream {
        let slot = self.slot_name();
        quote!(::core::option::Option::Some(#slot))
    }

    /// Its key and the JSON text of its value in `self`.
    pub(super) fn spelled(&self) -> TokenStream {
        let (of_type, ident, wire) = (self.of_type(), self.field.ident, &self.field.wire);
        quote!((#wire, (#of_type.spelled)(&self.#ident)))
    }

    /// The field of the struct.
    pub(super) fn value(&self) -> TokenStream {
        let (slot, ident) = (self.slot_name(), self.field.ident);
        quote!(#ident: #slot)
    }

    /// The type outside of an impl, where `Self` has no meaning.
    pub(super) fn ty(&self) -> TokenStream {
        let tokens = self.field.ty.to_token_stream();
        if self.item.is_generic() { tokens } else { without_self(tokens, self.item.ident) }
    }

    fn description(&self) -> String {
        let mut text = self.field.summary.text.clone();
        let examples: Vec<_> = self.field.arg.examples.iter().map(|e| e.json()).collect();
        if !examples.is_empty() {
            let gap = if text.is_empty() { "" } else { " " };
            let word = if examples.len() == 1 { "Example" } else { "Examples" };
            text.push_str(&format!("{gap}{word}: {}.", examples.join(", ")));
        }
        text
    }

    fn slot_name(&self) -> Ident {
        format_ident!("__slot_{}", self.index)
    }

    fn constant(&self, kind: &str, at: Span) -> Ident {
        format_ident!("{kind}_{}", self.name, span = at)
    }

    /// All that is asked of the type.
    fn of_type(&self) -> TokenStream {
        let at = here(self.field.ty.span());
        if self.item.is_generic() {
            self.asked()
        } else {
            self.constant("TYPE", at).into_token_stream()
        }
    }

    fn asked(&self) -> TokenStream {
        let (at, s, ty) = (here(self.field.ty.span()), private(self.field.ty.span()), self.ty());
        match self.item.role {
            Role::Result => quote_spanned!(at=> #s::described::<#ty>()),
            Role::Capability | Role::Argument => quote_spanned!(at=> #s::argument::<#ty>()),
        }
    }

    fn type_constant(&self) -> TokenStream {
        let at = here(self.field.ty.span());
        let (s, ty, name, asked) =
            (private(self.field.ty.span()), self.ty(), self.of_type(), self.asked());
        match self.item.role {
            Role::Result => quote_spanned!(at=> const #name: #s::Described = #asked;),
            Role::Capability | Role::Argument => {
                quote_spanned!(at=> const #name: &#s::Argument<#ty> = &#asked;)
            }
        }
    }

    /// Where its first constraint stands, if it has any.
    fn narrowed_at(&self) -> Option<Span> {
        let arg = &self.field.arg;
        let own = arg.constraints.first().map(|first| first.span);
        own.or(arg.inner.as_ref().map(|(span, _)| *span)).map(here)
    }

    fn narrowed(&self) -> TokenStream {
        let of_type = self.of_type();
        let calls = self.field.arg.constraints.iter().map(call);
        let inner = self.field.arg.inner.as_ref().map(|(span, _)| {
            let (at, items) = (here(*span), self.inner());
            quote_spanned!(at=> .inner(|| const { &#items }))
        });
        quote!(#of_type.node #(#calls)* #inner)
    }

    fn node_constant(&self) -> Option<TokenStream> {
        let at = self.narrowed_at()?;
        let (s, name, node) = (private(at), self.constant("FIELD", at), self.narrowed());
        // the words `const … = TYPE.node` are the constraint's, so that its fault points there
        let node = respanned(node, at);
        // named first, so that a fault in it is not reported here once more
        let inner = self.field.arg.inner.as_ref().map(|_| {
            let inner = self.inner();
            quote_spanned!(at=> let _inner: #s::Node = #inner;)
        });
        Some(quote_spanned!(at=> const #name: #s::Node = { #inner #node };))
    }

    /// The elements' node.
    fn inner(&self) -> TokenStream {
        match &self.field.arg.inner {
            Some((span, _)) if !self.item.is_generic() => {
                self.constant("INNER", here(*span)).into_token_stream()
            }
            _ => self.inner_narrowed(),
        }
    }

    fn inner_narrowed(&self) -> TokenStream {
        let Some((span, constraints)) = &self.field.arg.inner else { return TokenStream::new() };
        let (at, s, ty) = (here(*span), private(*span), self.ty());
        let calls = constraints.iter().map(call);
        quote_spanned!(at=> #s::items::<#ty>() #(#calls)*)
    }

    fn inner_constant(&self) -> Option<TokenStream> {
        let (span, _) = self.field.arg.inner.as_ref()?;
        let (at, s, node) = (here(*span), private(*span), self.inner_narrowed());
        let name = self.constant("INNER", at);
        Some(quote_spanned!(at=> const #name: #s::Node = #node;))
    }

    /// The default where it is used.
    fn default_value(&self) -> Option<TokenStream> {
        let default = self.field.arg.default.as_ref()?;
        let (at, ty) = (here(default.span), self.ty());
        Some(match &default.value {
            DefaultValue::OfType => {
                quote_spanned!(at=> <#ty as ::core::default::Default>::default())
            }
            DefaultValue::Literal(literal) if matches!(literal.value, Known::Text(_)) => {
                let text = literal.text();
                let at = here(literal.written.span());
                quote_spanned!(at=> <#ty as ::core::convert::From<&'static str>>::from(#text))
            }
            DefaultValue::Literal(_) | DefaultValue::Constant(_) if !self.item.is_generic() => {
                self.constant("DEFAULT", at).into_token_stream()
            }
            DefaultValue::Literal(literal) => literal.written.to_token_stream(),
            DefaultValue::Constant(expr) => expr.to_token_stream(),
        })
    }

    fn default_constant(&self) -> Option<TokenStream> {
        let default = self.field.arg.default.as_ref()?;
        let expr = match &default.value {
            DefaultValue::Literal(literal) if !matches!(literal.value, Known::Text(_)) => {
                &literal.written
            }
            DefaultValue::Constant(expr) => expr,
            DefaultValue::Literal(_) | DefaultValue::OfType => return None,
        };
        let (at, ty) = (here(default.span), self.ty());
        let name = self.constant("DEFAULT", at);
        Some(quote_spanned!(at=> const #name: #ty = #expr;))
    }
}

impl Place<'_> {
    /// Asks on the type whether a default that is a constant is one of the field's values.
    fn default_judged(&self) -> Option<TokenStream> {
        let default = self.field.arg.default.as_ref()?;
        let DefaultValue::Constant(_) = &default.value else { return None };
        let at = here(default.span);
        let (s, ty, value) = (private(default.span), self.ty(), self.constant("DEFAULT", at));
        let node = respanned(self.node(), at);
        Some(quote_spanned! {at=>
            const _: () = {
                #[allow(unused_imports, reason = "only for a type that nobody judges")]
                use #s::Unseen as _;
                // a constant, because one that has a destructor can only be lent by one
                const VALUE: &#ty = &#value;
                #s::Judged::<#ty>::BY.judge(&#node, VALUE)
            };
        })
    }
}

fn without_self(tokens: TokenStream, ident: &Ident) -> TokenStream {
    each(tokens, &mut |tree| match tree {
        TokenTree::Ident(word) if word == "Self" => TokenTree::Ident(ident.clone()),
        other => other,
    })
}

/// Identifiers of our own with another position.
fn respanned(tokens: TokenStream, at: Span) -> TokenStream {
    let mut first = true;
    tokens
        .into_iter()
        .map(|mut tree| {
            if std::mem::take(&mut first) {
                tree.set_span(at);
            }
            tree
        })
        .collect()
}

fn each(tokens: TokenStream, change: &mut impl FnMut(TokenTree) -> TokenTree) -> TokenStream {
    tokens
        .into_iter()
        .map(|tree| match tree {
            TokenTree::Group(group) => {
                let mut inner =
                    proc_macro2::Group::new(group.delimiter(), each(group.stream(), change));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => change(other),
        })
        .collect()
}
