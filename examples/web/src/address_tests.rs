use super::Address;
use sovereign_core::capability::Reach;

fn verdict(text: &str) -> String {
    let public = Reach::public();
    match Address::parse(text).and_then(|a| a.judge(&public).map(|()| a)) {
        Ok(address) => address.receiver(),
        Err(no) => no.code().to_owned(),
    }
}

#[test]
fn every_address_is_judged_by_what_it_really_names() {
    for (text, expected) in [
        ("https://example.com/", "example.com:443"),
        ("http://example.com", "example.com:80"),
        ("HTTPS://EXAMPLE.com:443/a?b#c", "example.com:443"),
        ("http://example.com:443/", "example.com:443"),
        ("https://bücher.example/", "xn--bcher-kva.example:443"),
        ("https://93.184.216.34/", "93.184.216.34:443"),
        ("https://[2606:4700:4700::1111]/", "[2606:4700:4700::1111]:443"),
        ("https://example.com/a@b:c", "example.com:443"),
        // Literal addresses, whatever they are written like.
        ("http://127.0.0.1/", "address_not_public"),
        ("http://127.1/", "address_not_public"),
        ("http://0x7f.1/", "address_not_public"),
        ("http://0177.0.0.1/", "address_not_public"),
        ("http://2130706433/", "address_not_public"),
        ("http://127.0.0.1./", "address_not_public"),
        ("http://１２７.0.0.1/", "address_not_public"),
        ("http://[::1]/", "address_not_public"),
        ("http://[::ffff:10.0.0.1]/", "address_not_public"),
        ("http://[64:ff9b::10.0.0.1]/", "address_not_public"),
        ("http://[2002:a00:1::]/", "address_not_public"),
        ("http://100.64.0.1/", "address_not_public"),
        ("http://169.254.169.254/", "address_not_public"),
        ("http://0.0.0.0/", "address_not_public"),
        // Names that are this device by definition.
        ("http://localhost/", "address_not_public"),
        ("http://LocalHost./", "address_not_public"),
        ("http://a.localhost/", "address_not_public"),
        ("http://localhost。/", "address_not_public"),
        // Ports.
        ("http://127.0.0.1:1/", "port_not_allowed"),
        ("http://example.com:25/", "port_not_allowed"),
        ("https://example.com:8443/", "port_not_allowed"),
        ("http://example.com:0/", "port_not_allowed"),
        ("http://example.com:99999/", "invalid_url"),
        ("http://example.com:/", "invalid_url"),
        ("http://example.com:8o/", "invalid_url"),
        // Schemes.
        ("ftp://x/", "scheme_not_allowed"),
        ("file:///etc/passwd", "scheme_not_allowed"),
        ("javascript:alert(1)", "scheme_not_allowed"),
        ("data:text/html,x", "scheme_not_allowed"),
        ("httpx://example.com/", "scheme_not_allowed"),
        // Userinfo.
        ("http://u:p@h/", "userinfo_not_allowed"),
        ("http://u@example.com/", "userinfo_not_allowed"),
        ("http://@example.com/", "userinfo_not_allowed"),
        ("https://example.com:443@127.0.0.1/", "userinfo_not_allowed"),
        // What a forgiving reader repairs.
        ("", "invalid_url"),
        ("example.com", "invalid_url"),
        ("example.com:80/", "invalid_url"),
        ("localhost:80", "invalid_url"),
        ("//example.com/", "invalid_url"),
        ("/etc/passwd", "invalid_url"),
        ("http:example.com", "invalid_url"),
        ("http:/example.com", "invalid_url"),
        ("http:///example.com", "invalid_url"),
        ("http://", "invalid_url"),
        ("http://?q", "invalid_url"),
        (" https://example.com/", "invalid_url"),
        ("https://example.com/ ", "invalid_url"),
        ("https://exa\tmple.com/", "invalid_url"),
        ("https://example.com/\n", "invalid_url"),
        ("https://example.com/\0", "invalid_url"),
        ("https://example.com/\u{1b}[2J", "invalid_url"),
        ("https://example.com/\u{7f}", "invalid_url"),
        ("https://example.com/a b", "invalid_url"),
        ("https://example.com/\u{a0}", "invalid_url"),
        ("https://example.com/\u{85}", "invalid_url"),
        ("https:\\\\example.com\\", "invalid_url"),
        ("https://example.com\\@127.0.0.1/", "invalid_url"),
        ("http://127.0.0.%31/", "invalid_url"),
        ("http://[::1", "invalid_url"),
        ("http://[fe80::1%25eth0]/", "invalid_url"),
        ("http://1.2.3.256/", "invalid_url"),
        ("http://a..b<c/", "invalid_url"),
    ] {
        assert_eq!(verdict(text), expected, "{text:?}");
    }
}

#[test]
fn a_reach_that_is_not_public_may_name_this_device() {
    let here = Reach::loopback();
    for text in ["http://localhost:8093/", "http://127.0.0.1:8093/", "http://[::1]:8093/"] {
        assert_eq!(Address::parse(text).unwrap().judge(&here), Ok(()), "{text}");
    }
    let out = Address::parse("http://93.184.216.34:8093/").unwrap().judge(&here);
    assert_eq!(out.unwrap_err().code(), "address_not_allowed");
}

#[test]
fn a_location_is_resolved_and_leads_to_the_web_or_nowhere() {
    let page = Address::parse("https://example.com/a/b?c").unwrap();
    for (location, target) in [
        ("/x", Some("https://example.com/x")),
        ("x", Some("https://example.com/a/x")),
        ("?d", Some("https://example.com/a/b?d")),
        ("//other.example/", Some("https://other.example/")),
        ("http://127.0.0.1:1/", Some("http://127.0.0.1:1/")),
        ("javascript:alert(1)", None),
        ("http://[", None),
    ] {
        assert_eq!(page.join(location).as_deref(), target, "{location}");
    }
}
