#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::item::Item;

struct Folder {
    _folder: tempfile::TempDir,
    root: Root,
}

fn folder() -> Folder {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::open(&folder.path().join("maps")).unwrap();
    Folder { _folder: folder, root }
}

fn item(component: u32) -> Item {
    Item {
        component,
        rules: "0".repeat(32),
        rules_name: "rules.bin".to_owned(),
        against: None,
        run: None,
        jobs: "1".repeat(32),
        file: "jobs.jsonl".to_owned(),
        start: 0,
        length: 10,
        first_line: 1,
        lines: 1,
    }
}

impl Folder {
    fn map(&self, tag: &str) -> MapDir {
        self.root.begin(tag, false).unwrap().finish(&[item(0), item(1)]).unwrap().0
    }

    /// All that is in the folder but locks for slots.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for folder in [self.root.path().to_owned(), self.root.path().join("tags")] {
            for entry in fs::read_dir(&folder).unwrap() {
                names.push(entry.unwrap().file_name().into_string().unwrap());
            }
        }
        names.retain(|name| name != "slots" && name != "tags");
        names.sort();
        names
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }
}

#[test]
fn a_tag_leads_to_a_map() {
    let folder = folder();
    let map = folder.map("q3");
    assert_eq!(folder.root.load("q3").unwrap(), map);
    assert_eq!((map.components().unwrap(), map.items().unwrap().len(), map.tag().unwrap()), (2, 2, "q3".to_owned()));
    let taken = folder.root.begin("q3", false).unwrap_err();
    assert!(taken.message.contains("there is a map `q3` already"), "{taken}");
    assert_eq!(folder.names(), [map.name(), "q3".to_owned()]);
    for wrong in ["", ".hidden", "a/b", "..", "-p", "ä", "a b"] {
        assert!(folder.root.begin(wrong, false).is_err(), "{wrong}");
        assert!(folder.root.find(wrong).unwrap().is_none(), "{wrong}");
    }
}

#[test]
fn a_draft_that_is_given_up_leaves_nothing() {
    let folder = folder();
    drop(folder.root.begin("q3", false).unwrap());
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn a_draft_whose_maker_was_killed_is_swept_up_and_its_tag_is_free() {
    let folder = folder();
    let draft = folder.root.begin("q3", false).unwrap();
    // Somebody is at work: it stays.
    folder.root.sweep().unwrap();
    assert_eq!(folder.names().len(), 2);
    assert!(folder.root.tags().unwrap().is_empty(), "a draft is no map");
    draft.abandon_as_a_kill_does();
    folder.root.sweep().unwrap();
    assert!(folder.names().is_empty(), "{:?}", folder.names());
    folder.map("q3");
}

#[test]
fn an_interrupted_removal_is_ended() {
    let folder = folder();
    let map = folder.map("q3");
    fs::rename(map.path(), folder.path(&format!(".removed-{}", map.name()))).unwrap();
    // Killed here: the tag leads nowhere, and the files are still there.
    assert!(folder.root.load("q3").is_err());
    folder.root.sweep().unwrap();
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn an_interrupted_retag_leaves_one_tag() {
    let folder = folder();
    let map = folder.map("old");
    let tags = folder.root.path().join("tags");
    // Killed after the new tag was made.
    fs::copy(tags.join("old"), tags.join("new")).unwrap();
    folder.root.sweep().unwrap();
    assert_eq!(folder.names(), [map.name(), "old".to_owned()]);
    // Killed after the map noted the new tag.
    fs::copy(tags.join("old"), tags.join("new")).unwrap();
    map.write_tag("new", false).unwrap();
    folder.root.sweep().unwrap();
    assert_eq!(folder.names(), [map.name(), "new".to_owned()]);
}

#[test]
fn a_map_is_removed_whatever_is_missing_in_it() {
    let folder = folder();
    let map = folder.map("q3");
    for name in ["itemdata.json", "submit.json", "components", "format"] {
        let _ = fs::remove_file(map.path().join(name));
    }
    assert!(folder.root.load("q3").is_err());
    assert!(crate::Map::remove_by_force(&folder.root, "q3").is_ok());
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn a_component_is_done_only_where_summary_and_output_are_whole() {
    let folder = folder();
    let map = folder.map("q3");
    assert_eq!(map.done(0).unwrap(), None);
    let summary = "{\"output_bytes\":5,\"milliseconds\":7,\"rest\":1}\n";
    for end in 0..summary.len() {
        fs::write(map.summary(0), &summary[..end]).unwrap();
        fs::write(map.output(0), "12345").unwrap();
        assert_eq!(map.done(0).unwrap(), None, "{}", &summary[..end]);
    }
    fs::write(map.summary(0), summary).unwrap();
    assert_eq!(map.done(0).unwrap().unwrap().milliseconds, 7);
    for wrong in ["", "1234", "123456"] {
        fs::write(map.output(0), wrong).unwrap();
        assert_eq!(map.done(0).unwrap(), None, "existence is not success");
    }
    fs::remove_file(map.output(0)).unwrap();
    assert_eq!(map.done(0).unwrap(), None);
}

#[test]
fn a_lock_lasts_as_long_as_a_child_that_inherited_it() {
    let folder = folder();
    let path = folder.path("lock");
    let lock = Lock::wait(&path).unwrap();
    assert!(Lock::take(&path).unwrap().is_none() && Lock::is_held(&path).unwrap());
    let mut child = std::process::Command::new("sleep").arg("60").stdin(lock.for_child().unwrap()).spawn().unwrap();
    drop(lock);
    assert!(Lock::is_held(&path).unwrap(), "the child has it");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!Lock::is_held(&path).unwrap());
}

#[test]
fn a_file_is_whole_or_absent() {
    let folder = folder();
    let path = folder.path("file");
    write_whole(&path, b"old").unwrap();
    let mut new = WholeFile::create(&path).unwrap();
    std::io::Write::write_all(&mut new, b"half of it").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    drop(new);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(folder.names(), ["file"]);
}
