use super::stale::class;
use super::{Denial, State};
use crate::caller::{Categories, ScopeKind, Unavailable};
use crate::capability::{Confirmation, Descriptor};
use std::fmt;

/// Where each answer about one capability and one scope comes from; shown as lines, for an operator.
///
/// # Example
/// ```text
/// web.fetch@1: refused (not_enabled)
///   class: read_only, external
///   grants: operator holds search, system
///   switch: off; nobody set it: the default of its class
///   confirmation: a person decides each call
///   own check: asked with the arguments of each call
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Explanation {
    /// What was asked about.
    pub descriptor: &'static Descriptor,
    /// For whom.
    pub scope: ScopeKind,
    /// What the scope holds.
    pub granted: Result<Categories, Unavailable>,
    /// Whether that includes this capability's category.
    pub holds_category: bool,
    /// The switch and what set it.
    pub switch: Result<State, Unavailable>,
    /// Whether a person decides each call; the class says so.
    pub confirmation: Confirmation,
    /// Whether a person sits behind this scope who can.
    pub may_confirm: bool,
    /// What policy answers, before the capability's own check, which needs arguments.
    pub verdict: Result<(), Denial>,
}

impl Explanation {
    /// The code of what such a call would be refused with, whatever its arguments; none when it gets as
    /// far as the capability's own check, and a person who can be asked.
    #[must_use]
    pub fn refused(&self) -> Option<&'static str> {
        let asks = self.confirmation == Confirmation::Required;
        match &self.verdict {
            Err(denial) => Some(denial.code()),
            Ok(()) if asks && !self.may_confirm => Some("caller_cannot_confirm"),
            Ok(()) => None,
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let d = self.descriptor;
        write!(f, "{}@{}: ", d.name(), d.version())?;
        match self.refused() {
            Some(code) => writeln!(f, "refused ({code})")?,
            None => writeln!(f, "admitted")?,
        }
        writeln!(f, "  class: {}", class(d.side_effect, d.network))?;
        match &self.granted {
            Ok(held) => {
                let words = held.words().join(", ");
                let words = if words.is_empty() { "nothing" } else { &words };
                let needs = d.category();
                write!(f, "  grants: {} holds {words}", self.scope)?;
                writeln!(
                    f,
                    "{}",
                    if self.holds_category { String::new() } else { format!(", not {needs}") }
                )?;
            }
            Err(unavailable) => writeln!(f, "  grants: {unavailable}")?,
        }
        match &self.switch {
            Ok(State { enabled, source }) => {
                writeln!(f, "  switch: {}; {source}", if *enabled { "on" } else { "off" })?;
            }
            Err(unavailable) => writeln!(f, "  switch: {unavailable}")?,
        }
        let confirmation = match (self.confirmation, self.may_confirm) {
            (Confirmation::Automatic, _) => "none, it runs without asking",
            (Confirmation::Required, true) => "a person decides each call",
            (Confirmation::Required, false) => {
                "a person decides each call, and there is none behind this caller"
            }
        };
        writeln!(f, "  confirmation: {confirmation}")?;
        f.write_str("  own check: asked with the arguments of each call")
    }
}
