//! Findings of a config with errors: those that would be false if what is missing said something else are left out.

use std::collections::{HashMap, HashSet};

use tpv_config::Config;
use tpv_config::holes::Holes;
use tpv_model::EntityClass;
use tpv_text::code::{Code, Scope};
use tpv_text::diagnostic::{Diagnostic, Diagnostics, Severity};
use tpv_text::finding::Finding;
use tpv_text::source::{SourceId, SourceMap};

/// The exception for a parent that does not exist.
const NO_PARENT: &str = "InvalidParentException";

/// Entities by the place of their name.
type Placed<'a> = Vec<(u32, (EntityClass, &'a str))>;

/// The missing parts of a config.
pub(super) struct Missing<'a> {
    holes: Holes,
    /// Those of them that could not be read: an entity without its parent is read, but another text may define its parent.
    unread_texts: Holes,
    /// The entities of each file.
    entities: HashMap<SourceId, Placed<'a>>,
    /// The entities that may have other fields.
    uncertain: HashSet<(EntityClass, &'a str)>,
    /// Those of them that may be other than they are written, not only inherit from a parent that is not there.
    unread: HashSet<(EntityClass, &'a str)>,
    /// The names that a context of the config gives to some code.
    given: HashSet<&'a str>,
}

impl<'a> Missing<'a> {
    /// The missing parts of a config that was loaded and compiled with these diagnostics.
    pub(super) fn new(config: &'a Config, sources: &SourceMap, diagnostics: &Diagnostics) -> Self {
        let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
        let is_orphan = |error: &&Diagnostic| error.raises.as_ref().is_some_and(|raised| raised.class == NO_PARENT);
        let (orphans, others): (Vec<&Diagnostic>, Vec<&Diagnostic>) = errors.partition(is_orphan);
        let mut unread_texts = config.holes.clone();
        unread_texts.add_errors(&others, sources);
        let mut holes = unread_texts.clone();
        holes.add_errors(&orphans, sources);
        let mut entities: HashMap<SourceId, Vec<_>> = HashMap::new();
        let mut parents: HashMap<_, Vec<&str>> = HashMap::new();
        for (id, file) in &config.files {
            for (class, section) in EntityClass::SECTIONS.into_iter().zip(&file.sections) {
                for (name, entity) in section {
                    let key = (class, &**name);
                    entities.entry(*id).or_default().push((entity.span.start, key));
                    let parent = entity.common.inherits.as_ref().map(|parent| parent.as_str());
                    parents.entry(key).or_default().extend(parent.filter(|parent| !parent.is_empty()));
                }
            }
        }
        entities.values_mut().for_each(|list| list.sort_unstable_by_key(|(start, _)| *start));
        let sections = config.files.iter().flat_map(|(_, file)| &file.sections);
        let commons = sections.flat_map(|section| section.values()).flat_map(|entity| entity.commons());
        let contexts = commons.filter_map(|common| common.context.as_deref()).chain([&*config.global.context]);
        let given = contexts.flat_map(|context| context.keys()).map(|name| &**name).collect();
        let mut missing =
            Self { holes, unread_texts, entities, uncertain: HashSet::new(), unread: HashSet::new(), given };
        missing.uncertain = missing.uncertain(&parents, true);
        missing.unread = missing.uncertain(&parents, false);
        missing
    }

    /// The entities that a missing text may define or change, and, if `with_orphans`, those without their parent; and those that inherit from one.
    fn uncertain(
        &self,
        parents: &HashMap<(EntityClass, &'a str), Vec<&'a str>>,
        with_orphans: bool,
    ) -> HashSet<(EntityClass, &'a str)> {
        let holes = if with_orphans { &self.holes } else { &self.unread_texts };
        let mut children: HashMap<(EntityClass, &str), Vec<(EntityClass, &'a str)>> = HashMap::new();
        let mut open: Vec<(EntityClass, &'a str)> = Vec::new();
        // Entities without a parent of their own have that of all.
        let is_default_open = holes.define("default_inherits");
        for (key @ (class, id), parents_of) in parents {
            for parent in parents_of {
                children.entry((*class, parent)).or_default().push(*key);
            }
            let is_orphan = with_orphans && parents_of.iter().any(|parent| !parents.contains_key(&(*class, *parent)));
            if is_orphan || is_default_open && parents_of.is_empty() || holes.define(id) {
                open.push(*key);
            }
        }
        let mut found = HashSet::new();
        while let Some(key) = open.pop() {
            if found.insert(key) {
                open.extend(children.get(&key).into_iter().flatten());
            }
        }
        found
    }

    /// Returns `true` if a finding holds whatever is missing.
    pub(super) fn keeps(&self, finding: &Finding, sources: &SourceMap) -> bool {
        match finding.code.scope() {
            Scope::Place => true,
            Scope::Entity => self.is_certain(&finding.diagnostic),
            Scope::Words => {
                self.is_certain(&finding.diagnostic) && !self.mentions(&finding.diagnostic, sources)
                    || finding.code == Code::UnknownName && self.is_given_by_none(&finding.diagnostic)
            }
            Scope::Config => self.holes.is_empty(),
        }
    }

    /// Returns `true` if a name that is not defined in an entity without its parent is none that an entity of the config could give it.
    fn is_given_by_none(&self, diagnostic: &Diagnostic) -> bool {
        let mut names = diagnostic.message.split('`').skip(1).step_by(2);
        self.is_outside(&self.unread, diagnostic)
            && names.all(|name| !self.given.contains(name) && !self.unread_texts.define(name))
    }

    /// Returns `true` if the entities around all places of a diagnostic are known.
    fn is_certain(&self, diagnostic: &Diagnostic) -> bool {
        self.is_outside(&self.uncertain, diagnostic)
    }

    /// Returns `true` if no place of a diagnostic is in one of these entities.
    fn is_outside(&self, uncertain: &HashSet<(EntityClass, &'a str)>, diagnostic: &Diagnostic) -> bool {
        let mut labels = diagnostic.primary.iter().chain(&diagnostic.secondary);
        labels.all(|label| {
            let entities = self.entities.get(&label.span.source).map_or(&[] as &[_], Vec::as_slice);
            let at = entities.partition_point(|(start, _)| *start <= label.span.start);
            let around = at.checked_sub(1).and_then(|at| entities.get(at));
            around.is_none_or(|(_, key)| !uncertain.contains(key))
        })
    }

    /// Returns `true` if a missing text has one of the names that a diagnostic is about.
    fn mentions(&self, diagnostic: &Diagnostic, sources: &SourceMap) -> bool {
        // A name that is offered is there already, wherever else it may be.
        let help = diagnostic.help.iter().filter(|help| !help.starts_with("did you mean"));
        let texts = std::iter::once(&diagnostic.message).chain(help);
        let texts = texts.chain(diagnostic.primary.iter().map(|label| &label.text));
        let quoted: Vec<&str> = texts.flat_map(|text| text.split('`').skip(1).step_by(2)).collect();
        let written = diagnostic.primary.as_ref().map_or("", |label| sources.text(label.span));
        // Of a name that the message has, parts are other names: `pulsar` of the tag `pulsar-qld`.
        let written = if quoted.contains(&written) { "" } else { written };
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let mut names = written.split(|c: char| !is_name(c)).filter(|name| name.starts_with(|c: char| !c.is_numeric()));
        quoted.iter().any(|name| self.holes.mention(name)) || names.any(|name| self.holes.mention(name))
    }
}
