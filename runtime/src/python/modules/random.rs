//! `random`: CPython's Mersenne Twister.

/// The generator, seeded on first use.
#[derive(Clone, Default)]
pub struct MersenneTwister {}
