//! `#[capability]` and the schema derives. Everything here is re-exported by `sovereign-core`, which
//! is the crate to depend on.
//!
//! Each macro works in three steps that never mix: *parse* (attributes to a model that remembers its
//! spans), *check* (the rules, all errors gathered), *expand* (tokens). `#[capability]` itself only
//! hands its keys to a derive, because a derive sees the item after `cfg` and `cfg_attr`. The item is
//! never touched, and after an error stand-in impls are emitted, so that one mistake is one message.
mod args;
mod capability;
mod doc;
mod errors;
mod fallback;
mod path;
mod suggest;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use crate::args::Role;

#[doc = include_str!("docs/capability.md")]
#[proc_macro_attribute]
pub fn capability(keys: TokenStream, item: TokenStream) -> TokenStream {
    capability::delegate(&keys.into(), &item.into()).into()
}

/// What [`macro@capability`] hands its keys to; not for use by hand.
#[doc(hidden)]
#[proc_macro_derive(__Capability, attributes(__sovereign, arg, serde))]
pub fn derive_capability(item: TokenStream) -> TokenStream {
    capability::derive(&parse_macro_input!(item as DeriveInput)).into()
}

#[doc = include_str!("docs/arg.md")]
#[proc_macro_derive(Arg, attributes(arg, serde))]
pub fn derive_arg(item: TokenStream) -> TokenStream {
    args::derive(&parse_macro_input!(item as DeriveInput), Role::Argument).into()
}

#[doc = include_str!("docs/schema.md")]
#[proc_macro_derive(Schema, attributes(arg, serde))]
pub fn derive_schema(item: TokenStream) -> TokenStream {
    args::derive(&parse_macro_input!(item as DeriveInput), Role::Result).into()
}
