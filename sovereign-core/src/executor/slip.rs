//! The obligation to end: made when a proposal arrives, closed exactly once, by `close` or by drop.

use super::{Core, Ending, Outcome, Proposal, TurnLedger, code};
use crate::audit::{CallRecord, Mark, Named, Point, Record, Stage};
use crate::capability::{Descriptor, SideEffect};
use crate::clock::Moment;
use crate::display::Visible;
use crate::id::InvocationId;
use std::sync::Arc;

/// How many characters of a name that nobody registered are repeated to the model.
const MAX_QUOTED: usize = 64;

pub(crate) struct Slip {
    pub(crate) id: InvocationId,
    pub(crate) core: Arc<Core>,
    pub(crate) turn: Arc<TurnLedger>,
    pub(crate) point: Point,
    pub(crate) descriptor: Option<&'static Descriptor>,
    /// As it was asked for, escaped and cut: for the model's eyes, never for the log.
    proposed: String,
    name_bytes: usize,
    argument_bytes: usize,
    opened: Moment,
    /// Set right before the capability's own code starts.
    pub(crate) begun: bool,
    closed: bool,
}

impl Slip {
    pub(crate) fn open(core: &Arc<Core>, turn: &Arc<TurnLedger>, proposal: &Proposal) -> Self {
        turn.opened();
        let head: String = proposal.name.chars().take(MAX_QUOTED).collect();
        Self {
            id: core.ids.invocation(),
            core: Arc::clone(core),
            turn: Arc::clone(turn),
            point: Point::Parse,
            descriptor: None,
            proposed: Visible(&head).to_string(),
            name_bytes: proposal.name.len(),
            argument_bytes: proposal.arguments.as_ref().map_or(0, |raw| raw.as_bytes().len()),
            opened: core.clock.now(),
            begun: false,
            closed: false,
        }
    }

    pub(crate) const fn at(&mut self, stage: Stage) {
        self.point = Point::At(stage);
    }

    pub(crate) fn record(&self, mark: Mark) -> CallRecord {
        let named = match self.descriptor {
            Some(d) => Named::Registered {
                name: d.name(),
                version: d.version(),
                side_effect: d.side_effect,
                network: d.network,
            },
            None => Named::Unregistered { name_bytes: self.name_bytes },
        };
        CallRecord {
            id: self.id,
            turn: self.turn.turn(),
            at: self.core.clock.wall(),
            caller: self.turn.scope().kind(),
            named,
            point: self.point,
            mark,
            code: None,
            changed: None,
            argument_bytes: self.argument_bytes,
            result_bytes: 0,
            took: self.core.clock.now().since(self.opened),
        }
    }

    pub(crate) fn close(mut self, ending: Ending) -> Outcome {
        self.end(ending)
    }

    fn end(&mut self, ending: Ending) -> Outcome {
        self.closed = true;
        let mut record = self.record(Mark::End(ending.kind()));
        record.code = ending.code();
        if let Ending::Executed { result, changed, .. } = &ending {
            record.changed = *changed;
            record.result_bytes = result.as_ref().map_or(0, |r| r.as_str().len());
        }
        let ending = match self.core.append(Record::Call(record)) {
            Ok(()) => ending,
            Err(error) => {
                tracing::error!(invocation = %self.id, %error, "an outcome could not be recorded");
                unrecorded(ending)
            }
        };
        let outcome = Outcome {
            audit_id: self.id,
            capability: self.descriptor.map(Descriptor::name),
            version: self.descriptor.map(Descriptor::version),
            proposed: self.descriptor.is_none().then(|| std::mem::take(&mut self.proposed)),
            ending,
        };
        self.turn.settled(outcome.clone());
        outcome
    }

    /// How a call ends that is cut off where it stands.
    pub(crate) fn cut_off(&self, code: &'static str) -> Ending {
        match (self.point, self.descriptor.map(|d| d.side_effect)) {
            (Point::At(Stage::Execute), _) if !self.begun => Ending::Cancelled { code },
            (Point::At(Stage::Execute), Some(SideEffect::Mutating)) => {
                Ending::UnknownEffect { code }
            }
            (Point::At(Stage::Execute), _) if code == code::CANCELLED => Ending::Cancelled { code },
            (Point::At(Stage::Execute), _) => Ending::Failed { code, message: "" },
            (Point::At(Stage::Confirm), _) => Ending::Void { code: code::TURN_GONE },
            _ => Ending::NotAttempted,
        }
    }
}

/// A result that no record vouches for is withheld; that it ran is still said.
fn unrecorded(ending: Ending) -> Ending {
    match ending {
        Ending::Executed { changed, .. } => Ending::Executed {
            result: None,
            code: Some(code::AUDIT_UNAVAILABLE),
            changed,
            citations: Vec::new(),
        },
        other => other,
    }
}

impl Drop for Slip {
    fn drop(&mut self) {
        if !self.closed {
            let panics = std::thread::panicking();
            let ending = self.cut_off(if panics { code::PANICKED } else { code::CANCELLED });
            self.end(ending);
        }
    }
}
