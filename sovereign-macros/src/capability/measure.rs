//! Quantities with their unit in the text: `"10s"`, `"64KiB"`.

/// One kind of quantity: its units and its limits, in the smallest unit.
#[derive(Debug)]
pub(super) struct Measure {
    units: &'static [(&'static str, u64)],
    max: u64,
    /// For messages.
    max_text: &'static str,
    example: &'static str,
}

/// Milliseconds. A person waits for the answer, so there is an end.
pub(super) const TIME: Measure = Measure {
    units: &[("ms", 1), ("s", 1000), ("m", 60_000)],
    max: 600_000,
    max_text: "10m",
    example: "10s",
};

/// Bytes. A result has to fit into a model's context.
pub(super) const SIZE: Measure = Measure {
    units: &[("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20)],
    max: 1 << 20,
    max_text: "1MiB",
    example: "64KiB",
};

impl Measure {
    /// The amount in the smallest unit, or what is wrong with the text.
    pub(super) fn read(&self, key: &str, text: &str) -> Result<u64, String> {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        let unit = text.strip_prefix(&digits).unwrap_or_default().trim();
        let factor = self.units.iter().find(|(u, _)| *u == unit).map(|(_, factor)| *factor);
        let (Some(factor), false) = (factor, digits.is_empty()) else {
            let units: Vec<_> = self.units.iter().map(|(u, _)| *u).collect();
            return Err(format!(
                "`{text}` is not a {key}: a whole number and one of {}, such as \"{}\"",
                crate::suggest::list(&units),
                self.example,
            ));
        };
        // More digits than fit are too many in any case.
        let amount = digits.parse::<u64>().unwrap_or(u64::MAX).saturating_mul(factor);
        match amount {
            0 => Err(format!("`{key}` cannot be nothing: bounds can be set but not removed")),
            n if n > self.max => {
                Err(format!("`{key}` is at most \"{}\", and this is `{text}`", self.max_text))
            }
            n => Ok(n),
        }
    }

    pub(super) const fn example(&self) -> &'static str {
        self.example
    }
}

#[cfg(test)]
#[path = "measure_tests.rs"]
mod tests;
