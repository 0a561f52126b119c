//! One type per stage. Each function takes the previous type, so a wrong order does not compile.

use super::binding::Binding;
use super::ledger::Full;
use super::slip::Slip;
use super::supervise::{Running, supervise};
use super::{Ending, Outcome, Proposal, Refusal, Unparsed, code};
use crate::audit::{Mark, Point, Record, Stage};
use crate::capability::{Clearance, Confirmation, Descriptor, NotAllowed, Prepared};
use crate::clock::Moment;
use crate::confirmation::{AskError, ConfirmationRequest, Disclosure, Place, Verdict};
use crate::registry::Slot;
use crate::schema::RawArguments;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// A no, with the obligation to write it down.
pub(crate) struct Refused {
    slip: Slip,
    ending: Ending,
}

impl Refused {
    pub(crate) fn settle(self) -> Outcome {
        self.slip.close(self.ending)
    }
}

type Passed<T> = Result<T, Box<Refused>>;

fn ended<T>(slip: Slip, ending: Ending) -> Passed<T> {
    Err(Box::new(Refused { slip, ending }))
}

fn refuse<T>(mut slip: Slip, stage: Stage, code: &'static str) -> Passed<T> {
    slip.at(stage);
    ended(slip, Ending::Refused(Refusal { stage, code, violations: Vec::new() }))
}

/// Syntax was sound.
pub(crate) struct Parsed {
    slip: Slip,
    name: String,
    version: Option<u32>,
    arguments: RawArguments,
}

/// Names a registered capability, exactly.
pub(crate) struct Resolved {
    slip: Slip,
    slot: Arc<Slot>,
    arguments: RawArguments,
}

/// Decoded by the capability's own schema.
pub(crate) struct Validated {
    slip: Slip,
    slot: Arc<Slot>,
    arguments: RawArguments,
    prepared: Box<dyn Prepared>,
}

/// Grants, switches and the argument check all agreed, now.
pub(crate) struct Permitted(Validated);

/// Approved by a person; must be permitted again.
pub(crate) struct Confirmed(Validated);

/// May run. Made only from `Permitted`.
pub(crate) struct Cleared {
    call: Validated,
    clearance: Clearance,
}

pub(crate) enum Confirming {
    Cleared(Cleared),
    Awaiting(ConfirmationRequest, Suspended),
}

pub(crate) fn parse(mut slip: Slip, proposal: Proposal) -> Passed<Parsed> {
    match proposal.arguments {
        Ok(arguments) => {
            slip.at(Stage::Resolve);
            Ok(Parsed { slip, name: proposal.name, version: proposal.version, arguments })
        }
        Err(Unparsed { code, reason }) => {
            slip.point = Point::Parse;
            ended(slip, Ending::ParseFailed { code, reason })
        }
    }
}

impl Parsed {
    pub(crate) fn resolve(self) -> Passed<Resolved> {
        let Self { mut slip, name, version, arguments } = self;
        let found = version.and_then(|v| slip.core.registry.lookup(&name, v)).map(Arc::clone);
        let Some(slot) = found else {
            return refuse(slip, Stage::Resolve, code::UNKNOWN_CAPABILITY);
        };
        slip.descriptor = Some(slot.descriptor());
        slip.at(Stage::Validate);
        Ok(Resolved { slip, slot, arguments })
    }
}

impl Resolved {
    pub(crate) fn validate(self) -> Passed<Validated> {
        let Self { mut slip, slot, arguments } = self;
        match slot.installed.prepare(&arguments) {
            Ok(prepared) => {
                slip.at(Stage::Policy);
                Ok(Validated { slip, slot, arguments, prepared })
            }
            Err(violations) => {
                let (stage, code) = (Stage::Validate, code::INVALID_ARGUMENTS);
                ended(slip, Ending::Refused(Refusal { stage, code, violations }))
            }
        }
    }
}

/// Grants, switches and the capability's own check, as they are now; the code of the first no.
pub(super) fn permitted(
    slip: &Slip,
    d: &Descriptor,
    prepared: &dyn Prepared,
) -> Result<(), &'static str> {
    slip.core.policy.admits(slip.turn.scope(), d).map_err(|denial| denial.code())?;
    // an author's check may panic: it is code like `run`
    match catch_unwind(AssertUnwindSafe(|| prepared.allow())) {
        Ok(checked) => checked.map_err(|no| NotAllowed::code(&no)),
        Err(_) => Err(code::PANICKED),
    }
}

impl Validated {
    pub(crate) fn permit(self) -> Passed<Permitted> {
        match permitted(&self.slip, self.slot.descriptor(), &*self.prepared) {
            Ok(()) => Ok(Permitted(self)),
            Err(code) => refuse(self.slip, Stage::Policy, code),
        }
    }

    fn binding(&self) -> Binding {
        Binding::of(&self.slip, &self.slot, &self.arguments)
    }
}

/// Counts confirmations opened and executions started: nothing before this point uses a cap up.
fn reserve(call: &Validated, asks: bool) -> Result<(), Full> {
    let d = call.slot.descriptor();
    let cap = d.declaration.bounds.max_per_turn;
    call.slip.turn.reserve((d.name(), d.version()), cap, asks)
}

fn no_room<T>(slip: Slip, full: Full) -> Passed<T> {
    match full {
        Full::Capability => ended(slip, Ending::BudgetExhausted { code: code::CAPABILITY_BUDGET }),
        Full::Decisions => refuse(slip, Stage::Confirm, code::TOO_MANY_DECISIONS),
    }
}

impl Permitted {
    pub(crate) fn confirm(self) -> Passed<Confirming> {
        let Self(mut call) = self;
        call.slip.at(Stage::Confirm);
        let d = call.slot.descriptor();
        let required = matches!(d.confirmation(), Confirmation::Required);
        if required && !call.slip.turn.scope().may_confirm() {
            return refuse(call.slip, Stage::Confirm, code::CALLER_CANNOT_CONFIRM);
        }
        if required {
            return Self(call).ask();
        }
        match reserve(&call, false) {
            Ok(()) => Ok(Confirming::Cleared(Self(call).clear())),
            Err(full) => no_room(call.slip, full),
        }
    }

    fn ask(self) -> Passed<Confirming> {
        let Self(call) = self;
        let d = call.slot.descriptor();
        // the hooks are an author's code as well
        let hooks = AssertUnwindSafe(|| (call.prepared.destination(), call.prepared.effect()));
        let Ok((destination, effect)) = catch_unwind(hooks) else {
            return refuse(call.slip, Stage::Confirm, code::PANICKED);
        };
        let disclosure =
            Disclosure::of(d, &call.arguments, destination.as_deref(), effect.as_deref());
        let Some(disclosure) = disclosure else {
            return refuse(call.slip, Stage::Confirm, code::CANNOT_BE_SHOWN);
        };
        let (core, turn) = (&call.slip.core, &call.slip.turn);
        let opened = core.confirmations.ask(
            core.ids.pending(),
            turn.scope(),
            turn.conversation(),
            call.slip.id,
            disclosure,
            turn.denied(),
        );
        // the place closes again when one of the next two steps says no
        let (request, place) = match opened {
            Ok(opened) => opened,
            Err(AskError::TooMany) => {
                return refuse(call.slip, Stage::Confirm, code::TOO_MANY_DECISIONS);
            }
            Err(AskError::AlreadyDenied) => {
                return refuse(call.slip, Stage::Confirm, code::ALREADY_DENIED);
            }
        };
        if let Err(full) = reserve(&call, true) {
            return no_room(call.slip, full);
        }
        let record = Record::Call(call.slip.record(Mark::AwaitingConfirmation));
        if call.slip.core.append(record).is_err() {
            return refuse(call.slip, Stage::Audit, code::AUDIT_UNAVAILABLE);
        }
        let (binding, asked) = (call.binding(), call.slip.core.clock.now());
        let suspended = Suspended { place, call: Box::new(call), binding, asked };
        Ok(Confirming::Awaiting(request, suspended))
    }

    fn clear(self) -> Cleared {
        let Self(mut call) = self;
        call.slip.at(Stage::Execute);
        Cleared { call, clearance: Clearance::grant() }
    }
}

impl Confirmed {
    /// Policy is asked again, right before the effect.
    fn permit_again(self) -> Passed<Cleared> {
        let Self(mut call) = self;
        call.slip.at(Stage::Policy);
        Ok(call.permit()?.clear())
    }
}

/// A call that waits for a person. Owned, `Send`, `'static`: park it, move it, or drop it; dropping it
/// ends the call as `void`.
#[must_use = "dropping a suspended call ends it as void"]
pub struct Suspended {
    /// Dropped first: what is recorded as void can no longer be approved.
    place: Place,
    call: Box<Validated>,
    binding: Binding,
    asked: Moment,
}

impl std::fmt::Debug for Suspended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Suspended").field(&self.call.slip.id).finish()
    }
}

impl Suspended {
    /// Waits for the decision, then runs (or does not).
    pub async fn outcome(self) -> Outcome {
        self.settle().await.0
    }

    /// The same, with how long the decision took.
    pub(crate) async fn settle(self) -> (Outcome, Duration) {
        let core = Arc::clone(&self.call.slip.core);
        let (asked, turn) = (self.asked, Arc::clone(&self.call.slip.turn));
        let decided = self.decided().await;
        let took = core.clock.now().since(asked);
        turn.stood_still(took);
        let outcome = match decided.and_then(Confirmed::permit_again) {
            Ok(cleared) => cleared.execute().await,
            Err(refused) => refused.settle(),
        };
        (outcome, took)
    }

    async fn decided(self) -> Passed<Confirmed> {
        let verdict = self.place.verdict().await;
        let Self { call, binding, .. } = self;
        let call = *call;
        match verdict {
            Verdict::Approved if binding == call.binding() => Ok(Confirmed(call)),
            Verdict::Approved | Verdict::WrongContext => {
                ended(call.slip, Ending::Void { code: code::WRONG_CONTEXT })
            }
            Verdict::Denied => ended(call.slip, Ending::Denied),
            Verdict::Withdrawn => ended(call.slip, Ending::Void { code: code::WITHDRAWN }),
            Verdict::Expired => ended(call.slip, Ending::Expired),
        }
    }
}

impl Cleared {
    pub(crate) fn execute(self) -> Running {
        let Self { call: Validated { slip, slot, prepared, .. }, clearance } = self;
        supervise(slip, slot.descriptor(), prepared, clearance)
    }
}

#[cfg(test)]
#[path = "stages_tests.rs"]
mod tests;
