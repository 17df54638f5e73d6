//! What code may change of a job before destinations are matched.

use rustpython_parser::ast::Stmt;

use crate::lint::tags::in_code::{TagsInCode, of_block};

/// What a block may change.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    /// Tags.
    pub tags: Option<TagsInCode>,
    /// `cores`, `mem` and `gpus`, each with its bounds.
    pub resources: [bool; 3],
    /// Names of the context.
    pub context: bool,
    /// Anything of the job.
    pub everything: bool,
    /// Destinations.
    pub destinations: bool,
}

/// Words by which code finds the job's entity.
const ENTITY: [&str; 2] = ["entity", "self"];

/// Words by which code may find anything.
const ANYTHING: [&str; 12] =
    ["mapper", "globals", "locals", "vars", "exec", "eval", "compile", "setattr", "delattr", "rules", "inspect", "gc"];

/// The resources, in the order of [`Effects::resources`].
const RESOURCES: [&str; 3] = ["cores", "mem", "gpus"];

impl Effects {
    /// Those of a block that is not pure; nothing is known of one that does not parse.
    pub(super) fn of(source: &str, body: Option<&[Stmt]>) -> Self {
        let everything = Self { everything: true, ..Self::default() };
        let words = || source.split(|c: char| !c.is_alphanumeric() && c != '_');
        let has = |list: &[&str]| words().any(|word| list.contains(&word));
        let Some(body) = body else { return everything };
        let tags = of_block(body);
        if has(&ANYTHING) || words().any(|word| word.starts_with("__")) {
            return Self { destinations: has(&["mapper"]) || tags.changes_destinations, ..everything };
        }
        // Functions of a site's own modules may find the entity by themselves.
        if has(&["import"]) && tags.is_open {
            return everything;
        }
        if !has(&ENTITY) {
            return Self { context: false, destinations: tags.changes_destinations, ..Self::default() };
        }
        Self {
            resources: RESOURCES.map(|name| source.contains(name)),
            context: source.contains("context"),
            everything: false,
            destinations: tags.changes_destinations,
            tags: (tags.changes || tags.is_open).then_some(tags),
        }
    }

    /// Whether nothing is changed.
    pub(super) fn is_none(&self) -> bool {
        !self.everything && self.tags.is_none() && self.resources == [false; 3] && !self.context
    }
}
