use seccompiler::{
    BackendError, BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp,
    SeccompCondition, SeccompFilter, SeccompRule, TargetArch, apply_filter,
};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::io;

/// What a thread may not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    /// Reach anything, or start anything but threads, which take the rules over.
    Capability,
    /// Reach anything.
    Program,
}

thread_local! {
    static HELD: Cell<Option<Rules>> = const { Cell::new(None) };
}

impl Rules {
    /// Whether the kernel holds this thread to them.
    pub(super) fn hold_here(self) -> bool {
        HELD.get() == Some(self)
    }
}

/// Every system call that opens a way off the process or widens one that another thread opened. Sending
/// over what is connected already stays: a log may be written that way.
const REACHING: [i64; 12] = [
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    // of another process
    libc::SYS_pidfd_getfd,
    // a ring opens sockets of its own, unseen by any filter
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
];

#[cfg(target_arch = "x86_64")]
const STARTING: [i64; 4] = [libc::SYS_fork, libc::SYS_vfork, libc::SYS_execve, libc::SYS_execveat];
#[cfg(not(target_arch = "x86_64"))]
const STARTING: [i64; 2] = [libc::SYS_execve, libc::SYS_execveat];

/// The second table of the same processor (x32), in which the first one's numbers have this bit.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;

/// Where that table differs: `sendmsg`, `sendmmsg`, `execve`, `execveat`.
#[cfg(target_arch = "x86_64")]
const X32_ALONE: [i64; 4] = [X32 | 518, X32 | 538, X32 | 520, X32 | 545];

type Table = BTreeMap<i64, Vec<SeccompRule>>;

/// Two programs for the kernel, because each has one answer: `EPERM`, and for `clone3` `ENOSYS`, upon
/// which the C library falls back to `clone`, whose flags a filter can read.
#[derive(Clone)]
pub(super) struct Filter {
    rules: Rules,
    pub(super) refuses: BpfProgram,
    pub(super) unknown: Option<BpfProgram>,
}

impl Filter {
    /// None on a processor that nobody wrote a filter for.
    pub(super) fn new(rules: Rules) -> Option<Self> {
        let (refused, unknown) = tables(rules).ok()?;
        let refuses = program(refused, libc::EPERM)?;
        let unknown = unknown.map(|table| program(table, libc::ENOSYS));
        Some(Self { rules, refuses, unknown: unknown.map_or(Some(None), |p| p.map(Some))? })
    }

    pub(super) const fn rules(&self) -> Rules {
        self.rules
    }

    /// Holds this thread, and all that it starts, to the rules; for good.
    pub(super) fn apply(&self) -> io::Result<()> {
        for program in [Some(&self.refuses), self.unknown.as_ref()].into_iter().flatten() {
            apply_filter(program).map_err(|error| match error {
                Error::Prctl(error) | Error::Seccomp(error) => error,
                other => io::Error::other(other),
            })?;
        }
        HELD.set(Some(self.rules));
        Ok(())
    }
}

/// What is refused, and what is said not to exist.
fn tables(rules: Rules) -> Result<(Table, Option<Table>), BackendError> {
    // without an address it sends over what is connected
    let with_address = condition(4, SeccompCmpOp::Ne, 0)?;
    let mut refused: Table = REACHING.into_iter().map(always).collect();
    refused.insert(libc::SYS_io_uring_register, Vec::new());
    refused.insert(libc::SYS_sendto, vec![with_address]);
    let mut unknown = None;
    if rules == Rules::Capability {
        let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
        let no_thread = condition(0, SeccompCmpOp::MaskedEq(thread), 0)?;
        refused.extend(STARTING.into_iter().map(always));
        refused.insert(libc::SYS_clone, vec![no_thread]);
        unknown = Some(Table::from([always(libc::SYS_clone3)]));
    }
    #[cfg(target_arch = "x86_64")]
    {
        let same: Vec<i64> =
            refused.keys().chain(unknown.iter().flat_map(Table::keys)).copied().collect();
        refused.extend(same.into_iter().map(|number| always(X32 | number)));
        let alone = if rules == Rules::Capability { &X32_ALONE[..] } else { &X32_ALONE[..2] };
        refused.extend(alone.iter().copied().map(always));
    }
    Ok((refused, unknown))
}

const fn always(number: i64) -> (i64, Vec<SeccompRule>) {
    (number, Vec::new())
}

fn condition(argument: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Qword, is, value)?;
    SeccompRule::new(vec![condition])
}

/// Everything else is let through; a call of another processor's table ends the process.
fn program(table: Table, answer: i32) -> Option<BpfProgram> {
    let refuse = SeccompAction::Errno(answer.unsigned_abs());
    let target = TargetArch::try_from(ARCH).ok()?;
    SeccompFilter::new(table, SeccompAction::Allow, refuse, target).ok()?.try_into().ok()
}
