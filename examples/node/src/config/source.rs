use super::ConfigError;
use crate::data_dir::OWN_SECRETS;
use sovereign_backends::BaseUrl;
use sovereign_core::display::Visible;
use std::fmt::Display;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;
use toml::Spanned;

const MAX_BYTES: u64 = 64 << 10;

/// The text of a configuration, so that what is wrong in it can be named by its line.
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

/// A number in the file, with where it stands.
pub(super) type Number = Option<Spanned<u32>>;
/// A text in the file, with where it stands.
pub(super) type Text = Option<Spanned<String>>;

impl Source<'_> {
    pub(super) fn wrong(&self, offset: usize, what: impl Display) -> ConfigError {
        let before = self.text.bytes().take(offset).filter(|b| *b == b'\n').count();
        let (path, what) = (self.path.to_owned(), Visible(&what.to_string()).to_string());
        ConfigError::Wrong { path, line: before.saturating_add(1), what }
    }

    pub(super) fn at<T>(&self, value: &Spanned<T>, what: impl Display) -> ConfigError {
        self.wrong(value.span().start, what)
    }

    pub(super) fn within(
        &self,
        given: &Number,
        least: u32,
        most: u32,
        usual: u32,
    ) -> Result<u32, ConfigError> {
        let Some(given) = given else { return Ok(usual) };
        let value = *given.as_ref();
        if (least..=most).contains(&value) {
            return Ok(value);
        }
        Err(self.at(given, format_args!("{value} is not from {least} to {most}")))
    }

    pub(super) fn seconds(
        &self,
        given: &Number,
        least: u32,
        most: u32,
        usual: Duration,
    ) -> Result<Duration, ConfigError> {
        let usual = u32::try_from(usual.as_secs()).unwrap_or(u32::MAX);
        Ok(Duration::from_secs(self.within(given, least, most, usual)?.into()))
    }

    pub(super) fn url(&self, given: &Spanned<String>) -> Result<BaseUrl, ConfigError> {
        given.as_ref().parse().map_err(|no| self.at(given, no))
    }

    pub(super) fn model<'t>(&self, given: &'t Spanned<String>) -> Result<&'t str, ConfigError> {
        match given.as_ref().trim() {
            "" => Err(self.at(given, "a model has a name")),
            _ => Ok(given.as_ref()),
        }
    }

    /// The name of a key, which is the name of its file as well.
    pub(super) fn key<'t>(&self, given: &'t Spanned<String>) -> Result<&'t str, ConfigError> {
        let name = given.as_ref();
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if OWN_SECRETS.contains(&name.as_str()) {
            return Err(self.at(given, "the node keeps a link of its own under this name"));
        }
        if (1..=64).contains(&name.len()) && name.bytes().all(plain) {
            return Ok(name);
        }
        let what =
            "a key has a name of 1 to 64 lower-case letters, digits and `-`, never its value";
        // what stands there may be the key itself: it is not repeated
        Err(self.at(given, what))
    }
}

pub(super) fn read(path: &Path) -> Result<String, ConfigError> {
    let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let mut text = String::new();
    let read = file.take(MAX_BYTES.saturating_add(1)).read_to_string(&mut text);
    if u64::try_from(read.map_err(unreadable)?).unwrap_or(u64::MAX) > MAX_BYTES {
        return Err(ConfigError::TooLong { path: path.to_owned(), limit: MAX_BYTES });
    }
    Ok(text)
}
