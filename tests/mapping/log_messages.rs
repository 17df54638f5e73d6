//! Messages of the log are made for whoever reads them; for nobody, they change no answer.

use std::sync::{Arc, Mutex};

use tpv_galaxy::job::Job;
use tpv_python::vm::LogLevel;
use tpv_runtime::mapper::{Hooks, Log, Mapper};

use crate::support::cases;

/// The answer, and the lines that were logged, with a reader of the level and above.
fn mapped(message: &str, level: Option<LogLevel>) -> (String, Vec<String>) {
    let config = format!(
        "tools:\n  bwa:\n    mem: 4\n    cores: |\n      rows = [('a', 1), ('b', 2.5)]\n      for row in rows:\n          log.debug({message})\n      \
         len(rows)\ndestinations:\n  local:\n    runner: local\n"
    );
    let lines = Arc::new(Mutex::new(Vec::new()));
    let told = lines.clone();
    let log: Log = Arc::new(move |_, text: &str| told.lock().unwrap().push(text.to_owned()));
    let rules = cases::compile_text(&config);
    let mapper = Mapper::with_hooks(rules, Hooks { log: Some(log), log_level: level, ..cases::hooks() }, false);
    let answer = mapper.map(&Arc::new(Job::parse(r#"{"id": 1, "tool": {"id": "bwa"}}"#).unwrap()), &Arc::default());
    let lines = lines.lock().unwrap().clone();
    (answer.line(), lines)
}

#[test]
fn readers_change_no_answer() {
    for (message, lines) in [
        ("f'{row=} of {len(rows)}'", vec!["row=('a', 1) of 2", "row=('b', 2.5) of 2"]),
        ("f'{rows!r:>4} {tool.id}'", vec!["[('a', 1), ('b', 2.5)] bwa", "[('a', 1), ('b', 2.5)] bwa"]),
        ("f'{row[0]}{row[1] / 0}'", vec![]),
        ("f'{row[0]}{row[0]:d}'", vec![]),
        ("f'{tool.id} {entity.nothing}'", vec![]),
        ("f'{ {row} } {tool}', row", vec![]),
    ] {
        let (answer, told) = mapped(message, Some(LogLevel::Debug));
        // TPV evaluates a field once more for the destination.
        assert!(
            told.starts_with(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>()),
            "{message}: {told:?}"
        );
        for level in [Some(LogLevel::Info), None] {
            let (unread, told) = mapped(message, level);
            assert_eq!(unread, answer, "{message}");
            assert!(!told.iter().any(|line| line.contains("row=")), "{told:?}");
        }
    }
}
