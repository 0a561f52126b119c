use super::{is_segment, objection, repaired};

#[test]
fn segments_follow_the_grammar() {
    for good in ["a", "disk_status", "v2", "a1_2b"] {
        assert!(is_segment(good), "{good}");
    }
    for bad in ["", "_a", "a_", "a__b", "2a", "A", "a-b", "é", "a b"] {
        assert!(!is_segment(bad), "{bad}");
    }
}

#[test]
fn a_double_underscore_would_make_wire_names_ambiguous() {
    assert_eq!(objection("web.fetch", 1), None);
    assert!(objection("web__fetch", 1).is_some());
    assert!(objection("web..fetch", 1).is_some());
    assert!(objection("", 1).is_some());
}

#[test]
fn words_of_the_confirmation_surface_are_reserved_at_the_end_only() {
    for word in ["confirm", "approve", "deny", "grant", "revoke"] {
        assert!(objection(&format!("mail.{word}"), 1).is_some(), "{word}");
        assert!(objection(word, 1).is_some(), "{word}");
        assert_eq!(objection(&format!("{word}.list"), 1), None, "{word}");
    }
    assert_eq!(objection("mail.confirm_receipt", 1), None);
}

#[test]
fn the_wire_form_counts_not_the_name() {
    let longest = format!("a.{}", "b".repeat(57));
    assert_eq!(objection(&longest, 1), None, "1 + 2 + 57 + 4 bytes");
    assert!(objection(&longest, 10).is_some(), "one byte more");
    assert!(objection(&format!("{longest}b"), 1).is_some());
}

#[test]
fn a_repair_is_offered_only_when_it_is_a_name() {
    assert_eq!(repaired("Web-Search").as_deref(), Some("web_search"));
    assert_eq!(repaired("web/search").as_deref(), Some("web.search"));
    assert_eq!(repaired("diskStatus").as_deref(), Some("disk_status"));
    assert_eq!(repaired("web__search").as_deref(), Some("web_search"));
    assert_eq!(repaired("日本"), None);
}
