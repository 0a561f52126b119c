#![expect(clippy::arithmetic_side_effects, reason = "a test that overflows fails")]
use super::Pool;
use super::filter::{Filter, Rules};
use seccompiler::BpfProgram;

const ALLOW: u32 = 0x7fff_0000;
const ERRNO: u32 = 0x0005_0000;
const KILL_PROCESS: u32 = 0x8000_0000;
#[cfg(target_arch = "x86_64")]
const ARCH: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCH: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
const ARCH: u32 = 0xc000_00f3;

/// What the kernel answers by this program, over the same bytes that the kernel gives it.
fn judge(program: &BpfProgram, arch: u32, number: i64, arguments: [u64; 6]) -> u32 {
    let number = u32::try_from(number).unwrap();
    let mut data = [number.to_ne_bytes(), arch.to_ne_bytes(), [0; 4], [0; 4]].concat();
    arguments.iter().for_each(|argument| data.extend(argument.to_le_bytes()));
    let word = |at: u32| {
        let at = usize::try_from(at).unwrap();
        u32::from_le_bytes(data[at..at + 4].try_into().unwrap())
    };
    let (mut at, mut a) = (0_usize, 0_u32);
    loop {
        let step = &program[at];
        at += 1;
        let jump = |taken: bool| usize::from(if taken { step.jt } else { step.jf });
        match step.code {
            0x20 => a = word(step.k),
            0x54 => a &= step.k,
            0x05 => at += usize::try_from(step.k).unwrap(),
            0x15 => at += jump(a == step.k),
            0x25 => at += jump(a > step.k),
            0x35 => at += jump(a >= step.k),
            0x06 => return step.k,
            other => panic!("no such step: {other:#x}"),
        }
    }
}

/// The answer of the stricter of both programs.
fn answer(rules: Rules, number: i64, arguments: [u64; 6]) -> u32 {
    let filter = Filter::new(rules).expect("a filter for this processor");
    let programs = [Some(filter.refuses), filter.unknown];
    let answers = programs.iter().flatten().map(|p| judge(p, ARCH, number, arguments));
    answers.min().unwrap()
}

fn refused(rules: Rules) -> Vec<i64> {
    let errno = ERRNO | libc::EPERM.unsigned_abs();
    (0..1024).filter(|&number| answer(rules, number, [0; 6]) == errno).collect()
}

const REACHING: [i64; 13] = [
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_pidfd_getfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

#[test]
fn every_way_to_reach_something_is_refused_and_nothing_else() {
    let mut expected = REACHING.to_vec();
    expected.sort_unstable();
    assert_eq!(refused(Rules::Program), expected);
}

#[test]
fn a_capability_starts_no_process_either() {
    let mut expected = REACHING.to_vec();
    expected.extend([libc::SYS_clone, libc::SYS_execve, libc::SYS_execveat]);
    #[cfg(target_arch = "x86_64")]
    expected.extend([libc::SYS_fork, libc::SYS_vfork]);
    expected.sort_unstable();
    assert_eq!(refused(Rules::Capability), expected);
}

#[test]
fn a_clone_is_a_thread_or_is_refused_whatever_else_it_asks_for() {
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    let errno = ERRNO | libc::EPERM.unsigned_abs();
    for flags in [0, 17, u64::from(libc::CLONE_VM.unsigned_abs()), !thread, 1 << 40] {
        let [alone, with] = [flags & !thread, flags | thread].map(|flags| [flags, 0, 0, 0, 0, 0]);
        assert_eq!(answer(Rules::Capability, libc::SYS_clone, alone), errno, "{flags:#x}");
        assert_eq!(answer(Rules::Capability, libc::SYS_clone, with), ALLOW, "{flags:#x}");
    }
}

#[test]
fn the_clone_that_no_filter_can_read_is_said_not_to_exist() {
    let missing = ERRNO | libc::ENOSYS.unsigned_abs();
    assert_eq!(answer(Rules::Capability, libc::SYS_clone3, [0; 6]), missing);
    assert_eq!(answer(Rules::Program, libc::SYS_clone3, [0; 6]), ALLOW);
}

#[test]
fn sending_is_refused_with_an_address_alone() {
    let errno = ERRNO | libc::EPERM.unsigned_abs();
    for address in [1, 1 << 32, u64::MAX] {
        let arguments = [3, 0, 0, 0, address, 16];
        assert_eq!(answer(Rules::Program, libc::SYS_sendto, arguments), errno, "{address:#x}");
    }
    assert_eq!(answer(Rules::Program, libc::SYS_sendto, [3, 0, 0, 0, 0, 0]), ALLOW);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_other_tables_of_this_processor_are_no_way_round() {
    let errno = ERRNO | libc::EPERM.unsigned_abs();
    let same = refused(Rules::Capability).into_iter().chain([libc::SYS_clone3, libc::SYS_sendto]);
    for number in same.chain([518, 538, 520, 545]) {
        let number = 0x4000_0000 | number;
        assert_eq!(answer(Rules::Capability, number, [0; 6]), errno, "{number:#x}");
    }
    let i386 = 0x4000_0003;
    let filter = Filter::new(Rules::Capability).unwrap();
    assert_eq!(judge(&filter.refuses, i386, 359, [0; 6]), KILL_PROCESS, "its `socket`");
}

#[tokio::test]
async fn a_thread_that_could_not_take_its_filter_runs_nothing() {
    for (breaks, expected) in [(false, Some("ran")), (true, None)] {
        let mut filter = Filter::new(Rules::Capability).unwrap();
        if breaks {
            filter.refuses.clear();
        }
        let pool = Pool::start("trial", 1, filter).unwrap();
        let mut task = pool.spawn(Box::pin(async { "ran" })).unwrap();
        assert_eq!(task.outcome().await, expected);
    }
}
