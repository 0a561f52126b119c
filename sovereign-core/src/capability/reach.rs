//! How far a way off the process goes: an address rule as a value.

use super::NotAllowed;
use super::address::is_globally_reachable;
use std::net::SocketAddr;

/// Which addresses an [`Outbound`](super::Outbound) may connect to.
///
/// The daemon builds one per plugin; the program that ships has `Reach::public()` for the web and
/// test programs build another, so no setting can widen it at run time.
///
/// # Example
/// ```
/// use sovereign_core::capability::Reach;
/// let public = Reach::public();
/// assert!(public.admits("93.184.216.34:443".parse().unwrap()).is_ok());
/// assert_eq!(public.admits("[::ffff:10.0.0.1]:80".parse().unwrap()).unwrap_err().code(), "address_not_public");
/// assert_eq!(public.admits("93.184.216.34:25".parse().unwrap()).unwrap_err().code(), "port_not_allowed");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach(Rule);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    Loopback,
    Public,
    Only(Vec<SocketAddr>),
}

impl Reach {
    /// Services on this device, any port.
    #[must_use]
    pub const fn loopback() -> Self {
        Self(Rule::Loopback)
    }

    /// Addresses that the IANA special-purpose registries leave globally reachable, ports 80 and
    /// 443. An address that carries a v4 address (v4-mapped, NAT64, 6to4) is judged by that one.
    #[must_use]
    pub const fn public() -> Self {
        Self(Rule::Public)
    }

    /// These addresses and ports and no others: one host on the local network, say.
    #[must_use]
    pub fn only(addresses: impl IntoIterator<Item = SocketAddr>) -> Self {
        Self(Rule::Only(addresses.into_iter().collect()))
    }

    /// Whether nothing beyond this device can be reached.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        match &self.0 {
            Rule::Loopback => true,
            Rule::Public => false,
            Rule::Only(addresses) => addresses.iter().all(|a| a.ip().is_loopback()),
        }
    }

    /// Whether a connection to this port may be tried at all, before any name is resolved.
    ///
    /// # Errors
    /// `port_not_allowed`.
    pub fn admits_port(&self, port: u16) -> Result<(), NotAllowed> {
        let fits = match &self.0 {
            Rule::Loopback => true,
            Rule::Public => matches!(port, 80 | 443),
            Rule::Only(addresses) => addresses.iter().any(|a| a.port() == port),
        };
        if fits { Ok(()) } else { Err(NotAllowed::new("port_not_allowed")) }
    }

    /// Whether this name may be resolved at all: `localhost` and what is below it mean this device
    /// by definition (RFC 6761, section 6.3), so a public reach refuses them unasked. Of every other
    /// name only its addresses tell.
    ///
    /// # Errors
    /// `address_not_public`.
    pub fn admits_name(&self, name: &str) -> Result<(), NotAllowed> {
        let name = name.strip_suffix('.').unwrap_or(name);
        let last = name.rsplit('.').next().unwrap_or(name);
        match &self.0 {
            Rule::Public if last.eq_ignore_ascii_case("localhost") => {
                Err(NotAllowed::new("address_not_public"))
            }
            Rule::Public | Rule::Loopback | Rule::Only(_) => Ok(()),
        }
    }

    /// Whether this address may be connected to.
    ///
    /// # Errors
    /// `port_not_allowed`, `address_not_public`, or `address_not_allowed`.
    pub fn admits(&self, address: SocketAddr) -> Result<(), NotAllowed> {
        self.admits_port(address.port())?;
        let (fits, code) = match &self.0 {
            Rule::Loopback => (address.ip().is_loopback(), "address_not_allowed"),
            Rule::Public => (is_globally_reachable(address.ip()), "address_not_public"),
            Rule::Only(addresses) => (addresses.contains(&address), "address_not_allowed"),
        };
        if fits { Ok(()) } else { Err(NotAllowed::new(code)) }
    }
}

#[cfg(test)]
#[path = "reach_tests.rs"]
mod tests;
