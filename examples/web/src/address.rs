//! The address of a page, read strictly.

use sovereign_core::capability::Reach;
use sovereign_core::prelude::NotAllowed;
use std::net::{IpAddr, SocketAddr};
use url::{Host, Url};

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;

/// An absolute `http` or `https` address without userinfo.
///
/// The [URL standard](https://url.spec.whatwg.org/) forgives a lot: it drops tabs and line ends,
/// reads `\` as `/`, takes `http:host` and `http:///host`, decodes `%` in hosts. A person who is
/// shown such a text reads another address than the one that is fetched, so it is refused here. What
/// is left of its forgiveness is judged by its result: `0x7f.1` is `127.0.0.1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    url: Url,
    host: Host<String>,
    port: u16,
}

impl Address {
    /// Codes: `invalid_url`, `scheme_not_allowed`, `userinfo_not_allowed`.
    pub(crate) fn parse(text: &str) -> Result<Self, NotAllowed> {
        const INVALID: NotAllowed = NotAllowed::new("invalid_url");
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return Err(INVALID);
        }
        let (scheme, rest) = text.split_once(':').ok_or(INVALID)?;
        if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
            let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
            // `example.com:80/` would be a scheme with a dot: no one registers those.
            let meant = named && !scheme.contains('.') && scheme != "localhost";
            return Err(if meant { NotAllowed::new("scheme_not_allowed") } else { INVALID });
        }
        let rest = rest.strip_prefix("//").ok_or(INVALID)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(NotAllowed::new("userinfo_not_allowed"));
        }
        if authority.is_empty() || authority.contains('%') || authority.ends_with(':') {
            return Err(INVALID);
        }
        let url = Url::parse(text).map_err(|_| INVALID)?;
        let host = url.host().ok_or(INVALID)?.to_owned();
        let port = url.port_or_known_default().ok_or(INVALID)?;
        Ok(Self { url, host, port })
    }

    /// What the text alone tells; no name is resolved.
    ///
    /// Codes: `port_not_allowed`, `address_not_public`, `address_not_allowed`.
    pub(crate) fn judge(&self, reach: &Reach) -> Result<(), NotAllowed> {
        reach.admits_port(self.port)?;
        let literal: IpAddr = match &self.host {
            Host::Domain(name) => return reach.admits_name(name),
            Host::Ipv4(ip) => (*ip).into(),
            Host::Ipv6(ip) => (*ip).into(),
        };
        reach.admits(SocketAddr::new(literal, self.port))
    }

    /// The host in its ASCII form.
    pub(crate) fn host(&self) -> String {
        self.host.to_string()
    }

    /// Host in ASCII form, and port.
    pub(crate) fn receiver(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The address in its normal form.
    pub(crate) fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// Where a `location` leads from here, if that is an `http` or `https` address.
    pub(crate) fn join(&self, location: &str) -> Option<String> {
        let target = self.url.join(location).ok()?;
        matches!(target.scheme(), "http" | "https").then(|| target.into())
    }
}
