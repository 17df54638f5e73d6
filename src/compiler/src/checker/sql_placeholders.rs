//! Placeholders of SQL that psycopg does not take: `%` for `%s`, and more or fewer than there are values.

use tpv_front::syntax::ast::{Constant, Expr, ExprCall, Ranged};
use tpv_front::syntax::text_size::TextRange;

use super::block::Checker;

impl<'a> Checker<'a> {
    /// Looks at `cursor.execute(query, values)`, where the text of the query is in the block.
    pub(super) fn sql_placeholders(&mut self, node: &'a ExprCall) {
        let (Expr::Attribute(method), [query, values, ..]) = (&*node.func, node.args.as_slice()) else { return };
        let uses = |module: &str| self.bindings.modules.iter().any(|name| name.split('.').next() == Some(module));
        if method.attr.as_str() != "execute" || !(uses("psycopg2") || uses("psycopg")) {
            return;
        }
        let query = match query {
            Expr::Name(name) => match self.state.tests.get(name.id.as_str()) {
                Some(value) => value,
                None => return,
            },
            query => query,
        };
        let Expr::Constant(constant) = query else { return };
        let Constant::Str(text) = &constant.value else { return };
        let range = query.range();
        let mut count = 0;
        let mut rest = text.as_str();
        while let Some((_, after)) = rest.split_once('%') {
            let mut next = after.chars();
            match next.next() {
                Some('%') => {}
                // Those with names take a mapping.
                Some('(') => return,
                Some('s') => count += 1,
                Some('b' | 't') if uses("psycopg") => count += 1,
                other => {
                    let found =
                        other.filter(|c| !c.is_whitespace()).map_or_else(|| "%".to_owned(), |c| format!("%{c}"));
                    let message = format!("`{found}` in the query is no placeholder");
                    let help = "write `%s` for a value, and `%%` for a `%`";
                    return self.refuses(range, message, "ValueError", help);
                }
            }
            rest = next.as_str();
        }
        let given = match values {
            Expr::Tuple(node) => &node.elts,
            Expr::List(node) => &node.elts,
            _ => return,
        };
        if !given.iter().any(Expr::is_starred_expr) && given.len() != count {
            let message = format!("the query has {count} placeholders, and {} values", given.len());
            self.refuses(range, message, "ProgrammingError", "write one `%s` for each value");
        }
    }

    /// A fault, unless a handler is around it. A `with` for the connection is none.
    fn refuses(&mut self, at: TextRange, message: String, exception: &str, help: &str) {
        let expected = std::mem::take(&mut self.expected);
        if expected.iter().all(String::is_empty) {
            self.always_raises(at, message, exception, help);
        }
        self.expected = expected;
    }
}
