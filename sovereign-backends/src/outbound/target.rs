//! Where a request goes: a strict address, resolved once, every answer checked, then pinned.

use super::Resolver;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use sovereign_core::capability::{Failure, Reach};
use std::io;
use std::net::{IpAddr, SocketAddr};
use url::{Host, Url};

pub(super) struct Target {
    pub(super) url: Url,
    pub(super) pinned: Pinned,
}

impl Target {
    /// Refuses when one address of several is not admitted: whoever controls a name could otherwise
    /// hide the one that matters among good ones.
    pub(super) async fn find(
        text: &str,
        reach: &Reach,
        resolver: &dyn Resolver,
    ) -> Result<Self, Failure> {
        let invalid = || Failure::new("invalid_url").says("not an absolute http or https address");
        let url = Url::parse(text).map_err(|e| invalid().before_effect().detail(e))?;
        let plain = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none();
        let (true, Some(host), Some(port)) = (plain, url.host(), url.port_or_known_default())
        else {
            return Err(invalid().before_effect());
        };
        reach.admits_port(port)?;
        let (name, addresses) = match host {
            Host::Ipv4(ip) => (String::new(), vec![SocketAddr::new(IpAddr::V4(ip), port)]),
            Host::Ipv6(ip) => (String::new(), vec![SocketAddr::new(IpAddr::V6(ip), port)]),
            Host::Domain(name) => {
                reach.admits_name(name)?;
                (name.to_owned(), resolved(name, port, resolver).await?)
            }
        };
        addresses.iter().try_for_each(|address| reach.admits(*address))?;
        Ok(Self { url, pinned: Pinned { name, addresses } })
    }
}

async fn resolved(
    name: &str,
    port: u16,
    resolver: &dyn Resolver,
) -> Result<Vec<SocketAddr>, Failure> {
    let unresolvable =
        || Failure::new("unresolvable").says("the name has no address").before_effect();
    match resolver.resolve(name, port).await {
        // The port was judged; what a resolver makes of it is not.
        Ok(found) if !found.is_empty() => {
            Ok(found.into_iter().map(|a| SocketAddr::new(a.ip(), port)).collect())
        }
        Ok(_) => Err(unresolvable()),
        Err(error) => Err(unresolvable().detail(error)),
    }
}

/// The client's whole name resolution: one name, the addresses that were checked.
#[derive(Clone)]
pub(super) struct Pinned {
    name: String,
    addresses: Vec<SocketAddr>,
}

impl Resolve for Pinned {
    fn resolve(&self, name: Name) -> Resolving {
        let found = if name.as_str().eq_ignore_ascii_case(&self.name) {
            let addresses: Addrs = Box::new(self.addresses.clone().into_iter());
            Ok(addresses)
        } else {
            Err(io::Error::from(io::ErrorKind::PermissionDenied).into())
        };
        Box::pin(std::future::ready(found))
    }
}
