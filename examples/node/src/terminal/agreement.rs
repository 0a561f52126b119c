use super::Tty;
use crate::exit::NodeError;

/// What a person said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Yes,
    No,
}

/// Asks the person at the controlling terminal whether a command shall do what cannot be undone. Only
/// `word` agrees; anything else, the end of input and no terminal do not.
pub(crate) async fn agrees(what: &str, word: &str) -> Result<Asked, NodeError> {
    let Some(mut tty) = Tty::open() else {
        super::note("there is no terminal to ask at; `--yes` does it without asking");
        return Ok(Asked::No);
    };
    let asked = async {
        tty.write(&format!("{what}\n"))?;
        // what stands in the queue was typed before this could be read
        tty.discard_typed()?;
        tty.write(&format!("Type `{word}` to do it; anything else leaves it as it is.\n> "))?;
        tty.line().await
    };
    let line = asked.await.map_err(NodeError::System)?;
    let agreed = line.as_deref().and_then(|line| line.strip_suffix(b"\n")) == Some(word.as_bytes());
    Ok(if agreed { Asked::Yes } else { Asked::No })
}
