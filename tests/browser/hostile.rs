//! Text that wants to be more than text.

use crate::desk::Desk;
use crate::site::Site;
use serde_json::{Value, json};
use sovereign_core::backend::WireProposal;
use sovereign_core::display::Prose;
use sovereign_core::testing::Scripted;

/// Markup, script, Markdown, terminal codes, hidden characters, and ways to be fetched.
const HOSTILE: [&str; 26] = [
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "<img src=\"http://evil.example/pixel.png\">",
    "<svg onload=\"document.title='owned'\">",
    "<svg><script>document.title='owned'</script></svg>",
    "<iframe src=\"javascript:document.title='owned'\"></iframe>",
    "<iframe srcdoc=\"<script>parent.document.title='owned'</script>\"></iframe>",
    "<a href=\"javascript:document.title='owned'\">click</a>",
    "<link rel=stylesheet href=//evil.example/a.css>",
    "<link rel=dns-prefetch href=//evil.example>",
    "<style>@import '//evil.example/b.css'; body{background:url(//evil.example/c)}</style>",
    "<meta http-equiv=refresh content=\"0;url=http://evil.example/\">",
    "<form action=http://evil.example/><input name=a><button>go</button></form>",
    "<base href=http://evil.example/>",
    "<object data=http://evil.example/d></object><embed src=http://evil.example/e>",
    "<video src=http://evil.example/f autoplay></video><audio src=//evil.example/g></audio>",
    "\"><img src=x onerror=alert(1)>'><b>",
    "</textarea></title></style></script><script>document.title='owned'</script>",
    "{{constructor.constructor('document.title=1')()}} ${document.title} <%= 1 %>",
    "![pixel](http://evil.example/h.png) [click me](http://evil.example/i) <http://evil.example/j>",
    "http://evil.example/k https://evil.example/l www.evil.example",
    "\u{1b}[2K\u{1b}[1Aapproved \u{9b}31m \u{7}\u{8}\u{0}\u{7f}",
    "abc\u{202e}dcba\u{202c} \u{2066}x\u{2069} \u{200f}\u{61c}",
    "zero\u{200b}width\u{200d}\u{feff} soft\u{ad}hyphen \u{2060}",
    "tags \u{e0041}\u{e0042} fill \u{3164} blank \u{2800} sel \u{fe0f} private \u{e000}",
    "lines\u{2028}and\u{2029}more\r\u{85}\u{b}\u{c}end",
];

fn corpus() -> String {
    HOSTILE.join("\n")
}

#[test]
fn an_answer_stays_text_and_reaches_for_nothing() {
    let corpus = corpus();
    let desk = Desk::with(Scripted::new().says(&corpus));
    desk.say(&HOSTILE[..20].join(" "));
    desk.answered(1);
    desk.finished(1);
    let said = desk.said();
    assert_eq!(said[0], HOSTILE[..20].join(" "));
    assert_eq!(said[1], Prose(&corpus).to_string());
    desk.in_frame(|browser| {
        let made = "return document.querySelectorAll('#talk :not(article, h2, div)').length";
        assert_eq!(browser.js(made), json!(0));
        assert_eq!(browser.js("return document.title"), json!("Chat"));
    });
    // a reload shows the same answer on the page itself, and in the history
    desk.browser.reload();
    desk.ready();
    desk.finished(1);
    assert_eq!(desk.browser.text(".turn .words"), Prose(&corpus).to_string());
    desk.browser.click("nav a[href='#history']");
    desk.browser.until("document.querySelector('.past .words') !== null");
    assert!(desk.browser.text(".past").contains("<script>"));
    is_untouched(&desk);
}

#[test]
fn a_question_shows_hostile_values_as_core_made_them() {
    let corpus = corpus();
    let arguments = json!({ "text": corpus }).to_string();
    let model = Scripted::new()
        .replies(&corpus, vec![WireProposal::new("lab__change__v1", arguments.as_bytes())])
        .says("That was it.");
    let desk = Desk::with(model);
    desk.say("change it");
    desk.asked();
    let pending = desk.rpc("assistant.pending", "{}");
    let asked = &pending["result"]["pending"][0]["disclosure"];
    let shown = desk.browser.text("#decision-body .value");
    assert_eq!(json!(shown), asked["arguments"][0]["value"]);
    assert!(shown.contains("\\u{202e}") && shown.contains("\\u{1b}") && shown.contains("<script>"));
    let made = "return document.querySelectorAll('#decision-body :is(script, img, iframe, a, form, style, link, svg, object, embed, base, meta)').length";
    assert_eq!(desk.browser.js(made), json!(0));
    desk.browser.js("document.querySelector('#decision-body').scrollTop = 1e9");
    desk.armed();
    desk.browser.click("#decision-approve");
    desk.answered(1);
    assert_eq!(desk.node.lab.ran(), [format!("change {corpus}")], "what ran is not what was shown");
    is_untouched(&desk);
}

#[test]
fn a_page_that_was_fetched_stays_text_too() {
    let page = format!(
        "<title>&lt;img src=x onerror=document.title=1&gt;</title><pre>{}</pre>",
        escaped(&corpus())
    );
    let site = Site::saying(&page);
    let url = site.url("/%3Cscript%3E?q=\u{e9}");
    let arguments = json!({ "url": url }).to_string();
    let model = Scripted::new().proposes("web__fetch__v1", &arguments).says("Read.");
    let desk = Desk::reaching(model, [site.address]);
    desk.say("fetch it");
    desk.armed();
    desk.browser.click("#decision-approve");
    desk.finished(1);
    let given: Value = serde_json::from_str(&desk.browser.text(".receipt pre")).expect("JSON");
    let text = given["text"].as_str().expect("the page's text");
    assert!(text.contains("<script>document.title='owned'</script>"), "{text}");
    assert!(!desk.browser.text(".receipt").contains('\u{202e}'));
    let link = desk.browser.js("const a = document.querySelector('.sources a'); return [a.textContent, a.getAttribute('href')]");
    let ascii = site.url("/%3Cscript%3E?q=%C3%A9");
    assert_eq!(link, json!([ascii, ascii]));
    assert_eq!(site.heard().len(), 1);
    is_untouched(&desk);
}

#[test]
fn only_plain_web_addresses_can_be_opened_and_all_of_one_is_shown() {
    let desk = Desk::with(Scripted::new());
    let opens = desk.browser.js_later(
        "import('/assets/visible.js').then(({ openable }) => done([
           'https://example.com/a?b#c', 'http://127.0.0.1:1/', 'https://b\u{fc}cher.example/\u{e4}',
           'javascript:alert(1)', ' javascript:alert(1)', 'java\\nscript:alert(1)', 'data:text/html,x', 'file:///etc/passwd',
           'https://name:word@example.com/', '//example.com/', 'blob:https://example.com/1', 'about:blank', '', 'x',
         ].map(openable)))",
    );
    let mut wanted = vec![
        json!("https://example.com/a?b#c"),
        json!("http://127.0.0.1:1/"),
        json!("https://xn--bcher-kva.example/%C3%A4"),
    ];
    wanted.resize(14, Value::Null);
    assert_eq!(opens, json!(wanted));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// No script of theirs ran, nothing was made of their words, nobody was called.
fn is_untouched(desk: &Desk) {
    let title = desk.browser.js("return document.title");
    assert!(title.as_str().is_some_and(|title| title.ends_with("Sovereign")), "{title}");
    let made = "return [...document.querySelectorAll('main :is(script, img, iframe, form, style, link, object, embed, base, meta)')].map((e) => e.outerHTML.slice(0, 60)).filter((t) => !t.includes('title=\"Chat\"') && !t.startsWith('<form class'))";
    assert_eq!(desk.browser.js(made), json!([]));
    desk.kept_to_itself();
}
