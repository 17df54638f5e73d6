//! Random blocks: numbers, conditions, statements around them.

use super::random::Random;

/// The names that mostly hold numbers.
const NUMBERED: [&str; 3] = ["cores", "mem", "gpus"];

const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "-1",
    "10",
    "64",
    "2.5",
    "0.5",
    "3.8",
    "0.0",
    "-0.0",
    "1e308",
    "5e-324",
    "0.1",
    "True",
    "9223372036854775807",
    "-9223372036854775808",
    "9007199254740993",
];

const OTHERS: [&str; 8] =
    ["None", "'abc'", "'a'", "''", "9223372036854775808", "('a', 'abc', 3)", "(1, 2.5, None, True)", "name"];

/// A block as random as the operations that kernels know, and some that they do not: mostly a number, at times anything.
pub fn number(random: &mut Random, depth: usize) -> String {
    if random.one_in(30) {
        return (*random.pick(&OTHERS)).to_owned();
    }
    if depth == 0 || random.one_in(8) {
        return match random.below(10) {
            0..=3 => (*random.pick(&NUMBERS)).to_owned(),
            4 => format!("thing.{}", random.pick(&["size", "share", "nothing", "missing", "label"])),
            _ => (*random.pick(&NUMBERED)).to_owned(),
        };
    }
    let below = |random: &mut Random| number(random, depth - 1);
    match random.below(15) {
        0..=4 => {
            let op = *random.pick(&["+", "-", "*", "/", "+", "-", "*", "/", "+", "*", "//", "%", "**", "&", "|", "^"]);
            let right = match op {
                "**" if !random.one_in(4) => (*random.pick(&["2", "3", "0", "-1", "0.5", "gpus"])).to_owned(),
                _ => below(random),
            };
            format!("({} {op} {right})", below(random))
        }
        5 => format!("({}{})", random.pick(&["-", "+", "-", "~"]), below(random)),
        6 => {
            let op = *random.pick(&["and", "or"]);
            let operands: Vec<String> = (0..2 + random.below(2)).map(|_| below(random)).collect();
            format!("({})", operands.join(&format!(" {op} ")))
        }
        7 | 8 => format!("({} if {} else {})", below(random), condition(random, depth - 1), below(random)),
        9 | 10 => {
            let function = *random.pick(&["min", "max"]);
            let operands: Vec<String> = (0..2 + random.below(2)).map(|_| below(random)).collect();
            format!("{function}({})", operands.join(", "))
        }
        11 => format!("round({}, {})", below(random), random.pick(&["0", "1", "2", "-1", "True", "gpus", "None"])),
        12 => format!("{}({})", random.pick(&["round", "int", "float", "abs", "bool"]), below(random)),
        13 => called(random, depth - 1),
        _ => format!("({})", condition(random, depth - 1)),
    }
}

pub fn condition(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return (*random.pick(&["cores", "mem", "name", "thing", "gpus", "input_size", "thing.label"])).to_owned();
    }
    let below = |random: &mut Random| number(random, depth - 1);
    match random.below(14) {
        12 => tested(random, depth - 1),
        13 => quantified(random, depth - 1),
        0..=2 => {
            let op = *random.pick(&["<", "<=", "==", "!=", ">", ">="]);
            format!("({} {op} {})", below(random), below(random))
        }
        3 | 4 => {
            let op = |random: &mut Random| *random.pick(&["<", "<=", "==", ">", ">="]);
            let (first, second) = (op(random), op(random));
            format!("({} {first} {} {second} {})", below(random), below(random), below(random))
        }
        5 => format!("({} {} None)", below(random), random.pick(&["is", "is not", "==", "!="])),
        6 => format!("({} is {})", below(random), below(random)),
        7 => format!("(not {})", condition(random, depth - 1)),
        8 => {
            let op = *random.pick(&["and", "or"]);
            let operands: Vec<String> = (0..2 + random.below(2)).map(|_| condition(random, depth - 1)).collect();
            format!("({})", operands.join(&format!(" {op} ")))
        }
        9 => {
            let text = *random.pick(&["name", "thing.label", "'abc'", "name", "mem"]);
            let affix = *random.pick(&["'a'", "'abc'", "('x', 'b')", "('a', 3)", "(3, 'a')", "name", "1", "''"]);
            format!("{text}.{}({affix})", random.pick(&["startswith", "endswith"]))
        }
        10 => {
            let item = match random.below(3) {
                0 => below(random),
                _ => (*random.pick(&["name", "thing.label", "'a'", "None"])).to_owned(),
            };
            let container =
                *random.pick(&["[1, 'abc', 2.5]", "('a', 'abc')", "name", "'xabcd'", "thing.label", "(None, 0)"]);
            format!("({item} {} {container})", random.pick(&["in", "not in"]))
        }
        _ => {
            let text = *random.pick(&["name", "thing.label", "'abc'", "f'a{name}'"]);
            let op = *random.pick(&["==", "!=", "<", ">=", "is"]);
            format!("({text} {op} {})", random.pick(&["'abc'", "''", "name", "None", "cores"]))
        }
    }
}

/// A call or an item that gives anything, but mostly a number.
fn called(random: &mut Random, depth: usize) -> String {
    match random.below(12) {
        0 => format!("len({})", random.pick(&["name", "things", "table", "'abc'", "cores"])),
        1 => format!("sum([x.size for x in things if {}])", of_item(random)),
        2 => format!("table.get({}, {})", random.pick(&["'a'", "'n'", "name", "'zz'"]), number(random, depth)),
        3 => format!("table[{}]", random.pick(&["'a'", "name", "'zz'", "cores"])),
        4 => format!("things[{}].size", random.pick(&["0", "1", "-1", "'a'"])),
        5 => format!("{{'a': {}, 'b': 2}}.get(name, 4)", number(random, depth)),
        6 => format!("getattr(thing, {}, {})", random.pick(&["'size'", "'rare'", "name"]), number(random, depth)),
        7 => format!("max([{}, {}])", number(random, depth), number(random, depth)),
        8 => format!("len([{} for x in things])", random.pick(&["x.label", "x.rare", "x", "(x, 1)", "[x.size]"])),
        9 => format!("sorted([x.size for x in things])[{}]", random.pick(&["0", "-1"])),
        10 => format!("things.pop().size if things else {}", number(random, depth)),
        _ => format!("round(number={}, ndigits=1)", number(random, depth)),
    }
}

/// A condition on `x`, an item of a comprehension.
fn of_item(random: &mut Random) -> String {
    (*random.pick(&[
        "x.size > 3",
        "not x.nothing",
        "x.label.startswith('a')",
        "x.label == name",
        "x.rare",
        "x.share * cores < mem",
        "x",
        "x.label in ['a', 'abc']",
        "any([y.size > x.size for y in things])",
    ]))
    .to_owned()
}

/// A condition that asks an object or calls a function.
fn tested(random: &mut Random, depth: usize) -> String {
    match random.below(9) {
        0 => format!("isinstance({}, {})", number(random, depth), random.pick(&["int", "(int, float)", "str"])),
        1 => format!("hasattr(thing, {})", random.pick(&["'size'", "'rare'", "'absent'"])),
        2 => format!("'{}' in [x.label for x in things]", random.pick(&["a", "", "abcdef"])),
        3 => format!("name.lower().strip() == {}", random.pick(&["'abc'", "thing.label"])),
        4 => "name.replace('b', '').endswith('c')".to_owned(),
        5 => format!("({} in table)", random.pick(&["'a'", "name"])),
        6 => format!("thing.get() == {}", random.pick(&["'a'", "name"])),
        7 => "thing.clear()".to_owned(),
        _ => format!("name in ({}, 'a', thing.label)", number(random, depth)),
    }
}

/// `any` and `all`.
fn quantified(random: &mut Random, depth: usize) -> String {
    let quantifier = *random.pick(&["any", "all"]);
    let element = if random.one_in(3) { condition(random, depth) } else { of_item(random) };
    let filter = if random.one_in(2) { format!(" if {}", of_item(random)) } else { String::new() };
    let iterable = *random.pick(&["things", "things", "things", "table", "(1, 0, cores)", "name", "[thing, thing]"]);
    let brackets = if random.one_in(2) { ("[", "]") } else { ("", "") };
    format!("{quantifier}({}{element} for x in {iterable}{filter}{})", brackets.0, brackets.1)
}

/// A block with statements, whose variables may be unset where they are read, or hide names of the context.
pub fn block(random: &mut Random, depth: usize) -> String {
    let mut lines = String::new();
    statements(random, depth, 0, &mut lines);
    let last = match random.below(3) {
        0 => (*random.pick(&["a", "b", "a if b else c", "not a", "(a, b)"])).to_owned(),
        1 => condition(random, depth),
        _ => number(random, depth),
    };
    lines + &last
}

fn statements(random: &mut Random, depth: usize, indent: usize, lines: &mut String) {
    let space = " ".repeat(2 * indent);
    for _ in 0..=random.below(3) {
        let target = *random.pick(&["a", "b", "c", "a", "b", "cores"]);
        let below = |random: &mut Random, lines: &mut String| {
            if depth > 0 {
                statements(random, depth - 1, indent + 1, lines)
            } else {
                lines.push_str(&format!("{space}  pass\n"))
            }
        };
        match random.below(16) {
            0..=4 => lines.push_str(&format!("{space}{target} = {}\n", number(random, depth))),
            5..=7 => lines.push_str(&format!("{space}{target} = {}\n", condition(random, depth))),
            8..=10 => {
                lines.push_str(&format!("{space}if {}:\n", condition(random, depth)));
                below(random, lines);
                if random.one_in(2) {
                    lines.push_str(&format!("{space}else:\n"));
                    below(random, lines);
                }
            }
            11 => {
                lines.push_str(&format!("{space}try:\n"));
                below(random, lines);
                lines.push_str(&format!("{space}except Exception as e:\n{space}  {target} = str(e)\n"));
            }
            12 => lines.push_str(&format!(
                "{space}{target} {}= {}\n",
                random.pick(&["+", "-", "*"]),
                number(random, depth)
            )),
            13 => {
                let import =
                    *random.pick(&["from math import ceil, floor", "import math", "from numbers import Number as b"]);
                lines.push_str(&format!("{space}{import}\n{space}{target} = math.floor(mem) if mem else ceil(mem)\n"));
            }
            14 => lines.push_str(&format!("{space}{target} = [x.label for x in things if {}]\n", of_item(random))),
            _ => lines.push_str(&format!("{space}{target} = table.get('a')\n")),
        }
    }
}

/// The source of an f-string: literals and fields, some with formats that the value may not have.
pub fn fstring(random: &mut Random) -> String {
    let mut source = String::new();
    for _ in 0..1 + random.below(3) {
        if random.one_in(2) {
            source += *random.pick(&["--mem=", "G ", "{{", "}}", "\u{e9}", "\"", "\n", "\\\\", "\u{1f600}"]);
        }
        let depth = random.below(4) as usize;
        let field = match random.below(4) {
            0 => condition(random, depth),
            1 => format!("f\"{{{}}}{}\"", number(random, depth.min(1)), random.pick(&["", "x", "{name}"])),
            _ => number(random, depth),
        };
        let formats =
            [":.2f", ":d", ":>8", ":08.3f", ":s", ":x", ":,", ":.3", "!s", "!r", "!s:>6", ":", ":{cores}", "=", ":q"];
        let format = if random.one_in(3) { *random.pick(&formats) } else { "" };
        source += &format!("{{{field}{format}}}");
    }
    source
}
