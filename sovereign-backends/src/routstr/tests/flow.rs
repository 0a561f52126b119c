//! One node, one purse, and what each ends as.
use super::node::COST_SATS;
use super::*;
use crate::routstr::Holding;
use sovereign_core::backend::{FailureClass, Locality};

struct Scene {
    node: Node,
    purse: Arc<Purse>,
    home: tempfile::TempDir,
}

impl Scene {
    /// A purse on a real disk with one token of ten sats.
    async fn with(way: Way) -> Self {
        let home = tempfile::tempdir().unwrap();
        let purse = Arc::new(Purse::open(&home.path().join("purse")).unwrap());
        purse.add(cash(10, 1)).unwrap();
        Self { node: Node::start(way).await, purse, home }
    }

    async fn ask(&self) -> Result<BackendTurn, BackendError> {
        ask(&leg(&self.node, &self.purse)).await
    }

    /// Sats and states, oldest first.
    fn holds(&self) -> Vec<(u64, Holding)> {
        let held = self.purse.held().into_iter();
        held.map(|held| (held.amount_msat.unwrap_or_default() / 1000, held.holding)).collect()
    }
}

#[tokio::test]
async fn a_reply_is_paid_and_the_change_is_in_the_purse() {
    let scene = Scene::with(Way::Honest).await;
    let turn = scene.ask().await.unwrap();
    assert_eq!(turn.text, "Hello.");
    let identity = turn.identity;
    assert_eq!((identity.id, identity.locality), ("routstr", Locality::Remote), "also on loopback");
    assert_eq!(scene.holds(), [(10 - COST_SATS, Holding::Unspent)]);
    assert_eq!(scene.node.books().paths, ["/v1/models", "/v1/chat/completions"]);
    let Scene { node: _node, purse, home } = scene;
    drop(purse);
    let again = Purse::open(&home.path().join("purse")).unwrap();
    assert_eq!(again.held()[0].amount_msat, Some((10 - COST_SATS) * 1000), "on the disk too");
}

#[tokio::test]
async fn each_kind_of_answer_leaves_the_purse_as_it_should() {
    let sent = |node: &Node| Holding::Sent { node: node.url() };
    let unclaimed = |node: &Node| Holding::Unclaimed { node: node.url() };
    for way in node::WAYS {
        let scene = Scene::with(way).await;
        // one that never answers has time enough to get the token first
        let within = if way == Way::TakesAndHangs { Duration::from_secs(2) } else { LONG };
        let asked = ask(&leg_within(&scene.node, &scene.purse, within)).await;
        let expected = match way {
            Way::Honest | Way::ForgetsChange | Way::CostsAll | Way::UnreadableChange => Ok(()),
            _ => Err(()),
        };
        assert_eq!(asked.as_ref().map(drop).map_err(drop), expected, "{way:?}: {asked:?}");
        let held = match way {
            Way::Honest
            | Way::ChangeThenCut
            | Way::TakesAndCuts
            | Way::TakesAndHangs
            | Way::RedirectsWithChange => vec![(10 - COST_SATS, Holding::Unspent)],
            // asked for when it is needed, or by its owner
            Way::ForgetsChange => vec![(10, sent(&scene.node))],
            Way::UnreadableChange => vec![(10, sent(&scene.node)), (0, Holding::Unread)],
            Way::RefundInBody | Way::RefundInHead | Way::Returns | Way::MintDown => {
                vec![(10, Holding::Unspent)]
            }
            Way::CutsBefore | Way::Refuses => vec![(10, unclaimed(&scene.node))],
            Way::CostsAll => vec![],
            Way::Loses => {
                vec![(10, Holding::Rejected { code: "cashu_token_consumed".to_owned() })]
            }
        };
        assert_eq!(scene.holds(), held, "{way:?}");
        assert_eq!(scene.node.books().presented.len(), 1, "{way:?}: paid once");
    }
}

#[tokio::test]
async fn change_that_was_forgotten_is_fetched_when_it_is_needed() {
    let scene = Scene::with(Way::ForgetsChange).await;
    scene.ask().await.unwrap();
    scene.node.books().way = Way::Honest;
    assert_eq!(scene.ask().await.unwrap().text, "Hello.");
    assert_eq!(scene.holds(), [(10 - 2 * COST_SATS, Holding::Unspent)]);
}

#[tokio::test]
async fn change_that_is_pending_is_asked_for_again_later() {
    let scene = Scene::with(Way::TakesAndCuts).await;
    scene.node.books().pending = 2;
    scene.ask().await.unwrap_err();
    let leg = leg(&scene.node, &scene.purse);
    let first = leg.recover().await.unwrap();
    assert_eq!((first.pending, first.settled), (1, 0));
    let second = leg.recover().await.unwrap();
    assert_eq!((second.pending, second.settled), (0, 1));
    assert_eq!(scene.holds(), [(10 - COST_SATS, Holding::Unspent)]);
}

#[tokio::test]
async fn change_that_was_swept_is_kept_on_record() {
    let scene = Scene::with(Way::TakesAndCuts).await;
    scene.node.books().swept = true;
    scene.ask().await.unwrap_err();
    assert_eq!(scene.holds(), [(10, Holding::Rejected { code: "swept".to_owned() })]);
}

/// Dropped at any point: the token is marked, and its change can be asked for.
#[tokio::test]
async fn a_dropped_question_loses_no_money() {
    let scene = Scene::with(Way::TakesAndHangs).await;
    let leg = leg_within(&scene.node, &scene.purse, LONG);
    let mut asked = Box::pin(ask(&leg));
    while scene.node.books().redeemed.is_empty() {
        assert!(tokio::time::timeout(Duration::from_millis(1), &mut asked).await.is_err());
    }
    assert_eq!(
        leg.recover().await.unwrap(),
        super::super::Recovered::default(),
        "it is on its way"
    );
    drop(asked);
    assert_eq!(leg.recover().await.unwrap().settled, 1);
    assert_eq!(scene.holds(), [(10 - COST_SATS, Holding::Unspent)]);
}

#[tokio::test]
async fn two_questions_at_once_never_pay_with_one_token() {
    let scene = Scene::with(Way::Honest).await;
    let leg = leg(&scene.node, &scene.purse);
    let (one, other) = tokio::join!(ask(&leg), ask(&leg));
    assert!(one.is_ok() || other.is_ok());
    let books = scene.node.books();
    assert_eq!(books.double_spends, 0);
    let kept: u64 = books.redeemed.iter().map(|r| r.kept_sats).sum();
    let held: u64 = scene.holds().iter().map(|(sats, _)| sats).sum();
    assert_eq!(held + kept, 10);
}

#[tokio::test]
async fn a_token_above_the_cap_of_the_turn_is_not_risked() {
    let scene = Scene::with(Way::Honest).await;
    let payment = Payment::Purse(Arc::clone(&scene.purse));
    let config = RoutstrConfig::new(scene.node.url().parse().unwrap(), "m", payment);
    let leg = Routstr::new(RoutstrConfig { max_msat_per_turn: 9_000, max_tokens: 500, ..config });
    let error = ask(&leg.unwrap()).await.unwrap_err();
    assert_eq!(error.class(), FailureClass::Unsupported);
    assert_eq!(
        error.to_string(),
        "the smallest token that is enough is worth 10000 msat, and 9000 are left for this turn"
    );
    assert!(scene.node.books().presented.is_empty());
    assert_eq!(scene.holds(), [(10, Holding::Unspent)]);
}

#[tokio::test]
async fn a_reply_that_may_cost_more_than_the_token_is_not_asked_for() {
    let scene = Scene::with(Way::Honest).await;
    let payment = Payment::Purse(Arc::clone(&scene.purse));
    let config = RoutstrConfig::new(scene.node.url().parse().unwrap(), "m", payment);
    let leg = Routstr::new(RoutstrConfig { max_tokens: 20_000, ..config }).unwrap();
    let error = ask(&leg).await.unwrap_err().to_string();
    assert!(error.ends_with("msat, and the largest token is worth 10000"), "{error}");
    assert!(scene.node.books().presented.is_empty());
}

#[tokio::test]
async fn a_leg_is_ready_without_asking_the_node_anything() {
    let scene = Scene::with(Way::Honest).await;
    let leg = leg(&scene.node, &scene.purse);
    leg.ready().await.unwrap();
    let id = scene.purse.held()[0].id;
    scene.purse.withdraw(id).unwrap();
    assert_eq!(leg.ready().await.unwrap_err().to_string(), "the purse holds no unspent token");
    assert!(scene.node.books().paths.is_empty());
}

#[tokio::test]
async fn no_cash_is_in_errors_and_debug_texts() {
    for way in node::WAYS {
        let scene = Scene::with(way).await;
        let leg = leg(&scene.node, &scene.purse);
        let asked = ask(&leg).await;
        let shown = format!("{asked:?} {leg:?} {:?}", scene.purse.held());
        assert!(!shown.contains("cashuAey"), "{way:?}: {shown}");
    }
}
