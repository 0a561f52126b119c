//! How much a leg is sent: its own window, and what its server counts.
use async_trait::async_trait;
use sovereign_core::backend::{
    Backend, BackendError, BackendIdentity, BackendTurn, DeltaSink, FailureClass, Request, Usage,
    Window,
};
use sovereign_core::confirmation::Decision;
use sovereign_core::conversation::{ContextBudget, Conversation, Report, TurnError};
use sovereign_core::testing::Harness;
use sovereign_tests::lab;
use std::sync::{Arc, Mutex};

/// A server with a window that counts so many tokens for a thousand estimated ones.
struct Counts {
    id: &'static str,
    window: Option<Window>,
    permille: usize,
    refuses: bool,
    sent: Mutex<Vec<usize>>,
}

impl Counts {
    fn new(id: &'static str, tokens: usize, permille: usize) -> Arc<Self> {
        let window = Some(Window { tokens, reply: 512 });
        Arc::new(Self { id, window, permille, refuses: false, sent: Mutex::default() })
    }

    /// What it was sent, by its own count.
    fn counted(&self) -> Vec<usize> {
        self.sent.lock().unwrap().clone()
    }
}

#[async_trait]
impl Backend for Counts {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity::local(self.id, None)
    }
    fn window(&self) -> Option<Window> {
        self.window
    }
    async fn ready(&self) -> Result<(), BackendError> {
        Ok(())
    }
    async fn send(
        &self,
        request: Request<'_>,
        _: &mut dyn DeltaSink,
    ) -> Result<BackendTurn, BackendError> {
        let estimate = ContextBudget::estimate(request.system, request.messages, request.catalog);
        let counted = estimate * self.permille / 1_000;
        self.sent.lock().unwrap().push(counted);
        if self.refuses {
            return Err(BackendError::new(FailureClass::TooLong, "too long"));
        }
        let usage = Usage { input: counted as u64, output: 1 };
        Ok(BackendTurn::text(self.identity(), "I see. ".repeat(100)).used(usage))
    }
}

async fn say(chat: &Conversation, words: &str) -> Report {
    chat.say(words).unwrap().run(|_| Decision::Deny).await
}

fn chat(lab: &Harness, legs: &[Arc<Counts>]) -> Conversation {
    let legs = legs.iter().map(|leg| Arc::clone(leg) as Arc<dyn Backend>);
    Conversation::with_legs(&lab.executor, legs.collect(), lab.scope.clone())
}

async fn talk(chat: &Conversation) {
    for _ in 0..30 {
        say(chat, &"some words ".repeat(100)).await;
    }
}

#[tokio::test]
async fn a_leg_is_sent_what_its_own_window_holds() {
    let (lab, _) = lab();
    let (small, large) = (Counts::new("small", 4_096, 1_000), Counts::new("large", 30_000, 1_000));
    for (leg, least) in [(&small, 3_000), (&large, 7_200)] {
        talk(&chat(&lab, std::slice::from_ref(leg))).await;
        let most = leg.counted().into_iter().max().unwrap();
        let holds = leg.window.unwrap().tokens - 512;
        assert!((least..=holds).contains(&most), "{most} of {holds}");
    }
    // the application's own bound, or the window where that is less
    for (window, bound, most) in [(30_000, 6_000, 5_000), (4_096, 30_000, 4_096 - 512)] {
        let bounded = Counts::new("bounded", window, 1_000);
        let leg: Arc<dyn Backend> = bounded.clone();
        let builder = Conversation::builder(&lab.executor, lab.scope.clone()).leg(leg);
        let chat = builder.budget(ContextBudget::of(bound, 1_000)).open();
        talk(&chat).await;
        let sent = bounded.counted().into_iter().max().unwrap();
        assert!((most * 3 / 4..=most).contains(&sent), "{sent} of {most}");
    }
}

#[tokio::test]
async fn what_a_server_counts_corrects_the_estimate_from_the_next_request_on() {
    let (lab, _) = lab();
    let dense = Counts::new("dense", 8_192, 2_000);
    let chat = chat(&lab, std::slice::from_ref(&dense));
    // the first request is small; from the second on the count of the server is known
    talk(&chat).await;
    let counted = dense.counted();
    let most = counted.iter().max().unwrap();
    assert!((6_000..=8_192 - 512).contains(most), "{counted:?}");
    let light = Counts::new("light", 8_192, 500);
    talk(&self::chat(&lab, std::slice::from_ref(&light))).await;
    let most = light.counted().into_iter().max().unwrap();
    // never taken for less than three quarters of the estimate
    assert!(most <= (8_192 - 512) * 1_000 / 750 / 2 + 1, "{most}");
    assert!(most > 7_680 / 2, "{most}: more than the estimate alone would send");
}

#[tokio::test]
async fn what_is_too_long_for_one_window_goes_to_a_larger_one_only() {
    let (lab, _) = lab();
    let [small, same, large] = [("small", 4_096), ("same", 4_096), ("large", 30_000)]
        .map(|(id, n)| Counts::new(id, n, 1_000));
    let all = [small.clone(), same.clone(), large.clone()];
    let report = say(&chat(&lab, &all), &"long ".repeat(5_000)).await;
    assert_eq!((report.error, large.counted().len()), (None, 1));
    assert!(small.counted().is_empty() && same.counted().is_empty());
    let codes: Vec<_> = report.backend.skipped.iter().map(|s| (s.id, s.code)).collect();
    assert_eq!(codes, [("small", "too_long"), ("same", "too_long")]);
    // the same when the server says so
    let refuses = Arc::new(Counts {
        id: "refuses",
        window: Some(Window { tokens: 4_096, reply: 512 }),
        permille: 1_000,
        refuses: true,
        sent: Mutex::default(),
    });
    let all = [refuses.clone(), same.clone(), large.clone()];
    let report = say(&chat(&lab, &all), "short").await;
    assert_eq!((report.error, large.counted().len(), same.counted().len()), (None, 2, 0));
    let report = say(&chat(&lab, &[refuses.clone(), same]), "short").await;
    assert_eq!(report.error, Some(TurnError::TooLong));
}

#[tokio::test]
async fn a_server_that_finds_a_request_too_long_is_sent_less_the_next_time() {
    let (lab, _) = lab();
    let refuses = Arc::new(Counts {
        id: "refuses",
        window: Some(Window { tokens: 8_192, reply: 512 }),
        permille: 1_000,
        refuses: true,
        sent: Mutex::default(),
    });
    let large = Counts::new("large", 30_000, 1_000);
    let chat = chat(&lab, &[refuses.clone(), large]);
    talk(&chat).await;
    let counted = refuses.counted();
    let (most, last) = (*counted.iter().max().unwrap(), *counted.last().unwrap());
    assert_eq!(counted.len(), 30, "it is asked in each turn all the same");
    assert!(last < most && last <= (8_192 - 512) / 3 + 1, "{counted:?}");
}

#[tokio::test]
async fn one_false_count_does_not_shut_a_leg_out_for_good() {
    let (lab, _) = lab();
    let lying = Counts::new("lying", 4_096, 1_000_000);
    let chat = chat(&lab, std::slice::from_ref(&lying));
    let mut too_long = 0;
    for _ in 0..8 {
        let report = say(&chat, &"some words ".repeat(200)).await;
        too_long += usize::from(report.error == Some(TurnError::TooLong));
    }
    assert!(too_long > 0, "it is believed, within bounds");
    assert!(lying.counted().len() >= 3, "and asked again: {:?}", lying.counted());
}
