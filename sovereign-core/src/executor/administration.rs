use crate::audit::{Administrative, AdministrativeRecord, Audit, AuditError, Record};
use crate::caller::{GrantChange, GrantsFile, ScopeKind, Unavailable, UnknownCategory};
use crate::clock::Clock;
use crate::policy::{
    PolicyFile, RemoteInference, StaleEntry, SwitchChange, UnknownTarget, covered,
};
use crate::registry::Registry;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The one way to change grants and switches: the record is on the disk first, then the file changes.
///
/// Without audit nothing changes. A change that was asked for is carried through even if whoever asked
/// goes away. Cheap to clone; every clone is the same. Its methods need a tokio runtime.
#[derive(Clone)]
pub struct Administration {
    inner: Arc<Inner>,
}

struct Inner {
    grants: Arc<GrantsFile>,
    policy: Arc<PolicyFile>,
    registry: Arc<Registry>,
    audit: Arc<dyn Audit>,
    clock: Arc<dyn Clock>,
    /// One change at a time.
    turn: Mutex<()>,
}

/// Why nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdministrationError {
    /// The word names no category.
    #[error(transparent)]
    UnknownCategory(#[from] UnknownCategory),
    /// The target names no installed capability.
    #[error(transparent)]
    UnknownTarget(#[from] UnknownTarget),
    /// The file cannot be read or replaced; it holds what it held before.
    #[error("nothing was changed: {0}")]
    File(#[from] Unavailable),
    /// The change could not be recorded.
    #[error("nothing was changed: {0}")]
    NotRecorded(#[from] AuditError),
    /// The program stopped while it was at it.
    #[error("the program stopped before the change was known to be made")]
    Stopped,
}

/// What became of one capability's switch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "an answer")]
pub struct Switched {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: u32,
    /// On or off, now.
    pub enabled: bool,
    /// Whether the policy file said something else before.
    pub changed: bool,
}

impl std::fmt::Debug for Administration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Administration");
        shown.field("grants", &self.inner.grants).field("policy", &self.inner.policy);
        shown.finish_non_exhaustive()
    }
}

impl Administration {
    /// Over these files; the registry says what can be switched.
    #[must_use]
    pub fn new(
        grants: Arc<GrantsFile>,
        policy: Arc<PolicyFile>,
        registry: Arc<Registry>,
        audit: Arc<dyn Audit>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let turn = Mutex::new(());
        Self { inner: Arc::new(Inner { grants, policy, registry, audit, clock, turn }) }
    }

    /// Grants a category to every scope of this kind; says whether it was not held before.
    ///
    /// # Errors
    /// When the word names no category, the grants cannot be read or written, or the change cannot be
    /// recorded.
    pub async fn grant(
        &self,
        scope: ScopeKind,
        category: &str,
    ) -> Result<bool, AdministrationError> {
        self.set_grant(scope, category, true).await
    }

    /// Takes a category from every scope of this kind; says whether it was held before. It counts at
    /// the next policy ask, also for what waits for a decision.
    ///
    /// # Errors
    /// As [`Administration::grant`].
    pub async fn revoke(
        &self,
        scope: ScopeKind,
        category: &str,
    ) -> Result<bool, AdministrationError> {
        self.set_grant(scope, category, false).await
    }

    /// Switches on what `target` covers now: a capability's name (every version), `name@version`, or
    /// a namespace such as `web.*`. What is installed later, and a wider class, stays off.
    ///
    /// # Errors
    /// When the target covers nothing, the policy cannot be read or written, or the change cannot be
    /// recorded.
    pub async fn enable(&self, target: &str) -> Result<Vec<Switched>, AdministrationError> {
        self.set_switch(target, true).await
    }

    /// Switches off what `target` covers now.
    ///
    /// # Errors
    /// As [`Administration::enable`].
    pub async fn disable(&self, target: &str) -> Result<Vec<Switched>, AdministrationError> {
        self.set_switch(target, false).await
    }

    /// Sets whether turns may go to a model off this device (C-5); says whether the policy file said
    /// something else before. It counts from the next turn on.
    ///
    /// # Errors
    /// When the policy cannot be read or written, or the change cannot be recorded.
    pub async fn set_remote_inference(
        &self,
        remote: RemoteInference,
    ) -> Result<bool, AdministrationError> {
        let inner = Arc::clone(&self.inner);
        to_its_end(async move { inner.set_remote_inference(remote).await }).await
    }

    /// Takes entries out of the policy that do nothing here ([`PolicyFile::stale`]); says how many
    /// there still were. One that switches something off holds again should its capability come back:
    /// leave such ones out to keep that.
    ///
    /// # Errors
    /// When the policy cannot be read or written, or the change cannot be recorded.
    pub async fn drop_stale(&self, entries: Vec<StaleEntry>) -> Result<usize, AdministrationError> {
        let inner = Arc::clone(&self.inner);
        to_its_end(async move { inner.drop_stale(entries).await }).await
    }

    /// Puts grants and policy back to what a fresh install has (C-24), whatever they hold now, also
    /// when they cannot be read.
    ///
    /// # Errors
    /// When the change cannot be recorded, or a file cannot be written.
    pub async fn reset(&self) -> Result<(), AdministrationError> {
        let inner = Arc::clone(&self.inner);
        to_its_end(async move { inner.reset().await }).await
    }

    async fn set_grant(
        &self,
        scope: ScopeKind,
        category: &str,
        held: bool,
    ) -> Result<bool, AdministrationError> {
        let change = GrantChange { scope, category: category.to_owned(), held };
        let inner = Arc::clone(&self.inner);
        to_its_end(async move { inner.grant(change).await }).await
    }

    async fn set_switch(
        &self,
        target: &str,
        enabled: bool,
    ) -> Result<Vec<Switched>, AdministrationError> {
        let covered = covered(&self.inner.registry, target)?;
        let change = |descriptor| SwitchChange { descriptor, enabled, via: covered.via.clone() };
        let changes = covered.descriptors.into_iter().map(change).collect();
        let inner = Arc::clone(&self.inner);
        to_its_end(async move { inner.switch(changes).await }).await
    }
}

impl Inner {
    async fn grant(&self, change: GrantChange) -> Result<bool, AdministrationError> {
        let _turn = self.turn.lock().await;
        if !self.grants.would(&change)?? {
            return Ok(false);
        }
        let (scope, category) = (change.scope, change.category.clone());
        let event = if change.held {
            Administrative::GrantAdded { scope, category }
        } else {
            Administrative::GrantRemoved { scope, category }
        };
        self.record([event]).await?;
        let grants = Arc::clone(&self.grants);
        self.then("grants", move || grants.change(&change)).await?;
        Ok(true)
    }

    async fn switch(
        &self,
        changes: Vec<SwitchChange>,
    ) -> Result<Vec<Switched>, AdministrationError> {
        let _turn = self.turn.lock().await;
        let mut switched = Vec::new();
        let mut different = Vec::new();
        for change in changes {
            let (name, version) = (change.descriptor.name(), change.descriptor.version());
            let changed = self.policy.would(&change)?;
            switched.push(Switched { name, version, enabled: change.enabled, changed });
            if changed {
                different.push(change);
            }
        }
        if different.is_empty() {
            return Ok(switched);
        }
        let event = |change: &SwitchChange| Administrative::PolicyChanged {
            capability: change.descriptor.name().to_owned(),
            version: change.descriptor.version(),
            enabled: change.enabled,
        };
        self.record(different.iter().map(event)).await?;
        let policy = Arc::clone(&self.policy);
        self.then("policy", move || policy.change(&different)).await?;
        Ok(switched)
    }

    async fn set_remote_inference(
        &self,
        remote: RemoteInference,
    ) -> Result<bool, AdministrationError> {
        let _turn = self.turn.lock().await;
        if !self.policy.would_set_remote(remote)? {
            return Ok(false);
        }
        self.record([Administrative::RemoteInferenceSet { remote }]).await?;
        let policy = Arc::clone(&self.policy);
        self.then("policy", move || policy.set_remote(remote)).await?;
        Ok(true)
    }

    async fn drop_stale(&self, entries: Vec<StaleEntry>) -> Result<usize, AdministrationError> {
        let _turn = self.turn.lock().await;
        let there = self.policy.stale(&self.registry)?;
        let entries: Vec<_> = entries.into_iter().filter(|e| there.contains(e)).collect();
        if entries.is_empty() {
            return Ok(0);
        }
        self.record([Administrative::StaleSwitchesDropped { entries: entries.len() }]).await?;
        let (policy, registry) = (Arc::clone(&self.policy), Arc::clone(&self.registry));
        let dropped = entries.len();
        self.then("policy", move || policy.drop_stale(&registry, &entries).map(drop)).await?;
        Ok(dropped)
    }

    async fn reset(&self) -> Result<(), AdministrationError> {
        let _turn = self.turn.lock().await;
        self.record([Administrative::Reset]).await?;
        let grants = Arc::clone(&self.grants);
        self.then("grants", move || grants.reset()).await?;
        let policy = Arc::clone(&self.policy);
        self.then("policy", move || policy.reset()).await
    }

    /// On the disk when this returns.
    async fn record(
        &self,
        events: impl IntoIterator<Item = Administrative>,
    ) -> Result<(), AuditError> {
        for event in events {
            self.append(event)?;
        }
        self.audit.durable().await
    }

    fn append(&self, event: Administrative) -> Result<(), AuditError> {
        let record = AdministrativeRecord { at: self.clock.wall(), boot: None, event };
        self.audit.append(Record::Administrative(record))
    }

    /// The change itself, off the runtime's threads; the log says so when it does not take effect.
    async fn then(
        &self,
        file: &'static str,
        change: impl FnOnce() -> Result<(), Unavailable> + Send + 'static,
    ) -> Result<(), AdministrationError> {
        let changed = tokio::task::spawn_blocking(change).await;
        let changed = changed.map_err(|_| AdministrationError::Stopped).and_then(|c| Ok(c?));
        if changed.is_err() {
            // when even this cannot be recorded, the log is closed and says so to everybody
            drop(self.append(Administrative::ChangeFailed { file }));
        }
        changed
    }
}

/// In a task of its own, so that a record is followed by its change.
async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, AdministrationError>> + Send + 'static,
) -> Result<T, AdministrationError> {
    tokio::spawn(work).await.unwrap_or(Err(AdministrationError::Stopped))
}

#[cfg(test)]
#[path = "administration_tests.rs"]
mod tests;
