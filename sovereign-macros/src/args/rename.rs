//! Serde's case rules, applied exactly as serde applies them.
use crate::suggest::closest;

/// The rules by serde's own names.
const RULES: &[(&str, Rule)] = &[
    ("lowercase", Rule::Lower),
    ("UPPERCASE", Rule::Upper),
    ("PascalCase", Rule::Pascal),
    ("camelCase", Rule::Camel),
    ("snake_case", Rule::Snake),
    ("SCREAMING_SNAKE_CASE", Rule::ScreamingSnake),
    ("kebab-case", Rule::Kebab),
    ("SCREAMING-KEBAB-CASE", Rule::ScreamingKebab),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl Rule {
    pub(super) fn parse(name: &str) -> Result<Self, String> {
        RULES.iter().find(|(n, _)| *n == name).map(|(_, rule)| *rule).ok_or_else(|| {
            let known: Vec<_> = RULES.iter().map(|(n, _)| *n).collect();
            match closest(name, &known) {
                Some(near) => format!("there is no case rule `{name}`; did you mean `{near}`?"),
                None => format!("there is no case rule `{name}`: known are {}", known.join(", ")),
            }
        })
    }

    /// A variant is written `LikeThis`.
    pub(super) fn variant(self, name: &str) -> String {
        let snake = || {
            let mut out = String::new();
            for (i, c) in name.chars().enumerate() {
                if i > 0 && c.is_uppercase() {
                    out.push('_');
                }
                out.push(c.to_ascii_lowercase());
            }
            out
        };
        match self {
            Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => first(name, |c| c.to_ascii_lowercase()),
            Self::Snake => snake(),
            Self::ScreamingSnake => snake().to_ascii_uppercase(),
            Self::Kebab => snake().replace('_', "-"),
            Self::ScreamingKebab => snake().to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// A field is written `like_this`.
    pub(super) fn field(self, name: &str) -> String {
        let pascal = || -> String {
            name.split('_').map(|word| first(word, |c| c.to_ascii_uppercase())).collect()
        };
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => pascal(),
            Self::Camel => first(&pascal(), |c| c.to_ascii_lowercase()),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn first(word: &str, change: impl Fn(char) -> char) -> String {
    let mut chars = word.chars();
    chars.next().map(change).into_iter().chain(chars).collect()
}

#[cfg(test)]
#[path = "rename_tests.rs"]
mod tests;
