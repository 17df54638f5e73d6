//! Job files that are compressed are mapped as the plain ones, from a file and from a pipe.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::support::{project, stderr, tpvc_in};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 3).unwrap()
}

fn map(folder: &Path, jobs: &str) -> Output {
    tpvc_in(folder, &["map", "-q", "rules.bin", jobs])
}

fn map_stdin(folder: &Path, bytes: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tpvc"));
    let command = command.args(["map", "-q", "rules.bin", "-"]).current_dir(folder);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut stdin, bytes) = (child.stdin.take().unwrap(), bytes.to_vec());
    let writer = std::thread::spawn(move || stdin.write_all(&bytes));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    output
}

#[test]
fn compressed_jobs_are_mapped_as_plain_ones() {
    let site = project().join("examples/site");
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let config = site.join("tpv.yml");
    assert!(tpvc_in(folder, &["compile", "-q", config.to_str().unwrap(), "-o", "rules.bin"]).status.success());
    let jobs = fs::read(site.join("jobs.jsonl")).unwrap();
    let more = jobs.repeat(100);
    fs::write(folder.join("jobs.jsonl"), &more).unwrap();
    let expected = map(folder, "jobs.jsonl");
    assert!(expected.status.success() && expected.stdout.len() > more.len() / 2);
    for (name, compress) in [("jobs.jsonl.gz", gzip as fn(&[u8]) -> Vec<u8>), ("jobs.jsonl.zst", zstd)] {
        // Two members, as `cat a.gz b.gz` makes them.
        let (first, second) = more.split_at(jobs.len() * 40 + 17);
        let compressed = [compress(first), compress(second)].concat();
        // The name tells nothing.
        for name in [name, "anything"] {
            fs::write(folder.join(name), &compressed).unwrap();
            let mapped = map(folder, name);
            assert!(mapped.status.success() && mapped.stdout == expected.stdout, "{name}: {}", stderr(&mapped));
        }
        assert!(map_stdin(folder, &compressed).stdout == expected.stdout);

        fs::write(folder.join(name), &compressed[..compressed.len() - 5]).unwrap();
        let mapped = map(folder, name);
        let format = if name.ends_with("gz") { "gzip" } else { "zstd" };
        let end = compressed.len() - 5;
        assert_eq!(mapped.status.code(), Some(1));
        assert_eq!(
            stderr(&mapped),
            format!(
                "error: the jobs cannot be read from `{name}`: its {format} data are cut off at byte {end}\n |\n = help: \
                 copy or create the file again; `{format} -t FILE` checks that it is complete\n"
            )
        );
    }
}

#[test]
fn a_compressed_file_of_another_kind_is_no_artifact() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("jobs.gz"), gzip(b"{\"tool\": {\"id\": \"bwa\"}}\n")).unwrap();
    let mapped = tpvc_in(folder.path(), &["map", "jobs.gz", "jobs.gz"]);
    assert!(stderr(&mapped).starts_with("error: `jobs.gz` is a job file, not an artifact"), "{}", stderr(&mapped));
}
