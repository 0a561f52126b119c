use super::fields;

#[test]
fn fields_keep_their_order_and_nesting() {
    let result = r#"{"status":"healthy","checked_at":"2026-11-30T16:00:00Z",
        "system":{"version":"1.0","uptime_seconds":90,"memory":{"total_bytes":2048,"used_percent":50.0},"model":null},
        "network":[{"name":"eth0","addresses":["10.0.0.2","fe80::1"]},{"name":"lo","addresses":[]}],
        "loads_percent":[1,2.55],"ok":true,"extra":{}}"#;
    assert_eq!(
        fields(result, "  "),
        "  status: healthy
  checked: 2026-11-30T16:00:00Z
  system:
    version: 1.0
    uptime: 1 min (90 s)
    memory:
      total: 2.0 KiB (2048 bytes)
      used: 50.0 %
    model: not known
  network:
    1.
      name: eth0
      addresses:
        1. 10.0.0.2
        2. fe80::1
    2.
      name: lo
      addresses: none
  loads:
    1. 1 %
    2. 2.5 %
  ok: yes
  extra: none
"
    );
}

#[test]
fn a_text_cannot_pass_for_a_field() {
    for separator in ["\\n", "\\r", "\\u0085", "\\u2028", "\\u000b"] {
        let result = format!(r#"{{"text":"one{separator}free: 9 bytes","free_bytes":1}}"#);
        assert_eq!(
            fields(&result, ""),
            "text:\n  | one\n  | free: 9 bytes\nfree: 1 bytes\n",
            "{separator}"
        );
    }
    let key = "{\"a\\nfree\":1,\"b\":[\"x\\nfree: 2\"]}";
    assert_eq!(fields(key, ""), "a\\nfree: 1\nb:\n  1. x\\nfree: 2\n");
    assert_eq!(fields(r#"{"a":"\u001b[2J"}"#, ""), "a: \\u{1b}[2J\n");
}

#[test]
fn numbers_are_printed_exactly() {
    assert_eq!(fields(r#"{"n":12345678901234567890.10}"#, ""), "n: 12345678901234567890.10\n");
}

#[test]
fn what_is_no_object_is_printed_too() {
    assert_eq!(fields("7", ""), "result: 7\n");
    assert_eq!(fields("[true]", ""), "result:\n  1. yes\n");
    assert_eq!(fields("", ""), "result: \n");
}

#[test]
fn deep_results_end() {
    let deep = format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    assert_eq!(fields(&deep, "").lines().count(), 13);
}
