//! Every error of one item, reported together.
use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::Error;

/// Collects errors and must be finished: dropping it with errors inside would lose them.
#[derive(Debug)]
pub(crate) struct Errors {
    list: Vec<Error>,
    finished: bool,
}

impl Errors {
    pub(crate) const fn new() -> Self {
        Self { list: Vec::new(), finished: false }
    }

    pub(crate) fn at(&mut self, span: Span, text: impl Display) {
        self.list.push(Error::new(span, text));
    }

    /// Underlines all of the tokens, where a span of several would be cut to its first.
    pub(crate) fn on(&mut self, tokens: impl ToTokens, text: impl Display) {
        self.list.push(Error::new_spanned(tokens, text));
    }

    pub(crate) fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.list.push(error)).ok()
    }

    /// How many so far; a later look tells whether a step added any.
    pub(crate) const fn count(&self) -> usize {
        self.list.len()
    }

    /// What would be said, for tests.
    #[cfg(test)]
    pub(crate) fn into_texts(mut self) -> Vec<String> {
        self.finished = true;
        self.list.drain(..).map(|error| error.to_string()).collect()
    }

    /// The errors as `compile_error!`s, in the order in which they were found.
    pub(crate) fn finish(mut self) -> TokenStream {
        self.finished = true;
        self.list.drain(..).map(Error::into_compile_error).collect()
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        debug_assert!(
            self.finished || std::thread::panicking(),
            "errors of an item were collected and never reported"
        );
    }
}
