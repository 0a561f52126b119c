use super::KeyFile;
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
