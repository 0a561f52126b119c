//! No model at all, through the real executor.
use super::fixtures::{conversation, lab, say};
use sovereign_backends::Keyword;
use sovereign_core::audit::OutcomeKind;
use sovereign_core::backend::{Backend, Locality};
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::Report;
use std::sync::Arc;

const NO_MODEL: &str = "No language model was used";

async fn answer(text: &str) -> Report {
    say(&conversation(&lab(), vec![Arc::new(Keyword::new())]), text).await
}

#[tokio::test]
async fn a_plain_question_gets_the_real_figures() {
    let report = answer("how much space is left?").await;
    assert_eq!(
        report.text,
        "system.disk_status:
  total: 4.0 KiB (4096 bytes)
  free: 1.0 KiB (1024 bytes)
  used: 75.0 %

No language model was used: your words were matched with the descriptions of the installed \
         capabilities, and results are printed as they are."
    );
    let ends: Vec<_> = report.receipts.iter().map(|r| (r.capability, r.outcome)).collect();
    assert_eq!(ends, [(Some("system.disk_status"), OutcomeKind::Executed)]);
    let identity = report.backend.identity.unwrap();
    assert_eq!(
        (identity.id, identity.locality, identity.model),
        ("keyword", Locality::Local, None)
    );
}

#[tokio::test]
async fn a_denial_and_a_failure_are_explained() {
    let report = answer("fetch https://example.com/").await;
    assert!(
        report.text.starts_with("web.fetch did not run: it was not approved."),
        "{}",
        report.text
    );
    assert_eq!(report.receipts[0].outcome, OutcomeKind::Denied);
    let report = answer("is everything healthy?").await;
    assert!(
        report.text.starts_with("system.health failed, and nothing was changed (`no_sensor`)"),
        "{}",
        report.text
    );
}

#[tokio::test]
async fn an_address_is_proposed_as_written() {
    let talk = conversation(&lab(), vec![Arc::new(Keyword::new())]);
    let turn = talk.say("fetch https://example.com/A?b=%20c").unwrap();
    let report = turn.run(|_| Decision::Approve).await;
    assert!(report.text.contains("https://example.com/A?b=%20c\n"), "{}", report.text);
    assert_eq!(report.receipts.len(), 1);
}

#[tokio::test]
async fn words_that_fit_nothing_get_the_list() {
    let report = answer("write me a poem").await;
    assert!(report.receipts.is_empty());
    for line in
        ["What I may use for you:", "  system.health: Tells whether", "  web.fetch: Fetches"]
    {
        assert!(report.text.contains(line), "{line}: {}", report.text);
    }
}

#[tokio::test]
async fn every_answer_says_that_no_model_was_used() {
    for text in [
        "how much space is left?",
        "fetch https://example.com/",
        "fetch a page",
        "is everything healthy?",
        "increment",
        "don't fetch https://example.com/",
        "write me a poem",
        "",
    ] {
        let report = answer(text).await;
        assert_eq!(report.text.matches(NO_MODEL).count(), 1, "{text}: {}", report.text);
        assert!(report.error.is_none());
    }
}

#[tokio::test]
async fn a_later_question_is_answered_from_its_own_results() {
    let talk = conversation(&lab(), vec![Arc::new(Keyword::new())]);
    assert!(say(&talk, "how much space is left?").await.text.contains("1024 bytes"));
    let second = say(&talk, "write me a poem").await;
    assert!(!second.text.contains("1024 bytes") && second.receipts.is_empty());
    let third = say(&talk, "how much space is left?").await;
    assert_eq!(third.receipts.len(), 1, "asked anew");
}

#[tokio::test]
async fn what_is_not_granted_is_neither_proposed_nor_listed() {
    use sovereign_core::caller::Categories;
    let mut lab = lab();
    lab.scope = sovereign_core::caller::CallerScope::mesh("peer");
    let nothing = sovereign_core::policy::Policy::granting(|_| Categories::NONE);
    let registry = sovereign_core::registry::Registry::builder().build().unwrap();
    let audit = Arc::clone(&lab.audit);
    let executor =
        sovereign_core::executor::Executor::builder(registry, nothing, audit).build().unwrap();
    let legs: Vec<Arc<dyn Backend>> = vec![Arc::new(Keyword::new())];
    let talk = sovereign_core::conversation::Conversation::with_legs(&executor, legs, lab.scope);
    let report = say(&talk, "how much space is left?").await;
    assert!(report.text.contains("There is nothing that I may use for you."), "{}", report.text);
    assert!(report.receipts.is_empty());
}
