//! f-strings, and the formats by `%` that CPython's optimizer makes such of.

use std::iter::Peekable;
use std::str::Chars;

use crate::syntax::ast::{self, Constant, ConversionFlag, Expr};
use tpv_bytecode::{Const, Conversion, Instr};

use super::expression::count;
use super::{Compiler, Done};

impl<'a> Compiler<'a> {
    pub(super) fn joined_string(&mut self, values: &'a [Expr]) -> Done {
        match values {
            [] => {
                let empty = Const::Str(self.program.string(""));
                self.constant(empty)
            }
            [value] => self.expression(value),
            _ => {
                self.each(values)?;
                self.emit(Instr::BuildString { count: count(values) })
            }
        }
    }

    /// The text of a log message, whose callee is on top of the stack: what nobody reads is not shown.
    pub(super) fn message(&mut self, values: &'a [Expr]) -> Done {
        if values.len() < 2 {
            return self.joined_string(values);
        }
        for (callee, value) in (1..).zip(values) {
            match value {
                Expr::FormattedValue(field) if field.format_spec.is_none() => self.field(field, Some(callee))?,
                _ => self.expression(value)?,
            }
        }
        self.emit(Instr::BuildString { count: count(values) })
    }

    pub(super) fn formatted_value(&mut self, node: &'a ast::ExprFormattedValue) -> Done {
        self.field(node, None)
    }

    /// A field; in the message of a log, `callee` is the depth of what logs.
    fn field(&mut self, node: &'a ast::ExprFormattedValue, callee: Option<u32>) -> Done {
        self.expression(&node.value)?;
        let place = self.place;
        if let Some(spec) = &node.format_spec {
            self.expression(spec)?;
        }
        // The field, not the whole string.
        self.place = place;
        let conversion = match node.conversion {
            ConversionFlag::None => Conversion::None,
            ConversionFlag::Str => Conversion::Str,
            ConversionFlag::Ascii => Conversion::Ascii,
            ConversionFlag::Repr => Conversion::Repr,
        };
        self.emit(match callee {
            Some(depth) => Instr::FormatLogged { conversion, depth },
            None => Instr::FormatValue { conversion, spec: node.format_spec.is_some() },
        })
    }

    /// `'%s %r' % (a, b)`, whose items are evaluated and shown in turn: CPython 3.11 makes a f-string of it.
    pub(super) fn percent(&mut self, parts: Vec<Part>, items: &'a [Expr]) -> Done {
        let (amount, mut items) = (u32::try_from(parts.len()).unwrap_or(u32::MAX), items.iter());
        for part in parts {
            match part {
                Part::Literal(text) => {
                    let text = Const::Str(self.program.string(&text));
                    self.constant(text)?;
                }
                Part::Item(conversion, spec) => {
                    if let Some(item) = items.next() {
                        self.expression(item)?;
                    }
                    let has_spec = !spec.is_empty();
                    if has_spec {
                        let spec = Const::Str(self.program.string(&spec));
                        self.constant(spec)?;
                    }
                    self.emit(Instr::FormatValue { conversion, spec: has_spec })?;
                }
            }
        }
        self.emit(Instr::BuildString { count: amount })
    }
}

/// A part of a format.
pub(super) enum Part {
    Literal(String),
    /// The conversion of the item to text, and the specification of its format.
    Item(Conversion, String),
}

/// The parts of `format % (items)` where all are of the simple kind that CPython's optimizer takes: `%s`, `%r` and `%a` with
/// flags, width and precision, as many as there are items.
pub(super) fn percent_parts(node: &ast::ExprBinOp) -> Option<(Vec<Part>, &[Expr])> {
    let (ast::Operator::Mod, Expr::Constant(format), Expr::Tuple(items)) = (node.op, &*node.left, &*node.right) else {
        return None;
    };
    let Constant::Str(format) = &format.value else { return None };
    if items.elts.iter().any(|item| matches!(item, Expr::Starred(_))) {
        return None;
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut characters = format.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '%' || characters.next_if_eq(&'%').is_some() {
            match parts.last_mut() {
                Some(Part::Literal(text)) => text.push(character),
                _ => parts.push(Part::Literal(character.to_string())),
            }
            continue;
        }
        let mut left = false;
        while let Some(flag) = characters.next_if(|character| "-+ #0".contains(*character)) {
            left |= flag == '-';
        }
        let width = digits(&mut characters)?;
        let mut spec = if left || width.is_empty() { String::new() } else { ">".to_owned() };
        spec.push_str(&width);
        if characters.next_if_eq(&'.').is_some() {
            let precision = digits(&mut characters)?;
            spec.push('.');
            spec.push_str(if precision.is_empty() { "0" } else { &precision });
        }
        let conversion = match characters.next()? {
            's' => Conversion::Str,
            'r' => Conversion::Repr,
            'a' => Conversion::Ascii,
            _ => return None,
        };
        parts.push(Part::Item(conversion, spec));
    }
    let count = parts.iter().filter(|part| matches!(part, Part::Item(..))).count();
    (count == items.elts.len() && count > 0).then_some((parts, &items.elts))
}

/// The digits that come next: fewer than three, beyond which CPython leaves a format alone.
fn digits(characters: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut digits = String::new();
    while let Some(digit) = characters.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    (digits.len() < 3).then_some(digits)
}
