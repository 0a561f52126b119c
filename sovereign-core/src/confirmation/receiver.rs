//! Who receives what leaves the device, in a form that cannot look like another host.

use crate::display::Visible;
use idna::AsciiDenyList;
use std::net::Ipv6Addr;

/// What a capability named as the receiver: a host in ASCII form with its port, or, when it is no
/// host, its words in quotes.
pub(super) fn receiver(named: &str) -> String {
    host_and_port(named).unwrap_or_else(|| quoted(named))
}

/// In quotes and visible: where it begins and ends is part of what is shown.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", Visible(text).to_string().replace('"', "\\\""))
}

/// Of `host`, `host:port`, `[v6]:port` or an address with a scheme.
fn host_and_port(named: &str) -> Option<String> {
    let (scheme, rest) = named.split_once("://").map_or((None, named), |(s, rest)| (Some(s), rest));
    // a receiver without a scheme is nothing but a host: `host/path` could be read two ways
    let end = scheme.and_then(|_| rest.find(['/', '?', '#'])).unwrap_or(rest.len());
    let authority = rest.get(..end)?;
    let (host, port) = match authority.strip_prefix('[') {
        Some(inner) => {
            let (address, port) = inner.split_once(']')?;
            let address: Ipv6Addr = address.parse().ok()?;
            (format!("[{address}]"), port.strip_prefix(':').or(port.is_empty().then_some(""))?)
        }
        None => {
            let (host, port) = authority.rsplit_once(':').unwrap_or((authority, ""));
            (ascii(host)?, port)
        }
    };
    let port = match (port, scheme) {
        ("", Some("https" | "wss")) => 443,
        ("", Some("http" | "ws")) => 80,
        ("", _) => return host.contains('.').then(|| format!("{host} (port not stated)")),
        (digits, _) => digits.parse::<u16>().ok()?,
    };
    Some(format!("{host}:{port}"))
}

fn ascii(host: &str) -> Option<String> {
    let ascii = idna::domain_to_ascii_cow(host.as_bytes(), AsciiDenyList::URL).ok()?;
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    (!ascii.is_empty() && ascii.chars().all(is_host)).then(|| ascii.into_owned())
}
