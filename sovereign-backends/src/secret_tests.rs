use super::{KeyError, KeyFile};
use crate::http::Headers;
use sovereign_core::files;
use std::os::unix::fs::PermissionsExt;

const KEY: &str = "sk-ant-0123456789";

fn data_dir() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    files::create_private_dir(&dir.path().join("secrets")).unwrap();
    dir
}

fn holding(dir: &tempfile::TempDir, bytes: &[u8]) -> KeyFile {
    let key = KeyFile::new(dir.path(), "claude-api-key");
    files::write_private(key.path(), bytes).unwrap();
    key
}

#[test]
fn a_key_is_read_from_its_file_without_the_line_end() {
    let dir = data_dir();
    for bytes in [KEY.to_owned(), format!("{KEY}\n"), format!("{KEY}\r\n")] {
        let key = holding(&dir, bytes.as_bytes()).read().unwrap();
        assert_eq!(key.header("Bearer ").unwrap(), format!("Bearer {KEY}").as_str());
    }
}

#[test]
fn a_key_file_that_others_may_read_is_refused() {
    let dir = data_dir();
    let key = holding(&dir, KEY.as_bytes());
    for mode in [0o640, 0o604, 0o660] {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(key.path(), permissions).unwrap();
        let error = key.read().err().unwrap().to_string();
        assert!(error.starts_with("its key is not used: "), "{error}");
        assert!(!error.contains(KEY));
    }
}

#[test]
fn what_is_no_key_is_refused_without_being_repeated() {
    let dir = data_dir();
    for bytes in ["", "\n", "two words", "two\nlines", "b\u{e4}d", "nul\0"] {
        let error = holding(&dir, bytes.as_bytes()).read().err().unwrap().to_string();
        assert!(error.ends_with("does not hold one line of printable characters"), "{error}");
    }
    let error = KeyFile::new(dir.path(), "other").read().err().unwrap().to_string();
    assert!(error.ends_with("secrets/other` is not there"), "{error}");
}

/// B17
#[test]
fn a_key_is_in_no_debug_text() {
    let dir = data_dir();
    let file = holding(&dir, KEY.as_bytes());
    let key = file.read().unwrap();
    let headers = Headers::default().bearer(&key).key("x-api-key", &key);
    let shown = format!("{headers:?} {file:?}");
    assert!(!shown.contains("0123456789"), "{shown}");
    assert_eq!(shown.matches("Sensitive").count(), 2, "{shown}");
}

#[test]
fn a_key_is_put_where_only_its_owner_reads_it_and_what_is_none_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    files::create_private_dir(&home.path().join("data")).unwrap();
    let key = KeyFile::new(home.path().join("data"), "claude-api-key");
    assert!(!key.remove().unwrap(), "there is not even a directory");
    key.put(format!("  {KEY}\n").as_bytes()).unwrap();
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(key.path()), mode(key.path().parent().unwrap())), (0o600, 0o700));
    let long = [b'k'; 4097];
    for bytes in
        [&b""[..], b" \n", b"two words", b"two\nlines", "b\u{e4}d".as_bytes(), b"nul\0", &long]
    {
        assert!(matches!(key.put(bytes), Err(KeyError::Malformed)));
    }
    assert_eq!(key.read().unwrap().header("").unwrap(), KEY);
    key.put(b"another").unwrap();
    assert_eq!(key.read().unwrap().header("").unwrap(), "another");
    assert!(key.remove().unwrap() && !key.is_there() && !key.remove().unwrap());
}
