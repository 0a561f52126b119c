use super::{Entering, Sessions};
use crate::serve::{Accounts, Role};
use sovereign_core::entropy::SystemEntropy;
use sovereign_core::testing::PausedClock;
use std::sync::Arc;

const GOOD: &str = "correct horse battery";

#[test]
fn a_session_goes_on_while_it_sets_the_password_and_no_other_does() {
    let home = tempfile::tempdir().unwrap();
    let accounts = Accounts::open(&home.path().join("data")).unwrap();
    let clock = Arc::new(PausedClock::default());
    let sessions = Sessions::new(clock, Arc::new(SystemEntropy), accounts.clone());
    let enter = || {
        let stamp = accounts.now("operator").unwrap().unwrap().stamp;
        let who =
            Entering { user: "operator".into(), role: Role::Operator, stamp, by_token: false };
        sessions.begin(who).unwrap().unwrap().1
    };
    let (own, other) = (enter(), enter());
    own.also_under("new");
    assert!(sessions.is_open(&own), "before it is written");
    accounts.set_stamped("operator", GOOD, "new").unwrap();
    assert!(sessions.is_open(&own) && !sessions.is_open(&other), "as soon as it is written");
    own.only_under("new", true);
    assert!(sessions.is_open(&own));
    // one that did not come to be lets nobody stay later
    own.also_under("never");
    own.only_under("never", false);
    accounts.set_stamped("operator", GOOD, "never").unwrap();
    assert!(!sessions.is_open(&own));
}
