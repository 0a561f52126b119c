use syn::{Expr, parse_quote};

use super::{Number, Value};

fn number(expr: &Expr) -> Option<(Value, String)> {
    Number::parse(expr).ok().map(|n| (n.value, n.text))
}

#[test]
fn signs_and_separators_are_read() {
    assert_eq!(number(&parse_quote!(-1_000)), Some((Value::Int(-1000), "-1000".into())));
    assert_eq!(number(&parse_quote!(-0.5)), Some((Value::Float(-0.5), "-0.5".into())));
    assert_eq!(number(&parse_quote!(0x10)), Some((Value::Int(16), "16".into())));
}

#[test]
fn float_text_is_json() {
    assert_eq!(number(&parse_quote!(1.)), Some((Value::Float(1.0), "1.0".into())));
    assert_eq!(number(&parse_quote!(1e3)), Some((Value::Float(1000.0), "1e3".into())));
}

#[test]
fn what_is_no_finite_literal_is_refused() {
    assert_eq!(number(&parse_quote!(LIMIT)), None);
    assert_eq!(number(&parse_quote!("5")), None);
    assert_eq!(number(&parse_quote!(1e999)), None);
    assert_eq!(number(&parse_quote!(1 + 1)), None);
}
