//! The systemd unit: what it promises, and that systemd and the program take it.
use super::home::{Home, finish};
use crate::source::read;
use std::collections::BTreeMap;
use std::process::Command;

const UNIT: &str = "examples/node/systemd/sovereign-node.service";

/// What keeps the node in, and what each must say.
const SANDBOX: [(&str, &str); 30] = [
    ("User", "sovereign"),
    ("UMask", "0077"),
    ("StateDirectoryMode", "0700"),
    ("ProtectSystem", "strict"),
    ("ProtectHome", "yes"),
    ("PrivateTmp", "yes"),
    ("PrivateDevices", "yes"),
    ("PrivateUsers", "yes"),
    ("PrivateIPC", "yes"),
    ("NoNewPrivileges", "yes"),
    ("CapabilityBoundingSet", ""),
    ("AmbientCapabilities", ""),
    ("ProtectClock", "yes"),
    ("ProtectControlGroups", "yes"),
    ("ProtectHostname", "yes"),
    ("ProtectKernelLogs", "yes"),
    ("ProtectKernelModules", "yes"),
    ("ProtectKernelTunables", "yes"),
    ("ProtectProc", "invisible"),
    ("RestrictAddressFamilies", "AF_INET AF_INET6 AF_UNIX"),
    ("RestrictNamespaces", "yes"),
    ("RestrictSUIDSGID", "yes"),
    ("LockPersonality", "yes"),
    ("MemoryDenyWriteExecute", "yes"),
    ("SystemCallArchitectures", "native"),
    ("SystemCallFilter", "@system-service ~@privileged @resources"),
    ("SocketBindDeny", "any"),
    ("MemoryMax", "512M"),
    ("TasksMax", "256"),
    ("LimitCORE", "0"),
];

/// The directives of `[Service]`; one that is written twice goes on.
fn directives(unit: &str) -> BTreeMap<&str, String> {
    let (_, service) = unit.split_once("\n[Service]\n").expect("a section");
    let (service, _) = service.split_once("\n[").expect("the next section");
    let mut found = BTreeMap::<&str, String>::new();
    for line in service.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, value) = line.split_once('=').unwrap_or_else(|| panic!("`{line}`"));
        let value_so_far = found.entry(name).or_default();
        if !value_so_far.is_empty() {
            value_so_far.push(' ');
        }
        value_so_far.push_str(value);
    }
    found
}

#[test]
fn unit_keeps_the_node_in() {
    let unit = read(UNIT);
    let found = directives(&unit);
    let wrong: Vec<_> = SANDBOX
        .iter()
        .filter(|(name, wanted)| found.get(name).map(String::as_str) != Some(*wanted))
        .map(|(name, wanted)| format!("{name}={wanted}, not {:?}", found.get(name)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let dangerous = [
        "ReadWritePaths",
        "BindPaths",
        "SupplementaryGroups",
        "PermissionsStartOnly",
        "ExecStartPre",
    ];
    assert!(dangerous.iter().all(|name| !found.contains_key(name)), "{found:?}");
}

#[test]
fn unit_starts_the_program_with_arguments_that_it_takes_in_the_directory_that_it_owns() {
    let unit = read(UNIT);
    let found = directives(&unit);
    let words: Vec<_> = found["ExecStart"].split(' ').collect();
    let directory = format!("/var/lib/{}", found["StateDirectory"]);
    assert_eq!(words, ["/usr/local/bin/sovereign-node", "--data-dir", &directory, "serve"]);
    let help = Home::new().run(["serve", "--help"]).succeeded().stdout;
    assert!(help.contains("[default: 8420]"), "the one port that it may take: {help}");
    assert_eq!(found["SocketBindAllow"], "tcp:8420");
}

/// Where there is no systemd, the two tests above have to do.
#[test]
fn systemd_takes_the_unit_and_calls_it_safe() {
    let Ok(version) = Command::new("systemd-analyze").arg("--version").output() else { return };
    assert!(version.status.success(), "{version:?}");
    let home = Home::new();
    let unit = home.root().join("sovereign-node.service");
    // what it starts need not be installed here
    let text = read(UNIT).replace("/usr/local/bin/sovereign-node", "/bin/true");
    let text = text.replace("Documentation=man:sovereign-node(1)\n", "");
    std::fs::write(&unit, text).unwrap();
    let analyse = |arguments: &[&str]| {
        let mut command = Command::new("systemd-analyze");
        finish(command.args(arguments).arg(&unit).env("SYSTEMD_LOG_LEVEL", "warning"))
    };
    let verified = analyse(&["verify"]);
    assert_eq!((verified.status, &*verified.stderr), (0, ""), "{verified:?}");
    // in tenths: 2.0, of 10.0 for a unit without any sandbox
    let rated = analyse(&["security", "--no-pager", "--offline=true", "--threshold=20"]);
    assert_eq!(rated.status, 0, "{}", rated.stdout);
}
