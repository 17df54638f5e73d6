//! Numbers.

use super::{Done, TokenError, TokenKind, Tokenizer};

impl Tokenizer<'_> {
    pub(super) fn number(&mut self) -> Done {
        let start = self.at;
        let prefix = self.rest().get(..2).unwrap_or("").to_ascii_lowercase();
        let based = match prefix.as_str() {
            "0x" => Some((16, "hexadecimal")),
            "0o" => Some((8, "octal")),
            "0b" => Some((2, "binary")),
            _ => None,
        };
        if let Some((radix, name)) = based {
            self.at += 2;
            self.based(radix, name)?;
        } else {
            self.decimal(start)?;
        }
        self.push(TokenKind::Number, start);
        Ok(())
    }

    fn based(&mut self, radix: u32, name: &str) -> Done {
        loop {
            if self.peek() == Some('_') {
                self.at += 1;
            }
            let before = self.at;
            self.skip(|c| c.is_digit(radix));
            if self.at == before {
                if let Some(digit) = self.peek().filter(char::is_ascii_digit) {
                    return self.error(self.at, format!("invalid digit '{digit}' in {name} literal"));
                }
                return self.error(self.at, format!("invalid {name} literal"));
            }
            if self.peek() != Some('_') {
                break;
            }
        }
        if let Some(digit) = self.peek().filter(char::is_ascii_digit) {
            return self.error(self.at, format!("invalid digit '{digit}' in {name} literal"));
        }
        self.end_of_number(name)
    }

    fn decimal(&mut self, start: usize) -> Done {
        let mut float = false;
        if self.peek() != Some('.') {
            self.digits()?;
        }
        let whole_end = self.at;
        if self.peek() == Some('.') {
            float = true;
            self.at += 1;
            if self.peek().is_some_and(|c| c.is_ascii_digit()) {
                self.digits()?;
            }
        }
        if let Some('e' | 'E') = self.peek() {
            let mut rest = self.rest().chars().skip(1);
            let mut next = rest.next();
            let signed = matches!(next, Some('+' | '-'));
            if signed {
                next = rest.next();
            }
            if next.is_some_and(|c| c.is_ascii_digit()) {
                float = true;
                self.at += 1 + usize::from(signed);
                self.digits()?;
            } else if signed {
                return self.error(self.at, "invalid decimal literal");
            }
        }
        let imaginary = matches!(self.peek(), Some('j' | 'J'));
        if imaginary {
            self.at += 1;
        }
        let digits = self.source.get(start..whole_end).unwrap_or("").replace('_', "");
        if !float && !imaginary && digits.len() > 1 && digits.starts_with('0') && digits.contains(|c| c != '0') {
            let message = "leading zeros in decimal integer literals are not permitted; \
                           use an 0o prefix for octal integers";
            return self.error(start, message);
        }
        self.end_of_number(if imaginary { "imaginary" } else { "decimal" })
    }

    /// Decimal digits with single underscores between.
    fn digits(&mut self) -> Result<(), TokenError> {
        loop {
            self.skip(|c| c.is_ascii_digit());
            if self.peek() != Some('_') {
                return Ok(());
            }
            self.at += 1;
            if !self.peek().is_some_and(|c| c.is_ascii_digit()) {
                return self.error(self.at, "invalid decimal literal");
            }
        }
    }

    /// Right after a number no name may follow, but for the keywords that CPython still lets.
    fn end_of_number(&self, name: &str) -> Done {
        const KEYWORDS: [&str; 7] = ["and", "else", "for", "if", "in", "is", "or"];
        let rest = self.rest();
        if KEYWORDS.iter().any(|keyword| rest.starts_with(keyword)) || rest.starts_with("not") {
            return Ok(());
        }
        match rest.chars().next() {
            Some(c) if c == '_' || c.is_ascii_alphabetic() || (!c.is_ascii() && c.is_alphabetic()) => {
                self.error(self.at, format!("invalid {name} literal"))
            }
            _ => Ok(()),
        }
    }
}
