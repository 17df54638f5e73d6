//! Random numbers for tests: SplitMix64, the same on every machine. And the part of a long test that runs.

/// A stream of random numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `bound`, exclusive.
    pub fn below(&mut self, bound: u32) -> u32 {
        (self.next() % u64::from(bound)) as u32
    }

    /// True once in `count` times.
    pub fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u32) as usize]
    }
}

/// The number that a variable of the environment has, or `default`.
#[allow(clippy::panic, reason = "the unit tests of some crates have this file, too")]
pub fn setting(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is {text:?}")))
}

/// Returns `true` if long tests run whole: with `TPVC_THOROUGH=1`, as `.ci/run` has it.
fn is_thorough() -> bool {
    std::env::var_os("TPVC_THOROUGH").is_some()
}

/// The number of rounds of a random test: what the variable says, or else a fifth of `all`; in a thorough run all.
pub fn rounds(variable: &str, all: u64) -> u64 {
    setting(variable, if is_thorough() { all } else { all.div_ceil(5) })
}

/// The least number of something that a test must have seen: `all` in a thorough run, else a fifth.
pub fn at_least(all: usize) -> usize {
    if is_thorough() { all } else { all / 5 }
}

/// Of many cases that are tried in the same way a fifth, from the case `first` modulo 5 on; in a thorough run all.
pub fn a_fifth<T>(cases: impl IntoIterator<Item = T>, first: usize) -> impl Iterator<Item = T> {
    let (skipped, step) = if is_thorough() { (0, 1) } else { (first % 5, 5) };
    cases.into_iter().skip(skipped).step_by(step)
}
