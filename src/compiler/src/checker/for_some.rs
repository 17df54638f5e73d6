//! T105 for names that some jobs have and others lack: those of the jobs that come to a destination, and those that only rules set.

use std::sync::Arc;

use tpv_front::parse::Tree;
use tpv_front::syntax::text_size::TextRange;

use super::arrivals::{Need, certain_names, common_sets};
use super::found::Found;
use super::names::{Names, Verdict, is_resource, rules_have};
use super::order::LATE;
use super::place::place;
use super::sites::Site;
use tpv_config::entity::Entity;
use tpv_model::{EntityClass, Field, Resource};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::listed::counted;

/// A name that code of a tool or a destination reads, and that not all of its jobs have.
pub(super) struct ForSome<'a> {
    pub name: String,
    pub range: TextRange,
    pub owner: &'a Arc<Entity>,
    /// The jobs that lack it.
    pub jobs: String,
}

/// The most names that a message lists.
const MOST_LISTED: usize = 4;

impl<'a> Names<'a> {
    /// Reports the names of a text that only some jobs of its owner have, each owner and name once.
    pub(super) fn report_for_some(&mut self, found: &mut Found<'_>, site: &Site<'a>, mut names: Vec<ForSome<'a>>) {
        names.retain(|one| self.told.insert((one.owner.class, &*one.owner.id, one.name.clone())));
        let Some(first) = names.first() else { return };
        let same: Vec<&ForSome<'_>> = names.iter().filter(|one| one.jobs == first.jobs).collect();
        let listed: Vec<String> = same.iter().map(|one| format!("`{}`", one.name)).collect();
        let verb = if same.len() == 1 { "is" } else { "are" };
        let whose = match first.owner.class {
            EntityClass::Destination => format!("that the destination `{}` accepts", first.owner.id),
            _ => format!("of the tool `{}`", first.owner.id),
        };
        let message = format!("{} {verb} not set for each job {whose}", counted(&listed, MOST_LISTED, "others"));
        let span = place(found.sources, site.text, site.kind, first.range);
        let mut diagnostic =
            Diagnostic::warning(message).at(span, format!("raises `NameError` for jobs {}", first.jobs));
        if is_resource(&first.name) {
            diagnostic = diagnostic.note("unless the wrapper of the tool declares it");
        }
        let diagnostic = diagnostic.help(self.help_for_some(&first.name, first.owner));
        found.report(Finding::new(Code::UnsetName, diagnostic).within(site.no_qa()));
    }

    /// The verdicts with those tools and destinations whose code reads a name that not all of their jobs have.
    pub(super) fn for_all(
        &self,
        verdicts: Vec<(&'a Arc<Entity>, Verdict)>,
        site: &Site<'a>,
        name: &str,
        tree: &Tree,
    ) -> Vec<(&'a Arc<Entity>, Verdict)> {
        let is_for_some = site.rule.is_some() && site.property != Field::If.alias();
        let is_judged = matches!(site.kind_of_owner(), EntityClass::Destination | EntityClass::Tool)
            && !is_for_some
            && !self.config.version.evaluates_early()
            && !LATE.contains(&name)
            && name != "candidate_destinations";
        if !is_judged || !certain_names(tree, site.text.as_str()).contains(name) {
            return verdicts;
        }
        let judge = |(owner, verdict): (&'a Arc<Entity>, Verdict)| match verdict {
            Verdict::Fine => {
                let jobs = match owner.class {
                    EntityClass::Destination => {
                        self.tools_without(Need::Name(name), owner).map(|tools| format!("of {tools}"))
                    }
                    _ => self.is_only_by_rules(name, owner).then(|| "to which no rule that sets it applies".to_owned()),
                };
                (owner, jobs.map_or(Verdict::Fine, Verdict::ForSome))
            }
            verdict => (owner, verdict),
        };
        verdicts.into_iter().map(judge).collect()
    }

    /// The tools whose jobs come to a destination without what its code reads, unless the destination itself has it.
    pub(super) fn tools_without(&self, need: Need<'_>, destination: &'a Entity) -> Option<&str> {
        let default = self.default_of(EntityClass::Destination).map(|default| &**default);
        let has = |entity: &Entity| common_sets(&entity.common, need);
        let is_judged = !destination.common.is_abstract && !has(destination) && !default.is_some_and(has);
        if is_judged { self.arrivals.without(need, destination) } else { None }
    }

    /// Returns `true` if a name of a context is set by rules alone, and certainly not for each job of a tool.
    fn is_only_by_rules(&self, name: &str, tool: &Entity) -> bool {
        !is_resource(name)
            && (rules_have(tool, name) || self.default_of(EntityClass::Tool).is_some_and(|own| rules_have(own, name)))
            && !self.destinations.contains(name)
            && self.arrivals.only_by_rules(Need::Name(name), tool)
    }

    fn help_for_some(&self, name: &str, owner: &Entity) -> String {
        if !is_resource(name) && (owner.class == EntityClass::Tool || rules_have(owner, name)) {
            return format!(
                "give `{name}` a value in the `context` of the {} too: rules that apply put theirs in its place",
                owner.class.noun()
            );
        }
        let whole = match self.default_of(EntityClass::Tool) {
            Some(default) => format!("the tool that all others inherit from, `{}`", default.id),
            None => "a tool that all others inherit from, which `default_inherits` names".to_owned(),
        };
        match Resource::from_name(name) {
            Some(Resource::Gpus) => format!("set `{name}: 0` in {whole}"),
            Some(_) => format!("set `{name}` in {whole}"),
            None => format!("give `{name}` a default in the `context` of {whole}"),
        }
    }
}
