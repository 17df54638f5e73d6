//! What a map came to: the answers of its components, or their summaries as one.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use super::Error;
use super::store::{Digesting, MapDir};
use crate::parallel;
use crate::summary::Summary;

/// How many summaries are in memory at once.
const AT_ONCE: usize = 256;

/// Of these components, those that have no answers, or a part of them.
///
/// # Errors
/// The system's.
pub fn missing(dir: &MapDir, components: &[u32]) -> Result<Vec<u32>, Error> {
    let done = parallel::map(components, |&component| dir.done(component));
    let mut missing = Vec::new();
    for (&component, done) in components.iter().zip(done) {
        missing.extend(done?.is_none().then_some(component));
    }
    Ok(missing)
}

/// The answers, or differences, of a component, as text; nothing where there are none. They are checked as a whole before any is given.
///
/// # Errors
/// They are not what the component wrote, or the system's.
pub fn answers(dir: &MapDir, component: u32) -> Result<Option<impl Read + Send + use<>>, Error> {
    let Some(completion) = dir.completion(component)? else { return Ok(None) };
    let path = dir.output(component);
    let unreadable = |error: io::Error| Error::io("read", &path, &error);
    let mut file = File::open(&path).map_err(unreadable)?;
    let mut all = Digesting::new(io::sink());
    io::copy(&mut file, &mut all).map_err(unreadable)?;
    let (_, _, digest) = all.into_parts();
    if digest.as_str() != completion.output_digest {
        let tag = dir.tag()?;
        return Err(Error::new(
            format!(
                "the answers of component {component} of `{tag}` are damaged: `{}` is not what was written",
                path.display()
            ),
            format!("`tpvc maps rerun components {tag} --components {component}` makes them again; check the disk"),
        ));
    }
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    zstd::stream::read::Decoder::new(file).map(Some).map_err(unreadable)
}

/// The summaries of these components as one. A component without answers adds nothing.
///
/// # Errors
/// The system's.
pub fn summary(dir: &MapDir, components: &[u32]) -> Result<Summary, Error> {
    let mut all = Summary::default();
    for some in components.chunks(AT_ONCE) {
        for completion in parallel::map(some, |&component| dir.completion(component)) {
            if let Some(completion) = completion? {
                all.merge(&completion.summary);
            }
        }
    }
    Ok(all)
}
