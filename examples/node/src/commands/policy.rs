use super::backends::remote_said;
use crate::assemble::{administration, looking, registry};
use crate::cli::{Policy, Scope};
use crate::data_dir::{DataDir, DataDirError};
use crate::exit::{Exit, NodeError};
use crate::terminal::{Style, print};
use sovereign_core::capability::{Confirmation, Descriptor, Network, SideEffect};
use sovereign_core::executor::Switched;
use sovereign_core::host::{Executor, Registry};
use sovereign_core::policy::{Denial, RemoteInference, Source, StaleEntry, State};
use std::fmt::Write as _;

/// Which capabilities are switched on on this device.
pub(crate) async fn policy(data: &DataDir, command: Policy) -> Result<Exit, NodeError> {
    let text = match command {
        Policy::List => {
            let (executor, (_, policy)) = looking(data)?;
            let stale = policy.stale(executor.registry()).map_err(DataDirError::from)?;
            let remote = remote_said(policy.remote_inference());
            format!("models off this device: {remote}\n{}{}", list(&executor), leftover(&stale))
        }
        Policy::Remote { answer } => {
            let remote = RemoteInference::from(answer);
            let changed = administration(data)?.0.set_remote_inference(remote).await?;
            let already = if changed { "" } else { ", as it was already" };
            format!("models off this device: {}{already}\n", remote_said(remote))
        }
        Policy::DropStale { also_off } => {
            let stale = data.files().1.stale(&registry(data)?).map_err(DataDirError::from)?;
            let drop: Vec<_> = stale.into_iter().filter(|e| e.enabled || also_off).collect();
            let dropped = administration(data)?.0.drop_stale(drop).await?;
            format!("{dropped} entries taken out\n")
        }
        Policy::Enable(selection) => {
            let (administration, registry) = administration(data)?;
            let target = spelled_out(&registry, &selection.name);
            told(&administration.enable(&target).await?)
        }
        Policy::Disable(selection) => {
            let (administration, registry) = administration(data)?;
            let target = spelled_out(&registry, &selection.name);
            told(&administration.disable(&target).await?)
        }
        Policy::Explain { selection, scope } => {
            let executor = looking(data)?.0;
            let target = spelled_out(executor.registry(), &selection.name);
            explain(&executor, &target, scope)?
        }
    };
    print(&text).map_err(NodeError::Output)?;
    Ok(Exit::Answered)
}

/// A namespace may be written without its `.*`, as long as nothing has it for a name.
fn spelled_out(registry: &Registry, name: &str) -> String {
    let below = format!("{name}.");
    let is_capability = registry.descriptors().any(|d| d.name() == name);
    let is_namespace = registry.descriptors().any(|d| d.name().starts_with(&below));
    if is_namespace && !is_capability { format!("{below}*") } else { name.to_owned() }
}

fn told(switched: &[Switched]) -> String {
    let line = |one: &Switched| {
        let state = if one.enabled { "on" } else { "off" };
        let already = if one.changed { "" } else { " already" };
        format!("{}@{} is {state}{already}\n", one.name, one.version)
    };
    switched.iter().map(line).collect()
}

fn list(executor: &Executor) -> String {
    let operator = Scope::Operator.caller();
    let line = |d: &'static Descriptor| {
        let switch = match executor.policy().explain(&operator, d).switch {
            Ok(state) => said(&state, d),
            Err(closed) => format!("off ({closed})"),
        };
        format!("{}@{}: {switch}\n", d.name(), d.version())
    };
    executor.registry().descriptors().map(line).collect()
}

/// What an update left behind.
fn leftover(stale: &[StaleEntry]) -> String {
    let line = |entry: &StaleEntry| {
        let set = if entry.enabled { "switched on" } else { "switched off" };
        format!("  {entry} ({set} here)\n")
    };
    if stale.is_empty() {
        return String::new();
    }
    let lines: String = stale.iter().map(line).collect();
    format!(
        "entries that do nothing:\n{lines}  `sovereign-node policy drop-stale` takes them out\n"
    )
}

/// `on, set for web.*`
fn said(state: &State, d: &Descriptor) -> String {
    let on = if state.enabled { "on" } else { "off" };
    match &state.source {
        Source::Name => format!("{on}, set for it"),
        Source::Namespace(namespace) => format!("{on}, set through `{namespace}`"),
        Source::Class => format!("{on}, as {} is unless set", class(d)),
        told => format!("{on}; {told}"),
    }
}

const fn class(d: &Descriptor) -> &'static str {
    match d.confirmation() {
        Confirmation::Automatic => "what only reads and stays on the device",
        Confirmation::Required => "what changes something or leaves the device",
    }
}

fn explain(executor: &Executor, target: &str, scope: Scope) -> Result<String, NodeError> {
    let fits = |d: &&'static Descriptor| match target.strip_suffix(".*") {
        Some(namespace) => d.name().strip_prefix(namespace).is_some_and(|r| r.starts_with('.')),
        None => d.name() == target || format!("{}@{}", d.name(), d.version()) == target,
    };
    let explained = executor.registry().descriptors().filter(fits);
    let text: Vec<String> = explained.map(|d| one(executor, d, scope)).collect();
    if text.is_empty() {
        let names = executor.registry().descriptors().map(Descriptor::name);
        let names = names.collect::<Vec<_>>().join(", ");
        let what = target.escape_debug();
        return Err(NodeError::Usage(format!("`{what}` is not installed; there is: {names}")));
    }
    Ok(text.join("\n"))
}

fn one(executor: &Executor, d: &'static Descriptor, scope: Scope) -> String {
    let style = Style::of_stdout();
    let explanation = executor.policy().explain(&scope.caller(), d);
    let (name, kind, category) = (d.name(), scope.kind(), d.category());
    let flag = match scope {
        Scope::Operator => "",
        Scope::Mesh => " --scope mesh",
    };
    let mut text = format!("{}\n", style.bold(format!("{name}@{}", d.version())));
    // writing to a String cannot fail
    let _ = writeln!(text, "  what     {}", d.description());
    let asks = match (d.side_effect, d.network) {
        (SideEffect::ReadOnly, Network::Local) => {
            "it only reads and stays on the device: runs without asking"
        }
        (SideEffect::ReadOnly, Network::External) => "it leaves the device: asks each time",
        (SideEffect::Mutating, Network::Local) => "it changes something: asks each time",
        (SideEffect::Mutating, Network::External) => {
            "it changes something and leaves the device: asks each time"
        }
    };
    let _ = writeln!(text, "  class    {asks}");
    match explanation.granted {
        Ok(held) => {
            let (holds, command) = if explanation.holds_category {
                ("holds", "remove")
            } else {
                ("does not hold", "add")
            };
            let _ = writeln!(text, "  grant    {kind} {holds} {category} (it holds: {held})");
            let change = format!("sovereign-node grants {command} {category}{flag}");
            let _ = writeln!(text, "           to change it: {change}");
        }
        Err(closed) => {
            let _ = writeln!(text, "  grant    {kind} holds nothing: {closed}");
        }
    }
    match explanation.switch {
        Ok(state) => {
            let command = if state.enabled { "disable" } else { "enable" };
            let _ = writeln!(text, "  switch   {}", said(&state, d));
            let _ =
                writeln!(text, "           to change it: sovereign-node policy {command} {name}");
        }
        Err(closed) => {
            let _ = writeln!(text, "  switch   off: {closed}");
        }
    }
    let may_confirm = scope.caller().may_confirm();
    let verdict = match explanation.verdict.as_ref().map_err(Denial::code) {
        Ok(()) if d.confirmation() == Confirmation::Required && !may_confirm => {
            "refused at confirm (caller_cannot_confirm): nobody can be asked there".to_owned()
        }
        Ok(()) => "admitted, as far as it goes without the arguments".to_owned(),
        Err(code) => format!("refused at policy ({code}); a model does not see it"),
    };
    let _ = writeln!(text, "  verdict  {verdict}");
    text
}
