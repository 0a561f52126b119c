//! The table `[mesh]`: who may ask over a radio link, and what that may cost.

use super::ConfigError;
use super::source::{Number, Source};
use crate::mesh::{Contacts, MeshConfig, Peer, Sent};
use serde::Deserialize;
use sovereign_core::caller::Categories;
use sovereign_core::conversation::TurnLimits;
use std::collections::BTreeMap;
use toml::Spanned;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct MeshTable {
    enabled: bool,
    trusted_only: Option<bool>,
    allowed_contacts: BTreeMap<Spanned<String>, Vec<Spanned<String>>>,
    denied_askers: Vec<Spanned<String>>,
    others: Option<Spanned<Vec<Spanned<String>>>>,
    remote: bool,
    turns_per_hour: Number,
    concurrent: Number,
    queued: Number,
    message_bytes: Number,
    reply_bytes: Number,
}

/// `None` while it is not enabled; what is wrong is said all the same.
pub(super) fn mesh(
    source: &Source<'_>,
    table: &MeshTable,
    limits: TurnLimits,
) -> Result<Option<MeshConfig>, ConfigError> {
    let usual = MeshConfig::default();
    let within = |given: &Number, least, most, usual: usize| {
        let usual = u32::try_from(usual).unwrap_or(most);
        let value = source.within(given, least, most, usual)?;
        Ok::<_, ConfigError>(usize::try_from(value).unwrap_or(usize::MAX))
    };
    let config = MeshConfig {
        contacts: contacts(source, table)?,
        sent: if table.remote { Sent::ByPolicy } else { Sent::OnDevice },
        turns_per_hour: within(&table.turns_per_hour, 1, 1_000, usual.turns_per_hour)?,
        concurrent: within(&table.concurrent, 1, 16, usual.concurrent)?,
        queued: within(&table.queued, 0, 64, usual.queued)?,
        message_bytes: within(&table.message_bytes, 1, 4_096, usual.message_bytes)?,
        reply_bytes: within(&table.reply_bytes, 64, 4_096, usual.reply_bytes)?,
        limits,
    };
    Ok(table.enabled.then_some(config))
}

fn contacts(source: &Source<'_>, table: &MeshTable) -> Result<Contacts, ConfigError> {
    let peer = |id: &Spanned<String>| Peer::parse(id.as_ref()).map_err(|no| source.at(id, no));
    let mut contacts = Contacts::default();
    for (id, words) in &table.allowed_contacts {
        contacts = contacts.allow(peer(id)?, categories(source, words)?);
    }
    for id in &table.denied_askers {
        contacts = contacts.deny(peer(id)?);
    }
    match (table.trusted_only.unwrap_or(true), &table.others) {
        (false, others) => {
            let words = others.as_ref().map_or(&[][..], |others| others.as_ref());
            Ok(contacts.admit_others(categories(source, words)?))
        }
        (true, None) => Ok(contacts),
        (true, Some(others)) => {
            let what = "`others` holds nothing while `trusted_only` is true: leave it out";
            Err(source.at(others, what))
        }
    }
}

fn categories(source: &Source<'_>, words: &[Spanned<String>]) -> Result<Categories, ConfigError> {
    let mut categories = Categories::NONE;
    for word in words {
        categories.insert_word(word.as_ref()).map_err(|no| source.at(word, no))?;
    }
    Ok(categories)
}

#[cfg(test)]
#[path = "mesh_tests.rs"]
mod tests;
