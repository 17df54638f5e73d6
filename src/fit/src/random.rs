//! Random numbers that are the same on every machine, for intervals and samples: SplitMix64.

/// A stream of random numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// An index below a count, 0 of none.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let product = u128::from(self.next()) * (count as u128);
        usize::try_from(product >> 64).unwrap_or_default()
    }
}

/// A number whose bits all depend on those of another.
pub(crate) fn mixed(number: u64) -> u64 {
    let mut z = number;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
