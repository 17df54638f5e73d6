//! Lines that ruamel.yaml accepts further left than `saphyr-parser` does, and a few more places where it asks for blanks.
//!
//! Inside a flow collection or a quoted scalar, ruamel.yaml does not look at the indentation, so that a closing bracket
//! may stand under its key. Blanks put in front of such a line change no value; places are counted back.

use saphyr_parser::ScanError;

/// More blanks than any indentation that could be asked for.
const INDENT: usize = 256;

/// A text with blanks inserted.
#[derive(Debug)]
pub(super) struct Indented {
    /// The text to parse.
    pub(super) text: String,
    /// The places of inserted blanks: offsets in the new text, in order; each stands for [`INDENT`] bytes.
    inserted: Vec<usize>,
}

impl Indented {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), inserted: Vec::new() }
    }

    /// Inserts blanks where the parser stopped; false if the error is of another kind, or the same blanks did not help before.
    pub(super) fn mend(&mut self, error: &ScanError, offset: usize) -> bool {
        let lines = match error.info() {
            "invalid indentation"
            | "invalid indentation in flow construct"
            // A tab that a line of a quoted scalar starts with.
            | "tab cannot be used as indentation" => vec![self.line_start(offset)],
            // A comment right behind a quote or a bracket.
            "comments must be separated from other tokens by whitespace" => vec![offset],
            "invalid indentation in quoted scalar" => self.lines_of_quoted(offset),
            _ => return false,
        };
        let new: Vec<usize> = lines.into_iter().filter(|line| !self.inserted.contains(line)).collect();
        for line in new.iter().rev() {
            self.text.insert_str(*line, &" ".repeat(INDENT));
            for later in self.inserted.iter_mut().filter(|later| **later > *line) {
                *later += INDENT;
            }
        }
        let moved = new.iter().zip(0..).map(|(line, index): (&usize, usize)| line + index * INDENT);
        self.inserted.extend(moved);
        self.inserted.sort_unstable();
        !new.is_empty()
    }

    /// The offset in the original text.
    pub(super) fn original(&self, offset: usize) -> usize {
        let before = self.inserted.partition_point(|&start| start + INDENT <= offset);
        let inside = self.inserted.get(before).filter(|&&start| start < offset);
        inside.copied().unwrap_or(offset) - before * INDENT
    }

    fn line_start(&self, offset: usize) -> usize {
        self.text.get(..offset).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
    }

    /// The starts of all lines but the first of the quoted scalar that starts at `offset`.
    fn lines_of_quoted(&self, offset: usize) -> Vec<usize> {
        let mut lines = Vec::new();
        let mut characters = self.text.get(offset..).unwrap_or("").char_indices().peekable();
        let Some((_, quote)) = characters.next() else { return lines };
        while let Some((at, c)) = characters.next() {
            match c {
                '\n' => lines.push(offset + at + 1),
                // An escaped line end starts a line all the same.
                '\\' if quote == '"' && characters.peek().is_some_and(|(_, next)| *next != '\n') => {
                    characters.next();
                }
                '\'' if quote == '\'' && characters.peek().is_some_and(|(_, next)| *next == '\'') => {
                    characters.next();
                }
                c if c == quote => break,
                _ => {}
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use crate::diagnostic::Diagnostics;
    use crate::source::SourceMap;
    use crate::yaml;
    use crate::yaml::value::ConfigValue;

    fn read(text: &str) -> (String, SourceMap, ConfigValue) {
        let mut sources = SourceMap::new();
        let id = sources.add("f", text);
        let mut problems = Diagnostics::new();
        let document = yaml::load(&sources, id, &mut problems);
        let root = document.unwrap_or_else(|| panic!("{}", problems.render(&sources, false))).root;
        (root.python_repr(), sources, root)
    }

    #[test]
    fn brackets_and_quotes_may_stand_further_left() {
        let cases = [
            ("t:\n  x: {\n a: b\n}\n", "{'t': {'x': {'a': 'b'}}}"),
            ("t:\n  x: [\na,\n  b # c\n]\n  y: [c,\nd]\n", "{'t': {'x': ['a', 'b'], 'y': ['c', 'd']}}"),
            ("t:\n  x: \"a\nb\\\"\n\n c\"\n  y: 'd''\ne'\n", "{'t': {'x': 'a b\"\\nc', 'y': \"d' e\"}}"),
            ("t:\n  x: {\n    k: \"a\nb\"\n}\n", "{'t': {'x': {'k': 'a b'}}}"),
            ("t:\n  x: \"a\n\tb\"# c\n  y: [c]# d\n", "{'t': {'x': 'a b', 'y': ['c']}}"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text).0, expected);
        }
    }

    #[test]
    fn places_are_those_of_the_file() {
        let (_, sources, root) = read("t:\n  é: {\n a: [\n],\n b: here\n}\n  x: there\n");
        let outer = root.as_map().unwrap().get("t").unwrap().as_map().unwrap().clone();
        let here = outer.get("é").unwrap().as_map().unwrap().get("b").unwrap().span;
        assert_eq!((sources.locate(here), sources.text(here)), ("f:5:5".to_owned(), "here"));
        let there = outer.get("x").unwrap().span;
        assert_eq!((sources.locate(there), sources.text(there)), ("f:7:6".to_owned(), "there"));
    }
}
