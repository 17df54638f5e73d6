//! Excerpts of bounded length: of a long line only what is around the places that a message points to.
//!
//! The renderer walks all that it is given, so that many messages about one long line would take the square of its length.

use std::borrow::Cow;
use std::ops::Range;

/// Lines of more bytes than this are shown in part.
const LONG: usize = 2_000;

/// The bytes that are shown before and after a place.
const AROUND: usize = 160;

/// The mark of what is left out.
const GAP: &str = " ... ";

/// A text with its long lines cut. `places` are ranges of the text, and become those of the cut one.
pub(super) fn cut<'t>(text: &'t str, places: &mut [Range<usize>]) -> Cow<'t, str> {
    if text.len() <= LONG || text.split('\n').all(|line| line.len() <= LONG) {
        return Cow::Borrowed(text);
    }
    let mut places: Vec<&mut Range<usize>> = places.iter_mut().collect();
    places.sort_by_key(|place| place.start);
    let mut places = places.into_iter().peekable();
    let (mut out, mut start) = (String::new(), 0);
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let mut here = Vec::new();
        while let Some(place) = places.next_if(|place| place.start < end || end == text.len()) {
            here.push(place);
        }
        let parts = parts(text, start..end, &here);
        let mut at = start;
        let mut here = here.into_iter().peekable();
        for part in parts {
            if part.start > at {
                out.push_str(GAP);
            }
            let moved = out.len();
            out.push_str(text.get(part.clone()).unwrap_or(""));
            while let Some(place) = here.next_if(|place| place.start <= part.end) {
                let moved = |offset: usize| offset.clamp(part.start, part.end) - part.start + moved;
                *place = moved(place.start)..moved(place.end);
            }
            at = part.end;
        }
        if line.ends_with('\n') && !out.ends_with('\n') {
            out.push('\n');
        }
        start = end;
    }
    Cow::Owned(out)
}

/// The parts of a line that show the places on it, in order and apart; of a short one all.
fn parts(text: &str, line: Range<usize>, places: &[&mut Range<usize>]) -> Vec<Range<usize>> {
    if line.len() <= LONG {
        return vec![line];
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    let around = places.iter().map(|place| {
        let last = place.end.min(place.start + LONG) + AROUND;
        place.start.saturating_sub(AROUND).max(line.start)..last.min(line.end)
    });
    // The beginning says what a line without any place is.
    let beginning = places.is_empty().then(|| line.start..line.start + AROUND);
    for part in around.chain(beginning) {
        let part = text.floor_char_boundary(part.start)..text.floor_char_boundary(part.end);
        match parts.last_mut() {
            Some(last) if part.start <= last.end => last.end = last.end.max(part.end),
            _ => parts.push(part),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use super::*;

    #[test]
    fn places_stay_what_they_are() {
        let long = format!("tools: {{{}é: {{core: 1}}{}last: 2}}", "x".repeat(5_000), "y".repeat(5_000));
        let text = format!("one: 1\n{long}\ntwo: 2\n{}\n", "z".repeat(3_000));
        let words = ["one", "tools", "core", "last", "two"];
        let mut places: Vec<Range<usize>> =
            words.iter().rev().map(|word| text.find(word).unwrap()..text.find(word).unwrap() + word.len()).collect();
        let cut = cut(&text, &mut places);
        assert!(cut.len() < 2_000 && cut.lines().count() == text.lines().count());
        let found: Vec<&str> = places.iter().rev().map(|place| &cut[place.clone()]).collect();
        assert_eq!(found, words);
        let mut none = Vec::new();
        assert!(matches!(super::cut("short\n", &mut none), Cow::Borrowed("short\n")));
    }
}
