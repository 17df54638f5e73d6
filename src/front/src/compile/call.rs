//! Calls.

use crate::syntax::ast::{self, Expr};
use tpv_bytecode::{Const, Instr};
use tpv_python::modules::logging::level_of_method;

use super::expression::count;
use super::{Compiler, Done};
use crate::language;

impl<'a> Compiler<'a> {
    pub(super) fn call(&mut self, node: &'a ast::ExprCall) -> Done {
        self.keywords_differ(&node.keywords)?;
        let unpacks = node.args.iter().any(Expr::is_starred_expr) || node.keywords.iter().any(|kw| kw.arg.is_none());
        if let Expr::Attribute(method) = &*node.func
            && !unpacks
            && !language::is_left_out_attribute(&method.attr)
            && node.args.iter().chain(node.keywords.iter().map(|kw| &kw.value)).all(is_quiet)
        {
            return self.call_method(node, method);
        }
        self.expression(&node.func)?;
        if unpacks {
            return self.call_unpacking(node);
        }
        let (argc, names) = match (&*node.func, node.args.as_slice(), node.keywords.as_slice()) {
            (Expr::Attribute(method), [Expr::JoinedStr(message)], []) if level_of_method(&method.attr).is_some() => {
                self.message(&message.values)?;
                (1, None)
            }
            _ => self.arguments(node)?,
        };
        self.at(node.range.start());
        self.emit(match names {
            Some(names) => Instr::CallKw { argc, names },
            None => Instr::Call { argc },
        })
    }

    /// A method call without a bound method between. CPython looks the method up before it evaluates the arguments, this
    /// instruction after: it serves only where no argument can change anything, nor raise but for a name that does not exist,
    /// of which the machine takes care.
    fn call_method(&mut self, node: &'a ast::ExprCall, method: &'a ast::ExprAttribute) -> Done {
        self.expression(&method.value)?;
        let (argc, names) = self.arguments(node)?;
        self.at(node.range.start());
        let name = self.name_index(&method.attr);
        self.emit(match names {
            Some(names) => Instr::CallMethodKw { name, argc, names },
            None => Instr::CallMethod { name, argc },
        })
    }

    /// Pushes the arguments; gives their number and the constant of the keywords' names.
    fn arguments(&mut self, node: &'a ast::ExprCall) -> Result<(u32, Option<u32>), crate::error::PythonError> {
        self.each(&node.args)?;
        let mut names = Vec::new();
        for keyword in &node.keywords {
            self.expression(&keyword.value)?;
            if let Some(name) = &keyword.arg {
                names.push(Const::Str(self.program.string(name)));
            }
        }
        let argc = count(&node.args) + count(&names);
        let names = (!names.is_empty()).then(|| self.unit.constant(Const::Tuple(names)));
        Ok((argc, names))
    }

    /// `f(*args, **keywords)`, the callee being on the stack.
    fn call_unpacking(&mut self, node: &'a ast::ExprCall) -> Done {
        match node.args.as_slice() {
            // The call takes a lone starred argument apart itself, so that its error can name the callee, as CPython's does.
            [Expr::Starred(starred)] => self.expression(&starred.value)?,
            _ => {
                self.list(&node.args)?;
                self.emit(Instr::ListToTuple)?;
            }
        }
        let keywords = !node.keywords.is_empty();
        if keywords {
            self.emit(Instr::BuildDict { count: 0 })?;
            for keyword in &node.keywords {
                match &keyword.arg {
                    Some(name) => {
                        let name = Const::Str(self.program.string(name));
                        self.constant(name)?;
                        self.expression(&keyword.value)?;
                        self.emit(Instr::BuildDict { count: 1 })?;
                    }
                    None => self.expression(&keyword.value)?,
                }
                self.at(node.range.start());
                self.emit(Instr::DictMerge { depth: 1 })?;
            }
        }
        self.at(node.range.start());
        self.emit(Instr::CallEx { keywords })
    }

    fn keywords_differ(&mut self, keywords: &[ast::Keyword]) -> Done {
        for (index, keyword) in keywords.iter().enumerate() {
            let Some(name) = &keyword.arg else { continue };
            self.bindable(name)?;
            if keywords.iter().take(index).any(|earlier| earlier.arg.as_ref() == Some(name)) {
                return self.refuse(keyword.range.start(), format!("keyword argument repeated: {name}"));
            }
        }
        Ok(())
    }
}

/// Returns `true` if evaluating the expression changes nothing and raises at most for a name that does not exist.
fn is_quiet(expression: &Expr) -> bool {
    match expression {
        Expr::Constant(_) | Expr::Name(_) => true,
        Expr::Tuple(node) => node.elts.iter().all(is_quiet),
        Expr::List(node) => node.elts.iter().all(is_quiet),
        Expr::Lambda(node) => {
            let arguments = node.args.posonlyargs.iter().chain(&node.args.args).chain(&node.args.kwonlyargs);
            arguments.filter_map(|argument| argument.default.as_deref()).all(is_quiet)
        }
        _ => false,
    }
}
