//! The fields of pools: `oversize`, flags, and tags that select jobs.

use std::sync::Arc;

use super::scalar::{boolean, float, integer};
use super::{Owner, Validator, at_value};
use crate::entity::Oversize;
use crate::fields::OVERSIZE;
use crate::scheduling::SchedulingTags;
use tpv_model::TagType;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::suggest::closest;
use tpv_yaml::value::{ConfigValue, Entry};

impl Validator<'_> {
    /// A pool either governs a job or does not, so that it has no use for `prefer` and `accept`.
    pub(super) fn pool_scheduling(&mut self, entry: &Entry, owner: Owner<'_>) -> SchedulingTags {
        let mut tags = self.scheduling(entry, owner).unwrap_or_default();
        for kind in [TagType::Prefer, TagType::Accept] {
            if let Some(tag) = tags.get(kind).first() {
                self.problems.push(
                    Diagnostic::error(format!("`{}` has no meaning in a pool", kind.field()))
                        .at(tag.span, "")
                        .also(owner.span, owner.describe())
                        .help("select jobs with `require` (a job must have all) and `reject` (a job must have none)"),
                );
                tags.set(kind, Some(Arc::default()));
            }
        }
        tags
    }

    pub(super) fn oversize(&mut self, entry: &Entry, owner: Owner<'_>) -> Oversize {
        let mut out = Oversize::default();
        let Some(map) = self.mapping(entry, "`oversize`", Some(owner)) else { return out };
        for entry in &map.entries {
            let Some(key) = self.string_key(entry, "a field of `oversize`") else { continue };
            match key.as_str() {
                "max_concurrent" => {
                    out.max_concurrent = integer(&entry.value);
                    if out.max_concurrent.is_none() {
                        self.wrong_type(entry, owner, "an integer", "write an integer, as in `max_concurrent: 1`");
                    }
                }
                "hard_max_cores" => out.hard_max_cores = self.hard_max(entry, owner),
                "hard_max_mem" => out.hard_max_mem = self.hard_max(entry, owner),
                "hard_max_gpus" => out.hard_max_gpus = self.hard_max(entry, owner),
                "reserve_pool" => out.reserve_pool = self.flag(entry, owner),
                key => {
                    let problem = Diagnostic::error(format!("`{key}` is not a field of `oversize`"))
                        .at(entry.key.span, "")
                        .also(owner.span, owner.describe());
                    self.problems.push(match closest(key, OVERSIZE.names()) {
                        Some(near) => problem.help(format!("did you mean `{near}`?")),
                        None => problem
                            .help(format!("the fields are `{}`", OVERSIZE.names().collect::<Vec<_>>().join("`, `"))),
                    });
                }
            }
        }
        out
    }

    /// A float or null; null counts as given.
    fn hard_max(&mut self, entry: &Entry, owner: Owner<'_>) -> Option<ConfigValue> {
        if entry.value.is_null() {
            return Some(entry.value.clone());
        }
        let value = float(&entry.value);
        if value.is_none() {
            let help = format!("write a number, as in `{}: 2`", entry.key.python_str());
            self.wrong_type(entry, owner, "a number", help);
        }
        value
    }

    pub(super) fn flag(&mut self, entry: &Entry, owner: Owner<'_>) -> Option<bool> {
        let value = boolean(&entry.value);
        if value.is_none() {
            let name = entry.key.python_str();
            let problem = Diagnostic::error(format!("`{name}` must be true or false"));
            self.problems.push(at_value(problem, entry, Some(owner)).help(format!("write `{name}: true`")));
        }
        value
    }
}
