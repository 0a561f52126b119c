//! What a field's name says of its number.
use jiff::Timestamp;

/// A field's name for people, without its unit: `free_bytes` is `free`.
pub(super) fn label(name: &str) -> String {
    let stem = match name.rsplit_once('_') {
        Some((stem, unit)) if !stem.is_empty() && Unit::named(unit).is_some() => stem,
        _ => name,
    };
    stem.replace('_', " ")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    Percent,
    Seconds,
    Milliseconds,
    Celsius,
    At,
}

impl Unit {
    fn named(suffix: &str) -> Option<Self> {
        match suffix {
            "bytes" => Some(Self::Bytes),
            "percent" | "percentage" => Some(Self::Percent),
            "seconds" => Some(Self::Seconds),
            "ms" => Some(Self::Milliseconds),
            "celsius" => Some(Self::Celsius),
            "at" => Some(Self::At),
            _ => None,
        }
    }
}

/// A number of a field with this name; `number` is its JSON text.
pub(super) fn measured(name: &str, number: &str) -> String {
    let unit = Unit::named(name.rsplit('_').next().unwrap_or(name));
    let whole: Option<u64> = number.parse().ok();
    match (unit, whole) {
        (Some(Unit::Bytes), Some(bytes)) => size(bytes),
        (Some(Unit::Bytes), None) => format!("{number} bytes"),
        (Some(Unit::Seconds), Some(seconds)) => span(seconds),
        (Some(Unit::Seconds), None) => format!("{number} s"),
        (Some(Unit::Milliseconds), Some(ms)) if ms >= 1000 => {
            format!("{}.{:03} s ({ms} ms)", ms / 1000, ms % 1000)
        }
        (Some(Unit::Milliseconds), _) => format!("{number} ms"),
        (Some(Unit::Percent), _) => format!("{} %", short(number)),
        (Some(Unit::Celsius), _) => format!("{} °C", short(number)),
        (Some(Unit::At), _) => moment(number),
        (None, _) => number.to_owned(),
    }
}

/// `1.5 GiB (1610612736 bytes)`; rounded down, so that free space is never overstated.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut scaled = None;
    let mut unit_bytes: u64 = 1;
    for unit in UNITS {
        unit_bytes = unit_bytes.saturating_mul(1024);
        if bytes < unit_bytes {
            break;
        }
        scaled = Some((unit_bytes, unit));
    }
    let Some((unit_bytes, unit)) = scaled else { return format!("{bytes} bytes") };
    let tenths = u128::from(bytes).saturating_mul(10).checked_div(unit_bytes.into()).unwrap_or(0);
    format!("{}.{} {unit} ({bytes} bytes)", tenths / 10, tenths % 10)
}

/// `2 d 3 h 4 min (183845 s)`: no smaller part than the minute, from a minute on.
fn span(seconds: u64) -> String {
    if seconds < 60 {
        return format!("{seconds} s");
    }
    let parts = [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min")];
    let parts = parts.iter().filter(|(n, _)| *n > 0).map(|(n, unit)| format!("{n} {unit}"));
    format!("{} ({seconds} s)", parts.collect::<Vec<_>>().join(" "))
}

/// At most one decimal place.
fn short(number: &str) -> String {
    match number.parse::<f64>() {
        Ok(n) if number.contains(['.', 'e', 'E']) && n.abs() < 1e9 => format!("{n:.1}"),
        _ => number.to_owned(),
    }
}

/// Seconds since 1970 as a time (RFC 3339).
fn moment(number: &str) -> String {
    let at = number.parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    at.map_or_else(|| number.to_owned(), |at| format!("{at} ({number})"))
}

#[cfg(test)]
mod tests {
    use super::{label, measured};

    #[test]
    fn units_come_from_names() {
        for (name, number, shown) in [
            ("free_bytes", "0", "0 bytes"),
            ("free_bytes", "1023", "1023 bytes"),
            ("free_bytes", "1024", "1.0 KiB (1024 bytes)"),
            ("free_bytes", "1610612736", "1.5 GiB (1610612736 bytes)"),
            ("free_bytes", "1099511627775", "1023.9 GiB (1099511627775 bytes)"),
            ("bytes", "18446744073709551615", "15.9 EiB (18446744073709551615 bytes)"),
            ("free_bytes", "-1", "-1 bytes"),
            ("used_percent", "42.857142857142854", "42.9 %"),
            ("used_percent", "42", "42 %"),
            ("uptime_seconds", "59", "59 s"),
            ("uptime_seconds", "183845", "2 d 3 h 4 min (183845 s)"),
            ("uptime_seconds", "3600", "1 h (3600 s)"),
            ("latency_ms", "12", "12 ms"),
            ("latency_ms", "2050", "2.050 s (2050 ms)"),
            ("temperature_celsius", "41.25", "41.2 °C"),
            ("checked_at", "0", "1970-01-01T00:00:00Z (0)"),
            ("checked_at", "99999999999999999999", "99999999999999999999"),
            ("count", "12345678901234567890123", "12345678901234567890123"),
        ] {
            assert_eq!(measured(name, number), shown, "{name} {number}");
        }
    }

    #[test]
    fn a_label_leaves_the_unit_out() {
        assert_eq!(label("free_bytes"), "free");
        assert_eq!(label("data_storage"), "data storage");
        assert_eq!(label("bytes"), "bytes");
        assert_eq!(label("checked_at"), "checked");
    }
}
