use super::Style;
use sovereign_core::backend::{BackendIdentity, Locality};
use sovereign_core::conversation::{Answered, Report};
use sovereign_core::display::{Prose, Visible};
use sovereign_core::executor::Outcome;
use std::fmt::Write as _;

/// Where a person finds what a model does not see.
const WHY: &str = "`sovereign-node tools` says which and why";
/// How much of a result is shown beside its receipt, in characters.
const SHOWN: usize = 600;

/// Who answered, and who did not and why.
pub(crate) fn answered_by(answered: &Answered, style: Style) -> String {
    let mut text = match &answered.identity {
        Some(identity) => format!("Answered by {}\n", named(identity)),
        None => "Nobody answered\n".to_owned(),
    };
    for skipped in &answered.skipped {
        // writing to a String cannot fail
        let _ = writeln!(text, "  {} was skipped: {}", skipped.id, Prose(&skipped.reason));
    }
    style.dim(text).to_string()
}

/// `ollama (model qwen3:4b, on this device)`
pub(crate) fn named(identity: &BackendIdentity) -> String {
    let place = match identity.locality {
        Locality::Local => "on this device",
        Locality::Remote => "not on this device",
    };
    match &identity.model {
        Some(model) => format!("{} (model {}, {place})", identity.id, Visible(model)),
        None => format!("{} (no model, {place})", identity.id),
    }
}

/// What really ran, from the audit ids, each with what it gave.
pub(crate) fn receipts(
    report: &Report,
    outcomes: &[Outcome],
    hidden: usize,
    style: Style,
) -> String {
    if report.receipts.is_empty() {
        let hint = match hidden {
            0 => String::new(),
            1 => format!(" One capability is hidden here; {WHY}."),
            more => format!(" {more} capabilities are hidden here; {WHY}."),
        };
        return format!("{}\n", style.dim(format!("Nothing was run.{hint}")));
    }
    let mut text = format!("{}\n", style.bold("Receipts"));
    for receipt in &report.receipts {
        // writing to a String cannot fail
        let _ = writeln!(text, "  {receipt}");
        let outcome = outcomes.iter().find(|o| o.audit_id == receipt.audit_id);
        if let Some(result) = outcome.and_then(Outcome::result) {
            let _ = writeln!(text, "    {}", style.dim(cut(result)));
        }
    }
    text
}

/// Where results come from.
pub(crate) fn sources(report: &Report, style: Style) -> String {
    let mut text = String::new();
    if !report.citations.is_empty() {
        // writing to a String cannot fail
        let _ = writeln!(text, "{}", style.bold("Sources"));
    }
    for citation in &report.citations {
        let _ = write!(text, "  {}", Visible(&citation.url));
        if !citation.title.is_empty() {
            let _ = write!(text, " \"{}\"", Visible(&citation.title));
        }
        if let Some(at) = &citation.retrieved_at {
            let _ = write!(text, ", read {}", Visible(at));
        }
        text.push('\n');
    }
    text
}

/// JSON text, escaped; what is long is cut, and says so.
fn cut(json: &str) -> String {
    let shown: String = json.chars().take(SHOWN).collect();
    if shown.len() == json.len() {
        return Prose(json).to_string();
    }
    format!("{}… ({} bytes in all)", Prose(&shown), json.len())
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn long_results_are_cut_between_characters_and_say_so() {
        let long = "é".repeat(700);
        assert_eq!(cut(&long), format!("{}… (1400 bytes in all)", "é".repeat(600)));
        assert_eq!(cut("{\"a\":1}"), "{\"a\":1}");
    }
}
