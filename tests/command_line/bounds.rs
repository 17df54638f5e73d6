//! The resources of a process are bounded, whatever its input: its memory by the system's record of the maximum.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tpv_bytecode::verify::verify;
use tpv_bytecode::{CodeKind, Const, Instr};
use tpv_compiler::python::program::ProgramBuilder;

/// The most memory in MiB that a process had until now, where the system tells.
fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib / 1024)
}

/// Runs a process with what `write` writes to it. One that comes to have more than `most` MiB is ended, and the test fails.
fn run(command: &mut Command, most: u64, write: impl FnOnce(&mut dyn Write) + Send + 'static) -> Output {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut stdin, mut stdout, mut stderr) =
        (child.stdin.take().unwrap(), child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let writer = std::thread::spawn(move || write(&mut stdin));
    let read = |from: &mut dyn Read| {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        bytes
    };
    let (out, error) = (std::thread::spawn(move || read(&mut stdout)), std::thread::spawn(move || read(&mut stderr)));
    let mut highest = 0;
    let status = loop {
        highest = highest.max(peak(child.id()).unwrap_or_default());
        if highest > most {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("more than {most} MiB");
        }
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    println!("{highest} MiB");
    writer.join().unwrap();
    Output { status, stdout: out.join().unwrap(), stderr: error.join().unwrap() }
}

fn tpvc() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tpvc"))
}

fn config(folder: &Path, text: &str) -> String {
    let path = folder.join("tpv.yml");
    std::fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

/// The answers to jobs of these tools.
fn map(config: &str, tools: &[&str], options: &[&str], most: u64) -> Vec<String> {
    let lines: String = tools.iter().map(|tool| format!("{{\"tool\": {{\"id\": \"{tool}\"}}}}\n")).collect();
    let mut command = tpvc();
    command.args(["map", "--config", config, "-", "--threads", "1"]).args(options);
    let output = run(&mut command, most, move |stdin| stdin.write_all(lines.as_bytes()).unwrap());
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Each job brings a tool that none had before, and with it entities of long ids.
#[test]
fn what_a_thread_keeps_of_a_stream_is_bounded() {
    const JOBS: usize = 2_500;
    let folder = tempfile::tempdir().unwrap();
    let path = config(
        folder.path(),
        "tools:\n  default:\n    cores: len(tool.id) % 3 + 1\n    context: {a: 1}\n    rules:\n      - id: rule\n        \
         if: len(tool.id) % 2\n        mem: 3\nusers:\n  .*@x:\n    mem: 2\n\
         destinations:\n  local:\n    runner: local\n    max_accepted_cores: 100\n",
    );
    let mut command = tpvc();
    command.args(["map", "--config", &path, "-", "--threads", "1"]);
    let output = run(&mut command, 230, |stdin| {
        let long = "x".repeat(28_000);
        for number in 0..JOBS {
            let odd = if number % 2 == 0 { "" } else { "y" };
            let line = format!(
                "{{\"id\": {number}, \"tool\": {{\"id\": \"{long}{odd}{number:06}\"}}, \"user\": {{\"id\": {number}, \
                 \"username\": \"u{number}\", \"email\": \"u{number}@x\", \"roles\": [\"r{number}\"]}}, \
                 \"job\": {{\"id\": {number}}}}}\n"
            );
            stdin.write_all(line.as_bytes()).unwrap();
        }
    });
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), JOBS, "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.lines().all(|line| line.contains("\"runner\": \"local\"")), "{:.400}", text.lines().nth(1).unwrap());
}

#[test]
fn answers_have_a_budget_of_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let shared = "x = 'a'\n          for i in range(50): x = {'a': x, 'b': x}";
    let path = config(
        folder.path(),
        &format!(
            "tools:\n  shared:\n    rules:\n      - if: true\n        execute: |\n          {shared}\n          entity.params['x'] = x\n  \
             lists:\n    rules:\n      - if: true\n        execute: |\n          x = ['a']\n          for i in range(50): x = [x, x]\n          entity.params['x'] = x\n  \
             env:\n    rules:\n      - if: true\n        execute: |\n          x = 'a' * 10 ** 6\n          entity.env = [dict(name=str(i), value=x) for i in range(80)]\n  \
             escapes:\n    rules:\n      - if: true\n        execute: |\n          entity.params['x'] = 'é' * (11 * 2 ** 20)\n  \
             message:\n    rules:\n      - if: true\n        execute: raise ValueError('é' * (11 * 2 ** 20))\n  \
             failure:\n    rules:\n      - if: true\n        execute: |\n          {shared}\n          e = ValueError('a')\n          e.failure_message = x\n          raise e\n  \
             rank:\n    rank: |\n      x = candidate_destinations[0]\n      x.id = 'a' * 10 ** 6\n      [x] * 1000\n  \
             fine:\n    cores: 2\n\
             destinations:\n  local:\n    runner: local\n"
        ),
    );
    let tools = ["shared", "lists", "failure", "rank", "fine", "env", "escapes", "message"];
    let (first, last) = tools.split_at(5);
    let mut answers = map(&path, first, &["--detail"], 400);
    // Long texts take steps, too.
    answers.extend(map(&path, last, &["--detail", "--max-steps", "50000000"], 400));
    let classes: Vec<_> = answers
        .iter()
        .map(|line| line.split("\"type\": \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("-"))
        .collect();
    assert_eq!(
        classes,
        [
            "TimeoutError",
            "TimeoutError",
            "TimeoutError",
            "MemoryError",
            "-",
            "MemoryError",
            "MemoryError",
            "MemoryError"
        ]
    );
    assert!(answers[5].contains("a value of more than 64 MiB"), "{:.300}", answers[5]);
    assert!(answers.iter().all(|line| line.len() < 1000));
    // What is said of them is bounded as well.
    for tool in &tools[..4] {
        let mut command = tpvc();
        command.args(["dry-run", &path, "--tool", tool, "--explain"]);
        run(&mut command, 400, |_| {});
    }
}

/// Rules that make an entity a rule of itself, with what TPV 3.3.0 answers: the cores, or the class of the error.
const ENDLESS: &[(&str, &str)] = &[
    ("execute: 'entity.rules = {1: entity}'", "1"),
    ("execute: 'entity.rules[0] = entity'", "RuntimeError"),
    ("execute: \"entity.rules = {1: entity}\\nx = entity.combine(entity)\\nentity.cores = 3\"", "3"),
    ("execute: \"entity.rules = {1: entity}\\nx = entity.dict()\\nentity.cores = len(x['rules'])\"", "1"),
    ("execute: \"entity.rules = {1: entity}\\ne = entity.copy()\"", "1"),
    ("execute: \"entity.rules = {1: entity}\\ne = entity.rules[1].rules[1]\\ne.cores = 7\\ne.rules = {}\"", "7"),
    ("execute: \"entity.rules = {entity.id: entity}\\nx = entity.combine(entity)\"", "RecursionError"),
    ("execute: 'entity.rules = 5'", "TypeError"),
    ("rank: \"entity.rules = {1: entity}\\ncandidate_destinations\"", "AttributeError"),
    ("rank: \"d = candidate_destinations[0]\\nd.rules = {1: d}\\n[d]\"", "AttributeError"),
];

#[test]
fn an_entity_that_is_a_rule_of_itself_ends_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "tools:\n".to_owned();
    for (number, (field, _)) in ENDLESS.iter().enumerate() {
        text += &match field.strip_prefix("rank: ") {
            Some(_) => format!("  t{number}:\n    cores: 1\n    {field}\n"),
            None => format!("  t{number}:\n    cores: 1\n    rules:\n      - if: true\n        {field}\n"),
        };
    }
    let path = config(folder.path(), &(text + "  fine:\n    cores: 2\ndestinations:\n  local:\n    runner: local\n"));
    let tools: Vec<String> = (0..ENDLESS.len()).flat_map(|number| [format!("t{number}"), "fine".to_owned()]).collect();
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    let answers = map(&path, &tools, &[], 400);
    assert_eq!(answers.len(), tools.len());
    for (pair, (field, expected)) in answers.chunks(2).zip(ENDLESS) {
        let of = |name: &str| pair[0].split(name).nth(1).and_then(|rest| rest.split([',', '"', '}']).next());
        let found = of("\"type\": \"").or_else(|| of("\"cores\": "));
        assert_eq!(found, Some(*expected), "{field}: {}", pair[0]);
        assert!(pair[1].contains("\"cores\": 2"), "after {field}: {}", pair[1]);
    }
}

#[test]
fn a_line_that_is_too_long_is_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = config(folder.path(), "tools:\n  fine:\n    cores: 2\ndestinations:\n  local:\n    runner: local\n");
    let mut command = tpvc();
    command.args(["map", "-q", "--config", &path, "-", "--threads", "1"]);
    let output = run(&mut command, 600, |stdin| {
        let job = b"{\"tool\": {\"id\": \"fine\"}}\n";
        stdin.write_all(job).unwrap();
        stdin.write_all(b"{\"tool\": {\"id\": \"").unwrap();
        let part = vec![b'x'; 1 << 20];
        for _ in 0..200 {
            stdin.write_all(&part).unwrap();
        }
        stdin.write_all(b"\"}}\n").unwrap();
        stdin.write_all(job).unwrap();
    });
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        lines[1].contains("\"InvalidJob\", \"message\": \"line 2: the line has more than 64 MiB\""),
        "{:.300}",
        lines[1]
    );
    assert!(lines[0].contains("\"cores\": 2") && lines[0] == lines[2]);
}

/// The time that 40,000 further attributes and parameters take is of their number, not of its square.
#[test]
fn jobs_of_many_attributes_are_mapped_soon() {
    let folder = tempfile::tempdir().unwrap();
    let path = config(
        folder.path(),
        "tools:\n  t:\n    cores: |\n      for i in range(40000): getattr(tool, 'a%d' % i)\n      2\n\
         destinations:\n  local:\n    runner: local\n",
    );
    let mut command = tpvc();
    command.args(["map", "-q", "--config", &path, "-", "--threads", "1", "--max-steps", "100000000"]);
    let begun = std::time::Instant::now();
    let output = run(&mut command, 400, |stdin| {
        let named =
            |name: &str, value: &str| (0..40_000).map(|i| format!(", \"{name}{i}\": {value}")).collect::<String>();
        let (tool, parameters) = (named("a", "1"), named("p", "\"1\""));
        let line = format!(
            "{{\"tool\": {{\"id\": \"t\"{tool}}}, \"job\": {{\"parameters\": {{\"p\": \"1\"{parameters}}}}}}}\n"
        );
        for _ in 0..5 {
            stdin.write_all(line.as_bytes()).unwrap();
        }
    });
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches("\"cores\": 2").count(), 5, "{text:.300}");
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 5 });
    assert!(begun.elapsed() < limit, "{:?}", begun.elapsed());
}

#[test]
fn code_that_each_job_brings_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = config(
        folder.path(),
        "tools:\n  .*:\n    rules:\n      - if: true\n        execute: |\n          entity.cores = \"len('\" + tool.id * 20 + \"') % 3 + 1\"\n\
         destinations:\n  local:\n    runner: local\n",
    );
    let mut command = tpvc();
    command.args(["map", "-q", "--config", &path, "-", "--threads", "1"]);
    let output = run(&mut command, 120, |stdin| {
        for number in 0..if cfg!(debug_assertions) { 5_000 } else { 50_000 } {
            let id = format!("tool-of-a-long-name-{number:08}");
            writeln!(stdin, "{{\"tool\": {{\"id\": \"{id}\"}}}}").unwrap();
        }
    });
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().all(|line| line.contains("\"cores\": ")), "{:.300}", text);
}

/// Fewer threads start than were asked for where the process may not have the memory for them.
#[cfg(target_os = "linux")]
#[test]
fn threads_fit_the_limits_of_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = config(folder.path(), "tools:\n  fine:\n    cores: 2\ndestinations:\n  local:\n    runner: local\n");
    let jobs = folder.path().join("jobs.jsonl");
    std::fs::write(&jobs, "{\"tool\": {\"id\": \"fine\"}}\n".repeat(20_000)).unwrap();
    for limit in [400_000, 1_000_000] {
        let script = format!("ulimit -v {limit}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_tpvc"), "map", "--config", &path]);
        command.arg(&jobs).args(["--threads", "500"]);
        let output = run(&mut command, 1000, |_| {});
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        assert!(said.contains("instead of 500: the limits of this process"), "{said}");
        assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 20_000);
    }
}

/// Templates without end, or of more than their budget: `tests/templates/attacks.txt`, one a line, after a word of what is said of it. In an
/// unoptimized build one of some is tried, unless `BUDGET_ALL` is set.
#[test]
fn templates_have_bounds() {
    let is_all = cfg!(not(debug_assertions)) || std::env::var_os("BUDGET_ALL").is_some();
    let attacks =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/templates/attacks.txt")).unwrap();
    let attacks: Vec<&str> = attacks.lines().step_by(if is_all { 1 } else { 12 }).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.yml.j2");
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 2 });
    let mut wrong = Vec::new();
    for attack in attacks {
        let (expected, template) = attack.split_once(' ').unwrap();
        std::fs::write(&path, template.trim_start()).unwrap();
        let begun = std::time::Instant::now();
        let output = run(tpvc().arg("dump").arg(&path), 1000, |_| {});
        let (took, said) = (begun.elapsed(), String::from_utf8_lossy(&output.stderr).into_owned());
        let what = match output.status.code() {
            Some(0 | 1) if said.contains("more than 1000000 steps") => "steps",
            Some(0 | 1) if said.contains("a variable holds more than") => "values",
            Some(0 | 1) if said.contains("a variable nests more than") => "levels",
            Some(0 | 1) if said.contains("a namespace cannot hold a namespace") => "namespace",
            Some(0 | 1) if said.contains("pads to no more than") => "width",
            Some(0 | 1) if said.contains("`regex_replace`: ") => "regex",
            Some(0 | 1) => "-",
            _ => "ended",
        };
        if what != expected || took > limit {
            wrong.push(format!("{what}, not {expected}, in {took:?}: {template}\n{said:.300}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// In a process of its own, whose memory is this test's alone.
#[test]
fn verifying_takes_memory_and_time_by_the_size_of_the_artifact() {
    const CHILD: &str = "TPVC_TEST_VERIFIES";
    const BLOCKS: u32 = 20_000;
    if std::env::var_os(CHILD).is_some() {
        let program = |instrs: Vec<Instr>, max_stack| {
            let mut program = ProgramBuilder::new();
            program.compile("f(a=1)", CodeKind::Block).unwrap();
            let mut program = program.finish();
            let code = &mut program.codes[0];
            (code.instrs, code.max_stack, code.kernel) = (instrs, max_stack, None);
            code.places.clear();
            program
        };
        // Blocks one in another.
        let mut instrs = vec![Instr::SetupTry { handler: 4 * BLOCKS + 1 }; 1];
        instrs.extend((1..2 * BLOCKS).map(|at| Instr::SetupTry { handler: 4 * BLOCKS + 1 + 2 * at }));
        instrs.extend(vec![Instr::PopTry; 2 * BLOCKS as usize]);
        instrs.push(Instr::Jump { target: 0 });
        instrs.extend((0..2 * BLOCKS).flat_map(|_| [Instr::EnterHandler, Instr::Reraise]));
        verify(&program(instrs, 4)).unwrap();
        // Many calls with the same long list of names.
        let count = BLOCKS;
        let mut calls = program(Vec::new(), count + 1);
        let names = calls.codes[0].consts.len() as u32;
        let name = calls.codes[0].consts.iter().find_map(|constant| match constant {
            Const::Tuple(items) => Some(items[0].clone()),
            _ => None,
        });
        let list = Const::Tuple(vec![name.unwrap(); count as usize]);
        calls.codes[0].consts.push(list);
        let value = Instr::Const { index: names };
        let mut instrs = vec![value];
        for _ in 0..BLOCKS {
            instrs.extend([value, Instr::Unpack { count }, Instr::CallKw { argc: count, names }]);
        }
        instrs.push(Instr::Return);
        calls.codes[0].instrs = instrs;
        verify(&calls).unwrap();
        return;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let name = "bounds::verifying_takes_memory_and_time_by_the_size_of_the_artifact";
    let output = run(command.args(["--exact", name, "--nocapture"]).env(CHILD, "1"), 150, |_| {});
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(report.contains("1 passed"), "the child did not run the test: {report}");
}

/// Reading a million digits as an int takes seconds; Python reads no more than 4,300.
#[test]
fn ints_of_a_million_digits_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let digits = "9".repeat(1_000_000);
    for (text, told) in [
        (format!("tools:\n  a:\n    cores: len(str({digits}))\n"), "Exceeds the limit (4300 digits)"),
        (format!("tools:\n  a:\n    params: {{x: '{{ {digits} }}'}}\n"), "Exceeds the limit (4300 digits)"),
        (format!("tools:\n  a:\n    cores: {digits}\n"), "is no number that can be read"),
    ] {
        let path = config(folder.path(), &text);
        let out = folder.path().join("rules");
        let output = run(tpvc().args(["compile", &path, "-o"]).arg(&out), 300, |_| {});
        let told_of = String::from_utf8_lossy(&output.stderr);
        assert!(told_of.contains(told) && !output.status.success(), "{:.500}", told_of);
    }
}

/// The processor time of a process in seconds, where the system tells.
fn processor_time(command: &mut Command) -> Option<f64> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut ticks = None;
    while child.try_wait().unwrap().is_none() {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
        // What follows the name of the program: user and system time are the 12th and 13th.
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
        let field = |index: usize| fields.get(index)?.parse::<u32>().ok();
        ticks = field(11).zip(field(12)).map(|(user, system)| user + system).or(ticks);
        std::thread::sleep(Duration::from_millis(1));
    }
    ticks.map(|ticks| f64::from(ticks) / 100.0)
}

/// A config of any length.
struct Growing {
    name: &'static str,
    /// The number of tags or tools of the short one; the long one has eight times as many.
    count: usize,
    options: &'static [&'static str],
    text: fn(usize) -> String,
}

const DESTINATION: &str = "destinations:\n  slurm: {runner: slurm}\n";

fn joined(count: usize, separator: &str, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(separator)
}

const GROWING: [Growing; 4] = [
    Growing {
        name: "a list of tags in one line",
        count: 1_000,
        options: &[],
        text: |count| {
            let tags = joined(count, ", ", |number| format!("tag{number}"));
            format!("tools:\n  bwa:\n    mem: 8\n    scheduling: {{require: [{tags}]}}\n{DESTINATION}")
        },
    },
    Growing {
        name: "a list of tags in lines",
        count: 1_000,
        options: &[],
        text: |count| {
            let tags = joined(count, "\n", |number| format!("        - tag{number}"));
            format!("tools:\n  bwa:\n    mem: 8\n    scheduling:\n      require:\n{tags}\n{DESTINATION}")
        },
    },
    // All of these have a field of the right name, too.
    Growing {
        name: "fields in flow style that cannot be mended",
        count: 250,
        options: &["--fix", "--diff"],
        text: |count| {
            let tools = joined(count, "\n", |number| format!("  t{number}: {{core: 1, cores: 2, mem: 2}}"));
            format!("tools:\n{tools}\n")
        },
    },
    Growing {
        name: "fields in one line",
        count: 250,
        options: &["--fix", "--diff"],
        text: |count| {
            let tools = joined(count, ", ", |number| format!("t{number}: {{core: 1, coers: 2, mem: 2}}"));
            format!("tools: {{{tools}}}\n")
        },
    },
];

/// Eight times the config takes about eight times the time, not the square of it.
#[test]
fn linting_takes_time_by_the_size_of_the_config() {
    for Growing { name, count, options, text } in GROWING {
        let folder = tempfile::tempdir().unwrap();
        let time = |count: usize| {
            let path = config(folder.path(), &text(count));
            processor_time(tpvc().arg("lint").arg(path).args(options))
        };
        let (Some(few), Some(many)) = (time(count), time(8 * count)) else { return };
        println!("{name}: {few} s, {many} s");
        assert!(many < 20.0 * few.max(0.05), "{name}: {few} s for {count}, {many} s for {}", 8 * count);
    }
}
