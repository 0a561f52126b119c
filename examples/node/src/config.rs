//! The configuration file: strict TOML, flags over it.
//!
//! ```toml
//! [ollama]
//! base_url = "http://127.0.0.1:11434"
//! model = "qwen3:4b"
//! num_ctx = 8192              # tokens
//! num_predict = 1024          # tokens
//! keep_alive_seconds = 300
//! load_seconds = 60
//! probe_seconds = 5
//!
//! [limits]                    # may be lowered, never raised
//! rounds = 8
//! proposals = 12
//! turn_seconds = 150
//! ```

use crate::cli::ModelFlags;
use serde::Deserialize;
use sovereign_backends::ollama::{OLLAMA_BASE_URL, OllamaConfig};
use sovereign_backends::{BaseUrl, BaseUrlError};
use sovereign_core::conversation::TurnLimits;
use sovereign_core::display::Visible;
use std::fmt::Display;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::Spanned;

/// The model when nobody names one: small, and it can propose.
const MODEL: &str = "qwen3:4b";
const MAX_BYTES: u64 = 64 << 10;

/// What a run needs to know besides the data directory.
#[derive(Debug)]
pub(crate) struct Config {
    /// `None`: no language model is asked.
    pub(crate) ollama: Option<OllamaConfig>,
    pub(crate) limits: TurnLimits,
}

/// Why a configuration does not hold.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("cannot read `{}`", Visible(&path.to_string_lossy()))]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("`{}` is longer than {MAX_BYTES} bytes", Visible(&path.to_string_lossy()))]
    TooLong { path: PathBuf },
    #[error("`{}`, line {line}: {what}", Visible(&path.to_string_lossy()))]
    Wrong { path: PathBuf, line: usize, what: String },
    #[error("the built-in address of Ollama does not hold")]
    BuiltIn(#[from] BaseUrlError),
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    ollama: OllamaTable,
    limits: LimitsTable,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct OllamaTable {
    base_url: Option<Spanned<String>>,
    model: Option<Spanned<String>>,
    num_ctx: Option<Spanned<u32>>,
    num_predict: Option<Spanned<u32>>,
    keep_alive_seconds: Option<Spanned<u32>>,
    load_seconds: Option<Spanned<u32>>,
    probe_seconds: Option<Spanned<u32>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LimitsTable {
    rounds: Option<Spanned<u32>>,
    proposals: Option<Spanned<u32>>,
    turn_seconds: Option<Spanned<u32>>,
}

impl Config {
    /// From `named`, which must be there, or from `usual`, which need not.
    pub(crate) fn load(
        named: Option<&Path>,
        usual: &Path,
        flags: &ModelFlags,
    ) -> Result<Self, ConfigError> {
        let path = named.unwrap_or(usual);
        let text = match read(path) {
            Err(ConfigError::Unreadable { source, .. })
                if named.is_none() && source.kind() == io::ErrorKind::NotFound =>
            {
                String::new()
            }
            read => read?,
        };
        Self::of(&Source { path, text: &text }, flags)
    }

    fn of(source: &Source<'_>, flags: &ModelFlags) -> Result<Self, ConfigError> {
        let file: File = toml::from_str(source.text).map_err(|error| {
            // the library's own display draws a picture of several lines
            let what = error.message().lines().collect::<Vec<_>>().join(" ");
            source.wrong(error.span().map_or(0, |span| span.start), what)
        })?;
        let limits = limits(source, &file.limits)?;
        let ollama = ollama(source, &file.ollama, flags)?;
        Ok(Self { ollama: (!flags.no_model).then_some(ollama), limits })
    }
}

fn limits(source: &Source<'_>, table: &LimitsTable) -> Result<TurnLimits, ConfigError> {
    let most = TurnLimits::default();
    let (rounds, proposals) = (most.max_rounds(), most.max_proposals());
    let seconds = u32::try_from(most.max_time().as_secs()).unwrap_or(u32::MAX);
    let rounds = source.within(table.rounds.as_ref(), 1, rounds.into(), rounds.into())?;
    let proposals =
        source.within(table.proposals.as_ref(), 0, proposals.into(), proposals.into())?;
    let seconds = source.within(table.turn_seconds.as_ref(), 1, seconds, seconds)?;
    Ok(most
        .rounds(u16::try_from(rounds).unwrap_or(u16::MAX))
        .proposals(u16::try_from(proposals).unwrap_or(u16::MAX))
        .time(Duration::from_secs(seconds.into())))
}

fn ollama(
    source: &Source<'_>,
    table: &OllamaTable,
    flags: &ModelFlags,
) -> Result<OllamaConfig, ConfigError> {
    let written = match &table.base_url {
        Some(url) => Some(url.as_ref().parse::<BaseUrl>().map_err(|no| source.at(url, no))?),
        None => None,
    };
    let base_url = match flags.ollama_url.clone().or(written) {
        Some(url) => url,
        None => OLLAMA_BASE_URL.parse()?,
    };
    let written = match &table.model {
        Some(name) if name.as_ref().trim().is_empty() => {
            return Err(source.at(name, "a model has a name"));
        }
        name => name.as_ref().map(|name| name.as_ref().as_str()),
    };
    let usual = OllamaConfig::new(base_url, flags.model.as_deref().or(written).unwrap_or(MODEL));
    let seconds = |given: &Option<Spanned<u32>>, usual: Duration, least, most| {
        let usual = u32::try_from(usual.as_secs()).unwrap_or(u32::MAX);
        let seconds = source.within(given.as_ref(), least, most, usual)?;
        Ok::<_, ConfigError>(Duration::from_secs(seconds.into()))
    };
    Ok(OllamaConfig {
        num_ctx: source.within(table.num_ctx.as_ref(), 512, 1 << 20, usual.num_ctx)?,
        num_predict: source.within(table.num_predict.as_ref(), 16, 1 << 16, usual.num_predict)?,
        keep_alive: seconds(&table.keep_alive_seconds, usual.keep_alive, 0, 86_400)?,
        load_timeout: seconds(&table.load_seconds, usual.load_timeout, 0, 3_600)?,
        probe_timeout: seconds(&table.probe_seconds, usual.probe_timeout, 1, 60)?,
        ..usual
    })
}

struct Source<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    fn wrong(&self, offset: usize, what: impl Display) -> ConfigError {
        let before = self.text.bytes().take(offset).filter(|b| *b == b'\n').count();
        let (path, what) = (self.path.to_owned(), Visible(&what.to_string()).to_string());
        ConfigError::Wrong { path, line: before.saturating_add(1), what }
    }

    fn at<T>(&self, value: &Spanned<T>, what: impl Display) -> ConfigError {
        self.wrong(value.span().start, what)
    }

    fn within(
        &self,
        given: Option<&Spanned<u32>>,
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
}

fn read(path: &Path) -> Result<String, ConfigError> {
    let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut text = String::new();
    let read = file.take(MAX_BYTES.saturating_add(1)).read_to_string(&mut text);
    if u64::try_from(read.map_err(unreadable)?).unwrap_or(u64::MAX) > MAX_BYTES {
        return Err(ConfigError::TooLong { path: path.to_owned() });
    }
    Ok(text)
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
