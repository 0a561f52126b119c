use crate::{Checks, Health, Load, Memory, SystemSource, Volume};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;

/// The machine that the program runs on.
///
/// Space comes from `statvfs` (POSIX), the rest from Linux's `/proc` and `/sys`; what another system
/// does not have is left out.
#[derive(Debug, Clone)]
pub struct HostSystem {
    data: PathBuf,
    root: PathBuf,
}

impl HostSystem {
    /// Reports on the volume that holds `data_dir`.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self { data: data_dir.into(), root: PathBuf::from("/") }
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok()
    }

    fn os(&self) -> (String, Option<String>) {
        let release = self.read("etc/os-release").unwrap_or_default();
        let value = |key: &str| {
            let line =
                release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))?;
            let value = line.trim().trim_matches(['"', '\'']);
            (!value.is_empty()).then(|| value.chars().take(100).collect::<String>())
        };
        if let Some(name) = value("NAME") {
            return (name, value("VERSION_ID"));
        }
        let kernel = rustix::system::uname();
        let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
        (text(kernel.sysname()), Some(text(kernel.release())))
    }

    /// Whole seconds of `/proc/uptime` (proc(5)).
    fn uptime(&self) -> Option<u64> {
        self.read("proc/uptime")?.split(['.', ' ']).next()?.parse().ok()
    }

    /// `/proc/meminfo` (proc(5)) counts in units of 1024 bytes.
    fn memory(&self) -> Option<Memory> {
        let info = self.read("proc/meminfo")?;
        let bytes = |key: &str| {
            let line = info.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
            line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
        };
        Some(Memory::new(bytes("MemTotal")?, bytes("MemAvailable")?))
    }

    fn load(&self) -> Option<Load> {
        let text = self.read("proc/loadavg")?;
        let mut spans =
            text.split(' ').map(|span| span.parse().ok().filter(|l: &f64| l.is_finite()));
        let mut next = || spans.next().flatten();
        Some(Load { one_minute: next()?, five_minutes: next()?, fifteen_minutes: next()? })
    }

    /// The hottest thermal zone, in thousandths of a degree in the kernel's sysfs; a sensor that is
    /// out of order shows what no machine survives.
    fn temperature(&self) -> Option<f64> {
        let zones = fs::read_dir(self.root.join("sys/class/thermal")).ok()?;
        let read =
            |zone: &Path| fs::read_to_string(zone.join("temp")).ok()?.trim().parse::<i32>().ok();
        let readings = zones.filter_map(|zone| read(&zone.ok()?.path()));
        let hottest = readings.filter(|thousandths| (1..150_000).contains(thousandths)).max()?;
        Some(f64::from(hottest) / 1000.0)
    }
}

impl SystemSource for HostSystem {
    fn volume(&self) -> io::Result<Volume> {
        let stat = rustix::fs::statvfs(&self.data)?;
        Ok(Volume::from_blocks(stat.f_frsize, stat.f_blocks, stat.f_bfree, stat.f_bavail))
    }

    fn health(&self) -> io::Result<Health> {
        let data_storage = self.volume()?;
        let memory = self.memory();
        let checks = Checks::of(&data_storage, memory.as_ref());
        let (os_name, os_version) = self.os();
        Ok(Health {
            status: checks.standing(),
            os_name,
            os_version,
            uptime_seconds: self.uptime(),
            memory,
            data_storage,
            load: self.load(),
            temperature_celsius: self.temperature(),
            checks,
        })
    }
}
