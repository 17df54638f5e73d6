//! Functions and lambdas.

use crate::syntax::ast::{self, Expr};
use tpv_bytecode::{Capture, CodeKind, Const, Instr, Parameters};

use super::expression::count;
use super::unit::Unit;
use super::{Compiler, Done};
use crate::error::PythonError;
use crate::scope::{ScopeId, ScopeKind};

impl<'a> Compiler<'a> {
    pub(super) fn function(&mut self, node: &'a ast::StmtFunctionDef) -> Done {
        self.each(&node.decorator_list)?;
        self.defaults(&node.args)?;
        let Some(scope) = self.scopes.of_node(node) else { return Ok(()) };
        let code = self.inner(scope, &node.name, Some(&node.args), |this| {
            this.statements(&node.body)?;
            this.return_none()
        })?;
        self.at(node.range.start());
        self.emit(Instr::MakeFunction { code })?;
        for decorator in node.decorator_list.iter().rev() {
            self.at(crate::syntax::ast::Ranged::start(decorator));
            self.emit(Instr::Call { argc: 1 })?;
        }
        self.at(node.range.start());
        self.store_name(&node.name)
    }

    pub(super) fn lambda(&mut self, node: &'a ast::ExprLambda) -> Done {
        self.defaults(&node.args)?;
        let Some(scope) = self.scopes.of_node(node) else { return Ok(()) };
        let code = self.inner(scope, "<lambda>", Some(&node.args), |this| {
            this.expression(&node.body)?;
            this.emit(Instr::Return)
        })?;
        self.at(node.range.start());
        self.emit(Instr::MakeFunction { code })
    }

    /// Pushes the tuple of defaults and the dict of keyword defaults, or `None`.
    fn defaults(&mut self, arguments: &'a ast::Arguments) -> Done {
        let positional: Vec<&'a Expr> = arguments.defaults().collect();
        for default in &positional {
            self.expression(default)?;
        }
        match positional.len() {
            0 => self.constant(Const::None)?,
            _ => self.emit(Instr::BuildTuple { count: count(&positional) })?,
        }
        let (_, named) = arguments.split_kwonlyargs();
        for (argument, default) in &named {
            let name = Const::Str(self.program.string(&argument.arg));
            self.constant(name)?;
            self.expression(default)?;
        }
        match named.len() {
            0 => self.constant(Const::None),
            _ => self.emit(Instr::BuildDict { count: count(&named) }),
        }
    }

    /// Compiles an inner code, once, and gives its index.
    pub(super) fn inner(
        &mut self,
        scope: ScopeId,
        name: &str,
        arguments: Option<&'a ast::Arguments>,
        body: impl FnOnce(&mut Self) -> Done,
    ) -> Result<u32, PythonError> {
        if let Some(code) = self.inner.get(&scope) {
            return Ok(*code);
        }
        let Some(info) = self.scopes.get(scope) else { return Ok(self.root) };
        info.parameters.iter().try_for_each(|name| self.bindable(name))?;
        let mut unit = Unit::new(CodeKind::Function, name.to_owned(), scope);
        unit.locals.extend(info.parameters.iter().cloned());
        unit.cells.extend(info.cells.iter().cloned());
        unit.free.extend(info.free.iter().cloned());
        unit.generator = info.kind == ScopeKind::Generator;
        unit.parameters = match arguments {
            Some(arguments) => Parameters {
                positional_only: count(&arguments.posonlyargs),
                positional: count(&arguments.args),
                keyword_only: count(&arguments.kwonlyargs),
                var_positional: arguments.vararg.is_some(),
                var_keyword: arguments.kwarg.is_some(),
            },
            None => Parameters { positional_only: count_set(info.parameters.len()), ..Parameters::default() },
        };
        let index = self.program.reserve();
        let outer = std::mem::replace(&mut self.unit, unit);
        let place = self.place;
        let result = body(self);
        self.place = place;
        let unit = std::mem::replace(&mut self.unit, outer);
        result?;
        let captures: Vec<Capture> =
            info.free.iter().filter_map(|name| self.unit.cell(name)).map(Capture::Cell).collect();
        debug_assert_eq!(captures.len(), info.free.len(), "every free variable has a cell around it");
        let code = unit.finish(self.program, self.root, &captures);
        self.program.fill(index, code);
        self.inner.insert(scope, index);
        Ok(index)
    }
}

fn count_set(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
