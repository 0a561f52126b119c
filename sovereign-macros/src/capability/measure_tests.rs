use super::{SIZE, TIME};

#[test]
fn units_are_read() {
    assert_eq!(TIME.read("timeout", "250ms"), Ok(250));
    assert_eq!(TIME.read("timeout", "10s"), Ok(10_000));
    assert_eq!(TIME.read("timeout", "2 m"), Ok(120_000));
    assert_eq!(SIZE.read("max_result", "64KiB"), Ok(65_536));
    assert_eq!(SIZE.read("max_result", "1B"), Ok(1));
}

#[test]
fn limits_are_inclusive() {
    assert_eq!(TIME.read("timeout", "10m"), Ok(600_000));
    assert!(TIME.read("timeout", "600001ms").is_err());
    assert_eq!(SIZE.read("max_result", "1MiB"), Ok(1 << 20));
    assert!(SIZE.read("max_result", "1048577B").is_err());
    assert!(SIZE.read("max_result", "99999999999999999999999MiB").is_err());
}

#[test]
fn nothing_and_nonsense_are_refused() {
    for text in ["0s", "", "s", "10", "soon", "-1s", "1.5s", "10S", "10h"] {
        assert!(TIME.read("timeout", text).is_err(), "{text}");
    }
    for text in ["0B", "64KB", "64kib", "1GiB"] {
        assert!(SIZE.read("max_result", text).is_err(), "{text}");
    }
}
