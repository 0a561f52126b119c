//! What is refused, at which stage, and that nothing happened before.

use super::*;
use sovereign_core::audit::{OutcomeKind, Stage};
use sovereign_core::executor::{Ending, Proposal, Submitted};

#[tokio::test]
async fn refused_urls_are_refused_at_policy_before_anything_happens() {
    let server = Server::page("text/plain", "reached").await;
    let port = server.address.port();
    for (url, code) in [
        ("http://127.0.0.1:1/".to_owned(), "port_not_allowed"),
        (format!("http://127.0.0.1:{port}/"), "port_not_allowed"),
        ("http://127.0.0.1/".to_owned(), "address_not_public"),
        ("http://[::ffff:10.0.0.1]/".to_owned(), "address_not_public"),
        ("http://0x7f.1/".to_owned(), "address_not_public"),
        ("http://100.64.0.1/".to_owned(), "address_not_public"),
        ("http://localhost/".to_owned(), "address_not_public"),
        ("ftp://x/".to_owned(), "scheme_not_allowed"),
        ("http://u:p@h/".to_owned(), "userinfo_not_allowed"),
        ("http://h\\@127.0.0.1/".to_owned(), "invalid_url"),
    ] {
        let names = Names::all_at(&[server.address]);
        let lab = lab(&Reach::public(), &names);
        let proposal = Proposal::new("web.fetch", 1, json!({"url": url}).to_string().as_bytes());
        let submitted = lab.executor.invoke(lab.scope.clone(), proposal).await;
        let Submitted::Settled(outcome) = submitted else { panic!("{url}: someone was asked") };
        let Ending::Refused(refusal) = &outcome.ending else { panic!("{url}: {outcome:?}") };
        assert_eq!((refusal.stage, refusal.code), (Stage::Policy, code), "{url}");
        assert_eq!(names.asked(), [""; 0], "{url}");
        assert_eq!(lab.audit.ends(), [OutcomeKind::Refused], "{url}");
    }
    assert_eq!(server.heard(), [""; 0]);
}

#[tokio::test]
async fn a_name_with_one_bad_address_is_refused_after_approval_without_a_connection() {
    let server = Server::page("text/plain", "reached").await;
    let bad = SocketAddr::new(server.address.ip(), 80);
    let names = Names::all_at(&["93.184.216.34:80".parse().unwrap(), bad]);
    let lab = lab(&Reach::public(), &names);
    let call = || lab.call::<Fetch>(json!({"url": "http://rebound.test/"}));
    assert_eq!(call().await.kind(), OutcomeKind::Denied);
    assert_eq!(names.asked(), [""; 0], "a name is resolved after the approval only");
    let outcome = call().approved().await;
    assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Failed, Some("address_not_public")));
    assert_eq!(names.asked(), ["rebound.test"]);
    assert_eq!(server.heard(), [""; 0]);
}

#[tokio::test]
async fn a_refused_address_and_a_network_failure_have_different_codes() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let reach = Reach::only([closed]);
    let url = json!({"url": format!("http://gone.test:{}/", closed.port())});
    for (found, code) in [
        (vec![closed], "unreachable"),
        (vec!["127.0.0.2:1".parse().unwrap()], "address_not_allowed"),
        (Vec::new(), "unresolvable"),
    ] {
        let outcome = lab(&reach, &Names::all_at(&found)).call::<Fetch>(&url).approved().await;
        assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Failed, Some(code)));
    }
}
