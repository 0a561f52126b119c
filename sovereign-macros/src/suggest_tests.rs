use super::{closest, distance, list};

const KEYS: &[&str] = &["name", "side_effect", "network", "category"];

#[test]
fn a_slip_of_the_finger_is_recognised() {
    assert_eq!(closest("side_efect", KEYS), Some("side_effect"));
    assert_eq!(closest("SideEffect", KEYS), Some("side_effect"));
    assert_eq!(closest("catgory", KEYS), Some("category"));
    assert_eq!(closest("nmae", KEYS), None, "two of four letters are wrong");
}

#[test]
fn another_word_is_not_a_slip() {
    assert_eq!(closest("destructive", KEYS), None);
    assert_eq!(closest("", KEYS), None);
    assert_eq!(closest("x", &[]), None);
}

#[test]
fn distance_counts_single_edits() {
    assert_eq!(distance("kitten", "sitting"), 3);
    assert_eq!(distance("", "abc"), 3);
    assert_eq!(distance("abc", "abc"), 0);
}

#[test]
fn a_list_reads_as_a_sentence() {
    assert_eq!(list(&["a"]), "`a`");
    assert_eq!(list(&["a", "b", "c"]), "`a`, `b` and `c`");
}
