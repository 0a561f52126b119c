use super::*;
use crate::schema::Schema;
use std::num::NonZeroI8;

macro_rules! refused {
    ($t:ty, $node:expr, $value:expr) => {{
        let node: Node = $node;
        let value: $t = $value;
        std::panic::catch_unwind(|| Judged::<$t>::BY.judge(&node, &value)).is_err()
    }};
}

#[test]
fn a_constant_is_judged_by_the_node_of_its_field() {
    let percent = u8::NODE.range_int(None, Some(100));
    assert!(!refused!(u8, percent, 100));
    assert!(refused!(u8, percent, 101));
    assert!(refused!(i64, i64::NODE.multiple_of(7), 50));
    assert!(!refused!(i64, i64::NODE.multiple_of(7), -49));
    let step = NonZeroI8::NODE.range_int(Some(-2), None);
    assert!(refused!(NonZeroI8, step, NonZeroI8::MIN));
    assert!(!refused!(NonZeroI8, step, NonZeroI8::MAX));
    let half = f64::NODE.range_float(Some((0.5, "0.5")), None);
    assert!(refused!(f64, half, 0.4));
    assert!(!refused!(f64, half, 0.5));
    for never in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(refused!(f64, f64::NODE, never), "{never}");
    }
    assert!(refused!(f32, f32::NODE, f32::INFINITY));
}

#[test]
fn a_constant_that_can_only_be_empty_is_judged_by_its_length() {
    assert!(refused!(String, String::NODE.length(1, 9), String::new()));
    assert!(!refused!(String, String::NODE.length(0, 9), String::new()));
    assert!(refused!(Vec<u8>, <Vec<u8>>::NODE.length(1, 9), Vec::new()));
    assert!(refused!(BTreeSet<u8>, <BTreeSet<u8>>::NODE.length(1, 9), BTreeSet::new()));
    let map = <BTreeMap<String, u8>>::NODE;
    assert!(refused!(BTreeMap<String, u8>, map.length(1, 9), BTreeMap::new()));
    assert!(!refused!(BTreeMap<String, u8>, map, BTreeMap::new()));
}

#[test]
fn a_type_that_is_not_known_here_is_left_to_the_start() {
    let node = u8::NODE.range_int(None, Some(1));
    Judged::<(u8, u8)>::BY.judge(&node, &(9, 9));
}
