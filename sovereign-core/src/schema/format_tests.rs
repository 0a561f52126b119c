use super::*;

#[track_caller]
fn judge(format: Format, good: &[&str], bad: &[&str]) {
    for text in good {
        assert!(format.is_match(text), "{format:?} refuses `{text}`");
    }
    for text in bad {
        assert!(!format.is_match(text), "{format:?} takes `{text}`");
    }
}

#[test]
fn addresses_are_judged_as_their_rfcs_say() {
    let v4 = ["192.0.2.1", "0.0.0.0", "255.255.255.255"];
    let v6 = ["::", "::1", "2001:db8::1", "::ffff:192.0.2.1", "2001:DB8::A"];
    judge(Format::Ipv4, &v4, &["01.2.3.4", "1.2.3", "1.2.3.256", " 1.2.3.4", "::1", "1.2.3.4/8"]);
    judge(Format::Ipv6, &v6, &["", "1::2::3", "fe80::1%eth0", "12345::", "192.0.2.1", "[::1]"]);
    judge(Format::Ip, &v4, &["", "x"]);
    judge(Format::Ip, &v6, &["01.2.3.4"]);
}

#[test]
fn identifiers_have_their_hyphens() {
    judge(
        Format::Uuid,
        &[
            "67e55044-10b1-426f-9247-bb680e5fe0c8",
            "00000000-0000-0000-0000-000000000000",
            "67E55044-10B1-426F-9247-BB680E5FE0C8",
        ],
        &[
            "67e5504410b1426f9247bb680e5fe0c8",
            "{67e55044-10b1-426f-9247-bb680e5fe0c8}",
            "urn:uuid:67e55044-10b1-426f-9247-bb680e5fe0c8",
            "67e55044-10b1-426f-9247-bb680e5fe0cg",
            "67e55044-10b1-426f-9247-bb680e5fe0c8-",
            "67e55044-10b1-426f-9247bb-680e5fe0c8",
        ],
    );
}

#[test]
fn dates_exist_and_times_say_their_offset() {
    let dates = ["2024-02-29", "2000-02-29", "2026-12-31", "0000-01-01"];
    judge(
        Format::Date,
        &dates,
        &[
            "2023-02-29",
            "1900-02-29",
            "2026-4-01",
            "2026-13-01",
            "2026-04-31",
            "2026-04-00",
            "+026-04-01",
            "2026-04-01 ",
            "२०२६-04-01",
        ],
    );
    judge(
        Format::DateTime,
        &[
            "2026-03-31T12:00:00Z",
            "2026-03-31t12:00:00.5z",
            "2026-03-31T12:00:00-23:59",
            "1998-12-31T23:59:60Z",
            "1998-12-31T15:59:60.123-08:00",
            "2026-03-31T12:00:00.0123456789Z",
        ],
        &[
            "2026-03-31T12:00:00",
            "2026-03-31 12:00:00Z",
            "2026-03-31T24:00:00Z",
            "2026-03-31T12:60:00Z",
            "2026-03-31T12:00:61Z",
            "1998-12-31T22:59:60Z",
            "2026-03-31T12:00:00.Z",
            "2026-03-31T12:00:00+1:00",
            "2026-03-31T12:00:00+24:00",
            "2026-03-31T12:00Z",
            "2026-03-31",
        ],
    );
    judge(
        Format::Timestamp,
        &["2026-03-31T12:00:00Z"],
        &["2026-03-31T12:00:00.0123456789Z", "9999-12-31T23:59:59Z"],
    );
}

#[test]
fn durations_are_those_of_rfc_3339() {
    let good = ["P1D", "P2W", "PT1S", "P1Y2M3DT4H5M6S", "P1Y", "P1YT1S", "PT0S", "P1M2D", "PT1H"];
    let bad = [
        "", "P", "PT", "P1", "1D", "p1d", "P1DT", "P1W1D", "P1YT", "P1Y1D", "PT1H1S", "PT1S1M",
        "P0.5D", "-P1D", "P1D1D", "P1S", "PT1D", "P٢D", "P1WT1H",
    ];
    judge(Format::Duration, &good, &bad);
    judge(Format::Span, &good, &bad);
    judge(Format::Span, &[], &["P99999999999999999999Y"]);
}

#[test]
fn addresses_of_pages_are_absolute() {
    let good = [
        "https://example.com/a?b=c#d",
        "http://u:p@[::1]:80/",
        "mailto:a@b.example",
        "urn:isbn:0451450523",
        "https://a/%C3%A9",
        "file:///etc/hosts",
        "http://[v1.a:b]/",
        "a:",
    ];
    let bad = [
        "",
        "/a",
        "example.com",
        "://a",
        "1a:b",
        "http://a b/",
        "http://é/",
        "http://a/%zz",
        "http://a/%4",
        "http://[::1",
        "http://[x]/",
        "http://a:b/",
        "http://a@b@c/",
        "http://a/<",
        "a:#b#c",
        "http://[::1]x/",
        "a:\\b",
    ];
    judge(Format::Uri, &good, &bad);
    #[cfg(feature = "url")]
    judge(
        Format::Url,
        &["https://example.com/a?b=c#d"],
        &["http:///", "http://a:99999/", "http://%00/"],
    );
}
