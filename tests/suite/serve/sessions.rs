//! How long somebody stays in, and what ends with it.
use serde_json::{Value, json};
use sovereign_tests::served::{Home, PASSWORD, Page, within};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

async fn status(page: &Page) -> u16 {
    page.call("assistant.status", json!({})).await.status
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_login_has_a_cookie_and_a_token_of_its_own() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let first = served.operator().await;
    let params = json!({ "user": "operator", "password": PASSWORD });
    // from the browser that is logged in already, and without its page's token
    let again = Page { csrf: String::new(), ..first.clone() };
    let reply = again.call("auth.login", params).await;
    let set = reply.header("set-cookie").unwrap().to_owned();
    let rules: Vec<_> = set.split("; ").skip(1).collect();
    assert_eq!(
        rules,
        ["Path=/", "HttpOnly", "SameSite=Strict"],
        "without an age it goes with the browser"
    );
    let cookie = set.split(';').next().unwrap();
    assert_ne!(cookie, first.cookie);
    assert_eq!(status(&first).await, 401, "the one before is over");
    let page = Page { cookie: cookie.to_owned(), ..first.clone() };
    assert_eq!(page.call("assistant.status", json!({})).await.code(), "csrf", "so is its token");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_ends_after_two_idle_hours_and_after_eight_in_all() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let idle = served.operator().await;
    home.clock.advance(2 * HOUR - Duration::from_secs(1));
    assert_eq!(status(&idle).await, 200);
    home.clock.advance(2 * HOUR);
    assert_eq!(status(&idle).await, 401);
    let busy = served.operator().await;
    for _ in 0..7 {
        home.clock.advance(HOUR);
        assert_eq!(status(&busy).await, 200);
    }
    home.clock.advance(HOUR);
    assert_eq!(status(&busy).await, 401);
    // a machine that slept counts as well
    let slept = served.operator().await;
    home.clock.advance_wall(2 * HOUR);
    assert_eq!(status(&slept).await, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cookie_alone_keeps_no_session_alive() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let thief = Page { csrf: String::new(), ..page.clone() };
    home.clock.advance(HOUR);
    thief.get("/").await;
    assert_eq!(thief.call("assistant.status", json!({})).await.code(), "csrf");
    home.clock.advance(HOUR);
    assert_eq!(status(&page).await, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn logging_out_withdraws_what_is_pending_and_ends_the_stream() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let mut stream = page.watch().await;
    let asked = within(page.call("assistant.chat", json!({ "text": "send x" }))).await.result();
    assert_eq!(asked["state"], "awaiting_decision");
    let (id, token) = page.surfaced().await;
    let out = within(page.call("auth.logout", json!({}))).await;
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    within(stream.until("logged_out")).await;
    assert_eq!(within(stream.next()).await, None, "the stream is over");
    assert_eq!(page.decide(&id, &token, "approve").await.status, 401);
    let again = served.operator().await;
    assert_eq!(again.decide(&id, &token, "approve").await.code(), "not_pending");
    assert_eq!(home.lab.ran(), [""; 0]);
    served.stop().await;
    let records = sovereign_tests::served::records(&home.audit());
    let ends: Vec<_> = records.iter().filter_map(ended).collect();
    assert_eq!(ends, [("lab.send".to_owned(), "void".to_owned(), "withdrawn".to_owned())]);
    let events = sovereign_tests::served::events(&home.audit());
    assert!(events.ends_with(&["voided".into(), "logout".into(), "login".into()]), "{events:?}");
}

fn ended(record: &sovereign_core::audit::StoredRecord) -> Option<(String, String, String)> {
    let sovereign_core::audit::StoredEntry::Call(call) = &record.entry else { return None };
    let code = call.code.as_deref().unwrap_or_default().to_owned();
    Some((call.capability.to_string(), call.outcome.as_deref()?.to_owned(), code))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_role_or_password_ends_the_sessions_of_the_account() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let operator = served.operator().await;
    let users = async |params: Value| operator.call("auth.users", params).await;
    let added = json!({
        "action": "add", "user": "carol", "role": "operator", "password": PASSWORD,
        "own_password": PASSWORD,
    });
    users(added).await.result();
    let carol = served.login("carol").await;
    let mut stream = carol.watch().await;
    within(carol.call("assistant.chat", json!({ "text": "send x" }))).await.result();
    users(json!({ "action": "set_role", "user": "carol", "role": "viewer", "own_password": PASSWORD })).await.result();
    within(stream.until("logged_out")).await;
    assert_eq!(status(&carol).await, 401);
    let carol = served.login("carol").await;
    assert_eq!(carol.call("assistant.chat", json!({ "text": "read" })).await.code(), "role");
    // on the command line, while the daemon runs
    home.accounts().set_password("carol", "another good one").unwrap();
    assert_eq!(status(&carol).await, 401);
    let params = json!({ "user": "carol", "password": "another good one" });
    let carol = Page::login(served.address, params).await.unwrap();
    users(json!({ "action": "remove", "user": "carol", "own_password": PASSWORD })).await.result();
    assert_eq!(status(&carol).await, 401);
    assert_eq!(home.lab.ran(), [""; 0]);
    served.stop().await;
    // what the first session was asked went with its role
    let records = sovereign_tests::served::records(&home.audit());
    let ends: Vec<_> = records.iter().filter_map(ended).collect();
    assert_eq!(ends, [("lab.send".to_owned(), "void".to_owned(), "withdrawn".to_owned())]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ones_own_password_needs_the_old_one_and_anothers_an_operator() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let (operator, vera) = (served.operator().await, served.login("vera").await);
    let elsewhere = served.login("vera").await;
    let set =
        async |page: &Page, params: Value| page.call("auth.set-password", params).await.code();
    let new = "a new and good one";
    assert_eq!(set(&vera, json!({ "new": new })).await, "wrong_password");
    assert_eq!(set(&vera, json!({ "old": "wrong and long", "new": new })).await, "wrong_password");
    assert_eq!(set(&vera, json!({ "old": PASSWORD, "new": "short" })).await, "not_allowed");
    assert_eq!(set(&vera, json!({ "user": "operator", "new": new })).await, "role");
    assert_eq!(set(&vera, json!({ "old": PASSWORD, "new": new })).await, "");
    assert_eq!(status(&vera).await, 200, "the one that set it goes on");
    assert_eq!(status(&elsewhere).await, 401, "the others do not");
    let of = |user: &str, own: &str| json!({ "user": user, "new": PASSWORD, "own_password": own });
    assert_eq!(set(&operator, json!({ "user": "vera", "new": PASSWORD })).await, "wrong_password");
    assert_eq!(set(&operator, of("vera", new)).await, "wrong_password");
    assert_eq!(status(&vera).await, 200, "nothing was changed");
    assert_eq!(set(&operator, of("vera", PASSWORD)).await, "");
    assert_eq!(status(&vera).await, 401);
    assert_eq!(set(&operator, of("nobody", PASSWORD)).await, "unknown_user");
    assert_eq!(set(&operator, json!({ "new": new })).await, "wrong_password", "operators as well");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accounts_that_cannot_be_read_let_nobody_in_and_nobody_stay() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    std::fs::write(home.path().join("secrets/accounts.json"), "{").unwrap();
    assert_eq!(status(&page).await, 401);
    let params = json!({ "user": "operator", "password": PASSWORD });
    let refused = Page::login(served.address, params).await.unwrap_err();
    assert_eq!(refused.code(), "accounts_unusable");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accounts_that_cannot_be_read_have_not_changed() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let elsewhere = || json!(served.records()).to_string().matches("elsewhere").count();
    let file = home.path().join("secrets/accounts.json");
    let whole = std::fs::read(&file).unwrap();
    let mut stream = served.operator().await.watch().await;
    std::fs::write(&file, "{").unwrap();
    home.clock.advance(Duration::from_secs(15));
    within(stream.until("logged_out")).await;
    std::fs::write(&file, &whole).unwrap();
    assert_eq!(elsewhere(), 0);
    let page = served.operator().await;
    let mut stream = page.watch().await;
    home.accounts().set_password("operator", "another good one").unwrap();
    home.clock.advance(Duration::from_secs(15));
    within(stream.until("logged_out")).await;
    assert_eq!(elsewhere(), 1, "what did change is seen");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_who_fail_to_log_in_keep_nobody_from_changing_accounts() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let (page, other) = (served.operator().await, served.operator().await);
    for _ in 0..5 {
        let wrong = json!({ "user": "operator", "password": "not the password" });
        assert_eq!(Page::login(served.address, wrong).await.unwrap_err().code(), "login_failed");
    }
    let right = json!({ "user": "operator", "password": PASSWORD });
    assert_eq!(Page::login(served.address, right).await.unwrap_err().code(), "too_many_attempts");
    let set = async |page: &Page, own: &str| {
        let params = json!({
            "action": "set_role", "user": "vera", "role": "viewer", "own_password": own,
        });
        page.call("auth.users", params).await.code()
    };
    assert_eq!(set(&page, PASSWORD).await, "");
    // who has a session may guess five times, and that is no matter of another session
    for _ in 0..5 {
        assert_eq!(set(&other, "not the password").await, "wrong_password");
    }
    assert_eq!(set(&other, PASSWORD).await, "too_many_attempts");
    for _ in 0..6 {
        assert_eq!(set(&page, PASSWORD).await, "", "what was right does not count");
    }
    home.clock.advance(Duration::from_secs(300));
    assert_eq!(set(&other, PASSWORD).await, "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_change_of_accounts_is_proved_and_recorded_without_a_name() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let users = async |params: Value| page.call("auth.users", params).await.code();
    let add = |own: Value| {
        json!({
            "action": "add", "user": "carol", "role": "operator", "password": PASSWORD,
            "own_password": own,
        })
    };
    assert_eq!(users(add(Value::Null)).await, "wrong_password");
    assert_eq!(users(add(json!("not my password"))).await, "wrong_password");
    assert_eq!(users(json!({})).await, "", "a list needs none");
    assert_eq!(users(add(json!(PASSWORD))).await, "");
    let carol = served.login("carol").await;
    let own = json!({ "old": PASSWORD, "new": "another good one" });
    assert_eq!(carol.call("auth.set-password", own).await.code(), "");
    home.accounts().set_role("carol", sovereign_node::serve::Role::Viewer).unwrap();
    let role = json!({ "action": "set_role", "user": "carol", "role": "operator", "own_password": PASSWORD });
    assert_eq!(users(role).await, "");
    let gone = json!({ "action": "remove", "user": "carol", "own_password": PASSWORD });
    assert_eq!(users(gone).await, "");
    let text: Vec<String> = served
        .records()
        .iter()
        .filter_map(|record| match &record.entry {
            sovereign_core::audit::StoredEntry::Administrative(event)
                if event.event == "accounts_changed" =>
            {
                Some(json!(event.details).to_string())
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        text,
        [
            r#"{"change":"added","role":"operator"}"#,
            r#"{"change":"password_set","role":"operator"}"#,
            r#"{"change":"role_set","role":"operator"}"#,
            r#"{"change":"removed"}"#,
        ]
    );
    // what another program did is seen when nothing else is
    home.accounts().set_password("vera", "another good one").unwrap();
    home.clock.advance(Duration::from_secs(15));
    within(async {
        while served.events().last().map(String::as_str) != Some("accounts_changed")
            || !json!(served.records()).to_string().contains("elsewhere")
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(!json!(served.records()).to_string().contains("carol"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_gets_a_name_reads_nothing_of_whoever_had_it() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let add = json!({
        "action": "add", "user": "carol", "role": "operator", "password": PASSWORD,
        "own_password": PASSWORD,
    });
    page.call("auth.users", add.clone()).await.result();
    let carol = served.login("carol").await;
    within(carol.call("assistant.chat", json!({ "text": "something private" }))).await.result();
    let gone = json!({ "action": "remove", "user": "carol", "own_password": PASSWORD });
    page.call("auth.users", gone).await.result();
    page.call("auth.users", add).await.result();
    let carol = served.login("carol").await;
    let history = carol.call("assistant.history", json!({})).await.result();
    assert_eq!(history, json!({ "turns": [], "summary": null }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_account_cannot_use_up_the_sessions_of_others() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let operator = served.operator().await;
    let mut pages = Vec::new();
    for _ in 0..17 {
        home.clock.advance(Duration::from_secs(1));
        pages.push(served.login("vera").await);
    }
    assert_eq!(status(&pages[0]).await, 401, "the longest idle one made room");
    for page in &pages[1..] {
        assert_eq!(status(page).await, 200);
    }
    assert_eq!(status(&operator).await, 200);
}
