//! The changes that code may make to a job before destinations are matched.

use std::convert::Infallible;

use rustpython_parser::ast::{Expr, Stmt};
use tpv_model::Quantity;

use tpv_compiler::python::walk::{self, Part};

use crate::lint::tags::in_code::{TagsInCode, of_block};

/// The possible effects of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    /// The changes of tags. `None` if there are none.
    pub tags: Option<TagsInCode>,
    /// For each [`Quantity`], `true` if the resource or its bounds may change.
    pub resources: [bool; 3],
    /// `true` if names of the context may change.
    pub context: bool,
    /// `true` if anything of the job may change.
    pub everything: bool,
    /// `true` if destinations may change.
    pub destinations: bool,
}

/// Words by which code finds the job's entity.
const ENTITY: [&str; 2] = ["entity", "self"];

/// Words by which code may find anything.
const ANYTHING: [&str; 6] = ["setattr", "delattr", "rules", "loader", "evaluator", "override"];

/// Words by which code may also change destinations.
const EVERYWHERE: [&str; 8] = ["globals", "locals", "vars", "exec", "eval", "compile", "inspect", "gc"];

impl Effects {
    /// The effects of a block that is not pure. `body` is `None` if it does not parse: then anything of the job may change.
    pub(super) fn of(source: &str, body: Option<&[Stmt]>) -> Self {
        let everything = Self { everything: true, ..Self::default() };
        // Words in import statements do not count; `tags` judges the imported modules.
        let is_import =
            |line: &&str| line.trim_start().starts_with("import ") || line.trim_start().starts_with("from ");
        let code = || source.lines().filter(|line| !is_import(line));
        let words = || code().flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
        let has = |list: &[&str]| words().any(|word| list.contains(&word));
        let Some(body) = body else { return everything };
        let tags = of_block(body);
        // Names of Python's own, such as `__class__`, lead everywhere; those of Galaxy's parameters, such as `__job_resource`, are only texts, unless
        // an attribute may be made of them.
        let is_named = |word: &str| word.starts_with("__") && !word.trim_matches('_').is_empty();
        let leads_away = |word: &str| is_named(word) && (word.ends_with("__") || has(&["getattr"]));
        let everywhere = has(&EVERYWHERE) || words().any(leads_away);
        let destinations = everywhere || tags.changes_destinations || (has(&["mapper"]) && !only_looks(body));
        // Functions of a site's own modules may do anything to the entity, but are assumed not to change destinations.
        let imports_own = source.contains("import") && tags.is_open;
        if has(&ANYTHING) || everywhere || imports_own {
            return Self { destinations, ..everything };
        }
        if !has(&ENTITY) {
            return Self { destinations, ..Self::default() };
        }
        Self {
            resources: Quantity::ALL.map(|quantity| source.contains(quantity.name())),
            context: source.contains("context"),
            everything: false,
            destinations,
            tags: (tags.changes || tags.is_open).then_some(tags),
        }
    }

    /// Returns `true` if the job is not changed. `destinations` is not considered.
    pub(super) fn is_none(&self) -> bool {
        !self.everything && self.tags.is_none() && self.resources == [false; 3] && !self.context
    }
}

/// Methods that change their object.
const CHANGING: [&str; 13] = [
    "append",
    "extend",
    "insert",
    "add",
    "update",
    "remove",
    "pop",
    "popitem",
    "clear",
    "discard",
    "setdefault",
    "sort",
    "add_tag_override",
];

/// Returns `true` if a block assigns only to its own variables and fields of the entity. Aliases are not followed: a method
/// of a variable counts as the block's own, whatever the variable refers to.
fn only_looks(body: &[Stmt]) -> bool {
    let mut looks = true;
    body.iter().for_each(|statement| visit_statement(statement, &mut looks));
    looks
}

fn visit_statement(node: &Stmt, looks: &mut bool) {
    let targets: Vec<&Expr> = match node {
        Stmt::Assign(node) => node.targets.iter().collect(),
        Stmt::AugAssign(node) => vec![&node.target],
        Stmt::AnnAssign(node) => vec![&node.target],
        Stmt::For(node) => vec![&node.target],
        Stmt::Delete(_) => {
            *looks = false;
            return;
        }
        _ => Vec::new(),
    };
    *looks &= targets.into_iter().all(is_own);
    let Ok(()) = walk::statement(node, &mut |part| {
        visit(part, looks);
        Ok::<(), Infallible>(())
    });
}

fn visit(part: Part<'_>, looks: &mut bool) {
    match part {
        Part::Stmt(node) => visit_statement(node, looks),
        Part::Pattern(_) => *looks = false,
        Part::Expr(node) => {
            if let Expr::Call(call) = node
                && let Expr::Attribute(method) = &*call.func
            {
                *looks &= !CHANGING.contains(&method.attr.as_str()) || is_own(&method.value);
            }
            let Ok(()) = walk::expression(node, &mut |part| {
                visit(part, looks);
                Ok::<(), Infallible>(())
            });
        }
    }
}

/// Returns `true` if setting a target changes a variable, the entity, or one of its fields.
fn is_own(target: &Expr) -> bool {
    let is_entity = |node: &Expr| matches!(node, Expr::Name(name) if ENTITY.contains(&name.id.as_str()));
    match target {
        Expr::Name(_) => true,
        Expr::Tuple(node) => node.elts.iter().all(is_own),
        Expr::List(node) => node.elts.iter().all(is_own),
        Expr::Attribute(node) => is_entity(&node.value),
        Expr::Subscript(node) => matches!(&*node.value, Expr::Attribute(field) if is_entity(&field.value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use tpv_bytecode::CodeKind;
    use tpv_compiler::python::parse::parse;

    fn effects(source: &str) -> Effects {
        Effects::of(source, Some(&parse(source, CodeKind::Exec).unwrap().body))
    }

    #[test]
    fn looking_at_destinations_changes_none() {
        let found =
            effects("x = [d.id for d in mapper.destinations.values() if d.tpv_dest_tags.filter(tag_value='a')]");
        assert!(!found.destinations && found.is_none());
        assert!(effects("mapper.destinations['a'].max_accepted_cores = 4").destinations);
        assert!(effects("for d in mapper.destinations.values():\n    d.tpv_dest_tags.accept.append('a')").destinations);
        assert!(effects("del mapper.destinations['a']").destinations);
    }

    #[test]
    fn code_changes_what_it_names() {
        let found = effects("from galaxy.jobs.mapper import JobNotReadyException\nraise JobNotReadyException()");
        assert!(!found.destinations && found.is_none());
        assert_eq!(effects("entity.cores = 4").resources, [true, false, false]);
        assert!(effects("entity.tpv_tags.require.append(user.username)").tags.unwrap().is_open);
        assert!(effects("from our.own import change\nchange(1)").everything);
        assert!(effects("exec(user.code)").everything);
        // A parameter of Galaxy's, and ways to anything.
        let chosen = effects("entity.gpus = int(job.get_param_values(app)['__job_resource']['gpu'])");
        assert!(!chosen.destinations && !chosen.everything);
        assert!(!effects("entity.params['name'] = f'{job.id}__{tool.id}'").destinations);
        assert!(effects("x = (lambda: 0).__globals__").destinations);
        assert!(effects("x = getattr(entity, '__cla' + 'ss__')").destinations);
    }
}
