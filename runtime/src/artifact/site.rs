//! Sites: where the texts of a config stand in its files, to each line and column of them.

use bincode::{Decode, Encode};

/// A place in a config file, and how the text there is written.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Site {
    /// Index in [`super::tables::Tables::sources`].
    pub source: u32,
    /// The line of the text's first line, from 1.
    pub line: u32,
    /// The column of the text's first character, from 1, in characters. If `pieces` is empty, each line of the text
    /// stands below the one before and starts in this column: as `|` blocks do, and what is on one line.
    pub column: u32,
    /// The pieces that a text of any other style was joined from, in the order of the text.
    pub pieces: Vec<Piece>,
}

/// A part of a text that stands in the file as it is read: it ends where the next one starts, or its line ends. All numbers
/// count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Piece {
    /// Line in the text.
    pub text_line: u32,
    /// Column in the text.
    pub text_column: u32,
    /// Line in the file.
    pub line: u32,
    /// Column in the file.
    pub column: u32,
}

impl Site {
    /// The place in the file of a line and column of the text (both from 1).
    pub fn locate(&self, line: u32, column: u32) -> (u32, u32) {
        if self.pieces.is_empty() {
            let down = line.saturating_sub(1);
            return (self.line.saturating_add(down), self.column.saturating_add(column.saturating_sub(1)));
        }
        let after = self.pieces.partition_point(|piece| (piece.text_line, piece.text_column) <= (line, column));
        match after.checked_sub(1).and_then(|index| self.pieces.get(index)) {
            None => (self.line, self.column),
            Some(piece) if piece.text_line < line => (piece.line, piece.column),
            Some(piece) => (piece.line, piece.column.saturating_add(column.saturating_sub(piece.text_column))),
        }
    }

    /// A line of the file, as far as `text`, which stands here, tells it: what else is on the line is left blank. `None`
    /// if the text has nothing there, or is further to the right than anyone reads.
    pub fn file_line(&self, text: &str, wanted: u32) -> Option<String> {
        let mut found = String::new();
        let lines = text.split('\n').zip(1u32..);
        if self.pieces.is_empty() {
            let (line, _) = lines.clone().find(|(_, number)| self.locate(*number, 1).0 == wanted)?;
            place_in(&mut found, line, self.column)?;
        }
        for (index, piece) in self.pieces.iter().enumerate().filter(|(_, piece)| piece.line == wanted) {
            let Some((line, _)) = lines.clone().find(|(_, number)| *number == piece.text_line) else { continue };
            let next = self.pieces.get(index + 1).filter(|next| next.text_line == piece.text_line);
            let end = next.map_or(u32::MAX, |next| next.text_column);
            let length = end.saturating_sub(piece.text_column) as usize;
            let part: String = line.chars().skip(piece.text_column.saturating_sub(1) as usize).take(length).collect();
            place_in(&mut found, part.trim_end(), piece.column)?;
        }
        (!found.trim().is_empty()).then_some(found)
    }
}

/// Puts a part of a line at its column. `None` if that is too far to the right to be shown.
fn place_in(line: &mut String, part: &str, column: u32) -> Option<()> {
    const WIDEST: usize = 2000;
    let start = (column as usize).saturating_sub(1);
    if start > WIDEST {
        return None;
    }
    let width = line.chars().count();
    line.extend(std::iter::repeat_n(' ', start.saturating_sub(width)));
    line.push_str(part);
    Some(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn lines_of_a_block_stand_below_one_another() {
        let site = Site { source: 0, line: 7, column: 5, pieces: Vec::new() };
        assert_eq!((site.locate(1, 1), site.locate(3, 4)), ((7, 5), (9, 8)));
        assert_eq!(site.file_line("a\n\n  c d\n", 9).unwrap(), "      c d");
        assert_eq!((site.file_line("a\n\nc\n", 8), site.file_line("a", 6), site.file_line("a", 8)), (None, None, None));
    }

    #[test]
    fn pieces_stand_where_they_are_written() {
        // "a \t b\n  c", from: `k: "a \\t b` and below `c"`
        let piece = |text_line, text_column, line, column| Piece { text_line, text_column, line, column };
        let pieces = vec![piece(1, 1, 4, 5), piece(1, 5, 4, 10), piece(1, 7, 5, 3)];
        let site = Site { source: 0, line: 4, column: 5, pieces };
        let text = "a \t b c";
        assert_eq!((site.locate(1, 1), site.locate(1, 5), site.locate(1, 7)), ((4, 5), (4, 10), (5, 3)));
        assert_eq!((site.locate(0, 9), site.locate(2, 2)), ((4, 5), (5, 3)));
        assert_eq!(site.file_line(text, 4).unwrap(), "    a    b");
        assert_eq!(site.file_line(text, 5).unwrap(), "  c");
    }

    #[test]
    fn numbers_without_sense_do_no_harm() {
        let far = Piece { text_line: u32::MAX, text_column: u32::MAX, line: u32::MAX, column: u32::MAX };
        let near = Piece { text_line: 1, text_column: 1, ..far };
        for pieces in [vec![], vec![far], vec![far, near], vec![near, far]] {
            let site = Site { source: 0, line: u32::MAX, column: u32::MAX, pieces };
            assert_eq!(site.locate(u32::MAX, u32::MAX), (u32::MAX, u32::MAX));
            assert_eq!((site.locate(0, 0).0, site.file_line("a\nb", u32::MAX)), (u32::MAX, None));
        }
    }
}
