//! Coming in.

use crate::desk::Desk;
use crate::node::Plan;
use sovereign_core::testing::Scripted;

fn outside() -> Desk {
    let directory = tempfile::tempdir().expect("a directory");
    let node = Plan::new(directory.path(), Scripted::new()).start();
    Desk::outside(node, directory)
}

#[test]
fn a_link_lets_one_in_once_and_its_token_leaves_the_address_at_once() {
    let desk = outside();
    let link = desk.node.link.clone();
    let (_, token) = link.split_once("#token=").expect("a token in the fragment");
    desk.browser.go(&link);
    desk.browser.until("document.body.dataset.page === 'account'");
    assert_eq!(desk.browser.text("#who-name"), "operator");
    let seen = desk.recorder.requests().join("\n");
    assert!(!seen.contains(token), "the token stood in an address that was asked for");
    desk.browser.back();
    assert!(!desk.browser.url().contains(token));

    desk.browser.go(&format!("{}/", desk.node.origin()));
    desk.browser.until("document.body?.dataset.ready === 'true'");
    desk.browser.click("#logout");
    desk.browser.until("document.querySelector('#form') !== null && document.body.dataset.ready");
    desk.browser.go(&link);
    desk.browser.until("!document.querySelector('#problem').hidden");
    assert!(desk.browser.text("#problem").contains("works once"));
    assert!(!desk.browser.url().contains(token));
    desk.kept_to_itself_but_for_refused_logins();
}

#[test]
fn a_password_that_does_not_fit_says_so_and_too_many_tries_say_when_to_come_back() {
    let desk = outside();
    desk.browser.go(&format!("{}/login", desk.node.origin()));
    desk.browser.until("document.body.dataset.ready === 'true'");
    desk.browser.click("button[type=submit]");
    assert!(desk.browser.text("#problem").contains("are needed"));
    let attempt = |password: &str| {
        desk.browser.js("document.querySelector('#problem').hidden = true");
        desk.browser.js("document.querySelector('#user').value = 'operator'");
        desk.browser.type_into("#password", password);
        desk.browser.click("button[type=submit]");
        desk.browser.until("!document.querySelector('#problem').hidden");
        desk.browser.text("#problem")
    };
    assert!(attempt("not this one").contains("do not fit together"));
    let told = (0..20).map(|n| attempt(&format!("nor this {n}")));
    assert!(told.into_iter().any(|text| text.contains("Try again in")));
}

impl Desk {
    /// A browser notes every answer of 401 in its console.
    fn kept_to_itself_but_for_refused_logins(&self) {
        let ours = self.node.origin();
        assert_eq!(self.recorder.beyond(&[&ours, &self.node.frame_origin()]), [""; 0]);
        let grave = self.browser.complaints();
        assert!(grave.iter().all(|line| line.contains("status of 401")), "{grave:?}");
    }
}
