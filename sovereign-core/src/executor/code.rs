//! The stable codes that core itself gives as a reason; a capability's own codes come from its author.

/// Parse: the reply was cut off by a length limit, so nothing in it is executed.
pub const TRUNCATED_REPLY: &str = "truncated_reply";
/// Context, for the model only: the result was longer than what could be sent, and its end is missing.
pub const CUT_TO_FIT: &str = "cut_to_fit";
/// Resolve: no capability has this name and version.
pub const UNKNOWN_CAPABILITY: &str = "unknown_capability";
/// Validate: the arguments do not fit the schema.
pub const INVALID_ARGUMENTS: &str = "invalid_arguments";
/// Confirm: this kind of caller has nobody who could be asked.
pub const CALLER_CANNOT_CONFIRM: &str = "caller_cannot_confirm";
/// Confirm: too many decisions are open.
pub const TOO_MANY_DECISIONS: &str = "too_many_decisions";
/// Confirm: the same proposal was denied before in this turn.
pub const ALREADY_DENIED: &str = "already_denied";
/// Confirm: what would have to be shown is too large to be shown whole.
pub const CANNOT_BE_SHOWN: &str = "cannot_be_shown";
/// Budget: the turn's cap of proposals.
pub const PROPOSAL_BUDGET: &str = "proposal_budget";
/// Budget: the turn's cap of rounds; nothing runs in the closing one.
pub const ROUND_BUDGET: &str = "round_budget";
/// Budget: the turn's time.
pub const TIME_BUDGET: &str = "time_budget";
/// Confirm: the capability's own cap for one turn.
pub const CAPABILITY_BUDGET: &str = "capability_budget";
/// Void: the token was presented in a context that it was not minted for.
pub const WRONG_CONTEXT: &str = "wrong_context";
/// Void: whoever waited for the decision went away.
pub const TURN_GONE: &str = "turn_gone";
/// Void: the session ended, or the program stopped.
pub const WITHDRAWN: &str = "withdrawn";
/// Void or unknown effect: the program stopped while the call was open, and the next start ended it.
pub use crate::audit::RESTART;
/// Execute: the deadline came first.
pub const TIMEOUT: &str = "timeout";
/// Execute: the deadline came first, and synchronous work that it cannot stop goes on.
pub const STILL_RUNNING: &str = "still_running";
/// Execute: the caller went away or cancelled.
pub const CANCELLED: &str = "cancelled";
/// Policy or execute: the capability's code panicked.
pub const PANICKED: &str = "panicked";
/// Execute: the call should run on confined threads, and there is none.
pub const NOT_CONFINED: &str = "not_confined";
/// Execute: the result is larger than its bound.
pub const RESULT_TOO_LARGE: &str = "result_too_large";
/// Execute: the result does not fit its schema.
pub const RESULT_INVALID: &str = "result_invalid";
/// Audit: the log takes no records, so nothing runs.
pub const AUDIT_UNAVAILABLE: &str = "audit_unavailable";
/// Something in core that cannot happen did.
pub const INTERNAL: &str = "internal";
