//! Being asked.

use crate::desk::Desk;
use crate::node::Plan;
use crate::site::Site;
use crate::webdriver::{ENTER, ESCAPE, SHIFT, SPACE, TAB};
use serde_json::{Value, json};
use sovereign_core::backend::BackendIdentity;
use sovereign_core::confirmation::WINDOW;
use sovereign_core::testing::{PausedClock, Scripted};
use std::sync::Arc;

const APPROVE: &str = "#decision-approve";
const DENY: &str = "#decision-deny";

/// A model that wants to fetch that address, and then says so much.
fn fetching(url: &str) -> Scripted {
    let arguments = json!({ "url": url }).to_string();
    Scripted::new().proposes("web__fetch__v1", &arguments).says("That was it.")
}

fn changing(text: &str) -> Scripted {
    let arguments = json!({ "text": text }).to_string();
    Scripted::new().proposes("lab__change__v1", &arguments).says("That was it.")
}

#[test]
fn approving_fetches_once_and_shows_receipt_and_source() {
    let site = Site::saying("<title>Baker</title><p>Bread at six.</p>");
    let url = site.url("/today?a=1");
    let desk = Desk::reaching(fetching(&url), [site.address]);
    desk.say("what does the baker say");
    desk.asked();
    assert_eq!(site.heard(), [""; 0]);
    let told = desk.in_frame(|browser| browser.text("#status"));
    assert!(told.contains("decision"), "{told}");
    desk.armed();
    desk.browser.click(APPROVE);
    desk.answered(1);
    desk.finished(1);
    assert_eq!(site.heard(), ["GET /today?a=1 HTTP/1.1"]);
    assert_eq!(desk.node.ends("web.fetch"), ["executed"]);
    assert!(desk.browser.text(".receipt .figures").contains("Bread at six."));
    let link = desk.browser.js("const a = document.querySelector('.sources a');
         return [a.textContent, a.getAttribute('href'), a.target, a.rel]");
    assert_eq!(link, json!([url, url, "_blank", "noopener noreferrer"]));
    assert_eq!(site.heard().len(), 1, "the page itself fetched a source");
    desk.kept_to_itself();
}

#[test]
fn denying_fetches_nothing() {
    let site = Site::saying("<p>never</p>");
    let desk = Desk::reaching(fetching(&site.url("/")), [site.address]);
    desk.say("fetch it");
    desk.asked();
    assert_eq!(desk.browser.js("return document.activeElement.id"), json!("decision-deny"));
    desk.browser.click(DENY);
    desk.answered(1);
    assert_eq!(desk.node.ends("web.fetch"), ["denied"]);
    assert_eq!(site.heard(), [""; 0]);
    assert!(desk.browser.text("#news").contains("Denied"));
    desk.kept_to_itself();
}

#[test]
fn every_value_of_the_disclosure_stands_in_the_question_as_core_made_it() {
    let arguments = json!({ "query": "a\u{202e}b \"c\" <i>x</i> p\u{430}ypal", "times": 3 });
    let model = Scripted::new().proposes("lab__send__v1", &arguments.to_string()).says("Done.");
    let desk = Desk::with(model);
    desk.say("send it");
    desk.asked();
    let pending = desk.rpc("assistant.pending", "{}");
    let asked = &pending["result"]["pending"][0]["disclosure"];
    let wanted: Vec<Value> = asked["arguments"]
        .as_array()
        .expect("arguments")
        .iter()
        .map(|row| json!([row["name"], row["value"], row["bytes"].to_string(), row["warnings"]]))
        .collect();
    let shown = desk.browser.js(
        "return [...document.querySelectorAll('#decision-body tbody tr')].map((row) => [
           row.querySelector('th').textContent, row.querySelector('.value').textContent,
           row.querySelector('.bytes').textContent,
           [...row.querySelectorAll('.notice')].map((n) => n.textContent.replace(/^Look twice: |\\.$/g, ''))])",
    );
    assert_eq!(shown, json!(wanted));
    assert_eq!(wanted.len(), 2);
    let text = desk.browser.text("#decision");
    for part in [
        "lab.send@1",
        asked["description"].as_str().expect("a description"),
        "search.example:443",
        &format!("These {} bytes", asked["argument_bytes"]),
        "It changes nothing.",
        "leaves this device",
    ] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    assert!(text.contains("\\u{202e}") && !text.contains('\u{202e}'));
    desk.kept_to_itself();
}

/// From here on the page's clock stands still at `window.now`.
const FREEZE: &str = "window.now = performance.now(); performance.now = () => window.now;";

fn armed(desk: &Desk) -> Value {
    // what looks at the clock: the same that a scrolled question does
    desk.browser.js(
        "document.querySelector('#decision-body').dispatchEvent(new Event('scroll'));
         const a = document.querySelector('#decision-approve'); return [a.dataset.armed, a.disabled]",
    )
}

#[test]
fn approving_is_inert_for_half_a_second_after_each_showing() {
    let desk = Desk::with(changing("a note"));
    desk.browser.js(FREEZE);
    desk.say("change it");
    let painted = "document.querySelector('#decision-approve').dataset.armed === 'soon'";
    desk.browser.until(painted);
    desk.browser.click(APPROVE);
    desk.browser.until(painted);
    desk.browser.js("document.querySelector('#decision-approve').disabled = false");
    desk.browser.click(APPROVE);
    desk.browser.until(painted);
    desk.browser.js("window.now += 499");
    assert_eq!(armed(&desk), json!(["soon", true]));
    // whoever clicks meanwhile starts it over
    desk.browser.js("document.querySelector('#decision-approve').disabled = false");
    desk.browser.click(APPROVE);
    desk.browser.until(painted);
    desk.browser.js("window.now += 499");
    assert_eq!(armed(&desk), json!(["soon", true]));
    assert_eq!(desk.node.ends("lab.change"), [""; 0]);
    desk.browser.js("window.now += 1");
    assert_eq!(armed(&desk), json!(["yes", false]));

    // a window that was left and comes back, and a question that was put aside, start over
    for again in [
        "window.dispatchEvent(new Event('blur')); window.dispatchEvent(new Event('focus'))",
        "document.dispatchEvent(new Event('visibilitychange'))",
        "document.querySelector('#decision-later').click(); document.querySelector('#waiting-show').click()",
    ] {
        desk.browser.js(again);
        desk.browser.until(painted);
        desk.browser.click(APPROVE);
        desk.browser.until(painted);
        desk.browser.js("window.now += 500");
        assert_eq!(armed(&desk), json!(["yes", false]), "{again}");
    }
    assert!(desk.is_asked());
    assert_eq!(desk.node.lab.ran(), [""; 0]);
    desk.browser.click(APPROVE);
    desk.answered(1);
    assert_eq!(desk.node.lab.ran(), ["change a note"]);
}

#[test]
fn a_script_cannot_press_approve() {
    let desk = Desk::with(changing("a note"));
    desk.say("change it");
    desk.armed();
    desk.browser.js("document.querySelector('#decision-approve').click()");
    assert!(desk.is_asked());
    desk.browser.click(DENY);
    desk.answered(1);
    assert_eq!(desk.node.ends("lab.change"), ["denied"]);
}

#[test]
fn enter_approves_nothing_and_space_on_the_button_does() {
    let desk = Desk::with(changing("a note"));
    desk.say("change it");
    desk.armed();
    desk.browser.press(&[SHIFT, TAB]);
    assert_eq!(desk.browser.js("return document.activeElement.id"), json!("decision-approve"));
    desk.browser.press(&[ENTER]);
    desk.browser.press(&["\u{e006}", ENTER]);
    assert!(desk.is_asked());
    assert_eq!(desk.node.ends("lab.change"), [""; 0]);
    desk.browser.press(&[SPACE]);
    desk.answered(1);
    assert_eq!(desk.node.ends("lab.change"), ["executed"]);
}

#[test]
fn keys_that_were_meant_for_the_chat_decide_nothing() {
    let desk = Desk::with(changing("a note"));
    desk.browser.js(FREEZE);
    desk.say("change it");
    desk.browser.until("document.querySelector('#decision-approve').dataset.armed === 'soon'");
    desk.browser.press(&[ENTER]);
    desk.browser.press(&[SPACE]);
    assert!(desk.is_asked());
    assert_eq!(desk.node.ends("lab.change"), [""; 0]);
}

#[test]
fn escape_puts_the_question_aside_and_it_stays_open() {
    let desk = Desk::with(changing("a note"));
    desk.say("change it");
    desk.armed();
    desk.browser.press(&[ESCAPE]);
    desk.browser.until("!document.querySelector('#waiting').hidden");
    assert!(!desk.is_asked());
    assert!(desk.browser.text("#waiting-text").contains("lab.change@1"));
    assert_eq!(desk.browser.js("return document.activeElement.id"), json!("waiting-show"));
    assert_eq!(desk.node.ends("lab.change"), [""; 0]);
    desk.browser.click("#waiting-show");
    desk.armed();
    desk.browser.click(APPROVE);
    desk.answered(1);
    assert_eq!(desk.node.ends("lab.change"), ["executed"]);
}

#[test]
fn a_long_question_has_to_be_seen_to_its_end() {
    let text = format!("{}END", "long words ".repeat(800));
    let desk = Desk::with(changing(&text));
    desk.say("change it");
    desk.browser.until("document.querySelector('#decision-approve').dataset.armed === 'unseen'");
    assert!(desk.browser.text("#decision-body .value").ends_with("END\""), "cut short");
    desk.browser.click(APPROVE);
    assert!(desk.is_asked());
    assert!(desk.browser.text("#decision-hint").contains("Scroll"));
    desk.browser.js("document.querySelector('#decision-body').scrollTop = 1e9");
    desk.armed();
    desk.browser.click(APPROVE);
    desk.answered(1);
    assert_eq!(desk.node.ends("lab.change"), ["executed"]);
}

#[test]
fn a_question_that_nobody_answers_expires_and_the_page_says_so() {
    let directory = tempfile::tempdir().expect("a directory");
    let clock = PausedClock::default();
    let plan =
        Plan { clock: Arc::new(clock.clone()), ..Plan::new(directory.path(), changing("x")) };
    let desk = Desk::before(plan.start(), directory);
    desk.say("change it");
    desk.asked();
    assert!(desk.browser.text("#decision-left").contains("seconds left"));
    clock.advance(WINDOW);
    desk.browser.until("!document.querySelector('#decision').open");
    let news = desk.browser.text("#news");
    assert!(news.contains("Nobody answered in time"), "{news}");
    desk.answered(1);
    assert_eq!(desk.node.ends("lab.change"), ["expired"]);
    assert_eq!(desk.node.lab.ran(), [""; 0]);
}

#[test]
fn a_turn_that_would_leave_the_device_names_its_receiver_and_waits() {
    let there =
        BackendIdentity::remote("claude", Some("large".into()), "https://api.example.com/v1");
    let model = Scripted::as_backend(there).says("From elsewhere.");
    let desk = Desk::with(model.clone());
    desk.say("think about it");
    desk.asked();
    assert_eq!(model.seen().len(), 0, "it was sent before anybody said yes");
    let text = desk.browser.text("#decision");
    for part in [
        "off this device",
        "api.example.com:443",
        "\"large\"",
        "your words of this turn (14 bytes)",
    ] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    desk.armed();
    desk.browser.click(APPROVE);
    desk.answered(1);
    assert_eq!(desk.said().last().map(String::as_str), Some("From elsewhere."));
    assert!(desk.browser.text(".answered").contains("not on this device"));
    desk.kept_to_itself();
}

/// The page's next call of this method gets no answer; `sends` says whether it reaches the node.
fn lose_the_next(desk: &Desk, method: &str, sends: bool) {
    desk.browser.js_with(
        "const [method, sends] = arguments; const real = window.fetch;
         window.fetch = (url, how) => {
           if (!String(how?.body).includes(method)) return real(url, how);
           window.fetch = real;
           const lost = () => { throw new TypeError('lost'); };
           return sends ? real(url, how).then(lost) : Promise.reject(new TypeError('lost')); }",
        &[json!(method), json!(sends)],
    );
}

#[test]
fn an_answer_that_may_be_lost_is_not_called_denied_and_can_be_given_again() {
    let desk = Desk::with(changing("a note"));
    desk.say("change it");
    desk.armed();
    lose_the_next(&desk, "confirm-tool", false);
    desk.browser.click(APPROVE);
    desk.browser
        .until("document.querySelector('#decision-hint').textContent.includes('not known')");
    assert!(desk.is_asked());
    desk.armed();
    desk.browser.click(APPROVE);
    desk.answered(1);
    assert_eq!(desk.node.lab.ran(), ["change a note"]);
}

#[test]
fn an_approval_whose_answer_is_lost_is_told_as_one() {
    let desk = Desk::with(changing("a note"));
    desk.say("change it");
    desk.armed();
    lose_the_next(&desk, "confirm-tool", true);
    desk.browser.click(APPROVE);
    desk.browser.until("!document.querySelector('#decision').open");
    desk.answered(1);
    let news = desk.browser.text("#news");
    assert!(!news.contains("Nothing was approved") && !news.contains("not run"), "{news}");
    assert_eq!(desk.node.lab.ran(), ["change a note"]);
}

#[test]
fn a_logout_that_did_not_work_says_so() {
    let desk = Desk::with(Scripted::new());
    desk.browser.js("window.fetch = () => Promise.reject(new TypeError('lost'))");
    desk.browser.click("#logout");
    desk.browser.until("document.querySelector('#news').textContent.includes('still logged in')");
    desk.browser.reload();
    desk.ready();
}
