//! The configuration file: strict TOML, flags over it.
//!
//! One table per backend, with what it is asked for and how long it may take; `[limits]` of a turn and
//! `[history]` of a transcript can be lowered and not raised. Where a server stands decides what it is:
//! an address off loopback makes a remote leg, whatever its table is called. A key is never in here,
//! only the name of its file.
mod backends;
mod mesh;
mod routstr;
mod source;

pub(crate) use backends::Backends;
pub(crate) use routstr::{Paid, Pay};

use crate::cli::ModelFlags;
use crate::confinement::{IS_BUILT, Local, NOT_BUILT};
use crate::data_dir::DataDir;
use crate::mesh::MeshConfig;
use backends::{ClaudeTable, OllamaTable, OpenAiTable};
use routstr::RoutstrTable;
use serde::Deserialize;
use source::{Number, Source, read};
use sovereign_backends::BaseUrlError;
use sovereign_core::conversation::TurnLimits;
use sovereign_core::display::Visible;
use sovereign_core::history::Retention;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::Spanned;

const DAY: u64 = 24 * 3600;

/// What a run needs to know besides the data directory.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) backends: Backends,
    pub(crate) limits: TurnLimits,
    pub(crate) retention: Retention,
    /// None: nobody listens for peers.
    pub(crate) mesh: Option<MeshConfig>,
    /// Where the code of local capabilities runs.
    pub(crate) local: Local,
}

/// Why a configuration does not hold.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("cannot read `{}`", Visible(&path.to_string_lossy()))]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("`{}` is longer than {limit} bytes", Visible(&path.to_string_lossy()))]
    TooLong { path: PathBuf, limit: u64 },
    #[error("`{}`, line {line}: {what}", Visible(&path.to_string_lossy()))]
    Wrong { path: PathBuf, line: usize, what: String },
    #[error("a built-in address does not hold")]
    BuiltIn(#[from] BaseUrlError),
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    ollama: OllamaTable,
    openai: Vec<Spanned<OpenAiTable>>,
    claude: Option<ClaudeTable>,
    routstr: Option<Spanned<RoutstrTable>>,
    limits: LimitsTable,
    history: HistoryTable,
    mesh: mesh::MeshTable,
    confinement: ConfinementTable,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ConfinementTable {
    local: Option<Spanned<Local>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LimitsTable {
    rounds: Number,
    proposals: Number,
    turn_seconds: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct HistoryTable {
    turns: Number,
    days: Number,
    kibibytes: Number,
}

impl Config {
    /// From `named`, which must be there, or from the file in the data directory, which need not.
    pub(crate) fn load(
        named: Option<&Path>,
        data: &DataDir,
        flags: &ModelFlags,
    ) -> Result<Self, ConfigError> {
        let usual = data.config();
        let path = named.unwrap_or(&usual);
        let text = match read(path) {
            Err(ConfigError::Unreadable { source, .. })
                if named.is_none() && source.kind() == io::ErrorKind::NotFound =>
            {
                String::new()
            }
            read => read?,
        };
        Self::of(&Source { path, text: &text }, data, flags)
    }

    fn of(source: &Source<'_>, data: &DataDir, flags: &ModelFlags) -> Result<Self, ConfigError> {
        let file: File = toml::from_str(source.text).map_err(|error| {
            // the library's own display draws a picture of several lines
            let what = error.message().lines().collect::<Vec<_>>().join(" ");
            source.wrong(error.span().map_or(0, |span| span.start), what)
        })?;
        let limits = limits(source, &file.limits)?;
        let retention = retention(source, &file.history)?;
        let backends = Backends {
            ollama: backends::ollama(source, &file.ollama, flags)?,
            openai: backends::openai(source, &file.openai, data)?,
            claude: backends::claude(source, file.claude.as_ref(), data)?,
            claude_by_key: file.claude.is_none(),
            routstr: routstr::routstr(source, file.routstr.as_ref(), data)?,
        };
        let backends = if flags.no_model { Backends::default() } else { backends };
        let mesh = mesh::mesh(source, &file.mesh, limits)?;
        let local = local(source, &file.confinement, IS_BUILT)?;
        Ok(Self { backends, limits, retention, mesh, local })
    }
}

/// Never less than what is written: who wants confinement gets it or an error.
fn local(
    source: &Source<'_>,
    table: &ConfinementTable,
    is_built: bool,
) -> Result<Local, ConfigError> {
    match &table.local {
        Some(local) if *local.as_ref() == Local::Seccomp && !is_built => {
            Err(source.at(local, NOT_BUILT))
        }
        Some(local) => Ok(*local.as_ref()),
        None => Ok(Local::default()),
    }
}

fn limits(source: &Source<'_>, table: &LimitsTable) -> Result<TurnLimits, ConfigError> {
    let most = TurnLimits::default();
    let (rounds, proposals) = (most.max_rounds(), most.max_proposals());
    let seconds = u32::try_from(most.max_time().as_secs()).unwrap_or(u32::MAX);
    let rounds = source.within(&table.rounds, 1, rounds.into(), rounds.into())?;
    let proposals = source.within(&table.proposals, 0, proposals.into(), proposals.into())?;
    let seconds = source.within(&table.turn_seconds, 1, seconds, seconds)?;
    Ok(most
        .rounds(u16::try_from(rounds).unwrap_or(u16::MAX))
        .proposals(u16::try_from(proposals).unwrap_or(u16::MAX))
        .time(Duration::from_secs(seconds.into())))
}

fn retention(source: &Source<'_>, table: &HistoryTable) -> Result<Retention, ConfigError> {
    let most = Retention::default();
    let number = |usual: usize| u32::try_from(usual).unwrap_or(u32::MAX);
    let (turns, kibibytes) = (number(most.max_turns()), number(most.max_bytes() >> 10));
    let days = u32::try_from(most.max_age().as_secs() / DAY).unwrap_or(u32::MAX);
    let turns = source.within(&table.turns, 1, turns, turns)?;
    let days = source.within(&table.days, 1, days, days)?;
    let kibibytes = source.within(&table.kibibytes, 128, kibibytes, kibibytes)?;
    let number = |given: u32| usize::try_from(given).unwrap_or(usize::MAX);
    Ok(most
        .turns(number(turns))
        .age(Duration::from_secs(u64::from(days).saturating_mul(DAY)))
        .bytes(number(kibibytes).saturating_mul(1 << 10)))
}

#[cfg(test)]
mod tests;
