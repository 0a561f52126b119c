//! Results are written by serde, so their schema follows serde's names.
use std::sync::Arc;

use serde_json::json;
use sovereign_core::prelude::*;

use super::outcome;

#[derive(serde::Serialize, Schema)]
#[serde(rename_all = "camelCase")]
struct Report {
    free_bytes: u64,
    #[serde(rename = "label")]
    name_of_volume: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u8>,
    #[serde(skip)]
    internal: std::sync::Mutex<u8>,
    health: Health,
    #[serde(rename(serialize = "mood"))]
    second: Mood,
}

#[derive(serde::Serialize, Schema)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
enum Health {
    VeryGood,
}

#[derive(serde::Serialize, Schema)]
enum Mood {
    Sunny,
    #[serde(rename = "grey")]
    Cloudy,
}

/// Reports.
#[capability(name = "disk.report", side_effect = read_only, network = local, category = system)]
struct Disk {
    /// Whether the sun shines.
    sunny: bool,
}

impl Run for Disk {
    type State = ();
    type Output = Report;
    async fn run(self, _: Call<'_, Self>) -> Result<Report, Failure> {
        let report = Report {
            free_bytes: 1,
            name_of_volume: "data".into(),
            left_out: None,
            internal: std::sync::Mutex::new(0),
            health: Health::VeryGood,
            second: if self.sunny { Mood::Sunny } else { Mood::Cloudy },
        };
        drop(report.internal.lock());
        Ok(report)
    }
}

static DISK: Plugin<()> = Plugin::new("disk", &[Disk::ENTRY]);

#[tokio::test]
async fn what_serde_writes_fits_the_schema() {
    for (sunny, mood) in [(true, "Sunny"), (false, "grey")] {
        let outcome = outcome::<Disk>(&DISK, Arc::default(), json!({ "sunny": sunny })).await;
        let expected = json!({
            "freeBytes": 1, "label": "data", "health": "VERY-GOOD", "mood": mood,
        });
        assert_eq!(outcome["result"], expected, "{outcome}");
    }
}
