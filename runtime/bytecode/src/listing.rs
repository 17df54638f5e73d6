//! A code's instructions as text, for people.

use std::fmt::Write;

use super::code::{Code, Const, ProgramData};
use super::instruction::{Instr, Operand};
use super::kernel;

/// The instructions of a code, one per line: a mark if it is a jump target, the index, the source position if it changed,
/// the opcode, the operands, and the items they refer to.
pub fn listing(data: &ProgramData, index: u32) -> String {
    let mut text = String::new();
    let Some(code) = data.codes.get(index as usize) else {
        return text;
    };
    let name = |index: u32| data.strings.get(index as usize).map_or("?", String::as_str);
    let _ = writeln!(text, "code {index}: {} ({:?}), stack {}", name(code.name), code.kind, code.max_stack);
    if let Some((reason, only_live)) = data.cpython(index) {
        let condition = if only_live { "inside Galaxy" } else { "if available" };
        let _ = writeln!(text, "  runs in CPython {condition}, because {reason}");
    }
    for (what, indices) in [("locals", &code.locals), ("cells", &code.cells), ("free", &code.free)] {
        if !indices.is_empty() {
            let names: Vec<&str> = indices.iter().map(|index| name(*index)).collect();
            let _ = writeln!(text, "  {what}: {}", names.join(", "));
        }
    }
    let targets: Vec<u32> = code.instrs.iter().filter_map(Instr::target).collect();
    let mut places = code.places.iter().peekable();
    for (at, instr) in code.instrs.iter().enumerate() {
        let mark = if targets.iter().any(|target| *target as usize == at) { ">" } else { " " };
        let place = match places.next_if(|(first, _, _)| *first as usize == at) {
            Some((_, line, column)) => format!("{line}:{column}"),
            None => String::new(),
        };
        let mut line = format!("{mark} {at:4} {place:>7}  {:<18}", instr.name());
        let mut names = Vec::new();
        let _ = instr.operands(|field, operand| {
            let _ = write!(line, " {field}={}", number(operand));
            names.extend(named(data, code, operand));
            Ok::<_, std::convert::Infallible>(())
        });
        if !names.is_empty() {
            let _ = write!(line, "  ; {}", names.join(" "));
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if let Some(kernel) = &code.kernel {
        let constant = |index: u32| code.consts.get(index as usize).map_or_else(String::new, |c| const_text(data, c));
        text += &kernel::listing(kernel, data, code, constant);
    }
    text
}

/// A code's behaviour as text: identical for codes of any two programs that have the same instructions on the same
/// constants and names, at any position in the program and in the block's text. Comments, whitespace and quote style do not
/// matter.
pub fn meaning(data: &ProgramData, index: u32) -> String {
    let mut text = String::new();
    let Some(code) = data.codes.get(index as usize) else {
        return text;
    };
    let Code { kind, parameters, closure, generator, .. } = code;
    let _ = write!(text, "{kind:?} {parameters:?} {closure:?} {generator}");
    for indices in [&code.locals, &code.cells, &code.free] {
        let names = indices.iter().map(|index| data.strings.get(*index as usize));
        let _ = write!(text, " {:?}", names.collect::<Vec<_>>());
    }
    for instr in &code.instrs {
        let _ = write!(text, "\n{}", instr.name());
        let _ = instr.operands(|_, operand| {
            let _ = match operand {
                Operand::Function(inner) if inner != index => write!(text, " [{}]", meaning(data, inner)),
                other => match named(data, code, other) {
                    Some(name) => write!(text, " {name:?}"),
                    None => write!(text, " {}", number(other)),
                },
            };
            Ok::<_, std::convert::Infallible>(())
        });
    }
    text
}

/// The operand itself.
fn number(operand: Operand) -> String {
    match operand {
        Operand::Constant(number)
        | Operand::Text(number)
        | Operand::KeywordNames(number)
        | Operand::Local(number)
        | Operand::Cell(number)
        | Operand::Name(number)
        | Operand::Target(number)
        | Operand::Function(number)
        | Operand::Count(number)
        | Operand::Depth(number) => number.to_string(),
        Operand::Flag(flag) => flag.to_string(),
        Operand::UnaryOp(op) => format!("{op:?}"),
        Operand::BinaryOp(op) => format!("{op:?}"),
        Operand::CompareOp(op) => format!("{op:?}"),
        Operand::Conversion(conversion) => format!("{conversion:?}"),
    }
}

/// The program item that an operand refers to, if any.
fn named(data: &ProgramData, code: &Code, operand: Operand) -> Option<String> {
    let string = |index: &u32| data.strings.get(*index as usize).cloned();
    match operand {
        Operand::Constant(index) | Operand::Text(index) | Operand::KeywordNames(index) => {
            code.consts.get(index as usize).map(|value| const_text(data, value))
        }
        Operand::Local(slot) => code.locals.get(slot as usize).and_then(string),
        Operand::Cell(index) => code.cells.iter().chain(&code.free).nth(index as usize).and_then(string),
        Operand::Name(index) => {
            let root = data.codes.get(code.root as usize)?;
            data.names.get(*root.names.get(index as usize)? as usize).cloned()
        }
        Operand::Function(code) => data.codes.get(code as usize).and_then(|code| string(&code.name)),
        _ => None,
    }
}

/// A constant, much as Python writes it.
fn const_text(data: &ProgramData, value: &Const) -> String {
    let all = |items: &[Const]| items.iter().map(|item| const_text(data, item)).collect::<Vec<_>>().join(", ");
    match value {
        Const::None => "None".to_owned(),
        Const::Ellipsis => "...".to_owned(),
        Const::Bool(true) => "True".to_owned(),
        Const::Bool(false) => "False".to_owned(),
        Const::Int(value) => value.to_string(),
        Const::BigInt(bytes) => num_bigint::BigInt::from_signed_bytes_le(bytes).to_string(),
        Const::Float(value) => format!("{value:?}"),
        Const::Str(index) => format!("{:?}", data.strings.get(*index as usize).map_or("?", String::as_str)),
        Const::Bytes(bytes) => format!("b\"{}\"", bytes.escape_ascii()),
        Const::Tuple(items) => match items.as_slice() {
            [one] => format!("({},)", const_text(data, one)),
            items => format!("({})", all(items)),
        },
        Const::FrozenSet(items) => format!("frozenset({{{}}})", all(items)),
    }
}
