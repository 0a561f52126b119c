//! What a turn has cost, and may still cost.
use sovereign_core::id::TurnId;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many turns are remembered: far more than can be open at once.
const MAX_TURNS: usize = 10_000;

/// One allowance for each turn.
#[derive(Debug)]
pub(super) struct Budget {
    msat_per_turn: u64,
    spent: Mutex<BTreeMap<TurnId, u64>>,
}

/// Part of a turn's allowance. Dropped, it counts as spent: whoever was paid may keep it.
#[derive(Debug)]
pub(super) struct Reserved<'a> {
    budget: &'a Budget,
    turn: Option<TurnId>,
    msat: u64,
}

impl Budget {
    pub(super) const fn new(msat_per_turn: u64) -> Self {
        Self { msat_per_turn, spent: Mutex::new(BTreeMap::new()) }
    }

    /// What the turn may still cost. What belongs to no turn is one of its own.
    pub(super) fn left(&self, turn: Option<TurnId>) -> u64 {
        let spent = turn.and_then(|turn| self.spent().get(&turn).copied());
        self.msat_per_turn.saturating_sub(spent.unwrap_or_default())
    }

    /// Takes that much from the turn's allowance; `None` when less is left.
    pub(super) fn reserve(&self, turn: Option<TurnId>, msat: u64) -> Option<Reserved<'_>> {
        let mut spent = self.spent();
        let before = turn.and_then(|turn| spent.get(&turn).copied()).unwrap_or_default();
        let after = before.checked_add(msat).filter(|after| *after <= self.msat_per_turn)?;
        if let Some(turn) = turn {
            spent.insert(turn, after);
            while spent.len() > MAX_TURNS {
                spent.pop_first();
            }
        }
        drop(spent);
        Some(Reserved { budget: self, turn, msat })
    }

    fn spent(&self) -> MutexGuard<'_, BTreeMap<TurnId, u64>> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reserved<'_> {
    /// What it really came to, which may be more.
    pub(super) fn cost(self, msat: u64) {
        let Some(turn) = self.turn else { return };
        if let Some(spent) = self.budget.spent().get_mut(&turn) {
            *spent = spent.saturating_sub(self.msat).saturating_add(msat);
        }
    }
}
