use super::*;
use crate::BoxFuture;
use crate::caller::{CallerScope, Categories, Grants};
use crate::policy::Switches;
use crate::policy::fixture::{descriptor, registry};
use crate::testing::{MemoryAudit, PausedClock};
use std::sync::Mutex as StdMutex;

struct Device {
    home: tempfile::TempDir,
    grants: Arc<GrantsFile>,
    policy: Arc<PolicyFile>,
    registry: Arc<Registry>,
}

impl Device {
    fn new() -> Self {
        let home = crate::files::tests::private();
        let grants = GrantsFile::create_default(home.path().join("grants.json")).unwrap();
        let policy = PolicyFile::create_default(home.path().join("policy.json")).unwrap();
        let (grants, policy) = (Arc::new(grants), Arc::new(policy));
        Self { home, grants, policy, registry: Arc::new(registry()) }
    }

    fn administration(&self, audit: &Arc<impl Audit>) -> Administration {
        Administration::new(
            Arc::clone(&self.grants),
            Arc::clone(&self.policy),
            Arc::clone(&self.registry),
            Arc::clone(audit) as Arc<dyn Audit>,
            Arc::new(PausedClock::default()),
        )
    }

    fn mesh(&self) -> Categories {
        self.grants.granted(&CallerScope::mesh("!1")).unwrap()
    }

    fn on(&self, name: &str, version: u32) -> bool {
        self.policy.state(descriptor(&self.registry, name, version)).unwrap().enabled
    }

    fn files(&self) -> [String; 2] {
        [self.grants.path(), self.policy.path()].map(|p| std::fs::read_to_string(p).unwrap())
    }
}

fn events(records: Vec<Record>) -> Vec<Administrative> {
    let event = |record| match record {
        Record::Administrative(record) => record.event,
        Record::Call(call) => panic!("a call: {call:?}"),
    };
    records.into_iter().map(event).collect()
}

/// Looks at the files at the moment when a record is made durable.
struct Watching<F> {
    look: F,
    seen: StdMutex<Vec<(Administrative, bool)>>,
    appended: StdMutex<Vec<Administrative>>,
}

impl<F: Fn() -> bool + Send + Sync + 'static> Audit for Watching<F> {
    fn append(&self, record: Record) -> Result<(), AuditError> {
        self.appended.lock().unwrap().extend(events(vec![record]));
        Ok(())
    }
    fn durable(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        Box::pin(async {
            let appended = std::mem::take(&mut *self.appended.lock().unwrap());
            let look = |event| (event, (self.look)());
            self.seen.lock().unwrap().extend(appended.into_iter().map(look));
            Ok(())
        })
    }
}

#[tokio::test]
async fn every_change_is_recorded_durably_before_it_takes_effect() {
    let device = Arc::new(Device::new());
    let shared = Arc::clone(&device);
    let audit = Arc::new(Watching {
        look: move || !shared.mesh().is_empty() || shared.on("web.search", 1),
        seen: StdMutex::default(),
        appended: StdMutex::default(),
    });
    let administration = device.administration(&audit);
    let (scope, category) = (ScopeKind::Mesh, "notes".to_owned());

    assert!(administration.grant(scope, "notes").await.unwrap());
    assert_eq!(device.mesh().words(), ["notes"]);
    assert!(administration.revoke(scope, "notes").await.unwrap());
    assert!(device.mesh().is_empty());
    administration.enable("web.search").await.unwrap();
    assert!(device.on("web.search", 1));
    administration.disable("web.search").await.unwrap();
    assert!(!device.on("web.search", 1));

    let switched = |enabled| Administrative::PolicyChanged {
        capability: "web.search".to_owned(),
        version: 1,
        enabled,
    };
    // each event with whether the change was in effect when it was recorded: always the old state
    assert_eq!(
        *audit.seen.lock().unwrap(),
        [
            (Administrative::GrantAdded { scope, category: category.clone() }, false),
            (Administrative::GrantRemoved { scope, category }, true),
            (switched(true), false),
            (switched(false), true),
        ]
    );
}

#[tokio::test]
async fn without_audit_nothing_changes() {
    let device = Device::new();
    let before = device.files();
    for fail in [MemoryAudit::fail, MemoryAudit::fail_durable] {
        let audit = Arc::new(MemoryAudit::default());
        fail(&audit);
        let administration = device.administration(&audit);
        let refused = |error| matches!(error, AdministrationError::NotRecorded(_));
        assert!(refused(administration.grant(ScopeKind::Operator, "wallet").await.unwrap_err()));
        assert!(refused(administration.revoke(ScopeKind::Operator, "system").await.unwrap_err()));
        assert!(refused(administration.enable("web.*").await.unwrap_err()));
        assert!(refused(administration.disable("system.*").await.unwrap_err()));
        assert_eq!(device.files(), before);
    }
}

#[tokio::test]
async fn namespace_gives_one_record_per_capability_that_changes() {
    let device = Device::new();
    let audit = Arc::new(MemoryAudit::default());
    let administration = device.administration(&audit);
    administration.enable("web.fetch@2").await.unwrap();
    let switched = administration.enable("web.*").await.unwrap();
    let told: Vec<_> = switched.iter().map(|s| (s.name, s.version, s.enabled, s.changed)).collect();
    assert_eq!(
        told,
        [
            ("web.fetch", 1, true, true),
            ("web.fetch", 2, true, false),
            ("web.search", 1, true, true)
        ]
    );
    let names: Vec<String> = events(audit.records())
        .into_iter()
        .map(|event| match event {
            Administrative::PolicyChanged { capability, version, enabled: true } => {
                format!("{capability}@{version}")
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(names, ["web.fetch@2", "web.fetch@1", "web.search@1"]);
}

#[tokio::test]
async fn change_that_makes_no_difference_is_not_recorded() {
    let device = Device::new();
    let audit = Arc::new(MemoryAudit::default());
    let administration = device.administration(&audit);
    assert!(!administration.grant(ScopeKind::Operator, "system").await.unwrap());
    assert!(!administration.revoke(ScopeKind::Mesh, "system").await.unwrap());
    administration.enable("web.search").await.unwrap();
    let again = administration.enable("web.search").await.unwrap();
    assert_eq!(again.iter().map(|s| s.changed).collect::<Vec<_>>(), [false]);
    assert_eq!(audit.records().len(), 1);
}

#[tokio::test]
async fn unknown_words_and_targets_change_and_record_nothing() {
    let device = Device::new();
    let audit = Arc::new(MemoryAudit::default());
    let administration = device.administration(&audit);
    let error = administration.grant(ScopeKind::Operator, "wallets").await.unwrap_err();
    assert!(matches!(error, AdministrationError::UnknownCategory(_)), "{error}");
    let error = administration.enable("web.fetsh").await.unwrap_err();
    let AdministrationError::UnknownTarget(unknown) = error else { panic!("{error}") };
    assert_eq!(unknown.near()[0], "web.fetch@1");
    assert!(audit.records().is_empty());
}

#[tokio::test]
async fn corrupt_files_take_no_change_and_record_nothing() {
    let device = Device::new();
    let audit = Arc::new(MemoryAudit::default());
    let administration = device.administration(&audit);
    std::fs::write(device.grants.path(), "{\n oops").unwrap();
    std::fs::write(device.policy.path(), "{\n oops").unwrap();
    let before = device.files();
    for error in [
        administration.grant(ScopeKind::Operator, "wallet").await.unwrap_err(),
        administration.enable("web.*").await.unwrap_err(),
    ] {
        let error = error.to_string();
        assert!(
            error.starts_with("nothing was changed: `") && error.contains(", line 2: "),
            "{error}"
        );
    }
    assert_eq!(device.files(), before);
    assert!(audit.records().is_empty());
}

#[tokio::test]
async fn change_that_cannot_be_written_is_recorded_as_failed() {
    use std::os::unix::fs::PermissionsExt;
    let device = Device::new();
    let audit = Arc::new(MemoryAudit::default());
    let administration = device.administration(&audit);
    let before = device.files();
    // the files can be read, but nothing is put into a directory that others may enter
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(device.home.path(), open).unwrap();
    let error = administration.revoke(ScopeKind::Operator, "system").await.unwrap_err();
    assert!(matches!(error, AdministrationError::File(_)), "{error}");
    administration.enable("web.search").await.unwrap_err();
    assert_eq!(device.files(), before);
    let recorded = events(audit.records());
    assert_eq!(
        [&recorded[1], &recorded[3]],
        [
            &Administrative::ChangeFailed { file: "grants" },
            &Administrative::ChangeFailed { file: "policy" }
        ]
    );
}

/// Holds every `durable` until the test lets go.
struct Held {
    audit: MemoryAudit,
    leave: tokio::sync::Semaphore,
}

impl Audit for Held {
    fn append(&self, record: Record) -> Result<(), AuditError> {
        self.audit.append(record)
    }
    fn durable(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        Box::pin(async {
            self.leave.acquire().await.unwrap().forget();
            Ok(())
        })
    }
}

#[tokio::test]
async fn recorded_change_is_made_even_if_whoever_asked_goes_away() {
    let device = Device::new();
    let leave = tokio::sync::Semaphore::new(0);
    let audit = Arc::new(Held { audit: MemoryAudit::default(), leave });
    let administration = device.administration(&audit);
    let asked = administration.grant(ScopeKind::Mesh, "notes");
    let gone = tokio::time::timeout(std::time::Duration::ZERO, asked).await;
    assert!(gone.is_err());
    audit.leave.add_permits(2);
    // the next change has to wait for the one before it
    administration.grant(ScopeKind::Mesh, "media").await.unwrap();
    assert_eq!(device.mesh().words(), ["media", "notes"]);
    assert_eq!(events(audit.audit.records()).len(), 2);
}

#[tokio::test]
async fn remote_inference_is_recorded_before_it_is_set_and_only_when_it_changes() {
    use crate::policy::RemoteInference::{Always, Ask, Never};
    let device = Arc::new(Device::new());
    let shared = Arc::clone(&device);
    let audit = Arc::new(Watching {
        look: move || shared.policy.remote_inference() == Always,
        seen: StdMutex::default(),
        appended: StdMutex::default(),
    });
    let administration = device.administration(&audit);
    assert!(!administration.set_remote_inference(Ask).await.unwrap(), "it is what it was");
    for remote in [Always, Never] {
        assert!(administration.set_remote_inference(remote).await.unwrap());
        assert_eq!(device.policy.remote_inference(), remote);
    }
    let set = |remote| Administrative::RemoteInferenceSet { remote };
    assert_eq!(*audit.seen.lock().unwrap(), [(set(Always), false), (set(Never), true)]);
}

#[tokio::test]
async fn remote_inference_stays_as_it_is_without_audit_or_with_a_corrupt_policy() {
    use crate::policy::RemoteInference::{Always, Ask};
    let device = Device::new();
    let audit = Arc::new(MemoryAudit::default());
    let administration = device.administration(&audit);
    audit.fail_durable();
    administration.set_remote_inference(Always).await.unwrap_err();
    assert_eq!(device.policy.remote_inference(), Ask);

    let audit = Arc::new(MemoryAudit::default());
    std::fs::write(device.policy.path(), "{").unwrap();
    device.administration(&audit).set_remote_inference(Always).await.unwrap_err();
    assert_eq!(std::fs::read_to_string(device.policy.path()).unwrap(), "{");
    assert_eq!(audit.records(), []);
}

#[tokio::test]
async fn stale_entries_are_dropped_once_recorded_and_nothing_else_is() {
    let entry = |name: &str, enabled: bool| {
        format!(
            r#"{{"name": "{name}", "version": 1, "side_effect": "read_only", "network": "external", "enabled": {enabled}}}"#
        )
    };
    let entries = [entry("old.thing", true), entry("old.off", false), entry("web.search", true)];
    let device = Device::new();
    let text = format!(r#"{{"version": 1, "capabilities": [{}]}}"#, entries.join(","));
    std::fs::write(device.policy.path(), text).unwrap();
    let audit = Arc::new(MemoryAudit::default());
    let administration = device.administration(&audit);
    let stale = device.policy.stale(&device.registry).unwrap();
    assert_eq!(stale.len(), 2);
    let chosen: Vec<_> = stale.into_iter().filter(|entry| entry.enabled).collect();
    audit.fail_durable();
    administration.drop_stale(chosen.clone()).await.unwrap_err();
    assert_eq!(device.policy.stale(&device.registry).unwrap().len(), 2, "no record, no change");

    let audit = Arc::new(MemoryAudit::default());
    let administration = device.administration(&audit);
    assert_eq!(administration.drop_stale(chosen.clone()).await.unwrap(), 1);
    assert_eq!(administration.drop_stale(chosen).await.unwrap(), 0);
    let left = device.policy.stale(&device.registry).unwrap();
    assert_eq!(left.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["old.off"]);
    assert!(device.on("web.search", 1));
    let dropped = Administrative::StaleSwitchesDropped { entries: 1 };
    assert_eq!(events(audit.records()), [dropped]);
}

#[tokio::test]
async fn reset_gives_what_a_fresh_install_has_also_where_nothing_could_be_read() {
    let fresh = Device::new().files();
    for text in ["{", r#"{"version": 1, "operator": ["files"], "mesh": ["wallet"]}"#] {
        let device = Device::new();
        std::fs::write(device.grants.path(), text).unwrap();
        std::fs::write(device.policy.path(), text).unwrap();
        let audit = Arc::new(MemoryAudit::default());
        audit.fail_durable();
        device.administration(&audit).reset().await.unwrap_err();
        assert_eq!(device.files(), [text, text], "no record, no change");
        let audit = Arc::new(MemoryAudit::default());
        device.administration(&audit).reset().await.unwrap();
        assert_eq!(device.files(), fresh);
        assert_eq!(events(audit.records()), [Administrative::Reset]);
    }
}
