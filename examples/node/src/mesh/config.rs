use super::Contacts;
use sovereign_core::conversation::TurnLimits;
use std::time::Duration;

/// How long a turn counts against its peer's quota.
pub(super) const WINDOW: Duration = Duration::from_secs(3600);
/// The longest line that is read, in bytes. The longest message fits, however it is escaped.
pub(super) const MAX_LINE: usize = 32 << 10;
/// How many link processes are listened to at once.
pub(super) const MAX_LINKS: usize = 4;
/// How many turns one link waits for at most.
pub(super) const MAX_WAITING: usize = 64;
/// How many answers wait for a link that is slow to read.
pub(super) const MAX_ANSWERS: usize = 16;
/// How long one answer may take to be read.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// How long nobody is let in after the system refused to.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// Which models a peer's words may be sent to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third place")]
pub enum Sent {
    /// Models on this device alone.
    #[default]
    OnDevice,
    /// Also others, while policy says `always` for remote models. Nobody is ever asked: for a mesh
    /// caller, `ask` means no.
    ByPolicy,
}

/// How the link is served. The numbers are bounds on what strangers on the air can cost.
///
/// **Units** are in the names; a turn counts against its quota for an hour.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_structs, reason = "an operator's settings, all of them")]
pub struct MeshConfig {
    /// Who may ask.
    pub contacts: Contacts,
    /// Which models may answer.
    pub sent: Sent,
    /// Turns of one contact in an hour; all peers that are no contacts share one such quota.
    pub turns_per_hour: usize,
    /// Turns of all peers at once.
    pub concurrent: usize,
    /// Turns of all peers that wait for their place.
    pub queued: usize,
    /// Bytes of one message.
    pub message_bytes: usize,
    /// The airtime budget of one answer, in bytes.
    pub reply_bytes: usize,
    /// What one turn may use.
    pub limits: TurnLimits,
}

impl Default for MeshConfig {
    fn default() -> Self {
        Self {
            contacts: Contacts::default(),
            sent: Sent::OnDevice,
            turns_per_hour: 12,
            concurrent: 1,
            queued: 4,
            message_bytes: 1_000,
            reply_bytes: 480,
            limits: TurnLimits::default(),
        }
    }
}
