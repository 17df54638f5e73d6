//! The script that runs a component on an execute node, with programs that go wrong in every way.
#![cfg(unix)]
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tpv_maps::component::SCRIPT;
use tpv_maps::component::error_report::ErrorReport;

/// A node: a folder with the script, a program, and what comes of running it.
struct Node {
    folder: TempDir,
    memory: &'static str,
}

impl Node {
    /// A node whose program is a shell script of this text, with the places of summary and error as `$summary` and `$error` and that
    /// of the heartbeat as `$heartbeat`.
    fn new(program: &str) -> Self {
        let node = Self::without_program();
        node.put_program(
            format!(
                "#!/bin/sh\nsummary={} error={}\nfor heartbeat; do :; done\n{program}\n",
                node.path("summary").display(),
                node.path("error").display()
            )
            .as_bytes(),
        );
        node
    }

    fn without_program() -> Self {
        let node = Self { folder: tempfile::tempdir().unwrap(), memory: "0" };
        fs::create_dir(node.path("tmp")).unwrap();
        fs::write(node.path("component.sh"), SCRIPT).unwrap();
        node
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn put_program(&self, bytes: &[u8]) {
        fs::write(self.path("program"), bytes).unwrap();
        fs::set_permissions(self.path("program"), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self, error: &Path) -> Command {
        let mut command = Command::new("sh");
        command.arg(self.path("component.sh")).args([self.memory, "7", "3"]);
        command.arg(self.path("summary")).arg(error).arg(self.path("stderr")).arg(self.path("program"));
        command.args(["--file", "a \"quoted\" file"]).env("TMPDIR", self.path("tmp")).stdin(Stdio::null());
        command
    }

    fn run(&self) -> Output {
        self.command(&self.path("error")).output().unwrap()
    }

    /// Runs the component, which leaves a report.
    fn report(&self) -> ErrorReport {
        let output = self.run();
        assert!(output.status.success(), "{output:?}");
        self.read_report()
    }

    fn read_report(&self) -> ErrorReport {
        let text = fs::read_to_string(self.path("error")).expect("a report");
        let report: ErrorReport = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!((report.component, report.cluster), (7, 3));
        assert!(report.time > 1_700_000_000 && !report.node.is_empty(), "{text}");
        assert!(report.command.contains("program maps component --file a \"quoted\" file"), "{text}");
        assert!(!report.help.is_empty(), "{text}");
        assert_eq!(fs::read_dir(self.path("tmp")).unwrap().count(), 0, "the scratch files are gone");
        report
    }
}

#[test]
fn a_component_that_succeeds_leaves_no_report_and_not_that_of_an_earlier_run() {
    let node = Node::new("echo it warns >&2; echo '{}' > $summary");
    fs::write(node.path("error"), "an earlier run's").unwrap();
    assert!(node.run().status.success());
    assert!(!node.path("error").exists());
    assert_eq!(fs::read_to_string(node.path("stderr")).unwrap(), "it warns\n");
}

#[test]
fn a_program_that_says_nothing_leaves_no_file_of_it() {
    let node = Node::new("echo '{}' > $summary");
    assert!(node.run().status.success());
    assert!(!node.path("stderr").exists());
}

/// HTCondor takes a file that is not there for a failure of its transfer.
#[test]
fn files_that_the_engine_transfers_are_there_though_empty() {
    for program in ["echo '{}' > $summary; rm output", "exit 3", "kill -9 $$"] {
        let node = Node::new(program);
        let mut command = node.command(&node.path("error"));
        command.current_dir(node.folder.path()).env("TPVC_LEAVE", "output summary error");
        assert!(command.status().unwrap().success());
        let size = |name| fs::metadata(node.path(name)).unwrap().len();
        assert_eq!(
            (size("output"), size("summary") == 0, size("error") == 0),
            (0, size("error") > 0, size("summary") > 0)
        );
    }
}

#[test]
fn the_program_s_own_report_stays() {
    let node = Node::new("echo 'its own' > $error; exit 1");
    assert!(node.run().status.success());
    assert_eq!(fs::read_to_string(node.path("error")).unwrap(), "its own\n");
}

#[test]
fn a_program_that_is_killed_leaves_the_line_and_the_memory_it_had() {
    let node = Node::new("printf '1234\\t20480\\n' > $heartbeat; echo so far so good >&2; kill -9 $$");
    let report = node.report();
    assert_eq!(report.message, "killed by signal 9");
    assert!(report.help.contains("it used 20 MiB"), "{}", report.help);
    assert_eq!((report.line, report.memory_kib, report.memory_limit_mib), (Some(1234), Some(20480), None));
    assert_eq!(report.stderr, "so far so good");
}

#[test]
fn a_heartbeat_that_is_cut_short_is_no_number() {
    let report = Node::new("printf '12x' > $heartbeat; kill -11 $$").report();
    assert_eq!((report.message.as_str(), report.line), ("killed by signal 11", None));
    assert!(report.help.contains("report this as a bug"));
}

#[test]
fn an_exit_without_an_answer_is_an_error() {
    let report = Node::new("exit 0").report();
    assert_eq!(report.message, "the program ended without an answer and without an error");
    // A summary counts only where the program ended well; an empty file is none.
    let report = Node::new(": > $summary; : > $error; exit 3").report();
    assert_eq!(report.message, "the program ended with exit code 3");
}

#[test]
fn a_program_for_another_machine_is_told_from_one_that_is_missing() {
    let node = Node::without_program();
    assert!(node.report().message.starts_with("the program is not there on"));

    let mut foreign = fs::read("/bin/true").unwrap();
    // The machine of an ELF file: one that there is not.
    foreign[18..20].copy_from_slice(&[0xfe, 0xfe]);
    node.put_program(&foreign);
    let report = node.report();
    let machine = String::from_utf8(Command::new("uname").args(["-s", "-m"]).output().unwrap().stdout).unwrap();
    assert!(report.message.starts_with("the program cannot run on"), "{}", report.message);
    assert!(report.message.contains(machine.trim()), "{}", report.message);
    assert!(report.stderr.to_lowercase().contains("exec format error"), "{}", report.stderr);
}

#[test]
fn a_memory_limit_is_the_program_s_and_the_kernel_s() {
    // The program watches itself.
    let mut node = Node::new("case \"$*\" in *' --memory 64 '*) echo well > $summary ;; esac");
    node.memory = "64";
    assert!(node.run().status.success() && node.path("summary").exists());
    // A shell that doubles a text, and ends where no cgroup ends it.
    let mut node = Node::new("text=x; while [ ${#text} -lt 100000000 ]; do text=$text$text; done; exit 3");
    node.memory = "64";
    let report = node.report();
    assert_eq!(report.memory_limit_mib, Some(64));
    match report.message.as_str() {
        "it used more memory than its limit of 64 MiB" => {
            assert_eq!(report.memory_kib, Some(64 << 10));
            assert!(report.help.contains("tpvc maps edit --memory"), "{}", report.help);
        }
        message => assert_eq!(message, "the program ended with exit code 3"),
    }

    let mut node = Node::new("echo 'memory allocation of 4096 bytes failed' >&2; kill -6 $$");
    node.memory = "64";
    let report = node.report();
    assert_eq!(report.message, "out of memory");
    assert!(report.help.contains("tpvc maps edit"));
}

#[test]
fn what_the_program_prints_is_a_json_string_whatever_it_is() {
    let node = Node::new(
        "printf 'a \"b\" \\\\n c\\td\\r\\033[1m\\n' >&2; printf 'line two \\303\\274\\n%%s\\n' >&2; kill -9 $$",
    );
    assert_eq!(node.report().stderr, "a \"b\" \\n c\td[1m\nline two ü\n%s");
    let node = Node::new("printf 'not \\377 UTF-8 \\000\\n' >&2; kill -9 $$");
    assert_eq!(node.report().stderr, "not ? UTF-8 ");
    // Of much, the end.
    let node = Node::new("i=0; while [ $i -lt 2000 ]; do echo \"line $i\" >&2; i=$((i + 1)); done; kill -9 $$");
    let report = node.report();
    assert!(report.stderr.ends_with("line 1999") && report.stderr.len() <= 4000, "{}", report.stderr);
    assert!(fs::read_to_string(node.path("stderr")).unwrap().starts_with("line 0\nline 1\n"));
}

#[test]
fn an_engine_that_asks_for_the_end_gets_it_without_a_report() {
    let node = Node::new("echo $$ > $summary.pid; echo so far >&2; exec sleep 60");
    let mut script = node.command(&node.path("error")).spawn().unwrap();
    let begin = Instant::now();
    while fs::read(node.path("summary.pid")).map_or(true, |pid| pid.is_empty()) {
        assert!(begin.elapsed() < Duration::from_secs(10), "the program starts");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").arg(script.id().to_string()).status().unwrap().success());
    assert_eq!(script.wait().unwrap().code(), Some(143));
    assert!(begin.elapsed() < Duration::from_secs(30), "the program has ended with the script");
    assert!(!node.path("error").exists(), "it may be held, and run again");
    let said = fs::read_to_string(node.path("stderr")).unwrap();
    assert!(said.starts_with("so far\nthe engine asked component 7 to end on"), "{said}");
}

/// The program ends so where the runner was killed: the component starts anew.
#[test]
fn an_end_with_who_started_it_is_no_error() {
    let node = Node::new("exit 75");
    assert_eq!(node.run().status.code(), Some(143));
    assert!(!node.path("error").exists());
}

#[test]
fn the_program_has_the_standard_input_of_the_script() {
    let node = Node::new("cat > $summary");
    let mut script = node.command(&node.path("error")).stdin(Stdio::piped()).spawn().unwrap();
    script.stdin.take().unwrap().write_all(b"from outside").unwrap();
    assert!(script.wait().unwrap().success());
    assert_eq!(fs::read_to_string(node.path("summary")).unwrap(), "from outside");
}

#[test]
fn a_report_that_cannot_be_written_fails_and_leaves_nothing() {
    let node = Node::new("kill -9 $$");
    let output = node.command(&node.path("no-such-folder/error")).output().unwrap();
    assert_eq!(output.status.code(), Some(74));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("component 7: killed by signal 9; and its report cannot be written"), "{text}");
}
