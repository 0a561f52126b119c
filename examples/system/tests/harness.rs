//! The plugin through the real executor.
#![expect(clippy::unwrap_used, reason = "the helpers belong to the tests")]

use serde_json::{Value, json};
use sovereign_core::audit::OutcomeKind;
use sovereign_core::testing::{Harness, catalog_lock};
use sovereign_system::{
    Checks, DiskStatus, Health, HealthReport, HostSystem, SYSTEM, SystemSource, Volume,
};
use std::io;
use std::sync::Arc;

const DISK: (u64, u64, u64, u64) = (4096, 1000, 400, 350);

/// A machine with known figures.
struct Known;

impl SystemSource for Known {
    fn volume(&self) -> io::Result<Volume> {
        let (block_bytes, all, free, available) = DISK;
        Ok(Volume::from_blocks(block_bytes, all, free, available))
    }

    fn health(&self) -> io::Result<Health> {
        let data_storage = self.volume()?;
        let checks = Checks::of(&data_storage, None);
        Ok(Health {
            status: checks.standing(),
            os_name: "Some OS".into(),
            os_version: None,
            uptime_seconds: Some(60),
            memory: None,
            data_storage,
            load: None,
            temperature_celsius: Some(52.25),
            checks,
        })
    }
}

/// A machine whose disk has gone.
struct Broken;

impl SystemSource for Broken {
    fn volume(&self) -> io::Result<Volume> {
        Err(io::Error::other("/dev/secret0: input/output error"))
    }

    fn health(&self) -> io::Result<Health> {
        self.volume()?;
        Err(io::ErrorKind::Other.into())
    }
}

fn lab(source: impl SystemSource) -> Harness {
    let source: Arc<dyn SystemSource> = Arc::new(source);
    Harness::install(&SYSTEM, source).build()
}

fn parsed(result: Option<&str>) -> Value {
    serde_json::from_str(result.unwrap()).unwrap()
}

#[tokio::test]
async fn disk_status_tool_executes() {
    let lab = lab(Known);
    let outcome = lab.call::<DiskStatus>("{}").await;
    assert_eq!(outcome.kind(), OutcomeKind::Executed);
    let figures = json!({
        "available_bytes": 1_433_600, "used_bytes": 2_457_600,
        "total_bytes": 4_096_000, "used_percent": 64,
    });
    assert_eq!(parsed(outcome.result()), figures);
    assert_eq!(lab.audit.ends(), [OutcomeKind::Executed]);
}

#[tokio::test]
async fn health_leaves_out_what_is_not_known() {
    let outcome = lab(Known).call::<HealthReport>("{}").await;
    assert_eq!(outcome.kind(), OutcomeKind::Executed);
    let health = parsed(outcome.result());
    assert_eq!(health["status"], "healthy");
    assert_eq!(health["uptime_seconds"], 60);
    assert_eq!(health["temperature_celsius"], 52.25);
    let storage = json!({"status": "ok", "summary": "storage has room (64 % used)"});
    assert_eq!(health["checks"], json!({ "storage": storage }));
    for unknown in ["memory", "load", "os_version"] {
        assert_eq!(health.get(unknown), None, "{unknown}");
    }
}

#[tokio::test]
async fn the_machine_itself_passes_its_own_schemas() {
    let lab = lab(HostSystem::new(std::env::temp_dir()));
    let disk = lab.call::<DiskStatus>("{}").await;
    let health = lab.call::<HealthReport>("{}").await;
    assert_eq!((disk.kind(), health.kind()), (OutcomeKind::Executed, OutcomeKind::Executed));
    let storage = &parsed(health.result())["data_storage"];
    assert_eq!(storage["total_bytes"], parsed(disk.result())["total_bytes"]);
}

#[tokio::test]
async fn arguments_are_refused_where_there_are_none() {
    let outcome = lab(Known).call::<DiskStatus>(r#"{"mount":"/"}"#).await;
    assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Refused, Some("invalid_arguments")));
}

#[tokio::test]
async fn an_error_of_the_machine_is_a_code_and_its_text_stays_here() {
    let lab = lab(Broken);
    for (outcome, code) in [
        (lab.call::<DiskStatus>("{}").await, "disk_unavailable"),
        (lab.call::<HealthReport>("{}").await, "health_unavailable"),
    ] {
        assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Failed, Some(code)));
        let shown = serde_json::to_string(&outcome).unwrap();
        assert!(!shown.contains("secret0"), "{shown}");
    }
}

#[test]
fn published_versions_keep_their_contract() {
    catalog_lock!("capabilities.lock", &SYSTEM);
}
