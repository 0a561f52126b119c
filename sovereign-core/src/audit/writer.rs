use crate::files::open_private;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The process that has the log in `directory` open for writing, as far as the system tells (on Linux it
/// does); none when there is none.
///
/// Takes no lock itself, so that it is in nobody's way.
#[must_use]
pub fn writer(directory: &Path) -> Option<u32> {
    let mut lock = open_private(&directory.join("lock")).ok()?;
    let inode = lock.metadata().ok()?.ino();
    let mut pid = String::new();
    lock.by_ref().take(16).read_to_string(&mut pid).ok()?;
    let pid: u32 = pid.trim().parse().ok()?;
    // the note stays when a writer is gone, the lock does not
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    locks.lines().any(|line| holds(line, pid, inode)).then_some(pid)
}

/// One line: `1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF`.
fn holds(line: &str, pid: u32, inode: u64) -> bool {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let [_, "FLOCK", _, "WRITE", holder, file, ..] = fields[..] else { return false };
    let held = file.rsplit(':').next().and_then(|inode| inode.parse().ok());
    holder.parse() == Ok(pid) && held == Some(inode)
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
