//! `web.fetch` off a terminal: hidden, refused, denied, and never connected to.
use super::home::Home;
use super::model::once;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::net::TcpListener;

/// The records of the log that are about `web.fetch`.
fn records(home: &Home) -> Vec<Value> {
    let log = home.run(["audit", "tail", "-n", "1000", "--json"]).succeeded().stdout;
    let records = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    records.filter(|r| r["kind"] == "call" && r["capability"] == "web.fetch").collect()
}

#[test]
fn fetch_off_a_terminal_is_denied_and_is_status_3() {
    let home = Home::with_web();
    let ran = home.run(["ask", "--json", "fetch https://example.com/"]);
    assert_eq!((ran.status, ran.receipts()), (3, vec!["web.fetch denied -".to_owned()]));
    assert!(ran.stderr.contains("web.fetch@1 needs a person's yes"), "{ran:?}");
    let marks: Vec<_> = records(&home).iter().map(|r| r["mark"].clone()).collect();
    // without a begin record nothing was executed
    assert_eq!(marks, ["awaiting_confirmation", "end"]);
}

#[test]
fn what_is_not_granted_or_not_on_is_not_shown_and_a_proposal_of_it_is_refused_at_policy() {
    let home = Home::new();
    let model = once("web__fetch__v1", json!({"url": "https://example.com/"}));
    let refused = |code: &str| {
        let ran = model.ask(&home, "fetch https://example.com/");
        assert_eq!((ran.status, ran.receipts()), (3, vec![format!("web.fetch refused {code}")]));
        let sent = model.asked().last().unwrap()["tools"].to_string();
        assert!(sent.contains("system__disk_status__v1") && !sent.contains("web__fetch"), "{sent}");
        assert_eq!(records(&home).last().unwrap()["point"], "policy");
    };
    refused("not_granted");
    home.run(["grants", "add", "search"]).succeeded();
    refused("not_enabled");
    home.run(["policy", "enable", "web.fetch"]).succeeded();
    home.run(["grants", "remove", "search"]).succeeded();
    refused("not_granted");
}

#[test]
fn addresses_that_are_not_public_are_refused_before_anybody_is_asked() {
    let home = Home::with_web();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.set_nonblocking(true).expect("a listener that does not wait");
    let here = format!("http://{}/", listener.local_addr().unwrap());
    for (url, code) in [
        ("http://127.0.0.1:1/", "port_not_allowed"),
        (&here, "port_not_allowed"),
        ("http://127.0.0.1/", "address_not_public"),
        ("http://[::ffff:10.0.0.1]/", "address_not_public"),
        ("http://0x7f.1/", "address_not_public"),
        ("http://100.64.0.1/", "address_not_public"),
        ("http://localhost/", "address_not_public"),
        ("ftp://x/", "scheme_not_allowed"),
        ("http://u:p@h/", "userinfo_not_allowed"),
    ] {
        let ran = once("web__fetch__v1", json!({"url": url})).ask(&home, "fetch it");
        let wanted = vec![format!("web.fetch refused {code}")];
        assert_eq!((ran.status, ran.receipts()), (3, wanted), "{url}");
        // nobody was asked, so nobody had to be denied
        assert_eq!(ran.stderr, "", "{url}");
        let last = records(&home).pop().unwrap();
        assert_eq!((&last["point"], &last["mark"]), (&json!("policy"), &json!("end")), "{url}");
    }
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
}
