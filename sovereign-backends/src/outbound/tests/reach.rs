//! Where a request may go, and where it really goes.

use super::*;

#[tokio::test]
async fn literal_addresses_off_the_reach_are_refused_without_asking_for_a_name() {
    let names = Names::answering(&[]);
    let web = HttpOutbound::with_resolver(Reach::public(), names.clone()).unwrap();
    for (url, expected) in [
        ("http://127.0.0.1/", "address_not_public"),
        ("http://0x7f.1/", "address_not_public"),
        ("http://[::ffff:10.0.0.1]/", "address_not_public"),
        ("http://100.64.0.1/", "address_not_public"),
        ("http://localhost/", "address_not_public"),
        ("http://a.localhost./", "address_not_public"),
        ("http://93.184.216.34:25/", "port_not_allowed"),
        ("http://example.com:8080/", "port_not_allowed"),
        ("ftp://example.com/", "invalid_url"),
        ("http://u:p@example.com/", "invalid_url"),
        ("http://u@example.com/", "invalid_url"),
        ("http://:p@example.com/", "invalid_url"),
        ("example.com", "invalid_url"),
    ] {
        let failure = web.send(Request::get(url)).await.unwrap_err();
        assert_eq!(failure.code(), expected, "{url}");
    }
    assert_eq!(names.asked(), [""; 0]);
}

#[tokio::test]
async fn one_address_that_is_not_public_among_several_refuses_the_name() {
    for bad in ["10.0.0.1", "127.0.0.1", "100.64.0.1", "::1", "fd00::1", "64:ff9b::a00:1"] {
        let names = Names::answering(&[&["93.184.216.34", bad, "1.1.1.1"]]);
        let web = HttpOutbound::with_resolver(Reach::public(), names.clone()).unwrap();
        assert_eq!(code(web.send(Request::get("http://two.test/")).await), "address_not_public");
        assert_eq!(names.asked(), ["two.test"]);
    }
}

#[tokio::test]
async fn a_name_without_addresses_is_told_apart_from_a_refused_one() {
    for names in [Names::answering(&[]), Names::answering(&[&[]])] {
        let web = HttpOutbound::with_resolver(Reach::public(), names).unwrap();
        assert_eq!(code(web.send(Request::get("http://none.test/")).await), "unresolvable");
    }
}

#[tokio::test]
async fn the_checked_address_is_the_one_connected_to_and_the_name_is_asked_once() {
    let server = Server::answering(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi").await;
    // Whoever answers for the name changes the answer after the check.
    let names = Names::answering(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let reach = Reach::only([server.address]);
    let out = HttpOutbound::with_resolver(reach, names.clone()).unwrap();
    let url = format!("http://Pinned.test:{}/a?b", server.address.port());
    let response = out.send(Request::get(url)).await.unwrap();
    assert_eq!((response.status, response.body.as_slice()), (200, b"hi".as_slice()));
    assert_eq!(names.asked(), ["pinned.test"]);
    let heard = server.heard().concat();
    assert!(heard.starts_with("GET /a?b HTTP/1.1\r\n"), "{heard}");
    let host = format!("host: pinned.test:{}\r\n", server.address.port());
    assert!(heard.to_lowercase().contains(&host), "{heard}");
}

#[tokio::test]
async fn a_port_that_a_resolver_makes_up_does_not_count() {
    struct Sideways;
    impl Resolver for Sideways {
        fn resolve<'a>(&'a self, _: &'a str, _: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
            Box::pin(async { Ok(vec!["127.0.0.1:9".parse().unwrap()]) })
        }
    }
    let server = Server::answering(b"HTTP/1.1 204 No\r\n\r\n").await;
    let out = HttpOutbound::with_resolver(Reach::only([server.address]), Arc::new(Sideways));
    let url = format!("http://sideways.test:{}/", server.address.port());
    assert_eq!(out.unwrap().send(Request::get(url)).await.unwrap().status, 204);
}

#[tokio::test]
async fn a_redirect_is_reported_and_not_followed() {
    let target = Server::answering(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret").await;
    for status in [301, 302, 303, 307, 308] {
        let answer = format!(
            "HTTP/1.1 {status} Moved\r\nlocation: {}\r\ncontent-length: 4\r\n\r\nbody",
            target.url("/x")
        );
        let server = Server::answering(answer.as_bytes()).await;
        let both = Reach::only([server.address, target.address]);
        let out = HttpOutbound::with_resolver(both, Names::answering(&[])).unwrap();
        let response = out.send(Request::get(server.url("/"))).await.unwrap();
        assert_eq!((response.status, response.is_redirect()), (status, true));
        assert_eq!(response.header("location"), Some(target.url("/x").as_str()));
        assert!(response.body.is_empty());
    }
    assert_eq!(target.heard(), [""; 0]);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    let server = Server::answering(b"").await;
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let out = HttpOutbound::with_resolver(Reach::only([closed]), Names::answering(&[])).unwrap();
    assert_eq!(code(out.send(Request::get(format!("http://{closed}/"))).await), "unreachable");
    assert_eq!(code(to(&server).send(Request::get(server.url("/"))).await), "invalid_response");
}
