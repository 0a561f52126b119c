//! Which addresses are globally reachable: an own table, embedded v4 unwrapped.
//!
//! **Source**: the IANA [IPv4][v4] and [IPv6][v6] Special-Purpose Address Registries (RFC 6890 and
//! its updates), and for multicast RFC 5771 and RFC 4291, section 2.7. What they do not mark as
//! globally reachable is refused. Three deliberate differences, all stricter: the deprecated 6to4
//! relay range is refused; `192.0.0.0/24` and `2001::/23` are refused whole, because the anycast
//! services marked as reachable inside them (PCP, TURN) are answered by the nearest one, which is
//! the household's own router; and of v6 only `2000::/3`, the one block that is handed out as
//! global unicast, counts at all.
//!
//! An address that carries a v4 address is judged by it where the registry leaves the matter open
//! (v4-mapped, the well-known NAT64 prefix, 6to4). Where the registry says no (v4-compatible,
//! local-use NAT64, Teredo) a public address inside does not help.
//!
//! [v4]: https://www.iana.org/assignments/iana-ipv4-special-registry
//! [v6]: https://www.iana.org/assignments/iana-ipv6-special-registry

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;

/// Whether a packet to this address leaves for the public internet, as far as the address tells.
pub(super) fn is_globally_reachable(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => v4(ip),
        IpAddr::V6(ip) => match embedded(ip) {
            Some(inner) => v4(inner),
            None => v6(ip),
        },
    }
}

const REFUSED_V4: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),          // this network, RFC 791
    (Ipv4Addr::new(10, 0, 0, 0), 8),         // private, RFC 1918
    (Ipv4Addr::new(100, 64, 0, 0), 10),      // shared by carriers and overlays, RFC 6598
    (Ipv4Addr::new(127, 0, 0, 0), 8),        // loopback, RFC 1122
    (Ipv4Addr::new(169, 254, 0, 0), 16),     // link-local, RFC 3927
    (Ipv4Addr::new(172, 16, 0, 0), 12),      // private, RFC 1918
    (Ipv4Addr::new(192, 0, 0, 0), 24),       // protocol assignments, RFC 6890
    (Ipv4Addr::new(192, 0, 2, 0), 24),       // documentation, RFC 5737
    (Ipv4Addr::new(192, 88, 99, 0), 24),     // 6to4 relays, deprecated by RFC 7526
    (Ipv4Addr::new(192, 168, 0, 0), 16),     // private, RFC 1918
    (Ipv4Addr::new(198, 18, 0, 0), 15),      // benchmarking, RFC 2544
    (Ipv4Addr::new(198, 51, 100, 0), 24),    // documentation, RFC 5737
    (Ipv4Addr::new(203, 0, 113, 0), 24),     // documentation, RFC 5737
    (Ipv4Addr::new(224, 0, 0, 0), 4),        // multicast, RFC 5771
    (Ipv4Addr::new(240, 0, 0, 0), 4),        // reserved, RFC 1112
    (Ipv4Addr::new(255, 255, 255, 255), 32), // limited broadcast, RFC 919
];

/// What v6 may be reached at all, RFC 4291.
const GLOBAL_UNICAST: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

const REFUSED_V6: [(Ipv6Addr, u32); 3] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments with Teredo, RFC 2928
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation, RFC 3849
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation, RFC 9637
];

fn v4(ip: Ipv4Addr) -> bool {
    let bits = ip.to_bits();
    !REFUSED_V4.iter().any(|(net, len)| (net.to_bits() ^ bits).leading_zeros() >= *len)
}

fn v6(ip: Ipv6Addr) -> bool {
    let bits = ip.to_bits();
    let within = |(net, len): &(Ipv6Addr, u32)| (net.to_bits() ^ bits).leading_zeros() >= *len;
    within(&GLOBAL_UNICAST) && !REFUSED_V6.iter().any(within)
}

/// The v4 address that decides in place of this one.
fn embedded(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = ip.segments();
    let joined =
        |high: u16, low: u16| Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low));
    match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0] => Some(joined(g, h)),
        [0x2002, high, low, ..] => Some(joined(high, low)),
        _ => None,
    }
}
