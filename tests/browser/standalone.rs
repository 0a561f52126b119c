//! The chat on its own, before the development proxy.

use crate::desk::program;
use crate::recorder::Recorder;
use crate::site::Site;
use crate::webdriver::Browser;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// The development proxy as a program, ended with the test.
struct Proxy(Child);

impl Drop for Proxy {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn the_chat_alone_talks_to_the_development_proxy_and_knows_no_key() {
    let reply = r#"{"id":"1","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Hello <b>you</b>."}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#;
    let model = Site::answering("application/json", reply);
    let directory = tempfile::tempdir().expect("a directory");
    let config = directory.path().join("config.toml");
    let table = format!("[[openai]]\nbase_url = \"{}\"\nmodel = \"m\"\n", model.url("/v1"));
    std::fs::write(&config, table).expect("a configuration");
    let mut child = Command::new(program())
        .arg("--data-dir")
        .arg(directory.path().join("data"))
        .arg("--config")
        .arg(&config)
        .args(["aiui-dev", "--port", "0", "--backend", "openai"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let proxy = Proxy(child);
    // off a terminal the link is in a file of its own
    let told = lines.map_while(Result::ok).find(|line| line.contains("The link is in"));
    let path = told.as_deref().and_then(|line| line.split('`').nth(1)).expect("a file").to_owned();
    let link = std::fs::read_to_string(path).expect("a link").trim().to_owned();
    let (origin, token) = link.split_once("/#launch=").expect("a token");

    let recorder = Recorder::start();
    let browser = Browser::open(recorder.port);
    browser.go(&link);
    browser.until("document.body?.dataset.ready === 'true'");
    assert!(!browser.url().contains(token));
    browser.type_into("#text", "hello");
    browser.click("#send");
    browser.until("document.querySelector('.bubble.model:not([aria-busy])') !== null");
    assert_eq!(browser.text(".bubble.model .words"), "Hello <b>you</b>.");
    assert_eq!(recorder.beyond(&[origin]), [""; 0]);

    browser.go(&format!("{origin}/"));
    browser.until("document.body?.dataset.ready === 'true'");
    browser.type_into("#text", "again");
    browser.click("#send");
    browser.until("document.querySelector('.problem') !== null");
    assert!(browser.text(".problem").contains("open the printed link"));
    assert_eq!(model.heard().iter().filter(|line| line.contains("chat/completions")).count(), 1);
    drop(proxy);
}

#[test]
fn the_frame_of_a_node_does_nothing_outside_of_its_page() {
    let desk = crate::desk::Desk::with(sovereign_core::testing::Scripted::new().says("no"));
    desk.browser.go(&format!("{}/frame", desk.node.frame_origin()));
    desk.browser.until("document.body?.dataset.ready === 'true'");
    assert_eq!(desk.browser.js("return document.querySelector('#send').disabled"), true);
    assert!(desk.browser.text("#empty").contains(&desk.node.origin()));
    desk.kept_to_itself();
}

#[test]
fn where_policy_says_never_no_backend_off_the_device_is_served() {
    let directory = tempfile::tempdir().expect("a directory");
    let config = directory.path().join("config.toml");
    let table = "[[openai]]\nbase_url = \"https://api.example.com/v1\"\nmodel = \"m\"\n";
    std::fs::write(&config, table).expect("a configuration");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(program());
        command.arg("--data-dir").arg(directory.path().join("data")).arg("--config").arg(&config);
        command.args(arguments).stdin(Stdio::null()).output().expect("the program")
    };
    assert!(run(&["policy", "remote", "never"]).status.success());
    let refused = run(&["aiui-dev", "--port", "0", "--backend", "openai"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("never"));
}
