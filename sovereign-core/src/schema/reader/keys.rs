//! The keys of one object without a schema, to find the one that comes twice.
use std::collections::HashSet;
use std::hash::Hash;

const FEW: usize = 8;

/// The first few are compared one by one; the rest are hashed with a random key, so that no choice
/// of keys makes a large object slow.
pub(super) struct Keys<K> {
    few: [Option<K>; FEW],
    many: Option<HashSet<K>>,
}

impl<K: Eq + Hash> Keys<K> {
    pub(super) fn new() -> Self {
        Self { few: [const { None }; FEW], many: None }
    }

    /// Whether `key` is new.
    pub(super) fn insert(&mut self, key: K) -> bool {
        for slot in &mut self.few {
            match slot {
                Some(known) if *known == key => return false,
                Some(_) => {}
                None => {
                    *slot = Some(key);
                    return true;
                }
            }
        }
        self.many.get_or_insert_with(HashSet::new).insert(key)
    }
}

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;
