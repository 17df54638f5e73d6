//! T111: operators, items and calls of builtins whose operands have types for which Python raises.

use tpv_front::syntax::ast::{CmpOp, Constant, Expr, ExprCall, ExprFormattedValue, Operator, Ranged, UnaryOp};
use tpv_front::syntax::text_size::TextRange;

use super::block::Checker;
use super::kinds::Kinds;
use super::types::Type;
use crate::checker::stubs::Signature;

impl<'a> Checker<'a> {
    /// `-'a'`, `~input_size`
    pub(super) fn unary(&mut self, op: UnaryOp, ty: &Type, range: TextRange) {
        if Kinds::of(ty).unary_raises(op) {
            let sign = match op {
                UnaryOp::Invert => "~",
                UnaryOp::UAdd => "+",
                _ => "-",
            };
            let help = match op {
                UnaryOp::Invert => "`~` is for whole numbers; the opposite of a condition is `not ...`",
                _ => to_number(ty),
            };
            self.always_raises(range, format!("`{sign}` of {}", ty.describe()), "TypeError", help);
        }
    }

    /// Returns `true` if the operator raises for the operands.
    pub(super) fn operands(&mut self, op: Operator, left: &Type, right: &Type, range: TextRange) -> bool {
        if !Kinds::binary_raises(op, Kinds::of(left), Kinds::of(right)) {
            return false;
        }
        let (one, other) = (left.describe(), right.describe());
        let text = |ty: &Type| *ty == Type::STR;
        let numbers = Kinds::of(left).within(Kinds::NUMBER) && Kinds::of(right).within(Kinds::NUMBER);
        let (message, help) = match op {
            Operator::Add => {
                let help = match text(left) || text(right) {
                    true => "convert one side: `str(...)` for text, `float(...)` for a number",
                    false => to_number(if left.is_number() { right } else { left }),
                };
                (format!("{one} and {other} cannot be added"), help)
            }
            Operator::LShift | Operator::RShift | Operator::BitAnd | Operator::BitOr | Operator::BitXor => {
                let sign = sign(op);
                let help = match op {
                    _ if !numbers => to_number(if left.is_number() { right } else { left }),
                    Operator::RShift => "`>>` shifts whole numbers: did you mean `>`?",
                    Operator::LShift => "`<<` shifts whole numbers: did you mean `<`?",
                    Operator::BitAnd => "`&` is for the bits of whole numbers: did you mean `and`?",
                    Operator::BitOr => "`|` is for the bits of whole numbers: did you mean `or`?",
                    _ => "`^` is for the bits of whole numbers: a power is `**`",
                };
                (format!("`{sign}` of {} and {}", kind_of_number(left), kind_of_number(right)), help)
            }
            Operator::Mult if text(left) || text(right) || left.class() == Some("list") => {
                (format!("{one} and {other} cannot be multiplied"), "only a whole number can repeat a text or a list")
            }
            _ if text(left) || text(right) => {
                (format!("{one} and {other} cannot be calculated with"), "convert the text: `float(...)`")
            }
            _ => (
                format!("{one} and {other} cannot be calculated with"),
                to_number(if left.is_number() { right } else { left }),
            ),
        };
        self.always_raises(range, message, "TypeError", help);
        true
    }

    /// `tool.id > 2`
    pub(super) fn ordering(&mut self, sides: [(&Type, &'a Expr); 2], range: TextRange) {
        let [(left, left_node), (right, right_node)] = sides;
        if !Kinds::unordered(Kinds::of(left), Kinds::of(right)) {
            return;
        }
        let message = format!("{} and {} have no order", left.describe(), right.describe());
        let is_text = |ty: &Type| ty.not_none() == Type::STR;
        let of_version = match (left.is_number(), right.is_number()) {
            (false, true) => self.help_for_version(left_node, right_node),
            (true, false) => self.help_for_version(right_node, left_node),
            _ => None,
        };
        let help = match is_text(left) || is_text(right) {
            true => "convert one side: `float(...)`, or `helpers.tool_version_gte` for versions",
            false => to_number(if left.is_number() { right } else { left }),
        };
        self.always_raises(range, message, "TypeError", of_version.as_deref().unwrap_or(help));
    }

    /// `5 in tool.id`, `'a' in input_size`
    pub(super) fn membership(&mut self, op: CmpOp, item: &Type, container: &Type, range: TextRange) {
        let (of_item, of_container) = (Kinds::of(item), Kinds::of(container));
        if !Kinds::in_raises(of_item, of_container) {
            return;
        }
        let word = if op == CmpOp::NotIn { "not in" } else { "in" };
        let (message, help) = if of_container.cannot_be_iterated() {
            (
                format!("`{word}` {}, which has no items", container.describe()),
                "only texts, lists, tuples, sets and dicts have items",
            )
        } else if *container == Type::STR {
            (format!("{} is no part of a text", item.describe()), "convert it: `str(...)`")
        } else {
            (
                format!("{} cannot be a key or an item of {}", item.describe(), container.describe()),
                "look for a text, a number or a tuple",
            )
        };
        self.always_raises(range, message, "TypeError", help);
    }

    /// `input_size[0]`, `tool.id['a']`
    pub(super) fn index(&mut self, owner: &Type, index: &Type, node: &'a Expr, range: TextRange) {
        let of = Kinds::of(owner);
        // A slice is judged by its owner alone.
        let index_kinds = if node.is_slice_expr() { Kinds::INT } else { Kinds::of(index) };
        if of.cannot_be_indexed() {
            let message = format!("{} cannot be indexed", owner.describe());
            self.always_raises(range, message, "TypeError", "only texts, lists, tuples and dicts have items");
        } else if Kinds::index_raises(of, index_kinds) {
            let message = format!("{} is no index of {}", index.describe(), owner.describe());
            let help = match owner {
                Type::Optional(list) if **list == Type::List(Type::DICT.into()) => {
                    "`env` is a list of dicts: `[item['value'] for item in entity.env or [] if item.get('name') == '...']`"
                }
                Type::Class("dict") => "a key is a text, a number or a tuple",
                _ if *index == Type::FLOAT => "convert it: `int(...)`",
                _ => "an index is a whole number",
            };
            self.always_raises(range, message, "TypeError", help);
        }
    }

    /// `for x in input_size`
    pub(super) fn iterated(&mut self, ty: &Type, node: &'a Expr) {
        if Kinds::of(ty).cannot_be_iterated() {
            let help = match ty.is_number() {
                true => "write `range(int(...))` to count, or name what has the items",
                false => "name what has the items",
            };
            self.always_raises(node.range(), format!("{} has no items", ty.describe()), "TypeError", help);
        }
    }

    /// `f'{tool.id:.2f}'`
    pub(super) fn formats(&mut self, ty: &Type, node: &'a ExprFormattedValue) {
        let Some(Expr::JoinedStr(spec)) = node.format_spec.as_deref() else { return };
        let [Expr::Constant(spec)] = spec.values.as_slice() else { return };
        let (Constant::Str(spec), true) = (&spec.value, node.conversion.is_none()) else { return };
        let Some(last) = spec.chars().next_back() else { return };
        if Kinds::of(ty).format_raises(last) {
            let message = format!("the format `{spec}` is not one of {}", kind_of_number(ty));
            let help = match (ty.is_number(), last) {
                (true, 'd' | 'x' | 'X' | 'b' | 'o' | 'c') => "convert it first: `int(...)`",
                (true, _) => "leave the `s` out",
                _ => "leave the format out, or convert the value first",
            };
            let exception = if ty.is_number() || *ty == Type::STR { "ValueError" } else { "TypeError" };
            self.always_raises(node.range, message, exception, help);
        }
    }

    /// The arguments of a builtin, or of a method of a builtin value: `int(tool)`, `max(1.0, 'a')`.
    pub(super) fn argument_kinds(
        &mut self,
        node: &'a ExprCall,
        signature: &Signature,
        types: &[Type],
        keywords: &[Type],
    ) {
        let starred = node.args.iter().position(Expr::is_starred_expr).unwrap_or(node.args.len());
        let by_position =
            signature.parameters.iter().filter(|parameter| parameter.positional).zip(node.args.iter().zip(types));
        let by_name = node.keywords.iter().zip(keywords).filter_map(|(keyword, ty)| {
            let name = keyword.arg.as_ref()?;
            let parameter = signature.parameters.iter().find(|parameter| parameter.name == name.as_str())?;
            Some((parameter, (&keyword.value, ty)))
        });
        for (parameter, (argument, ty)) in by_position.take(starred).chain(by_name) {
            let kinds = Kinds::of(ty);
            if !kinds.meets(parameter.takes) {
                self.wrong_argument(node, signature.name, ty, argument);
                return;
            }
        }
        if starred < node.args.len() {
            return;
        }
        if let ([list], []) = (node.args.as_slice(), keywords)
            && let Some(items) = self.written.remove(&list.range())
        {
            self.items_of_call(node, signature.name, &items);
        }
        let is_extreme = matches!(signature.name, "min" | "max");
        match (types, keywords) {
            ([ty], _) if is_extreme && Kinds::of(ty).cannot_be_iterated() => {
                let help = match ty.is_number() {
                    true => "give it a second number: a bracket may be closed too early",
                    false => "it takes a list, or anything else with items",
                };
                let message = format!("`{}` of {} alone", signature.name, ty.describe());
                self.always_raises(node.range, message, "TypeError", help);
            }
            // A function for `key` decides what is compared.
            (_, []) if is_extreme && types.len() > 1 => self.extreme(node, signature.name, types),
            // `int('10', 2)`
            ([value, _], []) | ([value], [_]) if signature.name == "int" && Kinds::of(value).within(Kinds::NUMBER) => {
                let help = "only a text is read in another base: leave the base out";
                self.always_raises(node.range, "a number has no base".to_owned(), "TypeError", help);
            }
            _ => {}
        }
    }

    /// `max(1.0, 'a')`: one of the arguments has an order with none of those before it, of which the greatest is compared with it.
    fn extreme(&mut self, node: &'a ExprCall, name: &str, types: &[Type]) {
        for (at, ty) in types.iter().enumerate().skip(1) {
            let before = types.get(..at).unwrap_or_default();
            if before.iter().all(|other| Kinds::unordered(Kinds::of(ty), Kinds::of(other))) {
                let one = before.first().map(Type::describe).unwrap_or_default();
                let message = format!("`{name}` of {one} and {}, which have no order", ty.describe());
                self.always_raises(node.range, message, "TypeError", to_number(ty));
                return;
            }
        }
    }

    /// Returns `true` for an expression that gives the size of a job's inputs, in GiB.
    fn is_size(&self, node: &Expr) -> bool {
        match node {
            Expr::Name(name) => name.id.as_str() == "input_size" && !self.bindings.names.contains("input_size"),
            Expr::Call(call) => {
                let function = Self::path(&call.func);
                matches!(function.as_deref(), Some("helpers.input_size" | "helpers.get_input_size"))
            }
            _ => false,
        }
    }

    /// `sum(['a', 'b'])`, `max([1.0, 'a'])`, `','.join([1, 2])`
    fn items_of_call(&mut self, node: &'a ExprCall, function: &str, items: &[Type]) {
        let (message, exception, help) = match (function, items) {
            ("min" | "max", []) => (format!("`{function}` of no items"), "ValueError", "give it a `default=...`"),
            ("min" | "max", _) => return self.extreme(node, function, items),
            ("sum", [first, ..]) if Kinds::binary_raises(Operator::Add, Kinds::INT, Kinds::of(first)) => {
                (format!("`sum` of {}", first.describe()), "TypeError", to_number(first))
            }
            ("sorted", _) => {
                let is_alone = |at: usize, one: &Type| {
                    let mut others = items.iter().enumerate().filter(|(other, _)| *other != at);
                    items.len() > 1 && others.all(|(_, other)| Kinds::unordered(Kinds::of(one), Kinds::of(other)))
                };
                let Some((_, one)) = items.iter().enumerate().find(|(at, one)| is_alone(*at, one)) else { return };
                (format!("`sorted` of items without an order: {}", one.describe()), "TypeError", to_number(one))
            }
            ("join", _) => {
                let Some(one) = items.iter().find(|item| !Kinds::of(item).meets(Kinds::read("str"))) else { return };
                (format!("`join` does not take {}", one.describe()), "TypeError", "convert it: `str(...)`")
            }
            _ => return,
        };
        self.always_raises(node.range, message, exception, help);
    }

    fn wrong_argument(&mut self, node: &'a ExprCall, function: &str, ty: &Type, argument: &'a Expr) {
        let described = ty.describe();
        let (message, help) = match function {
            "len" if self.is_size(argument) => (
                format!("{described} has no length"),
                "the size is a number of GiB; `len(job.input_datasets)` is the number of inputs",
            ),
            "len" => (format!("{described} has no length"), "only texts, lists, tuples, sets and dicts have a length"),
            "sum" | "any" | "all" | "sorted" if ty.is_number() => {
                (format!("`{function}` of {described} alone"), "it takes a list, or anything else with items")
            }
            "startswith" | "endswith" if matches!(ty, Type::List(_)) => {
                (format!("`{function}` does not take a list"), "write a tuple: `('a', 'b')`")
            }
            "range" if Kinds::of(ty).within(Kinds::FLOAT) => {
                ("`range` counts whole numbers only".to_owned(), "convert it: `int(...)`")
            }
            "int" | "float" | "abs" | "round" => (format!("`{function}` does not take {described}"), to_number(ty)),
            _ => (format!("`{function}` does not take {described}"), "convert it, or give it another value"),
        };
        self.always_raises(node.range, message, "TypeError", help);
    }
}

/// The help for a value that should be a number.
fn to_number(ty: &Type) -> &'static str {
    match ty {
        Type::Class("str") => "convert the text: `float(...)`",
        Type::Optional(inner) if matches!(**inner, Type::Class(name) if name.starts_with(|c: char| c.is_ascii_uppercase())) => {
            "use one of its attributes"
        }
        Type::None | Type::Optional(_) => "give it a number where it may be `None`: `(... or 0)`",
        Type::List(_) | Type::Class("tuple" | "set" | "dict") => "use one of its items, or `len(...)` for their number",
        Type::Class(_) => "use one of its attributes",
        _ => "use a number",
    }
}

/// The name of a type in a message that is about whole numbers.
fn kind_of_number(ty: &Type) -> String {
    match ty {
        Type::Class("int") => "a whole number".to_owned(),
        Type::Class("float") => "a fractional number".to_owned(),
        ty => ty.describe(),
    }
}

fn sign(op: Operator) -> &'static str {
    match op {
        Operator::LShift => "<<",
        Operator::RShift => ">>",
        Operator::BitAnd => "&",
        Operator::BitOr => "|",
        _ => "^",
    }
}
