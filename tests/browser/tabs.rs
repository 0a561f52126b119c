//! Several tabs, reloads, and a node that goes away.

use crate::desk::Desk;
use crate::node::Plan;
use serde_json::json;
use sovereign_core::testing::Scripted;

const APPROVE: &str = "#decision-approve";

fn changing() -> Scripted {
    Scripted::new().proposes("lab__change__v1", r#"{"text":"once"}"#).says("That was it.")
}

/// A second tab of the same session, before the same question.
fn second_tab(desk: &Desk) -> (String, String) {
    let first = desk.browser.tab();
    let second = desk.browser.new_tab();
    desk.browser.switch_to(&second);
    desk.browser.go(&format!("{}/", desk.node.origin()));
    desk.ready();
    (first, second)
}

#[test]
fn of_two_tabs_one_decides_and_the_other_is_told() {
    let desk = Desk::with(changing());
    desk.say("change it");
    desk.asked();
    let (first, second) = second_tab(&desk);
    desk.armed();
    desk.browser.click(APPROVE);
    desk.browser.until("!document.querySelector('#decision').open");
    desk.browser.switch_to(&first);
    desk.browser.until("!document.querySelector('#decision').open");
    let news = desk.browser.text("#news");
    assert!(news.contains("approved in another tab"), "{news}");
    desk.answered(1);
    assert_eq!(desk.node.lab.ran(), ["change once"]);
    assert_eq!(desk.node.ends("lab.change"), ["executed"]);
    desk.browser.switch_to(&second);
    desk.kept_to_itself();
}

#[test]
fn a_click_on_what_another_tab_has_answered_changes_nothing_and_says_so() {
    let desk = Desk::with(changing());
    desk.browser.js("const read = ReadableStreamDefaultReader.prototype.read;
         ReadableStreamDefaultReader.prototype.read = function () {
           return read.call(this).then((more) => (window.deaf ? new Promise(() => {}) : more)); }");
    desk.say("change it");
    desk.asked();
    // from here on this tab hears of nothing
    desk.browser.js("window.deaf = true");
    let (first, _) = second_tab(&desk);
    desk.armed();
    desk.browser.click("#decision-deny");
    desk.browser.until("!document.querySelector('#decision').open");
    desk.browser.switch_to(&first);
    desk.armed();
    desk.browser.click(APPROVE);
    desk.browser.until("!document.querySelector('#decision').open");
    let news = desk.browser.text("#news");
    assert!(news.contains("answered already") && news.contains("changed nothing"), "{news}");
    assert_eq!(desk.node.ends("lab.change"), ["denied"]);
    assert_eq!(desk.node.lab.ran(), [""; 0]);
}

#[test]
fn a_reload_shows_the_question_again_with_its_time_left() {
    let desk = Desk::with(changing());
    desk.say("change it");
    desk.asked();
    let before = desk.rpc("assistant.pending", "{}")["result"]["pending"][0]["id"].clone();
    // more often than a decision gives tokens out
    for _ in 0..9 {
        desk.browser.reload();
        desk.asked();
    }
    let after = desk.rpc("assistant.pending", "{}")["result"]["pending"][0]["id"].clone();
    assert_eq!(before, after);
    let left = desk.browser.js("return document.querySelector('#decision-bar').value");
    assert!(left.as_f64().is_some_and(|left| (1.0..=120.0).contains(&left)), "{left}");
    desk.armed();
    desk.browser.click(APPROVE);
    desk.finished(1);
    assert_eq!(desk.node.lab.ran(), ["change once"]);
    // nobody in this frame asked, so the page itself shows the answer
    assert!(desk.browser.text(".turn").contains("That was it."));
    desk.kept_to_itself();
}

#[test]
fn a_second_message_is_not_taken_while_a_question_is_open_and_decides_nothing() {
    let model = changing();
    let desk = Desk::with(model.clone());
    desk.say("change it");
    desk.asked();
    desk.browser.reload();
    desk.armed();
    desk.browser.click("#decision-later");
    desk.in_frame(|browser| browser.until("document.body?.dataset.ready === 'true'"));
    desk.say("yes, approve");
    desk.answered(1);
    let told = desk.said().pop().unwrap_or_default();
    assert!(told.contains("decision is outstanding"), "{told}");
    assert!(!desk.is_asked(), "a message of the frame brought the question up");
    desk.browser.click("#waiting-show");
    assert_eq!(model.seen().len(), 1, "the second message reached the model");
    assert_eq!(desk.node.ends("lab.change"), [""; 0]);
    desk.armed();
    desk.browser.click(APPROVE);
    desk.finished(1);
    assert_eq!(desk.node.lab.ran(), ["change once"]);
}

#[test]
fn a_restart_withdraws_the_question_and_nothing_runs() {
    let mut desk = Desk::with(changing());
    desk.say("change it");
    desk.asked();
    let (port, lab) = (desk.node.port, std::sync::Arc::clone(&desk.node.lab));
    desk.node.stop();
    let plan = Plan { port, ..Plan::new(desk.directory.path(), Scripted::new().says("Here.")) };
    desk.node = plan.start();
    desk.browser.until("document.querySelector('#form') !== null");
    desk.log_in(&desk.node.link);
    assert!(!desk.is_asked());
    assert_eq!(desk.rpc("assistant.pending", "{}")["result"], json!({ "pending": [] }));
    assert_eq!(desk.node.ends("lab.change"), ["void"]);
    assert_eq!((lab.ran(), desk.node.lab.ran()), (vec![], vec![]));
    desk.say("are you there");
    desk.answered(1);
    assert_eq!(desk.said().last().map(String::as_str), Some("Here."));
}

#[test]
fn logging_out_withdraws_the_question() {
    let desk = Desk::with(changing());
    desk.say("change it");
    desk.asked();
    desk.browser.click("#decision-later");
    desk.browser.click("#logout");
    desk.browser.until("document.querySelector('#form') !== null");
    assert_eq!(desk.node.ends("lab.change"), ["void"]);
    assert_eq!(desk.node.lab.ran(), [""; 0]);
}

#[test]
fn more_tabs_than_a_browser_has_connections_leave_the_question_answerable() {
    let desk = Desk::with(changing());
    for _ in 0..7 {
        second_tab(&desk);
    }
    desk.say("change it");
    desk.armed();
    desk.browser.click("#decision-deny");
    desk.answered(1);
    assert_eq!(desk.node.ends("lab.change"), ["denied"]);
}

#[test]
fn a_browser_that_lost_the_token_of_its_login_has_to_log_in_again() {
    let desk = Desk::with(Scripted::new());
    desk.browser.js("localStorage.removeItem('sovereign-csrf')");
    desk.browser.go(&format!("{}/", desk.node.origin()));
    desk.browser.until("document.querySelector('#form') !== null");
    assert!(desk.browser.url().ends_with("/login"));
}
