use super::HostSystem;
use crate::{Load, Memory, SystemSource as _};
use std::fs;
use tempfile::TempDir;

fn machine(files: &[(&str, &str)]) -> (TempDir, HostSystem) {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let host = HostSystem { data: root.path().into(), root: root.path().into() };
    (root, host)
}

#[test]
fn a_machine_is_read_from_its_files() {
    let (_root, host) = machine(&[
        ("etc/os-release", "PRETTY_NAME=\"Some OS 12\"\nNAME=\"Some OS\"\nVERSION_ID=\"12\"\n"),
        ("proc/uptime", "93784.52 180000.10\n"),
        ("proc/meminfo", "MemTotal:       8000 kB\nMemFree: 1 kB\nMemAvailable:   2000 kB\n"),
        ("proc/loadavg", "0.42 1.5 2.00 1/234 5678\n"),
        ("sys/class/thermal/thermal_zone0/temp", "41500\n"),
        ("sys/class/thermal/thermal_zone1/temp", "52250\n"),
        ("sys/class/thermal/thermal_zone2/temp", "200000000\n"),
        ("sys/class/thermal/cooling_device0/type", "fan\n"),
    ]);
    let health = host.health().unwrap();
    assert_eq!((health.os_name.as_str(), health.os_version.as_deref()), ("Some OS", Some("12")));
    assert_eq!(health.uptime_seconds, Some(93_784));
    let memory = Memory { total_bytes: 8_192_000, available_bytes: 2_048_000, used_percent: 75 };
    assert_eq!(health.memory, Some(memory));
    let load = Load { one_minute: 0.42, five_minutes: 1.5, fifteen_minutes: 2.0 };
    assert_eq!(health.load, Some(load));
    assert_eq!(health.temperature_celsius, Some(52.25));
}

#[test]
fn what_a_machine_does_not_tell_is_left_out() {
    let (_root, host) = machine(&[
        ("proc/uptime", "soon"),
        ("proc/meminfo", "MemTotal: 8000 kB\n"),
        ("proc/loadavg", "0.1 nan 0.3"),
        ("sys/class/thermal/thermal_zone0/temp", "-273150"),
    ]);
    let health = host.health().unwrap();
    assert!(!health.os_name.is_empty(), "the kernel has a name");
    assert_eq!((health.uptime_seconds, health.memory), (None, None));
    assert_eq!((health.load, health.temperature_celsius), (None, None));
    assert_eq!(health.checks.memory, None);
}

#[cfg(target_os = "linux")] // where `df` has these options
#[test]
fn the_figures_are_those_that_df_prints() {
    let (root, host) = machine(&[]);
    // Other programs write to the volume too: df has to say the same before and after.
    let df = || {
        let arguments = ["-B1", "--output=avail,size,pcent"];
        let df =
            std::process::Command::new("df").args(arguments).arg(root.path()).output().unwrap();
        let said = String::from_utf8(df.stdout).unwrap();
        let figures = said.lines().nth(1).unwrap().replace('%', "");
        let figures: Vec<u64> = figures.split_whitespace().map(|f| f.parse().unwrap()).collect();
        figures
    };
    for _ in 0..100 {
        let (before, volume, after) = (df(), host.volume().unwrap(), df());
        if before == after {
            let ours = [volume.available_bytes, volume.total_bytes, u64::from(volume.used_percent)];
            assert_eq!(before, ours);
            return;
        }
    }
    panic!("the volume never stood still");
}

#[test]
fn a_volume_that_is_not_there_is_an_error() {
    let (root, host) = machine(&[]);
    drop(root);
    assert!(host.volume().is_err());
    assert!(host.health().is_err());
}
