use super::*;
use std::cell::Cell;
use std::hash::Hasher;

#[derive(Eq)]
struct Counted<'a>(u32, &'a Cell<u32>);
impl PartialEq for Counted<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.1.update(|count| count.saturating_add(1));
        self.0 == other.0
    }
}
impl Hash for Counted<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

#[test]
fn comparisons_grow_with_the_number_of_keys_and_not_with_its_square() {
    let (compared, mut keys) = (Cell::new(0), Keys::new());
    for key in 0..10_000 {
        assert!(keys.insert(Counted(key, &compared)));
    }
    assert!(compared.get() < 10 * 10_000, "{} comparisons", compared.get());
    for key in [0, 7, 8, 9_999] {
        assert!(!keys.insert(Counted(key, &compared)), "{key} is there");
    }
}
