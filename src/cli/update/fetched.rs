//! Texts of URLs, each of which is a config.

use std::sync::Arc;

use tpv_config::unreadable;
use tpv_model::EntityClass;
use tpv_text::diagnostic::{Diagnostic, Diagnostics, Problem, Severity};
use tpv_text::parallel;
use tpv_text::source::{Limits, SourceMap, fetch, redacted};

use tpv_yaml::value::ConfigValue;

use crate::cli::common::Common;

/// The text that a URL gave.
pub(super) struct Fetched<'a> {
    /// The URL.
    pub(super) url: &'a str,
    /// The text.
    pub(super) bytes: Arc<[u8]>,
}

/// The most URLs that are fetched at a time.
const MOST_TRANSFERS: usize = 8;

/// Fetches URLs. Those that give no config are reported and counted.
pub(super) fn fetch_all<'a>(urls: &[&'a str], limits: &Limits, common: &Common) -> (Vec<Fetched<'a>>, usize) {
    let fetched = parallel::map_on(MOST_TRANSFERS, urls, |url| {
        let mut sources = SourceMap::new();
        match fetch(url, limits) {
            Ok(bytes) => check(url, &bytes, sources).map(|()| bytes),
            Err(error) => {
                let problem = unreadable(url, &error, &mut sources);
                Err(Problem::new(problem, sources))
            }
        }
    });
    let (mut good, mut failed) = (Vec::new(), 0);
    for (url, fetched) in urls.iter().zip(fetched) {
        match fetched {
            Ok(bytes) => good.push(Fetched { url, bytes: bytes.into() }),
            Err(problem) => {
                let mut problems = Diagnostics::new();
                problems.push(*problem.diagnostic);
                common.show(&problems, &problem.sources);
                failed += 1;
            }
        }
    }
    (good, failed)
}

/// Refuses a text that is no config. Whether it loads is for the rules of each environment to say.
fn check(url: &str, bytes: &[u8], mut sources: SourceMap) -> Result<(), Problem> {
    let shown = redacted(url);
    let refused = |message: String, help: &str| Err(Problem::from(Diagnostic::error(message).help(help)));
    let Ok(text) = std::str::from_utf8(bytes) else {
        return refused(format!("`{shown}` gives no config, because it is not UTF-8"), ADDRESS);
    };
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.is_empty() {
        return refused(format!("`{shown}` gives an empty text"), "try again later, or check the address");
    }
    if start.starts_with('<') {
        return refused(format!("`{shown}` gives a page (HTML or XML), not a config"), ADDRESS);
    }
    let id = sources.add(url, text);
    let mut problems = Diagnostics::new();
    let root = tpv_yaml::load(&sources, id, &mut problems).map(|document| document.root);
    if let Some(first) = problems.iter().find(|one| one.severity == Severity::Error) {
        let mut first = first.clone();
        first.notes.push(format!("`{shown}` gives no config: it may be cut off, or be another file"));
        return Err(Problem::new(first, sources));
    }
    // TPV ignores sections that it does not know, such as those of an error that a server gives as JSON.
    match root.as_ref().is_some_and(has_section) {
        true => Ok(()),
        false => refused(format!("`{shown}` gives no config: it has no section of TPV, such as `tools`"), ADDRESS),
    }
}

fn has_section(root: &ConfigValue) -> bool {
    let has = |name: &str| root.as_map().is_some_and(|map| map.get(name).is_some());
    has("global") || EntityClass::SECTIONS.iter().any(|class| has(class.section()))
}

const ADDRESS: &str = "check the address: of a file on GitHub, take the one behind `Raw`";
