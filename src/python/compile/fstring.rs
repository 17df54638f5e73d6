//! f-strings.

use rustpython_parser::ast::{self, ConversionFlag, Expr};
use tpv_runtime::python::code::{Const, Conversion, Instr};

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

    pub(super) fn formatted_value(&mut self, node: &'a ast::ExprFormattedValue) -> Done {
        self.expression(&node.value)?;
        let place = self.place;
        if let Some(spec) = &node.format_spec {
            self.expression(spec)?;
        }
        // The field, not the whole string.
        self.place = place;
        self.emit(Instr::FormatValue {
            conversion: match node.conversion {
                ConversionFlag::None => Conversion::None,
                ConversionFlag::Str => Conversion::Str,
                ConversionFlag::Ascii => Conversion::Ascii,
                ConversionFlag::Repr => Conversion::Repr,
            },
            spec: node.format_spec.is_some(),
        })
    }
}
