//! Money.
use clap::Subcommand;
use sovereign_backends::routstr::TokenId;

pub(super) const PURSE: &str = "\
Examples:
  sovereign-node purse add                    asks for a token, and shows nothing of it
  sovereign-node purse add --stdin < token
  sovereign-node purse list
  sovereign-node purse recover
  sovereign-node purse withdraw 3

A Cashu token is cash: whoever reads it can spend it. No command but `withdraw` shows one. A terminal
takes lines of up to 4095 bytes; a longer token comes with `--stdin`. While `serve`, `ask` or `chat` may
pay from the purse, only `list` can be used.";

#[derive(Debug, Subcommand)]
pub(crate) enum Purse {
    /// Shows what each token is worth and what became of it, and never the token.
    List {
        /// One JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Puts a token in, to pay with.
    Add {
        /// Takes it from standard input.
        #[arg(long)]
        stdin: bool,
    },
    /// Asks the configured node what became of tokens that were sent to it, and keeps the change.
    Recover,
    /// Takes a token out and shows it, to be spent elsewhere; it is not paid with any more.
    Withdraw {
        /// Its number in the list.
        #[arg(value_name = "NUMBER")]
        token: TokenId,
        /// Shows it also where standard output is no terminal.
        #[arg(long)]
        stdout: bool,
    },
    /// Pays with a token again, because you know that it is unspent.
    Release {
        /// Its number in the list.
        #[arg(value_name = "NUMBER")]
        token: TokenId,
    },
    /// Forgets a token for good that was withdrawn or is worth nothing.
    Discard {
        /// Its number in the list.
        #[arg(value_name = "NUMBER")]
        token: TokenId,
    },
}
