//! The results of a map: the answers of its components, or their summaries as one.

use std::io::{self, Read, Seek, SeekFrom};

use serde::{Deserialize, Serialize};
use tpv_simulate::grid::{Ended, GridRun};

use super::store::MapDir;
use super::{Error, damage};
use tpv_analysis::summary::Summary;
use tpv_text::parallel;

/// The number of summaries in memory at once.
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

/// The answers, or differences, of a component, as text. `None` if there are none. They are checked as a whole before any is given.
///
/// # Errors
/// They are not what the component wrote, which is ERRORED then; or the system's.
pub fn answers(dir: &MapDir, component: u32) -> Result<Option<impl Read + Send + use<>>, Error> {
    let mut file = match damage::check(dir, component)? {
        None => return Ok(None),
        Some(Err(why)) => return Err(damage::refused(dir, component, &why)),
        Some(Ok((_, file))) => file,
    };
    let unreadable = |error: io::Error| Error::io("read", &dir.output(component), &error);
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    zstd::stream::read::Decoder::new(file).map(Some).map_err(unreadable)
}

/// The line of a component that simulates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The point and the number of the run.
    #[serde(flatten)]
    pub at: GridRun,
    /// The run.
    pub ended: Ended,
}

/// The run of a component. `None` if it is not done.
///
/// # Errors
/// It is not what the component wrote, which is ERRORED then; or the system's.
pub fn run(dir: &MapDir, component: u32) -> Result<Option<Run>, Error> {
    let Some(mut answers) = answers(dir, component)? else { return Ok(None) };
    let mut text = String::new();
    answers.read_to_string(&mut text).map_err(|error| Error::io("read", &dir.output(component), &error))?;
    let run = serde_json::from_str(&text);
    run.map(Some).map_err(|error| damage::refused(dir, component, &error.to_string()))
}

/// The summaries of these components as one. A component without answers adds nothing.
///
/// # Errors
/// One is not what the component wrote, which is ERRORED then; or the system's.
pub fn summary(dir: &MapDir, components: &[u32]) -> Result<Summary, Error> {
    let mut all = Summary::default();
    for some in components.chunks(AT_ONCE) {
        for (component, completion) in some.iter().zip(parallel::map(some, |&component| dir.completion(component))) {
            match completion? {
                Some(Ok(completion)) => all.merge(&completion.summary),
                Some(Err(why)) => return Err(damage::refused(dir, *component, &why)),
                None => {}
            }
        }
    }
    Ok(all)
}
