//! Constraints to methods on `Node`, each standing where the author wrote it.
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use super::super::attr::{Constraint, Kind, Rule};
use super::super::number::{Number, Value};
use super::super::pattern::{Pattern, Step};
use crate::path::{here, private};

pub(super) fn call(constraint: &Constraint) -> TokenStream {
    let at = here(constraint.span);
    match &constraint.rule {
        Rule::Limits(limits) => {
            let (low, high) = (limits.low(), limits.high());
            if constraint.kind == Kind::Length {
                let low = low.and_then(Number::as_length).unwrap_or(0);
                let high = high.and_then(Number::as_length).unwrap_or(u32::MAX);
                quote_spanned!(at=> .length(#low, #high))
            } else {
                range(low, high, constraint)
            }
        }
        Rule::MultipleOf(step) => {
            let step = step.as_step().unwrap_or(1);
            quote_spanned!(at=> .multiple_of(#step))
        }
        Rule::Pattern(compiled) => {
            let pattern = pattern(compiled, constraint);
            quote_spanned!(at=> .pattern(const { &#pattern }))
        }
        Rule::Format(name) => {
            let (s, name) = (private(constraint.span), Ident::new(name, at));
            quote_spanned!(at=> .format(#s::Format::#name))
        }
    }
}

fn range(low: Option<&Number>, high: Option<&Number>, constraint: &Constraint) -> TokenStream {
    let at = here(constraint.span);
    if [low, high].into_iter().flatten().any(|n| matches!(n.value, Value::Float(_))) {
        let bound = |n: Option<&Number>| {
            super::optional(n.map(|n| {
                let (value, text) = (n.as_float(), &n.text);
                quote!((#value, #text))
            }))
        };
        let (low, high) = (bound(low), bound(high));
        return quote_spanned!(at=> .range_float(#low, #high));
    }
    let bound = |n: Option<&Number>| {
        super::optional(n.and_then(|n| match n.value {
            Value::Int(int) => Some(quote!(#int)),
            Value::Float(_) => None,
        }))
    };
    let (low, high) = (bound(low), bound(high));
    quote_spanned!(at=> .range_int(#low, #high))
}

fn pattern(Pattern { text, steps }: &Pattern, constraint: &Constraint) -> TokenStream {
    let s = private(constraint.span);
    let steps = steps.iter().map(|step| match step {
        Step::Class(ranges) => {
            let pairs = ranges.pairs().iter().map(|(low, high)| quote!((#low, #high)));
            quote!(#s::Step::Class(&[#(#pairs),*]))
        }
        Step::Split(a, b) => quote!(#s::Step::Split(#a, #b)),
        Step::Jump(to) => quote!(#s::Step::Jump(#to)),
        Step::Match => quote!(#s::Step::Match),
    });
    quote!(#s::Pattern { text: #text, program: &[#(#steps),*] })
}
