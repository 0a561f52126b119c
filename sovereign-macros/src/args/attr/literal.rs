//! Values that the author writes out: defaults and examples.
use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Expr, ExprLit, Lit, LitStr, Meta, Token};

use super::super::number::{Number, Value};
use crate::doc::peel;
use crate::errors::Errors;

/// A literal whose JSON form is known here.
#[derive(Debug)]
pub(in super::super) struct Literal {
    pub(in super::super) value: Known,
    pub(in super::super) written: Expr,
}

#[derive(Debug)]
pub(in super::super) enum Known {
    Bool(bool),
    Text(String),
    Number(Number),
}

/// What stands for a field that was left out.
#[derive(Debug)]
pub(in super::super) struct Default {
    pub(in super::super) span: Span,
    pub(in super::super) value: DefaultValue,
}

#[derive(Debug)]
pub(in super::super) enum DefaultValue {
    /// `Default::default()`
    OfType,
    Literal(Box<Literal>),
    /// Any other constant expression.
    Constant(Expr),
}

impl Literal {
    /// A literal, or nothing when it is any other expression.
    pub(super) fn parse(expr: &Expr) -> Option<syn::Result<Self>> {
        let written = peel(expr).clone();
        let value = match &written {
            Expr::Lit(ExprLit { lit: Lit::Bool(bool), .. }) => Ok(Known::Bool(bool.value)),
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(Known::Text(text.value())),
            Expr::Lit(ExprLit { lit: Lit::Int(_) | Lit::Float(_), .. }) | Expr::Unary(_) => {
                match Number::parse(&written) {
                    Ok(number) => Ok(Known::Number(number)),
                    // `-LIMIT` and `!FLAG` are expressions
                    Err(_) if matches!(written, Expr::Unary(_)) => return None,
                    Err(error) => Err(error),
                }
            }
            _ => return None,
        };
        Some(value.map(|value| Self { value, written }))
    }

    pub(in super::super) fn json(&self) -> String {
        match &self.value {
            Known::Bool(bool) => bool.to_string(),
            Known::Text(text) => json(text),
            Known::Number(number) => match number.value {
                Value::Int(int) => int.to_string(),
                Value::Float(float) => format!("{float:?}"),
            },
        }
    }

    pub(in super::super) fn text(&self) -> Option<LitStr> {
        match &self.written {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
            _ => None,
        }
    }
}

impl Default {
    pub(super) fn parse(meta: &Meta, errors: &mut Errors) -> Option<Self> {
        let span = meta.path().span();
        let value = match meta {
            Meta::Path(_) => DefaultValue::OfType,
            Meta::NameValue(pair) => match Literal::parse(&pair.value) {
                Some(literal) => DefaultValue::Literal(Box::new(errors.keep(literal)?)),
                None => DefaultValue::Constant(pair.value.clone()),
            },
            Meta::List(list) => {
                errors.on(list, "`default` is written alone or with its value: `default = 5`");
                return None;
            }
        };
        Some(Self { span, value })
    }
}

/// `examples("a", "b")`.
pub(super) fn examples(meta: &Meta, errors: &mut Errors) -> Option<Vec<Literal>> {
    const USAGE: &str = "`examples` is written with literals: `examples(\"de\", \"en\")`";
    let Meta::List(list) = meta else {
        errors.on(meta, USAGE);
        return None;
    };
    let parsed = list.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated);
    let all = errors.keep(parsed)?;
    if all.is_empty() {
        errors.on(meta, USAGE);
        return None;
    }
    let mut out = Vec::new();
    for expr in &all {
        match Literal::parse(expr) {
            Some(literal) => out.extend(errors.keep(literal)),
            None => errors.on(expr, USAGE),
        }
    }
    Some(out)
}

/// A JSON string.
fn json(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
