//! Who may ask, and for what.
use super::*;
use sovereign_core::executor::Proposal;
use sovereign_core::testing::Scripted;

#[tokio::test]
async fn stranger_is_not_heard_while_only_contacts_are_trusted() {
    let (station, parrot) = Station::parroting(config()).await;
    let mut link = station.link().await;
    assert_eq!(link.ask(EVE, "hello").await, refused(EVE, "not_admitted", ""));
    assert_eq!(link.ask("!A11CE", "hello").await, refused("!A11CE", "not_admitted", ""));
    assert!(parrot.seen().is_empty() && station.lab.audit.records().is_empty());
    assert!(station.transcripts().is_empty());
    assert_eq!(link.ask(ALICE, "hello").await, said(ALICE, "hello"));
}

#[tokio::test]
async fn link_without_contacts_hears_nobody() {
    let (station, parrot) = Station::parroting(MeshConfig::default()).await;
    let answer = station.link().await.ask(ALICE, "hello").await;
    assert_eq!(answer, refused(ALICE, "not_admitted", ""));
    assert!(parrot.seen().is_empty());
}

/// B04: deny wins over allow, whatever the order and whoever else may ask.
#[tokio::test]
async fn denied_asker_is_refused_even_as_a_contact() {
    let all = || Categories::from(Category::STANDARD);
    let denied = Contacts::default().deny(peer(ALICE)).deny(peer(EVE));
    let contacts = denied.allow(peer(ALICE), all()).admit_others(all());
    let (station, parrot) = Station::parroting(MeshConfig { contacts, ..config() }).await;
    let mut link = station.link().await;
    assert_eq!(link.ask(ALICE, "hello").await, refused(ALICE, "not_admitted", ""));
    assert_eq!(link.ask(EVE, "hello").await, refused(EVE, "not_admitted", ""));
    assert!(parrot.seen().is_empty());
    let scope = CallerScope::mesh(ALICE);
    let outcome = station.lab.propose(Proposal::new("lab.read", 1, b"{}")).by(scope).await;
    assert_eq!(outcome.code(), Some("not_granted"));
    assert_eq!(link.ask(BOB, "hello").await, said(BOB, "hello"));
}

/// B03, B04: a contact holds what its own list and the mesh grants both say, and nothing else.
#[tokio::test]
async fn peer_holds_what_the_grants_and_its_contact_both_say() {
    let (system, notes) = ([Category::System], [Category::Notes]);
    for (granted, contact, code) in [
        (Categories::from(system), Categories::from(system), None),
        (system.into(), notes.into(), Some("not_granted")),
        (notes.into(), system.into(), Some("not_granted")),
        (Categories::NONE, Category::STANDARD.into(), Some("not_granted")),
        (Category::STANDARD.into(), Categories::NONE, Some("not_granted")),
    ] {
        let contacts = Contacts::default().allow(peer(ALICE), contact.clone());
        let model = Scripted::new().proposes("lab__read__v1", "{}").says("done");
        let config = MeshConfig { contacts, ..config() };
        let station = Station::of(config, vec![Arc::new(model.clone())]).await;
        *station.granted.0.lock().unwrap() = granted.clone();
        station.link().await.ask(ALICE, "read").await;
        let word = if code.is_none() { "executed" } else { "refused" };
        assert_eq!(station.ends(), [(word.to_owned(), code)], "{granted}; {contact}");
        assert_eq!(model.seen()[0].offered.contains(&"lab__read__v1".to_owned()), code.is_none());
        assert_eq!(station.state.ran().is_empty(), code.is_some());
    }
}

#[tokio::test]
async fn grant_taken_from_mesh_counts_within_the_turn() {
    let model = Scripted::new().proposes("lab__slow__v1", "{}").proposes("lab__read__v1", "{}");
    let station = Station::of(config(), vec![Arc::new(model.says("done"))]).await;
    let mut link = station.link().await;
    link.says(ALICE, "read twice").await;
    station.state.started.notified().await;
    *station.granted.0.lock().unwrap() = Categories::NONE;
    station.state.gate.notify_one();
    link.answer().await;
    let ends = [("executed".to_owned(), None), ("refused".to_owned(), Some("not_granted"))];
    assert_eq!(station.ends(), ends);
}

#[tokio::test]
async fn whoever_is_no_contact_holds_what_others_hold() {
    let contacts = contacts().admit_others(Categories::NONE);
    let model = Scripted::new().proposes("lab__read__v1", "{}").says("no");
    let model = model.proposes("lab__read__v1", "{}").says("yes");
    let config = MeshConfig { contacts, ..config() };
    let station = Station::of(config, vec![Arc::new(model)]).await;
    let mut link = station.link().await;
    link.ask(EVE, "read").await;
    link.ask(ALICE, "read").await;
    let ends = [("refused".to_owned(), Some("not_granted")), ("executed".to_owned(), None)];
    assert_eq!(station.ends(), ends);
}

#[tokio::test]
async fn contacts_narrow_nobody_but_mesh_callers() {
    let (station, _) = Station::parroting(config()).await;
    let grants = ContactGrants::new(Arc::clone(&station.granted) as _, Contacts::default());
    let held = |scope: CallerScope| scope.granted_categories(&grants).unwrap();
    assert_eq!(held(CallerScope::operator(ALICE, "s")), Category::STANDARD.into());
    assert_eq!(held(CallerScope::mesh(ALICE)), Categories::NONE);
    // what is no peer's id is nobody
    let others = Contacts::default().admit_others(Category::STANDARD.into());
    let grants = ContactGrants::new(Arc::clone(&station.granted) as _, others);
    let held = |id: &str| CallerScope::mesh(id).granted_categories(&grants).unwrap();
    assert_eq!((held(EVE), held("two words")), (Category::STANDARD.into(), Categories::NONE));
}

#[tokio::test]
async fn unreadable_grants_leave_a_peer_nothing() {
    let broken = |_: &CallerScope| Err(Unavailable::new("gone"));
    struct Broken<F>(F);
    impl<F> Grants for Broken<F>
    where
        F: Fn(&CallerScope) -> Result<Categories, Unavailable> + Send + Sync + 'static,
    {
        fn granted(&self, scope: &CallerScope) -> Result<Categories, Unavailable> {
            (self.0)(scope)
        }
    }
    let grants = ContactGrants::new(Arc::new(Broken(broken)), contacts());
    assert!(CallerScope::mesh(ALICE).granted_categories(&grants).is_err());
}
