//! The parts of a config that the test cases used: entities, rules, blocks of code, destinations, and their lines. All
//! counts are numbers of cases.

mod counts;
mod html;
mod lines;
mod reachable;
mod text;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;
use tpv_bytecode::{CodeKind, CodeRef};

use super::run::Tested;
pub(crate) use counts::Use;
use counts::{ByPlace, SitePlace};
pub use counts::{Cases, Counts, Seen};
pub use lines::Line;
pub use reachable::{Aim, Reachable};
use tpv_config::code::{each_code, each_own_code};
use tpv_config::entity::{Entity, Rule};
use tpv_config::origin::TextOrigin;
use tpv_config::{Config, validate::Section};
use tpv_model::EntityClass;
use tpv_text::source::{SourceId, SourceMap, Span};
use tpv_yaml::value::{Text, ValueKind};

/// The coverage of one set of config files.
#[derive(Debug, Serialize)]
pub struct Coverage {
    /// The number of cases.
    pub cases: usize,
    /// All files together.
    pub totals: Totals,
    /// File by file, in load order.
    pub files: Vec<FileCoverage>,
}

/// The coverage of a file.
#[derive(Debug, Serialize)]
pub struct FileCoverage {
    /// Its name.
    pub file: String,
    /// The share that was used.
    pub totals: Totals,
    /// Tools, roles, users; of destinations only those that are abstract.
    pub entities: Vec<EntityCoverage>,
    /// Rules.
    pub rules: Vec<RuleCoverage>,
    /// Blocks of code.
    pub code: Vec<BlockCoverage>,
    /// Destinations.
    pub destinations: Vec<DestinationCoverage>,
    /// The lines that can be used.
    pub lines: Vec<Line>,
    /// The parts that no case used, and jobs that are made from the rules do.
    pub reachable: Vec<Reachable>,
    /// Its text, for the page; that of the template where one gave it.
    #[serde(skip)]
    pub text: Arc<str>,
}

/// An entity.
#[derive(Debug, Serialize)]
pub struct EntityCoverage {
    /// The name used in messages: ``tool `bwa` ``.
    pub name: String,
    /// Its line.
    pub line: usize,
    /// Cases in which a lookup found it.
    pub matched: Cases,
    /// Cases in which an entity took part that inherits from it.
    pub inherited: Cases,
}

impl EntityCoverage {
    /// Returns `true` if a case used it.
    pub fn is_used(&self) -> bool {
        !self.matched.is_empty() || !self.inherited.is_empty()
    }
}

/// A rule.
#[derive(Debug, Serialize)]
pub struct RuleCoverage {
    /// The name used in messages.
    pub name: String,
    /// Its line.
    pub line: usize,
    /// Cases in which its condition was looked at.
    pub looked_at: Cases,
    /// Cases in which it was true.
    pub fired: Cases,
    /// Cases in which it was not.
    pub not_fired: Cases,
    /// `true` if the condition is an expression, which can go both ways.
    pub both_ways: bool,
}

/// A block of code.
#[derive(Debug, Serialize)]
pub struct BlockCoverage {
    /// The name used in messages.
    pub name: String,
    /// Its first line.
    pub line: usize,
    /// Cases in which it ran.
    pub ran: Cases,
}

/// A destination that is not abstract.
#[derive(Debug, Serialize)]
pub struct DestinationCoverage {
    /// The name used in messages.
    pub name: String,
    /// Its line.
    pub line: usize,
    /// Cases in which it could take the job.
    pub matched: Cases,
    /// Cases in which it got the job.
    pub chosen: Cases,
}

/// The number used, of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Those that were used.
    pub used: usize,
    /// All of them.
    pub all: usize,
}

impl Share {
    fn count(&mut self, is_used: bool) {
        self.all += 1;
        self.used += usize::from(is_used);
    }

    fn add(&mut self, other: Self) {
        self.all += other.all;
        self.used += other.used;
    }
}

/// The totals of used and existing parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Entities that were matched or inherited.
    pub entities: Share,
    /// Rules that fired.
    pub rules_fired: Share,
    /// Rules that were looked at and did not fire; of those that can go both ways.
    pub rules_not_fired: Share,
    /// Blocks of code that ran.
    pub code: Share,
    /// Destinations that got a job.
    pub destinations: Share,
    /// Lines that were used, the ones that were used in part among them.
    pub lines: Share,
}

impl Totals {
    fn of(file: &FileCoverage) -> Self {
        let mut totals = Self::default();
        file.entities.iter().for_each(|one| totals.entities.count(one.is_used()));
        for rule in &file.rules {
            totals.rules_fired.count(!rule.fired.is_empty());
            if rule.both_ways {
                totals.rules_not_fired.count(!rule.not_fired.is_empty());
            }
        }
        file.code.iter().for_each(|one| totals.code.count(!one.ran.is_empty()));
        file.destinations.iter().for_each(|one| totals.destinations.count(!one.chosen.is_empty()));
        file.lines.iter().for_each(|line| totals.lines.count(line.hits > 0));
        totals
    }

    fn add(&mut self, other: Self) {
        self.entities.add(other.entities);
        self.rules_fired.add(other.rules_fired);
        self.rules_not_fired.add(other.rules_not_fired);
        self.code.add(other.code);
        self.destinations.add(other.destinations);
        self.lines.add(other.lines);
    }
}

/// The coverage of a config by the counts of `cases` cases.
pub fn coverage(tested: &Tested, counts: &Counts, cases: usize) -> Coverage {
    let places = counts.by_place(&tested.rules);
    let files = tested.sources.iter().map(|(_, source)| FileCoverage {
        file: source.name.to_string(),
        totals: Totals::default(),
        entities: Vec::new(),
        rules: Vec::new(),
        code: Vec::new(),
        destinations: Vec::new(),
        lines: Vec::new(),
        reachable: Vec::new(),
        text: source.written(0..0).0.text.clone(),
    });
    let mut gathering = Gathering {
        config: &tested.config,
        sources: &tested.sources,
        places: &places,
        files: files.collect(),
        known: HashSet::new(),
        lines: HashMap::new(),
    };
    for kind in EntityClass::SECTIONS {
        gathering.section(kind);
    }
    let Gathering { mut files, lines, sources, .. } = gathering;
    let mut by_file = lines::lines(&lines, sources);
    let mut totals = Totals::default();
    for ((id, _), file) in sources.iter().zip(&mut files) {
        file.lines = by_file.remove(&id).unwrap_or_default();
        file.entities.sort_by_key(|one| one.line);
        file.rules.sort_by_key(|one| one.line);
        file.code.sort_by_key(|one| one.line);
        file.destinations.sort_by_key(|one| one.line);
        file.totals = Totals::of(file);
        totals.add(file.totals);
    }
    Coverage { cases, totals, files }
}

/// Goes through a config and looks up what was used.
struct Gathering<'a> {
    config: &'a Config,
    sources: &'a SourceMap,
    places: &'a ByPlace,
    files: Vec<FileCoverage>,
    /// The parts gathered so far, by kind and place: entities share the rules and blocks that they inherit, and the
    /// output of a template's loop is all in one place.
    known: HashSet<(&'static str, SitePlace)>,
    /// The parts at a span, and the cases that used them.
    lines: HashMap<Span, Cases>,
}

impl<'a> Gathering<'a> {
    fn section(&mut self, kind: EntityClass) {
        let (config, inherited) = (self.config, self.inherited(kind));
        for entity in config.section(kind).values() {
            self.entity(entity, inherited.get(&entity.id).unwrap_or(&Cases::default()));
        }
    }

    /// The cases in which something took part that inherits from an entity.
    fn inherited(&self, kind: EntityClass) -> HashMap<Arc<str>, Cases> {
        let section: &Section = self.config.section(kind);
        let mut out: HashMap<Arc<str>, Cases> = HashMap::new();
        for entity in section.values() {
            let used = self.used(entity);
            let (mut seen, mut child) = (HashSet::from([entity.id.clone()]), entity);
            while let Some(parent) = child.common.inherits.as_ref().and_then(|parent| section.get(parent.as_str()))
                && seen.insert(parent.id.clone())
            {
                out.entry(parent.id.clone()).or_default().add(used);
                child = parent;
            }
            out.entry(entity.id.clone()).or_default().add(self.places.get(Use::Default, self.place(entity.span)));
        }
        if kind == EntityClass::Destination
            && let Some(default) = self.config.default_entity(kind)
        {
            let of_default = out.entry(default.id.clone()).or_default();
            let others = section.values().filter(|entity| entity.id != default.id);
            others.for_each(|entity| of_default.add(self.used(entity)));
        }
        out
    }

    /// The cases in which an entity took part itself.
    fn used(&self, entity: &Entity) -> &'a Cases {
        let how = if entity.class == EntityClass::Destination { Use::Tried } else { Use::Matched };
        self.places.get(how, self.place(entity.span))
    }

    fn entity(&mut self, entity: &'a Entity, inherited: &Cases) {
        let (place, name) = (self.place(entity.span), format!("{} `{}`", entity.class.noun(), entity.id));
        let places = self.places;
        let get = |how: Use| places.get(how, place);
        let (matched, accepted, chosen) = (get(Use::Matched), get(Use::Accepted), get(Use::Chosen));
        let line = place.1 as usize;
        let mut used = self.used(entity).clone().and(get(Use::Default));
        if entity.class == EntityClass::PoolEntity {
            // What pools do depends on the allocations of other jobs, of which a case has none: their lines are not counted.
            return;
        }
        let is_destination = entity.class == EntityClass::Destination;
        if is_destination && entity.common.is_abstract {
            used.add(inherited);
        }
        if self.known.insert((entity.class.noun(), place))
            && let Some(file) = self.files.get_mut(place.0 as usize)
        {
            if is_destination && !entity.common.is_abstract {
                let (matched, chosen) = (accepted.clone(), chosen.clone());
                file.destinations.push(DestinationCoverage { name: name.clone(), line, matched, chosen });
            } else {
                let matched = if is_destination { Cases::default() } else { matched.clone() };
                file.entities.push(EntityCoverage { name: name.clone(), line, matched, inherited: inherited.clone() });
            }
        }
        self.line(entity.span, &matched.clone().and(accepted).and(inherited));
        let fields = if is_destination { used.and(accepted) } else { used };
        // The name of a destination is its key, unless it has another one.
        let is_name = |span| is_destination && span == entity.span;
        lines::of_common(&entity.common, &mut |span| {
            if !is_name(span) {
                self.line(span, &fields);
            }
        });
        let offered = entity.dest_tags.iter();
        offered.for_each(|tags| lines::of_tags(tags, &mut |span| self.line(span, &fields)));
        let mut blocks = Vec::new();
        each_code(&entity.common, &mut |text, kind, property| blocks.push((text, kind, property)));
        each_own_code(&entity.common, &mut |text, kind, property| blocks.push((text, kind, property)));
        blocks.into_iter().for_each(|(text, kind, property)| self.block(text, kind, property, &name));
        for rule in entity.rules.values() {
            self.rule(rule, &name);
        }
    }

    fn rule(&mut self, rule: &'a Rule, owner: &str) {
        let (places, place) = (self.places, self.place(rule.span));
        let is_new = self.known.insert(("rule", place));
        let get = |how: Use| places.get(how, place);
        let (looked_at, fired, not_fired) = (get(Use::LookedAt), get(Use::Fired), get(Use::NotFired));
        let name = format!("rule `{}` of {owner}", rule.id);
        let both_ways = !matches!(rule.condition().kind, ValueKind::Bool(_));
        if is_new && let Some(file) = self.files.get_mut(place.0 as usize) {
            let line = place.1 as usize;
            let (looked_at, fired, not_fired) = (looked_at.clone(), fired.clone(), not_fired.clone());
            file.rules.push(RuleCoverage { name: name.clone(), line, looked_at, fired, not_fired, both_ways });
        }
        for span in [rule.span, rule.condition().span] {
            self.line(span, looked_at);
        }
        lines::of_common(&rule.common, &mut |span| {
            if span != rule.condition().span {
                self.line(span, fired);
            }
        });
        let mut blocks = Vec::new();
        rule.each_code(&mut |text, kind, property| blocks.push((text, kind, property)));
        blocks.into_iter().for_each(|(text, kind, property)| self.block(text, kind, property, &name));
    }

    /// A text that is code: an f-string without fields is none.
    fn block(&mut self, text: &Text, kind: CodeKind, property: &'static str, owner: &str) {
        let is_plain = kind == CodeKind::FString && CodeRef::is_plain_fstring(text.as_str());
        if is_plain || text.span.start == text.span.end {
            return;
        }
        let site = TextOrigin::new(text, self.sources).site();
        let place = (site.source, site.line, site.column);
        let ran = self.places.get(Use::Ran, place);
        self.lines.insert(text.span, ran.clone());
        if self.known.insert((property, place))
            && let Some(file) = self.files.get_mut(site.source as usize)
        {
            let name = format!("`{property}` of {owner}");
            file.code.push(BlockCoverage { name, line: site.line as usize, ran: ran.clone() });
        }
    }

    fn line(&mut self, span: Span, cases: &Cases) {
        self.lines.entry(span).or_default().add(cases);
    }

    fn place(&self, span: Span) -> SitePlace {
        let place = self.sources.place(span);
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        (span.source.0, number(place.line), number(place.column))
    }
}

impl Coverage {
    /// As text: a line a file, and below it what no case used.
    pub fn text(&self) -> String {
        text::text(self)
    }
}

/// The coverage of several sets of config files as a page of its own, with their texts.
pub fn html(all: &[Coverage]) -> String {
    html::page(all)
}

/// The lines by file.
type ByFile = HashMap<SourceId, Vec<Line>>;
