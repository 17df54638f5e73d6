//! The builtin functions: one table.
//!
//! The functions are in the files of this folder, by topic; [`convert`] converts arguments to numbers.

pub mod attributes;
pub mod classes;
pub mod containers;
pub mod convert;
pub mod exceptions;
pub mod lazy;
pub mod numbers;
pub mod scalars;
pub mod sequences;
pub mod text;

use super::value::Builtin;

/// The builtin functions, by name.
pub static BUILTINS: &[Builtin] = &[
    Builtin::pure("", "abs", numbers::abs),
    Builtin::pure("", "all", sequences::all),
    Builtin::pure("", "any", sequences::any),
    Builtin::new("", "ascii", text::ascii),
    Builtin::new("", "bin", numbers::bin),
    Builtin::pure("", "callable", classes::callable),
    Builtin::pure("", "chr", text::chr),
    Builtin::pure("", "divmod", numbers::divmod),
    Builtin::new("", "format", text::format),
    Builtin::pure("", "getattr", attributes::getattr),
    Builtin::pure("", "hasattr", attributes::hasattr),
    Builtin::new("", "hash", attributes::hash),
    Builtin::new("", "hex", numbers::hex),
    Builtin::new("", "id", attributes::id),
    Builtin::pure("", "isinstance", classes::isinstance),
    Builtin::pure("", "issubclass", classes::issubclass),
    Builtin::new("", "iter", sequences::iter),
    Builtin::pure("", "len", sequences::len),
    Builtin::pure("", "max", sequences::max),
    Builtin::pure("", "min", sequences::min),
    Builtin::new("", "next", sequences::next),
    Builtin::new("", "oct", numbers::oct),
    Builtin::pure("", "ord", text::ord),
    Builtin::new("", "pow", numbers::pow),
    Builtin::new("", "print", text::print),
    Builtin::new("", "repr", text::repr),
    Builtin::pure("", "round", numbers::round),
    Builtin::pure("", "sorted", sequences::sorted),
    Builtin::pure("", "sum", sequences::sum),
];
