use super::super::purse::{amount, unspent};
use super::Line;
use crate::assemble::registry;
use crate::cli::Scope;
use crate::config::{Config, Paid, Pay};
use crate::confinement::Local;
use crate::data_dir::DataDir;
use crate::exit::told;
use crate::inventory::INVENTORY;
use sovereign_backends::routstr::{Held, Holding, Purse};
use sovereign_core::audit;
use sovereign_core::caller::ScopeKind;
use sovereign_core::files::{self, FileError};
use sovereign_core::history::{self, ReadError};
use std::fs;
use std::path::{Path, PathBuf};

/// Less than this and the audit log soon takes nothing more.
const TOO_LITTLE: u64 = 16 << 20;
const LITTLE: u64 = 512 << 20;

pub(super) fn directory(place: PathBuf) -> (Line, Option<DataDir>) {
    let check = "data directory";
    let shown = place.to_string_lossy().into_owned();
    match DataDir::existing(place) {
        Ok(data) => (Line::ok(check, format!("{shown}, yours alone")), Some(data)),
        Err(error) if error.is_missing() => {
            let line = Line::warn(check, format!("there is none at {shown} yet"));
            (line.do_this("use the node once: `sovereign-node tools`"), None)
        }
        Err(error) => (Line::fail(check, told(&error)), None),
    }
}

/// Whether anything was ever written there.
pub(super) fn is_used(data: &DataDir) -> bool {
    ["audit", "grants.json", "policy.json"]
        .iter()
        .any(|name| data.path().join(name).symlink_metadata().is_ok())
}

pub(super) fn space(directory: &Path) -> Line {
    let check = "disk space";
    let stat = match rustix::fs::statvfs(directory) {
        Ok(stat) => stat,
        Err(error) => return Line::warn(check, format!("cannot be found out: {error}")),
    };
    let bytes = stat.f_bavail.saturating_mul(stat.f_frsize);
    let what = format!("{} MiB free", bytes >> 20);
    match bytes {
        0..TOO_LITTLE => Line::fail(check, what).do_this("make room: without it nothing can run"),
        TOO_LITTLE..LITTLE => Line::warn(check, what).do_this("make room soon"),
        _ => Line::ok(check, what),
    }
}

/// Everything that must be its owner's alone, one line for each that is not.
pub(super) fn private(data: &DataDir) -> Vec<Line> {
    let check = "modes";
    let mut looked_at = 0_usize;
    let mut wrong = Vec::new();
    let mut open: Vec<PathBuf> = INVENTORY
        .iter()
        // what a person writes holds no secret; a socket is no file
        .filter(|item| !["config.toml", "mesh.sock"].contains(&item.name))
        .map(|item| data.path().join(item.name))
        .collect();
    while let Some(path) = open.pop() {
        let Ok(found) = path.symlink_metadata() else { continue };
        looked_at = looked_at.saturating_add(1);
        let checked = if found.is_dir() {
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|e| e.path()));
            files::check_private_dir(&path)
        } else {
            files::open_private(&path).map(drop)
        };
        match checked {
            Ok(()) | Err(FileError::Missing { .. }) => {}
            Err(error) => wrong.push(Line::fail(check, told(&error))),
        }
    }
    if wrong.is_empty() {
        wrong.push(Line::ok(check, format!("{looked_at} files and directories, yours alone")));
    }
    wrong
}

pub(super) fn grants(data: &DataDir) -> Line {
    match data.files().0.held(ScopeKind::Operator) {
        Ok(held) => Line::ok("grants", format!("you hold {held}")),
        Err(error) => Line::fail("grants", error.to_string()),
    }
}

pub(super) fn policy(data: &DataDir) -> Vec<Line> {
    let check = "policy";
    let policy = data.files().1;
    if let Err(error) = policy.check() {
        return vec![Line::fail(check, error.to_string())];
    }
    let word = policy.remote_inference().word();
    let mut lines = vec![Line::ok(check, format!("models off this device: {word}"))];
    let registry = match registry(data) {
        Ok(registry) => registry,
        Err(error) => return vec![Line::fail("registry", told(&error))],
    };
    for entry in policy.stale(&registry).unwrap_or_default() {
        let line = Line::warn(check, format!("an entry does nothing: {entry}"));
        lines.push(line.do_this("`sovereign-node policy drop-stale`"));
    }
    lines
}

pub(super) fn audit(data: &DataDir) -> Line {
    let check = "audit log";
    if data.audit().symlink_metadata().is_err() {
        return Line::fail(check, "it is gone").do_this(
            "put it back from a backup, or begin anew with `sovereign-node audit start-anew`",
        );
    }
    match audit::verify(&data.audit()) {
        Ok(found) => Line::ok(check, format!("whole, {}", counted(found.records, "record"))),
        Err(error) => Line::fail(check, told(&error)).do_this(
            "keep a copy of it for whoever finds out what happened, then move it away and \
             `sovereign-node audit start-anew`",
        ),
    }
}

/// Only one program writes to a data directory at a time, and whoever finds it taken wants to know which.
pub(super) fn writer(data: &DataDir) -> Line {
    match audit::writer(&data.audit()) {
        Some(pid) => Line::ok("in use", format!("by the program with the process id {pid}")),
        None => Line::ok("in use", "by nobody"),
    }
}

pub(super) fn history(data: &DataDir) -> Line {
    let check = "history";
    match history::read(&data.history(), &Scope::Operator.caller()) {
        Ok(transcript) => {
            let turns = u64::try_from(transcript.turns.len()).unwrap_or(u64::MAX);
            Line::ok(check, format!("{} of yours", counted(turns, "turn")))
        }
        Err(error @ ReadError::Damaged { .. }) => Line::warn(check, told(&error))
            .do_this("nothing: the next conversation sets it aside and begins anew"),
        Err(error) => Line::fail(check, told(&error)),
    }
}

/// Whether peers on a radio link may ask, where the configuration lets them.
pub(super) fn mesh(data: &DataDir, config: &Config) -> Option<Line> {
    let check = "mesh";
    let contacts = &config.mesh.as_ref()?.contacts;
    if contacts.count() == 0 && !contacts.admits_others() {
        let line = Line::warn(check, "it is enabled, and nobody may ask");
        return Some(
            line.do_this("name contacts in `[mesh.allowed_contacts]` of the configuration"),
        );
    }
    let others = if contacts.admits_others() { ", and so may everybody else" } else { "" };
    Some(match data.files().0.held(ScopeKind::Mesh) {
        Ok(held) => {
            let count = contacts.count();
            Line::ok(check, format!("{count} may ask by name{others}; they hold at most {held}"))
        }
        Err(error) => Line::fail(check, error.to_string()),
    })
}

/// What is in the purse, where there is one or shall be one.
pub(super) fn purse(data: &DataDir, config: &Config) -> Option<Line> {
    let check = "purse";
    let pays = config.backends.routstr.as_ref().is_some_and(|paid| paid.pay == Pay::Purse);
    if !pays && data.purse().symlink_metadata().is_err() {
        return None;
    }
    let held = match Purse::look(&data.purse()) {
        Ok(purse) => purse.held(),
        Err(error) => return Some(Line::fail(check, told(&error))),
    };
    let open = |held: &&Held| {
        matches!(held.holding, Holding::Sent { .. } | Holding::Unclaimed { .. } | Holding::Unread)
    };
    let open = u64::try_from(held.iter().filter(open).count()).unwrap_or(u64::MAX);
    let left = format!("{} to pay with", amount(Some(unspent(&held))));
    Some(match open {
        0 => Line::ok(check, left),
        _ => Line::warn(check, format!("{left}, and {} in the open", counted(open, "token")))
            .do_this("`sovereign-node purse list` says what became of each"),
    })
}

/// Where local capabilities run, where the configuration asks for something.
pub(super) fn confinement(config: &Config) -> Option<Line> {
    let check = "confinement";
    Some(match config.local {
        Local::Off => return None,
        Local::Seccomp => match config.local.tried() {
            Ok(()) => Line::ok(check, "local capabilities can open no socket and start no program"),
            Err(error) => Line::fail(check, told(&error)),
        },
    })
}

fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Of keys that are there, whether they can be used.
pub(super) fn keys(config: &Config) -> Vec<Line> {
    let claude = config.backends.claude.iter().filter_map(|claude| claude.key.as_ref());
    let openai = config.backends.openai.iter().filter_map(|server| server.key.as_ref());
    let routstr = config.backends.routstr.iter().filter_map(Paid::key);
    let there = claude.chain(openai).chain(routstr).filter(|key| key.is_there());
    let line = |key: &sovereign_backends::KeyFile| match key.check() {
        Ok(()) => Line::ok("key", format!("{} can be used", key.path().to_string_lossy())),
        Err(error) => Line::fail("key", error.to_string()),
    };
    there.map(line).collect()
}
