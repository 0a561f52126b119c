//! Inputs grown from entropy bytes along a published schema: mostly valid, then made wrong in value,
//! in spelling, or in bytes.
use super::words::{FORMATS, NUMBERS, PATTERNED, TEXTS};
use serde_json::Value;
use std::fmt::Write as _;

/// Decisions read off a byte string; when it is used up, each one is the first.
pub(crate) struct Entropy<'a>(&'a [u8]);

impl<'a> Entropy<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.0
    }
    pub(crate) fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let wide = usize::from(self.byte()) | usize::from(self.byte()) << 8;
        wide % count.max(1)
    }
    /// False once the entropy is used up.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        !self.is_empty() && usize::from(self.byte()) * 100 / 256 < percent
    }
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// JSON as it is written: a number is its digits, and an object may hold a key twice.
#[derive(Clone, PartialEq)]
enum Written {
    Word(&'static str),
    Number(String),
    Text(String),
    Array(Vec<Written>),
    Object(Vec<(String, Written)>),
}

pub(crate) fn text(schema: &Value, entropy: &mut Entropy<'_>) -> Vec<u8> {
    let mutated = entropy.chance(15);
    let value = grow(schema, schema, entropy, 0);
    let mut out = String::new();
    write(&value, entropy, &mut out);
    let mut bytes = out.into_bytes();
    if mutated {
        for _ in 0..=entropy.below(3) {
            damage(&mut bytes, entropy);
        }
    }
    bytes
}

fn damage(bytes: &mut Vec<u8>, entropy: &mut Entropy<'_>) {
    const BYTES: &[u8] = b"\"\\{}[],:0129-+.eEtfn \n\x00\x1f\x7f\x80\xff\xc3\xed";
    let at = entropy.below(bytes.len());
    match entropy.below(6) {
        0 if at < bytes.len() => drop(bytes.remove(at)),
        1 => bytes.insert(at, entropy.pick(BYTES)),
        2 => bytes.truncate(at),
        3 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << entropy.below(8);
            }
        }
        4 => {
            let again = bytes.get(at..).unwrap_or_default().to_vec();
            bytes.extend_from_slice(&again);
        }
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = entropy.pick(BYTES);
            }
        }
    }
}

/// A value that mostly fits `schema`.
fn grow(schema: &Value, root: &Value, entropy: &mut Entropy<'_>, depth: usize) -> Written {
    if depth > 0 && entropy.chance(2) {
        return junk(entropy, depth);
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).expect("a definition");
        return grow(target, root, entropy, depth);
    }
    if ["type", "$ref", "anyOf"].iter().all(|keyword| schema.get(keyword).is_none()) {
        return junk(entropy, depth);
    }
    if let (Some(branches), Value::Null) = (schema["anyOf"].as_array(), &schema["type"]) {
        // the last one never goes deeper
        let last = branches.len() - 1;
        let branch = if depth < 8 { entropy.below(branches.len()) } else { last };
        return grow(&branches[branch], root, entropy, depth);
    }
    let (kind, nullable) = match &schema["type"] {
        Value::Array(kinds) => (kinds[0].as_str(), true),
        kind => (kind.as_str(), false),
    };
    if nullable && entropy.chance(20) {
        return Written::Word("null");
    }
    match kind.expect("every schema has a type") {
        "null" => Written::Word("null"),
        "boolean" => Written::Word(if entropy.chance(50) { "true" } else { "false" }),
        "integer" => number(schema, entropy, true),
        "number" => number(schema, entropy, false),
        "string" => string(schema, entropy),
        "array" if schema["prefixItems"].is_array() => {
            let own = schema["prefixItems"].as_array().expect("just seen");
            let mut items: Vec<_> =
                own.iter().map(|item| grow(item, root, entropy, depth + 1)).collect();
            if entropy.chance(3) {
                items.pop();
            } else if entropy.chance(3) {
                items.push(junk(entropy, depth + 1));
            }
            Written::Array(items)
        }
        "array" => {
            let least = count(schema, "minItems", 0);
            let most = count(schema, "maxItems", 4).min(if depth > 6 { least } else { 4 });
            let mut items = least + entropy.below(most.saturating_sub(least) + 1);
            if entropy.chance(3) {
                items = if entropy.chance(50) { most + 1 } else { least.saturating_sub(1) };
            }
            let mut grown: Vec<Written> = Vec::new();
            let distinct = schema["uniqueItems"] == true && !entropy.chance(15);
            for _ in 0..items {
                let item = grow(&schema["items"], root, entropy, depth + 1);
                if !(distinct && grown.contains(&item)) {
                    grown.push(item);
                }
            }
            Written::Array(grown)
        }
        "object" if schema["additionalProperties"].is_object() => {
            let (least, most) =
                (count(schema, "minProperties", 0), count(schema, "maxProperties", 4));
            let mut size = least + entropy.below(most - least + 1);
            if entropy.chance(3) {
                size = most + 1;
            }
            let mut entries: Vec<(String, Written)> = Vec::new();
            for _ in 0..size {
                let key = entropy.pick(TEXTS);
                if entropy.chance(2) || entries.iter().all(|(known, _)| known != key) {
                    let value = grow(&schema["additionalProperties"], root, entropy, depth + 1);
                    entries.push((key.to_owned(), value));
                }
            }
            Written::Object(entries)
        }
        "object" => object(schema, root, entropy, depth),
        other => panic!("the renderer publishes no type {other}"),
    }
}

fn count(schema: &Value, keyword: &str, or: usize) -> usize {
    schema[keyword].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(or)
}

fn number(schema: &Value, entropy: &mut Entropy<'_>, whole: bool) -> Written {
    let bound = |keyword: &str| schema[keyword].as_number().map(ToString::to_string);
    let fits = |text: &str| {
        let value: f64 = text.parse().expect("a number");
        let low = schema["minimum"].as_f64().is_none_or(|min| value >= min);
        let high = schema["maximum"].as_f64().is_none_or(|max| value <= max);
        let step = schema["multipleOf"].as_f64().is_none_or(|step| value % step == 0.0);
        low && high && step && value.is_finite() && (!whole || value.fract() == 0.0)
    };
    let mut text = match entropy.below(4) {
        0 => bound("minimum").unwrap_or_else(|| "0".into()),
        1 => bound("maximum").unwrap_or_else(|| "1".into()),
        _ => entropy.pick(NUMBERS).to_owned(),
    };
    if !entropy.chance(10) {
        for _ in 0..40 {
            if fits(&text) {
                break;
            }
            text = entropy.pick(NUMBERS).to_owned();
        }
        if !fits(&text) {
            text = "1".into();
        }
    }
    // another spelling of the same number, where a float would still hold it
    if text.len() < 12 && text.bytes().all(|b| b.is_ascii_digit()) && entropy.chance(20) {
        text.push_str(entropy.pick(&[".0", "e0", "E+0", ".00e-0", "0e-1"]));
    }
    Written::Number(text)
}

fn string(schema: &Value, entropy: &mut Entropy<'_>) -> Written {
    if entropy.chance(5) {
        return Written::Text(entropy.pick(TEXTS).into());
    }
    if let Some(values) = schema["enum"].as_array() {
        let words: Vec<_> = values.iter().filter_map(Value::as_str).collect();
        return Written::Text(entropy.pick(&words).into());
    }
    if let Some((_, texts)) = schema["format"]
        .as_str()
        .or(schema["anyOf"][entropy.below(2)]["format"].as_str())
        .and_then(|name| FORMATS.iter().find(|(format, _)| *format == name))
    {
        return Written::Text(entropy.pick(texts).into());
    }
    if let Some((_, texts)) = schema["pattern"]
        .as_str()
        .and_then(|pattern| PATTERNED.iter().find(|(start, _)| pattern.starts_with(start)))
    {
        return Written::Text(entropy.pick(texts).into());
    }
    let (least, most) = (count(schema, "minLength", 0), count(schema, "maxLength", usize::MAX));
    let fitting: Vec<_> =
        TEXTS.iter().filter(|t| (least..=most).contains(&t.chars().count())).collect();
    Written::Text((*entropy.pick(&fitting)).into())
}

fn object(schema: &Value, root: &Value, entropy: &mut Entropy<'_>, depth: usize) -> Written {
    let required = schema["required"].as_array().expect("always an array");
    let mut fields = Vec::new();
    for (name, field) in schema["properties"].as_object().expect("always there") {
        let must = required.iter().any(|r| r.as_str() == Some(name));
        let keep = if must { !entropy.chance(2) } else { entropy.chance(60) && depth < 10 };
        if keep {
            fields.push((name.clone(), grow(field, root, entropy, depth + 1)));
        }
    }
    if entropy.chance(3) {
        fields.push((entropy.pick(TEXTS).into(), junk(entropy, depth + 1)));
    }
    if entropy.chance(2) && !fields.is_empty() {
        let again = fields[entropy.below(fields.len())].clone();
        fields.push(again);
    }
    Written::Object(fields)
}

fn junk(entropy: &mut Entropy<'_>, depth: usize) -> Written {
    match entropy.below(if depth > 5 { 5 } else { 8 }) {
        0 => Written::Word("null"),
        1 => Written::Word("true"),
        2 | 3 => Written::Number(entropy.pick(NUMBERS).into()),
        4 => Written::Text(entropy.pick(TEXTS).into()),
        5 => Written::Array((0..entropy.below(4)).map(|_| junk(entropy, depth + 1)).collect()),
        _ => Written::Object(
            (0..entropy.below(4))
                .map(|_| (entropy.pick(TEXTS).into(), junk(entropy, depth + 1)))
                .collect(),
        ),
    }
}

fn write(value: &Written, entropy: &mut Entropy<'_>, out: &mut String) {
    space(entropy, out);
    match value {
        Written::Word(word) => out.push_str(word),
        Written::Number(digits) => out.push_str(digits),
        Written::Text(text) => quote(text, entropy, out),
        Written::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                write(item, entropy, out);
            }
            space(entropy, out);
            out.push(']');
        }
        Written::Object(fields) => {
            out.push('{');
            let first = if entropy.chance(40) { entropy.below(fields.len()) } else { 0 };
            for i in 0..fields.len() {
                let (name, value) = &fields[(first + i) % fields.len()];
                out.push_str(if i > 0 { "," } else { "" });
                space(entropy, out);
                quote(name, entropy, out);
                space(entropy, out);
                out.push(':');
                write(value, entropy, out);
            }
            space(entropy, out);
            out.push('}');
        }
    }
    space(entropy, out);
}

fn space(entropy: &mut Entropy<'_>, out: &mut String) {
    if entropy.chance(10) {
        out.push_str(entropy.pick(&[" ", "\n", "\t \r"]));
    }
}

fn quote(text: &str, entropy: &mut Entropy<'_>, out: &mut String) {
    if !entropy.chance(20) {
        out.push_str(&Value::from(text).to_string());
        return;
    }
    out.push('"');
    for unit in text.encode_utf16() {
        write!(out, "\\u{unit:04x}").expect("a string");
    }
    out.push('"');
}
