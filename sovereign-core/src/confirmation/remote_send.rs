use super::lines::{folded, plural, warned};
use super::receiver::{quoted, receiver};
use super::script::mixed;
use serde::Serialize;
use std::fmt;

/// A turn that would go to a model off this device: who receives it, and what it is. A yes holds for
/// this turn and this receiver, and for the turn's later rounds too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RemoteSend {
    /// The backend.
    pub backend: &'static str,
    /// Who receives it: a host in ASCII form with its port.
    pub receiver: String,
    /// The model, in quotes, when it is named.
    pub model: Option<String>,
    /// What would be sent now.
    pub sends: Payload,
    /// Whether more is sent later in this turn: the results of what the model asks for.
    pub results_follow: bool,
    /// What to look at twice: words that mix scripts, a way that others can read.
    pub warnings: Vec<String>,
}

/// What one request to a model holds, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Payload {
    /// All of it in bytes, without what the wire puts around it.
    pub bytes: usize,
    /// Core's own instructions, in bytes.
    pub system_prompt_bytes: usize,
    /// How many capabilities are described, with their arguments.
    pub capabilities: usize,
    /// The person's words of this turn, in bytes.
    pub request_bytes: usize,
    /// How many earlier turns, as the transcript keeps them.
    pub earlier_turns: usize,
    /// Whether a summary of turns before those is in it.
    pub summary: bool,
    /// The capabilities whose results or records are in it, each once, as `name@version`.
    pub results: Vec<String>,
}

impl RemoteSend {
    /// `named` is the receiver's address with its scheme.
    pub(crate) fn to(
        backend: &'static str,
        named: &str,
        model: Option<&str>,
        sends: Payload,
        results_follow: bool,
    ) -> Self {
        let mut warnings = mixed(named);
        warnings.extend(model.into_iter().flat_map(mixed));
        if !named.starts_with("https://") {
            warnings.push("the way there is not encrypted".to_owned());
        }
        let (receiver, model) = (receiver(named), model.map(quoted));
        Self { backend, receiver, model, sends, results_follow, warnings }
    }
}

impl fmt::Display for RemoteSend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { backend, receiver, model, sends, .. } = self;
        writeln!(f, "Send this turn to a model off this device ({backend})")?;
        folded(f, &format!("It goes to {receiver}."))?;
        match model {
            Some(model) => folded(f, &format!("The model is {model}."))?,
            None => writeln!(f, "  The model is not named.")?,
        }
        let counted = |n: usize, what: &str| format!("{n} {what}{}", plural(n));
        folded(f, &format!("{} would be sent:", counted(sends.bytes, "byte")))?;
        let system = counted(sends.system_prompt_bytes, "byte");
        folded(f, &format!("- this device's instructions ({system})"))?;
        if sends.capabilities > 0 {
            let what = if sends.capabilities == 1 { "capability" } else { "capabilities" };
            folded(f, &format!("- what {} {what} can do", sends.capabilities))?;
        }
        folded(
            f,
            &format!("- your words of this turn ({})", counted(sends.request_bytes, "byte")),
        )?;
        if sends.earlier_turns > 0 {
            folded(f, &format!("- {} before this one", counted(sends.earlier_turns, "turn")))?;
        }
        if sends.summary {
            folded(f, "- a summary of turns before those")?;
        }
        if !sends.results.is_empty() {
            folded(f, &format!("- what came of {}", sends.results.join(", ")))?;
        }
        if self.results_follow {
            folded(f, "- and later the results of what you ask it to do in this turn.")?;
        }
        folded(f, "Your yes holds for this turn and this receiver only.")?;
        warned(f, &self.warnings)
    }
}
