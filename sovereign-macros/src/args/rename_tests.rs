use super::Rule;

#[test]
fn variants_follow_serde() {
    assert_eq!(Rule::Snake.variant("LastWeek"), "last_week");
    assert_eq!(Rule::Snake.variant("HTTPGet"), "h_t_t_p_get");
    assert_eq!(Rule::Camel.variant("LastWeek"), "lastWeek");
    assert_eq!(Rule::ScreamingKebab.variant("LastWeek"), "LAST-WEEK");
    assert_eq!(Rule::Lower.variant("LastWeek"), "lastweek");
}

#[test]
fn fields_follow_serde() {
    assert_eq!(Rule::Camel.field("free_bytes"), "freeBytes");
    assert_eq!(Rule::Pascal.field("free_bytes"), "FreeBytes");
    assert_eq!(Rule::Kebab.field("free_bytes"), "free-bytes");
    assert_eq!(Rule::Snake.field("free_bytes"), "free_bytes");
}

#[test]
fn an_unknown_rule_is_named() {
    assert_eq!(
        Rule::parse("camel_case").unwrap_err(),
        "there is no case rule `camel_case`; did you mean `camelCase`?"
    );
}
