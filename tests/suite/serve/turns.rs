//! Turns, and who watches them.
use serde_json::{Value, json};
use sovereign_tests::served::{Home, Obedient, Page, within};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

async fn say(page: &Page, text: &str) -> Value {
    within(page.call("assistant.chat", json!({ "text": text }))).await.result()
}

async fn code_of(page: &Page, method: &str, params: Value) -> String {
    within(page.call(method, params)).await.code()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_stream_tells_a_turn_from_its_beginning_to_its_end() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let mut stream = page.watch().await;
    let first = within(stream.next()).await.unwrap();
    assert_eq!(first, json!({ "type": "state", "state": "idle", "text": "" }));
    let answer = say(&page, "send question").await;
    let (id, token) = page.surfaced().await;
    assert_eq!(page.decide(&id, &token, "approve").await.status, 200);
    let mut seen = Vec::new();
    loop {
        let event = within(stream.next()).await.unwrap();
        assert_eq!(event["turn"], answer["turn"], "{event}");
        let text = event.to_string();
        assert!(!text.contains(&token) && !text.contains("token"), "{text}");
        seen.push(event);
        if seen.last().unwrap()["type"] == "finished" {
            break;
        }
    }
    let kinds: Vec<&str> = seen.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["turn_started", "proposed", "pending", "resolved", "settled", "text", "text", "finished"]
    );
    assert_eq!(seen[0]["text"], "send question");
    assert_eq!(seen[1]["wire_name"], "lab__send__v1");
    assert_eq!(seen[2]["pending"]["id"], id.as_str());
    assert_eq!(seen[2]["pending"]["expires_in_seconds"], 120);
    assert_eq!((&seen[3]["id"], &seen[3]["how"]), (&json!(id), &json!("approved")));
    assert_eq!(seen[4]["receipt"]["audit_id"], seen[2]["pending"]["audit_id"]);
    assert_eq!(seen[4]["result"], json!({ "word": "answer" }));
    let words = [5, 6].map(|i: usize| seen[i]["delta"].as_str().unwrap().to_owned()).concat();
    assert_eq!(seen[7]["report"]["text"], words.as_str());
    assert_eq!(seen[7]["report"]["citations"][0]["url"], "https://search.example/");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_tab_ends_nothing_and_a_new_one_sees_where_it_stands() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    let tab = page.call_unheard("assistant.chat", json!({ "text": "slow" })).await;
    within(home.lab.started.notified()).await;
    drop(tab);
    let mut stream = page.watch().await;
    let first = within(stream.next()).await.unwrap();
    assert_eq!(first["state"], "running");
    assert_eq!(code_of(&page, "assistant.chat", json!({ "text": "read" })).await, "turn_running");
    home.lab.gate.notify_one();
    let finished = within(stream.until("finished")).await;
    assert_eq!(finished["report"]["receipts"][0]["outcome"], "executed");
    assert_eq!(home.lab.ran(), ["slow"]);
    let status = within(page.settled()).await;
    assert_eq!(status["report"], finished["report"]);
    assert_eq!(status["last_turn"], finished["turn"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_is_cancelled_by_its_id_with_receipts_of_what_it_did() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let (page, other) = (served.operator().await, served.operator().await);
    let mut stream = page.watch().await;
    let _tab = page.call_unheard("assistant.chat", json!({ "text": "slow" })).await;
    let turn = within(stream.until("turn_started")).await["turn"].clone();
    within(home.lab.started.notified()).await;
    let foreign = json!({ "turn": turn });
    assert_eq!(code_of(&other, "assistant.cancel", foreign.clone()).await, "no_such_turn");
    for wrong in ["", "t0-0", "x"] {
        let params = json!({ "turn": wrong });
        assert_eq!(code_of(&page, "assistant.cancel", params).await, "no_such_turn");
    }
    let done = within(page.call("assistant.cancel", foreign.clone())).await.result();
    assert_eq!(done["receipts"][0]["outcome"], "cancelled");
    let finished = within(stream.until("finished")).await;
    assert_eq!((&finished["cancelled"], &finished["turn"]), (&json!(true), &turn));
    assert_eq!(code_of(&page, "assistant.cancel", foreign).await, "no_such_turn");
    let next = say(&page, "read").await;
    assert_eq!(next["report"]["receipts"][0]["outcome"], "executed");
    assert_eq!(home.lab.ran(), ["read"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_said_is_the_accounts_own_and_is_cleared_by_it() {
    let home = Home::new().with_accounts();
    home.accounts()
        .add("carol", sovereign_node::serve::Role::Operator, sovereign_tests::served::PASSWORD)
        .unwrap();
    let served = home.serve().await;
    let (page, carol) = (served.operator().await, served.login("carol").await);
    say(&page, "first words").await;
    say(&carol, "another's words").await;
    let turns = async |page: &Page, limit: Value| {
        let history = within(page.call("assistant.history", limit)).await.result();
        let turns = history["turns"].as_array().unwrap().clone();
        turns.iter().map(|t| t["user"]["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    say(&page, "second words").await;
    assert_eq!(turns(&page, json!({})).await, ["first words", "second words"]);
    assert_eq!(turns(&page, json!({ "limit": 1 })).await, ["second words"]);
    assert_eq!(turns(&carol, json!({})).await, ["another's words"]);
    served.stop().await;
    let served = home.serve().await;
    let again = served.operator().await;
    assert_eq!(turns(&again, json!({})).await, ["first words", "second words"], "after a restart");
    let cleared = within(again.call("assistant.clear-history", json!({}))).await.result();
    assert_eq!(cleared, json!({ "removed": 2 }));
    assert_eq!(turns(&again, json!({})).await, [""; 0]);
    let carol = served.login("carol").await;
    assert_eq!(turns(&carol, json!({})).await, ["another's words"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pages_of_the_node_show_what_there_is() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let (page, vera) = (served.operator().await, served.login("vera").await);
    let get = async |page: &Page, method: &str, params: Value| {
        within(page.call(method, params)).await.result()
    };
    let tools = get(&vera, "assistant.list-tools", json!({})).await;
    let tool = |tools: &Value, name: &str| {
        let tools = tools["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap().clone()
    };
    let send = tool(&tools, "lab.send");
    assert_eq!((&send["allowed"], &send["confirmation"]), (&json!(true), &json!("required")));
    let off = json!({ "scope": "operator", "category": "search", "held": false });
    assert_eq!(get(&page, "assistant.grants-set", off.clone()).await, json!({ "changed": true }));
    assert_eq!(get(&page, "assistant.grants-set", off).await, json!({ "changed": false }));
    let switch = json!({ "target": "lab.send", "enabled": false });
    let switched = get(&page, "assistant.policy-set", switch).await;
    assert_eq!(switched["switched"][0]["enabled"], false);
    let send = tool(&get(&vera, "assistant.list-tools", json!({})).await, "lab.send");
    assert_eq!((&send["allowed"], &send["why"]["code"]), (&json!(false), &json!("not_granted")));
    assert_eq!(send["why"]["change"], json!(["grant `search`", "switch on `lab.send`"]));
    let grants = get(&vera, "assistant.grants-get", json!({})).await;
    assert_eq!(grants["scopes"][0]["scope"], "operator");
    let categories = grants["scopes"][0]["categories"].as_array().unwrap();
    let held =
        |word: &str| categories.iter().find(|c| c["category"] == word).unwrap()["held"].clone();
    assert_eq!((held("search"), held("system")), (json!(false), json!(true)));
    let never = json!({ "remote_inference": "never" });
    assert_eq!(get(&page, "assistant.policy-set", never).await["changed"], true);
    let policy = get(&vera, "assistant.policy-get", json!({})).await;
    assert_eq!(policy["remote_inference"], "never");
    let legs = get(&vera, "assistant.backends", json!({})).await;
    assert_eq!(
        legs,
        json!({ "legs": [{ "id": "obedient", "locality": "local", "state": "ready" }] })
    );
    let health = get(&vera, "system.health", json!({})).await;
    assert_eq!(health["os_name"], "Some OS");
    for (method, params, code) in [
        (
            "assistant.grants-set",
            json!({ "scope": "operator", "category": "all", "held": true }),
            "unknown_category",
        ),
        ("assistant.policy-set", json!({ "target": "no.such", "enabled": true }), "unknown_target"),
        ("assistant.policy-set", json!({ "target": "lab.send" }), "invalid_params"),
        ("assistant.policy-set", json!({ "remote_inference": "yes" }), "invalid_params"),
    ] {
        assert_eq!(code_of(&page, method, params).await, code, "{method}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_is_read_while_it_grows_newest_first() {
    let home = Home::new().with_accounts();
    let served = home.serve().await;
    let page = served.operator().await;
    for text in ["read", "disk", "read"] {
        say(&page, text).await;
    }
    let audit = async |params: Value| within(page.call("assistant.audit", params)).await.result();
    let calls = audit(json!({ "kind": "call", "last": 2 })).await;
    let names: Vec<_> =
        calls["records"].as_array().unwrap().iter().map(|r| &r["capability"]).collect();
    assert_eq!(names, ["lab.read", "system.disk_status"]);
    let rest = audit(json!({ "kind": "call", "before": calls["next"] })).await;
    assert_eq!(rest["records"].as_array().unwrap().len(), 1);
    assert_eq!(rest["next"], Value::Null);
    let read = audit(json!({ "capability": "lab.read", "outcome": "executed" })).await;
    assert_eq!(read["records"].as_array().unwrap().len(), 2);
    assert_eq!(audit(json!({ "outcome": "denied" })).await["records"], json!([]));
    let verified = audit(json!({ "verify": true })).await;
    assert_eq!(verified["intact"], true);
    let stats = audit(json!({ "stats": true })).await;
    let counts = json!([{ "point": "execute", "outcome": "executed", "count": 3 }]);
    assert_eq!(stats["buckets"][0]["counts"], counts);
    let both = page.call("assistant.audit", json!({ "stats": true, "verify": true })).await;
    assert_eq!(both.code(), "invalid_params");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backend_that_was_taken_away_is_asked_no_more() {
    let home = Home::new().with_accounts();
    let clock = Arc::new(home.clock.clone());
    let mut parts = home.parts(Arc::new(Obedient), clock);
    let gone = Arc::new(AtomicBool::new(false));
    let (of, legs) = (Arc::clone(&gone), parts.legs);
    parts.legs = Box::new(move || if of.load(Ordering::SeqCst) { Vec::new() } else { legs() });
    let served = home.serve_parts(parts).await;
    let page = served.operator().await;
    assert_eq!(say(&page, "hello").await["report"]["text"], "you said: hello");
    gone.store(true, Ordering::SeqCst);
    let report = say(&page, "hello again").await["report"].clone();
    assert!(!report.to_string().contains("you said"), "{report}");
    gone.store(false, Ordering::SeqCst);
    assert_eq!(say(&page, "hello").await["report"]["text"], "you said: hello");
}
