//! The other pages.

use crate::desk::Desk;
use serde_json::json;
use sovereign_core::testing::Scripted;

fn open(desk: &Desk, page: &str) {
    desk.browser.click(&format!("nav a[href='#{page}']"));
    desk.browser.until(&format!(
        "document.body.dataset.page === '{page}' \
         && document.querySelector('#page-{page} [aria-busy=true]') === null"
    ));
}

#[test]
fn grants_and_switches_are_changed_from_the_pages_and_written_down() {
    let desk = Desk::with(Scripted::new());
    open(&desk, "capabilities");
    let wallet = "[data-scope=operator][data-category=wallet] button";
    let state = |css: &str| {
        desk.browser
            .js_with("return document.querySelector(arguments[0]).ariaChecked", &[json!(css)])
    };
    assert_eq!(state(wallet), json!("false"));
    desk.browser.click(wallet);
    desk.browser.until(
        "document.querySelector('#page-capabilities .told').textContent.includes('granted')",
    );
    assert_eq!(state(wallet), json!("true"));
    let scopes = desk.rpc("assistant.grants-get", "{}")["result"]["scopes"].clone();
    let held = |category: &str| {
        let all = scopes[0]["categories"].as_array().cloned().unwrap_or_default();
        all.into_iter().find(|one| one["category"] == category).map(|one| one["held"].clone())
    };
    assert_eq!((held("wallet"), held("files")), (Some(json!(true)), Some(json!(false))));

    open(&desk, "policy");
    desk.browser.click("[data-capability='web.fetch'] button");
    desk.browser.until("document.querySelector('#page-policy .told').textContent.includes('off')");
    desk.browser.click("#remote-never");
    desk.browser
        .until("document.querySelector('#page-policy .told').textContent.includes('never')");
    let policy = desk.rpc("assistant.policy-get", "{}")["result"].clone();
    assert_eq!(policy["remote_inference"], json!("never"));
    let fetch = policy["capabilities"].as_array().into_iter().flatten();
    let fetch = fetch.into_iter().find(|one| one["name"] == "web.fetch").expect("web.fetch");
    assert_eq!(fetch["enabled"], json!(false));

    open(&desk, "audit");
    let log = desk.browser.text(".records");
    for line in ["A grant was given", "wallet", "A switch was set", "models elsewhere"] {
        assert!(log.contains(line), "{line}");
    }
    assert_eq!(
        desk.browser.js("return document.querySelector('[data-intact]').dataset.intact"),
        json!("true")
    );
    desk.kept_to_itself();
}

#[test]
fn the_audit_page_filters_and_draws_where_requests_ended() {
    let model = Scripted::new()
        .proposes("lab__read__v1", "{}")
        .proposes("nothing__here__v1", "{}")
        .says("Read.");
    let desk = Desk::with(model);
    desk.say("read");
    desk.answered(1);
    open(&desk, "audit");
    let bars = |point: &str, tone: &str| {
        let css = format!("[data-point={point}] rect.{tone}");
        desk.browser.js_with("return document.querySelectorAll(arguments[0]).length", &[json!(css)])
    };
    assert_eq!(bars("execute", "good"), json!(1));
    assert_eq!(bars("resolve", "stop"), json!(1));
    assert_eq!(bars("confirm", "calm"), json!(0));
    let table = desk.browser.text(".chart + details table");
    assert!(table.contains("Done") && table.contains("Not allowed"), "{table}");
    desk.browser.js(
        "const s = document.querySelector('#audit-outcome'); s.value = 'refused'; s.dispatchEvent(new Event('change'))",
    );
    desk.browser.until("document.querySelectorAll('.record').length === 1");
    assert!(desk.browser.text(".record").contains("unknown_capability"));
    desk.kept_to_itself();
}

#[test]
fn history_is_forgotten_only_after_a_second_yes() {
    let desk = Desk::with(Scripted::new().says("An answer to remember."));
    desk.say("a question to remember");
    desk.answered(1);
    open(&desk, "history");
    assert!(desk.browser.text(".past").contains("An answer to remember."));
    desk.browser.click(".page.history .actions button");
    desk.browser.until("document.querySelector('dialog.small').open");
    desk.browser.click("dialog.small button:not(.danger)");
    open(&desk, "audit");
    open(&desk, "history");
    assert!(desk.browser.has(".past"));
    desk.browser.click(".page.history .actions button");
    desk.browser.click("dialog.small button.danger");
    desk.browser.until("document.querySelector('.page.history .empty') !== null");
    assert_eq!(desk.rpc("assistant.history", "{}")["result"]["turns"], json!([]));
    desk.kept_to_itself();
}

#[test]
fn a_viewer_looks_and_changes_nothing() {
    let desk = Desk::with(Scripted::new());
    let (own, his) = ("a password of mine", "a password of ben");
    desk.browser.click("#account-link");
    desk.browser.until("document.querySelector('[data-user=operator]') !== null");
    desk.browser.type_into("#new", own);
    desk.browser.type_into("#again", own);
    desk.browser.click(".page.account > form button");
    desk.browser
        .until("document.querySelector('.page.account > form').textContent.includes('is set')");
    desk.browser.type_into("#own-password", own);
    desk.browser.type_into("#new-user", "ben");
    desk.browser.type_into("#new-password", his);
    desk.browser.click(".page.account section form button");
    desk.browser.until("document.querySelector('[data-user=ben]') !== null");
    desk.browser.click("#logout");
    desk.browser.until("document.querySelector('#form') !== null && document.body.dataset.ready");
    desk.browser.type_into("#user", "ben");
    desk.browser.type_into("#password", his);
    desk.browser.click("button[type=submit]");
    desk.browser.until("document.body.dataset.page === 'capabilities'");
    let menu = desk.browser.text("nav");
    assert!(
        !menu.contains("Chat") && !menu.contains("History") && menu.contains("Audit"),
        "{menu}"
    );
    desk.browser.until("document.querySelectorAll('.switch').length > 0");
    let enabled = "return document.querySelectorAll('.switch:not(:disabled)').length";
    assert_eq!(desk.browser.js(enabled), json!(0));
    let refused = desk.rpc("assistant.chat", r#"{ "text": "let me" }"#);
    assert_eq!(refused["error"]["data"]["code"], json!("role"));
    for page in ["policy", "backends", "audit"] {
        open(&desk, page);
        assert!(!desk.browser.has(".page:not([hidden]) .notice.bad"), "{page}");
    }
}

#[test]
fn every_page_fits_a_phone_and_names_what_it_shows() {
    let desk = Desk::with(Scripted::new().says("Hello."));
    let phone = json!({ "width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true });
    desk.browser.devtools("Emulation.setDeviceMetricsOverride", &phone);
    for page in ["chat", "capabilities", "policy", "backends", "history", "audit"] {
        open(&desk, page);
        let over =
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(desk.browser.js(over), json!(0), "{page} is wider than a phone");
        let unnamed = "return [...document.querySelectorAll('button, input, select, textarea, iframe, a')]
            .filter((e) => e.checkVisibility() && !(e.textContent.trim() || e.ariaLabel || e.title || e.labels?.length))
            .map((e) => e.outerHTML)";
        assert_eq!(desk.browser.js(unnamed), json!([]), "{page}");
        assert_eq!(
            desk.browser.js("return document.querySelectorAll('.page:not([hidden]) h1').length"),
            json!(1)
        );
        assert!(desk.browser.has(&format!("nav a[href='#{page}'][aria-current=page]")));
    }
    desk.kept_to_itself();
}
