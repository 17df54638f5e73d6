//! Tags for maps that were given none.

use super::Error;
use super::store::random;

const FIRST: [&str; 64] = [
    "amber", "autumn", "azure", "bold", "brave", "bright", "brisk", "bronze", "calm", "clear", "clever", "cobalt",
    "copper", "coral", "crimson", "crisp", "daring", "deep", "dry", "eager", "early", "even", "fair", "fast", "fine",
    "firm", "fresh", "gentle", "gold", "grand", "green", "happy", "hazel", "indigo", "ivory", "keen", "kind", "large",
    "late", "light", "lively", "lucky", "mellow", "mild", "misty", "noble", "olive", "pale", "plain", "proud", "quick",
    "quiet", "rapid", "scarlet", "sharp", "silent", "silver", "smooth", "steady", "sunny", "swift", "velvet", "warm",
    "wise",
];
const SECOND: [&str; 64] = [
    "badger", "bay", "birch", "bison", "brook", "canyon", "cedar", "cliff", "cloud", "comet", "coast", "crane",
    "creek", "delta", "dune", "eagle", "falcon", "fern", "field", "finch", "fjord", "forest", "fox", "garden",
    "glacier", "grove", "harbor", "hawk", "heron", "hill", "island", "jay", "lagoon", "lake", "lark", "lynx", "maple",
    "marsh", "meadow", "moon", "moss", "oak", "ocean", "orchid", "otter", "owl", "peak", "pine", "plover", "pond",
    "prairie", "raven", "reef", "ridge", "river", "robin", "shore", "sparrow", "spring", "stone", "summit", "tern",
    "valley", "willow",
];

/// Two words: `quiet-river`.
///
/// # Errors
/// The system has no random bytes.
pub fn tag() -> Result<String, Error> {
    let number = random::number()?;
    let word = |words: &[&'static str; 64], shift: u32| {
        words.get((number >> shift & 63) as usize).copied().unwrap_or_default()
    };
    Ok(format!("{}-{}", word(&FIRST, 0), word(&SECOND, 6)))
}
