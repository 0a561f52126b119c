//! Words: what a person wrote, cut up; nothing is known of any capability here.

/// What a person wrote, as far as it can be matched.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Question {
    /// The words that carry meaning, in lower case, each once.
    pub(super) words: Vec<String>,
    /// Every word as it stands between spaces, without punctuation around it.
    pub(super) tokens: Vec<String>,
    /// Every full address (`scheme://…`), as written.
    pub(super) addresses: Vec<String>,
    /// Something is not to be done, or not so: matching words cannot tell what.
    pub(super) negated: bool,
}

impl Question {
    pub(super) fn read(text: &str) -> Self {
        let mut question = Self::default();
        for token in text.split_whitespace() {
            if let Some(address) = address(token) {
                question.addresses.push(address.to_owned());
                continue;
            }
            let token = token.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            question.negated |= NEGATIONS.contains(&token.replace('’', "'").as_str());
            for word in split(&token) {
                if !is_function_word(&word) && !question.words.contains(&word) {
                    question.words.push(word);
                }
            }
            if !token.is_empty() {
                question.tokens.push(token);
            }
        }
        question
    }
}

/// The words of a name or a description, in lower case.
pub(super) fn split(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase)
}

/// A word that is a full address, without the punctuation of the sentence around it.
fn address(token: &str) -> Option<&str> {
    let token = token.trim_start_matches(['(', '<', '[', '"', '\'', '“', '‘', '`']);
    let (scheme, rest) = token.split_once("://")?;
    let mut letters = scheme.chars();
    let is_scheme = letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let around = ['.', ',', ';', ':', '!', '?', ')', '>', ']', '"', '\'', '”', '’', '`'];
    let token = token.trim_end_matches(around);
    (is_scheme && !rest.trim_end_matches(around).is_empty()).then_some(token)
}

/// Whether two words are one but for an ending: plural, or up to three letters after at least five
/// common ones (`health`, `healthy`; `fetch`, `fetching`).
pub(super) fn alike(a: &str, b: &str) -> bool {
    let (a, b) = (singular(a), singular(b));
    if a == b {
        return true;
    }
    let (short, long) = if a.len() < b.len() { (&a, &b) } else { (&b, &a) };
    let ending = long.strip_prefix(short.as_str());
    short.chars().count() >= 5 && ending.is_some_and(|e| e.chars().count() <= 3)
}

fn singular(word: &str) -> String {
    if word.chars().count() <= 3 {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    if let Some(stem) = word.strip_suffix("es")
        && ["s", "x", "z", "ch", "sh"].iter().any(|end| stem.ends_with(end))
    {
        return stem.to_owned();
    }
    match word.strip_suffix('s') {
        Some(stem) if !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => word.to_owned(),
    }
}

const NEGATIONS: [&str; 9] =
    ["not", "don't", "dont", "never", "cannot", "can't", "won't", "doesn't", "without"];

fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(&word)
}

/// English words that ask, point or join, and say nothing of what is meant.
const FUNCTION_WORDS: [&str; 106] = [
    "a",
    "about",
    "all",
    "am",
    "an",
    "and",
    "any",
    "anything",
    "are",
    "as",
    "at",
    "be",
    "been",
    "but",
    "by",
    "can",
    "check",
    "could",
    "current",
    "currently",
    "did",
    "do",
    "does",
    "doing",
    "every",
    "everything",
    "find",
    "for",
    "from",
    "get",
    "give",
    "has",
    "have",
    "hello",
    "hey",
    "hi",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "just",
    "know",
    "let",
    "like",
    "long",
    "look",
    "many",
    "may",
    "me",
    "more",
    "much",
    "my",
    "need",
    "now",
    "of",
    "off",
    "ok",
    "on",
    "or",
    "our",
    "out",
    "please",
    "s",
    "see",
    "should",
    "show",
    "so",
    "some",
    "still",
    "t",
    "tell",
    "than",
    "thank",
    "thanks",
    "that",
    "the",
    "their",
    "them",
    "there",
    "these",
    "this",
    "those",
    "to",
    "today",
    "up",
    "us",
    "want",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "why",
    "will",
    "with",
    "would",
    "yes",
    "you",
    "your",
];

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
