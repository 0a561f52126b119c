use std::time::Duration;

use super::{Bounds, Declaration, is_name, is_reserved, wire_length};
use crate::caller::Category;

const GOOD: Declaration = Declaration {
    name: "disk.status",
    version: 1,
    description: "Reports free space.",
    category: Category::System,
    bounds: Bounds::DEFAULT,
    loopback: false,
};

fn bounded(bounds: Bounds) -> Declaration {
    Declaration { bounds, ..GOOD }
}

#[test]
fn names_follow_the_grammar() {
    for good in ["a", "a1", "disk_status", "web.fetch", "a.b.c_2"] {
        assert!(is_name(good.as_bytes()), "{good}");
    }
    for bad in ["", ".", "a.", ".a", "a..b", "_a", "a_", "a__b", "a_.b", "1a", "a.1", "A", "a-b"] {
        assert!(!is_name(bad.as_bytes()), "{bad}");
    }
}

#[test]
fn reserved_words_count_at_the_end_only() {
    assert!(is_reserved(b"mail.approve"));
    assert!(is_reserved(b"deny"));
    assert!(!is_reserved(b"deny.list"));
    assert!(!is_reserved(b"mail.approved"));
}

#[test]
fn wire_length_is_that_of_the_wire_form() {
    assert_eq!(wire_length(b"web.fetch", 2), "web__fetch__v2".len());
    assert_eq!(wire_length(b"a", 4_294_967_295), "a__v4294967295".len());
}

#[test]
fn a_declaration_written_by_hand_keeps_the_rules() {
    assert_eq!(GOOD.fault(), None);
    for (fault, declaration) in [
        ("name", Declaration { name: "Disk", ..GOOD }),
        ("reserved", Declaration { name: "disk.grant", ..GOOD }),
        ("wire form", Declaration { name: "a".repeat(61).leak(), ..GOOD }),
        ("versions", Declaration { version: 0, ..GOOD }),
        ("description", Declaration { description: "", ..GOOD }),
        ("timeout", bounded(Bounds { timeout: Duration::ZERO, ..Bounds::DEFAULT })),
        ("timeout", bounded(Bounds { timeout: Duration::from_millis(600_001), ..Bounds::DEFAULT })),
        ("result size", bounded(Bounds { max_result: 0, ..Bounds::DEFAULT })),
        ("result size", bounded(Bounds { max_result: (1 << 20) + 1, ..Bounds::DEFAULT })),
        ("turn", bounded(Bounds { max_per_turn: 0, ..Bounds::DEFAULT })),
    ] {
        let found = declaration.fault();
        assert!(found.is_some_and(|text| text.contains(fault)), "{fault}: {found:?}");
    }
}
