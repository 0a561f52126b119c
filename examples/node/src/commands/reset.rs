use super::history::alone;
use crate::assemble::administration_of;
use crate::cli::Reset;
use crate::data_dir::DataDir;
use crate::exit::{Exit, NodeError};
use crate::inventory::{Fate, INVENTORY, Item};
use crate::terminal::{Asked, agrees, note, print};
use sovereign_core::display::Visible;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Back to how it was installed.
pub(crate) async fn reset(data: &DataDir, Reset { all, yes }: Reset) -> Result<Exit, NodeError> {
    // nobody else writes here until this ends
    let lock = if all {
        Lock::Alone(alone(data)?)
    } else {
        Lock::Recording(administration_of(data, data.files())?.0)
    };
    print(&plan(data, all)?).map_err(NodeError::Output)?;
    if !yes && agrees("This cannot be undone.", "reset").await? == Asked::No {
        note("nothing was changed");
        return Ok(Exit::NotDone);
    }
    if let Lock::Recording(administration) = &lock {
        administration.reset().await?;
    }
    for item in INVENTORY.iter().filter(|item| all || item.fate == Fate::Goes) {
        remove(&data.path().join(item.name)).map_err(NodeError::System)?;
    }
    sync(data.path()).map_err(NodeError::System)?;
    drop(lock);
    if all {
        // somebody else's files keep it
        drop(fs::remove_dir(data.path()));
    }
    print("done; the next command begins as on the first day\n").map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

/// What keeps others out meanwhile.
enum Lock {
    /// The log goes on and records the reset.
    Recording(sovereign_core::executor::Administration),
    /// The log goes as well; none when it could not be opened by anybody.
    Alone(
        #[expect(dead_code, reason = "held")]
        Option<std::sync::Arc<sovereign_core::audit::FileAudit>>,
    ),
}

/// What goes and what stays, by name.
fn plan(data: &DataDir, all: bool) -> Result<String, NodeError> {
    let mut text = format!("A reset of `{}`\n", Visible(&data.path().to_string_lossy()));
    let line = |item: &Item| format!("    {}: {}\n", item.name, item.what);
    let mut section = |title: &str, fits: &dyn Fn(Fate) -> bool| {
        let there = |item: &&Item| data.path().join(item.name).symlink_metadata().is_ok();
        let lines: String =
            INVENTORY.iter().filter(|item| fits(item.fate)).filter(there).map(line).collect();
        if !lines.is_empty() {
            // writing to a String cannot fail
            let _ = write!(text, "  {title}\n{lines}");
        }
    };
    section("takes away", &|fate| all || fate == Fate::Goes);
    section("puts back to what a fresh install has", &|fate| !all && fate == Fate::Fresh);
    section("leaves", &|fate| !all && fate == Fate::Stays);
    let others = others(data.path()).map_err(NodeError::System)?;
    if !others.is_empty() {
        let _ = writeln!(text, "  leaves, because it is not this program's\n    {others}");
    }
    text.push_str("  What was deleted may be read from the disk itself until it is overwritten.\n");
    Ok(text)
}

fn others(directory: &Path) -> io::Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !INVENTORY.iter().any(|item| item.name == name) {
            names.push(Visible(&name).to_string());
        }
    }
    names.sort();
    Ok(names.join(", "))
}

/// A symbolic link goes itself, never what it leads to.
fn remove(path: &Path) -> io::Result<()> {
    let gone = match path.symlink_metadata() {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match gone {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        gone => gone,
    }
}

fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
