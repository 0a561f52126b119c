//! The rules of a declaration, one function per key.
use syn::{DeriveInput, Error, Expr, ExprLit, Lit, Result};

use super::attr::Keys;
use super::measure::{Measure, SIZE, TIME};
use super::name;
use crate::doc::{peel, written};
use crate::errors::Errors;
use crate::suggest::{hint, list};

/// The ten standard categories: the word that is written and the variant that it means.
const CATEGORIES: &[(&str, &str)] = &[
    ("apps", "Apps"),
    ("system", "System"),
    ("network", "Network"),
    ("wallet", "Wallet"),
    ("files", "Files"),
    ("media", "Media"),
    ("search", "Search"),
    ("ai_local", "AiLocal"),
    ("notes", "Notes"),
    ("bitcoin", "Bitcoin"),
];

/// What was declared. `None` where the author's word could not be understood.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) name: Option<String>,
    pub(super) version: u32,
    pub(super) side_effect: Option<SideEffect>,
    pub(super) network: Option<Network>,
    pub(super) category: Option<Category>,
    pub(super) timeout_ms: u64,
    pub(super) max_result: u32,
    pub(super) max_per_turn: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SideEffect {
    ReadOnly,
    Mutating,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Network {
    Local,
    Loopback,
    External,
}

#[derive(Debug)]
pub(super) enum Category {
    /// The variant's name.
    Standard(&'static str),
    Custom(String),
}

pub(super) fn declaration(keys: &Keys, item: &DeriveInput, errors: &mut Errors) -> Declared {
    all_written(keys, item, errors);
    let version = kept(keys.version.as_ref(), version, errors).unwrap_or(1);
    Declared {
        name: kept(keys.name.as_ref(), |e| capability_name(e, version), errors),
        version,
        side_effect: kept(keys.side_effect.as_ref(), side_effect, errors),
        network: kept(keys.network.as_ref(), network, errors),
        category: kept(keys.category.as_ref(), category, errors),
        timeout_ms: kept(keys.timeout.as_ref(), |e| measure("timeout", e, &TIME), errors)
            .unwrap_or(10_000),
        max_result: kept(keys.max_result.as_ref(), |e| measure("max_result", e, &SIZE), errors)
            .and_then(|bytes| u32::try_from(bytes).ok())
            .unwrap_or(64 << 10),
        max_per_turn: kept(keys.max_per_turn.as_ref(), max_per_turn, errors).unwrap_or(1),
    }
}

fn kept<T>(
    value: Option<&Expr>,
    rule: impl FnOnce(&Expr) -> Result<T>,
    errors: &mut Errors,
) -> Option<T> {
    value.and_then(|expr| errors.keep(rule(expr)))
}

/// No default decides who is asked and what may leave.
fn all_written(keys: &Keys, item: &DeriveInput, errors: &mut Errors) {
    let missing = keys.missing();
    if !missing.is_empty() {
        let id = &item.ident;
        errors.at(
            id.span(),
            format!(
                "`#[capability]` on `{id}` lacks {}; these have no default, because they decide who is asked and what may leave",
                missing.iter().map(|usage| format!("`{usage}`")).collect::<Vec<_>>().join(", "),
            ),
        );
    }
}

fn capability_name(expr: &Expr, version: u32) -> Result<String> {
    let name = text("name", "web.search", expr)?;
    match name::objection(&name, version) {
        Some(why) => Err(Error::new_spanned(expr, why)),
        None => Ok(name),
    }
}

fn version(expr: &Expr) -> Result<u32> {
    whole("version", expr, &u32::MAX)
}

fn max_per_turn(expr: &Expr) -> Result<u16> {
    whole("max_per_turn", expr, &u16::MAX)
}

fn side_effect(expr: &Expr) -> Result<SideEffect> {
    match word(expr).as_deref() {
        Some("read_only") => Ok(SideEffect::ReadOnly),
        Some("mutating") => Ok(SideEffect::Mutating),
        _ => Err(unknown("side_effect", expr, &["read_only", "mutating"], "")),
    }
}

fn network(expr: &Expr) -> Result<Network> {
    if let Expr::Call(call) = expr
        && word(&call.func).as_deref() == Some("local")
    {
        let inside: Vec<_> = call.args.iter().map(word).collect();
        return match inside.as_slice() {
            [Some(only)] if only == "loopback" => Ok(Network::Loopback),
            _ => Err(Error::new_spanned(
                call,
                "`local` reaches nothing, or `local(loopback)` services on this device: nothing else is local",
            )),
        };
    }
    match word(expr).as_deref() {
        Some("local") => Ok(Network::Local),
        Some("external") => Ok(Network::External),
        Some("loopback") => Err(Error::new_spanned(
            expr,
            "write `network = local(loopback)`: services on this device are local",
        )),
        _ => Err(unknown("network", expr, &["local", "local(loopback)", "external"], "")),
    }
}

fn category(expr: &Expr) -> Result<Category> {
    if let Expr::Call(call) = expr
        && word(&call.func).as_deref() == Some("custom")
    {
        let mut inside = call.args.iter();
        let (Some(only), None) = (inside.next(), inside.next()) else {
            return Err(Error::new_spanned(
                call,
                "a category of your own has one name: `custom(\"home\")`",
            ));
        };
        return custom(peel(only)).map(Category::Custom);
    }
    let given = word(expr);
    let standard = given.as_ref().and_then(|g| CATEGORIES.iter().find(|(w, _)| w == g));
    if let Some((_, variant)) = standard {
        return Ok(Category::Standard(variant));
    }
    let words: Vec<_> = CATEGORIES.iter().map(|(w, _)| *w).collect();
    let own = given.filter(|g| name::is_segment(g)).unwrap_or_else(|| "home".into());
    Err(unknown("category", expr, &words, &format!(", or your own as `custom(\"{own}\")`")))
}

fn custom(expr: &Expr) -> Result<String> {
    let name = text("custom", "home", expr)?;
    if CATEGORIES.iter().any(|(w, _)| *w == name) {
        return Err(Error::new_spanned(
            expr,
            format!("`{name}` is one of the standard categories: write `category = {name}`"),
        ));
    }
    if name::is_segment(&name) {
        return Ok(name);
    }
    let repaired = name::repaired(&name).filter(|r| name::is_segment(r));
    let example = repaired.unwrap_or_else(|| "home".into());
    Err(Error::new_spanned(
        expr,
        format!("`{name}` is not a category: lower-case words joined by `_`, such as `{example}`"),
    ))
}

fn measure(key: &str, expr: &Expr, measure: &Measure) -> Result<u64> {
    let text = text(key, measure.example(), expr)?;
    measure.read(key, &text).map_err(|why| Error::new_spanned(expr, why))
}

/// A word outside the closed set; `more` ends the list.
fn unknown(key: &str, expr: &Expr, known: &[&str], more: &str) -> Error {
    let given = match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => text.value(),
        other => written(other),
    };
    let text = if known.contains(&given.as_str()) {
        format!("`{key}` is a word without quotes: write `{key} = {given}`")
    } else {
        format!("`{given}` is not a {key}: known are {}{more}{}", list(known), hint(&given, known))
    };
    Error::new_spanned(expr, text)
}

fn word(expr: &Expr) -> Option<String> {
    match peel(expr) {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

fn text(key: &str, example: &str, expr: &Expr) -> Result<String> {
    let written = match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => return Ok(text.value()),
        // `10s` without quotes is a number with a suffix.
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if !int.suffix().is_empty() => {
            int.to_string()
        }
        _ => example.to_owned(),
    };
    Err(Error::new_spanned(expr, format!("`{key}` is a text in quotes, such as \"{written}\"")))
}

/// A whole number from 1.
fn whole<N: TryFrom<u64> + std::fmt::Display>(key: &str, expr: &Expr, max: &N) -> Result<N> {
    let number = match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => int.base10_parse::<u64>().ok(),
        _ => None,
    };
    number.filter(|n| *n > 0).and_then(|n| N::try_from(n).ok()).ok_or_else(|| {
        Error::new_spanned(expr, format!("`{key}` is a whole number from 1 to {max}"))
    })
}
