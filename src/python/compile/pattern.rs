//! `match`.

use rustpython_parser::ast;

use super::{Compiler, Done};

impl<'a> Compiler<'a> {
    pub(super) fn match_statement(&mut self, node: &'a ast::StmtMatch) -> Done {
        self.unsupported("match statements", node.range.start())
    }
}
