//! Types that are a string of a well-known format in JSON.
use super::spell::quoted;
use crate::schema::violation::code;
use crate::schema::{Arg, Format, Node, Reader, Schema, Stop};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Parsing what is of the format cannot fail.
macro_rules! formats {
    ($($(#[$attribute:meta])* $t:ty = $format:ident;)*) => {$(
        $(#[$attribute])*
        impl Schema for $t {
            const NODE: Node = Node::TEXT.format(Format::$format);
        }
        $(#[$attribute])*
        impl Arg for $t {
            fn decode(r: &mut Reader<'_>, n: &Node) -> Result<Self, Stop> {
                let text = r.text(n)?;
                text.parse().map_err(|_| r.fail(code::FORMAT, &Self::NODE))
            }
            fn spelled(&self) -> Option<String> {
                Some(quoted(&self.to_string()))
            }
        }
    )*};
}
formats! {
    Ipv4Addr = Ipv4;
    Ipv6Addr = Ipv6;
    IpAddr = Ip;
    jiff::Timestamp = Timestamp;
    jiff::civil::Date = Date;
    jiff::Span = Span;
    #[cfg(feature = "url")]
    url::Url = Url;
    #[cfg(feature = "uuid")]
    uuid::Uuid = Uuid;
}
