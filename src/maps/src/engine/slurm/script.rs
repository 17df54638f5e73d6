//! The batch script of a cluster, and the arguments that its tasks look up.
//!
//! Slurm gives a task its number and nothing else. So the arguments of each component stand in files of the map, some hundred components a
//! file: a task reads one file of some kilobytes, however many components the cluster has.

use std::borrow::Borrow;
use std::path::Path;

use crate::Error;
use crate::component::{self, Places};
use crate::item::Item;
use tpv_text::shell;

use super::super::Submission;

/// The components of one file of arguments.
const A_FILE: usize = 250;

/// Writes the files of a cluster, and gives the path of the batch script. Its argument is the position of the array's first task.
///
/// # Errors
/// The system's.
pub(super) fn write(submission: Submission<'_>, items: &[&Item]) -> Result<std::path::PathBuf, Error> {
    let (map, cluster) = (submission.map, submission.cluster);
    write_arguments(submission, items)?;
    let folder = map.engine_folder(cluster.number)?;
    let path = folder.join("batch.sh");
    map.write(&path, batch(submission.tag, cluster.number, &folder, &map.script()).as_bytes())?;
    Ok(path)
}

/// Writes the files of arguments of a cluster, whose items are given in the order of their positions.
///
/// # Errors
/// The system's.
pub(super) fn write_arguments(submission: Submission<'_>, items: &[impl Borrow<Item>]) -> Result<(), Error> {
    let (map, submit, cluster) = (submission.map, submission.submit, submission.cluster);
    let folder = map.engine_folder(cluster.number)?;
    let arguments = |item: &_| {
        let item: &Item = Borrow::borrow(item);
        component::arguments(item, submit, cluster.number, &Places::in_directory(map, submit, item))
    };
    for (number, items) in items.chunks(A_FILE).enumerate() {
        let text = cases(number * A_FILE, items.iter().map(arguments));
        map.write(&folder.join(format!("{number}.sh")), text.as_bytes())?;
    }
    Ok(())
}

/// A file of arguments: a shell's `case` that sets those of `$position`.
fn cases(first: usize, all: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = String::from("case $position in\n");
    for (position, arguments) in (first..).zip(all) {
        let words: Vec<_> = arguments.iter().map(|argument| shell::word(argument)).collect();
        text.push_str(&format!("{position}) set -- {} ;;\n", words.join(" ")));
    }
    text.push_str("esac\n");
    text
}

fn batch(tag: &str, cluster: u32, folder: &Path, script: &Path) -> String {
    let folder = format!("{}/", folder.display());
    let script = script.to_string_lossy();
    let (folder, script) = (shell::word(&folder), shell::word(&script));
    format!(
        "#!/bin/sh\n\
         # Cluster {cluster} of the map `{tag}`: each task of the array runs one component.\n\
         position=$(($1 + SLURM_ARRAY_TASK_ID))\n\
         . {folder}$((position / {A_FILE})).sh\n\
         exec /bin/sh {script} \"$@\"\n"
    )
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use std::fs;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_task_starts_the_script_with_the_arguments_of_its_position() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("it's a \"folder\" with $dollars");
        fs::create_dir(&folder).unwrap();
        let script = folder.join("component.sh");
        fs::write(&script, "for argument; do printf '<%s>' \"$argument\"; done\n").unwrap();
        let all: Vec<Vec<String>> = (0..600)
            .map(|position| {
                vec![position.to_string(), format!("line one\nline `two` {position}'s \\ $HOME *"), String::new()]
            })
            .collect();
        for (number, part) in all.chunks(A_FILE).enumerate() {
            fs::write(folder.join(format!("{number}.sh")), cases(number * A_FILE, part.iter().cloned())).unwrap();
        }
        let path = folder.join("batch.sh");
        fs::write(&path, batch("a-tag", 0, &folder, &script)).unwrap();
        for (first, task) in [(0, 0), (0, 249), (0, 250), (500, 99), (10, 333)] {
            let output = Command::new("sh")
                .arg(&path)
                .arg(first.to_string())
                .env("SLURM_ARRAY_TASK_ID", task.to_string())
                .output();
            let position = first + task;
            assert_eq!(
                String::from_utf8(output.unwrap().stdout).unwrap(),
                format!("<{position}><line one\nline `two` {position}'s \\ $HOME *><>")
            );
        }
    }
}
