use super::record::Unlisted;
use super::{Administrative, AdministrativeRecord, Record};
use crate::caller::ScopeKind;
use std::time::SystemTime;

/// How much of the log one kind of caller's failures may fill.
///
/// A proposal that ends at or before policy has done nothing, and whoever sends it can send any
/// number. So of those, and of refused logins, so many a minute are listed, and the rest of that
/// minute is counted in one record. What passed policy is always listed.
pub(super) struct Quota {
    a_minute: u64,
    minute: u64,
    scopes: Vec<(ScopeKind, Window)>,
    logins: Window,
    /// When the last one was held back.
    last: SystemTime,
}

#[derive(Default)]
struct Window {
    listed: u64,
    unlisted: Unlisted,
    logins: u64,
}

impl Quota {
    pub(super) fn new(a_minute: u64) -> Self {
        Self {
            a_minute,
            minute: 0,
            scopes: Vec::new(),
            logins: Window::default(),
            last: SystemTime::UNIX_EPOCH,
        }
    }

    /// What has to be written before a record of that time: the counts of a minute that is over. The
    /// wall clock may jump; another minute is a new one, whichever way.
    pub(super) fn over(&mut self, at: SystemTime) -> Vec<Record> {
        let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let minute = since.as_secs() / 60;
        if minute == self.minute {
            return Vec::new();
        }
        self.minute = minute;
        self.flush()
    }

    /// The counts so far, which start again.
    pub(super) fn flush(&mut self) -> Vec<Record> {
        let mut events = Vec::new();
        for (caller, window) in std::mem::take(&mut self.scopes) {
            if window.unlisted != Unlisted::default() {
                let ended = window.unlisted;
                events.push(Administrative::RefusalsSummarised { caller, ended });
            }
        }
        let logins = std::mem::take(&mut self.logins).logins;
        if logins > 0 {
            events.push(Administrative::LoginFailuresSummarised { logins });
        }
        let record = |event| {
            Record::Administrative(AdministrativeRecord { at: self.last, boot: None, event })
        };
        events.into_iter().map(record).collect()
    }

    /// Whether `record` is one too many, and counted instead.
    pub(super) fn holds_back(&mut self, record: &Record) -> bool {
        let (window, at) = match record {
            Record::Call(call) => {
                if Unlisted::default().of(call).is_none() {
                    return false;
                }
                let known = self.scopes.iter().position(|(scope, _)| *scope == call.caller);
                let at = known.unwrap_or_else(|| {
                    self.scopes.push((call.caller, Window::default()));
                    self.scopes.len().saturating_sub(1)
                });
                let Some((_, window)) = self.scopes.get_mut(at) else { return false };
                (window, call.at)
            }
            Record::Administrative(event) if event.event == Administrative::LoginFailed => {
                (&mut self.logins, event.at)
            }
            Record::Administrative(_) => return false,
        };
        if window.listed < self.a_minute {
            window.listed = window.listed.saturating_add(1);
            return false;
        }
        match record {
            Record::Call(call) => {
                if let Some(count) = window.unlisted.of(call) {
                    *count = count.saturating_add(1);
                }
            }
            Record::Administrative(_) => window.logins = window.logins.saturating_add(1),
        }
        self.last = at;
        true
    }

    /// Whether something was counted that no record says yet.
    pub(super) fn is_holding(&self) -> bool {
        let holds = |(_, window): &(ScopeKind, Window)| window.unlisted != Unlisted::default();
        self.logins.logins > 0 || self.scopes.iter().any(holds)
    }
}
