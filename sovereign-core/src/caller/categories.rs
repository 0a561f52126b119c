use super::Category;
use std::collections::BTreeSet;
use std::fmt;

/// A set of categories, as a grants file or a test spells them.
///
/// # Example
/// ```
/// use sovereign_core::caller::{Categories, Category};
/// let mut held = Categories::NONE.with(Category::System);
/// held.insert_word("custom:home").unwrap();
/// assert!(held.contains(Category::System) && held.contains(Category::Custom("home")));
/// assert!(!held.contains(Category::Wallet));
/// assert_eq!(held.words(), ["system", "custom:home"]);
/// assert!(held.insert_word("sytem").is_err());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Categories {
    standard: u16,
    custom: BTreeSet<String>,
}

/// A word that names no category.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a category: expected one of {}, or `custom:<name>`", .word.escape_debug(), known())]
pub struct UnknownCategory {
    word: String,
}

fn known() -> String {
    Category::STANDARD.map(Category::word).join(", ")
}

impl Categories {
    /// Nothing: what every scope holds until somebody grants it something.
    pub const NONE: Self = Self { standard: 0, custom: BTreeSet::new() };

    /// Whether the set holds `category`.
    #[must_use]
    pub fn contains(&self, category: Category) -> bool {
        match category.bit() {
            Some(bit) => self.standard & bit != 0,
            None => self.custom.contains(category.word()),
        }
    }

    /// Whether the set holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    /// The set with `category` in it.
    #[must_use]
    pub fn with(mut self, category: Category) -> Self {
        match category.bit() {
            Some(bit) => self.standard |= bit,
            None => {
                self.custom.insert(category.word().to_owned());
            }
        }
        self
    }

    /// Adds the category that `word` names; says whether it was new.
    ///
    /// # Errors
    /// When the word is none of the ten and no well-formed `custom:<name>`.
    pub fn insert_word(&mut self, word: &str) -> Result<bool, UnknownCategory> {
        let before = self.clone();
        match Self::parse(word)? {
            Ok(category) => *self = std::mem::take(self).with(category),
            Err(name) => {
                self.custom.insert(name.to_owned());
            }
        }
        Ok(*self != before)
    }

    /// Takes away the category that `word` names; says whether it was there.
    ///
    /// # Errors
    /// When the word is none of the ten and no well-formed `custom:<name>`.
    pub fn remove_word(&mut self, word: &str) -> Result<bool, UnknownCategory> {
        let before = self.clone();
        match Self::parse(word)? {
            Ok(category) => self.standard &= !category.bit().unwrap_or(0),
            Err(name) => {
                self.custom.remove(name);
            }
        }
        Ok(*self != before)
    }

    /// What both sets hold.
    ///
    /// ```
    /// use sovereign_core::caller::{Categories, Category};
    /// let most = Categories::from([Category::System, Category::Custom("home")]);
    /// assert_eq!(most.intersection(&[Category::System, Category::Wallet].into()), [Category::System].into());
    /// ```
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let custom = self.custom.intersection(&other.custom).cloned().collect();
        Self { standard: self.standard & other.standard, custom }
    }

    /// The words of the set: standard ones first, in the order of B06.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let standard = Category::STANDARD.into_iter().filter(|c| self.contains(*c));
        let custom = self.custom.iter().map(|name| format!("custom:{name}"));
        standard.map(|c| c.word().to_owned()).chain(custom).collect()
    }

    /// A standard category, or the name of a custom one.
    fn parse(word: &str) -> Result<Result<Category, &str>, UnknownCategory> {
        if let Some(category) = Category::STANDARD.into_iter().find(|c| c.word() == word) {
            return Ok(Ok(category));
        }
        let name = word.strip_prefix("custom:").filter(|name| is_segment(name));
        let taken = |name: &&str| Category::STANDARD.iter().any(|c| c.word() == *name);
        match name.filter(|name| !taken(name)) {
            Some(name) => Ok(Err(name)),
            None => Err(UnknownCategory { word: word.chars().take(64).collect() }),
        }
    }
}

/// `[a-z][a-z0-9]*(_[a-z0-9]+)*`
fn is_segment(name: &str) -> bool {
    let word =
        |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.split('_').all(word)
}

impl fmt::Display for Categories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words();
        if words.is_empty() { f.write_str("nothing") } else { f.write_str(&words.join(", ")) }
    }
}

impl FromIterator<Category> for Categories {
    fn from_iter<I: IntoIterator<Item = Category>>(items: I) -> Self {
        items.into_iter().fold(Self::NONE, Self::with)
    }
}

impl<const N: usize> From<[Category; N]> for Categories {
    fn from(items: [Category; N]) -> Self {
        items.into_iter().collect()
    }
}
