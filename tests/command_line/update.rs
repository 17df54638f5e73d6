//! `tpvc update`, and the lock that all other commands read.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::support::server::{Answer, Server};
use crate::support::{git, run, site, stderr, stdout, tpvc_in};

const OLD: &str = "tools:\n  bwa: {cores: 2, mem: 4}\n";
const NEW: &str = "tools:\n  bwa: {cores: 8, mem: 4}\n";
const LOCAL: &str = "destinations:\n  slurm: {runner: slurm}\n";
const JOB: &str = "{\"tool\":{\"id\":\"bwa\"}}\n";

fn body(text: &str) -> Answer {
    Answer::Body("200 OK", text.to_owned())
}

/// A site with one remote config.
fn folder(server: &Server) -> tempfile::TempDir {
    let settings = format!("files = [\"{}\", \"local.yml\"]\n", server.url("db.yml"));
    site(&[("tpvc.toml", &settings), ("local.yml", LOCAL), ("jobs.jsonl", JOB)])
}

/// The texts of the lock and its cache, by path.
fn locked(folder: &Path) -> BTreeMap<String, String> {
    let cache = folder.join(".tpvc/remote");
    let files = std::fs::read_dir(&cache).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = files.chain([folder.join("tpvc.lock")]).filter(|path| path.is_file());
    files.map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap())).collect()
}

/// The cores of the job.
fn cores(folder: &Path) -> (String, String) {
    let output = tpvc_in(folder, &["map", "jobs.jsonl"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let answer: Value = serde_json::from_str(&stdout(&output)).unwrap();
    (answer["cores"].to_string(), stderr(&output))
}

#[test]
fn the_locked_text_counts_until_the_next_update() {
    let server = Server::of(OLD);
    let site = folder(&server);
    let path = site.path();
    assert_eq!(cores(path).0, "2");
    let (status, said) = run(path, &["update"]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("not locked yet") && said.contains("wrote `tpvc.lock`: 1 remote config"), "{said}");
    let lock: Value = serde_json::from_str(&std::fs::read_to_string(path.join("tpvc.lock")).unwrap()).unwrap();
    let entry = &lock["remotes"][0];
    assert_eq!(
        (&lock["tpvc"], entry["url"].as_str(), entry["bytes"].as_u64()),
        (&1.into(), Some(&*server.url("db.yml")), Some(OLD.len() as u64))
    );
    let text = path.join(lock["cache"].as_str().unwrap()).join(format!("{}.yml", entry["sha256"].as_str().unwrap()));
    assert_eq!(std::fs::read_to_string(text).unwrap(), OLD);

    // Nothing changed: no file is touched.
    let before = locked(path);
    let (status, said) = run(path, &["update"]);
    assert!(status == 0 && said.contains("`tpvc.lock` is up to date"), "{said}");
    assert_eq!(run(path, &["update", "--check"]).0, 0);
    assert_eq!(locked(path), before);

    // The URL gives another text, which nothing reads.
    server.gives(body(NEW));
    let asked = server.asked();
    let (found, said) = cores(path);
    assert_eq!((found.as_str(), server.asked()), ("2", asked));
    assert!(said.contains(&format!("`{}` is read as `tpvc.lock` has it since 20", server.url("db.yml"))), "{said}");
    let (status, said) = run(path, &["update", "--check", "--jobs", "jobs.jsonl"]);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("changed since 20") && said.contains("1 of 1 job"), "{said}");
    assert!(said.contains("cores 2 -> 8"), "{said}");
    assert_eq!(locked(path), before);
    let check = tpvc_in(path, &["update", "--check", "--format", "json"]);
    let report: Value = serde_json::from_str(&stdout(&check)).unwrap();
    assert_eq!(report["environments"][0]["diff"]["jobs"]["made"], true, "{report}");
    assert!(run(path, &["update", "--check", "--format", "markdown"]).1.contains("## Remote configs"));

    let (status, said) = run(path, &["update"]);
    assert_eq!(status, 0, "{said}");
    assert_eq!(cores(path).0, "8");
    // The old text is gone, and so are leftovers.
    let after = locked(path);
    assert!(
        after.len() == before.len()
            && after.values().any(|text| text == NEW)
            && !after.values().any(|text| text == OLD)
    );
    let hidden = std::fs::read_dir(path.join(".tpvc/remote")).unwrap().flatten().map(|entry| entry.file_name());
    assert_eq!(hidden.count(), 2);

    // The server vanished, which hurts `update` alone.
    server.gives(Answer::Close);
    assert_eq!(cores(path).0, "8");
    let (status, said) = run(path, &["update"]);
    assert_eq!(status, 1);
    assert!(
        said.contains("cannot fetch") && said.contains("stays in use") && said.contains("nothing was written"),
        "{said}"
    );
    assert_eq!(locked(path), after);
}

#[test]
fn a_server_that_fails_changes_nothing() {
    let server = Server::of(OLD);
    let site = folder(&server);
    let path = site.path();
    assert_eq!(run(path, &["update"]).0, 0);
    let before = locked(path);
    let page = "<!DOCTYPE html><html><body>Sign in</body></html>";
    let (yaml, file) = ("tools:\n  bwa: {cores: 2, me".to_owned(), "file:///etc/passwd".to_owned());
    for (answer, expected) in [
        (body(page), "gives a page (HTML or XML), not a config"),
        (body(" \n"), "gives an empty text"),
        (body("{\"message\": \"Not Found\"}"), "it has no section of TPV"),
        (body("just words"), "it has no section of TPV"),
        (body(&yaml), "gives no config"),
        (Answer::Body("404 Not Found", OLD.to_owned()), "status 404"),
        (Answer::Body("206 Partial Content", OLD.to_owned()), "status 206"),
        (Answer::Body("202 Accepted", OLD.to_owned()), "status 202"),
        (Answer::CutOff(NEW.to_owned()), "cannot fetch"),
        (Answer::To(file), "isn't an http or https address"),
        (Answer::To(server.url("again.yml")), "redirects more than 30 times"),
        (Answer::Hang(Duration::from_secs(20)), "no complete answer within 1 s"),
        (Answer::Close, "cannot fetch"),
        // It is a config, but not one for these rules.
        (body("tools:\n  bwa: {inherits: nobody}\n"), "do not compile"),
    ] {
        server.gives(answer.clone());
        for args in [&["update", "--timeout", "1"][..], &["update", "--check", "--timeout", "1"]] {
            let (status, said) = run(path, args);
            assert_eq!(status, 1, "{answer:?}: {said}");
            assert!(said.contains(expected), "{answer:?}: {said}");
            assert_eq!(locked(path), before, "{answer:?}");
        }
        assert_eq!(cores(path).0, "2");
    }
    let other = Server::of(NEW);
    server.gives(Answer::To(other.url("db.yml")));
    assert_eq!(run(path, &["update"]).0, 0);
    assert_eq!(cores(path).0, "8");
}

#[test]
fn a_missing_text_is_fetched_and_must_be_the_same() {
    let server = Server::of(OLD);
    let site = folder(&server);
    let path = site.path();
    assert_eq!(run(path, &["update"]).0, 0);
    let cache = path.join(".tpvc/remote");
    let text = std::fs::read_dir(&cache).unwrap().flatten().map(|entry| entry.path());
    let text = text.into_iter().find(|path| path.extension().is_some_and(|end| end == "yml")).unwrap();
    std::fs::write(&text, NEW).unwrap();
    let (status, said) = run(path, &["lint"]);
    let sha = text.file_stem().unwrap().to_string_lossy().into_owned();
    assert!(status == 1 && said.contains("the text in the cache was changed") && said.contains(&sha), "{said}");
    // An update mends it.
    assert_eq!(run(path, &["update"]).0, 0);
    assert_eq!(std::fs::read_to_string(&text).unwrap(), OLD);

    std::fs::remove_dir_all(&cache).unwrap();
    let (found, said) = cores(path);
    assert!(found == "2" && said.contains("the cache of `tpvc.lock` lacks its text"), "{said}");
    server.gives(body(NEW));
    let (status, said) = run(path, &["lint"]);
    assert_eq!(status, 1);
    let new = said.split("another text now, ").nth(1).map(|rest| rest.chars().take(64).collect::<String>());
    assert!(new.is_some_and(|new| new.bytes().all(|byte| byte.is_ascii_hexdigit()) && new != sha), "{said}");
    assert!(said.contains(&sha) && said.contains("tpvc update"), "{said}");
    let (status, said) = run(path, &["update"]);
    assert!(status == 0 && said.contains("the cache lacks the text"), "{said}");
    assert_eq!(cores(path).0, "8");
}

#[test]
fn a_lock_that_cannot_be_written_leaves_no_texts() {
    let server = Server::of(OLD);
    let site = folder(&server);
    let path = site.path();
    std::fs::create_dir(path.join("tpvc.lock")).unwrap();
    assert_eq!(run(path, &["update"]).0, 1);
    std::fs::remove_dir(path.join("tpvc.lock")).unwrap();
    std::fs::write(path.join(".tpvc"), "a file where the cache is to be").unwrap();
    let (status, said) = run(path, &["update"]);
    assert!(status == 1 && said.contains("the locked texts cannot be written"), "{said}");
    assert!(locked(path).is_empty());
}

/// `[remotes]` comes first; each environment counts; a URL can be updated alone; the cache is where the settings say.
#[test]
fn urls_of_all_environments_are_locked() {
    let (one, two, copied) = (Server::of(OLD), Server::of(LOCAL), Server::of(OLD));
    let settings = format!(
        "files = [\"{}\", \"{}\"]\n[lock]\ncache = \"tpv/texts\"\n[remotes]\n\"{}\" = \"copy.yml\"\n[environments.main]\n\
         [environments.test]\nfiles = [\"{}\", \"local.yml\"]\nserver = {{job_conf = \"job_conf.yml\"}}\n",
        one.url("a.yml?token=hidden"),
        copied.url("c.yml"),
        copied.url(""),
        two.url("b.yml"),
    );
    let three = Server::of("tools: {star: {}}\n");
    let job_conf = format!(
        "execution:\n  environments:\n    d: {{runner: dynamic_tpv, tpv_config_files: [{}, x.yml]}}\n",
        three.url("d.yml")
    );
    let files =
        [("tpvc.toml", &*settings), ("local.yml", LOCAL), ("job_conf.yml", &job_conf), ("copy.yml/c.yml", LOCAL)];
    let site = site(&files);
    let path = site.path();
    let (status, said) = run(path, &["update"]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("`[remotes]` names a copy") && said.contains("3 remote configs"), "{said}");
    assert_eq!(copied.asked(), 0);
    let text = std::fs::read_to_string(path.join("tpvc.lock")).unwrap();
    assert!(text.contains("?token=***") && !text.contains("hidden") && !said.contains("hidden"), "{text}{said}");
    assert_eq!(std::fs::read_dir(path.join("tpv/texts")).unwrap().count(), 4);
    let (status, said) = run(path, &["dump", "--environment", "test"]);
    assert!(status == 0 && said.contains("as `tpvc.lock` has it"), "{said}");

    one.gives(body(NEW));
    two.gives(Answer::Close);
    let (status, said) = run(path, &["update"]);
    assert!(status == 1 && said.contains("`tpvc update URL`"), "{said}");
    let (status, said) = run(path, &["update", &one.url("a.yml?token=hidden")]);
    assert!(status == 0 && said.contains("ENVIRONMENT main") && !said.contains("ENVIRONMENT test"), "{said}");
    let (status, said) = run(path, &["update", "https://example.org/other.yml"]);
    assert!(status == 2 && said.contains("has no remote config"), "{said}");

    // A URL that no config names is no longer locked.
    std::fs::write(path.join("tpvc.toml"), "files = [\"local.yml\"]\n").unwrap();
    let (status, said) = run(path, &["update"]);
    assert!(status == 0 && said.contains("no config names it any more"), "{said}");
    assert!(
        !path
            .join("tpv/texts")
            .read_dir()
            .unwrap()
            .flatten()
            .any(|entry| entry.path().extension().is_some_and(|end| end == "yml"))
    );
}

#[test]
fn each_revision_has_its_own_lock() {
    let server = Server::of(OLD);
    let site = folder(&server);
    let path = site.path();
    let commit = |message: &str| {
        git(path, &["add", "-A"]);
        git(path, &["commit", "-q", "-m", message]);
    };
    git(path, &["init", "-q", "-b", "main"]);
    commit("no lock");
    assert_eq!(run(path, &["update"]).0, 0);
    commit("locked");
    server.gives(body(NEW));
    assert_eq!(run(path, &["update"]).0, 0);
    commit("updated");
    server.gives(Answer::Close);
    let (status, said) = run(path, &["diff", "HEAD~1..", "--jobs", "jobs.jsonl"]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("cores 2 -> 8"), "{said}");
    // From before the lock, the present one counts.
    let (status, said) = run(path, &["diff", "HEAD~2..", "--no-jobs"]);
    assert!(
        status == 0 && said.contains("`HEAD~2` lacks `tpvc.lock`") && said.contains("the rules say the same"),
        "{said}"
    );
    // A cache that is not in the repository has one side only.
    git(path, &["rm", "-q", "-r", "--cached", ".tpvc"]);
    git(path, &["commit", "-q", "-m", "no cache"]);
    std::fs::write(path.join("local.yml"), format!("{LOCAL}  other: {{runner: slurm}}\n")).unwrap();
    git(path, &["commit", "-q", "-m", "more", "local.yml"]);
    let (status, said) = run(path, &["diff", "HEAD~1..", "--no-jobs"]);
    assert!(status == 0 && said.contains("other"), "{said}");
}

#[test]
fn settings_and_locks_that_are_wrong_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (status, said) = run(folder.path(), &["update"]);
    assert!(status == 2 && said.contains("tpvc init"), "{said}");
    let site = site(&[("tpvc.toml", "files = [\"local.yml\"]\n"), ("local.yml", LOCAL)]);
    let (status, said) = run(site.path(), &["update"]);
    assert!(status == 0 && !site.path().join("tpvc.lock").exists(), "{said}");
    let entry = format!(
        "{{\"url\": \"http://a/\\u001b[31m\", \"sha256\": \"{}\", \"fetched\": \"\\u001b[31m\"}}",
        "0".repeat(64)
    );
    std::fs::write(site.path().join("tpvc.lock"), format!("{{\"tpvc\": 1, \"remotes\": [{entry}]}}")).unwrap();
    for format in ["text", "markdown", "json"] {
        let (status, said) = run(site.path(), &["update", "--check", "--format", format]);
        assert!(status == 1 && said.contains("http://a/") && !said.contains('\x1b'), "{said}");
    }
    std::fs::write(site.path().join("tpvc.lock"), "{\n<<<<<<< HEAD\n").unwrap();
    let (status, said) = run(site.path(), &["lint"]);
    assert!(status == 1 && said.contains("tpvc.lock:2:1") && said.contains("this is not a lock of tpvc"), "{said}");
    // The command line may say all that the settings do, but not which texts are locked.
    std::fs::write(site.path().join("vars.yml"), "").unwrap();
    let args = ["compile", "--vars", "vars.yml", "--tpv", "3.3", "local.yml", "-o", "rules.bin"];
    let (status, said) = run(site.path(), &args);
    assert!(status == 1 && said.contains("this is not a lock of tpvc"), "{said}");
    std::fs::remove_file(site.path().join("tpvc.lock")).unwrap();
    std::fs::write(site.path().join("tpvc.toml"), "files = 1\n").unwrap();
    let (status, said) = run(site.path(), &args);
    assert!(status == 0 && said.contains("nor do the copies of URLs that they name"), "{said}");
}

/// A job configuration that cannot be read may name URLs, which stay locked.
#[test]
fn a_broken_job_configuration_unlocks_nothing() {
    let server = Server::of(OLD);
    let settings = "files = [\"local.yml\"]\n[server]\njob_conf = \"job_conf.yml\"\n";
    let job_conf = format!(
        "execution:\n  environments:\n    d: {{runner: dynamic_tpv, tpv_config_files: [{}]}}\n",
        server.url("db.yml")
    );
    let site = site(&[("tpvc.toml", settings), ("local.yml", LOCAL), ("job_conf.yml", &job_conf)]);
    let path = site.path();
    let (status, said) = run(path, &["update"]);
    assert!(status == 0 && said.contains("1 remote config"), "{said}");
    let before = locked(path);
    assert!(before.values().any(|text| text == OLD));
    std::fs::write(path.join("job_conf.yml"), "execution: [\n").unwrap();
    let (status, said) = run(path, &["update"]);
    assert!(status == 0 && said.contains("stay as they are locked"), "{said}");
    assert_eq!(locked(path), before);
}
