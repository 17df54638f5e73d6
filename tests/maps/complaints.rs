//! Complaints of users of HTMap, whose model maps have; the numbers are those of its issues. Each complaint has a test.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::random::{Random, rounds, setting};
use crate::support::{project, small_program, stderr, stdout};

/// A folder with rules, jobs, maps and a Slurm that is not one: `sbatch` and the others are scripts, which keep a queue in a file.
struct Site(tempfile::TempDir);

/// The queue is a file of lines as `squeue` prints them. Where `kill` is there, `sbatch` kills its client once the jobs are queued.
const SBATCH: &str = r#"
for word; do case $word in
    --comment=*) comment=${word#--comment=} ;;
    --array=*) array=${word#--array=}; array=${array%%%*} ;;
esac; done
echo x >> "$FAKE/submitted"
if [ -e "$FAKE/refuse" ]; then echo 'sbatch: error: Batch job submission failed: Invalid partition' >&2; exit 1; fi
last=${array#*-}; task=0
while [ "$task" -le "$last" ]; do echo "77|$task|PENDING|Resources|$comment" >> "$FAKE/queue"; task=$((task + 1)); done
if [ -e "$FAKE/kill" ]; then kill -9 $PPID; fi
echo 77
"#;
const SQUEUE: &str = r#"if [ -e "$FAKE/down" ]; then echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1; fi
[ ! -e "$FAKE/queue" ] || cat "$FAKE/queue"
"#;
const SCANCEL: &str = r#"rm -f "$FAKE/queue""#;
const SCONTROL: &str = "echo 'MaxArraySize = 1001'\n";

impl Site {
    fn new() -> Self {
        let site = Self(tempfile::tempdir().unwrap());
        let example = project().join("examples/site");
        fs::copy(example.join("tpv.yml"), site.path("tpv.yml")).unwrap();
        let jobs = fs::read_to_string(example.join("jobs.jsonl")).unwrap();
        fs::write(site.path("jobs.jsonl"), jobs.repeat(400)).unwrap();
        small_program(site.0.path());
        site.done(&["compile", "-q", "tpv.yml", "-o", "rules.bin"]);
        fs::create_dir(site.path("bin")).unwrap();
        for (name, text) in [("sbatch", SBATCH), ("squeue", SQUEUE), ("scancel", SCANCEL), ("scontrol", SCONTROL)] {
            let path = site.path("bin").join(name);
            fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tpvc"));
        command.args(arguments).current_dir(self.0.path()).env("HOME", self.0.path()).env("FAKE", self.0.path());
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", self.path("bin").display())).env("NO_COLOR", "1");
        command
            .env_remove("TPVC_MAPS_DIR")
            .env_remove("TPVC_MAPS_ENGINE")
            .env("TPVC_MAPS_PROGRAM", self.path("program"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    }

    fn create<'a>(&self, tag: &'a str, engine: &'a str) -> [&'a str; 11] {
        ["maps", "create", "-t", tag, "-r", "rules.bin", "-e", engine, "--slice-bytes", "20000", "jobs.jsonl"]
    }

    /// Runs a verb that must come to its end by itself.
    fn within_a_minute(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("timeout");
        command.args(["60", env!("CARGO_BIN_EXE_tpvc")]).args(arguments).current_dir(self.0.path());
        command.env("HOME", self.0.path()).env("NO_COLOR", "1").env("TPVC_MAPS_PROGRAM", self.path("program"));
        let output = command.output().unwrap();
        assert_ne!(output.status.code(), Some(124), "{arguments:?} does not end");
        output
    }

    /// A program of a map: the lines of a shell script.
    fn script(&self, name: &str, lines: &str) {
        fs::write(self.path(name), format!("#!/bin/sh\n{lines}\n")).unwrap();
    }

    fn components(&self, tag: &str) -> usize {
        fs::read_to_string(self.map(tag).join("components")).unwrap().trim().parse().unwrap()
    }

    /// The number of components in a state.
    fn count(&self, tag: &str, state: &str) -> usize {
        self.done(&["maps", "status", tag, "-s", state, "--format", "text"]).lines().count()
    }

    fn map(&self, tag: &str) -> PathBuf {
        PathBuf::from(self.done(&["maps", "path", tag]).trim())
    }

    /// The names in the folder of maps, those of tags among them.
    fn names(&self) -> Vec<String> {
        let maps = self.path(".tpvc/maps");
        let folders = [maps.clone(), maps.join("tags")];
        let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != "tags" && name != "slots");
        names.sort();
        names
    }

    fn answers(&self) -> String {
        self.done(&["map", "-q", "rules.bin", "jobs.jsonl"])
    }

    fn results(&self, tag: &str) -> String {
        self.done(&["maps", "results", "-q", tag])
    }
}

/// A disk of a few MiB.
struct Disk(PathBuf);

impl Disk {
    fn mount(folder: PathBuf) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"]).arg(&folder);
        mount.output().is_ok_and(|output| output.status.success()).then_some(Self(folder))
    }

    /// Fills the disk, and gives the file that does.
    fn fill(&self) -> PathBuf {
        let path = self.0.join("filler");
        let mut file = fs::File::create(&path).unwrap();
        while file.write_all(&[0; 4096]).is_ok() {}
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: a process may still be at work in it.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// The process that runs a map's components on this machine, found by its arguments.
fn runner(map: &std::path::Path) -> Option<u32> {
    running(map, "maps run")
}

/// A process of a map's program with this verb.
fn running(map: &std::path::Path, verb: &str) -> Option<u32> {
    let with_map = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(verb) && line.contains(&*map.to_string_lossy())
    };
    let pids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    pids.into_iter().find(with_map)
}

fn kill(pid: u32) {
    let pid = pid.to_string();
    assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
}

fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        sleep(Duration::from_millis(20));
    }
}

/// #129: the state of a component disagreed with the queue.
#[test]
fn a_component_does_not_run_that_nobody_runs() {
    let site = Site::new();
    site.done(&site.create("year", "local"));
    let map = site.map("year");
    eventually("it runs", || runner(&map).is_some() || site.count("year", "COMPLETED") > 0);
    if let Some(pid) = runner(&map) {
        kill(pid);
    }
    eventually("it is gone", || runner(&map).is_none());
    // A component outlives its runner by a moment.
    eventually("what was noted to run waits again", || site.count("year", "RUNNING") == 0);
    sleep(Duration::from_millis(500));
    assert_eq!(site.count("year", "ERRORED"), 0, "what its runner's death ended is no error");
    site.done(&["maps", "wait", "-q", "year"]);
    assert!(site.results("year") == site.answers());
}

/// Components whose runner is killed are no errors, and `rerun` starts another.
#[test]
fn a_killed_runner_is_replaced() {
    let site = Site::new();
    let jobs = fs::read_to_string(site.path("jobs.jsonl")).unwrap();
    fs::write(site.path("jobs.jsonl"), jobs.repeat(8)).unwrap();
    let mut create = site.create("year", "local");
    create[9] = "1000000";
    site.done(&create);
    let map = site.map("year");
    eventually("it runs", || site.count("year", "RUNNING") > 0);
    kill(runner(&map).unwrap());
    eventually("its components have ended", || running(&map, "maps component").is_none());
    // The scripts that started them take a moment to see that.
    sleep(Duration::from_millis(500));
    assert_eq!(site.count("year", "ERRORED"), 0, "{}", site.done(&["maps", "errors", "year"]));
    assert!(site.count("year", "IDLE") > 0);
    site.done(&["maps", "rerun", "-q", "year"]);
    eventually("another runner has run them", || site.count("year", "IDLE") + site.count("year", "RUNNING") == 0);
    assert!(site.results("year") == site.answers());
}

/// A program that cannot run on this machine was taken for submitted, and started for ever by `wait`.
#[test]
fn a_program_that_cannot_run_is_told_at_once() {
    let site = Site::new();
    let mut head = vec![0; 1 << 20];
    fs::File::open(env!("CARGO_BIN_EXE_tpvc")).unwrap().read_exact(&mut head).unwrap();
    let cases: [(&str, &[u8], &str); 5] = [
        ("arm", b"\x7fELF of another machine", "the program of the map cannot be started: "),
        ("short", &head, "the program of the map "),
        ("crash", b"#!/bin/sh\nkill -SEGV $$\n", "was killed by signal 11 before it ran a component"),
        (
            "wrong",
            b"#!/bin/sh\necho 'no libc here' >&2\nexit 127\n",
            "ended with the status 127 before it ran a component: no libc here",
        ),
        (
            "old",
            b"#!/bin/sh\nprintf 'error: unknown verb\\n = help: none\\n' >&2\nexit 2\n",
            "the status 2 before it ran a component: unknown verb",
        ),
    ];
    for (name, program, message) in cases {
        fs::write(site.path(name), program).unwrap();
        let mut create = site.create(name, "local").to_vec();
        create.extend(["--program", name]);
        let refused = site.within_a_minute(&create);
        assert_eq!(refused.status.code(), Some(1));
        assert!(stderr(&refused).contains(message), "{}", stderr(&refused));
        assert!(site.count(name, "ERRORED") > 0 && site.count(name, "IDLE") + site.count(name, "UNKNOWN") == 0);
        let ended = site.within_a_minute(&["maps", "wait", "-q", name]);
        assert!(
            stderr(&ended).contains(message) && stderr(&ended).contains("tpvc maps transplant"),
            "{}",
            stderr(&ended)
        );
        let errors = site.done(&["maps", "errors", name, "--limit", "1"]);
        assert!(errors.contains(message) && errors.contains("tpvc maps transplant"), "{errors}");
    }
    site.done(&["maps", "transplant", "crash", "--program", env!("CARGO_BIN_EXE_tpvc")]);
    site.done(&["maps", "rerun", "-q", "crash"]);
    site.done(&["maps", "wait", "-q", "crash"]);
    assert!(site.results("crash") == site.answers());
}

/// The process that runs components was killed again and again, and `wait` started it for ever.
#[test]
fn a_runner_that_is_always_killed_is_not_started_for_ever() {
    let site = Site::new();
    let tpvc = env!("CARGO_BIN_EXE_tpvc");
    // It ends with the pipe that ties it to its runner, and leaves nothing.
    site.script(
        "fragile",
        &format!("case $2 in run) timeout -s KILL 0.3 {tpvc} \"$@\" ;; *) cat > /dev/null; exit 75 ;; esac"),
    );
    site.done(&[&site.create("year", "local")[..], &["--program", "fragile"]].concat());
    let ended = site.within_a_minute(&["maps", "wait", "-q", "year"]);
    let message = "was killed 5 times before a component ended";
    assert!(ended.status.code() == Some(1) && stderr(&ended).contains(message), "{}", stderr(&ended));
    assert!(site.count("year", "ERRORED") > 0 && site.count("year", "IDLE") == 0);
    let status = site.run(&["maps", "status", "year"]);
    assert!(stderr(&status).contains(message), "{}", stderr(&status));
    site.done(&["maps", "transplant", "year", "--program", tpvc]);
    site.done(&["maps", "rerun", "-q", "year"]);
    site.done(&["maps", "wait", "-q", "year"]);
    assert!(site.results("year") == site.answers());
}

/// On a full disk nothing could be noted: components were IDLE for ever.
#[test]
fn a_full_disk_is_told() {
    let site = Site::new();
    fs::create_dir(site.path(".tpvc")).unwrap();
    let Some(disk) = Disk::mount(site.path(".tpvc")) else {
        println!("SKIPPED: this user cannot mount a small disk");
        return;
    };
    let (tpvc, go) = (env!("CARGO_BIN_EXE_tpvc"), site.path("go"));
    let wait = format!("while [ ! -e {} ]; do sleep 0.02; done", go.display());
    site.script("late", &format!("[ $2 = run ] || {wait}\nexec {tpvc} \"$@\""));
    site.done(&[&site.create("year", "local")[..], &["--program", "late"]].concat());
    let filler = disk.fill();
    fs::write(&go, "").unwrap();
    let ended = site.within_a_minute(&["maps", "wait", "-q", "year"]);
    assert!(ended.status.code() == Some(1) && stderr(&ended).contains("the disk is full"), "{}", stderr(&ended));
    assert!(stderr(&ended).contains("help: make room"), "{}", stderr(&ended));
    assert!(site.count("year", "ERRORED") > 0 && site.count("year", "IDLE") == 0);
    assert!(stderr(&site.run(&["maps", "status", "year"])).contains("the disk is full"));
    let errors = site.done(&["maps", "errors", "year", "--limit", "1"]);
    assert!(errors.contains("the disk is full") && errors.contains("make room"), "{errors}");
    // There is no room to submit anything.
    let refused = site.within_a_minute(&["maps", "rerun", "-q", "year"]);
    assert!(refused.status.code() == Some(1) && stderr(&refused).contains("the disk is full"), "{}", stderr(&refused));
    fs::remove_file(filler).unwrap();
    site.done(&["maps", "rerun", "-q", "year"]);
    site.done(&["maps", "wait", "-q", "year"]);
    assert!(site.results("year") == site.answers());
}

/// A component that a killed runner had left was waited for, though nobody ran it.
#[test]
fn what_nobody_runs_is_held_at_once() {
    let site = Site::new();
    let tpvc = env!("CARGO_BIN_EXE_tpvc");
    site.script("slow", &format!("[ $2 = run ] || {{ cat > /dev/null; exit 75; }}\nexec {tpvc} \"$@\""));
    site.done(&[&site.create("year", "local")[..], &["--program", "slow", "--option", "slots=1"]].concat());
    let map = site.map("year");
    eventually("it runs", || site.count("year", "RUNNING") == 1);
    kill(runner(&map).unwrap());
    eventually("it is gone", || runner(&map).is_none() && running(&map, "maps component").is_none());
    // Components of another map have all the slots of this machine.
    let slot = fs::File::open(site.path(".tpvc/maps/slots/0")).unwrap();
    eventually("its slot is free", || slot.try_lock().is_ok());
    site.done(&["maps", "rerun", "-q", "year"]);
    eventually("another runner waits", || runner(&map).is_some());
    sleep(Duration::from_millis(500));
    for verb in ["hold", "remove"] {
        let started = Instant::now();
        site.done(&["maps", verb, "year"]);
        assert!(started.elapsed() < Duration::from_secs(8), "{verb}: {:?}", started.elapsed());
    }
}

/// A runner took up components whose submission had failed.
#[test]
fn what_was_never_submitted_is_not_run() {
    let site = Site::new();
    let (tpvc, go) = (env!("CARGO_BIN_EXE_tpvc"), site.path("go"));
    let wait = format!("while [ ! -e {} ]; do sleep 0.02; done", go.display());
    site.script("late", &format!("[ $2 = run ] || {wait}\nexec {tpvc} \"$@\""));
    site.done(&[&site.create("year", "local")[..], &["--program", "late", "--option", "slots=1"]].concat());
    let (map, components) = (site.map("year"), site.components("year"));
    site.done(&["maps", "hold", "year", "-c", "1"]);
    let cluster = fs::read_to_string(map.join("clusters/0.json")).unwrap();
    let all = format!("0-{}", components - 1);
    assert!(cluster.contains(&all), "{cluster}");
    let second = cluster.replace("\"number\":0", "\"number\":1").replace(&format!("\"{all}\""), "\"1\"");
    fs::write(map.join("clusters/1.id"), "-\n").unwrap();
    fs::write(map.join("clusters/1.json"), second).unwrap();
    fs::write(&go, "").unwrap();
    site.run(&["maps", "wait", "-q", "year"]);
    eventually("the runner has ended", || runner(&map).is_none());
    assert_eq!((site.count("year", "COMPLETED"), site.count("year", "UNKNOWN")), (components - 1, 1));
    assert!(!map.join("events/1.log").exists());
    site.done(&["maps", "rerun", "-q", "year"]);
    site.done(&["maps", "wait", "-q", "year"]);
    assert!(site.results("year") == site.answers());
}

/// One damaged map hid the states of all the others.
#[test]
fn a_damaged_map_does_not_hide_the_others() {
    let site = Site::new();
    for tag in ["broken", "whole"] {
        site.done(&site.create(tag, "local"));
        site.done(&["maps", "wait", "-q", tag]);
    }
    fs::write(site.map("broken").join("submit.json"), "{").unwrap();
    for verb in ["status", "list"] {
        let shown = site.run(&["maps", verb]);
        assert_eq!(shown.status.code(), Some(1), "{verb}");
        assert!(stdout(&shown).contains("whole") && stderr(&shown).contains("submit.json"), "{verb}: {shown:?}");
    }
}

/// A summary of which a part is not what was written was left out of the results without a word.
#[test]
fn a_damaged_summary_is_told() {
    let site = Site::new();
    site.done(&site.create("year", "local"));
    site.done(&["maps", "wait", "-q", "year"]);
    let path = site.map("year").join("summaries/1.json");
    let damages = [("\"output_digest\":\"", "\"output_digest\":7\""), ("\"millicores\":", "\"millicores\":1")];
    let verbs = [&["maps", "results", "year"][..], &["maps", "results", "year", "--summary"]];
    for (damage, arguments) in damages.iter().flat_map(|damage| verbs.iter().map(move |verb| (damage, verb))) {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(damage.0), "{text}");
        fs::write(&path, text.replacen(damage.0, damage.1, 1)).unwrap();
        let refused = site.run(arguments);
        assert_eq!(refused.status.code(), Some(1));
        assert!(stderr(&refused).contains("component 1 of `year` are damaged"), "{}", stderr(&refused));
        assert!(stderr(&refused).contains("`tpvc maps rerun year` makes them again"), "{}", stderr(&refused));
        site.done(&["maps", "rerun", "-q", "year"]);
        site.done(&["maps", "wait", "-q", "year"]);
        assert!(site.results("year") == site.answers());
    }
}

/// A changed byte in an output counted as COMPLETED, and `rerun` left it.
#[test]
fn answers_that_are_damaged_are_made_again() {
    let site = Site::new();
    site.done(&site.create("year", "local"));
    site.done(&["maps", "wait", "-q", "year"]);
    let map = site.map("year");
    let flip = |components: &[usize]| {
        for component in components {
            let path = map.join(format!("outputs/{component}.jsonl.zst"));
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(&path, bytes).unwrap();
        }
    };
    let mended = |damaged: usize| {
        assert_eq!(site.count("year", "ERRORED"), damaged);
        let errors = site.done(&["maps", "errors", "year"]);
        assert_eq!(errors.matches("its answers are damaged: ").count(), damaged, "{errors}");
        site.done(&["maps", "rerun", "-q", "year"]);
        site.done(&["maps", "wait", "-q", "year"]);
        assert!(site.results("year") == site.answers());
        assert!(site.run(&["maps", "status", "--verify", "year"]).status.success());
    };
    flip(&[1, 2]);
    assert_eq!(site.count("year", "ERRORED"), 0, "nobody has looked");
    let verified = site.run(&["maps", "status", "--verify", "year"]);
    assert!(
        verified.status.code() == Some(1) && stderr(&verified).contains("2 components are damaged"),
        "{}",
        stderr(&verified)
    );
    assert!(stdout(&verified).contains("ERRORED"), "{}", stdout(&verified));
    mended(2);

    flip(&[0, 2]);
    let refused = site.run(&["maps", "results", "year", "-o", "answers.jsonl"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("the answers of component 0 of `year` are damaged"), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("are damaged, too: 2\n"), "{}", stderr(&refused));
    assert!(!site.path("answers.jsonl").exists());
    mended(2);

    // While a verb is at work on the map, nothing is noted, and the error says which components to run again.
    flip(&[1]);
    let lock = fs::File::open(map.join("lock")).unwrap();
    lock.lock().unwrap();
    let refused = site.run(&["maps", "results", "-q", "year"]);
    assert!(stderr(&refused).contains("tpvc maps rerun components year --components 1"), "{}", stderr(&refused));
    drop(lock);
    site.run(&["maps", "results", "-q", "year"]);
    mended(1);
}

/// A submission that is on its way was told as interrupted.
#[test]
fn a_submission_on_its_way_is_no_interrupted_one() {
    let site = Site::new();
    site.done(&site.create("year", "slurm"));
    let map = site.map("year");
    fs::remove_file(map.join("clusters/0.id")).unwrap();
    let lock = fs::File::open(map.join("lock")).unwrap();
    lock.lock().unwrap();
    let note = || site.done(&["maps", "status", "year", "-s", "UNKNOWN", "--format", "text"]);
    assert!(note().contains("it is being submitted"), "{}", note());
    drop(lock);
    assert!(note().contains("its submission was interrupted"), "{}", note());
}

/// `wait` removed what components were writing whose engine did not answer.
#[test]
fn what_may_still_be_written_is_left_alone() {
    let site = Site::new();
    site.done(&site.create("year", "slurm"));
    let part = site.map("year").join("outputs/.part-0");
    fs::write(&part, "").unwrap();
    fs::write(site.path("down"), "").unwrap();
    assert!(!site.run(&["maps", "wait", "-q", "year", "--timeout", "1"]).status.success());
    assert!(part.exists());
    fs::remove_file(site.path("down")).unwrap();
    fs::remove_file(site.path("queue")).unwrap();
    assert!(!site.run(&["maps", "wait", "-q", "year"]).status.success());
    assert!(!part.exists(), "nothing runs any more");
}

/// An option that the engine does not have was passed over.
#[test]
fn wrong_options_of_this_machine_are_refused() {
    let site = Site::new();
    for option in ["slots=many", "slots=0", "partition=long"] {
        let mut create = site.create("year", "local").to_vec();
        create.extend(["--option", option]);
        let refused = site.run(&create);
        assert_eq!(refused.status.code(), Some(1), "{option}");
        assert!(stderr(&refused).contains("slots"), "{}", stderr(&refused));
        assert!(site.names().is_empty(), "{:?}", site.names());
    }
}

/// A line break in an option's value wrote another line into the submit description.
#[test]
fn options_of_several_lines_are_refused() {
    let site = Site::new();
    for engine in ["local", "htcondor", "slurm"] {
        for option in ["requirements=true\nqueue 5", "comment=a\rb", "partition=\x1b[31m", "a\nb=1"] {
            let mut create = site.create("year", engine).to_vec();
            create.extend(["--option", option]);
            let refused = site.run(&create);
            assert_eq!(refused.status.code(), Some(1), "{engine} {option:?}");
            assert!(stderr(&refused).contains("a line break or another control character"), "{}", stderr(&refused));
            assert!(site.names().is_empty(), "{:?}", site.names());
        }
    }
    // So are those that the engine cannot be given otherwise, before there is a map that keeps them.
    let wrong =
        [("slurm", "slots=many"), ("slurm", "--partition=long"), ("htcondor", "queue=5"), ("htcondor", "rank=1 \\")];
    for (engine, option) in wrong {
        let refused = site.run(&[&site.create("year", engine)[..], &[&format!("--option={option}")]].concat());
        assert!(refused.status.code() == Some(1) && site.names().is_empty(), "{option}: {}", stderr(&refused));
    }
}

/// #41: a file that was there was taken for success.
#[test]
fn a_part_of_an_output_is_no_answer() {
    let site = Site::new();
    site.done(&site.create("year", "local"));
    site.done(&["maps", "wait", "-q", "year"]);
    let map = site.map("year");
    let output = map.join("outputs/1.jsonl.zst");
    let whole = fs::read(&output).unwrap();
    for damaged in [&whole[..whole.len() / 2], &[][..]] {
        fs::write(&output, damaged).unwrap();
        assert_eq!(site.count("year", "ERRORED"), 1);
        assert!(!site.run(&["maps", "results", "-q", "year"]).status.success());
    }
    // Of the right size, but other bytes: known once it is read.
    let mut other = whole.clone();
    let middle = other.len() / 2;
    other[middle] ^= 1;
    fs::write(&output, other).unwrap();
    assert!(!site.run(&["maps", "results", "-q", "year"]).status.success());
    fs::remove_file(&output).unwrap();
    site.done(&["maps", "rerun", "-q", "year"]);
    site.done(&["maps", "wait", "-q", "year"]);
    assert!(site.results("year") == site.answers());
}

/// #142, #183: a map could not be removed.
#[test]
fn every_map_can_be_removed() {
    let site = Site::new();
    site.done(&site.create("broken", "local"));
    let map = site.map("broken");
    for name in ["itemdata.json", "submit.json", "clusters/0.json"] {
        fs::write(map.join(name), "{").unwrap();
    }
    let refused = site.run(&["maps", "remove", "broken"]);
    assert!(!refused.status.success() && stderr(&refused).contains("--force"), "{}", stderr(&refused));
    site.done(&["maps", "remove", "--force", "broken"]);
    eventually("its runner sees that it is gone", || {
        site.done(&["maps", "clean"]);
        runner(&map).is_none() && site.names().is_empty()
    });

    // A map whose engine cannot be asked.
    site.done(&site.create("far", "slurm"));
    fs::write(site.path("down"), "").unwrap();
    let refused = site.run(&["maps", "remove", "far"]);
    assert!(!refused.status.success() && stderr(&refused).contains("--force"), "{}", stderr(&refused));
    let forced = site.run(&["maps", "remove", "--force", "far"]);
    assert!(forced.status.success() && stderr(&forced).contains("slurm 77"), "{}", stderr(&forced));
    assert!(site.names().is_empty(), "{:?}", site.names());
}

/// #127: an interrupted removal left a directory behind.
#[test]
fn an_interrupted_removal_is_ended_by_the_next_verb() {
    let site = Site::new();
    for tag in ["first", "second"] {
        site.done(&site.create(tag, "local"));
        site.done(&["maps", "wait", "-q", tag]);
    }
    let map = site.map("first");
    // What a kill leaves after the first step, and on the way of the last.
    fs::rename(&map, map.with_file_name(format!(".removed-{}", map.file_name().unwrap().to_str().unwrap()))).unwrap();
    assert!(!site.run(&["maps", "status", "first"]).status.success());
    site.done(&["maps", "remove", "second"]);
    assert!(site.names().is_empty(), "{:?}", site.names());
}

/// #158: components that HTCondor had not made jobs of yet were not to be seen. Their state has its column; the engine's own tests show that it is read.
#[test]
fn every_state_is_shown() {
    let site = Site::new();
    site.done(&site.create("year", "slurm"));
    let csv = site.done(&["maps", "status", "--format", "csv"]);
    let header = csv.lines().next().unwrap();
    for state in
        ["UNKNOWN", "UNMATERIALIZED", "IDLE", "RUNNING", "REMOVED", "COMPLETED", "HELD", "SUSPENDED", "ERRORED"]
    {
        assert!(header.split(',').any(|column| column == state), "{header}");
    }
}

/// A kill between submitting and noting the id orphaned the jobs.
#[test]
fn a_submission_whose_id_was_not_noted_is_found_by_its_token() {
    let site = Site::new();
    fs::write(site.path("kill"), "").unwrap();
    assert!(!site.run(&site.create("year", "slurm")).status.success());
    fs::remove_file(site.path("kill")).unwrap();
    let components: usize =
        site.done(&["maps", "list", "--format", "text"]).split('\t').nth(2).unwrap().parse().unwrap();
    assert_eq!(site.count("year", "UNKNOWN"), components);
    site.done(&["maps", "rerun", "-q", "year"]);
    assert_eq!(site.count("year", "IDLE"), components, "those that are queued");
    assert_eq!(fs::read_to_string(site.path("submitted")).unwrap(), "x\n", "submitted once");
    site.done(&["maps", "remove", "year"]);
    assert!(!site.path("queue").exists() && site.names().is_empty());
}

/// A submission that an engine refused can be repeated.
#[test]
fn a_refused_submission_can_be_made_again() {
    let site = Site::new();
    fs::write(site.path("refuse"), "").unwrap();
    let refused = site.run(&site.create("year", "slurm"));
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("Invalid partition") && stderr(&refused).contains("tpvc maps rerun year"));
    // Or under its tag, in another way.
    let again = site.run(&site.create("year", "slurm"));
    assert!(stderr(&again).contains("Invalid partition"), "{}", stderr(&again));
    assert_eq!(site.names().len(), 2, "one map and its tag: {:?}", site.names());
    fs::remove_file(site.path("refuse")).unwrap();
    site.done(&["maps", "rerun", "-q", "year"]);
    assert!(site.count("year", "IDLE") > 0 && site.count("year", "UNKNOWN") == 0);
    let taken = site.run(&site.create("year", "slurm"));
    assert!(stderr(&taken).contains("there is a map `year` already"), "{}", stderr(&taken));
    site.done(&["maps", "remove", "year"]);
}

/// Reasons that Slurm gave were forgotten as soon as Slurm forgot them.
#[test]
fn a_reason_that_was_seen_stays() {
    let site = Site::new();
    site.done(&site.create("year", "slurm"));
    let queue = fs::read_to_string(site.path("queue")).unwrap();
    let lines = |state: &str, reason: &str| {
        let state = format!("|{state}|{reason}|");
        fs::write(site.path("queue"), queue.replace("|PENDING|Resources|", &state)).unwrap();
    };
    let shown = || site.done(&["maps", "status", "year", "-c", "0", "--format", "text"]);
    lines("PENDING", "Nodes required for job are DOWN, DRAINED or reserved");
    assert!(shown().contains("IDLE") && shown().contains("sinfo -R"), "{}", shown());
    for (state, reason, expected, remedy) in [
        ("TIMEOUT", "TimeLimit", "ran longer than its limit of time", "tpvc maps edit --time"),
        ("CANCELLED", "None", "taken from the queue", "tpvc maps rerun"),
        ("OUT_OF_MEMORY", "OutOfMemory", "more memory than its limit", "tpvc maps edit --memory"),
    ] {
        lines(state, reason);
        let seen = shown();
        assert!(seen.contains(expected) && seen.contains(remedy), "{seen}");
        fs::remove_file(site.path("queue")).unwrap();
        assert_eq!(shown(), seen, "Slurm has forgotten it");
        let ended = stderr(&site.run(&["maps", "wait", "-q", "year"]));
        assert!(ended.contains(expected) && ended.contains(remedy), "{ended}");
    }
    // An end that nobody saw is not made up.
    site.done(&["maps", "rerun", "-q", "year"]);
    fs::remove_file(site.path("queue")).unwrap();
    let unseen = shown();
    assert!(unseen.contains("neither answers nor a report") && unseen.contains("nobody looked before"), "{unseen}");
}

/// `--memory` limited addresses: components failed that took a tenth of it.
#[test]
fn memory_is_that_which_is_in_use() {
    let site = Site::new();
    let mut create = site.create("small", "local").to_vec();
    create.extend(["--memory", "2M"]);
    // As on an engine, without a cgroup of its own: the program watches itself.
    assert!(site.command(&create).env("SLURM_JOB_ID", "1").status().unwrap().success());
    assert!(!site.run(&["maps", "wait", "-q", "small"]).status.success());
    let errors = site.done(&["maps", "errors", "small", "--limit", "1"]);
    assert!(errors.contains("it used more memory than its limit of 2 MiB"), "{errors}");
    assert!(errors.contains("of 2 MiB granted") && errors.contains("tpvc maps edit --memory"), "{errors}");
    site.done(&["maps", "edit", "small", "-c", "0", "--memory", "0.5G", "--disk", "1M"]);
    let none = site.run(&["maps", "edit", "small"]);
    assert!(none.status.code() == Some(2) && stderr(&none).contains("no limit is given"), "{}", stderr(&none));
    // Each component has the limits that were given last.
    site.done(&["maps", "rerun", "-q", "small"]);
    site.run(&["maps", "wait", "-q", "small"]);
    let reports = site.done(&["maps", "errors", "small", "--format", "json"]);
    assert!(reports.contains("need more disk than its limit of 1 MiB"), "{reports}");
    assert!(reports.contains("it used more memory than its limit of 2 MiB"), "{reports}");
    site.done(&["maps", "edit", "small", "--memory", "1T", "--disk", "1T"]);
    site.done(&["maps", "rerun", "-q", "small"]);
    site.done(&["maps", "wait", "-q", "small"]);
    assert!(site.results("small") == site.answers());
    let row = site.done(&["maps", "status", "small", "-c", "0", "--format", "csv"]);
    let (header, row) = row.split_once('\n').unwrap();
    assert!(header.contains("SECONDS,MEMORY MIB,DISK BYTES,NOTE,HELP"), "{header}");
    let numbers: Vec<f64> = row.split(',').skip(3).take(3).map(|number| number.parse().unwrap()).collect();
    assert!(numbers.iter().all(|number| *number > 0.0), "{row}");
}

/// A text file was shipped as a program, and each component failed.
#[test]
fn what_is_no_tpvc_is_not_shipped() {
    let site = Site::new();
    site.done(&site.create("year", "local"));
    site.done(&["maps", "wait", "-q", "year"]);
    let before = site.done(&["maps", "transplant", "year"]);
    fs::write(site.path("prog.txt"), "touch evil\n").unwrap();
    site.script("other", "echo tpvc 7.1");
    site.script("fails", "echo no such option >&2; exit 2");
    for (program, why) in [
        ("prog.txt", "neither a program for Linux nor a script"),
        ("other", "it says `tpvc 7.1`"),
        ("fails", "no such option"),
    ] {
        let refused = site.run(&["maps", "transplant", "year", "--program", program]);
        assert_eq!(refused.status.code(), Some(1), "{program}");
        assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
        assert_eq!(site.done(&["maps", "transplant", "year"]), before);
    }
    assert!(!site.path("evil").exists());
    let inputs = fs::read_dir(site.map("year").join("inputs")).unwrap().count();
    site.done(&["maps", "transplant", "year", "--program", env!("CARGO_BIN_EXE_tpvc")]);
    assert_eq!(fs::read_dir(site.map("year").join("inputs")).unwrap().count(), inputs + 1, "refused ones are gone");
}

/// Each map had a copy of the program.
#[test]
fn maps_of_a_folder_share_the_program() {
    use std::os::unix::fs::MetadataExt;
    let site = Site::new();
    let program = |tag: &str| site.done(&["maps", "transplant", tag]).trim().split('\t').nth(1).unwrap().to_owned();
    for tag in ["one", "other"] {
        site.done(&site.create(tag, "local"));
        site.done(&["maps", "wait", "-q", tag]);
    }
    let inode = |tag: &str| fs::metadata(program(tag)).unwrap().ino();
    assert_eq!(inode("one"), inode("other"));
    site.done(&["maps", "remove", "one"]);
    site.done(&["maps", "rerun", "map", "-q", "other"]);
    site.done(&["maps", "wait", "-q", "other"]);
    assert!(site.results("other") == site.answers());
}

/// Verbs of HTCondor were unknown elsewhere, and nothing said what does the same.
#[test]
fn verbs_that_an_engine_lacks_name_others() {
    let site = Site::new();
    for engine in ["local", "slurm"] {
        site.done(&site.create(engine, engine));
        for (verb, other) in [("pause", "hold"), ("resume", "release"), ("vacate", "rerun components")] {
            let refused = site.run(&["maps", verb, engine]);
            assert_eq!(refused.status.code(), Some(1), "{verb}");
            let expected = format!("the engine `{engine}` cannot {verb} components");
            assert!(stderr(&refused).contains(&expected), "{}", stderr(&refused));
            assert!(stderr(&refused).contains(&format!("`tpvc maps {other}`")), "{}", stderr(&refused));
        }
    }
}

/// The settings that count were nowhere to be seen.
#[test]
fn settings_are_shown_with_their_sources() {
    let site = Site::new();
    fs::write(site.path("tpvc.toml"), "[maps]\nengine = \"slurm\"\nmemory = 2000\n[maps.slurm]\nnice = 10\n").unwrap();
    let mut command = site.command(&["maps", "settings", "--format", "text", "--maps-dir", "years"]);
    let shown = stdout(&command.env("TPVC_MAPS_MEMORY", "3000").output().unwrap());
    for row in [
        "dir\tyears\tflag --maps-dir",
        "engine\tslurm\ttpvc.toml",
        "memory\t3000\tvariable TPVC_MAPS_MEMORY",
        "time\t\tthe engine's",
        "slurm.nice\t10\ttpvc.toml",
    ] {
        assert!(shown.lines().any(|line| line == row), "{row} is not in\n{shown}");
    }
}

/// Killed at any moment, `create` leaves a whole map or none.
#[test]
fn a_killed_create_leaves_a_whole_map_or_none() {
    let seed = setting("TPVC_SEED", 20_261_122);
    println!("seed {seed} (TPVC_SEED)");
    let (mut random, site) = (Random::new(seed), Site::new());
    let started = Instant::now();
    site.done(&site.create("calm", "local"));
    let most = u32::try_from(started.elapsed().as_millis()).unwrap() + 1;
    site.done(&["maps", "wait", "-q", "calm"]);
    let expected = site.answers();
    for round in 0..rounds("TPVC_ROUNDS", 6) {
        let tag = format!("t{round}");
        let mut create: Child =
            site.command(&site.create(&tag, "local")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(u64::from(random.below(most))));
        create.kill().unwrap();
        create.wait().unwrap();
        if site.run(&["maps", "path", &tag]).status.success() {
            site.done(&["maps", "rerun", "-q", &tag]);
        } else {
            site.done(&site.create(&tag, "local"));
        }
        site.done(&["maps", "wait", "-q", &tag]);
        assert!(site.results(&tag) == expected, "round {round}");
    }
    site.done(&["maps", "remove", "--all"]);
    assert!(site.names().is_empty(), "{:?}", site.names());
}
