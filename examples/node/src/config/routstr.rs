//! `[routstr]`: replies that are paid for. Without the table nothing is.
use super::ConfigError;
use super::backends::{LEAST_WINDOW, MOST_TOKENS, MOST_WINDOW, on, reply_timeout};
use super::source::{Number, Source, Text};
use crate::data_dir::DataDir;
use serde::Deserialize;
use sovereign_backends::routstr::{
    Payment, ROUTSTR_MAX_MSAT_PER_TURN, ROUTSTR_URL, ROUTSTR_WINDOW, RoutstrConfig,
};
use sovereign_backends::{ASSISTANT_HTTP_TIMEOUT, ASSISTANT_MAX_TOKENS, BaseUrl, KeyFile};
use sovereign_core::backend::Locality;
use std::time::Duration;
use toml::Spanned;

/// A turn that may cost more than this was not meant.
const MOST_SATS: u32 = 100_000;
const MSAT: u64 = 1_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoutstrTable {
    #[serde(default = "on")]
    enabled: bool,
    base_url: Text,
    model: Spanned<String>,
    key: Text,
    #[serde(default)]
    purse: bool,
    max_sats_per_turn: Number,
    max_tokens: Number,
    window: Number,
    reply_seconds: Number,
    probe_seconds: Number,
}

/// What pays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pay {
    Key(KeyFile),
    /// The one in the data directory, which is not opened to know this.
    Purse,
}

/// One model of one node, and what it may cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Paid {
    pub(crate) base_url: BaseUrl,
    pub(crate) model: String,
    pub(crate) pay: Pay,
    max_msat_per_turn: u64,
    max_tokens: u32,
    window: u32,
    reply_timeout: Duration,
    probe_timeout: Duration,
}

impl Paid {
    pub(crate) const fn key(&self) -> Option<&KeyFile> {
        match &self.pay {
            Pay::Key(key) => Some(key),
            Pay::Purse => None,
        }
    }

    /// For the adapter, once the purse is open.
    pub(crate) fn by(&self, payment: Payment) -> RoutstrConfig {
        RoutstrConfig {
            max_tokens: self.max_tokens,
            window: self.window,
            max_msat_per_turn: self.max_msat_per_turn,
            reply_timeout: self.reply_timeout,
            probe_timeout: self.probe_timeout,
            ..RoutstrConfig::new(self.base_url.clone(), self.model.clone(), payment)
        }
    }
}

pub(super) fn routstr(
    source: &Source<'_>,
    table: Option<&Spanned<RoutstrTable>>,
    data: &DataDir,
) -> Result<Option<Paid>, ConfigError> {
    let Some(whole) = table else { return Ok(None) };
    let table = whole.as_ref();
    let base_url = match &table.base_url {
        Some(written) => source.url(written)?,
        None => ROUTSTR_URL.parse()?,
    };
    if let Some(written) = &table.base_url
        && base_url.locality() == Locality::Remote
        && !base_url.to_string().starts_with("https:")
    {
        return Err(source.at(written, "money leaves this device over `https` only"));
    }
    let pay = match (&table.key, table.purse) {
        (Some(named), false) => Pay::Key(KeyFile::new(data.path(), source.key(named)?)),
        (None, true) => Pay::Purse,
        _ => {
            let what =
                "it is paid by a `key = \"NAME\"` or with `purse = true`, and by one of them";
            return Err(source.at(whole, what));
        }
    };
    let usual = u32::try_from(ROUTSTR_MAX_MSAT_PER_TURN / MSAT).unwrap_or(MOST_SATS);
    let sats = source.within(&table.max_sats_per_turn, 1, MOST_SATS, usual)?;
    let probe = Duration::from_secs(5);
    let paid = Paid {
        base_url,
        model: source.model(&table.model)?.to_owned(),
        pay,
        max_msat_per_turn: u64::from(sats).saturating_mul(MSAT),
        max_tokens: source.within(&table.max_tokens, 16, MOST_TOKENS, ASSISTANT_MAX_TOKENS)?,
        window: source.within(&table.window, LEAST_WINDOW, MOST_WINDOW, ROUTSTR_WINDOW)?,
        reply_timeout: reply_timeout(source, &table.reply_seconds, ASSISTANT_HTTP_TIMEOUT)?,
        probe_timeout: source.seconds(&table.probe_seconds, 1, 60, probe)?,
    };
    Ok(table.enabled.then_some(paid))
}
