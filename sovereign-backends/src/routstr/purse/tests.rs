use super::super::convert::Verdict;
use super::super::tests::{cash, mint};
use super::lossy::{Lossy, purse_on};
use super::{Held, Holding, MAX_TOKENS, NotTaken, Purse, PurseError, TokenId};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn purse(&self) -> Result<Arc<Purse>, PurseError> {
        Purse::open(&self.0.path().join("purse")).map(Arc::new)
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("purse/purse.json")
    }
}

const NODE: &str = "https://node.example/v1";

fn sent(purse: &Arc<Purse>, token: (u64, u64)) -> TokenId {
    let id = purse.add(cash(token.0, token.1)).unwrap();
    let taken = purse.take(token.0.saturating_mul(1000), u64::MAX, NODE).unwrap();
    assert_eq!(taken.id, id);
    id
}

fn holdings(purse: &Purse) -> Vec<(Option<u64>, Holding)> {
    purse
        .held()
        .into_iter()
        .map(|Held { amount_msat, holding, .. }| (amount_msat, holding))
        .collect()
}

#[test]
fn a_purse_is_a_private_file_that_outlives_the_program() {
    let home = Home::new();
    let purse = home.purse().unwrap();
    let id = purse.add(cash(10, 1)).unwrap();
    let mode = std::fs::metadata(home.file()).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    drop(purse);
    let purse = home.purse().unwrap();
    assert_eq!(holdings(&purse), [(Some(10_000), Holding::Unspent)]);
    assert_eq!(purse.withdraw(id).unwrap(), mint(10, 1));
}

#[test]
fn a_purse_that_others_may_read_is_not_opened() {
    let home = Home::new();
    home.purse().unwrap().add(cash(10, 1)).unwrap();
    std::fs::set_permissions(home.file(), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(home.purse(), Err(PurseError::File(_))));
}

#[test]
fn two_processes_do_not_share_a_purse() {
    let home = Home::new();
    let purse = home.purse().unwrap();
    assert!(matches!(home.purse(), Err(PurseError::InUse)));
    drop(purse);
    home.purse().unwrap();
}

#[test]
fn a_purse_that_cannot_be_read_is_left_as_it_is() {
    let home = Home::new();
    home.purse().unwrap().add(cash(10, 1)).unwrap();
    let good = std::fs::read(home.file()).unwrap();
    let mut damaged: Vec<Vec<u8>> = (0..good.len()).map(|end| good[..end].to_vec()).collect();
    damaged.push(
        br#"{"version":1,"next":0,"tokens":[{"id":1,"token":"x","state":"unspent"}]}"#.to_vec(),
    );
    damaged
        .push(br#"{"version":1,"next":1,"tokens":[{"id":1,"token":"x","state":"mine"}]}"#.to_vec());
    for bytes in damaged {
        std::fs::write(home.file(), &bytes).unwrap();
        assert!(matches!(home.purse(), Err(PurseError::Damaged { .. })), "{}", bytes.len());
        assert_eq!(std::fs::read(home.file()).unwrap(), bytes);
    }
    std::fs::write(home.file(), br#"{"version":2,"next":0,"tokens":[]}"#).unwrap();
    assert!(matches!(home.purse(), Err(PurseError::Version { found: 2 })));
}

#[test]
fn what_a_crash_left_beside_the_purse_is_cleared_away() {
    let home = Home::new();
    drop(home.purse().unwrap());
    let left = home.0.path().join("purse/.purse.json.abc.tmp");
    std::fs::write(&left, mint(1, 1)).unwrap();
    home.purse().unwrap();
    assert!(!left.exists());
}

#[test]
fn the_smallest_token_that_is_enough_is_taken_and_never_one_above_the_limit() {
    let home = Home::new();
    let purse = home.purse().unwrap();
    assert!(matches!(purse.take(1, 100_000, NODE), Err(NotTaken::Empty)));
    for (sats, n) in [(50, 1), (5, 2), (20, 3)] {
        purse.add(cash(sats, n)).unwrap();
    }
    let taken = purse.take(6_000, 100_000, NODE).unwrap();
    assert_eq!(taken.token.amount_msat(), 20_000);
    assert!(matches!(
        purse.take(6_000, 30_000, NODE),
        Err(NotTaken::TooLarge { smallest: 50_000 })
    ));
    assert!(matches!(
        purse.take(60_000, 100_000, NODE),
        Err(NotTaken::TooSmall { largest: 50_000 })
    ));
}

#[test]
fn a_token_that_was_sent_is_not_taken_again() {
    let home = Home::new();
    let purse = home.purse().unwrap();
    let id = sent(&purse, (10, 1));
    assert!(matches!(purse.take(1, 100_000, NODE), Err(NotTaken::Empty)));
    assert!(matches!(purse.add(cash(10, 1)), Err(PurseError::Known { id: known }) if known == id));
    purse.unclaimed(id, NODE).unwrap();
    assert!(matches!(purse.take(1, 100_000, NODE), Err(NotTaken::Empty)));
    drop(purse);
    let purse = home.purse().unwrap();
    assert!(matches!(purse.take(1, 100_000, NODE), Err(NotTaken::Empty)), "nor after a restart");
    assert_eq!(purse.unsettled(NODE).len(), 1);
    assert!(purse.unsettled("https://other.example/v1").is_empty(), "that node never had it");
    purse.release(id).unwrap();
    purse.take(1, 100_000, NODE).unwrap();
}

#[test]
fn a_token_whose_answer_is_on_its_way_is_left_alone() {
    let home = Home::new();
    let purse = home.purse().unwrap();
    let id = purse.add(cash(10, 1)).unwrap();
    let taken = purse.take(1, 100_000, NODE).unwrap();
    assert!(purse.unsettled(NODE).is_empty());
    assert!(purse.withdraw(id).is_err() && purse.release(id).is_err());
    drop(taken);
    assert_eq!(purse.unsettled(NODE).len(), 1);
}

#[test]
fn change_takes_the_place_of_what_it_came_for_once() {
    let home = Home::new();
    let purse = home.purse().unwrap();
    let id = sent(&purse, (10, 1));
    let change = || Verdict::Change(vec![cash(7, 2)]);
    purse.settle(id, change()).unwrap();
    purse.settle(id, change()).unwrap();
    assert_eq!(holdings(&purse), [(Some(7_000), Holding::Unspent)]);
    let other = sent(&purse, (20, 3));
    purse.settle(other, change()).unwrap();
    assert_eq!(holdings(&purse), [(Some(7_000), Holding::Unspent)], "the same cash is there once");
}

#[test]
fn what_became_of_a_token_holds_in_memory_while_it_cannot_be_written_and_is_written_later() {
    let storage = Arc::<Lossy>::default();
    let purse = purse_on(Arc::clone(&storage));
    let id = sent(&purse, (10, 1));
    storage.stop_after(0);
    purse.settle(id, Verdict::Change(vec![cash(7, 2)])).unwrap_err();
    assert_eq!(holdings(&purse), [(Some(7_000), Holding::Unspent)], "nothing is forgotten");
    let error = purse.take(1, 100_000, NODE);
    assert!(matches!(error, Err(NotTaken::Purse(_))), "and nothing sent that cannot be marked");
    // if power goes now, the node is asked for the change again
    let after = purse_on(storage.after_power_loss().remove(0));
    assert_eq!((holdings(&after)[0].0, after.unsettled(NODE).len()), (Some(10_000), 1));
    storage.go_on();
    assert_eq!(purse.take(1, 100_000, NODE).unwrap().token.amount_msat(), 7_000);
    let after = purse_on(storage.after_power_loss().remove(0));
    assert_eq!((holdings(&after)[0].0, after.unsettled(NODE).len()), (Some(7_000), 1));
}

#[test]
fn only_what_is_worth_nothing_or_was_taken_out_can_be_discarded() {
    let home = Home::new();
    let purse = home.purse().unwrap();
    let spent = sent(&purse, (10, 1));
    assert!(matches!(purse.discard(spent), Err(PurseError::Holding { .. })));
    purse.settle(spent, Verdict::Rejected("cashu_token_already_spent")).unwrap();
    let unspent = purse.add(cash(5, 2)).unwrap();
    assert!(purse.discard(unspent).is_err() && purse.release(unspent).is_err());
    assert_eq!(purse.withdraw(unspent).unwrap(), mint(5, 2));
    assert!(matches!(purse.take(1, 100_000, NODE), Err(NotTaken::Empty)), "it may be spent by now");
    purse.settle(unspent, Verdict::Unspent).unwrap();
    assert!(matches!(purse.take(1, 100_000, NODE), Err(NotTaken::Empty)), "whatever a node says");
    purse.discard(spent).unwrap();
    purse.discard(unspent).unwrap();
    assert!(purse.held().is_empty());
    assert!(matches!(purse.discard(spent), Err(PurseError::Missing { .. })));
}

#[test]
fn what_cannot_be_read_is_kept_for_its_owner() {
    let home = Home::new();
    let purse = home.purse().unwrap();
    purse.keep_unread("cashuZwhatever").unwrap();
    purse.keep_unread("cashuZwhatever").unwrap();
    drop(purse);
    let purse = home.purse().unwrap();
    assert_eq!(holdings(&purse), [(None, Holding::Unread)]);
    assert_eq!(purse.withdraw(purse.held()[0].id).unwrap(), "cashuZwhatever");
}

#[test]
fn a_purse_has_a_limit() {
    let storage = Arc::<Lossy>::default();
    let purse = purse_on(storage);
    for n in 0..MAX_TOKENS - 1 {
        let cash = super::Cash::Token(Arc::new(cash(1, n as u64)));
        purse.state().entries.push(cash, Holding::Unspent);
    }
    purse.add(cash(2, 0)).unwrap();
    assert!(matches!(purse.add(cash(1, MAX_TOKENS as u64)), Err(PurseError::Full)));
}

#[test]
fn a_purse_shows_no_cash() {
    let home = Home::new();
    let purse = home.purse().unwrap();
    purse.add(cash(10, 1)).unwrap();
    purse.keep_unread("cashuZwhatever").unwrap();
    let shown = format!("{purse:?} {:?}", purse.held());
    assert!(!shown.contains("cashuAey") && !shown.contains("whatever"), "{shown}");
}

#[test]
fn a_purse_that_is_looked_at_shows_what_another_has_open_and_pays_nothing() {
    let home = Home::new();
    let directory = home.0.path().join("purse");
    assert!(Purse::look(&directory).unwrap().held().is_empty());
    assert!(!directory.exists(), "looking makes nothing");
    let purse = home.purse().unwrap();
    let id = purse.add(cash(10, 1)).unwrap();
    let before = std::fs::read(home.file()).unwrap();
    let looked = Arc::new(Purse::look(&directory).unwrap());
    assert_eq!(holdings(&looked), [(Some(10_000), Holding::Unspent)]);
    assert!(matches!(looked.take(1, u64::MAX, NODE), Err(NotTaken::Purse(_))));
    assert!(looked.add(cash(3, 2)).is_err());
    assert!(looked.withdraw(id).is_err());
    assert_eq!(holdings(&looked), [(Some(10_000), Holding::Unspent)]);
    assert_eq!(std::fs::read(home.file()).unwrap(), before);
    assert_eq!("1".parse(), Ok(id));
}
