//! The changes that code may make to a job before destinations are matched.

use tpv_compiler::python::syntax::ast::Stmt;
use tpv_model::Quantity;

use crate::lint::tags::in_code::{TagsInCode, of_block};

/// The possible effects of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    /// The changes of tags. `None` if there are none.
    pub tags: Option<TagsInCode>,
    /// For each [`Quantity`], `true` if the resource or its bounds may change.
    pub resources: [bool; Quantity::COUNT],
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
        let makes_attributes = has(&["getattr"]);
        let leads_away = |word: &str| is_named(word) && (word.ends_with("__") || makes_attributes);
        let everywhere = has(&EVERYWHERE) || words().any(leads_away);
        let destinations = everywhere || tags.changes_destinations;
        // Functions of a site's own modules may do anything to the entity, but are assumed not to change destinations.
        let imports_own = source.contains("import") && tags.is_open && tags.combines.is_none();
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
        !self.everything && self.tags.is_none() && self.resources == [false; Quantity::COUNT] && !self.context
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
    fn destinations_are_changed_through_other_names() {
        let small = "mapper.destinations['small']";
        let changing = [
            "accepted = SMALL.tpv_dest_tags.accept\naccepted.append('gpu')",
            "accepted = SMALL.tpv_dest_tags.accept\naccepted += ['gpu']",
            "tags = SMALL.tpv_dest_tags\ntags.accept.append('gpu')",
            "d = SMALL\nd.max_accepted_cores = 100",
            "f = SMALL.tpv_dest_tags.accept.append\nf('gpu')",
            "list.append(SMALL.tpv_dest_tags.accept, 'gpu')",
            "for d in mapper.destinations.values():\n    setattr(d, 'max_accepted_cores', 100)",
            "set_field = setattr\nset_field(SMALL, 'max_accepted_cores', 100)",
            "with a.lock() as SMALL.max_accepted_cores:\n    pass",
            "[0 for SMALL.max_accepted_cores in [100]]",
            "x, (y, SMALL.max_accepted_cores) = 1, (2, 100)",
            "for SMALL.max_accepted_cores in [100]:\n    pass",
            "SMALL.max_accepted_cores += 100",
            "xs = [SMALL.tpv_dest_tags.accept]\nfor x in xs:\n    x.append('gpu')",
            "xs = [SMALL.tpv_dest_tags.accept]\nxs[0] += ['gpu']",
            "xs = []\nxs.append(SMALL.tpv_dest_tags.accept)\nfor x in xs:\n    x.append('gpu')",
            "xs = []\nys = xs\nys.append(SMALL.tpv_dest_tags.accept)\nfor x in xs:\n    x.append('gpu')",
            "xs = {}\nxs['a'] = SMALL\nxs['a'].max_accepted_cores = 100",
            "def change(d):\n    d.max_accepted_cores = 100\nchange(SMALL)",
            "def found():\n    return SMALL.tpv_dest_tags.accept\nx = found()\nx.append('gpu')",
            "x = (lambda: SMALL.tpv_dest_tags.accept)()\nx.append('gpu')",
            "getattr(SMALL.tpv_dest_tags.accept, 'app' + 'end')('gpu')",
            "(x := SMALL.tpv_dest_tags.accept).append('gpu')",
            "x = None or SMALL.tpv_dest_tags.accept\nx.append('gpu')",
            "x = next(iter(mapper.destinations.values()))\nx.max_accepted_cores = 100",
            "x = max(mapper.destinations.values(), key=len)\nx.max_accepted_cores = 100",
            "a, *b = mapper.destinations.values()\nb[0].max_accepted_cores = 100",
            "import operator\noperator.iadd(SMALL.tpv_dest_tags.accept, ['gpu'])",
            "from operator import iadd\niadd(SMALL.tpv_dest_tags.accept, ['gpu'])",
            "entity.params = SMALL.params\nentity.params['x'] = 'y'",
            "entity.context['d'] = SMALL",
            "x = entity.context\nx['d'] = SMALL",
            "match SMALL:\n    case d:\n        d.max_accepted_cores = 100",
            "mapper.destinations = {}",
            "mapper.destinations.update(a=1)",
            "try:\n    raise ValueError(SMALL)\nexcept ValueError as e:\n    e.args[0].max_accepted_cores = 100",
            "for d in candidate_destinations:\n    d.max_accepted_cores = 100",
            "candidate_destinations[0].tpv_dest_tags.accept.append('gpu')",
            "entity.evaluator.config.destinations['small'].max_accepted_cores = 100",
            "t = entity.tpv_dest_tags\nt.accept.append('gpu')",
            "from tpv.rules import gateway as g\ng.ACTIVE_DESTINATION_MAPPER.destinations['small'].max_accepted_cores = 100",
            "from tpv.rules.gateway import ACTIVE_DESTINATION_MAPPER as m\nm.destinations['small'].max_accepted_cores = 100",
            "helpers.operator.iadd(SMALL.tpv_dest_tags.accept, ['gpu'])",
            "from tpv.core.entities import SchedulingTags as T\nT.add_tag_override(SMALL.tpv_dest_tags, 1, 'gpu')",
            "from functools import partial\npartial(setattr, SMALL)('max_accepted_cores', 100)",
            "from tpv.core.entities import Destination\nDestination.matches = lambda *a: True",
        ];
        for code in changing {
            assert!(effects(&code.replace("SMALL", small)).destinations, "{code}");
        }
        let looking = [
            "found = []\nfor d in mapper.destinations.values():\n    if d.max_accepted_cores > 4:\n        found.append(d)",
            "scores = {}\nfor d in candidate_destinations:\n    scores[d.id] = scores.get(d.id, 0) + 1",
            "free = 0\nfor d in mapper.destinations.values():\n    free += d.max_accepted_cores",
            "candidate_destinations.sort(key=lambda d: (d.max_accepted_cores, d.id))\ncandidate_destinations",
            "entity.params['x'] = SMALL.id\nentity.tpv_tags.require.append('gpu')",
            "entity.cores = min(entity.cores, SMALL.max_accepted_cores)",
            "setattr(entity, 'cores', SMALL.max_accepted_cores)",
            "def score(d):\n    total = 0\n    for t in d.tpv_dest_tags.filter(tag_value='a'):\n        total += 1\n    return total\nbest = sorted(candidate_destinations, key=score)\nbest[:1]",
        ];
        for code in looking {
            assert!(!effects(&code.replace("SMALL", small)).destinations, "{code}");
        }
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
