//! The tables of the backends.
use super::ConfigError;
use super::routstr::Paid;
use super::source::{Number, Source, Text};
use crate::cli::ModelFlags;
use crate::data_dir::DataDir;
use serde::Deserialize;
use sovereign_backends::claude::{CLAUDE_KEY, CLAUDE_MODEL};
use sovereign_backends::ollama::OLLAMA_BASE_URL;
use sovereign_backends::openai::Quirks;
use sovereign_backends::{BaseUrl, ClaudeConfig, KeyFile, OllamaConfig, OpenAiConfig};
use sovereign_core::backend::Locality;
use std::time::Duration;
use toml::Spanned;

/// The model when nobody names one: small, and it can propose.
pub(super) const MODEL: &str = "qwen3:4b";
/// How many servers of the OpenAI-compatible kind there may be.
const MOST_SERVERS: usize = 8;
pub(super) const MOST_TOKENS: u32 = 1 << 16;
/// Less than this holds no turn.
pub(super) const LEAST_WINDOW: u32 = 2_048;
pub(super) const MOST_WINDOW: u32 = 1 << 21;

/// Which backends there may be. What is not named here is never asked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Backends {
    pub(crate) ollama: Option<OllamaConfig>,
    /// In the order in which they are asked.
    pub(crate) openai: Vec<OpenAiConfig>,
    pub(crate) claude: Option<ClaudeConfig>,
    /// `[claude]` is not written anywhere: the leg is there once its key is.
    pub(crate) claude_by_key: bool,
    /// Nothing is paid for unless it is written.
    pub(crate) routstr: Option<Paid>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OllamaTable {
    enabled: bool,
    base_url: Text,
    model: Text,
    num_ctx: Number,
    num_predict: Number,
    keep_alive_seconds: Number,
    reply_seconds: Number,
    load_seconds: Number,
    probe_seconds: Number,
}

impl Default for OllamaTable {
    fn default() -> Self {
        Self {
            enabled: true,
            base_url: None,
            model: None,
            num_ctx: None,
            num_predict: None,
            keep_alive_seconds: None,
            reply_seconds: None,
            load_seconds: None,
            probe_seconds: None,
        }
    }
}

/// Which program serves, where servers differ.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Server {
    Common,
    #[serde(rename = "llama_server")]
    LlamaCpp,
    LlamaCppPython,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenAiTable {
    base_url: Spanned<String>,
    model: Spanned<String>,
    key: Text,
    server: Option<Server>,
    max_tokens: Number,
    window: Number,
    reply_seconds: Number,
    probe_seconds: Number,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaudeTable {
    #[serde(default = "on")]
    enabled: bool,
    base_url: Text,
    model: Text,
    key: Text,
    max_tokens: Number,
    window: Number,
    reply_seconds: Number,
}

pub(super) const fn on() -> bool {
    true
}

pub(super) fn ollama(
    source: &Source<'_>,
    table: &OllamaTable,
    flags: &ModelFlags,
) -> Result<Option<OllamaConfig>, ConfigError> {
    let written = table.base_url.as_ref().map(|url| source.url(url)).transpose()?;
    let base_url = match flags.ollama_url.clone().or(written) {
        Some(url) => url,
        None => OLLAMA_BASE_URL.parse()?,
    };
    let written = table.model.as_ref().map(|name| source.model(name)).transpose()?;
    let usual = OllamaConfig::new(base_url, flags.model.as_deref().or(written).unwrap_or(MODEL));
    let config = OllamaConfig {
        num_ctx: source.within(&table.num_ctx, 512, 1 << 20, usual.num_ctx)?,
        num_predict: source.within(&table.num_predict, 16, MOST_TOKENS, usual.num_predict)?,
        keep_alive: source.seconds(&table.keep_alive_seconds, 0, 86_400, usual.keep_alive)?,
        reply_timeout: reply_timeout(source, &table.reply_seconds, usual.reply_timeout)?,
        load_timeout: source.seconds(&table.load_seconds, 0, 3_600, usual.load_timeout)?,
        probe_timeout: source.seconds(&table.probe_seconds, 1, 60, usual.probe_timeout)?,
        ..usual
    };
    // who names it on the command line wants it
    let named = flags.ollama_url.is_some() || flags.model.is_some();
    Ok((table.enabled || named).then_some(config))
}

pub(super) fn openai(
    source: &Source<'_>,
    tables: &[Spanned<OpenAiTable>],
    data: &DataDir,
) -> Result<Vec<OpenAiConfig>, ConfigError> {
    if let Some(one_more) = tables.get(MOST_SERVERS) {
        return Err(source.at(one_more, format_args!("at most {MOST_SERVERS} servers")));
    }
    tables.iter().map(|table| one_openai(source, table.as_ref(), data)).collect()
}

fn one_openai(
    source: &Source<'_>,
    table: &OpenAiTable,
    data: &DataDir,
) -> Result<OpenAiConfig, ConfigError> {
    let base_url = source.url(&table.base_url)?;
    let key = key_for(source, table.key.as_ref(), (&table.base_url, &base_url), data)?;
    let usual = OpenAiConfig::new(base_url, source.model(&table.model)?);
    Ok(OpenAiConfig {
        key,
        quirks: table.server.map_or(usual.quirks, |server| match server {
            Server::Common => Quirks::COMMON,
            Server::LlamaCpp => Quirks::LLAMA_SERVER,
            Server::LlamaCppPython => Quirks::LLAMA_CPP_PYTHON,
        }),
        max_tokens: source.within(&table.max_tokens, 16, MOST_TOKENS, usual.max_tokens)?,
        window: window(source, &table.window, usual.window)?,
        reply_timeout: reply_timeout(source, &table.reply_seconds, usual.reply_timeout)?,
        probe_timeout: source.seconds(&table.probe_seconds, 1, 60, usual.probe_timeout)?,
        ..usual
    })
}

pub(super) fn claude(
    source: &Source<'_>,
    table: Option<&ClaudeTable>,
    data: &DataDir,
) -> Result<Option<ClaudeConfig>, ConfigError> {
    let usual = ClaudeConfig::in_data_dir(data.path())?;
    let Some(table) = table else { return Ok(Some(usual)) };
    let model = table.model.as_ref().map(|name| source.model(name)).transpose()?;
    let usual = match &table.base_url {
        // Anthropic's key is for Anthropic: another server gets one that is named for it, or none
        Some(written) => {
            let base_url = source.url(written)?;
            let key = key_for(source, table.key.as_ref(), (written, &base_url), data)?;
            ClaudeConfig { key, ..ClaudeConfig::new(base_url, CLAUDE_MODEL) }
        }
        None => {
            let name = table.key.as_ref().map(|key| source.key(key)).transpose()?;
            let key = KeyFile::new(data.path(), name.unwrap_or(CLAUDE_KEY));
            ClaudeConfig { key: Some(key), ..usual }
        }
    };
    let config = ClaudeConfig {
        model: model.map_or(usual.model, str::to_owned),
        max_tokens: source.within(&table.max_tokens, 16, MOST_TOKENS, usual.max_tokens)?,
        window: window(source, &table.window, usual.window)?,
        reply_timeout: reply_timeout(source, &table.reply_seconds, usual.reply_timeout)?,
        ..usual
    };
    Ok(table.enabled.then_some(config))
}

/// The key that is named for a server, which must not travel readable for everybody on the way.
fn key_for(
    source: &Source<'_>,
    named: Option<&Spanned<String>>,
    (written, base_url): (&Spanned<String>, &BaseUrl),
    data: &DataDir,
) -> Result<Option<KeyFile>, ConfigError> {
    let Some(named) = named else { return Ok(None) };
    let name = source.key(named)?;
    if base_url.locality() == Locality::Remote && !base_url.to_string().starts_with("https:") {
        return Err(source.at(written, "a key leaves this device over `https` only"));
    }
    Ok(Some(KeyFile::new(data.path(), name)))
}

/// What a model holds in tokens, where somebody says so.
fn window(
    source: &Source<'_>,
    given: &Number,
    usual: Option<u32>,
) -> Result<Option<u32>, ConfigError> {
    if given.is_none() {
        return Ok(usual);
    }
    source.within(given, LEAST_WINDOW, MOST_WINDOW, LEAST_WINDOW).map(Some)
}

pub(super) fn reply_timeout(
    source: &Source<'_>,
    given: &Number,
    usual: Duration,
) -> Result<Duration, ConfigError> {
    source.seconds(given, 1, 600, usual)
}
