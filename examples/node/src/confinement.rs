//! Where the code of local capabilities runs, as the configuration has it.
use serde::Deserialize;
use sovereign_core::executor::ExecutorBuilder;

/// Whether this program was built with confinement.
pub(crate) const IS_BUILT: bool = cfg!(all(feature = "seccomp", target_os = "linux"));

/// What `[confinement] local` says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Local {
    /// With everything else.
    #[default]
    Off,
    /// On threads that the kernel lets open no socket and start no program.
    Seccomp,
}

/// Why what is asked for cannot be had. A node does not run without it then.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfinedError {
    /// Said with its line when the configuration is read; whoever gets past that gets this.
    #[cfg(not(all(feature = "seccomp", target_os = "linux")))]
    #[error("{NOT_BUILT}")]
    NotBuilt,
    #[cfg(all(feature = "seccomp", target_os = "linux"))]
    #[error(
        "local capabilities cannot be confined: {0}; use a kernel with seccomp filters, or write \
         `local = \"off\"` in `[confinement]` to run them without"
    )]
    Refused(#[source] sovereign_core::capability::ConfinementError),
}

/// What to do about a program that cannot confine.
pub(crate) const NOT_BUILT: &str = "this program was built without confinement: build it for Linux with \
     `--features seccomp`, or write `local = \"off\"` to run capabilities without";

impl Local {
    /// Puts the threads in place, where there shall be some.
    pub(crate) fn applied(
        self,
        builder: ExecutorBuilder,
    ) -> Result<ExecutorBuilder, ConfinedError> {
        match self {
            Self::Off => Ok(builder),
            Self::Seccomp => seccomp(builder),
        }
    }

    /// Whether that could be done here.
    pub(crate) fn tried(self) -> Result<(), ConfinedError> {
        match self {
            Self::Off => Ok(()),
            Self::Seccomp => tried(),
        }
    }
}

#[cfg(all(feature = "seccomp", target_os = "linux"))]
fn threads() -> Result<sovereign_core::capability::Confinement, ConfinedError> {
    sovereign_core::capability::Confinement::seccomp().map_err(ConfinedError::Refused)
}

#[cfg(all(feature = "seccomp", target_os = "linux"))]
fn seccomp(builder: ExecutorBuilder) -> Result<ExecutorBuilder, ConfinedError> {
    Ok(builder.confine_local(threads()?))
}

#[cfg(all(feature = "seccomp", target_os = "linux"))]
fn tried() -> Result<(), ConfinedError> {
    threads().map(drop)
}

#[cfg(not(all(feature = "seccomp", target_os = "linux")))]
fn seccomp(_: ExecutorBuilder) -> Result<ExecutorBuilder, ConfinedError> {
    Err(ConfinedError::NotBuilt)
}

#[cfg(not(all(feature = "seccomp", target_os = "linux")))]
fn tried() -> Result<(), ConfinedError> {
    Err(ConfinedError::NotBuilt)
}
