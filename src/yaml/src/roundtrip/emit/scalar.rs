//! Scalars: the choice of their style, and their tags and comments.

use super::{Emitter, Start};
use crate::read::comment::Before;
use crate::resolve::resolve;
use crate::roundtrip::error::Result;
use crate::style::ScalarStyle;
use crate::tag::{YAML_TAGS, prepare_tag};
use crate::write::analysis::Analysis;

/// A scalar as it will be written.
pub(super) struct Chosen {
    text: String,
    style: ScalarStyle,
}

/// Returns whether the tag can be left out: of a plain scalar, of another one.
fn implicit(start: &Start, text: &str) -> (bool, bool) {
    let kind = start.tag.kind();
    (kind == Some(resolve(text).name()), kind == Some("str"))
}

impl Emitter<'_> {
    /// Chooses the style of a scalar, and writes its tag if it needs one.
    pub(super) fn write_scalar_tag(&mut self, start: &Start, text: &str, style: ScalarStyle) -> Result<Chosen> {
        if start.in_set && text.is_empty() && start.tag.kind() == Some("null") {
            // The null behind each key of a set is not written; one that is a key has nothing but its tag.
            let style = if self.context.simple_key { ScalarStyle::DoubleQuoted } else { ScalarStyle::Plain };
            if style == ScalarStyle::DoubleQuoted {
                self.writer.write_indicator("!!null", true, false, false);
            }
            return Ok(Chosen { text: String::new(), style });
        }
        let mut chosen = Chosen { text: text.to_owned(), style: self.choose(start, text, text, style) };
        if text.is_empty() && chosen.style == ScalarStyle::SingleQuoted && start.tag.kind() == Some("null") {
            "null".clone_into(&mut chosen.text);
            self.analysis = None;
            chosen.style = self.choose(start, text, "null", style);
        }
        let (plain, other) = implicit(start, text);
        if if chosen.style == ScalarStyle::Plain { plain } else { other } {
            return Ok(chosen);
        }
        self.writer.write_indicator(&prepare_tag(&start.tag.name()), true, false, false);
        if self.context.sequence && !self.in_flow() {
            self.writer.no_newline = true;
        }
        Ok(chosen)
    }

    /// The style for a text; `resolved` is the text that decides whether the tag can be left out.
    fn choose(&mut self, start: &Start, resolved: &str, text: &str, style: ScalarStyle) -> ScalarStyle {
        let analysis = *self.analysis.get_or_insert_with(|| Analysis::of(text));
        let (in_flow, key) = (self.in_flow(), self.context.simple_key);
        let chosen = match style {
            ScalarStyle::Plain => {
                let (plain, _) = implicit(start, resolved);
                analysis.choose(text, plain || !start.tag.name().starts_with(YAML_TAGS), in_flow, key)
            }
            ScalarStyle::SingleQuoted if analysis.can_be_single_quoted(key) => style,
            ScalarStyle::Literal | ScalarStyle::Folded if !in_flow && !key => style,
            _ => ScalarStyle::DoubleQuoted,
        };
        // ruamel.yaml marks parts of a set in a way that its choice of single quotes does not know.
        if chosen == ScalarStyle::SingleQuoted && start.in_set { ScalarStyle::DoubleQuoted } else { chosen }
    }

    /// Writes a scalar and the comment after it.
    pub(super) fn scalar(&mut self, start: &Start, chosen: Chosen) -> Result<()> {
        let Chosen { text, style } = chosen;
        self.writer.increase_indent(true, false, false);
        let split = !self.context.simple_key;
        if self.context.sequence && !self.in_flow() {
            self.writer.write_indent();
        }
        let slots = start.slots.as_ref();
        let after = slots.and_then(|slots| slots.after);
        let header = match slots.and_then(|slots| slots.before.as_ref()).and_then(|before| before.first()) {
            Some(Before::Header(header)) => header,
            _ => "",
        };
        let chars: Vec<char> = text.chars().collect();
        match style {
            ScalarStyle::DoubleQuoted => self.writer.write_double_quoted(&chars, split),
            ScalarStyle::SingleQuoted => self.writer.write_single_quoted(&chars, split),
            ScalarStyle::Folded => self.writer.write_folded(&chars, header)?,
            ScalarStyle::Literal => self.writer.write_literal(&chars, header),
            // In quotes a time would be a text. Nothing else but texts has several words.
            ScalarStyle::Plain if self.context.simple_key && start.tag.kind() != Some("timestamp") => {
                self.writer.write_plain_key(&chars);
            }
            ScalarStyle::Plain => self.writer.write_plain(&chars, split),
        }
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded)
            && let Some(comment) = after.and_then(|after| self.comments.get_mut(after))
        {
            // A comment behind the text must not stand so far right as to become a part of it.
            let indent = self.writer.indent.and_then(|indent| isize::try_from(indent).ok()).unwrap_or(0);
            comment.column = comment.column.min(indent - 1);
        }
        self.analysis = None;
        self.write_after(after)?;
        self.writer.decrease_indent();
        Ok(())
    }
}
