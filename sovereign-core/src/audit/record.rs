use crate::caller::ScopeKind;
use crate::capability::{Network, SideEffect};
use crate::id::{BootId, InvocationId, TurnId};
use crate::policy::RemoteInference;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};

/// The six stages, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a new stage must break every match")]
pub enum Stage {
    /// Name and version name a registered capability, exactly.
    Resolve,
    /// The arguments fit its schema.
    Validate,
    /// Grants, switches and the capability's own check agree.
    Policy,
    /// A person decided, where one has to.
    Confirm,
    /// It ran, within its bounds.
    Execute,
    /// What came of it is written down.
    Audit,
}

impl Stage {
    /// The one word that model, client and log use.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Resolve => "resolve",
            Self::Validate => "validate",
            Self::Policy => "policy",
            Self::Confirm => "confirm",
            Self::Execute => "execute",
            Self::Audit => "audit",
        }
    }
}

/// Where a proposal stood when a record was written: before the stages, or in one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a new point must break every match")]
pub enum Point {
    /// The arguments were not one JSON object, or the reply was cut off.
    Parse,
    /// The turn had no room for it.
    Budget,
    /// In the stage of that name.
    #[serde(untagged)]
    At(Stage),
}

impl Point {
    /// The one word that model, client and log use.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::Budget => "budget",
            Self::At(stage) => stage.word(),
        }
    }
}

/// How a proposal ended: the closed set of terminal outcomes (see the table in the book).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a new outcome must break every match")]
pub enum OutcomeKind {
    /// Malformed or truncated; never reached the stages.
    ParseFailed,
    /// A cap of the turn or of the capability was reached.
    BudgetExhausted,
    /// A stage said no.
    Refused,
    /// The person said no.
    Denied,
    /// Nobody answered in time.
    Expired,
    /// The decision was withdrawn.
    Void,
    /// It ran to its end.
    Executed,
    /// Stopped before anything was changed.
    Cancelled,
    /// The capability's own no; nothing was changed.
    Failed,
    /// A mutating body had started and did not end well: it may have happened.
    UnknownEffect,
    /// Left over when the turn ended early.
    NotAttempted,
}

impl OutcomeKind {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 11] = [
        Self::ParseFailed,
        Self::BudgetExhausted,
        Self::Refused,
        Self::Denied,
        Self::Expired,
        Self::Void,
        Self::Executed,
        Self::Cancelled,
        Self::Failed,
        Self::UnknownEffect,
        Self::NotAttempted,
    ];

    /// The one word that model, client and log use.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::ParseFailed => "parse_failed",
            Self::BudgetExhausted => "budget_exhausted",
            Self::Refused => "refused",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Void => "void",
            Self::Executed => "executed",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
            Self::UnknownEffect => "unknown_effect",
            Self::NotAttempted => "not_attempted",
        }
    }
}

/// What a record says about its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "sinks must handle every kind")]
pub enum Mark {
    /// A person was asked. Not terminal.
    AwaitingConfirmation,
    /// Durable before the effect of a call that needed a confirmation. Not terminal.
    Begin,
    /// Work that outlived its terminal record came back. Not terminal.
    LateCompletion,
    /// The one terminal record of a proposal.
    End(OutcomeKind),
}

impl Mark {
    /// The word in the log.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::AwaitingConfirmation => "awaiting_confirmation",
            Self::Begin => "begin",
            Self::LateCompletion => "late_completion",
            Self::End(_) => "end",
        }
    }

    /// The outcome, when the record is terminal.
    #[must_use]
    pub const fn outcome(self) -> Option<OutcomeKind> {
        match self {
            Self::End(outcome) => Some(outcome),
            Self::AwaitingConfirmation | Self::Begin | Self::LateCompletion => None,
        }
    }
}

/// What a proposal named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "sinks must handle both")]
pub enum Named {
    /// A registered capability.
    Registered {
        /// Its name.
        name: &'static str,
        /// Its version.
        version: u32,
        /// Its side-effect class.
        side_effect: SideEffect,
        /// Its network class.
        network: Network,
    },
    /// Something else; the text itself is never kept, since a model wrote it.
    Unregistered {
        /// Length of the name in bytes.
        name_bytes: usize,
    },
}

/// One line of a call's story. Holds no argument, result, error text, or digest of any of them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the executor writes it, sinks read it")]
pub struct CallRecord {
    /// The proposal.
    pub id: InvocationId,
    /// The turn it came in.
    pub turn: TurnId,
    /// When the record was made, on the wall clock.
    pub at: SystemTime,
    /// Who asked, by kind.
    pub caller: ScopeKind,
    /// What was asked for.
    pub named: Named,
    /// Where it stood.
    pub point: Point,
    /// What the record says.
    pub mark: Mark,
    /// The stable reason code, when there is one.
    pub code: Option<&'static str>,
    /// For a mutating call that ran: did it change anything?
    pub changed: Option<bool>,
    /// Size of the arguments in bytes.
    pub argument_bytes: usize,
    /// Size of the result in bytes; zero when there is none.
    pub result_bytes: usize,
    /// From arrival to this record.
    pub took: Duration,
}

/// An event that is no call: what changes who may do what, and what leaves the device.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "writers make it, sinks read it")]
pub struct AdministrativeRecord {
    /// When, on the wall clock.
    pub at: SystemTime,
    /// The run it happened in, when an executor wrote it.
    pub boot: Option<BootId>,
    /// What happened.
    pub event: Administrative,
}

/// How many proposals ended where, without a record each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "a new point must break every match")]
pub struct Unlisted {
    /// `parse_failed`.
    pub parse_failed: u64,
    /// `budget_exhausted`, for want of room in the turn.
    pub budget_exhausted: u64,
    /// `not_attempted`.
    pub not_attempted: u64,
    /// Refused at resolve.
    pub resolve: u64,
    /// Refused at validate.
    pub validate: u64,
    /// Refused at policy.
    pub policy: u64,
}

impl Unlisted {
    /// The count that `call` belongs to; none when the call passed policy, or has not ended.
    pub(super) const fn of(&mut self, call: &CallRecord) -> Option<&mut u64> {
        Some(match (call.mark, call.point) {
            (Mark::End(OutcomeKind::ParseFailed), _) => &mut self.parse_failed,
            (Mark::End(OutcomeKind::NotAttempted), _) => &mut self.not_attempted,
            (Mark::End(OutcomeKind::BudgetExhausted), Point::Budget) => &mut self.budget_exhausted,
            (Mark::End(OutcomeKind::Refused), Point::At(Stage::Resolve)) => &mut self.resolve,
            (Mark::End(OutcomeKind::Refused), Point::At(Stage::Validate)) => &mut self.validate,
            (Mark::End(OutcomeKind::Refused), Point::At(Stage::Policy)) => &mut self.policy,
            _ => return None,
        })
    }
}

/// What was done to an account of whoever serves people: a daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AccountChange {
    /// It was made.
    Added,
    /// It was taken away.
    Removed,
    /// It has another role.
    RoleSet,
    /// It has another password.
    PasswordSet,
    /// Something of the above, by another program.
    Elsewhere,
}

/// The administrative events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Administrative {
    /// A category was granted to a kind of scope.
    GrantAdded {
        /// Who holds it now.
        scope: ScopeKind,
        /// The category's word.
        category: String,
    },
    /// A category was taken from a kind of scope.
    GrantRemoved {
        /// Who held it.
        scope: ScopeKind,
        /// The category's word.
        category: String,
    },
    /// A capability was switched on or off.
    PolicyChanged {
        /// Its registered name.
        capability: String,
        /// Its version.
        version: u32,
        /// The new state.
        enabled: bool,
    },
    /// Whether turns may go to a model off this device was set.
    RemoteInferenceSet {
        /// The new answer.
        remote: RemoteInference,
    },
    /// Entries that did nothing were taken out of the policy file.
    StaleSwitchesDropped {
        /// How many.
        entries: usize,
    },
    /// The node was set back to how it was installed; the log goes on.
    Reset,
    /// Proposals that ended at or before policy within one minute, and beyond its quota: counted, not
    /// listed.
    RefusalsSummarised {
        /// Who asked.
        caller: ScopeKind,
        /// How many ended where.
        #[serde(flatten)]
        ended: Unlisted,
    },
    /// Logins that were refused within one minute, and beyond its quota.
    LoginFailuresSummarised {
        /// How many.
        logins: u64,
    },
    /// The change recorded last, to grants or to policy, did not take effect.
    ChangeFailed {
        /// `grants` or `policy`.
        file: &'static str,
    },
    /// At start-up, what a crash left behind the last sealed record was moved aside.
    TailQuarantined {
        /// How many bytes.
        bytes: u64,
    },
    /// Something was sent to a model off this device.
    RemoteSend {
        /// The backend's id.
        backend: &'static str,
        /// How many bytes.
        bytes: usize,
        /// For which turn.
        turn: TurnId,
        /// The decision that it stands on; none when policy says `always`.
        #[serde(skip_serializing_if = "Option::is_none")]
        decision: Option<InvocationId>,
    },
    /// Open decisions were withdrawn, because a session ended or the program stopped.
    Voided {
        /// How many.
        decisions: usize,
    },
    /// Who may come in was changed, without a name: names are people's.
    AccountsChanged {
        /// What was done.
        change: AccountChange,
        /// The role that the account has now, or had.
        #[serde(skip_serializing_if = "Option::is_none")]
        role: Option<&'static str>,
    },
    /// An operator logged in.
    Login,
    /// A login was refused.
    LoginFailed,
    /// An operator logged out.
    Logout,
}

/// What goes into an audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "sinks must handle both")]
pub enum Record {
    /// About one proposal.
    Call(CallRecord),
    /// About the node itself.
    Administrative(AdministrativeRecord),
}
