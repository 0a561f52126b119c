use crate::entropy::{Entropy, EntropyError};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that repeat from run to run: ids and tokens of a test are always the same.
#[derive(Debug, Default)]
pub struct CountedEntropy(AtomicU64);

impl Entropy for CountedEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        for chunk in bytes.chunks_mut(8) {
            // SplitMix64, so that equal counts do not show
            let mut x = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
            x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            let random = (x ^ (x >> 31)).to_le_bytes();
            chunk.iter_mut().zip(random).for_each(|(to, from)| *to = from);
        }
        Ok(())
    }
}
