//! What `serde_json` says is exactly one object, with the rules that it does not have: no key twice
//! in one object, and our limits of size and depth.
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use sovereign_core::schema::RawArguments;
use std::fmt;

pub(crate) fn object(bytes: &[u8]) -> Option<Value> {
    if bytes.len() > RawArguments::MAX_BYTES {
        return None;
    }
    let Strict(value) = serde_json::from_slice(bytes).ok()?;
    (value.is_object() && depth(&value) <= RawArguments::MAX_DEPTH).then_some(value)
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Values).map(Self)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, v: bool) -> Result<Value, E> {
        Ok(v.into())
    }
    fn visit_u64<E>(self, v: u64) -> Result<Value, E> {
        Ok(v.into())
    }
    fn visit_i64<E>(self, v: i64) -> Result<Value, E> {
        Ok(v.into())
    }
    fn visit_f64<E: Error>(self, v: f64) -> Result<Value, E> {
        Number::from_f64(v).map(Value::Number).ok_or_else(|| E::custom("not finite"))
    }
    fn visit_str<E>(self, v: &str) -> Result<Value, E> {
        Ok(v.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some((key, Strict(value))) = access.next_entry::<String, Strict>()? {
            if fields.insert(key, value).is_some() {
                return Err(A::Error::custom("a key twice"));
            }
        }
        Ok(Value::Object(fields))
    }
}

/// Whether every number in `json` is one that a reader of floats can tell from its neighbours. The
/// oracle is such a reader beyond 64 bits and after a decimal point; our decoder goes by the digits.
pub(crate) fn is_plain(json: &str) -> bool {
    let mut outside = true;
    let mut escaped = false;
    let numbers = json.split(|c: char| {
        let was_outside = outside;
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => outside = !outside,
            _ => {}
        }
        !was_outside || !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')
    });
    numbers.filter(|token| token.starts_with(|c: char| c == '-' || c.is_ascii_digit())).all(exact)
}

fn exact(token: &str) -> bool {
    let Ok(nearest) = token.parse::<f64>() else { return false };
    let mantissa = token.split(['e', 'E']).next().unwrap_or_default();
    let digits = mantissa.trim_start_matches(['-', '0', '.']).bytes().filter(u8::is_ascii_digit);
    let zero = !mantissa.contains(|c: char| matches!(c, '1'..='9'));
    if token.contains(['.', 'e', 'E']) || digits.clone().count() <= 15 {
        return digits.count() <= 15 && (nearest != 0.0 || zero);
    }
    token.parse::<i64>().is_ok()
        || token.parse::<u64>().is_ok()
        || nearest.abs() > 1.9e19
        || format!("{nearest:.0}") == token
}

#[test]
fn a_number_is_plain_when_its_nearest_float_says_the_same() {
    for (json, want) in [
        (r#"{"a":[1,-0.5,1e400,"1e-400\"18446744073709551.615"]}"#, true),
        (r#"{"a":18446744073709551615,"b":18446744073709551616}"#, true),
        (r#"{"a":18446744073709551.615}"#, false),
        (r#"{"a":-9223372036854775809}"#, false),
        (r#"{"a":1e-400}"#, false),
        (r#"{"\"":0e-400,"b":1.0000000000000000001}"#, false),
        (r#"{"\"":0e-400,"b":-0.0}"#, true),
    ] {
        assert_eq!(is_plain(json), want, "{json}");
    }
}
