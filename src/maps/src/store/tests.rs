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
fn a_draft_whose_maker_was_killed_before_its_lock_is_swept_up_at_once() {
    let folder = folder();
    fs::create_dir(folder.path(".new-00000000-0000-4000-8000-000000000000")).unwrap();
    // One whose files went in part.
    fs::create_dir_all(folder.path(".new-00000000-0000-4000-8000-000000000001/inputs")).unwrap();
    folder.root.sweep().unwrap();
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn drafts_are_made_while_others_sweep() {
    let folder = folder();
    let ended = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                    folder.root.sweep().unwrap();
                }
            });
        }
        for _ in 0..2000 {
            let (_, path, lock) = folder.root.make_locked().unwrap();
            assert!(path.join("lock").is_file());
            drop(lock);
        }
        ended.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    folder.root.sweep().unwrap();
    assert!(folder.names().is_empty(), "{:?}", folder.names());
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

/// Contents and kinds of a tag file that lead to no map: no verb acts on them.
#[cfg(unix)]
#[test]
fn a_tag_that_is_damaged_leads_nowhere() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    let map = folder.map("a");
    let tag = folder.path("tags/a");
    let victim = folder._folder.path().join("victim");
    fs::create_dir(&victim).unwrap();
    fs::write(victim.join("file"), "precious").unwrap();
    let linked = "00000000-0000-4000-8000-000000000000";
    symlink(&victim, folder.path(linked)).unwrap();
    fs::write(folder.path("other"), format!("{}\n", map.name())).unwrap();
    let texts = [
        "",
        "\n",
        ".",
        "..",
        "../victim",
        "tags",
        "slots",
        &victim.display().to_string(),
        linked,
        "\0",
        &"x".repeat(9999),
    ];
    for text in texts {
        fs::write(&tag, text).unwrap();
        let error = folder.root.find("a").unwrap_err();
        assert!(
            error.message.starts_with("the tag `a` is damaged: ") && !error.help.contains("remove"),
            "{text}: {error}"
        );
        assert!(crate::Map::remove_by_force(&folder.root, "a").is_err(), "{text}");
        assert!(folder.root.load("a").is_err() && folder.root.tags().unwrap().len() == 2, "{text}");
    }
    fs::remove_file(&tag).unwrap();
    symlink(folder.path("other"), &tag).unwrap();
    assert!(folder.root.find("a").unwrap_err().message.contains("is no regular file"));
    fs::remove_file(&tag).unwrap();
    fs::create_dir(&tag).unwrap();
    assert!(folder.root.find("a").unwrap_err().message.contains("is no regular file"));
    fs::remove_dir(&tag).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&tag).status().unwrap().success());
    assert!(folder.root.find("a").unwrap_err().message.contains("is no regular file"));
    // The map notes the tag, which sweeping therefore mends.
    folder.root.sweep().unwrap();
    assert_eq!(folder.root.find("a").unwrap(), Some(map.clone()));
    assert_eq!(fs::read_to_string(victim.join("file")).unwrap(), "precious");
    let gone = MapDir::at(&folder.path(linked));
    for wrong in [&gone, &MapDir::at(&victim), &MapDir::at(folder.root.path()), &MapDir::at(&folder.path("tags"))] {
        assert!(folder.root.remove("a", wrong).is_err(), "{wrong:?}");
    }
    assert!(map.path().is_dir() && folder.path(linked).is_symlink());
}

#[test]
fn a_map_that_lost_its_tag_is_found_by_its_note() {
    let folder = folder();
    let (first, second) = (folder.map("a"), folder.map("b"));
    let tags = |root: &Root| -> Vec<(String, MapDir)> {
        root.tags().unwrap().into_iter().map(|(tag, map)| (tag, map.unwrap())).collect()
    };
    let both = [("a".to_owned(), first.clone()), ("b".to_owned(), second.clone())];
    fs::remove_file(folder.path("tags/a")).unwrap();
    assert_eq!(tags(&folder.root), both);
    assert_eq!(folder.root.load("a").unwrap(), first);
    assert!(folder.root.begin("a", false).is_err(), "the tag is that map's");
    assert!(folder.path("tags/a").is_file(), "and is mended on the way");
    // A tag that leads to another's map.
    fs::copy(folder.path("tags/b"), folder.path("tags/a")).unwrap();
    assert_eq!(folder.root.find("a").unwrap(), Some(first.clone()));
    assert_eq!(tags(&folder.root), both);
    // Without a note, or with that of another, the UUID serves.
    fs::remove_file(folder.path("tags/a")).unwrap();
    fs::write(first.path().join("tag"), "b\n").unwrap();
    assert_eq!(folder.root.find("a").unwrap(), None);
    assert_eq!(tags(&folder.root).iter().find(|(tag, _)| *tag == first.name()).unwrap().1, first);
    fs::remove_file(first.path().join("tag")).unwrap();
    assert_eq!(folder.root.find(&first.name()).unwrap(), Some(first.clone()));
    crate::Map::remove_by_force(&folder.root, &first.name()).unwrap();
    let mut left = [second.name(), "b".to_owned()];
    left.sort();
    assert_eq!(folder.names(), left);
}

#[cfg(unix)]
#[test]
fn nothing_is_removed_through_a_link() {
    let folder = folder();
    let victim = folder._folder.path().join("victim");
    fs::create_dir(&victim).unwrap();
    for name in [".removed-x", ".new-x", ".new-00000000-0000-4000-8000-000000000000"] {
        std::os::unix::fs::symlink(&victim, folder.path(name)).unwrap();
    }
    folder.root.sweep().unwrap();
    assert_eq!(fs::read_dir(&victim).unwrap().count(), 0);
    let other = folder._folder.path().join("other");
    fs::create_dir(&other).unwrap();
    std::os::unix::fs::symlink(&victim, other.join("tags")).unwrap();
    assert!(Root::open(&other).unwrap_err().message.contains("is a link"));
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
