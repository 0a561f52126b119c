//! Who may ask what: every method by everybody.
use serde_json::{Value, json};
use sovereign_node::serve::{Role, methods};
use sovereign_tests::served::{Home, Page, within};

fn nobody(page: &Page) -> Page {
    Page { cookie: String::new(), csrf: String::new(), ..page.clone() }
}

fn without_token(page: &Page) -> Page {
    Page { csrf: String::new(), ..page.clone() }
}

fn with_token(page: &Page, csrf: &str) -> Page {
    Page { csrf: csrf.to_owned(), ..page.clone() }
}

/// What is refused for its parameters got past every check of who asks: `{"\0": 0}` fits no method.
fn probe() -> Value {
    json!({ "no such parameter": 0 })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn assistant_methods_require_session() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let (operator, viewer) = (served.operator().await, served.login("vera").await);
    let wrong = "0".repeat(operator.csrf.len());
    let mut asked = 0;
    for (name, least) in methods() {
        let Some(least) = least else { continue };
        let answer = async |page: &Page| {
            let reply = within(page.call(name, probe())).await;
            (reply.status, reply.code())
        };
        let refused = |status, code: &str| (status, code.to_owned());
        assert_eq!(answer(&nobody(&operator)).await, refused(401, "no_session"), "{name}");
        let guessed = Page { cookie: format!("sovereign_session={wrong}"), ..operator.clone() };
        assert_eq!(answer(&guessed).await, refused(401, "no_session"), "{name}");
        assert_eq!(answer(&without_token(&operator)).await, refused(403, "csrf"), "{name}");
        assert_eq!(answer(&with_token(&operator, &wrong)).await, refused(403, "csrf"), "{name}");
        let of_another = with_token(&operator, &viewer.csrf);
        assert_eq!(answer(&of_another).await, refused(403, "csrf"), "{name}");
        let let_through = refused(200, "invalid_params");
        assert_eq!(answer(&operator).await, let_through, "{name}");
        let for_viewers = if least <= Role::Viewer { let_through } else { refused(403, "role") };
        assert_eq!(answer(&viewer).await, for_viewers, "{name}");
        asked += 1;
    }
    assert!(asked >= 19, "{asked}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_method_that_is_not_there_answers_nobody_and_tells_strangers_nothing() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let operator = served.operator().await;
    for name in [
        "",
        ".",
        "assistant",
        "assistant.",
        "assistant.Chat",
        "assistant.chat ",
        "assistant.chat\0",
        "Assistant.chat",
        "assistant.confirm_tool",
        "assistant.approve",
        "system.disk_status",
        "system.reboot",
        "auth.",
        "auth.sudo",
        "rpc.discover",
        "lab.read",
        "tools.call",
    ] {
        let stranger = nobody(&operator).call(name, json!({})).await;
        assert_eq!((stranger.status, stranger.code().as_str()), (401, "no_session"), "{name}");
        let known = operator.call(name, json!({})).await;
        assert_eq!((known.status, known.code().as_str()), (200, "unknown_method"), "{name}");
    }
    assert_eq!(home.lab.ran(), [""; 0]);
}
