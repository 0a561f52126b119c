//! What goes over Ollama's wire, and what comes of it.
use super::fixtures::{ask, calls, config, conversation, lab, ollama, say, says, server};
use serde_json::{Value, json};
use sovereign_backends::{Ollama, OllamaConfig};
use sovereign_core::audit::OutcomeKind;
use sovereign_core::backend::{Backend, Locality};
use sovereign_core::conversation::{Conversation, TurnLimits};
use sovereign_tests::double::{Answer, Double};
use std::sync::Arc;
use std::time::Duration;

const DISK: &str = r#"[{"function":{"name":"system__disk_status__v1","arguments":{}}}]"#;

/// The bodies sent to `/api/chat`.
fn chats(double: &Double) -> Vec<Value> {
    double.received_at("/api/chat").iter().map(|r| r.json()).collect()
}

fn with_role<'a>(body: &'a Value, role: &str) -> Vec<&'a Value> {
    body["messages"].as_array().unwrap().iter().filter(|m| m["role"] == role).collect()
}

#[tokio::test]
async fn ollama_uses_chat_endpoint_not_generate() {
    let double = server([says("Hello.")]).await;
    let turn = ask(&ollama(&double)).await.unwrap();
    assert_eq!((turn.text.as_str(), turn.proposals.len()), ("Hello.", 0));
    let paths: Vec<_> = double.received().iter().map(|r| r.path.clone()).collect();
    assert_eq!(paths, ["/api/ps", "/api/chat"]);
    let chat = &double.received_at("/api/chat")[0];
    assert_eq!(
        (chat.method.as_str(), chat.header("content-type")),
        ("POST", Some("application/json"))
    );
    let body = chat.json();
    assert_eq!(
        body["messages"],
        json!([
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "how much space is left?" },
        ])
    );
    assert!(body.get("prompt").is_none());
    assert_eq!((&body["stream"], &body["think"]), (&json!(false), &json!(false)));
}

#[tokio::test]
async fn every_reply_names_backend_and_model() {
    let double = server([says("Hello.")]).await;
    let identity = ask(&ollama(&double)).await.unwrap().identity;
    assert_eq!((identity.id, identity.locality), ("ollama", Locality::Local));
    assert_eq!(identity.model.as_deref(), Some("m"));
}

#[tokio::test]
async fn the_generation_cap_is_always_sent() {
    let double = server([says("Hello.")]).await;
    let config = OllamaConfig {
        num_ctx: 4096,
        num_predict: 77,
        keep_alive: Duration::from_secs(90),
        ..config(&double)
    };
    ask(&Ollama::new(config).unwrap()).await.unwrap();
    let body = &chats(&double)[0];
    assert_eq!(body["options"], json!({ "num_ctx": 4096, "num_predict": 77 }));
    assert_eq!(body["keep_alive"], "90s");
    assert_eq!((&body["truncate"], &body["shift"]), (&json!(false), &json!(false)));
}

#[tokio::test]
async fn tools_are_sent_in_the_function_envelope_with_bounds_in_words() {
    let double = server([says("Hello.")]).await;
    ask(&ollama(&double)).await.unwrap();
    let tools = chats(&double)[0]["tools"].clone();
    let named = |name: &str| {
        let all = tools.as_array().unwrap().iter();
        all.clone().find(|t| t["function"]["name"] == name).unwrap_or(&Value::Null).clone()
    };
    assert_eq!(tools.as_array().unwrap().len(), 4);
    assert_eq!(
        named("system__disk_status__v1"),
        json!({ "type": "function", "function": {
            "name": "system__disk_status__v1",
            "description": "Reports how much disk space is free, used and left on the data volume.",
            "parameters": { "type": "object", "properties": {} },
        } })
    );
    let url = named("web__fetch__v1")["function"]["parameters"]["properties"]["url"].clone();
    assert_eq!(url["type"], "string");
    assert_eq!(
        url["description"],
        "The page to fetch; this leaves the device. (at most 2000 characters)"
    );
    assert!(!tools.to_string().contains("confirmation"), "classes stay here (A03)");
}

/// must-beat 32; hermes-agent#67777: the server's own ids come twice
#[tokio::test]
async fn tool_calls_get_synthesized_ids() {
    let repeated = r#"[
        {"id":"call_1","function":{"name":"sums__increment__v1","arguments":{"n":1}}},
        {"id":"call_1","function":{"name":"sums__increment__v1","arguments":{"n":2}}},
        {"function":{"name":"sums__increment__v1","arguments":{"n":3}}}]"#;
    let script = [calls(repeated), says("Done."), calls(repeated), says("Done.")];
    let double = server(script).await;
    let talk = conversation(&lab(), vec![Arc::new(ollama(&double))]);
    say(&talk, "add").await;
    say(&talk, "add again").await;

    let last = chats(&double).pop().unwrap();
    let of_calls: Vec<_> = with_role(&last, "assistant")
        .iter()
        .flat_map(|m| m["tool_calls"].as_array().cloned().unwrap_or_default())
        .map(|call| call["id"].as_str().unwrap().to_owned())
        .collect();
    let of_results: Vec<_> = with_role(&last, "tool")
        .iter()
        .map(|m| m["tool_call_id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(of_calls.len(), 6);
    assert_eq!(of_calls, of_results, "each result answers its call");
    let mut sorted = of_calls.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted, of_calls, "unique and increasing");
    assert!(of_calls.iter().all(|id| !id.is_empty()));
}

#[tokio::test]
async fn the_servers_own_id_is_kept_beside_ours() {
    let own =
        r#"[{"id":"call_x1y2z3ab","function":{"name":"t__v1"}},{"function":{"name":"t__v1"}}]"#;
    let double = server([calls(own)]).await;
    let turn = ask(&ollama(&double)).await.unwrap();
    let ids: Vec<_> = turn.proposals.iter().map(|p| p.wire_id.as_deref()).collect();
    assert_eq!(ids, [Some("call_x1y2z3ab"), None]);
}

/// rig#477, #579, #601
#[tokio::test]
async fn two_parallel_results_both_go_back_with_their_calls() {
    let two = r#"[
        {"function":{"name":"sums__increment__v1","arguments":{"n":1}}},
        {"function":{"name":"system__disk_status__v1","arguments":{}}}]"#;
    let double = server([calls(two), says("Done.")]).await;
    let talk = conversation(&lab(), vec![Arc::new(ollama(&double))]);
    let report = say(&talk, "both").await;
    assert_eq!((report.text.as_str(), report.receipts.len()), ("Done.", 2));

    let second = &chats(&double)[1];
    let results = with_role(second, "tool");
    let names: Vec<_> = results.iter().map(|m| m["tool_name"].as_str().unwrap()).collect();
    assert_eq!(names, ["sums__increment__v1", "system__disk_status__v1"]);
    let sent: Vec<Value> = results
        .iter()
        .map(|m| serde_json::from_str(m["content"].as_str().unwrap()).unwrap())
        .collect();
    assert_eq!(sent[0]["untrusted_data"], 2);
    assert_eq!(sent[1]["untrusted_data"]["free_bytes"], 1024);
}

/// VTCode#354, forgecode#2764, ollama#12413
#[tokio::test]
async fn history_is_sent_back_with_object_arguments() {
    let mixed = r#"[
        {"function":{"name":"sums__increment__v1","arguments":{ "n" : 1 }}},
        {"function":{"name":"sums__increment__v1","arguments":"{\"n\":1}"}},
        {"function":{"name":"system__disk_status__v1"}}]"#;
    let double = server([calls(mixed), says("Done.")]).await;
    let report = say(&conversation(&lab(), vec![Arc::new(ollama(&double))]), "add").await;
    let kinds: Vec<_> = report.receipts.iter().map(|r| r.outcome).collect();
    assert_eq!(kinds, [OutcomeKind::Executed, OutcomeKind::ParseFailed, OutcomeKind::Executed]);

    let second = &double.received_at("/api/chat")[1];
    assert!(second.body.contains(r#""arguments":{ "n" : 1 }"#), "the bytes as received");
    let body = second.json();
    let sent = &with_role(&body, "assistant")[0];
    let arguments: Vec<_> = sent["tool_calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["function"]["arguments"].clone())
        .collect();
    assert_eq!(arguments, [json!({ "n": 1 }), json!({}), json!({})]);
    assert_eq!(sent["content"], "", "a string next to calls");
}

#[tokio::test]
async fn malformed_arguments_never_execute() {
    for malformed in ["[]", r#""""#, "0", "false", r#""{}""#, r#"{"a":1,"a":1}"#] {
        let call = format!(
            r#"[{{"function":{{"name":"system__disk_status__v1","arguments":{malformed}}}}}]"#
        );
        let double = server([calls(&call), says("Sorry.")]).await;
        let report = say(&conversation(&lab(), vec![Arc::new(ollama(&double))]), "go").await;
        let kinds: Vec<_> = report.receipts.iter().map(|r| r.outcome).collect();
        assert_eq!(kinds, [OutcomeKind::ParseFailed], "{malformed}");
    }
}

#[tokio::test]
async fn a_reply_cut_by_its_length_executes_nothing() {
    let cut = format!(
        r#"{{"message":{{"content":"","tool_calls":{DISK}}},"done":true,"done_reason":"length"}}"#
    );
    let double = server([Answer::json(200, cut), says("Sorry.")]).await;
    let report = say(&conversation(&lab(), vec![Arc::new(ollama(&double))]), "go").await;
    let ends: Vec<_> = report.receipts.iter().map(|r| (r.outcome, r.code)).collect();
    assert_eq!(ends, [(OutcomeKind::ParseFailed, Some("truncated_reply"))]);
}

#[tokio::test]
async fn the_closing_round_offers_nothing() {
    let double = server([calls(DISK), says("It is 1 KiB.")]).await;
    let lab = lab();
    let limits = TurnLimits::default().rounds(1);
    let legs: Vec<Arc<dyn Backend>> = vec![Arc::new(ollama(&double))];
    let talk = Conversation::limited(&lab.executor, legs, lab.scope.clone(), limits);
    let report = say(&talk, "how much?").await;
    assert_eq!(report.text, "It is 1 KiB.");
    let offered: Vec<_> = chats(&double).iter().map(|body| body.get("tools").is_some()).collect();
    assert_eq!(offered, [true, false]);
}

#[tokio::test]
async fn a_wire_name_is_dispatched_exactly_or_not_at_all() {
    for name in
        ["system.disk_status", "functions.system__disk_status__v1", "", "System__disk_status__v1"]
    {
        let call = format!(r#"[{{"function":{{"name":"{name}","arguments":{{}}}}}}]"#);
        let double = server([calls(&call), says("Sorry.")]).await;
        let report = say(&conversation(&lab(), vec![Arc::new(ollama(&double))]), "go").await;
        let ends: Vec<_> = report.receipts.iter().map(|r| r.code).collect();
        assert_eq!(ends, [Some("unknown_capability")], "{name}");
    }
}
