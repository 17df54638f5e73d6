//! What a process takes is bounded, whatever it is given: its memory by what the system says was the most that it had.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tpv_bytecode::verify::verify;
use tpv_bytecode::{CodeKind, Const, Instr};
use tpvc::python::program::ProgramBuilder;

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
             env:\n    rules:\n      - if: true\n        execute: |\n          x = 'a' * 10 ** 6\n          entity.env = [dict(name=str(i), value=x) for i in range(300)]\n  \
             escapes:\n    rules:\n      - if: true\n        execute: |\n          entity.params['x'] = 'é' * (15 * 2 ** 20)\n  \
             message:\n    rules:\n      - if: true\n        execute: raise ValueError('é' * (15 * 2 ** 20))\n  \
             failure:\n    rules:\n      - if: true\n        execute: |\n          {shared}\n          e = ValueError('a')\n          e.failure_message = x\n          raise e\n  \
             rank:\n    rank: |\n      x = candidate_destinations[0]\n      x.id = 'a' * 10 ** 6\n      [x] * 1000\n  \
             fine:\n    cores: 2\n\
             destinations:\n  local:\n    runner: local\n"
        ),
    );
    let tools = ["shared", "lists", "env", "failure", "rank", "fine", "escapes", "message"];
    let (first, last) = tools.split_at(6);
    let mut answers = map(&path, first, &["--detail"], 400);
    // Long texts take steps, too.
    answers.extend(map(&path, last, &["--detail", "--max-steps", "5000000"], 400));
    let classes: Vec<_> = answers
        .iter()
        .map(|line| line.split("\"type\": \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("-"))
        .collect();
    assert_eq!(
        classes,
        [
            "TimeoutError",
            "TimeoutError",
            "MemoryError",
            // What making the text of an exception's message raises is not told.
            "ValueError",
            "MemoryError",
            "-",
            "MemoryError",
            "MemoryError"
        ]
    );
    assert!(answers[2].contains("a value of more than 64 MiB"), "{:.300}", answers[2]);
    assert!(answers.iter().all(|line| line.len() < 1000));
    // What is said of them is bounded as well.
    for tool in &tools[..5] {
        let mut command = tpvc();
        command.args(["dry-run", &path, "--tool", tool, "--explain"]);
        run(&mut command, 400, |_| {});
    }
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
    let name = "verifying_takes_memory_and_time_by_the_size_of_the_artifact";
    let output = run(command.args(["--exact", name, "--nocapture"]).env(CHILD, "1"), 150, |_| {});
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What reads a million digits as an int takes seconds, and Python reads no more than 4,300.
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
