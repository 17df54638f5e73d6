//! The Mersenne Twister (MT19937), bit for bit as CPython's `Modules/_randommodule.c` seeds and reads it.
//!
//! The package `rand_mt` does not fit: it hides its state, which native blocks share with those in CPython (`random.getstate`), and
//! generates all 624 words even if a job draws one number.

use std::sync::LazyLock;

use num_bigint::{BigInt, BigUint};
use smallvec::SmallVec;

const N: usize = 624;
const M: usize = 397;
const MATRIX_A: u32 = 0x9908_b0df;
const UPPER_MASK: u32 = 0x8000_0000;
const LOWER_MASK: u32 = 0x7fff_ffff;

/// `init_genrand(19650218)`: what seeding begins with.
const FIRST_WORDS: [u32; N] = {
    let mut words = [0; N];
    let mut previous: u32 = 19_650_218;
    let mut rest: &mut [u32] = &mut words;
    let mut index = 0;
    while let Some((first, others)) = rest.split_first_mut() {
        if index > 0 {
            previous = 1_812_433_253_u32.wrapping_mul(previous ^ (previous >> 30)).wrapping_add(index);
        }
        *first = previous;
        index += 1;
        rest = others;
    }
    words
};

/// One of the two passes of `init_by_array`: mixes `count` words from `start` on with those before them, around and around;
/// the last becomes the first at each turn. Gives where it ended.
fn mix(words: &mut [u32], start: usize, count: usize, factor: u32, mut add: impl FnMut(u32) -> u32) -> usize {
    let Some(before) = start.checked_sub(1) else { return start };
    let mut previous = words.get(before).copied().unwrap_or_default();
    let (mut start, mut left) = (start, count);
    while left > 0 {
        let end = words.len().min(start + left);
        let turn = words.get_mut(start..end).unwrap_or_default();
        left -= turn.len().max(1);
        for (slot, index) in turn.iter_mut().zip(u32::try_from(start).unwrap_or_default()..) {
            previous = (*slot ^ (previous ^ (previous >> 30)).wrapping_mul(factor)).wrapping_add(add(index));
            *slot = previous;
        }
        start = end;
        if start >= words.len() {
            if let Some(first) = words.first_mut() {
                *first = previous;
            }
            start = 1;
        }
    }
    start
}

/// The seed of a generator that was never seeded.
///
/// DIFFERENCE: CPython takes entropy from the system. A mapping must give the same answer each time, so the seed is fixed.
pub const DEFAULT_SEED: u64 = 0;

/// The words of [`DEFAULT_SEED`]. Jobs without a seed all begin with them.
static UNSEEDED: LazyLock<Vec<u32>> = LazyLock::new(|| {
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of the number")]
    let key = [DEFAULT_SEED as u32, (DEFAULT_SEED >> 32) as u32];
    let mut words = Vec::new();
    init_by_array(&mut words, &key);
    words
});

/// Makes the words of a key.
fn init_by_array(words: &mut Vec<u32>, key: &[u32]) {
    // The key is the number's words without leading zeros, one zero for nothing.
    let length = key.iter().rposition(|word| *word != 0).map_or(1, |last| last + 1);
    let key = key.get(..length).unwrap_or(&[0]);
    words.clear();
    words.extend_from_slice(&FIRST_WORDS);
    let next = match key {
        // Most seeds are numbers of one word, which needs no counting.
        [word] => mix(words, 1, N, 1_664_525, |_| *word),
        _ => {
            let keys: Vec<u32> = (0..).zip(key).map(|(j, word)| word.wrapping_add(j)).collect();
            let mut turns = keys.iter().cycle();
            mix(words, 1, N.max(key.len()), 1_664_525, |_| turns.next().copied().unwrap_or_default())
        }
    };
    mix(words, next, N - 1, 1_566_083_941, u32::wrapping_neg);
    if let Some(first) = words.first_mut() {
        *first = 0x8000_0000;
    }
}

/// The generator. Setting the seed only notes it; the 624 words are made on first use.
#[derive(Clone)]
pub struct MersenneTwister {
    /// The words of the seed; `None` if it was never seeded.
    seed: Option<SmallVec<[u32; 4]>>,
    /// Empty until first use after seeding.
    words: Vec<u32>,
    /// The next word to read.
    index: usize,
    /// The number of words that belong to the current block; the others are from the previous one.
    twisted: usize,
    /// `true` if `words` are those of `seed`.
    ready: bool,
}

impl Default for MersenneTwister {
    fn default() -> Self {
        Self { seed: None, words: Vec::new(), index: N, twisted: N, ready: false }
    }
}

impl MersenneTwister {
    /// `random.seed(seed)` of an int of any size; the sign does not count.
    pub fn set_big_seed(&mut self, seed: &BigInt) {
        self.set_magnitude(seed.magnitude());
    }

    /// Seeds with a number that is not negative.
    pub fn set_magnitude(&mut self, seed: &BigUint) {
        self.note(Some(seed.iter_u32_digits().collect()));
    }

    /// Makes this a generator that was never seeded.
    pub fn reset(&mut self) {
        self.note(None);
    }

    /// Returns `true` if a number was drawn since it was seeded.
    pub fn is_drawn(&self) -> bool {
        self.ready
    }

    /// The state as CPython's `random.getstate` has it: the 624 words, and the index of the next.
    pub fn state(&mut self) -> (&[u32], usize) {
        if !self.ready {
            self.make_words();
        }
        self.twist(N);
        (&self.words, self.index)
    }

    /// Takes up a state that CPython's `random.getstate` gave; one of another form changes nothing.
    pub fn set_state(&mut self, words: Vec<u32>, index: usize) {
        if words.len() == N && index <= N {
            *self = Self { seed: None, words, index, twisted: N, ready: true };
        }
    }

    fn note(&mut self, seed: Option<SmallVec<[u32; 4]>>) {
        self.seed = seed;
        self.ready = false;
    }

    /// Makes the words of the seed.
    fn make_words(&mut self) {
        match &self.seed {
            Some(key) => init_by_array(&mut self.words, key),
            None => self.words.clone_from(&UNSEEDED),
        }
        self.index = N;
        self.twisted = N;
        self.ready = true;
    }

    /// Makes the words of the present block up to this one out of those of the last block. Most jobs draw few numbers.
    fn twist(&mut self, end: usize) {
        let word = |words: &[u32], index: usize| words.get(index).copied().unwrap_or_default();
        for index in self.twisted..end {
            let y = (word(&self.words, index) & UPPER_MASK) | (word(&self.words, (index + 1) % N) & LOWER_MASK);
            let matrix = if y & 1 == 0 { 0 } else { MATRIX_A };
            let value = word(&self.words, (index + M) % N) ^ (y >> 1) ^ matrix;
            if let Some(slot) = self.words.get_mut(index) {
                *slot = value;
            }
        }
        self.twisted = self.twisted.max(end);
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        if !self.ready {
            self.make_words();
        }
        if self.index >= N {
            self.index = 0;
            self.twisted = 0;
        }
        self.twist(self.index + 1);
        let mut y = self.words.get(self.index).copied().unwrap_or_default();
        self.index += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// `random.random()`: a float in [0, 1) of 53 bits.
    pub fn random(&mut self) -> f64 {
        let high = f64::from(self.next_u32() >> 5);
        let low = f64::from(self.next_u32() >> 6);
        (high * 67_108_864.0 + low) * (1.0 / 9_007_199_254_740_992.0)
    }

    /// `random.getrandbits(bits)` for up to 64 bits.
    pub fn bits_u64(&mut self, bits: u32) -> u64 {
        match bits {
            0 => 0,
            1..=32 => u64::from(self.next_u32() >> (32 - bits)),
            _ => {
                let low = u64::from(self.next_u32());
                let high = u64::from(self.next_u32() >> (64 - bits.min(64)));
                low | (high << 32)
            }
        }
    }

    /// `random.getrandbits(bits)`
    pub fn bits(&mut self, bits: u64) -> BigUint {
        let mut words = Vec::new();
        let mut left = bits;
        while left > 0 {
            let word = self.next_u32();
            let shift = u32::try_from(32_u64.saturating_sub(left)).unwrap_or(0);
            words.push(word >> shift);
            left = left.saturating_sub(32);
        }
        BigUint::new(words)
    }

    /// An int from 0 up to, not including, `bound`, which is not zero: `Random._randbelow`.
    pub fn below(&mut self, bound: u64) -> u64 {
        let bits = u64::BITS - bound.leading_zeros();
        loop {
            let candidate = self.bits_u64(bits);
            if candidate < bound {
                return candidate;
            }
            if bound == 0 {
                return 0;
            }
        }
    }

    /// [`MersenneTwister::below`] for a bound of any size.
    pub fn below_big(&mut self, bound: &BigUint) -> BigUint {
        loop {
            let candidate = self.bits(bound.bits());
            if candidate < *bound || bound.bits() == 0 {
                return candidate;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unseeded_generator_is_that_of_the_default_seed() {
        let (mut unseeded, mut seeded) = (MersenneTwister::default(), MersenneTwister::default());
        seeded.set_magnitude(&BigUint::from(DEFAULT_SEED));
        assert!((0..1300).all(|_| unseeded.next_u32() == seeded.next_u32()));
        unseeded.reset();
        seeded.set_magnitude(&BigUint::from(DEFAULT_SEED));
        assert!((0..700).all(|_| unseeded.next_u32() == seeded.next_u32()));
    }

    #[test]
    fn a_state_goes_on_where_it_was() {
        for drawn in [0, 1, 623, 624, 700] {
            let mut first = MersenneTwister::default();
            first.set_magnitude(&BigUint::from(7_u32));
            for _ in 0..drawn {
                first.next_u32();
            }
            let (words, index) = first.state();
            let mut second = MersenneTwister::default();
            second.set_state(words.to_vec(), index);
            for _ in 0..700 {
                assert_eq!(first.next_u32(), second.next_u32());
            }
        }
    }
}
