//! Where the code of local capabilities runs: with the executor, or on confined threads. What a test says
//! of a call has to hold on both.
use sovereign_core::executor::ExecutorBuilder;

/// The last word on an executor.
pub(crate) type Ground = fn(ExecutorBuilder) -> ExecutorBuilder;

#[cfg(target_os = "linux")]
pub(crate) const GROUNDS: [Ground; 2] = [|builder| builder, confined];
#[cfg(not(target_os = "linux"))]
pub(crate) const GROUNDS: [Ground; 1] = [|builder| builder];

#[cfg(target_os = "linux")]
pub(crate) fn confined(builder: ExecutorBuilder) -> ExecutorBuilder {
    use sovereign_core::capability::Confinement;
    use std::sync::LazyLock;

    /// One for all tests: it is threads.
    static CONFINEMENT: LazyLock<Confinement> =
        LazyLock::new(|| Confinement::seccomp().expect("this kernel takes filters"));

    builder.confine_local(CONFINEMENT.clone())
}
