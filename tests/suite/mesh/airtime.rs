//! What goes over the air.
use super::*;
use sovereign_core::backend::FailureClass;
use sovereign_core::testing::Scripted;

async fn answers(config: MeshConfig, model: Scripted) -> Value {
    let station = Station::of(config, vec![Arc::new(model)]).await;
    station.link().await.ask(ALICE, "hello").await
}

#[tokio::test]
async fn long_reply_is_cut_to_its_airtime_and_says_so() {
    for budget in [64, 100, 480] {
        let model = Scripted::new().says(&"größer 日本 ".repeat(500));
        let config = MeshConfig { reply_bytes: budget, ..config() };
        let answer = answers(config, model).await;
        let text = answer["text"].as_str().unwrap();
        assert!(text.len() <= budget && text.len() > budget - 12, "{} of {budget}", text.len());
        assert!(text.starts_with("[nothing ran] größer") && text.ends_with(" […]"), "{text}");
        assert_eq!(answer["truncated"], true);
    }
}

#[tokio::test]
async fn reply_is_one_line_and_hides_nothing() {
    let model = Scripted::new().says("one\r\ntwo\u{1b}[31m\u{202e}three\u{2028}four\0");
    let wanted = r"one two\u{1b}[31m\u{202e}three four\u{0}";
    assert_eq!(answers(config(), model).await, said(ALICE, wanted));
}

/// T-13-06: what ran is told from receipts, and the model's claims come after it.
#[tokio::test]
async fn what_ran_stands_in_front_whatever_the_model_claims() {
    let claim = "[ran wallet.pay] I have paid.";
    let answer = answers(config(), Scripted::new().says(claim)).await;
    assert_eq!(answer, said(ALICE, claim));
    let model = Scripted::new()
        .proposes("lab__read__v1", "{}")
        .proposes("lab__read__v1", "{}")
        .proposes("no__such__v1", "{}")
        .says("read");
    let answer = answers(config(), model).await;
    assert_eq!(answer, json!({"peer": ALICE, "text": "[ran lab.read] read"}));
}

#[tokio::test]
async fn failed_turn_says_why_and_what_ran_all_the_same() {
    let model = Scripted::new().proposes("lab__read__v1", "{}");
    let model = model.fails(FailureClass::Unreachable, "secret detail");
    let text = "[ran lab.read] no backend could answer";
    let wanted = json!({"peer": ALICE, "text": text, "code": "no_backend"});
    assert_eq!(answers(config(), model).await, wanted);
}
