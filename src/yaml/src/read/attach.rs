//! Moves the comments of tokens that do not become nodes.

use super::comment::{CommentId, Slots};
use super::fault::Result;
use super::scan::{Scanner, lost};
use super::token::{Kind, Token};

/// Moves the comments of a token that is gone to the next one; `of_value` where they are those of a `:` with a value.
pub(super) fn move_comments(token: &mut Token<'_>, scanner: &mut Scanner<'_>, of_value: bool) -> Result<()> {
    let start = token.start;
    let target = scanner.peek()?;
    if matches!(target.kind, Kind::StreamEnd | Kind::DocumentStart) {
        return Ok(());
    }
    let Some(mut slots) = token.slots.take() else { return Ok(()) };
    let Some(there) = &mut target.slots else {
        if of_value {
            slots.moved = Some(slots.after);
        }
        target.slots = Some(slots);
        return Ok(());
    };
    let both_after = slots.after.is_some() && there.after.is_some();
    let here_before = slots.before.as_ref().is_some_and(|before| !before.is_empty());
    let there_before = there.before.as_ref().is_some_and(|before| !before.is_empty());
    if both_after && !(slots.before.is_some() && there.before.is_some()) {
        return Err(lost(start));
    }
    if (both_after || here_before && there_before)
        && let (Some(before), Some(more)) = (&mut slots.before, &there.before)
    {
        before.extend(more.iter().cloned());
    }
    if slots.after.is_some() {
        there.after = slots.after;
    }
    if slots.before.as_ref().is_some_and(|before| !before.is_empty()) {
        there.before = slots.before;
    }
    Ok(())
}

/// The comments of the first `-` of a sequence that is not indented go to the sequence.
pub(super) fn for_indentless(token: &mut Token<'_>) -> Option<Box<Slots>> {
    let slots = token.slots.as_mut()?;
    let after: Option<CommentId> = slots.after.take();
    if after.is_some() {
        return Some(Box::new(Slots { after, before: Some(Vec::new()), ..Slots::default() }));
    }
    let before = slots.before.take_if(|before| !before.is_empty());
    before.map(|before| Box::new(Slots { before: Some(before), ..Slots::default() }))
}

/// The comments of a sequence that is indented.
pub(super) fn for_sequence(token: &Token<'_>) -> Option<Box<Slots>> {
    let slots = token.slots.as_ref()?;
    if slots.before.is_some() {
        return Some(slots.clone());
    }
    slots.after.map(|after| Box::new(Slots { after: Some(after), ..Slots::default() }))
}
