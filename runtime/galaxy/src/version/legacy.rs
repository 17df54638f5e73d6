//! Versions that do not follow PEP 440, compared by the rules of setuptools before packaging, which Galaxy keeps as
//! `LegacyVersion`.

/// The parts by which legacy versions compare.
pub(super) fn key(version: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let lower = version.to_lowercase();
    for part in pieces(&lower).filter_map(comparable).chain([FINAL.to_owned()]) {
        if part.starts_with('*') {
            // A dash before a pre-release does not count, nor do zeros at the end of a run of numbers.
            if part.as_str() < FINAL {
                pop_while(&mut parts, "*final-");
            }
            pop_while(&mut parts, "00000000");
        }
        parts.push(part);
    }
    parts
}

/// Ends every version, so that alpha, beta and candidates come before it.
const FINAL: &str = "*final";

fn pop_while(parts: &mut Vec<String>, tail: &str) {
    while parts.last().is_some_and(|last| last == tail) {
        parts.pop();
    }
}

/// A piece as it is compared: numbers padded to eight digits, words behind a star.
fn comparable(piece: &str) -> Option<String> {
    let piece = match piece {
        "pre" | "preview" | "rc" => "c",
        "-" => "final-",
        "dev" => "@",
        "" | "." => return None,
        other => other,
    };
    Some(if piece.starts_with(|char: char| char.is_ascii_digit()) {
        format!("{piece:0>8}")
    } else {
        format!("*{piece}")
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Digits,
    Letters,
    Dot,
    Dash,
    Other,
}

fn class(char: char) -> Class {
    match char {
        'a'..='z' => Class::Letters,
        '.' => Class::Dot,
        '-' => Class::Dash,
        _ if tpv_literal::unicode::is_decimal(char) => Class::Digits,
        _ => Class::Other,
    }
}

/// Runs of digits, of letters `a` to `z`, single dots and dashes, and what is between them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = class(rest.chars().next()?);
        let single = matches!(first, Class::Dot | Class::Dash);
        let end = if single { Some(1) } else { rest.find(|char| class(char) != first) };
        let (piece, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_galaxys() {
        assert_eq!(key("1.0-rc_2"), ["00000001", "*c", "*_", "00000002", "*final"]);
        assert_eq!(key("2.0.0--x"), ["00000002", "*final-", "*final-", "*x", "*final"]);
        assert_eq!(key(""), ["*final"]);
    }
}
