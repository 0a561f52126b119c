//! What is served to whom without asking for anything.
use sovereign_tests::served::{Home, Page, Reply, raw, request, within};

async fn get(page: &Page, host: &str, path: &str, more: &[(&str, &str)]) -> Reply {
    let mut headers = more.to_vec();
    if !page.cookie.is_empty() {
        headers.push(("Cookie", page.cookie.as_str()));
    }
    within(raw(page.address, &request("GET", path, host, &headers, ""))).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_session_there_is_the_login_page_and_nothing_of_anybody() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let nobody = Page { cookie: String::new(), csrf: String::new(), ..page.clone() };
    let host = served.host();
    let login = get(&nobody, &host, "/login", &[]).await;
    assert_eq!(login.status, 200);
    assert_eq!(get(&nobody, &host, "/", &[]).await.body, login.body);
    assert!(!login.body.contains("operator") && !login.body.contains("csrf-token"));
    for path in ["/rpc/v1", "/rpc/v1/events", "/frame", "/index.html", "/assets/", "/assets/..%2f"]
    {
        let refused = get(&nobody, &host, path, &[]).await;
        assert!([401, 404, 405].contains(&refused.status), "{path}: {refused:?}");
        assert!(!refused.body.contains("<html"), "{path}");
    }
    let app = get(&page, &host, "/", &[]).await;
    assert!(app.body != login.body && app.body.contains("content=\"operator\""));
    for dest in ["script", "iframe", "empty", "image", "frame"] {
        let embedded = get(&page, &host, "/", &[("Sec-Fetch-Dest", dest)]).await;
        assert_eq!(embedded.status, 403, "{dest}");
    }
    assert_eq!(get(&page, &host, "/", &[("Sec-Fetch-Dest", "document")]).await.body, app.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cookie_alone_gets_no_csrf_token_from_any_path() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let thief = Page { csrf: String::new(), ..page.clone() };
    let frame = format!("localhost:{}", served.port());
    let cookie = page.cookie.split('=').nth(1).unwrap();
    for host in [served.host(), frame] {
        for path in ["/", "/login", "/frame", "/rpc/v1", "/rpc/v1/events", "/assets/app.js"] {
            let reply = get(&thief, &host, path, &[]).await;
            let all = format!("{reply:?}");
            assert!(!all.contains(&page.csrf) && !all.contains(cookie), "{host}{path}: {all}");
        }
    }
    for (method, _) in sovereign_node::serve::methods() {
        let all = format!("{:?}", thief.call(method, serde_json::json!({})).await);
        assert!(!all.contains(&page.csrf) && !all.contains(cookie), "{method}: {all}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_frames_host_has_the_chat_and_no_session() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let frame = format!("localhost:{}", served.port());
    let chat = get(&page, &frame, "/", &[]).await;
    assert_eq!(chat.status, 200);
    assert_eq!(get(&page, &frame, "/frame", &[]).await.body, chat.body);
    assert!(!chat.body.contains(&page.csrf) && !chat.body.contains("operator"));
    assert_eq!(get(&page, &frame, "/login", &[]).await.status, 404);
    let own = [("X-CSRF-Token", page.csrf.as_str())];
    assert_eq!(get(&page, &frame, "/rpc/v1/events", &own).await.status, 403);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"assistant.status","params":{}}"#;
    let headers = [
        ("Cookie", page.cookie.as_str()),
        ("X-CSRF-Token", page.csrf.as_str()),
        ("Content-Type", "application/json"),
    ];
    let bytes = request("POST", "/rpc/v1", &frame, &headers, body);
    assert_eq!(within(raw(page.address, &bytes)).await.unwrap().status, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_says_what_a_browser_may_do_with_it() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let (host, port) = (served.host(), served.port());
    let frame = format!("localhost:{port}");
    let stranger = "evil.test";
    let answers = [
        get(&page, &host, "/", &[]).await,
        get(&page, &host, "/login", &[]).await,
        get(&page, &host, "/nothing", &[]).await,
        get(&page, &host, "/rpc/v1", &[]).await,
        get(&page, &host, "/rpc/v1/events", &[]).await,
        get(&page, &frame, "/", &[]).await,
        get(&page, &frame, "/nothing", &[]).await,
        get(&page, stranger, "/", &[]).await,
        page.post("{").await,
    ];
    for answer in &answers {
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("origin-agent-cluster", "?1"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{answer:?}");
        }
        let policy = answer.header("content-security-policy").expect("a policy");
        for rule in
            ["default-src 'none'", "script-src 'self'", "base-uri 'none'", "form-action 'none'"]
        {
            assert!(policy.contains(rule), "{policy}");
        }
        assert!(answer.headers.iter().all(|(name, _)| !name.starts_with("access-control")));
        assert_eq!(answer.header("set-cookie"), None);
    }
    let policy = |answer: &Reply| answer.header("content-security-policy").unwrap().to_owned();
    assert!(policy(&answers[0]).contains("frame-ancestors 'none'"));
    assert!(policy(&answers[0]).contains(&format!("frame-src http://localhost:{port};")));
    assert_eq!(answers[0].header("x-frame-options"), Some("DENY"));
    assert!(policy(&answers[5]).contains(&format!("frame-ancestors http://127.0.0.1:{port};")));
    assert!(policy(&answers[5]).contains("connect-src 'none'"));
}
