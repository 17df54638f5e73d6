//! T214: quantifiers that repeat one letter, where the character itself or a wildcard is meant.

use tpv_python::regex::ast::{Node, RepeatKind};

use super::keys::{Key, Keys};
use crate::lint::Linter;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;

/// Looks at each key by itself.
pub(super) fn check(linter: &mut Linter<'_>, keys: &Keys<'_>) {
    for key in keys.list.iter() {
        if !keys.charge(1) {
            break;
        }
        let mut slips = Vec::new();
        find(&key.pattern.body, &mut slips);
        let Some(slip) = slips.first() else { continue };
        let diagnostic = match slip.sign {
            '+' => plus(key, keys, *slip),
            _ => star(key, *slip),
        };
        linter.report(Finding::new(Code::PatternWithoutItself, diagnostic).of(&key.entity.common.no_qa_codes));
    }
}

/// A letter that is repeated.
#[derive(Clone, Copy)]
struct Slip {
    letter: char,
    sign: char,
}

/// The letters that are repeated without bound. `/*` is left out: it matches what was meant, and little more.
fn find(nodes: &[Node], out: &mut Vec<Slip>) {
    for node in nodes {
        match node {
            Node::Repeat { min, max: None, kind: RepeatKind::Greedy | RepeatKind::Possessive, body } => {
                if let (Node::Literal(code), 0 | 1) = (&**body, *min)
                    && let Some(letter) = char::from_u32(*code)
                    && (letter.is_alphanumeric() || matches!(letter, '_' | '-'))
                {
                    out.push(Slip { letter, sign: if *min == 0 { '*' } else { '+' } });
                }
            }
            Node::Group { body, .. } => find(body, out),
            Node::Branch(branches) => branches.iter().for_each(|branch| find(branch, out)),
            _ => {}
        }
    }
}

fn plus(key: &Key<'_>, keys: &Keys<'_>, slip: Slip) -> Diagnostic {
    let id = &key.entity.id;
    let matches_itself = keys.matching(literal(id)).contains(&key.place);
    let message = if matches_itself {
        format!("`{id}` matches more than it spells")
    } else {
        format!("`{id}` does not match the {} of this id", keys.class.noun())
    };
    let diagnostic = Diagnostic::warning(message)
        .at(key.entity.span, format!("`+` repeats the `{}` before it", slip.letter))
        .note("ids are regular expressions");
    let escaped = escape_plus(id);
    diagnostic.help(format!("for a plus write `\\+`: `{escaped}`"))
}

fn star(key: &Key<'_>, slip: Slip) -> Diagnostic {
    let id = &key.entity.id;
    let shortest = key.language().and_then(|language| language.shortest(None)).flatten();
    let also = shortest.filter(|text| !text.is_empty());
    let message = match &also {
        Some(text) => format!("`{id}` matches every id that begins with `{text}`"),
        None => format!("`{id}` matches more than it spells"),
    };
    let wildcard = id.replace(&format!("{}*", slip.letter), &format!("{}.*", slip.letter));
    Diagnostic::warning(message)
        .at(key.entity.span, format!("`*` repeats the `{}` before it, also no times", slip.letter))
        .note("ids are regular expressions that match from the start of a name")
        .help(format!("for anything that follows write `.*`: `{wildcard}`"))
}

/// The key without the wildcard at its end, read as the id that it spells.
fn literal(id: &str) -> &str {
    let id = id.strip_prefix('^').unwrap_or(id);
    let id = id.strip_suffix('$').unwrap_or(id);
    id.strip_suffix(".*").unwrap_or(id)
}

/// The key with a backslash before each plus that repeats a letter.
fn escape_plus(id: &str) -> String {
    let mut out = String::with_capacity(id.len() + 1);
    let mut before = [' ', ' '];
    for c in id.chars() {
        let [earlier, last] = before;
        let repeats = (last.is_alphanumeric() || matches!(last, '_' | '-' | '+')) && earlier != '\\';
        if c == '+' && repeats {
            out.push('\\');
        }
        out.push(c);
        before = [last, c];
    }
    out
}
