//! Anchors, aliases, tags and directives.

use super::Scanner;
use crate::characters::{ends_line, ends_word, is_printable};
use crate::read::fault::{Problem, Result};
use crate::read::reader::Mark;
use crate::read::token::{Kind, Token};

/// A character of the name of an anchor.
fn is_anchor(ch: char) -> bool {
    is_printable(ch) && !matches!(ch, ' ' | ',' | '[' | ']' | '{' | '}')
}

fn is_uri(ch: char) -> bool {
    ch.is_ascii_alphanumeric() || "-;/?:@&=+$,_.!~*'()[]%#".contains(ch)
}

impl<'t> Scanner<'t> {
    pub(super) fn fetch_anchor(&mut self, kind: Kind) -> Result<()> {
        self.save_simple_key()?;
        self.allow_simple_key = false;
        let start = self.reader.mark();
        self.reader.advance();
        let name = self.reader.take_while(is_anchor);
        let next = self.reader.peek();
        if name.is_empty() || !(ends_word(next) || "?:,[]{}%@`".contains(next)) {
            return self.reader.error(Problem::AnchorName, format!("{} needs a name", kind.name()), start);
        }
        self.tokens.push_back(Token::new(kind, start, self.reader.mark()).with_text(name));
        Ok(())
    }

    pub(super) fn fetch_tag(&mut self) -> Result<()> {
        self.save_simple_key()?;
        self.allow_simple_key = false;
        let start = self.reader.mark();
        let mut handle = "!";
        if self.reader.peek_at(1) == '!' {
            handle = "!!";
            self.reader.advance();
        }
        let token = match self.reader.peek_at(1) {
            '<' => {
                self.reader.advance();
                self.reader.advance();
                let uri = self.uri(start)?;
                if self.reader.peek() != '>' {
                    return self.reader.error(Problem::Other, "a tag that starts with `!<` must end with `>`", start);
                }
                self.reader.advance();
                (None, uri)
            }
            ch if ends_word(ch) => {
                self.reader.advance();
                (None, handle)
            }
            _ => {
                if self.reader.word().skip(1).any(|ch| ch == '!') {
                    let handle = self.tag_handle(start)?;
                    (Some(handle), self.uri(start)?)
                } else {
                    self.reader.advance();
                    (Some(handle), self.uri(start)?)
                }
            }
        };
        let next = self.reader.peek();
        if next != ' ' && !ends_line(next) {
            return self.reader.error(Problem::Other, "there must be a space after a tag", start);
        }
        let mut tag = Token::new(Kind::Tag, start, self.reader.mark()).with_text(token.1);
        tag.handle = token.0;
        self.tokens.push_back(tag);
        Ok(())
    }

    /// `!name!`
    fn tag_handle(&mut self, start: Mark) -> Result<&'t str> {
        let begin = self.reader.mark();
        self.reader.advance();
        if self.reader.peek() != ' ' {
            self.reader.take_while(|ch| ch.is_ascii_alphanumeric() || matches!(ch, '-' | '_'));
            if self.reader.peek() != '!' {
                return self.reader.error(Problem::Other, "the handle of a tag must end with `!`", start);
            }
            self.reader.advance();
        }
        let handle = self.reader.since(begin);
        if handle.starts_with('!') {
            Ok(handle)
        } else {
            self.reader.error(Problem::Other, "a tag starts with `!`", start)
        }
    }

    /// The rest of a tag, its escapes left as they are.
    fn uri(&mut self, start: Mark) -> Result<&'t str> {
        let uri = self.reader.take_while(is_uri);
        let mut bytes = Vec::new();
        let mut parts = uri.split('%');
        parts.next();
        for part in parts {
            match part.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok()) {
                Some(byte) => bytes.push(byte),
                None => {
                    return self.reader.error(
                        Problem::Other,
                        "`%` in a tag must be followed by two hexadecimal digits",
                        start,
                    );
                }
            }
        }
        if uri.is_empty() {
            return self.reader.error(Problem::Other, "this tag has no name", start);
        }
        if std::str::from_utf8(&bytes).is_err() {
            return self.reader.error(Problem::Other, "the escapes in this tag aren't UTF-8", start);
        }
        Ok(uri)
    }

    pub(super) fn fetch_directive(&mut self) -> Result<()> {
        self.unwind(-1);
        self.remove_simple_key()?;
        self.allow_simple_key = false;
        let start = self.reader.mark();
        self.reader.advance();
        let name = self.reader.take_while(|ch| ch.is_ascii_alphanumeric() || matches!(ch, '-' | '_' | ':' | '.'));
        if name.is_empty() || !(self.reader.peek() == ' ' || ends_line(self.reader.peek())) {
            return self.reader.error(Problem::Other, "a directive needs a name", start);
        }
        let mut token = Token::new(Kind::Directive, start, start);
        if name == "TAG" {
            self.reader.take_while(|ch| ch == ' ');
            token.handle = Some(self.tag_handle(start)?);
            self.reader.take_while(|ch| ch == ' ');
            token.text = self.uri(start)?.into();
        } else if name == "YAML" {
            self.reader.take_while(|ch| ch == ' ');
            let version = self.reader.take_while(|ch| ch.is_ascii_digit() || ch == '.');
            if version != "1.2" {
                // DIFFERENCE: ruamel.yaml reads the types of YAML 1.1 after `%YAML 1.1`; a TPV config is YAML 1.2.
                return self.reader.error(Problem::Version, "the version of a TPV config is YAML 1.2", start);
            }
            token.text = version.into();
        } else {
            self.reader.take_while(|ch| !ends_line(ch));
        }
        self.reader.take_while(|ch| ch == ' ');
        if self.reader.peek() == '#' {
            self.comment_text();
        }
        if !ends_line(self.reader.peek()) {
            return self.reader.error(Problem::Other, "this does not belong to the directive", self.reader.mark());
        }
        self.line_break();
        self.tokens.push_back(token);
        Ok(())
    }
}
