use super::Reach;
use std::net::SocketAddr;

fn at(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

fn code(reach: &Reach, text: &str) -> &'static str {
    reach.admits(at(text)).map_or_else(|no| no.code(), |()| "admitted")
}

#[test]
fn public_reach_admits_two_ports_only() {
    let public = Reach::public();
    for port in 0..=u16::MAX {
        assert_eq!(public.admits_port(port).is_ok(), port == 80 || port == 443, "{port}");
    }
    assert_eq!(code(&public, "93.184.216.34:443"), "admitted");
    assert_eq!(code(&public, "93.184.216.34:25"), "port_not_allowed");
    assert_eq!(code(&public, "10.0.0.1:443"), "address_not_public");
}

#[test]
fn loopback_reach_admits_every_port_and_nothing_beyond_the_device() {
    let loopback = Reach::loopback();
    assert_eq!(code(&loopback, "127.0.0.1:11434"), "admitted");
    assert_eq!(code(&loopback, "[::1]:11434"), "admitted");
    assert_eq!(code(&loopback, "93.184.216.34:443"), "address_not_allowed");
    assert_eq!(code(&loopback, "192.168.1.1:80"), "address_not_allowed");
    assert_eq!(code(&loopback, "0.0.0.0:80"), "address_not_allowed");
}

#[test]
fn a_listed_reach_admits_exactly_its_address_and_port() {
    let host = Reach::only([at("192.168.1.7:8123")]);
    assert_eq!(code(&host, "192.168.1.7:8123"), "admitted");
    assert_eq!(code(&host, "192.168.1.8:8123"), "address_not_allowed");
    assert_eq!(code(&host, "192.168.1.7:80"), "port_not_allowed");
    assert!(!host.is_loopback());
    assert!(Reach::only([at("127.0.0.1:1")]).is_loopback());
    assert!(!Reach::only([at("127.0.0.1:1"), at("192.168.1.7:1")]).is_loopback());
}

#[test]
fn names_of_this_device_are_refused_by_the_public_reach_alone() {
    for name in ["localhost", "LOCALHOST", "localhost.", "a.b.localhost", "a.localhost."] {
        assert!(Reach::public().admits_name(name).is_err(), "{name}");
        assert!(Reach::loopback().admits_name(name).is_ok(), "{name}");
    }
    for name in ["localhost.example", "notlocalhost", "example.com", "example.com."] {
        assert!(Reach::public().admits_name(name).is_ok(), "{name}");
    }
}
