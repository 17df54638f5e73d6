//! Components whose answers or counts are not what was written: a disk may change a byte without a word.
//!
//! A component that is found so is made ERRORED: its report says why, and its summary, without which its output does not count, is removed.
//! Then `errors` shows it and `rerun` runs it again.

use std::fs::File;
use std::io;

use super::Error;
use super::component::completion::Completion;
use super::component::error_report::ErrorReport;
use super::component::run::node;
use super::store::{self, Digesting, MapDir};
use crate::clock::seconds;
use tpv_text::parallel;

/// The record of a component that is done, and the file of its answers; `Err` if they are damaged.
pub(super) type Checked = Result<(Completion, File), String>;

/// Computes the digests of what a component has left. `None` if it is not done.
///
/// # Errors
/// The system's.
pub(super) fn check(dir: &MapDir, component: u32) -> Result<Option<Checked>, Error> {
    let completion = match dir.completion(component)? {
        None => return Ok(None),
        Some(Err(why)) => return Ok(Some(Err(why))),
        Some(Ok(completion)) => completion,
    };
    let path = dir.output(component);
    let mut all = Digesting::new(io::sink());
    let opened = store::open(&path).and_then(|file| file.ok_or_else(|| io::ErrorKind::NotFound.into()));
    let file = opened.and_then(|mut file| io::copy(&mut file, &mut all).map(|_| file));
    let file = file.map_err(|error| Error::io("read", &path, &error))?;
    let (_, _, digest) = all.into_parts();
    if digest.as_str() == completion.output_digest {
        return Ok(Some(Ok((completion, file))));
    }
    Ok(Some(Err(format!("`{}` is not what was written", path.display()))))
}

/// Computes the digests of what these components have left, and makes those ERRORED that are damaged. They are given.
///
/// # Errors
/// The system's. A map that this user may not change, or that somebody else is changing, stays as it is.
pub fn verify(dir: &MapDir, components: &[u32]) -> Result<Vec<u32>, Error> {
    let is_damaged = |&component: &u32| check(dir, component).map(|checked| matches!(checked, Some(Err(_))));
    let mut damaged = Vec::new();
    for (&component, is_damaged) in components.iter().zip(parallel::map(components, is_damaged)) {
        damaged.extend(is_damaged?.then_some(component));
    }
    if let (false, Ok(Some(_lock))) = (damaged.is_empty(), dir.try_lock()) {
        let clusters = dir.clusters()?;
        for &component in &damaged {
            // It may run again meanwhile.
            let Some(Err(why)) = check(dir, component)? else { continue };
            let latest = clusters.iter().rfind(|(cluster, _)| cluster.components.0.binary_search(&component).is_ok());
            let report = ErrorReport {
                component,
                cluster: latest.map_or(0, |(cluster, _)| cluster.number),
                message: format!("its answers are damaged: {why}"),
                help: "check the disk; `tpvc maps rerun` makes them again".to_owned(),
                node: node(),
                time: seconds(),
                command: String::new(),
                line: None,
                memory_kib: None,
                memory_limit_mib: None,
                stderr: String::new(),
            };
            if dir.write_error(&report).and_then(|()| dir.remove(&dir.summary(component))).is_err() {
                break;
            }
        }
    }
    Ok(damaged)
}

/// Makes a component ERRORED that is damaged, and gives the error that refuses its answers.
pub(super) fn refused(dir: &MapDir, component: u32, why: &str) -> Error {
    let noted = verify(dir, &[component]).and_then(|_| Ok((dir.tag()?, dir.done(component)?.is_none())));
    let (tag, is_noted) = match noted {
        Ok(noted) => noted,
        Err(error) => return error,
    };
    // If it could not be noted, `rerun` must be told which.
    let rerun = if is_noted { tag.clone() } else { format!("components {tag} --components {component}") };
    Error::new(
        format!("the answers of component {component} of `{tag}` are damaged: {why}"),
        format!("check the disk; `tpvc maps rerun {rerun}` makes them again"),
    )
}
