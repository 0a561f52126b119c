use super::holds;

#[test]
fn a_lock_is_held_by_that_process_on_that_file_or_by_somebody_else() {
    let line = "1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF";
    assert!(holds(line, 1234, 5678));
    assert!(!holds(line, 1234, 5679) && !holds(line, 1235, 5678));
    assert!(!holds("1: FLOCK  ADVISORY  READ 1234 fe:00:5678 0 EOF", 1234, 5678));
    assert!(!holds("1: POSIX  ADVISORY  WRITE 1234 fe:00:5678 0 EOF", 1234, 5678));
    assert!(!holds("1: -> FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF", 1234, 5678));
}
