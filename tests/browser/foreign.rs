//! Other pages in the same browser: of another site, and of another port of this machine.

use crate::desk::Desk;
use crate::site::Site;
use serde_json::{Value, json};
use sovereign_core::testing::Scripted;

/// Logged in, with a page of somebody else's that is open in the same browser.
fn beside(site: &Site, host: &str) -> (Desk, Scripted) {
    let model = Scripted::new().says("An honest answer.");
    let desk = Desk::with(model.clone());
    let home = desk.browser.tab();
    let evil = desk.browser.new_tab();
    desk.browser.switch_to(&evil);
    desk.browser.go(&format!("http://{host}:{}/", site.address.port()));
    drop(home);
    (desk, model)
}

/// `127.0.0.1` on another port is the same site, and gets the cookie; `localhost` is another site.
const HOSTS: [&str; 2] = ["127.0.0.1", "localhost"];

#[test]
fn another_origin_can_neither_call_nor_listen_nor_read_a_page() {
    for host in HOSTS {
        let site = Site::saying("<!doctype html><title>evil</title>");
        let (desk, model) = beside(&site, host);
        let origin = desk.node.origin();
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"assistant.chat","params":{"text":"evil"}}"#;
        let attempts = format!(
            "const body = {body:?};
             const tries = [
               ['{origin}/rpc/v1', {{ method: 'POST', body, credentials: 'include', mode: 'no-cors' }}],
               ['{origin}/rpc/v1', {{ method: 'POST', body, credentials: 'include',
                   headers: {{ 'content-type': 'application/json' }} }}],
               ['{origin}/rpc/v1', {{ method: 'POST', body, credentials: 'include',
                   headers: {{ 'content-type': 'application/json', 'x-csrf-token': 'guess' }} }}],
               ['{origin}/rpc/v1/events', {{ credentials: 'include' }}],
               ['{origin}/rpc/v1/events', {{ credentials: 'include', mode: 'no-cors' }}],
               ['{origin}/', {{ credentials: 'include' }}],
               ['{origin}/login', {{ credentials: 'include' }}],
               ['{origin}/assets/rpc.js', {{}}],
             ];
             Promise.all(tries.map(([url, how]) => fetch(url, how).then(
               (r) => r.type === 'opaque' ? 'nothing' : 'read ' + r.status, () => 'nothing'))).then(done);"
        );
        let came = desk.browser.js_later(&attempts);
        assert_eq!(came, json!(vec!["nothing"; 8]), "{host}");
        assert_eq!(model.seen().len(), 0, "{host}");
    }
}

#[test]
fn another_origin_can_frame_neither_the_page_nor_the_chat() {
    for host in HOSTS {
        let site = Site::saying("<!doctype html><title>evil</title><div id=place></div>");
        let (desk, _) = beside(&site, host);
        for target in [
            format!("{}/", desk.node.origin()),
            format!("{}/login", desk.node.origin()),
            format!("{}/frame", desk.node.frame_origin()),
        ] {
            desk.browser.js_later(&format!(
                "const frame = document.createElement('iframe');
                 frame.onload = () => done(true);
                 frame.src = '{target}';
                 document.querySelector('#place').replaceChildren(frame);"
            ));
            desk.browser.enter_frame("#place iframe");
            let shown = desk.browser.js("return [location.protocol, document.querySelector('meta') === null || !document.title.match(/Sovereign|Chat/)]");
            desk.browser.leave_frame();
            assert_eq!(shown, json!(["chrome-error:", true]), "{host} framed {target}");
        }
    }
}

#[test]
fn a_message_to_the_page_from_another_window_is_not_heard() {
    let site = Site::saying("<!doctype html><title>evil</title>");
    let (desk, model) = beside(&site, "127.0.0.1");
    let node = desk.node.origin();
    desk.browser.js(&format!("window.victim = window.open('{node}/', 'victim')"));
    let tabs = desk.browser.command("GET", "/window/handles", &Value::Null).expect("tabs");
    let victim = tabs.as_array().and_then(|tabs| tabs.last()).and_then(Value::as_str);
    let victim = victim.expect("a tab").to_owned();
    let evil = desk.browser.tab();
    desk.browser.switch_to(&victim);
    desk.ready();
    desk.browser.switch_to(&evil);
    desk.browser
        .js("window.victim?.postMessage({ type: 'chat:request', id: 'evil', text: 'evil' }, '*')");
    desk.browser.switch_to(&victim);
    desk.say("honest");
    desk.answered(1);
    let asked: Vec<_> = model.seen();
    assert_eq!(asked.len(), 1);
    assert!(!format!("{:?}", asked[0].messages).contains("evil"));
}
