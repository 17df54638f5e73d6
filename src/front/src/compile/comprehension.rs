//! Comprehensions and generator expressions: codes of their own with one parameter, the iterator of the first `for`.

use crate::syntax::ast::{self, Expr, Ranged};
use tpv_bytecode::{Const, Instr};

use super::{Compiler, Done};
use crate::scope::ScopeId;

/// The use of each element.
#[derive(Clone, Copy)]
enum Element<'a> {
    List(&'a Expr),
    Set(&'a Expr),
    Dict(&'a Expr, &'a Expr),
    Yield(&'a Expr),
}

impl<'a> Compiler<'a> {
    pub(super) fn list_comprehension(&mut self, node: &'a ast::ExprListComp) -> Done {
        self.comprehension(self.scopes.of_node(node), "<listcomp>", &node.generators, Element::List(&node.elt))
    }

    pub(super) fn set_comprehension(&mut self, node: &'a ast::ExprSetComp) -> Done {
        self.comprehension(self.scopes.of_node(node), "<setcomp>", &node.generators, Element::Set(&node.elt))
    }

    pub(super) fn dict_comprehension(&mut self, node: &'a ast::ExprDictComp) -> Done {
        let element = Element::Dict(&node.key, &node.value);
        self.comprehension(self.scopes.of_node(node), "<dictcomp>", &node.generators, element)
    }

    pub(super) fn generator_expression(&mut self, node: &'a ast::ExprGeneratorExp) -> Done {
        self.comprehension(self.scopes.of_node(node), "<genexpr>", &node.generators, Element::Yield(&node.elt))
    }

    fn comprehension(
        &mut self,
        scope: Option<ScopeId>,
        name: &str,
        generators: &'a [ast::Comprehension],
        element: Element<'a>,
    ) -> Done {
        let (Some(scope), Some(first)) = (scope, generators.first()) else { return Ok(()) };
        let place = self.place;
        if let Some(generator) = generators.iter().find(|generator| generator.is_async) {
            return self
                .refuse(generator.target.start(), "asynchronous comprehension outside of an asynchronous function");
        }
        let code = self.inner(scope, name, None, |this| {
            match element {
                Element::List(_) => this.emit(Instr::BuildList { count: 0 })?,
                Element::Set(_) => this.emit(Instr::BuildSet { count: 0 })?,
                Element::Dict(..) => this.emit(Instr::BuildDict { count: 0 })?,
                Element::Yield(_) => {}
            }
            this.emit(Instr::LoadFast { slot: 0 })?;
            this.loops(generators, 1, element)?;
            if matches!(element, Element::Yield(_)) {
                this.constant(Const::None)?;
            }
            this.emit(Instr::Return)
        })?;
        self.expression(&first.iter)?;
        self.emit(Instr::GetIter)?;
        self.place = place;
        self.emit(Instr::Comprehend { code })
    }

    /// The loops, the iterator of the first being on the stack; `depth` counts the iterators on the stack.
    fn loops(&mut self, generators: &'a [ast::Comprehension], depth: u32, element: Element<'a>) -> Done {
        let Some((generator, rest)) = generators.split_first() else { return Ok(()) };
        let (start, end) = (self.label(), self.label());
        self.place_label(start);
        self.emit(Instr::ForIter { target: end.target() })?;
        self.assign(&generator.target)?;
        for condition in &generator.ifs {
            self.jump_if(condition, false, start)?;
        }
        if let Some(next) = rest.first() {
            self.expression(&next.iter)?;
            self.emit(Instr::GetIter)?;
            self.loops(rest, depth + 1, element)?;
        } else {
            self.element(element, depth + 1)?;
        }
        self.jump(start)?;
        self.place_label(end);
        Ok(())
    }

    fn element(&mut self, element: Element<'a>, depth: u32) -> Done {
        match element {
            Element::List(value) => {
                self.expression(value)?;
                self.emit(Instr::ListAppend { depth })
            }
            Element::Set(value) => {
                self.expression(value)?;
                self.emit(Instr::SetAdd { depth })
            }
            Element::Dict(key, value) => {
                self.expression(key)?;
                self.expression(value)?;
                self.emit(Instr::DictInsert { depth })
            }
            Element::Yield(value) => {
                self.expression(value)?;
                self.emit(Instr::Yield)?;
                self.emit(Instr::Pop)
            }
        }
    }
}
