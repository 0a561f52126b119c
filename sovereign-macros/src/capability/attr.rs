//! `key = value` as written.
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{DeriveInput, Expr, Meta, Token};

use crate::doc::{peel, written};
use crate::errors::Errors;
use crate::suggest::{closest, list};

const KEYS: &[&str] = &[
    "name",
    "version",
    "side_effect",
    "network",
    "category",
    "timeout",
    "max_result",
    "max_per_turn",
];

/// The values, each an expression that remembers its place.
#[derive(Debug, Default)]
pub(super) struct Keys {
    pub(super) name: Option<Expr>,
    pub(super) version: Option<Expr>,
    pub(super) side_effect: Option<Expr>,
    pub(super) network: Option<Expr>,
    pub(super) category: Option<Expr>,
    pub(super) timeout: Option<Expr>,
    pub(super) max_result: Option<Expr>,
    pub(super) max_per_turn: Option<Expr>,
    /// Keys that were written so that their value cannot be read: reported once, not missing too.
    unread: Vec<&'static str>,
    /// The list broke off: what follows is unknown rather than missing.
    broken: bool,
}

impl Keys {
    pub(super) fn parse(item: &DeriveInput, errors: &mut Errors) -> Self {
        let mut out = Self::default();
        let Some(attr) = item.attrs.iter().find(|a| a.path().is_ident("__sovereign")) else {
            errors.at(
                item.ident.span(),
                "write `#[capability(…)]`: the derive behind it is not for use by hand",
            );
            out.broken = true;
            return out;
        };
        let Meta::List(list) = &attr.meta else { return out };
        let parsed = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        out.broken = parsed.is_err();
        for meta in errors.keep(parsed).into_iter().flatten() {
            out.take(&meta, errors);
        }
        out
    }

    /// The mandatory ones that were not written.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        let mandatory = [
            ("name", "name = \"area.what_it_does\"", &self.name),
            ("side_effect", "side_effect = read_only | mutating", &self.side_effect),
            ("network", "network = local | local(loopback) | external", &self.network),
            (
                "category",
                "category = apps | system | network | wallet | files | media | search | ai_local | notes | bitcoin | custom(\"yours\")",
                &self.category,
            ),
        ];
        let absent = |key: &&'static str, value: &Option<Expr>| {
            !self.broken && value.is_none() && !self.unread.contains(key)
        };
        mandatory.into_iter().filter(|(k, _, v)| absent(k, v)).map(|(_, usage, _)| usage).collect()
    }

    fn take(&mut self, meta: &Meta, errors: &mut Errors) {
        let span = meta.path().span();
        let word = written(meta.path());
        let known = KEYS.iter().copied().find(|k| *k == word);
        let Some(key) = known.or_else(|| closest(&word, KEYS)) else {
            errors.at(span, refusal(&word));
            return;
        };
        if known.is_none() {
            errors.at(
                span,
                format!("`{word}` is not a key of `#[capability]`; did you mean `{key}`?"),
            );
        }
        let Meta::NameValue(pair) = meta else {
            errors.on(meta, format!("a key is written with its value: `{key} = …`"));
            self.unread.push(key);
            return;
        };
        let Some(slot) = self.slot(key) else { return };
        match slot {
            // A misspelt key that is also there in its right spelling was reported above.
            Some(_) if known.is_none() => {}
            Some(_) => errors.at(span, format!("`{key}` is written twice")),
            None => *slot = Some(peel(&pair.value).clone()),
        }
    }

    fn slot(&mut self, key: &str) -> Option<&mut Option<Expr>> {
        Some(match key {
            "name" => &mut self.name,
            "version" => &mut self.version,
            "side_effect" => &mut self.side_effect,
            "network" => &mut self.network,
            "category" => &mut self.category,
            "timeout" => &mut self.timeout,
            "max_result" => &mut self.max_result,
            "max_per_turn" => &mut self.max_per_turn,
            _ => return None,
        })
    }
}

/// Keys that people look for, with the place where the answer is.
fn refusal(word: &str) -> String {
    match word {
        "confirmation" => "`confirmation` is never written: it is derived, `read_only` + `local` runs automatically and everything else asks a person; remove this key".into(),
        "destructive" => "`destructive` is never written: it follows from `side_effect`; remove this key".into(),
        "description" => "`description` is never written: the first paragraph of the doc comment is the description; remove this key".into(),
        _ => format!("`{word}` is not a key of `#[capability]`: the keys are {}", list(KEYS)),
    }
}
