//! Transcripts on a storage that crashes, and on real files.
#![expect(clippy::arithmetic_side_effects, reason = "a test that overflows fails")]
mod aging;
mod crash;
mod files;
mod limits;
mod lossy;
mod unopened;

use super::storage::{Disk, Storage};
use super::*;
use crate::BoxFuture;
use crate::caller::CallerScope;
use crate::clock::Moment;
use lossy::Lossy;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Stands where a test puts it.
#[derive(Default)]
struct Wall(AtomicU64);

impl Wall {
    fn advance(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for Wall {
    fn now(&self) -> Moment {
        Moment(Duration::ZERO)
    }
    fn wall(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600 + self.0.load(Ordering::SeqCst))
    }
    fn sleep_until(&self, _: Moment) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
}

fn operator() -> CallerScope {
    CallerScope::operator("alice", "s1")
}

fn turn(history: &History, user: &str, answer: &str) -> u64 {
    let number = history.begin(user);
    history.end(number, answer, TurnEnd::Answered, None);
    number
}

fn call(name: &str, outcome: Option<&str>) -> PastCall {
    PastCall {
        capability: Some(name.to_owned()),
        version: Some(1),
        outcome: outcome.map(str::to_owned),
        ..PastCall::default()
    }
}

fn words(history: &History) -> Vec<String> {
    history.transcript().turns.iter().map(|turn| turn.user.text.clone()).collect()
}

fn on(storage: Arc<dyn Storage>) -> Histories {
    Histories::on(storage, Arc::<Wall>::default())
}
