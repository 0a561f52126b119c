//! The record of what leaves, and what is asked again right before it does.
use super::{asked, chat, far, finished, lab_saying, near, reasons, sends};
use crate::conversation::kinds;
use async_trait::async_trait;
use sovereign_core::BoxFuture;
use sovereign_core::audit::{Audit, AuditError, OutcomeKind, Record};
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, Request,
};
use sovereign_core::caller::{CallerScope, Categories, Category, Unavailable};
use sovereign_core::capability::Descriptor;
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::{Conversation, Event, TurnError};
use sovereign_core::executor::Executor;
use sovereign_core::policy::{Policy, RemoteInference, State, Switched, Switches};
use sovereign_core::registry::Registry;
use sovereign_core::testing::MemoryAudit;
use sovereign_tests::lab_builder;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[tokio::test]
async fn without_audit_nothing_leaves_whether_it_was_agreed_to_or_not() {
    for remote_inference in [RemoteInference::Ask, RemoteInference::Always] {
        for breaks in [MemoryAudit::fail, MemoryAudit::fail_durable] {
            let (lab, _) = lab_saying(remote_inference);
            let (remote, local) = (far("cloud.example").says("from afar"), near());
            let chat = chat(&lab, &[&remote, &local]);
            breaks(&lab.audit);
            let report = chat.say("go").unwrap().run(|_| Decision::Approve).await;
            assert!(remote.seen().is_empty());
            assert_eq!(report.text, "from here");
            assert_eq!(reasons(&report), ["nothing was sent: it could not be recorded"]);
        }
    }
}

/// Knows how many of its records are on the disk.
#[derive(Default)]
struct Synced {
    memory: MemoryAudit,
    on_disk: AtomicUsize,
}

impl Audit for Synced {
    fn append(&self, record: Record) -> Result<(), AuditError> {
        self.memory.append(record)
    }
    fn ready(&self) -> Result<(), AuditError> {
        self.memory.ready()
    }
    fn durable(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        Box::pin(async {
            // others run between the call and the disk
            tokio::task::yield_now().await;
            self.on_disk.store(self.memory.records().len(), Ordering::SeqCst);
            Ok(())
        })
    }
}

/// Counts, when it is sent something, how many sends were on the disk.
struct Counting(Arc<Synced>, Mutex<Vec<usize>>);

#[async_trait]
impl Backend for Counting {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity::remote("cloud", None, "https://cloud.example")
    }
    async fn ready(&self) -> Result<(), BackendError> {
        Ok(())
    }
    async fn send(
        &self,
        _: Request<'_>,
        _: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        let on_disk = self.0.on_disk.load(Ordering::SeqCst);
        self.1.lock().unwrap().push(sends(&self.0.memory)[..].len().min(on_disk));
        Ok(BackendTurn::text(self.identity(), "hello"))
    }
}

#[tokio::test]
async fn the_record_of_a_send_is_on_the_disk_before_anything_leaves() {
    let audit = Arc::new(Synced::default());
    let registry = Registry::builder().build().unwrap();
    let policy = Policy::granting(|_| Categories::NONE).remote(RemoteInference::Always);
    let sink: Arc<Synced> = Arc::clone(&audit);
    let executor = Executor::builder(registry, policy, sink).build().unwrap();
    let backend = Arc::new(Counting(audit, Mutex::default()));
    let leg: Arc<Counting> = Arc::clone(&backend);
    let chat = Conversation::new(&executor, leg, CallerScope::operator("tester", "s"));
    for _ in 0..3 {
        chat.say("go").unwrap().run(|_| Decision::Deny).await;
    }
    assert_eq!(*backend.1.lock().unwrap(), [1, 2, 3]);
}

#[tokio::test]
async fn policy_is_asked_again_after_the_yes_and_before_each_round() {
    struct AsDeclared;
    impl Switched for AsDeclared {
        fn state(&self, d: &Descriptor) -> State {
            State::default_of(d)
        }
    }
    struct Switch(Mutex<RemoteInference>);
    impl Switches for Switch {
        fn now(&self) -> Result<Arc<dyn Switched>, Unavailable> {
            Ok(Arc::new(AsDeclared))
        }
        fn remote_inference(&self) -> RemoteInference {
            *self.0.lock().unwrap()
        }
    }
    let switch = Arc::new(Switch(Mutex::new(RemoteInference::Ask)));
    let set = |remote| *switch.0.lock().unwrap() = remote;
    let (builder, _) = lab_builder();
    let all = |_: &CallerScope| [Category::System].into();
    let switches: Arc<Switch> = Arc::clone(&switch);
    let lab = builder.policy(Policy::new(Arc::new(all), switches)).build();
    let (remote, local) = (far("cloud.example").proposes("lab__read__v1", "{}"), near());
    let chat = chat(&lab, &[&remote, &local]);

    let mut turn = chat.say("go").unwrap();
    let request = asked(&mut turn).await;
    set(RemoteInference::Never);
    request.decide(Decision::Approve).unwrap();
    assert_eq!(finished(&mut turn).await.text, "from here");
    assert!(remote.seen().is_empty() && sends(&lab.audit).is_empty());

    set(RemoteInference::Ask);
    let mut turn = chat.say("go").unwrap();
    asked(&mut turn).await.decide(Decision::Approve).unwrap();
    let report = loop {
        match turn.next().await.unwrap() {
            Event::Settled(_) => set(RemoteInference::Never),
            Event::Finished(report) => break report,
            _ => {}
        }
    };
    assert_eq!((remote.seen().len(), report.text.as_str()), (1, "from here"));
    assert_eq!(kinds(&report), [OutcomeKind::Executed]);
}

/// A leg whose address changes while a person thinks about it.
struct Moving(Mutex<&'static str>, AtomicUsize);

#[async_trait]
impl Backend for Moving {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity::remote("cloud", None, *self.0.lock().unwrap())
    }
    async fn ready(&self) -> Result<(), BackendError> {
        Ok(())
    }
    async fn send(
        &self,
        _: Request<'_>,
        _: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        self.1.fetch_add(1, Ordering::SeqCst);
        Ok(BackendTurn::text(self.identity(), "hello"))
    }
}

#[tokio::test]
async fn a_receiver_that_changed_since_the_question_gets_nothing() {
    let (lab, _) = lab_saying(RemoteInference::Ask);
    let moving = Arc::new(Moving(Mutex::new("https://a.example"), AtomicUsize::new(0)));
    let leg: Arc<Moving> = Arc::clone(&moving);
    let mut turn = Conversation::new(&lab.executor, leg, lab.scope.clone()).say("go").unwrap();
    let request = asked(&mut turn).await;
    *moving.0.lock().unwrap() = "https://b.example";
    request.decide(Decision::Approve).unwrap();
    let report = finished(&mut turn).await;
    assert_eq!((report.error, moving.1.load(Ordering::SeqCst)), (Some(TurnError::NoBackend), 0));
    assert!(reasons(&report)[0].contains("another receiver"), "{report:?}");
}
