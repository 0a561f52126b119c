//! The plugin through the real executor, with a network of fixed answers.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "the helpers belong to the tests"
)]

use serde_json::{Value, json};
use sovereign_core::audit::{OutcomeKind, Stage};
use sovereign_core::capability::{Reach, Response};
use sovereign_core::executor::{Ending, Outcome};
use sovereign_core::host::*;
use sovereign_core::testing::{Harness, Replies, catalog_lock};
use sovereign_web::{Fetch, WEB, Web};
use std::sync::Arc;

const URL: &str = "https://example.com/a/page";

fn lab(out: &Replies) -> Harness {
    let web = Arc::new(Web::new(Reach::public()));
    Harness::install_reaching(&WEB, web, Arc::new(out.clone())).build()
}

fn answers(response: Response) -> Replies {
    Replies::reaching(Reach::public()).with(URL, response)
}

fn body(kind: &str, body: impl Into<Vec<u8>>) -> Response {
    Response::new(200, body).with_header("content-type", kind)
}

async fn fetch(response: Response) -> Outcome {
    lab(&answers(response)).call::<Fetch>(json!({"url": URL})).approved().await
}

fn page(outcome: &Outcome) -> Value {
    assert_eq!(outcome.kind(), OutcomeKind::Executed, "{outcome:?}");
    serde_json::from_str(outcome.result().expect("the result is not withheld")).unwrap()
}

async fn text(response: Response) -> String {
    page(&fetch(response).await)["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_page_is_cited_and_fetched_only_after_approval() {
    let html = "<title>Exam&shy;ple</title><h1>Hello</h1><p>a <b>b</b>c";
    let out = answers(body("Text/HTML; charset=utf-8", html));
    let lab = lab(&out);
    assert_eq!(lab.call::<Fetch>(json!({"url": URL})).await.kind(), OutcomeKind::Denied);
    assert_eq!(out.asked(), []);
    let outcome = lab.call::<Fetch>(json!({"url": URL})).approved().await;
    assert_eq!(
        page(&outcome),
        json!({
            "url": URL, "final_url": URL, "status": 200, "content_type": "text/html",
            "text": "Hello\na bc", "truncated": false, "redirected": false,
            "retrieved_at": "2026-01-01T00:00:00Z",
        })
    );
    let [citation] = outcome.citations() else { panic!("one source") };
    assert_eq!((citation.url.as_str(), citation.title.as_str()), (URL, "Exam\u{ad}ple"));
    assert_eq!(out.asked().len(), 1);
}

#[tokio::test]
async fn an_address_that_may_not_be_fetched_is_refused_before_anyone_is_asked() {
    for (url, code) in [
        ("http://127.0.0.1:1/", "port_not_allowed"),
        ("http://127.0.0.1/", "address_not_public"),
        ("http://[::ffff:10.0.0.1]/", "address_not_public"),
        ("http://0x7f.1/", "address_not_public"),
        ("http://100.64.0.1/", "address_not_public"),
        ("http://localhost/", "address_not_public"),
        ("ftp://x/", "scheme_not_allowed"),
        ("http://u:p@h/", "userinfo_not_allowed"),
        ("example.com", "invalid_url"),
    ] {
        let out = Replies::reaching(Reach::public());
        let lab = lab(&out);
        let proposal = Proposal::new("web.fetch", 1, json!({"url": url}).to_string().as_bytes());
        let submitted = lab.executor.invoke(lab.scope.clone(), proposal).await;
        let Submitted::Settled(outcome) = submitted else { panic!("{url} was asked about") };
        let Ending::Refused(refusal) = outcome.ending else { panic!("{url} was not refused") };
        assert_eq!((refusal.stage, refusal.code), (Stage::Policy, code), "{url}");
        assert_eq!(out.asked(), [], "{url}");
        assert_eq!(lab.audit.ends(), [OutcomeKind::Refused]);
    }
}

#[tokio::test]
async fn lengths_are_refused_at_validate() {
    let long = format!("https://example.com/{}", "a".repeat(2048));
    for url in ["", &long] {
        let outcome = lab(&answers(Response::default())).call::<Fetch>(json!({"url": url})).await;
        assert_eq!(outcome.code(), Some("invalid_arguments"));
    }
}

#[tokio::test]
async fn the_disclosure_names_the_host_in_ascii_and_the_port() {
    for (url, receiver) in [
        ("https://example.com/x", "example.com:443"),
        ("http://bücher.example/", "xn--bcher-kva.example:80"),
        ("http://[2606:4700:4700::1111]:443/", "[2606:4700:4700::1111]:443"),
    ] {
        let lab = lab(&Replies::reaching(Reach::public()));
        let proposal = Proposal::new("web.fetch", 1, json!({"url": url}).to_string().as_bytes());
        let submitted = lab.executor.invoke(lab.scope.clone(), proposal).await;
        let Submitted::Awaiting(request, _suspended) = submitted else {
            panic!("not asked: {url}")
        };
        assert_eq!(request.disclosure().call().unwrap().destination.as_deref(), Some(receiver));
    }
}

#[tokio::test]
async fn every_status_is_in_the_result() {
    for status in [200, 300, 304, 401, 404, 500, 503] {
        let mut response = body("text/plain", "what it says");
        response.status = status;
        let page = page(&fetch(response).await);
        assert_eq!((&page["status"], &page["redirected"]), (&json!(status), &json!(false)));
        assert_eq!(page["text"], "what it says");
    }
}

#[tokio::test]
async fn a_redirect_is_reported_with_its_resolved_target_and_no_text() {
    for (location, target) in [
        ("/b?c", "https://example.com/b?c"),
        ("b", "https://example.com/a/b"),
        ("http://127.0.0.1:1/", "http://127.0.0.1:1/"),
    ] {
        let mut response = body("text/html", "moved").with_header("location", location);
        response.status = 302;
        let outcome = fetch(response).await;
        let page = page(&outcome);
        assert_eq!((&page["redirected"], &page["status"]), (&json!(true), &json!(302)));
        assert_eq!((&page["final_url"], &page["text"]), (&json!(target), &json!("")));
        assert_eq!(page.get("content_type"), None);
        // What was not read is not cited.
        assert_eq!(outcome.citations()[0].url, URL);
    }
}

#[tokio::test]
async fn a_redirect_off_the_web_is_no_answer() {
    let long = "a".repeat(3000);
    for location in ["javascript:alert(1)", "file:///etc/passwd", "http://[", &long] {
        let mut response = Response::default().with_header("location", location);
        response.status = 301;
        let outcome = fetch(response).await;
        assert_eq!(
            (outcome.kind(), outcome.code()),
            (OutcomeKind::Failed, Some("invalid_response"))
        );
    }
}

#[tokio::test]
async fn truncated_page_passes_executor() {
    let long = 70 << 10;
    for (kind, letter) in [
        ("text/plain", "a"),
        ("text/plain", "é"),
        ("text/plain", "\""),
        ("text/plain", "\n"),
        ("text/plain", "𝄞"),
        ("text/plain", "\u{1}\\"),
        ("text/html", "é"),
        ("application/json", "\""),
    ] {
        let mut response = body(&format!("{kind}; charset=utf-8"), letter.repeat(long));
        response.truncated = true;
        let outcome = fetch(response).await;
        let page = page(&outcome);
        assert_eq!(page["truncated"], true, "{kind} {letter:?}");
        assert!(page["text"].as_str().unwrap().len() >= 20 << 10, "{kind} {letter:?}");
        assert!(outcome.result().unwrap().len() <= 64 << 10, "{kind} {letter:?}");
    }
}

#[tokio::test]
async fn the_longest_address_leaves_room_for_text() {
    // Each of these characters is twelve bytes long on the wire.
    let url = format!("https://example.com/{}", "𝄞".repeat(2028));
    let wire = format!("https://example.com/{}", "%F0%9D%84%9E".repeat(2028));
    let out =
        Replies::reaching(Reach::public()).with(&wire, body("text/plain", "a".repeat(99_999)));
    let outcome = lab(&out).call::<Fetch>(json!({"url": url})).approved().await;
    let page = page(&outcome);
    assert_eq!((&page["url"], &page["final_url"]), (&json!(url), &json!(wire)));
    assert_eq!(page["truncated"], true);
    assert!(page["text"].as_str().unwrap().len() > 10 << 10);
}

#[tokio::test]
async fn a_short_page_is_whole() {
    let page = page(&fetch(body("text/plain; charset=utf-8", "é".repeat(12_000))).await);
    assert_eq!((&page["truncated"], page["text"].as_str().unwrap().len()), (&json!(false), 24_000));
}

#[tokio::test]
async fn the_character_set_is_honoured() {
    for (kind, bytes) in [
        ("text/html; charset=iso-8859-1", b"caf\xe9".as_slice()),
        ("text/html", b"<meta charset=iso-8859-1>caf\xe9"),
        ("text/plain; charset=UTF-8", b"caf\xc3\xa9"),
        ("text/html", b"caf\xc3\xa9"),
    ] {
        assert_eq!(text(body(kind, bytes)).await, "café", "{kind}");
    }
}

#[tokio::test]
async fn text_and_json_come_as_they_are() {
    assert_eq!(text(body("text/plain", "a <b> & c\r\nd")).await, "a <b> & c\nd");
    assert_eq!(text(body("application/json", r#"{"a":"<b>"}"#)).await, r#"{"a":"<b>"}"#);
}

#[tokio::test]
async fn a_title_is_cut_and_its_absence_is_the_host() {
    let cited =
        async |html: String| fetch(body("text/html", html)).await.citations()[0].title.clone();
    assert_eq!(cited("text".into()).await, "example.com");
    assert_eq!(cited(format!("<title>{}</title>", "a".repeat(999))).await, "a".repeat(300));
    assert_eq!(cited("<title>a\u{1b}[31mb</title>".into()).await, "a[31mb");
}

#[tokio::test]
async fn the_code_of_the_way_out_is_the_outcome() {
    let lab = lab(&Replies::reaching(Reach::public()));
    let outcome = lab.call::<Fetch>(json!({"url": URL})).approved().await;
    assert_eq!((outcome.kind(), outcome.code()), (OutcomeKind::Failed, Some("unreachable")));
}

#[tokio::test]
async fn what_is_asked_for_is_limited_in_kind_size_and_time() {
    let out = answers(body("text/plain", "a"));
    lab(&out).call::<Fetch>(json!({"url": URL})).approved().await;
    let asked = &out.asked()[0];
    assert_eq!(asked.accept, ["text/html", "text/plain", "application/json"]);
    assert_eq!((asked.max_body, asked.timeout.as_secs()), (1 << 20, 15));
    let names: Vec<_> = asked.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["accept", "user-agent"]);
}

#[test]
fn published_versions_keep_their_contract() {
    catalog_lock!("capabilities.lock", &WEB);
}
