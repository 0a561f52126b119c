//! What happens inside, on standard error, for whoever asks for it.
//!
//! Only this project's own events: a library's could hold what was sent or received.

use crate::exit::NodeError;
use std::io::{self, IsTerminal as _};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

/// How much is said: `error`, `warn`, `info`, `debug` or `trace`.
const VARIABLE: &str = "SOVEREIGN_LOG";

/// Says nothing unless `verbose` or the variable asks for it.
pub(crate) fn start(verbose: bool) -> Result<(), NodeError> {
    let asked = std::env::var(VARIABLE).ok().filter(|word| !word.is_empty());
    let level = match &asked {
        Some(word) => word.parse::<LevelFilter>().map_err(|_| {
            let words = "`error`, `warn`, `info`, `debug`, `trace` or `off`";
            NodeError::Usage(format!("`{VARIABLE}` is none of {words}"))
        })?,
        None if verbose => LevelFilter::INFO,
        None => return Ok(()),
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none());
    // by prefix: every crate of this project
    let ours = Targets::new().with_target("sovereign", level);
    tracing_subscriber::registry().with(lines.with_filter(ours)).init();
    Ok(())
}
