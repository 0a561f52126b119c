//! A node in a terminal, built from the public interface of Sovereign's crates alone.
//!
//! `assemble` shows what is installed and where each plugin may go, `commands` what can be asked for,
//! `terminal` how a person is asked.
mod assemble;
mod cli;
mod commands;
mod config;
mod data_dir;
mod exit;
mod logging;
mod signals;
mod terminal;
#[cfg_attr(not(test), expect(dead_code, reason = "the daemon serves it"))]
mod web;

use assemble::Node;
use clap::Parser as _;
use cli::{Cli, Command, ModelFlags};
use config::Config;
use data_dir::DataDir;
use exit::{Exit, NodeError};
use std::process::ExitCode;
use std::time::Duration;

/// How long work that cannot be interrupted may hold up the end.
const PATIENCE: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        // what it says may hold what somebody asked: only where it was
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        terminal::note(format_args!("a panic at {place}"));
    }));
    let cli = Cli::parse();
    let ended = std::panic::catch_unwind(|| run(cli).unwrap_or_else(|error| error.tell()));
    ended.unwrap_or(Exit::Internal).into()
}

fn run(cli: Cli) -> Result<Exit, NodeError> {
    logging::start(cli.verbose)?;
    let place = DataDir::locate(cli.data_dir.as_deref())?;
    // a configuration that is wrong is said by every command that goes by it or changes something
    let open = |flags: &ModelFlags| {
        let data = DataDir::open(place.clone())?;
        let config = Config::load(cli.config.as_deref(), &data.config(), flags)?;
        Ok::<_, NodeError>((data, config))
    };
    let plain = || Ok::<_, NodeError>(open(&ModelFlags::default())?.0);
    match cli.command {
        Command::Ask(ask) => {
            let (data, config) = open(&ask.model)?;
            within_runtime(async { commands::ask(&Node::open(&data, config)?, ask).await })
        }
        Command::Chat { model } => {
            let (data, config) = open(&model)?;
            within_runtime(async { commands::chat(&Node::open(&data, config)?).await })
        }
        Command::Tools { json, scope } => commands::tools(&plain()?, json, scope),
        Command::Grants(command) => within_runtime(commands::grants(&plain()?, command)),
        Command::Policy(command) => within_runtime(commands::policy(&plain()?, command)),
        // who only reads makes nothing
        Command::Audit(command) => commands::audit(&DataDir::existing(place)?, &command),
    }
}

fn within_runtime(work: impl Future<Output = Result<Exit, NodeError>>) -> Result<Exit, NodeError> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().map_err(NodeError::System)?;
    let exit = runtime.block_on(work);
    runtime.shutdown_timeout(PATIENCE);
    exit
}
