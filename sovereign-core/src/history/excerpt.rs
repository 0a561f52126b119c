use serde::{Deserialize, Serialize};

/// A text, or its beginning.
///
/// **Shape**: `{"text": "…"}`, and `"of_chars": n` beside it when it was cut: the marker stands outside
/// the text, so that nothing in a text can pass for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Excerpt {
    /// The text, or its first characters.
    pub text: String,
    /// How many characters it had, when it was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_chars: Option<u64>,
}

impl Excerpt {
    /// At most `chars` characters of `text`; a character is a Unicode scalar value and stays whole.
    #[must_use]
    pub fn of(text: &str, chars: usize) -> Self {
        let mut kept = Self { text: text.to_owned(), of_chars: None };
        kept.cut(chars);
        kept
    }

    /// Shortens it.
    pub(crate) fn cut(&mut self, chars: usize) {
        if let Some((end, _)) = self.text.char_indices().nth(chars) {
            let had = u64::try_from(self.text.chars().count()).unwrap_or(u64::MAX);
            self.of_chars.get_or_insert(had);
            self.text.truncate(end);
        }
    }

    /// Whether its end is missing.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.of_chars.is_some()
    }
}
