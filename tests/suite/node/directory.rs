//! Bad use: of the command line, the configuration and the data directory.
use super::home::{Home, Ran};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::process::Stdio;

const ASK: [&str; 2] = ["ask", "how much space is left?"];

/// Everything that only looks.
const LOOKING: [&[&str]; 6] = [
    &["tools"],
    &["grants", "list"],
    &["policy", "list"],
    &["policy", "explain", "web.fetch"],
    &["audit", "tail"],
    &["audit", "verify"],
];

#[track_caller]
fn fails(ran: &Ran, status: i32, parts: &[&str]) {
    assert_eq!((ran.status, &*ran.stdout), (status, ""), "{ran:?}");
    for part in parts {
        assert!(ran.stderr.contains(part), "{part}: {ran:?}");
    }
}

#[test]
fn unknown_subcommands_and_flags_are_status_2_and_touch_nothing() {
    let home = Home::new();
    for arguments in [&["no-such"][..], &["ask"], &["ask", "--no-such", "x"], &["grants", "add"]] {
        fails(&home.run(arguments), 2, &["error:", "--help"]);
    }
    fails(&home.run(["grants", "add", "sytem"]), 2, &["`sytem` is not a category", "system"]);
    fails(&home.run(["policy", "enable", "web.fech"]), 2, &["`web.fech`", "web.fetch"]);
    fails(&home.run(["ask", "--ollama-url", "ftp://x", "hi"]), 2, &["http://"]);
    let asked = home.run(["ask", "--no-model", "--model", "m", "hi"]);
    fails(&asked, 2, &["cannot be used with"]);
}

#[test]
fn first_use_makes_a_private_directory_with_what_a_fresh_install_grants() {
    let home = Home::new();
    let listed = home.run(["grants", "list"]).succeeded();
    assert_eq!(listed.stdout, "operator: system\nmesh: nothing\n");
    let mode = |name: &str| std::fs::metadata(home.data().join(name)).unwrap().mode() & 0o777;
    assert_eq!(mode(""), 0o700);
    assert_eq!((mode("grants.json"), mode("policy.json")), (0o600, 0o600));
    home.run(ASK).succeeded();
    assert_eq!((mode("audit"), mode("audit/000001.jsonl")), (0o700, 0o600));
}

#[test]
fn grants_of_each_scope_are_changed_alone() {
    let home = Home::new();
    let add = ["grants", "add", "custom:home", "--scope", "mesh"];
    assert_eq!(home.run(add).succeeded().stdout, "mesh holds custom:home\n");
    assert_eq!(home.run(add).succeeded().stdout, "mesh holds custom:home already\n");
    let listed = home.run(["grants", "list"]).succeeded();
    assert_eq!(listed.stdout, "operator: system\nmesh: custom:home\n");
    let removed = home.run(["grants", "remove", "system"]).succeeded();
    assert_eq!(removed.stdout, "operator no longer holds system\n");
    let again = home.run(["grants", "remove", "system"]).succeeded();
    assert_eq!(again.stdout, "operator did not hold system\n");
    let listed = home.run(["grants", "list"]).succeeded();
    assert_eq!(listed.stdout, "operator: nothing\nmesh: custom:home\n");
}

#[test]
fn data_directory_that_cannot_be_trusted_is_named_with_what_to_do() {
    let home = Home::new();
    let data = home.data();
    let shown = data.to_string_lossy().into_owned();
    std::fs::write(&data, "a file").unwrap();
    fails(&home.run(ASK), 1, &[&shown, "is not a directory"]);
    std::fs::remove_file(&data).unwrap();
    let elsewhere = home.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, &data).unwrap();
    fails(&home.run(ASK), 1, &[&shown, "is a symbolic link"]);
    std::fs::remove_file(&data).unwrap();
    std::fs::create_dir(&data).unwrap();
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    fails(&home.run(ASK), 1, &["mode 0755", &format!("chmod 700 {shown}")]);
    assert_eq!(std::fs::read_dir(&data).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn corrupt_grants_and_policy_close_everything_name_the_line_and_lose_nothing() {
    for (file, text, place) in [
        (
            "grants.json",
            "{\"version\": 1,\n\"operator\": [\"system\",\n\"sytem\"], \"mesh\": []}",
            "line 3",
        ),
        ("grants.json", "{\"version\": 1, \"operator\": \"system\", \"mesh\": []}", "line 1"),
        ("policy.json", "{\"version\": 1,\n\"capabilities\": [\n", "line 3"),
        (
            "policy.json",
            "{\"version\": 1,\n\"capabilities\": [{\"name\": \"web.fetch\", \"version\": 1, \"side_effect\": \"read_only\", \"network\": \"external\", \"enabled\": \"false\"}]}",
            "line 2",
        ),
    ] {
        let home = Home::new();
        home.run(ASK).succeeded();
        home.write(file, text);
        let path = home.data().join(file).to_string_lossy().into_owned();
        for arguments in
            [&ASK[..], &["tools"], &["grants", "add", "search"], &["policy", "enable", "web.fetch"]]
        {
            fails(&home.run(arguments), 1, &[&path, place]);
        }
        assert_eq!(home.read(file), text);
        // the log can be read all the same, and took no record
        assert!(home.run(["audit", "verify"]).succeeded().stdout.starts_with("whole: 1 records"));
    }
}

#[test]
fn lost_grants_and_policy_are_not_replaced_by_defaults() {
    for file in ["grants.json", "policy.json"] {
        let home = Home::new();
        home.run(ASK).succeeded();
        std::fs::remove_file(home.data().join(file)).unwrap();
        fails(&home.run(ASK), 1, &[file, "is missing", "backup"]);
        assert!(!home.data().join(file).exists());
    }
}

#[test]
fn second_writer_is_refused_while_readers_go_on() {
    let home = Home::new();
    let mut chat =
        home.command(["chat"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let input = chat.stdin.take().unwrap();
    // its first answer shows that it holds the log
    let mut output = std::io::BufReader::new(chat.stdout.take().unwrap());
    std::io::Write::write_all(&mut &input, b"/help\n").unwrap();
    std::io::BufRead::read_line(&mut output, &mut String::new()).unwrap();
    for writing in [&ASK[..], &["grants", "add", "search"], &["policy", "enable", "web"], &["chat"]]
    {
        fails(&home.run(writing), 1, &["in use by another process", &chat.id().to_string()]);
    }
    for looking in LOOKING {
        home.run(looking).succeeded();
    }
    drop(input);
    assert!(chat.wait().unwrap().success());
    home.run(ASK).succeeded();
}

#[test]
fn unknown_key_in_the_configuration_is_status_2_with_its_line() {
    let home = Home::new();
    home.run(["tools"]).succeeded();
    home.write("config.toml", "[ollama]\nmodel = \"m\"\n[limits]\nround = 1\n");
    fails(&home.run(ASK), 2, &["config.toml`, line 4: unknown field `round`"]);
    let other = home.root().join("other.toml");
    std::fs::write(&other, "[limits]\nrounds = 9\n").unwrap();
    let named = other.to_str().unwrap();
    fails(&home.run(["--config", named, ASK[0], ASK[1]]), 2, &["line 2: 9 is not from 1 to 8"]);
    std::fs::write(&other, "[limits]\nrounds = 1\n").unwrap();
    home.run(["--config", named, ASK[0], ASK[1]]).succeeded();
    fails(&home.run(["--config", "/no/such/file", ASK[0], ASK[1]]), 2, &["/no/such/file"]);
}
