//! File over file: TPV's order of operations, mirrored step by step.
//!
//! For each file TPV merges it with all before, then resolves `inherits` in every entity again, those of earlier files
//! included. Resolving walks the entities in order and replaces each at once, so that a later one may inherit from a
//! parent that is resolved already and is then resolved once more. Lists such as `env` can show the difference, which
//! is why this is not done in one pass at the end.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use crate::chains::{Broken, Chains};
use crate::entity::GlobalConfig;
use crate::holes::Holes;
use crate::inherit::merge_dicts;
use crate::validate::{FileConfig, Section};
use tpv_model::{EntityClass, Version};
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::source::Span;
use tpv_text::suggest::closest;
use tpv_yaml::value::Text;

/// Merges the files of one run, in load order.
#[derive(Debug)]
pub(crate) struct Merger<'a> {
    version: Version,
    /// The missing parts, which may define the parents that are not there.
    holes: &'a Holes,
    problems: &'a mut Diagnostics,
    /// The config after the files so far.
    pub(crate) config: FileConfig,
    /// Places of `inherits` that were reported: every file resolves them all again.
    reported: HashSet<Span>,
    /// The files to come.
    later: VecDeque<FileConfig>,
}

impl<'a> Merger<'a> {
    /// A merger that adds to `problems`.
    pub(crate) fn new(version: Version, holes: &'a Holes, problems: &'a mut Diagnostics) -> Self {
        Self {
            version,
            holes,
            problems,
            config: FileConfig::default(),
            reported: HashSet::new(),
            later: VecDeque::new(),
        }
    }

    /// Takes all files.
    pub(crate) fn merge(&mut self, files: Vec<FileConfig>) {
        self.later = files.into();
        let mut is_first = true;
        while let Some(file) = self.later.pop_front() {
            self.add(file, is_first);
            is_first = false;
        }
    }

    /// Takes the next file. `is_first` is TPV's "no parent loader".
    fn add(&mut self, mut file: FileConfig, is_first: bool) {
        if !is_first {
            if !self.version.inherits_across_files() {
                self.resolve(&mut file);
            }
            let earlier = std::mem::take(&mut self.config);
            inherit_globals(&mut file.global, &earlier.global);
            for ((kind, new), old) in EntityClass::SECTIONS.into_iter().zip(&mut file.sections).zip(earlier.sections) {
                let section = std::mem::take(new);
                *new = self.merge_section(kind, old, section);
            }
        }
        self.resolve(&mut file);
        self.config = file;
    }

    /// Resolves `inherits` in all entities of a file.
    fn resolve(&mut self, file: &mut FileConfig) {
        let default = file.global.default_inherits.as_ref().map(Text::as_str).filter(|id| !id.is_empty());
        for (kind, section) in EntityClass::SECTIONS.into_iter().zip(&mut file.sections) {
            self.resolve_section(kind, section, default);
        }
    }

    /// An entity that an earlier file defines too inherits from that definition after its own parents (before TPV 3.1, without
    /// them), and moves to the end of the order.
    fn merge_section(&mut self, kind: EntityClass, old: Section, new: Section) -> Section {
        if old.is_empty() {
            return new;
        }
        let place = |id: &str| {
            let earlier = || old.get_index_of(id).map(|index| new.len() + index);
            new.get_index_of(id).or_else(earlier)
        };
        let mut chains = Chains::new(self.version, new.values().chain(old.values()).cloned().collect(), None, place);
        let mut moved = Vec::new();
        for (index, (id, entity)) in new.iter().enumerate() {
            let Some(earlier) = old.get(id) else {
                moved.push((id.clone(), entity.clone()));
                continue;
            };
            let resolved = match self.version.inherits_before_merging() {
                true => chains.resolve(index).unwrap_or_else(|broken| {
                    let names = new.keys().chain(old.keys());
                    report(broken, kind, names, &self.later, self.holes, &mut self.reported, self.problems);
                    entity.clone()
                }),
                false => entity.clone(),
            };
            moved.push((id.clone(), Arc::new(resolved.inherit(earlier, self.version))));
        }
        let mut merged = old;
        merged.retain(|id, _| !new.contains_key(id));
        merged.extend(moved);
        merged
    }

    /// Resolves `inherits` in all entities, each seeing those before it resolved.
    fn resolve_section(&mut self, kind: EntityClass, section: &mut Section, default: Option<&str>) {
        let mut chains =
            Chains::new(self.version, section.values().cloned().collect(), default, |id| section.get_index_of(id));
        for index in 0..section.len() {
            match chains.resolve(index) {
                Ok(resolved) => {
                    let span = resolved.span;
                    if !chains.replace(index, resolved) {
                        self.problems.push(too_much(kind, span));
                        break;
                    }
                }
                Err(broken) => {
                    report(broken, kind, section.keys(), &self.later, self.holes, &mut self.reported, self.problems);
                }
            }
        }
        for (slot, resolved) in section.values_mut().zip(chains.into_entities()) {
            *slot = resolved;
        }
    }
}

fn too_much(kind: EntityClass, span: Span) -> Diagnostic {
    Diagnostic::error(format!("the {} inherit more from one another than can be kept", kind.section()))
        .at(span, "all before this one hold millions of rules, variables or tags")
        .note("each copies the fields of its whole `inherits` chain, so the work grows with the square of the chain's length")
        .help("inherit over fewer levels: let those that share something inherit from one that has all of it")
}

fn report<'a>(
    broken: Option<Broken<'_>>,
    kind: EntityClass,
    names: impl Iterator<Item = &'a Arc<str>>,
    later: &VecDeque<FileConfig>,
    holes: &Holes,
    reported: &mut HashSet<Span>,
    problems: &mut Diagnostics,
) {
    let Some(broken) = broken else { return };
    let noun = kind.noun();
    match broken {
        Broken::Missing { child, parent } => {
            if !reported.insert(parent.span) || holes.define(&parent.value) {
                return;
            }
            let problem =
                Diagnostic::error(format!("the parent `{}` of the {noun} `{}` does not exist", parent.value, child.id))
                    .at(parent.span, format!("no {noun} of this id in this file or those before it"))
                    .also(child.span, "")
                    .raises(
                        "InvalidParentException",
                        format!("The specified parent: {} for entity: {} does not exist", parent.value, child.id),
                    );
            if let Some(home) = later.iter().find_map(|file| file.section(kind)?.get(&parent.value)) {
                let problem = problem
                    .also(home.span, "this file loads later")
                    .note("TPV resolves `inherits` after each file, from that file and those before it")
                    .help("give the file that has the parent first");
                problems.push(problem);
                return;
            }
            let others = names.map(|name| &**name).filter(|name| *name != &*child.id);
            problems.push(match closest(&parent.value, others) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem.help(format!("define it under `{}`, or remove `inherits`", kind.section())),
            });
        }
        Broken::Cycle(members) => {
            let links: Vec<&Text> = members.iter().filter_map(|member| member.common.inherits.as_ref()).collect();
            if links.iter().any(|link| reported.contains(&link.span)) {
                return;
            }
            reported.extend(links.iter().map(|link| link.span));
            let Some((first, rest)) = links.split_first() else { return };
            let id = members.first().map_or("", |member| &member.id);
            let message = if rest.is_empty() {
                format!("the {noun} `{id}` inherits from itself")
            } else {
                format!("the {noun} `{id}` inherits from itself through others")
            };
            let mut problem =
                Diagnostic::error(message).at(first.span, format!("`{id}` inherits from `{}`", first.value));
            for (member, link) in members.iter().skip(1).zip(rest) {
                problem = problem.also(link.span, format!("`{}` inherits from `{}`", member.id, link.value));
            }
            problems.push(
                problem
                    .help("remove one of these `inherits`")
                    .raises("InvalidParentException", format!("Cycle detected in inheritance chain for entity: {id}")),
            );
        }
    }
}

fn inherit_globals(new: &mut GlobalConfig, old: &GlobalConfig) {
    let is_set = new.default_inherits.as_ref().is_some_and(|text| !text.value.is_empty());
    if !is_set {
        new.default_inherits.clone_from(&old.default_inherits);
    }
    new.context = merge_dicts(Some(&old.context), Some(&new.context));
    if new.resource_pool_store.is_none() {
        new.resource_pool_store.clone_from(&old.resource_pool_store);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use std::fmt::Write;

    use super::*;
    use crate::entity::Entity;
    use crate::validate::Validator;
    use tpv_text::source::SourceMap;

    /// The section `tools` of a text, before anything is inherited.
    fn section(text: &str) -> Section {
        let (mut sources, mut problems) = (SourceMap::new(), Diagnostics::new());
        let id = sources.add("tpv.yml", text);
        let document = tpv_yaml::load(&sources, id, &mut problems).unwrap();
        let FileConfig { sections: [tools, ..], .. } =
            Validator::new(Version::default(), &mut problems).file(document.root, "tpv.yml");
        assert!(!problems.has_errors(), "{text}");
        tools
    }

    fn resolved(text: &str) -> (Section, Diagnostics) {
        let (mut tools, mut problems) = (section(text), Diagnostics::new());
        Merger::new(Version::default(), &Holes::default(), &mut problems).resolve_section(
            EntityClass::Tool,
            &mut tools,
            None,
        );
        (tools, problems)
    }

    /// TPV's way: each entity follows its chain to the end.
    fn one_by_one(text: &str) -> Section {
        fn resolve(section: &Section, entity: &Arc<Entity>) -> Arc<Entity> {
            match entity.common.inherits.as_ref().filter(|parent| !parent.value.is_empty()) {
                None => entity.clone(),
                Some(parent) => {
                    Arc::new(entity.inherit(&resolve(section, &section[&parent.value]), Version::default()))
                }
            }
        }
        let mut tools = section(text);
        for index in 0..tools.len() {
            let new = resolve(&tools, &tools[index]);
            tools[index] = new;
        }
        tools
    }

    /// Numbers below a bound, the same in each run.
    fn numbers() -> impl FnMut(usize) -> usize {
        let mut state = 1_u32;
        move |below| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % below
        }
    }

    #[test]
    fn chains_give_what_following_each_gives() {
        let mut below = numbers();
        for _ in 0..300 {
            let count = 1 + below(12);
            let mut order: Vec<usize> = (0..count).collect();
            (1..count).for_each(|index| order.swap(index, below(index + 1)));
            let mut text = "tools:\n".to_owned();
            for tool in order {
                let _ = writeln!(text, "  t{tool}:\n    cores: {tool}");
                if tool > 0 && below(6) > 0 {
                    let _ = writeln!(text, "    inherits: t{}", tool - 1 - below(tool.min(3)));
                }
                if below(3) == 0 {
                    let _ = writeln!(
                        text,
                        "    env: [{{name: A{}, value: '{tool}'}}, {{execute: x{}}}]",
                        below(3),
                        below(2)
                    );
                }
                if below(3) == 0 {
                    let _ = writeln!(
                        text,
                        "    scheduling: {{prefer: [a{}, b{}], require: [c{}]}}",
                        below(3),
                        below(3),
                        below(3)
                    );
                }
                if below(2) == 0 {
                    text += "    rules:\n";
                    for key in 0..1 + below(3) {
                        let _ = writeln!(text, "      k{key}:\n        if: true\n        mem: {tool}");
                        if below(2) == 0 {
                            let _ = writeln!(text, "        id: k{}", below(4));
                        }
                        if below(2) == 0 {
                            let _ = writeln!(text, "        env: {{B: '{tool}'}}");
                        }
                    }
                }
            }
            let (found, problems) = resolved(&text);
            assert!(problems.is_empty());
            assert_eq!(format!("{found:#?}"), format!("{:#?}", one_by_one(&text)), "{text}");
        }
    }

    /// A chain in which each tool says something of its own; in reverse each stands before its parent.
    fn chain(length: usize, reverse: bool, own: impl Fn(usize) -> String) -> String {
        let mut tools: Vec<String> = (0..length)
            .map(|tool| match tool {
                0 => format!("  t0:\n{}", own(0)),
                _ => format!("  t{tool}:\n    inherits: t{}\n{}", tool - 1, own(tool)),
            })
            .collect();
        if reverse {
            tools.reverse();
        }
        format!("tools:\n{}", tools.concat())
    }

    #[test]
    fn long_chains_take_no_longer_for_each_tool() {
        let started = std::time::Instant::now();
        for reverse in [false, true] {
            let (tools, problems) = resolved(&chain(16_000, reverse, |tool| format!("    cores: {tool}\n")));
            assert!(problems.is_empty() && tools.len() == 16_000);
            let (tools, _) = resolved(&chain(800, reverse, |tool| {
                format!("    rules:\n      - id: r{tool}\n        if: true\n        cores: 1\n")
            }));
            assert_eq!(tools["t799"].rules.len(), 800);
        }
        // Following each chain would take minutes in this build; on a busy machine this one takes a few seconds.
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
        let broken =
            chain(16_000, false, |tool| if tool == 0 { "    inherits: none\n".to_owned() } else { String::new() });
        let circle =
            chain(16_000, true, |tool| if tool == 0 { "    inherits: t9\n".to_owned() } else { String::new() });
        for (text, message) in [
            (broken, "the parent `none` of the tool `t0` does not exist"),
            (circle, "inherits from itself through others"),
        ] {
            let (_, problems) = resolved(&text);
            let found: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
            assert!(found.len() == 1 && found[0].contains(message), "{found:?}");
        }
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    }

    #[test]
    fn chains_that_hold_too_much_are_refused() {
        let wide: String = (0..1000).map(|name| format!("      V{name}: x\n")).collect();
        let own = |tool| if tool == 0 { format!("    env:\n{wide}") } else { String::new() };
        let (_, problems) = resolved(&chain(3000, false, own));
        let found: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(found, ["the tools inherit more from one another than can be kept"]);
    }
}
