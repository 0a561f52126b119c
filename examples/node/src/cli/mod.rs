//! What may stand on the command line.
mod authority;
mod kept;
mod purse;

pub(crate) use authority::{Grant, Grants, Policy};
pub(crate) use kept::{Audit, Clear, History, Key, Keys, Reset};
pub(crate) use purse::Purse;

use crate::assemble::Memory;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use sovereign_backends::BaseUrl;
use sovereign_core::caller::{CallerScope, ScopeKind};
use std::net::IpAddr;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  sovereign-node ask \"how much space is left?\"
  sovereign-node ask --json \"is the machine well?\" | jq .receipts
  sovereign-node chat
  sovereign-node backends
  sovereign-node serve
  sovereign-node policy explain web.fetch
  sovereign-node grants add search && sovereign-node policy enable web.fetch
  sovereign-node doctor

Exit status:
  0  answered, or done
  1  something inside failed; for `audit verify`: the log is damaged or gone; for `doctor`: something
     is not as it must be
  2  wrong use: command line or configuration
  3  something was needed and did not happen: refused, denied, expired, out of budget, or failed
  4  no backend gave an answer
  129, 130, 143  stopped by a signal (HUP, INT, TERM)

Files, in the data directory: `config.toml` (optional), `grants.json`, `policy.json`, `audit/`,
`history/`, `secrets/`, `purse/`.";

const ASK: &str = "\
Examples:
  sovereign-node ask \"how much space is left?\"
  sovereign-node ask --no-model disk
  sovereign-node ask --no-history --json \"is the machine well?\"

The answer of one `ask` is known to the next one, and to `chat`: all of them belong to the operator of
this device. `sovereign-node history` shows what is kept.";

const CHAT: &str = "\
Examples:
  sovereign-node chat
  sovereign-node chat --model qwen3:8b
  printf 'how much space is left?\\n' | sovereign-node chat --no-history";

const SERVE: &str = "\
Examples:
  sovereign-node serve
  sovereign-node serve --port 9000 --no-model
  ssh -L 8420:127.0.0.1:8420 home sovereign-node serve      then open the link on this side

At its first start it prints a link that lets the operator in, once, within ten minutes.";

const PASSWD: &str = "\
Examples:
  sovereign-node passwd                       asks twice at the terminal, and shows nothing
  pass show home | sovereign-node passwd operator --stdin

Sessions of that account end, in a daemon that runs as well.";

const USERS: &str = "\
Examples:
  sovereign-node users";

const TOOLS: &str = "\
Examples:
  sovereign-node tools
  sovereign-node tools --scope mesh
  sovereign-node tools --json | jq '.[].name'";

const BACKENDS: &str = "\
Examples:
  sovereign-node backends
  sovereign-node backends --json | jq '.[] | select(.state == \"ready\")'

Nothing is sent off this device to find out: of a remote backend only its key is looked at.";

const DOCTOR: &str = "\
Examples:
  sovereign-node doctor
  sovereign-node doctor --json | jq '.[] | select(.state != \"ok\")'

It changes nothing and takes no lock. Exit status 1 when a line says `fail`.";

const COMPLETIONS: &str = "\
Examples:
  sovereign-node completions bash > ~/.local/share/bash-completion/completions/sovereign-node
  sovereign-node completions fish > ~/.config/fish/completions/sovereign-node.fish";

const MAN: &str = "\
Examples:
  sovereign-node man | man -l -
  sovereign-node man --out ~/.local/share/man/man1";

/// Answers questions about this machine: a model proposes, six stages decide, you confirm, the
/// audit log keeps what really ran.
#[derive(Debug, Parser)]
#[command(name = "sovereign-node", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// Where everything is kept; without it `$XDG_DATA_HOME/sovereign` or `~/.local/share/sovereign`.
    #[arg(long, global = true, value_name = "DIR", env = "SOVEREIGN_DATA_DIR")]
    pub(crate) data_dir: Option<PathBuf>,

    /// The configuration; without it `config.toml` in the data directory, if there is one.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Says on standard error what happens inside, never what is asked or answered; `SOVEREIGN_LOG`
    /// sets how much (`error`, `warn`, `info`, `debug`, `trace`).
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Asks one question and prints the answer, who gave it, and receipts of what ran.
    #[command(after_help = ASK)]
    Ask(Ask),
    /// Talks, question after question; confirmations are asked in between.
    #[command(after_help = CHAT)]
    Chat {
        #[command(flatten)]
        memory: MemoryFlags,
        #[command(flatten)]
        model: ModelFlags,
    },
    /// Serves the node to a browser on this machine, until a signal comes.
    #[command(after_help = SERVE)]
    Serve(Serve),
    /// Sets the password of an account; also for one that was forgotten.
    #[command(after_help = PASSWD)]
    Passwd {
        /// Whose.
        #[arg(value_name = "USER", default_value = "operator")]
        user: String,
        /// Takes it from standard input, up to the first line end.
        #[arg(long)]
        stdin: bool,
    },
    /// Shows the accounts of `serve`.
    #[command(after_help = USERS)]
    Users,
    /// For work on the chat page alone: serves it without a node, for words to one model and back.
    AiuiDev(AiuiDev),
    /// Shows what a model may propose here, and what is hidden from it and why.
    #[command(after_help = TOOLS)]
    Tools {
        /// One JSON array: the catalog as the model's adapter gets it.
        #[arg(long)]
        json: bool,
        /// For whom.
        #[arg(long, value_enum, default_value_t = Scope::Operator)]
        scope: Scope,
    },
    /// Shows each backend in the order in which they are asked: whether it could answer now, and what
    /// to do when it could not.
    #[command(after_help = BACKENDS)]
    Backends {
        /// One JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Which categories of capabilities a kind of caller holds.
    #[command(subcommand, after_help = authority::GRANTS)]
    Grants(Grants),
    /// Which capabilities are switched on on this device, and whether a turn may leave it.
    #[command(subcommand, after_help = authority::POLICY)]
    Policy(Policy),
    /// Keys of backends off this device. No command ever shows one.
    #[command(subcommand, after_help = kept::KEYS)]
    Keys(Keys),
    /// Cashu tokens, from which a Routstr node is paid.
    #[command(subcommand, after_help = purse::PURSE)]
    Purse(Purse),
    /// Shows what is remembered of your conversations here, as it is kept.
    #[command(after_help = kept::HISTORY)]
    History(History),
    /// Reads the audit log; never writes to it.
    #[command(subcommand, after_help = kept::AUDIT)]
    Audit(Audit),
    /// Looks at everything that this node needs, and says what to do.
    #[command(after_help = DOCTOR)]
    Doctor {
        /// One JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Puts the node back to how it was installed, and says what that takes away.
    #[command(after_help = kept::RESET)]
    Reset(Reset),
    /// Prints what a shell needs to complete this program's command line.
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// For which shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Prints the manual page.
    #[command(after_help = MAN)]
    Man {
        /// Writes a page for each command into this directory.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// The question, in plain words; several words are one question.
    #[arg(value_name = "TEXT", required = true)]
    pub(crate) text: Vec<String>,
    /// Prints exactly one JSON object; everything else goes to standard error.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryFlags,
    #[command(flatten)]
    pub(crate) model: ModelFlags,
}

/// What of the past is known, and what is left behind.
#[derive(Debug, Default, Args)]
pub(crate) struct MemoryFlags {
    /// Knows nothing of earlier turns, and leaves none behind.
    #[arg(long)]
    no_history: bool,
}

impl MemoryFlags {
    pub(crate) const fn memory(&self) -> Memory {
        if self.no_history { Memory::None } else { Memory::Kept }
    }
}

/// Where to listen.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The port, on `127.0.0.1` and `::1`; 0 takes any.
    #[arg(long, value_name = "PORT", default_value_t = 8420)]
    pub(crate) port: u16,
    /// One more address to listen at. Browsers are answered under the names `127.0.0.1` and `localhost`
    /// all the same: this is for a forwarder (ssh, a container) that ends on this machine.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) listen: IpAddr,
    /// Allows an address that other machines reach, though nothing is encrypted on the way there.
    #[arg(long)]
    pub(crate) allow_unencrypted_network: bool,
    #[command(flatten)]
    pub(crate) model: ModelFlags,
}

/// Flags over the configuration.
#[derive(Debug, Default, Args)]
pub(crate) struct ModelFlags {
    /// Where Ollama listens; anything but loopback is not asked.
    #[arg(long, value_name = "URL")]
    pub(crate) ollama_url: Option<BaseUrl>,
    /// The model that Ollama shall use.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Asks no language model at all: words are matched with the catalog.
    #[arg(long, conflicts_with_all = ["ollama_url", "model"])]
    pub(crate) no_model: bool,
}

/// The development proxy; it listens on 127.0.0.1 and nowhere else.
#[derive(Debug, Args)]
pub(crate) struct AiuiDev {
    /// The port; 0 takes any.
    #[arg(long, value_name = "PORT", default_value_t = 8421)]
    pub(crate) port: u16,
    /// Who answers, by its name in `sovereign-node backends`; without it the first that has a model.
    #[arg(long, value_name = "NAME")]
    pub(crate) backend: Option<String>,
    /// How many messages one launch answers.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) requests: u32,
    /// For how long.
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub(crate) minutes: u32,
    #[command(flatten)]
    pub(crate) model: ModelFlags,
}
/// A kind of caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// The person at this device.
    Operator,
    /// Peers on a mesh link.
    Mesh,
}

impl Scope {
    pub(crate) const fn kind(self) -> ScopeKind {
        match self {
            Self::Operator => ScopeKind::Operator,
            Self::Mesh => ScopeKind::Mesh,
        }
    }

    /// A caller of this kind: for an operator, the one who sits at this terminal.
    pub(crate) fn caller(self) -> CallerScope {
        match self {
            Self::Operator => CallerScope::operator("operator", "terminal"),
            Self::Mesh => CallerScope::mesh("any"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory as _;

    #[test]
    fn command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
