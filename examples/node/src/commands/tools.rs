use crate::assemble::looking;
use crate::cli::Scope;
use crate::data_dir::DataDir;
use crate::exit::{Exit, NodeError};
use crate::terminal::{Style, json, print};
use sovereign_core::caller::{CallerScope, ScopeKind};
use sovereign_core::capability::Confirmation;
use sovereign_core::host::Executor;
use std::fmt::Write as _;

/// The catalog as one caller's model sees it.
pub(crate) fn tools(data: &DataDir, as_json: bool, scope: Scope) -> Result<Exit, NodeError> {
    let (executor, _) = looking(data)?;
    let caller = scope.caller();
    let text = if as_json {
        json(&executor.catalog(&caller).entries())
    } else {
        Ok(shown(&executor, &caller, Style::of_stdout()))
    };
    text.and_then(|text| print(&text)).map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

/// How many capabilities this caller's model does not see.
pub(crate) fn hidden(executor: &Executor, caller: &CallerScope) -> usize {
    let all = executor.registry().descriptors();
    all.filter(|d| executor.policy().explain(caller, d).verdict.is_err()).count()
}

/// For a person: also what is hidden, and why.
pub(crate) fn shown(executor: &Executor, caller: &CallerScope, style: Style) -> String {
    let catalog = executor.catalog(caller);
    let mut text =
        format!("{}\n", style.bold(format!("A model that answers {} sees", who(caller))));
    if catalog.entries().is_empty() {
        text.push_str("  nothing\n");
    }
    for entry in catalog.entries() {
        let asks = match entry.confirmation {
            Confirmation::Automatic => "runs by itself",
            Confirmation::Required => "asks you each time",
        };
        // writing to a String cannot fail
        let _ = writeln!(text, "  {}@{} ({}, {asks})", entry.name, entry.version, entry.category);
        let _ = writeln!(text, "    {}", style.dim(entry.description));
    }
    let hidden = executor.registry().descriptors().filter_map(|d| {
        let denial = executor.policy().explain(caller, d).verdict.err()?;
        Some(format!("  {}@{} ({}): {}\n", d.name(), d.version(), d.category(), denial.code()))
    });
    let hidden: String = hidden.collect();
    if !hidden.is_empty() {
        let _ = write!(text, "{}\n{hidden}", style.bold("Hidden from it"));
        text.push_str("  `sovereign-node policy explain NAME` says what would change that\n");
    }
    text
}

fn who(caller: &CallerScope) -> &'static str {
    match caller.kind() {
        ScopeKind::Operator => "the operator",
        ScopeKind::Mesh => "a mesh peer",
        // kinds of later versions
        _ => "this caller",
    }
}
