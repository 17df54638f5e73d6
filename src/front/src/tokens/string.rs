//! Strings.

use super::{Done, TokenKind, Tokenizer};

impl Tokenizer<'_> {
    /// A string whose prefix, if any, starts at `start`; the tokenizer is at the quote.
    pub(super) fn string(&mut self, start: usize) -> Done {
        let Some(quote) = self.peek() else { return Ok(()) };
        let triple: String = [quote; 3].iter().collect();
        let is_triple = self.rest().starts_with(&triple);
        let quotes = if is_triple { triple.as_str() } else { triple.get(..1).unwrap_or("") };
        self.at += quotes.len();
        loop {
            match self.peek() {
                None => return self.unterminated(start, is_triple),
                Some('\n') if !is_triple => return self.unterminated(start, false),
                Some('\\') => {
                    self.at += 1;
                    self.at += self.peek().map_or(0, char::len_utf8);
                }
                Some(_) if self.rest().starts_with(quotes) => {
                    self.at += quotes.len();
                    break;
                }
                Some(c) => self.at += c.len_utf8(),
            }
        }
        self.push(TokenKind::String, start);
        Ok(())
    }

    fn unterminated(&self, start: usize, triple: bool) -> Done {
        let read = self.source.get(..self.at).unwrap_or("");
        // A line break at the very end begins no line.
        let line = read.strip_suffix('\n').unwrap_or(read).bytes().filter(|byte| *byte == b'\n').count() + 1;
        let what = if triple { "triple-quoted string" } else { "string" };
        self.error(start, format!("unterminated {what} literal (detected at line {line})"))
    }
}
