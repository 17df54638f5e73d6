//! The report of an update: which texts changed, and what that changes for rules and jobs.

use std::path::PathBuf;

use serde_json::{Value, json};
use tpv_analysis::diff::report;
use tpv_config::lock::{Entry, Lock};
use tpv_text::figures::count;
use tpv_text::markdown_text::escaped;
use tpv_text::printable::put_line;

use super::effects::Compared;

/// A difference between two locks.
pub(super) struct Change {
    /// The URL.
    url: String,
    old: Option<Entry>,
    new: Option<Entry>,
}

impl Change {
    /// The differences, by URL.
    pub(super) fn between(old: &Lock, new: &Lock) -> Vec<Self> {
        let mut urls: Vec<&String> = old.entries.keys().chain(new.entries.keys()).collect();
        urls.sort();
        urls.dedup();
        let change = |url: &String| Self {
            url: url.clone(),
            old: old.entries.get(url).cloned(),
            new: new.entries.get(url).cloned(),
        };
        urls.into_iter().map(change).filter(|change| change.old != change.new).collect()
    }

    /// Returns `true` if a text is fetched that was not locked.
    pub(super) fn is_of_text(&self) -> bool {
        self.new.is_some()
    }

    fn sentence(&self) -> String {
        let size = |entry: &Entry| count(entry.bytes, "byte");
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => format!(
                "changed since {}: {} -> {} ({} -> {})",
                old.day(),
                size(old),
                size(new),
                short(old),
                short(new)
            ),
            (None, Some(new)) => format!("not locked yet: {} ({})", size(new), short(new)),
            (Some(old), None) => format!("no config names it any more; locked since {}", old.day()),
            (None, None) => String::new(),
        }
    }
}

/// The beginning of a digest, by which people tell texts apart.
fn short(entry: &Entry) -> &str {
    entry.sha256.get(..12).unwrap_or_default()
}

/// The report.
pub(super) struct Report {
    /// The lock.
    pub(super) lock: PathBuf,
    /// The texts that changed.
    pub(super) changes: Vec<Change>,
    /// The effects.
    pub(super) compared: Vec<Compared>,
}

impl Report {
    /// For a terminal.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        if self.changes.is_empty() {
            put_line!(out, "no remote config has changed");
        }
        for change in &self.changes {
            put_line!(out, "{}", change.url);
            put_line!(out, "  {}", change.sentence());
        }
        for Compared { name, effect } in &self.compared {
            out.push('\n');
            if let Some(name) = name {
                put_line!(out, "ENVIRONMENT {name}");
            }
            match effect {
                Ok(report) => out.push_str(&report::text(report)),
                Err(why) => put_line!(out, "what changes for jobs is not known: {why}"),
            }
        }
        out
    }

    /// For a comment.
    pub(super) fn markdown(&self) -> String {
        let mut out = String::from("## Remote configs\n\n");
        if self.changes.is_empty() {
            out.push_str("No remote config has changed.\n");
        }
        for change in &self.changes {
            out.push_str(&format!("- {}: {}\n", escaped(&format!("`{}`", change.url)), escaped(&change.sentence())));
        }
        for Compared { name, effect } in &self.compared {
            out.push('\n');
            if let Some(name) = name {
                out.push_str(&format!("### {}\n\n", escaped(name)));
            }
            match effect {
                Ok(report) => out.push_str(&report::markdown(report)),
                Err(why) => {
                    out.push_str(&format!("{}\n", escaped(&format!("What changes for jobs is not known: {why}"))))
                }
            }
        }
        out
    }

    /// As data.
    ///
    /// # Errors
    /// It cannot be written, which is a fault of tpvc.
    pub(super) fn json(&self) -> Result<String, serde_json::Error> {
        let entry = |entry: &Option<Entry>| {
            entry.as_ref().map(|entry| json!({"sha256": entry.sha256, "bytes": entry.bytes, "fetched": entry.fetched}))
        };
        let change = |change: &Change| json!({"url": change.url, "old": entry(&change.old), "new": entry(&change.new)});
        let mut environments = Vec::new();
        for Compared { name, effect } in &self.compared {
            environments.push(match effect {
                Ok(report) => json!({"name": name, "diff": serde_json::to_value(report)?}),
                Err(why) => json!({"name": name, "unknown": why}),
            });
        }
        let remotes: Vec<Value> = self.changes.iter().map(change).collect();
        let all = json!({"lock": self.lock.to_string_lossy(), "remotes": remotes, "environments": environments});
        Ok(serde_json::to_string_pretty(&all)? + "\n")
    }
}
