//! What a shell and `man` need to know of the command line.
use crate::cli::Cli;
use crate::exit::{Exit, NodeError};
use crate::terminal::print;
use clap::CommandFactory as _;
use clap_complete::Shell;
use std::path::Path;

const NAME: &str = "sovereign-node";

pub(crate) fn completions(shell: Shell) -> Result<Exit, NodeError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), NAME, &mut script);
    print(&String::from_utf8_lossy(&script)).map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

/// The page of the program, or one file for each command in a directory.
pub(crate) fn man(out: Option<&Path>) -> Result<Exit, NodeError> {
    if let Some(directory) = out {
        std::fs::create_dir_all(directory).map_err(NodeError::Output)?;
        clap_mangen::generate_to(Cli::command(), directory).map_err(NodeError::Output)?;
        return Ok(Exit::Answered);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page).map_err(NodeError::Output)?;
    print(&String::from_utf8_lossy(&page)).map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}
