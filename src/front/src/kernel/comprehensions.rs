//! Comprehensions of one loop.

use crate::syntax::ast::{self, Expr};
use tpv_bytecode::kernel::{Gives, Node};

use super::{Lowerer, Tables};

impl<T: Tables> Lowerer<'_, T> {
    pub(super) fn list_comprehension(&mut self, node: &ast::ExprListComp) -> Option<Node> {
        self.comprehension(&node.generators, &node.elt, Gives::List)
    }

    pub(super) fn comprehension(
        &mut self,
        generators: &[ast::Comprehension],
        element: &Expr,
        gives: Gives,
    ) -> Option<Node> {
        let [generator] = generators else { return Some(Node::Leave) };
        let (Expr::Name(target), false) = (&generator.target, generator.is_async) else { return Some(Node::Leave) };
        // The first iterable is read outside of the comprehension.
        let iterable = self.expression(&generator.iter)?;
        let outer = self.variables.len();
        let slot = self.new_variable(&target.id, true)?;
        let condition = match generator.ifs.as_slice() {
            [] => None,
            [condition] => Some(self.expression(condition)?),
            conditions => {
                let operands = self.expressions(conditions)?;
                Some(self.add(Node::Bool { all: true, operands })?)
            }
        };
        let element = self.expression(element)?;
        self.variables.remove(outer);
        Some(Node::Comprehension { iterable, slot, condition, element, gives })
    }
}
