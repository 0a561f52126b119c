//! Asking and being answered.

use crate::desk::Desk;
use crate::model::Paced;
use crate::node::Plan;
use serde_json::json;
use sovereign_backends::Keyword;

#[test]
fn asked_for_the_space_left_the_page_shows_the_figure_of_the_receipt() {
    let desk = Desk::with(Keyword::new());
    desk.say("how much space is left");
    desk.answered(1);
    desk.finished(1);
    let receipt = ".receipt[data-outcome=executed]";
    assert!(desk.browser.text(receipt).contains("system.disk_status@1"));
    let given: serde_json::Value =
        serde_json::from_str(&desk.browser.text(&format!("{receipt} pre"))).expect("the result");
    let free = given["free_bytes"].as_u64().or(given["available_bytes"].as_u64());
    let free = free.expect("a figure of free space").to_string();
    assert!(desk.browser.text(&format!("{receipt} .figures")).contains(&free));
    let answer = desk.said().pop().expect("an answer");
    assert!(answer.contains(&free), "{answer} lacks {free}");
    let id = desk.browser.js("return document.querySelector('.receipt').dataset.auditId");
    assert!(desk.browser.text(".receipt .audit-id").contains(id.as_str().expect("an id")));
    assert!(desk.browser.text(".answered").contains("keyword"));
    desk.kept_to_itself();
}

#[test]
fn an_answer_comes_in_pieces_and_can_be_stopped() {
    let model = Paced::new(&["one ", "two ", "three"]);
    let desk = Desk::with(model.clone());
    desk.say("count");
    model.more(1);
    desk.in_frame(|browser| {
        browser.until("document.querySelector('.bubble.model .words').textContent === 'one '");
    });
    model.more(1);
    desk.in_frame(|browser| {
        browser.until("document.querySelector('.bubble.model .words').textContent === 'one two '");
        browser.click("#stop");
    });
    desk.answered(2);
    assert_eq!(desk.said(), ["count", "one two ", "Stopped."]);
    desk.browser.until("document.querySelector('.turn-end').textContent.includes('stopped')");

    model.more(3);
    desk.say("again");
    desk.answered(3);
    assert_eq!(desk.said().last().map(String::as_str), Some("one two three"));
    desk.kept_to_itself();
}

#[test]
fn who_was_passed_over_and_why_stands_beside_the_answer() {
    use sovereign_core::backend::FailureClass;
    use sovereign_core::testing::Scripted;
    let model =
        Scripted::new().not_ready(FailureClass::Unreachable, "nothing listens \u{202e}there");
    let desk = Desk::with(model);
    desk.say("hello");
    desk.answered(1);
    desk.finished(1);
    assert_eq!(
        desk.browser.text(".skipped li"),
        "scripted was passed over: nothing listens \\u{202e}there"
    );
    assert_eq!(desk.said().last().map(String::as_str), Some("No model could answer."));
}

#[test]
fn the_theme_holds_over_a_reload_and_reaches_the_frame() {
    let directory = tempfile::tempdir().expect("a directory");
    let node = Plan::new(directory.path(), Keyword::new()).start();
    let desk = Desk::before(node, directory);
    desk.browser.click("#theme button[value=dark]");
    desk.browser.reload();
    desk.ready();
    assert_eq!(desk.browser.js("return document.documentElement.dataset.theme"), json!("dark"));
    let theme = "return document.documentElement.dataset.theme";
    assert_eq!(desk.in_frame(|browser| browser.js(theme)), json!("dark"));
    desk.browser.click("#theme button[value=light]");
    desk.in_frame(|browser| browser.until("document.documentElement.dataset.theme === 'light'"));
    desk.kept_to_itself();
}
