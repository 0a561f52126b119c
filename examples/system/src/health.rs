use crate::volume::percent;
use crate::{SystemSource, Volume};
use sovereign_core::prelude::*;

/// How the machine is. What it does not tell about itself is left out.
#[derive(Debug, Clone, PartialEq, serde::Serialize, Schema)]
pub struct Health {
    /// Whether every check is fine.
    pub status: Standing,
    /// Name of the operating system.
    pub os_name: String,
    /// Version of the operating system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os_version: Option<String>,
    /// Time since the machine started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_seconds: Option<u64>,
    /// Main memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// The volume that holds the data.
    pub data_storage: Volume,
    /// Programs that wanted to run, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// The hottest sensor, in degrees Celsius.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature_celsius: Option<f64>,
    /// What was judged, and how.
    pub checks: Checks,
}

/// The sum of all checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, Schema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Standing {
    /// Every check is fine.
    Healthy,
    /// One at least is not.
    Degraded,
}

/// Main memory, swap not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, Schema)]
pub struct Memory {
    /// Bytes in all.
    pub total_bytes: u64,
    /// Bytes that programs can get without swapping.
    pub available_bytes: u64,
    /// Share that is not available, rounded up.
    pub used_percent: u8,
}

impl Memory {
    /// Of these bytes in all, these are available.
    #[must_use]
    pub fn new(total_bytes: u64, available_bytes: u64) -> Self {
        let used = total_bytes.saturating_sub(available_bytes);
        Self { total_bytes, available_bytes, used_percent: percent(used, total_bytes) }
    }
}

/// Programs that wanted to run, averaged over three spans.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, Schema)]
pub struct Load {
    /// Over the last minute.
    pub one_minute: f64,
    /// Over the last five minutes.
    pub five_minutes: f64,
    /// Over the last fifteen minutes.
    pub fifteen_minutes: f64,
}

/// What is judged.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, Schema)]
pub struct Checks {
    /// Space on the data volume.
    pub storage: Check,
    /// Main memory, where the machine tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Check>,
}

/// One judgement.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, Schema)]
pub struct Check {
    /// How bad it is.
    pub status: Level,
    /// The same in words.
    pub summary: String,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, Schema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Level {
    /// Nothing to do.
    Ok,
    /// To be looked at soon.
    Warning,
    /// To be looked at now.
    Critical,
}

impl Checks {
    /// Storage from 90 % in use and memory from 90 % are a warning, from 97 % critical.
    #[must_use]
    pub fn of(storage: &Volume, memory: Option<&Memory>) -> Self {
        Self {
            storage: Check::of(
                storage.used_percent,
                ["storage has room", "storage is filling up", "storage is almost full"],
            ),
            memory: memory.map(|memory| {
                Check::of(
                    memory.used_percent,
                    ["memory has room", "memory is getting short", "memory is almost used up"],
                )
            }),
        }
    }

    /// Whether every check is fine.
    #[must_use]
    pub fn standing(&self) -> Standing {
        let fine = |check: &Check| check.status == Level::Ok;
        let all = fine(&self.storage) && self.memory.as_ref().is_none_or(fine);
        if all { Standing::Healthy } else { Standing::Degraded }
    }
}

impl Check {
    fn of(used_percent: u8, [ok, warning, critical]: [&str; 3]) -> Self {
        let (status, summary) = match used_percent {
            ..90 => (Level::Ok, ok),
            90..97 => (Level::Warning, warning),
            97.. => (Level::Critical, critical),
        };
        Self { status, summary: format!("{summary} ({used_percent} % used)") }
    }
}

/// Tells whether everything on this machine is healthy: memory, load, temperature, uptime, checks.
#[capability(
    name = "system.health",
    version = 1,
    side_effect = read_only,
    network = local,
    category = system,
    timeout = "7s", max_result = "64KiB", max_per_turn = 3,
)]
#[derive(Debug)]
pub struct HealthReport {}

impl Run for HealthReport {
    type State = dyn SystemSource;
    type Output = Health;

    async fn run(self, call: Call<'_, Self>) -> Result<Health, Failure> {
        let health = call.blocking(|system| system.health()).await?;
        health.map_err(|error| {
            Failure::new("health_unavailable").says("the machine does not tell").detail(error)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Checks, Level, Memory, Standing};
    use crate::Volume;

    #[test]
    fn a_check_turns_at_ninety_and_at_ninety_seven_percent() {
        for (used, level, standing) in [
            (89, Level::Ok, Standing::Healthy),
            (90, Level::Warning, Standing::Degraded),
            (96, Level::Warning, Standing::Degraded),
            (97, Level::Critical, Standing::Degraded),
            (100, Level::Critical, Standing::Degraded),
        ] {
            let full = Volume::from_blocks(1, 100, 100 - used, 100 - used);
            let empty = Volume::from_blocks(1, 100, 100, 100);
            let storage = Checks::of(&full, None);
            assert_eq!((storage.storage.status, storage.standing()), (level, standing), "{used}");
            let memory = Checks::of(&empty, Some(&Memory::new(100, 100 - used)));
            assert_eq!(memory.memory.as_ref().map(|c| c.status), Some(level), "{used}");
            assert_eq!(memory.standing(), standing, "{used}");
        }
    }
}
