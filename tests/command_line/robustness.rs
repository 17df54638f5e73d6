//! Bad input of any kind: a clear error, the right exit status, nothing lost, never a crash.

use std::fs;
use std::path::Path;

use crate::support::random::{Random, rounds, setting};
use crate::support::{stderr, stdout, tpvc_in};

const CONFIG: &str = "tools:\n  bwa:\n    cores: 2\n    mem: cores * 4\n    env:\n      A: '{cores}'\ndestinations:\n  local:\n    \
                      runner: local\n";
const JOB: &str = r#"{"id": "a", "tool": {"id": "bwa"}}"#;

/// A folder with a config, its artifact and a job.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.yml"), CONFIG).unwrap();
    fs::write(folder.path().join("jobs.jsonl"), format!("{JOB}\n")).unwrap();
    let compiled = tpvc_in(folder.path(), &["compile", "config.yml", "-o", "rules.bin"]);
    assert!(compiled.status.success(), "{}", stderr(&compiled));
    folder
}

/// Maps with an artifact of these bytes and gives what stderr said; the run must fail with status 1.
fn refused(folder: &Path, bytes: &[u8]) -> String {
    fs::write(folder.join("bad.bin"), bytes).unwrap();
    let run = tpvc_in(folder, &["map", "bad.bin", "jobs.jsonl"]);
    assert_eq!(run.status.code(), Some(1), "{}", stderr(&run));
    assert_eq!(stdout(&run), "");
    stderr(&run)
}

#[test]
fn artifacts_that_are_cut_altered_foreign_empty_or_newer_are_refused() {
    let folder = folder();
    let path = folder.path();
    let good = fs::read(path.join("rules.bin")).unwrap();
    assert!(refused(path, b"").contains("`bad.bin` cannot be used: the file is empty"));
    assert!(refused(path, b"no config").contains("the file is not a tpvc artifact"));
    assert!(refused(path, &good[..good.len() - 1]).contains("cut short"));
    assert!(refused(path, &good[..5]).contains("cut short"));
    let mut longer = good.clone();
    longer.push(0);
    assert!(refused(path, &longer).contains("goes on after its last section"));
    let mut newer = good.clone();
    newer[8] = 99;
    let header = u32::from_le_bytes(newer[12..16].try_into().unwrap()) as usize;
    let checksum = crc32(&newer[..header - 4]);
    newer[header - 4..header].copy_from_slice(&checksum.to_le_bytes());
    let said = refused(path, &newer);
    assert!(said.contains(concat!("format version 99, written by tpvc ", env!("CARGO_PKG_VERSION"))), "{said}");
    assert!(said.contains("help: compile the config again with this tpvc"), "{said}");
}

#[test]
fn every_flipped_bit_and_every_cut_is_noticed() {
    let folder = folder();
    let good = fs::read(folder.path().join("rules.bin")).unwrap();
    assert!(tpv_runtime::artifact::Rules::load(&good).is_ok());
    for position in 0..good.len() {
        let mut flipped = good.clone();
        flipped[position] ^= 1 << (position % 8);
        assert!(tpv_runtime::artifact::Rules::load(&flipped).is_err(), "byte {position} flipped");
        assert!(tpv_runtime::artifact::Rules::load(&good[..position]).is_err(), "cut at {position}");
    }
}

/// Damage that comes with right checksums, as only a malicious or faulty writer makes it: an error or rules, never a crash.
#[test]
fn sections_of_random_bytes_do_not_crash() {
    let folder = folder();
    let good = fs::read(folder.path().join("rules.bin")).unwrap();
    let manifest = tpv_runtime::artifact::format::manifest(&good).unwrap();
    let header = u32::from_le_bytes(good[12..16].try_into().unwrap()) as usize;
    let table = header - 4 - 24 * manifest.sections.len();
    let (seed, count) = (setting("TPVC_SEED", 20_261_125), rounds("TPVC_ROUNDS", 20_000));
    println!("seed {seed}, {count} artifacts (TPVC_SEED, TPVC_ROUNDS)");
    let mut random = Random::new(seed);
    let mut refused = 0;
    for _ in 0..count {
        let mut bytes = good.clone();
        let index = random.below(manifest.sections.len() as u32) as usize;
        let section = &manifest.sections[index];
        for _ in 0..=random.below(3) {
            let at = section.offset + random.below(section.length as u32) as usize;
            bytes[at] = random.below(256) as u8;
        }
        let sum = crc32(&bytes[section.offset..section.offset + section.length]);
        let entry = table + 24 * index;
        bytes[entry + 20..entry + 24].copy_from_slice(&sum.to_le_bytes());
        let sum = crc32(&bytes[..header - 4]);
        bytes[header - 4..header].copy_from_slice(&sum.to_le_bytes());
        match tpv_runtime::artifact::Rules::load(&bytes) {
            Err(_) => refused += 1,
            Ok(rules) => {
                let job = std::sync::Arc::new(tpv_galaxy::job::Job::parse(JOB).unwrap());
                let mapper = tpv_runtime::mapper::Mapper::new(std::sync::Arc::new(rules));
                let _ = mapper.map(&job, &std::sync::Arc::default());
            }
        }
    }
    assert!(refused > count / 4, "only {refused} of {count} were refused");
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

#[test]
fn lines_that_are_no_jobs_are_answered_and_the_others_mapped() {
    let folder = folder();
    let jobs = [
        JOB.to_owned(),
        "{".to_owned(),
        String::new(),
        r#"{"id": 3, "tool": {}}"#.to_owned(),
        r#"{"id": 4, "tool": {"id": 5}}"#.to_owned(),
        "[1]".to_owned(),
        JOB.replace("\"a\"", "\"b\""),
    ];
    fs::write(folder.path().join("jobs.jsonl"), jobs.join("\n")).unwrap();
    for threads in ["1", "3"] {
        let run = tpvc_in(folder.path(), &["map", "rules.bin", "jobs.jsonl", "--threads", threads]);
        assert_eq!(run.status.code(), Some(1));
        let answers: Vec<serde_json::Value> =
            stdout(&run).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.len(), 6);
        assert_eq!(answers[0]["destination"]["id"], "local");
        assert_eq!(answers[5]["destination"]["id"], "local");
        for (answer, line) in answers[1..5].iter().zip([2, 4, 5, 6]) {
            assert_eq!(answer["id"], serde_json::Value::Null);
            assert_eq!(answer["error"]["type"], "InvalidJob");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.starts_with(&format!("line {line}: ")), "{message}");
        }
        assert_eq!(answers[2]["error"]["message"], "line 4: tool.id: missing");
        assert!(
            stderr(&run).contains("4 lines of `jobs.jsonl`") || stderr(&run).contains("4 lines are"),
            "{}",
            stderr(&run)
        );
    }
}

#[test]
fn bytes_that_are_no_text_are_no_job() {
    let folder = folder();
    fs::write(folder.path().join("jobs.jsonl"), b"\xff\xfe\n").unwrap();
    let run = tpvc_in(folder.path(), &["map", "rules.bin", "jobs.jsonl"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(stdout(&run).contains("InvalidJob"), "{}", stdout(&run));
}

#[test]
fn missing_and_unreadable_files_are_named() {
    let folder = folder();
    for (args, what) in [
        (vec!["map", "nothing.bin", "jobs.jsonl"], "the artifact cannot be read from `nothing.bin`: no such file"),
        (vec!["map", "rules.bin", "nothing.jsonl"], "the jobs cannot be read from `nothing.jsonl`: no such file"),
        (vec!["map", "rules.bin", "."], "the jobs cannot be read from `.`: it is a folder"),
        (vec!["map", "rules.bin", "jobs.jsonl", "--world", "w.json"], "the world cannot be read from `w.json`"),
        (vec!["map", "rules.bin", "jobs.jsonl", "--world", "config.yml"], "`config.yml` is a TPV config, not a world"),
        (vec!["inspect", "nothing.bin"], "the artifact cannot be read from `nothing.bin`"),
        (vec!["compile", "nothing.yml", "-o", "x.bin"], "nothing.yml"),
    ] {
        let run = tpvc_in(folder.path(), &args);
        assert_eq!(run.status.code(), Some(1), "{args:?}");
        let said = stderr(&run);
        assert!(said.contains(what), "{args:?}: {said}");
        assert!(said.contains("help: "), "{args:?}: {said}");
        assert!(!folder.path().join("x.bin").exists());
    }
}

#[test]
fn an_unwritable_output_is_named_and_an_old_one_is_kept() {
    let folder = folder();
    for args in [
        vec!["compile", "config.yml", "-o", "no/such/folder/rules.bin"],
        vec!["map", "rules.bin", "jobs.jsonl", "-o", "no/such/folder/out.jsonl"],
        vec!["compile", "config.yml", "-o", "."],
    ] {
        let run = tpvc_in(folder.path(), &args);
        assert_eq!(run.status.code(), Some(1), "{args:?}");
        assert!(stderr(&run).contains("cannot be written to"), "{}", stderr(&run));
    }
    // A config that no longer compiles leaves the artifact of yesterday in place, and no temporary file.
    let before = fs::read(folder.path().join("rules.bin")).unwrap();
    fs::write(folder.path().join("config.yml"), "tools:\n  bwa:\n    cores: [1]\n").unwrap();
    let run = tpvc_in(folder.path(), &["compile", "config.yml", "-o", "rules.bin"]);
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(fs::read(folder.path().join("rules.bin")).unwrap(), before);
    let left: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("part"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn a_wrong_command_line_ends_with_status_2() {
    let folder = folder();
    for args in [
        vec![],
        vec!["fly"],
        vec!["map", "rules.bin"],
        vec!["compile", "config.yml"],
        vec!["map", "--threads", "0", "a", "b"],
    ] {
        let run = tpvc_in(folder.path(), &args);
        assert_eq!(run.status.code(), Some(2), "{args:?}: {}", stderr(&run));
    }
}

#[test]
fn the_same_config_gives_the_same_bytes() {
    let folder = folder();
    let first = fs::read(folder.path().join("rules.bin")).unwrap();
    for _ in 0..3 {
        let run = tpvc_in(folder.path(), &["compile", "config.yml", "-o", "again.bin"]);
        assert!(run.status.success());
        assert_eq!(fs::read(folder.path().join("again.bin")).unwrap(), first);
    }
}

#[test]
fn answers_go_to_stdout_and_everything_else_to_stderr() {
    let folder = folder();
    let run = tpvc_in(folder.path(), &["map", "--config", "config.yml", "jobs.jsonl"]);
    assert!(run.status.success());
    assert_eq!(stdout(&run).lines().count(), 1);
    assert!(stderr(&run).contains("mapped 1 job: 1 to 1 destination, 0 errors"), "{}", stderr(&run));
    let quiet = tpvc_in(folder.path(), &["map", "--quiet", "rules.bin", "jobs.jsonl"]);
    assert_eq!(stderr(&quiet), "");
    assert_eq!(stdout(&quiet), stdout(&run));
}

/// Every verb with what it needs, in a folder of [`folder`].
const VERBS: [&[&str]; 9] = [
    &["lint", "config.yml"],
    &["format", "config.yml"],
    &["dump", "config.yml"],
    &["dry-run", "config.yml", "--tool", "bwa"],
    &["map", "--config", "config.yml", "jobs.jsonl"],
    &["inspect", "rules.bin"],
    &["explain-code", "T101"],
    &["completions", "bash"],
    &["man"],
];

/// Runs a verb with these streams and gives its status.
#[cfg(unix)]
fn status(folder: &Path, args: &[&str], stdout: std::process::Stdio, stderr: std::process::Stdio) -> Option<i32> {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tpvc"));
    command.args(args).current_dir(folder).stdin(std::process::Stdio::null()).stdout(stdout).stderr(stderr);
    command.status().unwrap().code()
}

/// A pipe that nobody reads.
#[cfg(unix)]
fn closed() -> std::process::Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

#[cfg(unix)]
#[test]
fn readers_that_go_away_are_no_failure() {
    let folder = folder();
    fs::write(folder.path().join("bad.yml"), "tools: [\n").unwrap();
    for args in VERBS {
        let null = std::process::Stdio::null;
        assert_eq!(status(folder.path(), args, closed(), null()), Some(0), "{args:?}");
        assert_eq!(status(folder.path(), args, closed(), closed()), Some(0), "{args:?}");
    }
    for verb in ["lint", "format", "dump", "compile"] {
        let args: &[&str] = if verb == "compile" { &[verb, "bad.yml", "-o", "x.bin"] } else { &[verb, "bad.yml"] };
        assert_eq!(status(folder.path(), args, closed(), closed()), Some(1), "{verb}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_written_are_a_failure() {
    let folder = folder();
    fs::write(folder.path().join("config.yml"), CONFIG.replace("cores: 2", "core: 2")).unwrap();
    for args in VERBS {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        assert_eq!(status(folder.path(), args, full.into(), std::process::Stdio::null()), Some(1), "{args:?}");
    }
}

#[test]
fn a_config_may_come_from_stdin() {
    let folder = folder();
    for args in [&["lint", "-"][..], &["dump", "-"], &["format", "-"], &["dry-run", "-", "--tool", "bwa"]] {
        let config = fs::File::open(folder.path().join("config.yml")).unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tpvc"));
        let output = command.args(args).current_dir(folder.path()).stdin(config).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    }
    let write = tpvc_in(folder.path(), &["format", "--write", "-"]);
    assert_eq!(write.status.code(), Some(2), "{}", stderr(&write));
}

#[test]
fn configs_that_cannot_be_read_say_why() {
    let folder = folder();
    fs::write(folder.path().join("latin.yml"), b"tools: {caf\xe9: {mem: 1}}\n").unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let cases = [
        ("none.yml", "no such file", "check the path; relative paths start in the current folder"),
        ("sub", "no .yml or .yaml file in the folder `sub`", "name a folder with config files"),
        ("latin.yml", "is not UTF-8 text", "save it as UTF-8"),
    ];
    for (name, what, help) in cases {
        for verb in ["dump", "format", "compile"] {
            let own = ["-o", "x"];
            let args: Vec<&str> =
                [verb, name].into_iter().chain(own.into_iter().filter(|_| verb == "compile")).collect();
            let run = tpvc_in(folder.path(), &args);
            let said = stderr(&run);
            assert_eq!(run.status.code(), Some(1), "{verb} {name}: {said}");
            assert!(said.contains(what) && said.contains(help), "{verb} {name}: {said}");
        }
    }
}

/// Endless input is not read forever, whatever the verb.
#[cfg(unix)]
#[test]
fn endless_inputs_are_refused() {
    let folder = folder();
    let path = folder.path();
    let zero = "/dev/zero";
    for (args, message) in [
        (vec!["compile", zero, "-o", "other.bin"], "cannot read `/dev/zero`: is larger than 64 MiB"),
        (vec!["lint", zero], "cannot read `/dev/zero`: is larger than 64 MiB"),
        (vec!["format", zero], "`/dev/zero` cannot be read: is larger than 64 MiB"),
        (vec!["dump", zero], "cannot read `/dev/zero`: is larger than 64 MiB"),
        (vec!["dump", "--job-conf", zero], "the job configuration `/dev/zero` cannot be read: is larger than 64 MiB"),
        (vec!["dry-run", zero], "cannot read `/dev/zero`: is larger than 64 MiB"),
        (
            vec!["dry-run", "rules.bin", "--job", zero],
            "the job cannot be read from `/dev/zero`: it is larger than 256 MiB",
        ),
        (vec!["inspect", zero], "`/dev/zero` cannot be used: the file is not a tpvc artifact"),
        (vec!["map", zero, "jobs.jsonl"], "`/dev/zero` cannot be used: the file is not a tpvc artifact"),
        (vec!["map", "rules.bin", zero], "the jobs cannot be read from `/dev/zero`: a line has more than 1 GiB"),
        (
            vec!["map", "rules.bin", "jobs.jsonl", "--world", zero],
            "the world cannot be read from `/dev/zero`: it is larger than 256 MiB",
        ),
    ] {
        let run = tpvc_in(path, &args);
        let said = stderr(&run);
        assert_eq!(run.status.code(), Some(1), "{args:?}: {said}");
        // The findings of `lint` are results.
        assert!(said.contains(message) || stdout(&run).contains(message), "{args:?}: {said}");
        assert!(stdout(&run).len() < 200, "{args:?}");
    }
    // A pipe is read as a file is.
    assert!(std::process::Command::new("mkfifo").arg(path.join("pipe")).status().unwrap().success());
    for args in [vec!["map", "pipe", "jobs.jsonl"], vec!["compile", "pipe", "-o", "other.bin"]] {
        let target = path.join("pipe");
        let writer = std::thread::spawn(move || {
            let mut pipe = fs::File::options().write(true).open(target).unwrap();
            let chunk = vec![b'#'; 1 << 20];
            while std::io::Write::write_all(&mut pipe, &chunk).is_ok() {}
        });
        assert_eq!(tpvc_in(path, &args).status.code(), Some(1), "{args:?}");
        writer.join().unwrap();
    }
}

/// The password of a URL, which the server gets, is neither printed nor written.
#[test]
fn passwords_of_urls_are_not_shown() {
    let folder = folder();
    let path = folder.path();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            use std::io::{Read, Write};
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let count = stream.read(&mut request).unwrap();
            let request = String::from_utf8_lossy(&request[..count]).to_lowercase();
            let text = CONFIG.replace("cores: 2", "cors: 2\n    cores: 2");
            let (status, text) = match request.contains("authorization: basic dxnlcjpzm2nyzxq=") {
                true if request.starts_with("get /rules.yml") => ("200 OK", text.as_str()),
                true => ("404 Not Found", ""),
                false => ("401 Unauthorized", ""),
            };
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", text.len());
            let _ = stream.write_all(format!("{head}{text}").as_bytes());
        }
    });
    let url = format!("http://user:s3cret@{host}/rules.yml");
    let missing = format!("http://user:s3cret@{host}/other.yml");
    let job_conf = format!(
        "execution:\n  environments:\n    tpv_dispatcher:\n      runner: dynamic_tpv\n      tpv_config_files: ['{url}']\n"
    );
    fs::write(path.join("job_conf.yml"), job_conf).unwrap();
    for (args, status, shown) in [
        (vec!["compile", &url, "-o", "secret.bin", "-vv"], 0, true),
        (vec!["lint", &url], 0, true),
        (vec!["lint", &url, "--format", "json"], 0, true),
        (vec!["lint", &url, "--format", "sarif"], 0, true),
        (vec!["lint", &url, "--format", "github"], 0, true),
        (vec!["lint", &url, "--format", "junit"], 0, true),
        (vec!["dump", &url], 0, true),
        (vec!["dump", &url, "--provenance"], 0, true),
        (vec!["format", "--check", &url], 1, true),
        (vec!["format", "--write", &url], 2, true),
        (vec!["dry-run", &url, "--tool", "bwa", "--explain"], 0, true),
        (vec!["dry-run", &url, "--tool", "bwa", "--explain", "--output-format", "json"], 0, true),
        (vec!["dry-run", &url, "--tool", "bwa", "--output-format", "html"], 0, true),
        (vec!["dry-run", "--job-conf", "job_conf.yml", "--tool", "bwa", "--explain"], 0, true),
        (vec!["dry-run", "secret.bin", "--tool", "bwa", "--explain"], 0, true),
        (vec!["map", "--config", &url, "jobs.jsonl"], 0, true),
        (vec!["map", &url, "jobs.jsonl"], 1, true),
        (vec!["inspect", "secret.bin"], 0, false),
        (vec!["compile", &missing, "-o", "other.bin"], 1, true),
        (vec!["bench", &missing, "--jobs-file", "jobs.jsonl"], 1, true),
    ] {
        let run = tpvc_in(path, &args);
        let said = format!("{}{}", stdout(&run), stderr(&run));
        assert_eq!(run.status.code(), Some(status), "{args:?}: {said}");
        assert!(!said.contains("s3cret") && !said.contains("//user"), "{args:?}: {said}");
        assert!(!shown || said.contains("***@") || said.contains("%2A%2A%2A@"), "{args:?}: {said}");
    }
    let artifact = fs::read(path.join("secret.bin")).unwrap();
    assert!(!artifact.windows(6).any(|bytes| bytes == b"s3cret"));
}
