use crate::audit::{
    Administrative, AdministrativeRecord, CallRecord, Mark, Named, OutcomeKind, Point, Record,
    Stage,
};
use crate::caller::ScopeKind;
use crate::capability::{Network, SideEffect};
use crate::entropy::{Entropy, EntropyError};
use crate::id::IdSource;
use std::time::{Duration, SystemTime};

/// Makes records as an executor would, for those who test or measure a sink.
///
/// # Example
/// ```
/// use sovereign_core::audit::{Audit, OutcomeKind, Record};
/// use sovereign_core::testing::{AuditRecords, CountedEntropy, MemoryAudit};
/// let records = AuditRecords::new(&CountedEntropy::default()).unwrap();
/// let audit = MemoryAudit::default();
/// let begun = records.begin();
/// audit.append(Record::Call(begun.clone())).unwrap();
/// audit.append(AuditRecords::end(&begun, OutcomeKind::Executed)).unwrap();
/// assert_eq!(audit.calls()[1].id, begun.id);
/// ```
#[derive(Debug)]
pub struct AuditRecords(IdSource);

impl AuditRecords {
    /// Of one run, whose ids `entropy` tells from those of others.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn new(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        IdSource::new(entropy).map(Self)
    }

    /// A mutating call that begins: each time another one.
    #[must_use]
    pub fn begin(&self) -> CallRecord {
        CallRecord {
            id: self.0.invocation(),
            turn: self.0.turn(),
            at: at(),
            caller: ScopeKind::Operator,
            named: Named::Registered {
                name: "home.light",
                version: 1,
                side_effect: SideEffect::Mutating,
                network: Network::Local,
            },
            point: Point::At(Stage::Execute),
            mark: Mark::Begin,
            code: None,
            changed: None,
            argument_bytes: 24,
            result_bytes: 0,
            took: Duration::from_micros(1500),
        }
    }

    /// Its one end.
    #[must_use]
    pub fn end(begun: &CallRecord, outcome: OutcomeKind) -> Record {
        let (mark, changed) = (Mark::End(outcome), Some(outcome == OutcomeKind::Executed));
        Record::Call(CallRecord { mark, changed, result_bytes: 4, ..begun.clone() })
    }

    /// A proposal that policy refused: each time another one.
    #[must_use]
    pub fn refused(&self) -> Record {
        let (point, mark) = (Point::At(Stage::Policy), Mark::End(OutcomeKind::Refused));
        Record::Call(CallRecord { point, mark, code: Some("not_enabled"), ..self.begin() })
    }

    /// An administrative event.
    #[must_use]
    pub fn event(&self, event: Administrative) -> Record {
        let (at, boot) = (at(), Some(self.0.boot()));
        Record::Administrative(AdministrativeRecord { at, boot, event })
    }
}

/// The minute they are all made in.
fn at() -> SystemTime {
    SystemTime::UNIX_EPOCH
        .checked_add(Duration::from_secs(1_767_323_045))
        .unwrap_or(SystemTime::UNIX_EPOCH)
}
