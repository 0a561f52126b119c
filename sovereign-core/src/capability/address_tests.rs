use super::is_globally_reachable;
use std::net::IpAddr;

fn reachable(text: &str) -> bool {
    is_globally_reachable(text.parse::<IpAddr>().unwrap())
}

/// First and last of each refused range, and the neighbours outside it. A neighbour that lies in
/// another refused range is left out.
const RANGES: &[(&str, &str, Option<&str>, Option<&str>)] = &[
    ("0.0.0.0", "0.255.255.255", None, Some("1.0.0.0")),
    ("10.0.0.0", "10.255.255.255", Some("9.255.255.255"), Some("11.0.0.0")),
    ("100.64.0.0", "100.127.255.255", Some("100.63.255.255"), Some("100.128.0.0")),
    ("127.0.0.0", "127.255.255.255", Some("126.255.255.255"), Some("128.0.0.0")),
    ("169.254.0.0", "169.254.255.255", Some("169.253.255.255"), Some("169.255.0.0")),
    ("172.16.0.0", "172.31.255.255", Some("172.15.255.255"), Some("172.32.0.0")),
    ("192.0.0.0", "192.0.0.255", Some("191.255.255.255"), Some("192.0.1.0")),
    ("192.0.2.0", "192.0.2.255", Some("192.0.1.255"), Some("192.0.3.0")),
    ("192.88.99.0", "192.88.99.255", Some("192.88.98.255"), Some("192.88.100.0")),
    ("192.168.0.0", "192.168.255.255", Some("192.167.255.255"), Some("192.169.0.0")),
    ("198.18.0.0", "198.19.255.255", Some("198.17.255.255"), Some("198.20.0.0")),
    ("198.51.100.0", "198.51.100.255", Some("198.51.99.255"), Some("198.51.101.0")),
    ("203.0.113.0", "203.0.113.255", Some("203.0.112.255"), Some("203.0.114.0")),
    ("224.0.0.0", "239.255.255.255", Some("223.255.255.255"), None),
    ("240.0.0.0", "255.255.255.255", None, None),
    // All of v6 outside 2000::/3.
    ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", None, Some("2000::")),
    ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Some("3fff:1000::"), None),
    (
        "2001::",
        "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
        Some("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        Some("2001:200::"),
    ),
    (
        "2001:db8::",
        "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
        Some("2001:db7:ffff:ffff:ffff:ffff:ffff:ffff"),
        Some("2001:db9::"),
    ),
    (
        "3fff::",
        "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
        Some("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        Some("3fff:1000::"),
    ),
];

#[test]
fn every_range_is_refused_up_to_its_edges_and_not_beyond() {
    for (first, last, before, after) in RANGES {
        assert!(!reachable(first), "{first} opens a refused range");
        assert!(!reachable(last), "{last} closes a refused range");
        for neighbour in [before, after].into_iter().flatten() {
            assert!(reachable(neighbour), "{neighbour} lies outside of {first}-{last}");
        }
    }
}

#[test]
fn named_special_addresses_are_refused() {
    for text in [
        "0.0.0.0",
        "127.0.0.1",
        "100.100.100.100",
        "169.254.169.254",
        "192.0.0.8",
        "192.0.0.9",
        "192.0.0.170",
        "224.0.0.251",
        "255.255.255.255",
        "::",
        "::1",
        "100::1",
        "fe80::1",
        "fec0::1",
        "fc00::1",
        "fd12:3456:789a::1",
        "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "ff02::fb",
        "ff0e::1",
        "5f00::1",
        "2001:2::1",
        "2001:10::1",
        "2001:20::1",
        "2001:db8::1",
        "3fff::1",
    ] {
        assert!(!reachable(text), "{text}");
    }
}

#[test]
fn ordinary_public_addresses_are_reachable() {
    for text in ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001:82b::200e"] {
        assert!(reachable(text), "{text}");
    }
}

#[test]
fn an_embedded_v4_address_decides_where_the_registry_leaves_it_open() {
    for (outer, inner_is_public) in [
        ("::ffff:93.184.216.34", true),
        ("::ffff:10.0.0.1", false),
        ("::ffff:127.0.0.1", false),
        ("::ffff:100.64.0.1", false),
        ("64:ff9b::93.184.216.34", true),
        ("64:ff9b::192.168.1.1", false),
        ("64:ff9b::0.0.0.0", false),
        ("2002:5db8:d822::1", true),
        ("2002:a00:1::1", false),
        ("2002:7f00:1::", false),
        ("2002:6440:1::", false),
        ("2002:c058:6301::", false),
    ] {
        assert_eq!(reachable(outer), inner_is_public, "{outer}");
    }
}

#[test]
fn a_public_address_inside_does_not_help_a_range_that_is_refused() {
    for text in [
        "::93.184.216.34",
        "::10.0.0.1",
        "64:ff9b:1::93.184.216.34",
        "64:ff9b:1:a00:0:100::",
        "2001:0:5db8:d822:0:0:a247:27dd",
        "2001:0:5db8:d822:0:0:f5ff:fffe",
        "::ffff:0:93.184.216.34",
    ] {
        assert!(!reachable(text), "{text}");
    }
}
