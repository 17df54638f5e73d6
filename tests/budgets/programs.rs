//! Random programs that end, in a result or an error, within the measure of the attacks: nested values that share their parts, long texts,
//! and whatever looks at all of one: tests of classes, comparisons, hashes, texts, `translate`, the fields of entities, messages of exceptions.
//!
//! `TPVC_SEED=7 TPVC_PROGRAMS=10000` makes other programs, or so many; a failure prints seed and program.

use std::sync::mpsc;
use std::time::Duration;

use super::random::{Random, rounds, setting};
use super::{Attacked, FACTOR, Place};

/// The programs of a thorough run.
const ALL: u64 = 10_000;

/// An unoptimized build runs one of this many.
const SHARE: u64 = if cfg!(debug_assertions) { 10 } else { 1 };

/// The programs of one config.
const BATCH: u64 = 100;

/// A program that runs so long does not end.
const ENDLESS: Duration = Duration::from_secs(120);

/// The statements that make a value of a variable.
fn value(random: &mut Random, name: &str) -> String {
    let leaf = *random.pick(&[
        "int",
        "str",
        "()",
        "1",
        "1.5",
        "'a'",
        "None",
        "b'a'",
        "[]",
        "{}",
        "int | str",
        "ValueError('a')",
        "entity",
        "tool",
        "float('nan')",
        "'x' * 100000",
        "'é' * 10000",
        "b'x' * 100000",
        "7 ** 5000",
        "frozenset(range(3000))",
        "range(10 ** 6)",
        "[1] * 5000",
        "(1, 'a') * 2000",
        "['x' * 1000000] * 4000",
        "{i: i for i in range(2000)}",
    ]);
    let nested = *random.pick(&[
        "(x, x)",
        "(x, x)",
        "(x, x, x)",
        "[x, x]",
        "[x]",
        "(x,)",
        "{'a': x, 'b': x}",
        "{'a': x}",
        "[x] * 50",
        "(x,) * 300",
        "slice(x, x)",
        "ValueError(x, x)",
        "{1: [x, x]}",
        "(x, 'é' * 1000)",
        "[x, {'name': x, 'value': x}]",
    ]);
    let times = *random.pick(&[0, 1, 2, 3, 7, 12, 15, 18, 40, 300, 1200]);
    let nested = nested.replace('x', name);
    format!("{name} = {leaf}\nfor _ in range({times}): {name} = {nested}\n")
}

/// An expression that looks at the variables `a` and `b`.
fn look(random: &mut Random) -> &'static str {
    const LOOKS: &[&str] = &[
        "isinstance(1, a)",
        "isinstance(b, (a, b))",
        "issubclass(int, a)",
        "a == b",
        "a != b",
        "a < b",
        "a in (b, a)",
        "b in a",
        "hash(a)",
        "{a, b}",
        "{a: 1}",
        "{a} == {b}",
        "{a} & {b}",
        "{a: b} == {b: a}",
        "frozenset([a]) | {b}",
        "str(a)",
        "repr(a)",
        "f'{a}'",
        "f'{a!r:>100}'",
        "'%s' % (a,)",
        "'{} {}'.format(a, b)",
        "'{0!r}'.format(a)",
        "json.dumps(a)",
        "json.dumps([a, b], indent=2)",
        "json.loads(json.dumps(a))",
        "sorted([a, b])",
        "max(a, b)",
        "sum(a, ())",
        "list(a)",
        "len(a)",
        "tuple(a) + tuple(b)",
        "dict(a)",
        "a + b",
        "a * 3",
        "[a] * 1000",
        "any(a)",
        "list(zip(a, b))",
        "a.index(b)",
        "a.count(b)",
        "str(a).translate({39: 'xy' * 1000})",
        "text.translate({120: str(b)})",
        "text.translate(table)",
        "text.translate(str.maketrans('x', 'y', 'z'))",
        "text.startswith(tuple(a))",
        "text.startswith((text[:-1] + 'y',) * 1000)",
        "text.replace('x', str(a))",
        "text.join(a)",
        "text in str(a)",
        "text.split('x')",
        "text == str(b)",
        "text.encode().decode()",
        "{text: a}[text]",
        "bool(a)",
        "callable(a)",
        "a is b",
        "type(a)(b)",
        "log.info('%s', a)",
        "log.warning(a)",
        "math.fsum(a)",
        "re.sub('x', text, text)",
        "list(map(str, a))",
        "list(itertools.chain(a, b))",
        "list(itertools.product(a, b))",
        "functools.reduce(lambda x, y: (x, y), a)",
        "entity.dict()",
        "entity.model_copy(update={'a': a})",
        "list(entity)",
        "entity.tpv_tags.combine(entity.tpv_tags)",
        "helpers.tag_values_match(entity, a)",
        "helpers.job_args_match(job, app, {'a': a})",
        "helpers.weighted_choice([{'weight': 1, 'a': a}] * 100)",
        "helpers.tool_version_eq(tool, str(a))",
        "getattr(entity, str(a), b)",
        "hasattr(tool, text)",
    ];
    random.pick::<&str>(LOOKS)
}

/// A statement that leaves the variables somewhere.
fn leave(random: &mut Random) -> &'static str {
    const LEFT: &[&str] = &[
        "entity.params = {'a': a, 'b': b}",
        "entity.params = a",
        "entity.params = {str(i): a for i in range(100)}",
        "entity.params[a] = b",
        "entity.params = {'a': [text] * 1000}",
        "entity.params = {text: a}",
        "entity.env = [{'name': 'A', 'value': text}] * 1000",
        "entity.env = a",
        "entity.env = [{'name': a, 'value': b}]",
        "entity.env = [{'name': str(i), 'value': str(i)} for i in range(3000)]",
        "entity.resubmit = {'a': a, 'b': {'destination': b}}",
        "entity.resubmit = a",
        "entity.context = {'a': a, 'b': b}",
        "entity.context = a",
        "entity.cores = a",
        "entity.mem = str(a)",
        "entity.max_mem = b",
        "entity.rank = a",
        "entity.id = a",
        "entity.other = a",
        "entity.rules = a",
        "entity.tpv_tags.require = a",
        "entity.tpv_tags = a",
        "entity.tpv_tags.prefer = [text, 'b'] * 100",
        "raise ValueError(a)",
        "raise KeyError(a)",
        "raise ValueError(a, b)",
        "raise JobMappingException(a)",
        "raise JobMappingException([text] * 100)",
        "e = ValueError(); e.failure_message = a; raise e",
        "tool.other = a",
        "user = a",
        "pass",
    ];
    random.pick::<&str>(LEFT)
}

/// A program: two values, a text, and a few statements, some of them without end.
fn program(random: &mut Random) -> String {
    let mut code =
        "import functools, itertools, json, math, re\nfrom galaxy.jobs.mapper import JobMappingException\n".to_owned();
    code += &value(random, "a");
    code += &value(random, "b");
    if random.one_in(3) {
        code += "b = a\n";
    }
    let text = *random.pick(&["'x' * 8000", "'x' * 1000000", "'é' * 50000", "'{x}' * 100", "'x\\'\"' * 3000"]);
    let table = *random.pick(&["{120: 'y' * 8000}", "{120: None}", "{233: 'é' * 300}", "{}", "[a, b] * 100"]);
    code += &format!("text = {text}\ntable = {table}\n");
    for _ in 0..=random.below(4) {
        let looked = look(random);
        code += &match random.below(4) {
            0 => format!("{looked}\n"),
            1 => format!(
                "for _ in range({}):\n    try: {looked}\n    except Exception: pass\n",
                random.pick(&[10, 1000, 100_000])
            ),
            2 if random.one_in(3) => format!("while True:\n    try: {looked}\n    except Exception: pass\n"),
            2 => format!("try: a = {looked}\nexcept Exception as e: b = e\n"),
            _ => format!("try: {looked}\nexcept (TypeError, ValueError) as e: text = str(e)\nexcept Exception: pass\n"),
        };
    }
    code + leave(random)
}

#[test]
fn random_programs_end_within_the_measure() {
    let (seed, programs) = (setting("TPVC_SEED", 1), rounds("TPVC_PROGRAMS", ALL.div_ceil(SHARE)));
    println!("TPVC_SEED={seed} TPVC_PROGRAMS={programs}");
    let mut random = Random::new(seed);
    let (mut slowest, mut classes) = ((0.0, String::new()), std::collections::BTreeMap::new());
    for first in (0..programs).step_by(usize::try_from(BATCH).unwrap()) {
        let batch: Vec<String> = (first..programs.min(first + BATCH)).map(|_| program(&mut random)).collect();
        let attacked = std::sync::Arc::new(Attacked::new(&batch, Place::Execute));
        for (number, code) in batch.iter().enumerate() {
            let (send, receive) = mpsc::channel();
            let attacked = attacked.clone();
            // A thread that does not end is left behind: the test ends with the program.
            std::thread::spawn(move || send.send(attacked.map_measured(&format!("attack{number}"))));
            let measured = receive.recv_timeout(ENDLESS);
            let (class, took, times) = measured.unwrap_or_else(|_| panic!("TPVC_SEED={seed}: does not end:\n{code}"));
            assert!(times <= FACTOR, "TPVC_SEED={seed}: {took:?}, {times:.1} times the plain loop:\n{code}");
            *classes.entry(class).or_insert(0_u64) += 1;
            if times > slowest.0 {
                slowest = (times, code.clone());
            }
        }
    }
    println!("{classes:?}\n{:.1} times the plain loop:\n{}", slowest.0, slowest.1);
    // Most programs do something, and many of them more than the budget allows.
    for class in ["-", "TimeoutError", "TypeError"] {
        assert!(classes.get(class).is_some_and(|count| *count > programs / 50), "{class}: {classes:?}");
    }
}
