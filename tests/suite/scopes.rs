//! Authority comes from the caller's scope alone.
use sovereign_core::caller::{CallerScope, Categories, Category, Grants, Unavailable};
use sovereign_core::capability::Descriptor;
use sovereign_core::executor::Proposal;
use sovereign_core::policy::{Denial, Policy, Source, State, Switched, Switches};
use sovereign_tests::lab_builder;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[tokio::test]
async fn every_caller_variant_resolves_authority_through_caller_scope() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let policy = Policy::granting(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        Categories::NONE
    });
    let (builder, state) = lab_builder();
    let lab = builder.policy(policy).build();
    let scopes = [CallerScope::operator("a", "s"), CallerScope::mesh("!a1")];
    for (n, scope) in (1..).zip(scopes) {
        let outcome = lab.propose(Proposal::new("lab.read", 1, b"{}")).by(scope).await;
        assert_eq!(outcome.code(), Some("not_granted"));
        assert_eq!(asked.load(Ordering::SeqCst), n);
    }
    assert!(state.ran().is_empty());
}

#[tokio::test]
async fn listing_and_calling_agree() {
    let (builder, _) = lab_builder();
    let policy = Policy::granting(|scope| match scope {
        CallerScope::LocalOperator { .. } => [Category::System, Category::Search].into(),
        _ => [Category::System].into(),
    });
    let lab = builder.policy(policy.enabled("lab.send").enabled("lab.change")).build();
    for scope in [CallerScope::operator("a", "s"), CallerScope::mesh("!a1")] {
        let listed: Vec<_> = {
            let catalog = lab.executor.catalog(&scope);
            catalog.entries().iter().map(|e| (e.name, e.version)).collect()
        };
        for d in lab.executor.registry().descriptors() {
            let allowed = lab.executor.policy().explain(&scope, d).verdict.is_ok();
            assert_eq!(listed.contains(&(d.name(), d.version())), allowed, "{}", d.name());
        }
        assert!(!listed.contains(&("lab.change", 1)));
    }
}

struct AllOn;
impl Switches for AllOn {
    fn now(&self) -> Result<Arc<dyn Switched>, Unavailable> {
        Ok(Arc::new(Self))
    }
}
impl Switched for AllOn {
    fn state(&self, _: &Descriptor) -> State {
        State { enabled: true, source: Source::Name }
    }
}

struct Broken;
impl Grants for Broken {
    fn granted(&self, _: &CallerScope) -> Result<Categories, Unavailable> {
        Err(Unavailable::new("the file is gone"))
    }
}

#[tokio::test]
async fn unreadable_grants_close_everything_and_say_why() {
    let (builder, state) = lab_builder();
    let policy = Policy::new(Arc::new(Broken), Arc::new(AllOn));
    let lab = builder.policy(policy).build();
    let outcome = lab.propose(Proposal::new("lab.read", 1, b"{}")).await;
    assert_eq!(outcome.code(), Some("policy_unavailable"));
    assert!(lab.executor.catalog(&lab.scope).entries().is_empty());
    let d = lab.executor.registry().descriptors().next().unwrap();
    let verdict = lab.executor.policy().explain(&lab.scope, d).verdict;
    assert!(
        matches!(verdict, Err(Denial::Unavailable(why)) if why.to_string() == "the file is gone")
    );
    assert!(state.ran().is_empty());
}

#[test]
fn the_ten_standard_categories_have_stable_words() {
    let words = Category::STANDARD.map(|category| category.to_string());
    let seeds = [
        "apps", "system", "network", "wallet", "files", "media", "search", "ai_local", "notes",
        "bitcoin",
    ];
    assert_eq!(words, seeds);
    for category in Category::STANDARD {
        let held = Categories::from([category]);
        assert_eq!(held.words(), [category.to_string()], "each is held alone");
        assert!(
            Category::STANDARD.iter().all(|other| held.contains(*other) == (*other == category))
        );
    }
    let mut held = Categories::NONE;
    for impostor in
        ["System", "system ", "custom:system", "custom:", "custom:Home", "custom:a__b", ""]
    {
        assert!(held.insert_word(impostor).is_err(), "{impostor}");
    }
    assert!(held.is_empty());
}
