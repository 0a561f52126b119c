//! Well-known formats of strings, each with its one check.
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A well-known format of a string.
///
/// Unlike in JSON Schema, where `format` is a remark, each of them is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `192.0.2.1`, without leading zeros (RFC 2673 section 3.2).
    Ipv4,
    /// `2001:db8::1`, without a zone (RFC 4291 section 2.2).
    Ipv6,
    /// Either of the two.
    Ip,
    /// `67e55044-10b1-426f-9247-bb680e5fe0c8`, in either case (RFC 9562 section 4).
    Uuid,
    /// `2026-03-31` (RFC 3339 `full-date`).
    Date,
    /// `2026-03-31T12:00:00Z`, with `Z` or an offset (RFC 3339 `date-time`).
    DateTime,
    /// As [`Self::DateTime`], within the years and to the nanosecond that `jiff::Timestamp` holds.
    Timestamp,
    /// `P1DT12H` (RFC 3339 appendix A).
    Duration,
    /// As [`Self::Duration`], within what `jiff::Span` holds.
    Span,
    /// An absolute address with a scheme (RFC 3986 `URI`).
    Uri,
    /// As [`Self::Uri`], when the WHATWG URL Standard can read it too.
    #[cfg(feature = "url")]
    Url,
}

impl Format {
    /// The word that JSON Schema has for it; none for [`Self::Ip`], which is two of them.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Ipv4 => Some("ipv4"),
            Self::Ipv6 => Some("ipv6"),
            Self::Ip => None,
            Self::Uuid => Some("uuid"),
            Self::Date => Some("date"),
            Self::DateTime | Self::Timestamp => Some("date-time"),
            Self::Duration | Self::Span => Some("duration"),
            Self::Uri => Some("uri"),
            #[cfg(feature = "url")]
            Self::Url => Some("uri"),
        }
    }

    /// The same for people and models.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Ipv4 => "an IPv4 address",
            Self::Ipv6 => "an IPv6 address",
            Self::Ip => "an IPv4 or IPv6 address",
            Self::Uuid => "a UUID with hyphens",
            Self::Date => "a date such as 2026-03-31",
            Self::DateTime | Self::Timestamp => {
                "a date and time with an offset, such as 2026-03-31T12:00:00Z"
            }
            Self::Duration | Self::Span => "a duration such as P1DT12H",
            Self::Uri => "an absolute URI",
            #[cfg(feature = "url")]
            Self::Url => "an absolute URL",
        }
    }

    /// Whether `text` is of the format.
    #[must_use]
    pub fn is_match(self, text: &str) -> bool {
        match self {
            Self::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Self::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
            Self::Ip => text.parse::<IpAddr>().is_ok(),
            Self::Uuid => uuid(text),
            Self::Date => date(text),
            Self::DateTime => date_time(text),
            Self::Timestamp => date_time(text) && text.parse::<jiff::Timestamp>().is_ok(),
            Self::Duration => duration(text),
            Self::Span => duration(text) && text.parse::<jiff::Span>().is_ok(),
            Self::Uri => uri(text),
            #[cfg(feature = "url")]
            Self::Url => uri(text) && url::Url::parse(text).is_ok(),
        }
    }
}

fn uuid(text: &str) -> bool {
    let hex =
        |part: &str, len: usize| part.len() == len && part.bytes().all(|b| b.is_ascii_hexdigit());
    let mut parts = text.split('-');
    [8, 4, 4, 4, 12].into_iter().all(|len| parts.next().is_some_and(|part| hex(part, len)))
        && parts.next().is_none()
}

/// A number of exactly `len` digits.
fn number(text: &str, len: usize) -> Option<u32> {
    let digits = text.len() == len && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

fn date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let mut next = |len| parts.next().and_then(|part| number(part, len));
    let (Some(year), Some(month), Some(day)) = (next(4), next(2), next(2)) else { return false };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn date_time(text: &str) -> bool {
    text.split_once(['T', 't']).is_some_and(|(day, rest)| date(day) && time(rest).is_some())
}

/// `12:00:00.5+01:00`; a leap second only where there can be one.
fn time(text: &str) -> Option<()> {
    let (clock, rest) = text.split_at_checked(8)?;
    let mut parts = clock.splitn(3, ':');
    let mut next = |below| parts.next().and_then(|p| number(p, 2)).filter(|n| *n < below);
    let (hour, minute, second) = (next(24)?, next(60)?, next(61)?);
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            (zone.len() < fraction.len()).then_some(zone)?
        }
        None => rest,
    };
    let of_day = |hour: u32, minute: u32| i64::from(hour.saturating_mul(60).saturating_add(minute));
    let behind = match zone {
        "Z" | "z" => 0,
        _ => {
            let (sign, offset) = zone.split_at_checked(1)?;
            let (hours, minutes) = offset.split_once(':')?;
            let hours = number(hours, 2).filter(|n| *n < 24)?;
            let minutes = number(minutes, 2).filter(|n| *n < 60)?;
            match sign {
                "+" => of_day(hours, minutes),
                "-" => of_day(hours, minutes).saturating_neg(),
                _ => return None,
            }
        }
    };
    let utc = of_day(hour, minute).saturating_sub(behind).rem_euclid(1440);
    (second < 60 || utc == 1439).then_some(())
}

/// `P`, then weeks alone, or a date part, a time part, or both. A unit may follow only its next
/// larger one.
fn duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else { return false };
    let (days, times) = match rest.split_once('T') {
        Some((days, times)) => (days, Some(times)),
        None => (rest, None),
    };
    match (days, times) {
        ("", Some(times)) => run_of(times, "HMS"),
        (days, Some(times)) => run_of(days, "YMD") && run_of(times, "HMS"),
        (days, None) => run_of(days, "YMD") || run_of(days, "W"),
    }
}

/// At least one number with its unit, the units being a stretch of `units` without a gap.
fn run_of(mut text: &str, units: &str) -> bool {
    let mut found = String::new();
    while !text.is_empty() {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let mut chars = rest.chars();
        match chars.next() {
            Some(unit) if rest.len() < text.len() => found.push(unit),
            _ => return false,
        }
        text = chars.as_str();
    }
    !found.is_empty() && units.contains(&found)
}

fn uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let mut letters = scheme.bytes();
    if !letters.next().is_some_and(|b| b.is_ascii_alphabetic())
        || !letters.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    {
        return false;
    }
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (hierarchy, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = match hierarchy.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let Some((authority, path)) = rest.split_at_checked(end) else { return false };
            if !is_authority(authority) {
                return false;
            }
            path
        }
        None => hierarchy,
    };
    made_of(path, b":@/") && made_of(query, b":@/?") && made_of(fragment, b":@/?")
}

fn is_authority(text: &str) -> bool {
    let (user, host_and_port) = text.split_once('@').unwrap_or(("", text));
    if !made_of(user, b":") {
        return false;
    }
    let (host_fits, port) = match host_and_port.strip_prefix('[') {
        Some(rest) => {
            let Some((literal, after)) = rest.split_once(']') else { return false };
            let port = match after.strip_prefix(':') {
                Some(port) => port,
                None if after.is_empty() => "",
                None => return false,
            };
            (is_ip_literal(literal), port)
        }
        None => {
            let (host, port) = host_and_port.split_once(':').unwrap_or((host_and_port, ""));
            (made_of(host, b""), port)
        }
    };
    host_fits && port.bytes().all(|b| b.is_ascii_digit())
}

fn is_ip_literal(text: &str) -> bool {
    match text.strip_prefix(['v', 'V']).and_then(|rest| rest.split_once('.')) {
        Some((version, address)) => {
            !version.is_empty()
                && version.bytes().all(|b| b.is_ascii_hexdigit())
                && !address.is_empty()
                && !address.contains('%')
                && made_of(address, b":")
        }
        None => text.parse::<Ipv6Addr>().is_ok(),
    }
}

/// Only unreserved characters, sub-delimiters, percent-encoded bytes, and `more`.
fn made_of(text: &str, more: &[u8]) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let fits = match byte {
            b'%' => [bytes.next(), bytes.next()]
                .into_iter()
                .all(|b| b.is_some_and(|b| b.is_ascii_hexdigit())),
            _ => {
                byte.is_ascii_alphanumeric()
                    || b"-._~!$&'()*+,;=".contains(&byte)
                    || more.contains(&byte)
            }
        };
        if !fits {
            return false;
        }
    }
    true
}

#[cfg(test)]
#[path = "format_tests.rs"]
mod tests;
