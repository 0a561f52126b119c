//! What is refused before anybody looks at what is asked.
use serde_json::json;
use sovereign_tests::served::{Home, Page, Reply, raw, request, within};

const STATUS: &str = r#"{"jsonrpc":"2.0","id":1,"method":"assistant.status","params":{}}"#;
const JSON: (&str, &str) = ("Content-Type", "application/json");

/// A request that would be answered, with these headers in place of or beside its own.
async fn post(page: &Page, host: &str, more: &[(&str, &str)]) -> Reply {
    let own = [("Cookie", page.cookie.as_str()), ("X-CSRF-Token", page.csrf.as_str())];
    let mut headers = own.to_vec();
    if !more.iter().any(|(name, _)| *name == JSON.0) {
        headers.push(JSON);
    }
    headers.extend(more);
    within(raw(page.address, &request("POST", "/rpc/v1", host, &headers, STATUS))).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_served_under_any_other_name() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    assert_eq!(post(&page, &served.host(), &[]).await.status, 200);
    let port = served.port();
    let other = port ^ 1;
    for host in [
        "evil.test".to_owned(),
        format!("evil.test:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{other}"),
        format!("127.0.0.2:{port}"),
        format!("127.0.0.1:{port}.evil.test"),
        format!("127.0.0.1.:{port}"),
        format!("127.0.0.1:0{port}"),
        format!("2130706433:{port}"),
        format!("[::1]:{port}"),
        format!("0.0.0.0:{port}"),
        format!("localhost:{other}"),
        format!("localhost.:{port}"),
        format!("LOCALHOST:{port}"),
        format!("user@127.0.0.1:{port}"),
    ] {
        let refused = post(&page, &host, &[]).await;
        assert!([400, 421].contains(&refused.status), "{host}: {refused:?}");
        for path in ["/", "/login", "/frame", "/assets/app.js", "/rpc/v1/events", "/nothing"] {
            let headers = [("Cookie", page.cookie.as_str()), ("X-CSRF-Token", &page.csrf)];
            let reply = within(raw(page.address, &request("GET", path, &host, &headers, ""))).await;
            let reply = reply.unwrap();
            assert!([400, 421].contains(&reply.status), "{host} {path}: {reply:?}");
            assert!(!reply.body.contains("<html") && !reply.body.contains(&page.csrf));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_given_twice_or_two_ways_is_none() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let (host, port) = (served.host(), served.port());
    let heads = [
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil.test\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n"),
        format!("GET http://evil.test/ HTTP/1.1\r\nHost: {host}\r\n"),
        format!("GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: evil.test\r\n"),
        "GET / HTTP/1.1\r\n".to_owned(),
        "GET / HTTP/1.0\r\n".to_owned(),
    ];
    for head in heads {
        let bytes = format!("{head}Connection: close\r\n\r\n");
        let reply = within(raw(served.address, bytes.as_bytes())).await.unwrap();
        assert!([400, 421].contains(&reply.status), "{head}: {reply:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_site_or_another_port_asks_in_vain() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let (host, port) = (served.host(), served.port());
    let own = format!("http://127.0.0.1:{port}");
    let fine = [("Origin", own.as_str()), ("Sec-Fetch-Site", "same-origin")];
    assert_eq!(post(&page, &host, &fine).await.status, 200);
    let other_port = format!("http://127.0.0.1:{}", port ^ 1);
    let (frame, secure) = (format!("http://localhost:{port}"), format!("https://127.0.0.1:{port}"));
    let slash = format!("{own}/");
    let foreign: [&[(&str, &str)]; 13] = [
        &[("Origin", "http://evil.test")],
        &[("Origin", &other_port)],
        &[("Origin", &frame)],
        &[("Origin", &secure)],
        &[("Origin", &slash)],
        &[("Origin", "http://127.0.0.1")],
        &[("Origin", "null")],
        &[("Origin", "")],
        &[("Origin", &own), ("Origin", "http://evil.test")],
        &[("Sec-Fetch-Site", "cross-site")],
        &[("Sec-Fetch-Site", "same-site")],
        &[("Sec-Fetch-Site", "none")],
        &[("Origin", &own), ("Sec-Fetch-Site", "cross-site")],
    ];
    for headers in foreign {
        let refused = post(&page, &host, headers).await;
        let code = (refused.status, refused.code());
        assert_eq!(code, (403, "foreign_origin".to_owned()), "{headers:?}");
        let mut stream = vec![("Cookie", page.cookie.as_str()), ("X-CSRF-Token", &page.csrf)];
        stream.extend(headers);
        let bytes = request("GET", "/rpc/v1/events", &host, &stream, "");
        let refused = within(raw(page.address, &bytes)).await.unwrap();
        assert_eq!(refused.status, 403, "{headers:?}");
    }
    // nobody is told that they may
    let asked = [("Origin", "http://evil.test"), ("Access-Control-Request-Method", "POST")];
    let bytes = request("OPTIONS", "/rpc/v1", &host, &asked, "");
    let preflight = within(raw(page.address, &bytes)).await.unwrap();
    assert_eq!(preflight.status, 405);
    assert!(preflight.headers.iter().all(|(name, _)| !name.starts_with("access-control")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_json_is_read() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let host = served.host();
    for fine in
        ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]
    {
        assert_eq!(post(&page, &host, &[(JSON.0, fine)]).await.status, 200, "{fine}");
    }
    for wrong in [
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "",
        "application/json; charset=utf-16",
        "application/json, text/plain",
        "application/jsonx",
        "application/json; boundary=x; charset=utf-8",
    ] {
        let refused = post(&page, &host, &[(JSON.0, wrong)]).await;
        assert_eq!((refused.status, refused.code().as_str()), (415, "content_type"), "{wrong}");
    }
    let twice = [JSON, (JSON.0, "text/plain")];
    assert_eq!(post(&page, &host, &twice).await.status, 415);
    let headers = [("Cookie", page.cookie.as_str()), ("X-CSRF-Token", &page.csrf)];
    let bytes = request("POST", "/rpc/v1", &host, &headers, STATUS);
    assert_eq!(within(raw(page.address, &bytes)).await.unwrap().status, 415);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cookies_that_others_set_keep_nobody_out_and_let_nobody_in() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let (page, other) = (served.operator().await, served.operator().await);
    let (own, name) = (page.cookie.as_str(), "sovereign_session");
    for fine in [
        format!("other=1; {own}; sovereign_sessio=2"),
        format!("{name}=x; {own}"),
        format!("{}{own}", format!("{name}=x; ").repeat(300)),
        format!("{own}; {own}"),
        format!("caf\u{e9}=\u{e9}; {own}"),
        format!("=; ;{name}; {own};"),
    ] {
        let page = Page { cookie: fine.clone(), ..page.clone() };
        assert_eq!(page.call("assistant.status", json!({})).await.status, 200, "{fine}");
    }
    for wrong in [
        format!("{own}; {}", other.cookie),
        format!("{name}=x; {name}=y"),
        own.to_uppercase(),
        own.replace(name, "sovereign_sessions"),
    ] {
        let page = Page { cookie: wrong.clone(), ..page.clone() };
        assert_eq!(page.call("assistant.status", json!({})).await.status, 401, "{wrong}");
    }
}
