use super::Argument;
use super::lines::{folded, plural, warned};
use super::receiver::receiver;
use super::rows::rows;
use super::script::mixed;
use crate::caller::Category;
use crate::capability::{Descriptor, Network, SideEffect};
use crate::display::Visible;
use crate::schema::RawArguments;
use serde::Serialize;
use std::fmt;

/// What one call would do. Text and fields show the values that the capability gets, each as one row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DisclosedCall {
    /// Registered name.
    pub capability: &'static str,
    /// Its version.
    pub version: u32,
    /// What it does, in its author's line.
    pub description: &'static str,
    /// The permission category.
    pub category: Category,
    /// Does it change anything?
    pub side_effect: SideEffect,
    /// Does anything leave the device?
    pub network: Network,
    /// Every argument, in the order of the schema.
    pub arguments: Vec<Argument>,
    /// Size of the arguments in bytes, as they were received.
    pub argument_bytes: usize,
    /// Who receives what leaves: a host in ASCII form with its port, or the capability's words in
    /// quotes.
    pub destination: Option<String>,
    /// What will change, in the capability's words, escaped.
    pub effect: Option<String>,
    /// What to look at twice in destination and effect: words that mix scripts.
    pub warnings: Vec<String>,
}

impl DisclosedCall {
    /// `None` when a value would be left out.
    pub(crate) fn of(
        d: &Descriptor,
        raw: &RawArguments,
        destination: Option<&str>,
        effect: Option<&str>,
    ) -> Option<Self> {
        let hooks = [destination, effect].into_iter().flatten();
        Some(Self {
            capability: d.name(),
            version: d.version(),
            description: d.description(),
            category: d.category(),
            side_effect: d.side_effect,
            network: d.network,
            arguments: rows(&d.arguments, raw.as_str())?,
            argument_bytes: raw.as_bytes().len(),
            destination: destination.map(receiver),
            effect: effect.map(|text| Visible(text).to_string()),
            warnings: hooks.flat_map(mixed).collect(),
        })
    }

    /// Whether the arguments leave this device.
    #[must_use]
    pub const fn leaves_device(&self) -> bool {
        matches!(self.network, Network::External)
    }

    /// Whether something is changed.
    #[must_use]
    pub const fn changes_something(&self) -> bool {
        matches!(self.side_effect, SideEffect::Mutating)
    }

    /// What two proposals that ask a person the same have in common, however their bytes are spaced or
    /// ordered.
    pub(super) fn question(&self) -> Vec<String> {
        let mut parts = vec![self.capability.to_owned(), self.version.to_string()];
        for argument in self.arguments.iter().filter(|a| !is_nothing(a)) {
            parts.extend([argument.name.clone(), argument.value.clone().unwrap_or_default()]);
        }
        parts.push(self.destination.clone().unwrap_or_default());
        parts
    }
}

/// Absent and `null` are one value to a capability.
fn is_nothing(argument: &Argument) -> bool {
    argument.value.as_deref().is_none_or(|value| value == "null")
}

impl fmt::Display for DisclosedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}@{} ({})", self.capability, self.version, self.category)?;
        writeln!(f, "  {}", self.description)?;
        if self.arguments.is_empty() {
            writeln!(f, "  no arguments")?;
        }
        for argument in &self.arguments {
            row(f, argument)?;
        }
        if self.leaves_device() {
            let (bytes, s) = (self.argument_bytes, plural(self.argument_bytes));
            let to = self.destination.as_deref().unwrap_or("a service outside this device");
            folded(f, &format!("These {bytes} byte{s} of arguments leave this device, to {to}."))?;
        } else {
            writeln!(f, "  Nothing leaves this device.")?;
            if let Some(destination) = &self.destination {
                folded(f, &format!("It goes to {destination}."))?;
            }
        }
        match (&self.effect, self.changes_something()) {
            (Some(effect), true) => folded(f, &format!("It changes something: {effect}"))?,
            (None, true) => writeln!(f, "  It changes something.")?,
            (_, false) => writeln!(f, "  It changes nothing.")?,
        }
        warned(f, &self.warnings)
    }
}

fn row(f: &mut fmt::Formatter<'_>, argument: &Argument) -> fmt::Result {
    let name = &argument.name;
    let Some(value) = &argument.value else { return writeln!(f, "  {name} is not given") };
    let (kind, bytes) = (argument.kind.word(), argument.bytes);
    let size = match argument.kind {
        super::ValueKind::Text => format!(", {bytes} byte{}", plural(bytes)),
        _ => String::new(),
    };
    let default = if argument.is_default { ", by default" } else { "" };
    folded(f, &format!("{name} = {value} ({kind}{size}{default})"))?;
    warned(f, &argument.warnings)
}
