use sovereign_core::prelude::*;

/// Space on one volume, as `df` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, Schema)]
pub struct Volume {
    /// Bytes that programs may still write, without what is reserved for the system.
    pub available_bytes: u64,
    /// Bytes in use.
    pub used_bytes: u64,
    /// Bytes in all, reserved ones included.
    pub total_bytes: u64,
    /// Share in use of what is used or available, rounded up.
    pub used_percent: u8,
}

impl Volume {
    /// From counts of blocks of `block_bytes` each, as `statvfs` (POSIX) gives them: all, free, and
    /// free for programs.
    #[must_use]
    pub fn from_blocks(block_bytes: u64, all: u64, free: u64, available: u64) -> Self {
        let bytes = |blocks: u64| blocks.saturating_mul(block_bytes);
        let used = all.saturating_sub(free);
        Self {
            available_bytes: bytes(available),
            used_bytes: bytes(used),
            total_bytes: bytes(all),
            used_percent: percent(used, used.saturating_add(available)),
        }
    }
}

/// `part` of `whole` in percent, rounded up; nothing of nothing is 0.
pub(crate) fn percent(part: u64, whole: u64) -> u8 {
    let hundredfold = u128::from(part).saturating_mul(100);
    let percent = hundredfold.checked_div(u128::from(whole)).unwrap_or(0);
    let rest = hundredfold.checked_rem(u128::from(whole)).unwrap_or(0);
    let up = percent.saturating_add(u128::from(rest > 0));
    u8::try_from(up.min(100)).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::{Volume, percent};

    #[test]
    fn space_reserved_for_the_system_is_neither_used_nor_available() {
        let volume = Volume::from_blocks(4096, 1000, 400, 350);
        let expected = Volume {
            available_bytes: 350 * 4096,
            used_bytes: 600 * 4096,
            total_bytes: 1000 * 4096,
            used_percent: 64, // 600 / 950 is 63.2 %
        };
        assert_eq!(volume, expected);
    }

    #[test]
    fn percentages_round_up_and_stay_within_their_scale() {
        for (part, whole, expected) in [
            (0, 0, 0),
            (0, 9, 0),
            (1, 1_000_000, 1),
            (1, 2, 50),
            (2, 3, 67),
            (3, 3, 100),
            (4, 3, 100),
            (u64::MAX, u64::MAX, 100),
        ] {
            assert_eq!(percent(part, whole), expected, "{part} of {whole}");
        }
    }
}
