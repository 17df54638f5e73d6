//! Values to entities: what TPV's pydantic models accept, refuse and convert.
//!
//! TPV stops at the first file that does not validate; here every problem of every file is reported. A field that is
//! refused stays unset, so that the rest of its entity can still be judged.

mod braces;
mod complex;
mod entity;
mod noqa;
mod plain;
mod pool;
mod rules;
mod scalar;
mod scheduling;
pub mod unknown;

use std::fmt::Display;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::code::CodeText;
use crate::entity::{Dict, Entity, GlobalConfig, StoreConfig};
use crate::fields::{CONFIG, GLOBAL};
use tpv_model::{EntityClass, Version};
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::source::Span;
use tpv_yaml::load::{mistake, quoted};
use tpv_yaml::value::{ConfigValue, Entry, Map, Text, ValueKind};

/// The entities of one section.
pub type Section = IndexMap<Arc<str>, Arc<Entity>>;

/// One file, validated, before it meets the files loaded earlier.
#[derive(Clone, Debug, Default)]
pub struct FileConfig {
    /// `global`
    pub global: GlobalConfig,
    /// `tools`, `users`, `roles`, `destinations` and `pools`, in the order of [`EntityClass::SECTIONS`].
    pub sections: [Section; 5],
    /// Sections TPV does not know, which it keeps.
    pub extras: Dict,
}

impl FileConfig {
    /// The entities of a kind.
    pub fn section(&self, kind: EntityClass) -> Option<&Section> {
        EntityClass::SECTIONS
            .into_iter()
            .zip(&self.sections)
            .find_map(|(found, section)| (found == kind).then_some(section))
    }
}

/// Validates the files of one run, in load order.
#[derive(Debug)]
pub struct Validator<'a> {
    version: Version,
    problems: &'a mut Diagnostics,
    /// The number of rules without an id so far: TPV numbers them through all files.
    unnamed_rules: u64,
    /// `true` once there was a file.
    has_files: bool,
    /// `true` if the files have what admins wrote for TPV before 3.0, and later ones refuse: more than a slip that an unchecked field hides.
    pub(crate) is_old: bool,
    /// The code that TPV compiles while it loads, of all files: merging may drop some of it, but its errors count.
    pub checks: Vec<CodeText>,
    /// The sections that are no mappings: their entities are missing, while an entity with errors is there without what is wrong in it.
    pub lost: Vec<Span>,
}

/// The owner of a field, for messages.
#[derive(Clone, Copy)]
struct Owner<'a> {
    noun: &'a str,
    name: &'a str,
    span: Span,
}

impl Owner<'_> {
    /// `in the tool `bwa``
    fn describe(&self) -> String {
        if self.name.is_empty() { format!("in {}", self.noun) } else { format!("in the {} `{}`", self.noun, self.name) }
    }
}

impl<'a> Validator<'a> {
    /// A validator that adds to `problems`.
    pub fn new(version: Version, problems: &'a mut Diagnostics) -> Self {
        Self {
            version,
            problems,
            unnamed_rules: 0,
            has_files: false,
            is_old: false,
            checks: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// Validates the root value of a file named `name`.
    pub fn file(&mut self, root: ConfigValue, name: &str) -> FileConfig {
        let mut out = FileConfig::default();
        let root = self.plain(noqa::insert(root, self.version));
        let ValueKind::Map(map) = root.kind else {
            let problem = if root.is_null() {
                Diagnostic::error(format!("the config `{name}` is empty"))
            } else {
                Diagnostic::error("a config must be a mapping").at(root.span, format!("this is {}", root.describe()))
            };
            self.problems.push(problem.help("start with a section, such as `tools: {}`"));
            return out;
        };
        let mut entries = Arc::unwrap_or_clone(map).entries;
        let mut extras = Dict::new();
        for entry in &entries {
            let Some(key) = self.string_key(entry, "a section") else { continue };
            match key.as_str() {
                "global" => out.global = self.global(entry),
                // TPV puts its own evaluator there, whatever the file says.
                "evaluator" => {}
                key if EntityClass::of_section(key).is_some_and(|class| self.version.has_section(class)) => {}
                key => {
                    self.unknown_section(entry, key);
                    extras.insert(key.into(), entry.value.clone());
                }
            }
        }
        // Each value is dropped once it is an entity, so that a large config is never in memory as both.
        // Rules are numbered in the order of the sections' declaration, not of the file.
        for (kind, section) in EntityClass::SECTIONS.into_iter().zip(&mut out.sections) {
            if !self.version.has_section(kind) {
                continue;
            }
            if let Some(at) = entries.iter().position(|entry| entry.key.as_str() == Some(kind.section())) {
                *section = self.section(kind, entries.swap_remove(at));
            }
        }
        out.extras = extras;
        out
    }

    fn section(&mut self, kind: EntityClass, entry: Entry) -> Section {
        let mut out = Section::new();
        let Some(map) = self.mapping(&entry, format_args!("`{}`", kind.section()), None).cloned() else {
            self.lost.push(entry.key.span.to(entry.value.span));
            return out;
        };
        drop(entry);
        for entry in Arc::unwrap_or_clone(map).entries {
            let Some(id) = self.string_key(&entry, format_args!("the id of a {}", kind.noun())) else { continue };
            if id.as_str() == "no_qa_codes" && entry.value.as_map().is_none() {
                // TPV puts the codes of the comment among the entities, where they are none.
                self.problems.push(
                    Diagnostic::error(format!(
                        "a {} is not allowed between `{}` and its entries",
                        if self.version.heeds_all_comments() { "comment or an empty line" } else { "`# noqa` comment" },
                        kind.section()
                    ))
                    .at(id.span, "the comment is under this key")
                    .help(format!("move it under the {} it is for", kind.noun())),
                );
                continue;
            }
            let entity = self.entity(kind, &id, &entry);
            self.checks.extend(entity.checked_at_load(self.version));
            out.insert(id.value, Arc::new(entity));
        }
        out
    }

    fn global(&mut self, entry: &Entry) -> GlobalConfig {
        let mut out = GlobalConfig::default();
        let owner = Owner { noun: "`global`", name: "", span: entry.key.span };
        let Some(map) = self.mapping(entry, "`global`", None) else { return out };
        let mut extras = Dict::new();
        for entry in &map.entries {
            let Some(key) = self.string_key(entry, "a field") else { continue };
            match key.as_str() {
                "default_inherits" => out.default_inherits = self.optional_text(entry, owner),
                "context" => out.context = self.dict(entry, owner).unwrap_or_default(),
                "resource_pool_store" if self.version.has_pools() => out.resource_pool_store = self.store(entry, owner),
                key => {
                    self.unknown_field(entry, key, owner, &GLOBAL);
                    extras.insert(key.into(), entry.value.clone());
                }
            }
        }
        out.extras = Arc::new(extras);
        out
    }

    fn store(&mut self, entry: &Entry, owner: Owner<'_>) -> Option<StoreConfig> {
        if entry.value.is_null() {
            return None;
        }
        let map = self.mapping(entry, "`resource_pool_store`", Some(owner))?;
        let mut store_class = Text::new(StoreConfig::DEFAULT_CLASS, entry.key.span);
        let mut options = Dict::new();
        // The alias wins over the field's own name.
        let class = map.entry("class").or_else(|| map.entry("store_class"));
        if let Some(text) = class.and_then(|class| self.text(class, owner)) {
            store_class = text;
        }
        for entry in &map.entries {
            let Some(key) = self.string_key(entry, "an option") else { continue };
            if !matches!(key.as_str(), "class" | "store_class") {
                options.insert(key.value, entry.value.clone());
            }
        }
        Some(StoreConfig { store_class, options: Arc::new(options) })
    }

    /// The key as a string; a problem if it is of another type.
    fn string_key(&mut self, entry: &Entry, what: impl Display) -> Option<Text> {
        if let Some(text) = entry.key.as_text() {
            return Some(text.clone());
        }
        let (what, shown) = (what.to_string(), entry.key.describe());
        let mut problem = Diagnostic::error(format!("the name of {what} must be a string"))
            .at(entry.key.span, format!("this is {shown}"));
        if what.starts_with("the id") {
            problem.message = format!("{what} must be a string");
        }
        self.problems.push(problem.help(match braces::braced(&entry.key) {
            Some(text) if braces::is_template(&text) => braces::TEMPLATE.to_owned(),
            Some(text) => format!("put it in quotes: `{}`", quoted(&text)),
            None => format!("put it in quotes: `\"{}\"`", entry.key.python_str()),
        }));
        None
    }

    /// The value as a mapping; a problem if it is of another type.
    fn mapping<'v>(&mut self, entry: &'v Entry, what: impl Display, owner: Option<Owner<'_>>) -> Option<&'v Arc<Map>> {
        if let Some(map) = entry.value.as_map() {
            return Some(map);
        }
        let problem = Diagnostic::error(format!("{what} must be a mapping"));
        let problem = at_value(problem, entry, owner);
        let name = entry.key.python_str();
        self.problems.push(if entry.value.is_null() {
            problem.help(format!("indent what belongs to it deeper than `{name}`, or write `{name}: {{}}`"))
        } else if let Some(mistake) = entry.value.as_str().filter(|_| is_below(entry)).and_then(mistake) {
            problem.note(mistake.message).help(mistake.help)
        } else {
            let is_section = owner.is_none() && CONFIG.field(&name).is_some();
            let (key, value) = if is_section { ("id", "{mem: 8}") } else { ("key", "value") };
            problem.help(format!("write keys and values under it, as in `{name}: {{{key}: {value}}}`"))
        });
        None
    }

    /// Reports that a field does not have the type it must have.
    fn wrong_type(&mut self, entry: &Entry, owner: Owner<'_>, expected: &str, help: impl Into<String>) {
        let problem = Diagnostic::error(format!("`{}` must be {expected}", entry.key.python_str()));
        let problem = at_value(problem, entry, Some(owner));
        self.problems.push(match braces::braced(&entry.value).filter(|text| braces::is_template(text)) {
            Some(_) => problem.help(braces::TEMPLATE),
            None => problem.help(help),
        });
    }

    /// A field of type `str | None`.
    fn optional_text(&mut self, entry: &Entry, owner: Owner<'_>) -> Option<Text> {
        if entry.value.is_null() { None } else { self.text(entry, owner) }
    }

    /// A field of type `str`.
    fn text(&mut self, entry: &Entry, owner: Owner<'_>) -> Option<Text> {
        if let Some(text) = entry.value.as_text() {
            return Some(text.clone());
        }
        self.wrong_type(entry, owner, "a string", text_help(entry));
        None
    }
}

/// Returns `true` if the value is below its key rather than beside it.
fn is_below(entry: &Entry) -> bool {
    entry.value.span.start > entry.key.span.end + 3
}

/// Points at the value, or at its key where nothing is written, and says what the value is.
fn at_value(problem: Diagnostic, entry: &Entry, owner: Option<Owner<'_>>) -> Diagnostic {
    let value = &entry.value;
    let label = format!("this is {}", value.describe());
    let problem = if value.span.start == value.span.end {
        problem.at(entry.key.span, if value.is_null() { "this has no value".to_owned() } else { label })
    } else {
        problem.at(value.span, label)
    };
    match owner {
        Some(owner) if owner.span.source == entry.key.span.source => problem.also(owner.span, owner.describe()),
        _ => problem,
    }
}

fn text_help(entry: &Entry) -> String {
    use tpv_yaml::value::ValueKind as Kind;
    let name = entry.key.python_str();
    if let Some(text) = braces::braced(&entry.value) {
        return format!("put it in quotes: `{name}: {}`", quoted(&text));
    }
    match &entry.value.kind {
        Kind::Map(_) | Kind::OrderedMap(_) | Kind::List(_) | Kind::Set(_) | Kind::Null => {
            format!("write a string: `{name}: \"...\"`")
        }
        Kind::Tagged(tagged) => format!(
            "what starts with `!` is a tag for YAML; as text, put it in quotes: `{name}: {}`",
            quoted(&format!("{}{}", tagged.tag, tagged.text.value))
        ),
        Kind::Bool(flag) => format!("put it in quotes: `{name}: \"{flag}\"`"),
        _ => format!("put it in quotes: `{name}: \"{}\"`", entry.value.python_str()),
    }
}
