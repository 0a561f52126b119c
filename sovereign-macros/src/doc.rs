//! Doc comments are data: the first paragraph is what the model reads.
use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The first paragraph of a doc comment, on one line; the rest stays in rustdoc.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) text: String,
    /// A `#[doc = …]` whose text only exists after this macro ran.
    pub(crate) computed: Option<Expr>,
}

impl Summary {
    pub(crate) fn parse(attrs: &[Attribute]) -> Self {
        let mut lines = Vec::new();
        let mut computed = None;
        for attr in attrs.iter().filter(|a| a.path().is_ident("doc")) {
            let Meta::NameValue(pair) = &attr.meta else { continue };
            match peel(&pair.value) {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                    lines.extend(split(&text.value()));
                }
                other => computed = Some(other.clone()),
            }
        }
        let paragraph: Vec<_> =
            lines.into_iter().skip_while(String::is_empty).take_while(|l| !l.is_empty()).collect();
        Self { text: paragraph.join(" "), computed }
    }
}

/// A literal that went through a `macro_rules!` arrives in an invisible group.
pub(crate) fn peel(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => peel(&group.expr),
        other => other,
    }
}

/// Tokens as the author wrote them, near enough for a message: `read-only` is an operation to Rust.
pub(crate) fn written(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string().replace(' ', "")
}

/// One `///` is one line; a block comment brings all of its lines, perhaps with stars in front.
fn split(text: &str) -> Vec<String> {
    let starred =
        text.split('\n').skip(1).all(|l| l.trim().is_empty() || l.trim().starts_with('*'));
    // Not `lines`, to which an empty `///` is no line at all.
    text.split('\n')
        .enumerate()
        .map(|(i, line)| {
            let line = line.trim();
            let line = if i > 0 && starred { line.trim_start_matches('*').trim() } else { line };
            line.to_owned()
        })
        .collect()
}

#[cfg(test)]
#[path = "doc_tests.rs"]
mod tests;
