use super::{BaseUrl, BaseUrlError};
use sovereign_core::backend::Locality;

fn locality(text: &str) -> Locality {
    text.parse::<BaseUrl>().unwrap().locality()
}

#[test]
fn only_loopback_is_local() {
    for here in [
        "http://127.0.0.1:11434",
        "http://127.9.9.9/",
        "http://localhost:1",
        "http://LOCALHOST",
        "http://[::1]:1",
        "http://[::ffff:127.0.0.1]:1",
        "http://0x7f.1/",
    ] {
        assert_eq!(locality(here), Locality::Local, "{here}");
    }
    for there in [
        "http://10.0.0.2",
        "http://0.0.0.0:11434",
        "http://[::]:1",
        "http://localhost.example",
        "http://127.0.0.1.example",
        "http://example.com",
        "https://ollama.com",
    ] {
        assert_eq!(locality(there), Locality::Remote, "{there}");
    }
}

#[test]
fn what_is_no_base_url_is_refused() {
    let refused = |text: &str| text.parse::<BaseUrl>().unwrap_err();
    assert_eq!(refused("ftp://127.0.0.1/"), BaseUrlError::Scheme);
    assert_eq!(refused("unix:/run/ollama"), BaseUrlError::Scheme);
    assert_eq!(refused("http://u:p@127.0.0.1/"), BaseUrlError::Userinfo);
    assert_eq!(refused("http://127.0.0.1@example.com/"), BaseUrlError::Userinfo);
    assert_eq!(refused("http://127.0.0.1/?a"), BaseUrlError::Suffix);
    assert_eq!(refused("http://127.0.0.1/#a"), BaseUrlError::Suffix);
    assert!(matches!(refused("127.0.0.1:11434"), BaseUrlError::Syntax(_)));
}

#[test]
fn a_path_prefix_is_kept() {
    let joined = |text: &str| text.parse::<BaseUrl>().unwrap().join("api/chat").to_string();
    assert_eq!(joined("http://127.0.0.1:11434"), "http://127.0.0.1:11434/api/chat");
    assert_eq!(joined("http://127.0.0.1/models/"), "http://127.0.0.1/models/api/chat");
}
