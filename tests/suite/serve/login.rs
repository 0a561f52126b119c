//! How somebody comes in.
use serde_json::json;
use sovereign_tests::served::{Home, PASSWORD, Page, Served, within};
use std::time::Duration;

const WRONG: &str = "not the password";

/// How a login with this password ends: the status, and the stable word.
async fn attempt(served: &Served, user: &str, password: &str) -> (u16, String) {
    let params = json!({ "user": user, "password": password });
    match within(Page::login(served.address, params)).await {
        Ok(_) => (200, String::new()),
        Err(reply) => (reply.status, reply.code()),
    }
}

async fn with_token(served: &Served, token: &str) -> Result<Page, (u16, String)> {
    let login = within(Page::login(served.address, json!({ "token": token }))).await;
    login.map_err(|reply| (reply.status, reply.code()))
}

fn failed() -> (u16, String) {
    (401, "login_failed".to_owned())
}

fn too_many() -> (u16, String) {
    (429, "too_many_attempts".to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_name_and_a_wrong_password_get_one_answer() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    for (user, password) in [
        ("operator", WRONG),
        ("nobody", PASSWORD),
        ("", ""),
        ("Operator", PASSWORD),
        ("operator\0", PASSWORD),
        ("vera", "correct horse batterY"),
    ] {
        assert_eq!(attempt(&served, user, password).await, failed(), "{user}");
    }
    assert_eq!(attempt(&served, "vera", PASSWORD).await.0, 200);
    let events = served.events();
    assert_eq!(events.iter().filter(|event| *event == "login_failed").count(), 6);
    assert_eq!(events.iter().filter(|event| *event == "login").count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_failures_shut_an_account_for_five_minutes_and_no_other() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    for _ in 0..5 {
        assert_eq!(attempt(&served, "operator", WRONG).await, failed());
    }
    assert_eq!(attempt(&served, "operator", WRONG).await, too_many());
    assert_eq!(attempt(&served, "operator", PASSWORD).await, too_many(), "the right one as well");
    assert_eq!(attempt(&served, "vera", PASSWORD).await.0, 200);
    home.clock.advance(Duration::from_secs(299));
    assert_eq!(attempt(&served, "operator", PASSWORD).await, too_many());
    home.clock.advance(Duration::from_secs(1));
    assert_eq!(attempt(&served, "operator", PASSWORD).await.0, 200);
    // the one that succeeded does not count, and the ones before are over
    for _ in 0..4 {
        assert_eq!(attempt(&served, "operator", WRONG).await, failed());
        assert_eq!(attempt(&served, "operator", PASSWORD).await.0, 200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_failures_shut_every_account() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    for n in 0..20 {
        assert_eq!(attempt(&served, &format!("guess{n}"), WRONG).await, failed());
    }
    assert_eq!(attempt(&served, "vera", PASSWORD).await, too_many());
    home.clock.advance(Duration::from_secs(300));
    assert_eq!(attempt(&served, "vera", PASSWORD).await.0, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_that_was_let_in_before_is_not_shut_out_by_others() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let nobody = Page { address: served.address, cookie: String::new(), csrf: String::new() };
    let params = |password: &str| json!({ "user": "operator", "password": password });
    let first = nobody.call("auth.login", params(PASSWORD)).await;
    let known = first.headers.iter().filter(|(name, _)| name == "set-cookie");
    let known = known.map(|(_, value)| value).find(|value| value.starts_with("sovereign_browser="));
    let known = known.expect("what the browser is known by").split(';').next().unwrap().to_owned();
    for n in 0..20 {
        let user = if n < 5 { "operator".to_owned() } else { format!("guess{n}") };
        assert_eq!(attempt(&served, &user, WRONG).await, failed());
    }
    assert_eq!(attempt(&served, "operator", PASSWORD).await, too_many());
    // behind as many as another port of this machine cares to set
    let others = "sovereign_browser=x; ".repeat(50);
    let browser = Page { cookie: format!("{others}{known}"), ..nobody.clone() };
    assert_eq!(browser.call("auth.login", params(PASSWORD)).await.status, 200);
    // it lets nobody in, and has a limit of its own
    for _ in 0..5 {
        assert_eq!(browser.call("auth.login", params(WRONG)).await.code(), "login_failed");
    }
    assert_eq!(browser.call("auth.login", params(PASSWORD)).await.code(), "too_many_attempts");
    assert_eq!(browser.call("assistant.status", json!({})).await.status, 401);
    let other = json!({ "user": "vera", "password": PASSWORD });
    assert_eq!(
        browser.call("auth.login", other).await.code(),
        "too_many_attempts",
        "one name only"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_tokens_use_up_nobodys_first_login() {
    let home = Home::new();
    let served = home.serve().await;
    let token = served.token.clone().unwrap();
    for n in 0..30 {
        assert_eq!(with_token(&served, &format!("{n:064}")).await.unwrap_err(), failed());
    }
    let odd = json!({ "user": "\0token", "password": WRONG });
    assert_eq!(Page::login(served.address, odd).await.unwrap_err().code(), "login_failed");
    assert!(with_token(&served, &token).await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_attempts_at_once_are_no_way_around_the_limit() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let tries = (0..12).map(|_| attempt(&served, "operator", WRONG));
    let mut all = Vec::new();
    let mut tasks = tries.collect::<Vec<_>>().into_iter();
    // pairs at once are enough to overlap, and keep the test small
    while let (Some(one), Some(two)) = (tasks.next(), tasks.next()) {
        let (one, two) = tokio::join!(one, two);
        all.extend([one, two]);
    }
    assert_eq!(all.iter().filter(|answer| **answer == failed()).count(), 5);
    assert_eq!(all.iter().filter(|answer| **answer == too_many()).count(), 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_first_login_is_by_a_token_that_works_once() {
    let home = Home::new();
    let served = home.serve().await;
    let token = served.token.clone().expect("a token while nobody has a password");
    assert_eq!(with_token(&served, &"0".repeat(64)).await.unwrap_err(), failed());
    let page = with_token(&served, &token).await.unwrap();
    assert_eq!(with_token(&served, &token).await.unwrap_err(), failed(), "it is used up");
    let set = page.call("auth.set-password", json!({ "new": PASSWORD })).await;
    assert_eq!(set.result(), json!({}));
    assert_eq!(page.call("assistant.status", json!({})).await.status, 200, "it stays logged in");
    assert_eq!(attempt(&served, "operator", PASSWORD).await.0, 200);
    served.stop().await;
    let served = home.serve().await;
    assert_eq!(served.token, None, "somebody has a password now");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_one_time_login_sets_one_password_without_an_old_one() {
    let home = Home::new();
    let served = home.serve().await;
    let page = with_token(&served, &served.token.clone().unwrap()).await.unwrap();
    let set = async |params| page.call("auth.set-password", params).await.code();
    assert_eq!(set(json!({ "new": PASSWORD })).await, "");
    assert_eq!(set(json!({ "new": "another good one" })).await, "wrong_password");
    assert_eq!(set(json!({ "old": PASSWORD, "new": "another good one" })).await, "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_lets_nobody_in_after_ten_minutes() {
    for (seconds, fine) in [(599, true), (600, false), (601, false)] {
        let home = Home::new();
        let served = home.serve().await;
        let token = served.token.clone().unwrap();
        home.clock.advance(Duration::from_secs(seconds));
        assert_eq!(with_token(&served, &token).await.is_ok(), fine, "{seconds}");
    }
    // a machine that slept, or whose clock was set back
    for advance in [
        sovereign_core::testing::PausedClock::advance_wall,
        sovereign_core::testing::PausedClock::advance_monotonic,
    ] {
        let home = Home::new();
        let served = home.serve().await;
        let token = served.token.clone().unwrap();
        advance(&home.clock, Duration::from_secs(600));
        assert_eq!(with_token(&served, &token).await.unwrap_err(), failed());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_of_an_earlier_run_lets_nobody_in() {
    let home = Home::new();
    let served = home.serve().await;
    let token = served.token.clone().unwrap();
    served.stop().await;
    let served = home.serve().await;
    assert_eq!(with_token(&served, &token).await.unwrap_err(), failed());
    assert!(with_token(&served, &served.token.clone().unwrap()).await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_takes_one_form_and_no_other() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let nobody = Page { address: served.address, cookie: String::new(), csrf: String::new() };
    for params in [
        json!({}),
        json!({ "user": "operator" }),
        json!({ "password": PASSWORD }),
        json!({ "user": "operator", "password": PASSWORD, "token": "x" }),
        json!({ "user": "operator", "password": PASSWORD, "role": "operator" }),
        json!({ "user": ["operator"], "password": PASSWORD }),
        json!(["operator", PASSWORD]),
    ] {
        let reply = nobody.call("auth.login", params.clone()).await;
        assert_eq!((reply.status, reply.code().as_str()), (200, "invalid_params"), "{params}");
        assert_eq!(reply.header("set-cookie"), None);
    }
}
