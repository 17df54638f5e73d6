//! Short texts that are repeated in a file share one allocation: field names, numbers in quotes, tags.

use std::sync::Arc;

/// The longest text that is looked up, in bytes.
const LONGEST: usize = 24;

/// The number of texts kept.
const KEPT: usize = 256;

/// The last short texts, each in the slot of its hash.
pub(super) struct ShortTexts(Vec<Option<Arc<str>>>);

impl ShortTexts {
    pub(super) fn new() -> Self {
        Self(vec![None; KEPT])
    }

    /// The text, shared with an earlier one where that is still kept.
    pub(super) fn share(&mut self, text: &str) -> Arc<str> {
        if text.len() > LONGEST {
            return text.into();
        }
        let hash = text.bytes().fold(text.len(), |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        let Some(place) = self.0.get_mut(hash % KEPT) else { return text.into() };
        match place {
            Some(kept) if **kept == *text => kept.clone(),
            _ => place.insert(text.into()).clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_short_texts_are_one() {
        let mut texts = ShortTexts::new();
        let first = texts.share("cores");
        assert!(Arc::ptr_eq(&first, &texts.share("cores")));
        let long = "x".repeat(LONGEST + 1);
        assert!(!Arc::ptr_eq(&texts.share(&long), &texts.share(&long)));
    }

    #[test]
    fn texts_at_one_place_stay_apart() {
        let mut texts = ShortTexts::new();
        for number in 0..10_000 {
            let text = number.to_string();
            assert_eq!(&*texts.share(&text), text);
        }
    }
}
