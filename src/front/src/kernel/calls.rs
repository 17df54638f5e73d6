//! Calls: of the functions that machine code knows, of what only looks at its arguments, and of `any` and `all`.

use crate::syntax::ast::{self, Expr};
use tpv_bytecode::kernel::{Function, Gives, Node};
use tpv_python::library;
use tpv_python::types::BuiltinType;
use tpv_python::value::Value;
use tpv_runtime::mapper::may_be_pure;

use super::{Lowerer, Tables};

impl<T: Tables> Lowerer<'_, T> {
    pub(super) fn call(&mut self, node: &ast::ExprCall) -> Option<Node> {
        let named = node.keywords.iter().all(|keyword| keyword.arg.is_some());
        if !named || node.args.iter().any(Expr::is_starred_expr) {
            return Some(Node::Leave);
        }
        match &*node.func {
            Expr::Name(callee) => self.call_of_name(&callee.id, node),
            Expr::Attribute(method) => self.call_of_method(method, node),
            _ => Some(Node::Leave),
        }
    }

    fn call_of_name(&mut self, callee: &str, node: &ast::ExprCall) -> Option<Node> {
        let is_own = self.tables.binds(callee);
        let plain = node.keywords.is_empty() && !is_own;
        if plain && let Some(gives) = self.any_or_all(callee, node)? {
            return Some(gives);
        }
        let function = Function::ALL.into_iter().find(|function| function.name() == callee);
        if let Some(function) = function.filter(|function| plain && function.takes(node.args.len())) {
            let arguments = self.expressions(&node.args)?;
            return Some(Node::Call { function, name: self.tables.name(callee), arguments });
        }
        // A name that the block does not bind is a builtin, or the context's, which is no function that a kernel calls.
        if !is_own && !library::builtin(callee).is_some_and(|builtin| is_pure(&builtin)) {
            return Some(Node::Leave);
        }
        let callee = self.name(callee)?;
        let callee = self.add(callee)?;
        let (arguments, keywords) = self.arguments(node)?;
        Some(Node::Invoke { callee, arguments, keywords })
    }

    /// `any(...)` or `all(...)` of a comprehension. `None` if it is something else.
    fn any_or_all(&mut self, callee: &str, node: &ast::ExprCall) -> Option<Option<Node>> {
        let lazy = matches!(node.args.as_slice(), [Expr::GeneratorExp(_)]);
        let gives = match callee {
            "any" => Gives::Any { lazy },
            "all" => Gives::All { lazy },
            _ => return Some(None),
        };
        let (generators, element) = match node.args.as_slice() {
            [Expr::ListComp(list)] => (&list.generators, &list.elt),
            [Expr::GeneratorExp(generator)] => (&generator.generators, &generator.elt),
            _ => return Some(None),
        };
        // That the name is the builtin's is asked where the kernel is loaded.
        let name = self.tables.name(callee);
        if !self.kernel.builtins.contains(&name) {
            self.kernel.builtins.push(name);
        }
        self.comprehension(generators, element, gives).map(Some)
    }

    fn call_of_method(&mut self, method: &ast::ExprAttribute, node: &ast::ExprCall) -> Option<Node> {
        let end = match (method.attr.as_str(), node.args.as_slice()) {
            ("startswith", [_]) if node.keywords.is_empty() => Some(false),
            ("endswith", [_]) if node.keywords.is_empty() => Some(true),
            _ => None,
        };
        if let (Some(end), [affix]) = (end, node.args.as_slice()) {
            return Some(Node::Affix { text: self.expression(&method.value)?, affix: self.expression(affix)?, end });
        }
        if !may_be_pure(&method.attr) {
            return Some(Node::Leave);
        }
        let object = self.expression(&method.value)?;
        let name = self.tables.name(&method.attr);
        let (arguments, keywords) = self.arguments(node)?;
        Some(Node::Method { object, name, arguments, keywords })
    }

    /// The arguments of a call, and the names of the last of them.
    fn arguments(&mut self, node: &ast::ExprCall) -> Option<(Vec<u32>, Vec<u32>)> {
        let mut arguments = self.expressions(&node.args)?;
        let mut keywords = Vec::with_capacity(node.keywords.len());
        for keyword in &node.keywords {
            keywords.push(self.tables.name(keyword.arg.as_ref()?));
            arguments.push(self.expression(&keyword.value)?);
        }
        Some((arguments, keywords))
    }
}

/// Returns `true` if a builtin only looks at its arguments.
fn is_pure(builtin: &Value) -> bool {
    match builtin {
        Value::Builtin(function) => function.pure,
        Value::Type(class) => BuiltinType::is_made_purely(class),
        _ => false,
    }
}
