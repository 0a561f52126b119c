//! A node in a terminal, built from the public interface of Sovereign's crates alone.
//!
//! `assemble` shows what is installed and where each plugin may go, `commands` what can be asked for,
//! `terminal` how a person is asked, [`serve`] how a browser is served,
//! [`mesh`] how peers on a radio link are. It is a library so that tests
//! can put a daemon together from other parts; the program is [`run`] and nothing else.
mod aiui_dev;
mod assemble;
mod cli;
mod commands;
mod config;
mod confinement;
mod data_dir;
mod exit;
mod inventory;
mod legs;
mod logging;
pub mod mesh;
pub mod serve;
mod signals;
mod terminal;
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

/// The program: reads the command line, does it, and gives the exit status.
#[must_use]
pub fn run() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        // what it says may hold what somebody asked: only where it was
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        terminal::note(format_args!("a panic at {place}"));
    }));
    let cli = Cli::parse();
    let ended = std::panic::catch_unwind(|| perform(cli).unwrap_or_else(|error| error.tell()));
    ended.unwrap_or(Exit::Internal).into()
}

fn perform(cli: Cli) -> Result<Exit, NodeError> {
    // a daemon has nobody at its side: it says what happens without being asked
    logging::start(cli.verbose || matches!(cli.command, Command::Serve(_)))?;
    let place = match &cli.command {
        // these two need no place to keep anything
        Command::Completions { shell } => return commands::completions(*shell),
        Command::Man { out } => return commands::man(out.as_deref()),
        _ => DataDir::locate(cli.data_dir.as_deref())?,
    };
    // a configuration that is wrong is said by every command that goes by it or changes something
    let open = |flags: &ModelFlags| {
        let data = DataDir::open(place.clone())?;
        let config = Config::load(cli.config.as_deref(), &data, flags)?;
        Ok::<_, NodeError>((data, config))
    };
    let usual = || open(&ModelFlags::default());
    let plain = || Ok::<_, NodeError>(usual()?.0);
    match cli.command {
        Command::Ask(ask) => {
            let (data, config) = open(&ask.model)?;
            within_runtime(async { commands::ask(&Node::open(data, config)?, ask).await })
        }
        Command::Chat { memory, model } => {
            let (data, config) = open(&model)?;
            within_runtime(async {
                commands::chat(&Node::open(data, config)?, memory.memory()).await
            })
        }
        Command::AiuiDev(asked) => {
            let (data, config) = open(&asked.model)?;
            within_runtime(commands::aiui_dev(&data, &config, &asked))
        }
        Command::Tools { json, scope } => commands::tools(&plain()?, json, scope),
        Command::Backends { json } => {
            let (data, config) = usual()?;
            within_runtime(commands::backends(&data, &config, json))
        }
        Command::Grants(command) => within_runtime(commands::grants(&plain()?, command)),
        Command::Policy(command) => within_runtime(commands::policy(&plain()?, command)),
        Command::Purse(command) => {
            let (data, config) = usual()?;
            within_runtime(commands::purse(&data, &config, command))
        }
        Command::Serve(serve) => {
            let (data, config) = open(&serve.model)?;
            within_runtime(async { commands::serve(&data, config, &serve).await })
        }
        Command::Passwd { user, stdin } => {
            within_runtime(commands::passwd(&plain()?, &user, stdin))
        }
        Command::Users => commands::users(&plain()?),
        Command::Keys(command) => {
            let (data, config) = usual()?;
            within_runtime(commands::keys(&data, &config, command))
        }
        // who only reads, or takes away, makes nothing
        Command::History(command) => {
            within_runtime(commands::history(&DataDir::existing(place)?, command))
        }
        Command::Audit(command) => commands::audit(&DataDir::existing(place)?, &command),
        Command::Doctor { json } => {
            within_runtime(commands::doctor(place, cli.config.as_deref(), json))
        }
        Command::Reset(command) => {
            within_runtime(commands::reset(&DataDir::existing(place)?, command))
        }
        Command::Completions { .. } | Command::Man { .. } => Ok(Exit::Answered),
    }
}

fn within_runtime(work: impl Future<Output = Result<Exit, NodeError>>) -> Result<Exit, NodeError> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().map_err(NodeError::System)?;
    let exit = runtime.block_on(work);
    runtime.shutdown_timeout(PATIENCE);
    exit
}
