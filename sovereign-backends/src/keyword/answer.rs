//! What is said, in fixed sentences: nothing here is generated.
use super::fields::fields;
use sovereign_core::catalog::CatalogEntry;
use sovereign_core::executor::{Ending, Outcome, code};
use std::fmt::Write as _;

/// In every answer.
pub(super) const NO_MODEL: &str = "No language model was used: your words were matched with the \
     descriptions of the installed capabilities, and results are printed as they are.";

/// What became of each proposal.
pub(super) fn report(outcomes: &[&Outcome]) -> String {
    let parts = outcomes.iter().map(|outcome| {
        let name = outcome.capability.unwrap_or("an unknown capability");
        match outcome.result() {
            Some(result) => format!("{name}:\n{}", fields(result, "  ")),
            None => format!("{}\n", explained(name, &outcome.ending)),
        }
    });
    signed(&parts.collect::<Vec<_>>().join("\n"))
}

/// One sentence for an ending without a result.
fn explained(name: &str, ending: &Ending) -> String {
    let (what, code) = match ending {
        Ending::ParseFailed { code, .. } => {
            ("did not run: its arguments could not be read", Some(*code))
        }
        Ending::BudgetExhausted { code } => {
            ("did not run: its limit for one question is used up", Some(*code))
        }
        Ending::Refused(refusal) => (refused(refusal.code), Some(refusal.code)),
        Ending::Denied => ("did not run: it was not approved", None),
        Ending::Expired => ("did not run: nobody approved it in time", None),
        Ending::Void { code } => {
            ("did not run: the question whether it may was withdrawn", Some(*code))
        }
        Ending::Executed { code, .. } => ("ran, but its result is withheld", *code),
        Ending::Cancelled { code } => ("was stopped before anything was changed", Some(*code)),
        Ending::Failed { code, message } if !message.is_empty() => {
            return format!("{name} failed, and nothing was changed (`{code}`): {message}");
        }
        Ending::Failed { code, .. } => ("failed, and nothing was changed", Some(*code)),
        Ending::UnknownEffect { code } => {
            ("was cut off and may have had its effect; look before you ask again", Some(*code))
        }
        Ending::NotAttempted => ("was not tried", None),
    };
    let code = code.map(|code| format!(" (`{code}`)")).unwrap_or_default();
    format!("{name} {what}{code}.")
}

fn refused(code: &str) -> &'static str {
    match code {
        "not_granted" => "was refused: its category is not granted to you",
        "not_enabled" => "was refused: it is not enabled on this device",
        code::UNKNOWN_CAPABILITY => "was refused: there is no such capability",
        code::INVALID_ARGUMENTS => "was refused: its arguments do not fit",
        code::CALLER_CANNOT_CONFIRM => {
            "was refused: it needs a person's approval, and you cannot give it here"
        }
        code::ALREADY_DENIED => "was refused: you have said no to exactly this",
        _ => "was refused",
    }
}

/// Said when the words fit nothing, several things, or one that needs more than words.
pub(super) fn cannot(why: &str, entries: &[CatalogEntry]) -> String {
    let mut text = format!("{why}\n\n");
    if entries.is_empty() {
        text.push_str("There is nothing that I may use for you.\n");
    } else {
        text.push_str("What I may use for you:\n");
        for entry in entries {
            // writing to a String cannot fail
            writeln!(text, "  {}: {}", entry.name, entry.description).unwrap_or_default();
        }
    }
    signed(&text)
}

fn signed(text: &str) -> String {
    format!("{text}\n{NO_MODEL}")
}

#[cfg(test)]
mod tests {
    use super::{explained, refused};
    use sovereign_core::executor::Ending;

    #[test]
    fn an_ending_is_explained_by_outcome_and_code() {
        for (ending, said) in [
            (Ending::Denied, "web.fetch did not run: it was not approved."),
            (Ending::Expired, "web.fetch did not run: nobody approved it in time."),
            (
                Ending::Failed { code: "unreachable", message: "nothing answers" },
                "web.fetch failed, and nothing was changed (`unreachable`): nothing answers",
            ),
            (
                Ending::UnknownEffect { code: "timeout" },
                "web.fetch was cut off and may have had its effect; look before you ask again (`timeout`).",
            ),
            (
                Ending::Executed {
                    result: None,
                    code: Some("result_too_large"),
                    changed: None,
                    citations: Vec::new(),
                },
                "web.fetch ran, but its result is withheld (`result_too_large`).",
            ),
        ] {
            assert_eq!(explained("web.fetch", &ending), said);
        }
        assert_eq!(refused("not_enabled"), "was refused: it is not enabled on this device");
        assert_eq!(refused("port_not_allowed"), "was refused");
    }
}
