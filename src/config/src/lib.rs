#![doc = include_str!("../README.md")]
//!
//! # Ways through the crate
//!
//! [`load`] does for all files of a run what TPV's loader does: [`template`] fills in Jinja templates, [`validate`] makes entities of YAML, and files and
//! parents are merged. Every value keeps the place it was written at.

mod chains;
pub mod code;
pub mod entity;
pub mod fields;
pub mod galaxy_params;
pub mod holes;
mod inherit;
pub mod job_conf;
pub mod json_as_yaml;
pub mod lock;
mod matching;
mod merge;
pub mod origin;
pub mod rules;
pub mod scheduling;
pub mod template;
mod texts;
pub mod validate;

use std::sync::{Arc, LazyLock};

use crate::code::CodeText;
use crate::entity::{Dict, Entity, GlobalConfig};
use crate::holes::Holes;
use crate::matching::Patterns;
use crate::merge::Merger;
use crate::validate::{FileConfig, Section, Validator};
use tpv_model::{EntityClass, Version};
use tpv_text::code::Code;
use tpv_text::diagnostic::{Diagnostic, Diagnostics, Severity};
use tpv_text::parallel;
use tpv_text::source::{Limits, SourceError, SourceId, SourceMap, Span};
use tpv_yaml::Comment;
use tpv_yaml::load::rest::{Rest, load_rest};
use tpv_yaml::value::ConfigValue;

pub use texts::ConfigTexts;

/// TPV's `loader.config` after the last file.
#[derive(Debug, Default)]
pub struct Config {
    /// The version of TPV that it is for.
    pub version: Version,
    /// `global`
    pub global: GlobalConfig,
    /// `tools`, in lookup order.
    pub tools: Section,
    /// `users`, in lookup order.
    pub users: Section,
    /// `roles`, in lookup order.
    pub roles: Section,
    /// `destinations`, in the order that decides between equal ranks.
    pub destinations: Section,
    /// `pools`
    pub pools: Section,
    /// Sections of the last file that TPV does not know.
    pub extras: Dict,
    /// All code that TPV compiles while it loads, of every file, with that which a later file replaces.
    pub checks: Vec<CodeText>,
    /// The comments of each file, in load order.
    pub comments: Vec<Vec<Comment>>,
    /// The files that could be read, in load order, each as it is written: neither merged with the others nor with what its entities inherit.
    pub files: Vec<(SourceId, FileConfig)>,
    /// The texts that the config lacks because of errors.
    pub holes: Holes,
    /// The newest version of TPV before 3.0 that loads the config, if this one does not.
    pub older: Option<Version>,
    patterns: Patterns,
}

impl Config {
    /// The entities of a class. Rules have no section.
    pub fn section(&self, kind: EntityClass) -> &Section {
        static NONE: LazyLock<Section> = LazyLock::new(Section::new);
        match kind {
            EntityClass::Tool => &self.tools,
            EntityClass::User => &self.users,
            EntityClass::Role => &self.roles,
            EntityClass::Destination => &self.destinations,
            EntityClass::PoolEntity => &self.pools,
            EntityClass::Rule => &NONE,
        }
    }

    /// The entity of a class that `global.default_inherits` names. `None` if it names none, or one that does not exist.
    pub fn default_entity(&self, kind: EntityClass) -> Option<&Arc<Entity>> {
        let id = self.global.default_inherits.as_ref()?;
        self.section(kind).get(id.as_str())
    }
}

/// A config to load.
#[derive(Clone, Debug)]
pub enum Input {
    /// A path or URL.
    Named(String),
    /// A text that is read already.
    Text(SourceId),
    /// A mapping that stands inside a text of another kind, read already.
    Inline(SourceId, ConfigValue),
}

impl Input {
    /// Paths and URLs as inputs.
    pub fn named(names: &[String]) -> Vec<Self> {
        names.iter().cloned().map(Self::Named).collect()
    }
}

/// Reads config files, URLs and inline configs in load order and merges them. With errors, the config is what of it can be read.
pub fn load(inputs: &[Input], limits: &Limits, texts: &mut ConfigTexts, problems: &mut Diagnostics) -> Config {
    let ConfigTexts { sources, version } = texts;
    let version = *version;
    let mut texts = Vec::new();
    let mut holes = Holes::default();
    let mut names = Vec::new();
    for input in inputs {
        if let Input::Named(name) = input {
            names.push(name.as_str());
        }
    }
    let mut loaded = names.iter().zip(sources.load_all(&names, limits));
    for input in inputs {
        match input {
            Input::Text(id) => texts.push((*id, None)),
            Input::Inline(id, root) => texts.push((*id, Some(root))),
            Input::Named(_) => match loaded.next() {
                Some((_, Ok(id))) => texts.push((id, None)),
                Some((name, Err(error))) => {
                    match &error {
                        SourceError::Template(id, _) => holes.add_template(*id, sources),
                        _ => holes.add_unknown(),
                    }
                    problems.push(unreadable(name, &error, sources));
                }
                None => {}
            },
        }
    }
    let texts = with_parts(texts, sources, problems);
    let documents = read_documents(sources, &texts, problems);
    let is_read = !problems.has_errors();
    let (mut config, _) = merge_documents(version, sources, documents, holes, problems);
    if is_read && problems.has_errors() {
        config.older = older(version, sources, &texts);
        if let Some(older) = config.older {
            say_older(older, version, problems);
        }
    }
    config
}

/// The newest version before 3.0 that loads texts which `newer` does not load.
fn older(newer: Version, sources: &SourceMap, texts: &[(SourceId, Option<&ConfigValue>)]) -> Option<Version> {
    let loads = |version: &Version| {
        let mut problems = Diagnostics::new();
        let documents = read_documents(sources, texts, &mut problems);
        let (_, is_old) = merge_documents(*version, sources, documents, Holes::default(), &mut problems);
        is_old && !problems.has_errors()
    };
    let older = [Version::V2_5, Version::V1_4].into_iter().filter(|_| newer.has_models());
    older.into_iter().find(loads)
}

/// Says of a config that only an older version loads that it does: before its errors, or in the only one.
fn say_older(older: Version, newer: Version, problems: &mut Diagnostics) {
    let major = older.name().split('.').next().unwrap_or_default();
    let looks = format!("this looks like TPV {major}: set `tpv = \"{older}\"`");
    let count = problems.errors();
    if count == 1 {
        let note = format!("{looks} in `tpvc.toml`, or give `--tpv {older}`, if the server runs it");
        return problems.errors_mut().for_each(|error| error.notes.push(note.clone()));
    }
    let places = problems.iter().filter(|problem| problem.severity == Severity::Error);
    let first = places.filter_map(|error| error.primary.as_ref()).map(|label| label.span).min().unwrap_or_default();
    problems.push_front(
        Diagnostic::error(looks)
            .code(Code::Unloadable)
            .at(first, "the first error")
            .note(format!("TPV {older} loads it; TPV {newer} does not, because of {count} errors"))
            .help(format!(
                "write `tpv = \"{older}\"` in `tpvc.toml`, or give `--tpv {older}`; `--tpv {newer}` shows all errors"
            )),
    );
}

/// The texts, each with the files of rules after it that are texts in the values of Galaxy's Helm chart.
fn with_parts<'a>(
    texts: Vec<(SourceId, Option<&'a ConfigValue>)>,
    sources: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Vec<(SourceId, Option<&'a ConfigValue>)> {
    let mut all = Vec::with_capacity(texts.len());
    for (id, root) in texts {
        all.push((id, root));
        let parts = if root.is_none() { job_conf::parts_of_helm(sources, id, problems) } else { Vec::new() };
        all.extend(parts.into_iter().filter_map(|range| Some((sources.add_part(id, range)?, None))));
    }
    all
}

/// Reads texts as YAML, but for those that come with their value. No text depends on another, so several are read at once.
fn read_documents(
    sources: &SourceMap,
    texts: &[(SourceId, Option<&ConfigValue>)],
    problems: &mut Diagnostics,
) -> Vec<(SourceId, Rest)> {
    let read = parallel::map(texts, |(id, root)| {
        let mut problems = Diagnostics::new();
        let rest = match root {
            Some(root) => {
                let document = tpv_yaml::Document { root: (*root).clone(), comments: Vec::new() };
                Rest { document: Some(document), lost: Vec::new() }
            }
            None => load_rest(sources, *id, &mut problems),
        };
        (*id, rest, problems)
    });
    let documents = read.into_iter().map(|(id, document, found)| {
        problems.extend(found);
        (id, document)
    });
    documents.collect()
}

/// The message about a config that cannot be read.
pub fn unreadable(name: &str, error: &SourceError, sources: &mut SourceMap) -> Diagnostic {
    if let SourceError::NotUtf8 { byte, line, excerpt, at } = error {
        let id = sources.add_excerpt(name, excerpt, *line);
        let mark = char::REPLACEMENT_CHARACTER.len_utf8();
        return Diagnostic::error(format!("`{name}` is not UTF-8 text"))
            .at(Span::new(id, *at, at + mark), format!("the byte 0x{byte:02X} isn't part of a character"))
            .help(error.help());
    }
    if let SourceError::Template(id, unfilled) = error {
        let mut problem = Diagnostic::error(unfilled.message.as_str()).help(unfilled.help.as_str());
        problem.notes.clone_from(&unfilled.notes);
        return match &unfilled.at {
            Some(at) => problem.at(Span::new(*id, at.start, at.end), ""),
            None => problem.note(format!("`{name}` asks for it")),
        };
    }
    let what = if tpv_text::source::is_url(name) { "fetch" } else { "read" };
    let problem = Diagnostic::error(format!("cannot {what} `{}`: {error}", tpv_text::source::redacted(name)))
        .unread(name)
        .help(error.help());
    match error {
        SourceError::File(found) if found.kind() == std::io::ErrorKind::NotFound => {
            problem.raises("FileNotFoundError", format!("No such file or directory: '{name}'"))
        }
        _ => problem,
    }
}

/// Merges texts that are read already, in this order, for a version of TPV.
pub fn load_sources(version: Version, sources: &SourceMap, ids: &[SourceId], problems: &mut Diagnostics) -> Config {
    let texts: Vec<_> = ids.iter().map(|id| (*id, None)).collect();
    let documents = read_documents(sources, &texts, problems);
    merge_documents(version, sources, documents, Holes::default(), problems).0
}

/// Merges what could be read. Returns the config, and `true` if it has what only TPV before 3.0 takes.
fn merge_documents(
    version: Version,
    sources: &SourceMap,
    texts: Vec<(SourceId, Rest)>,
    mut holes: Holes,
    problems: &mut Diagnostics,
) -> (Config, bool) {
    let (mut comments, mut files) = (Vec::with_capacity(texts.len()), Vec::with_capacity(texts.len()));
    let mut validator = Validator::new(version, problems);
    for (id, Rest { document, lost }) in texts {
        lost.into_iter().for_each(|span| holes.add(span, sources));
        let Some(document) = document else {
            comments.push(Vec::new());
            continue;
        };
        comments.push(document.comments);
        // A file whose only entities are left out is not empty.
        let is_left = !document.root.is_null() || holes.is_empty();
        let name = sources.get(id).map_or("", |source| &source.name);
        if let Some(configs) = job_conf::inline(&document.root) {
            files.extend(configs.into_iter().map(|config| (id, validator.file(config, name))));
            continue;
        }
        files.extend(is_left.then(|| (id, validator.file(document.root, name))));
    }
    let is_old = validator.is_old;
    let (checks, lost) = (std::mem::take(&mut validator.checks), std::mem::take(&mut validator.lost));
    lost.into_iter().for_each(|span| holes.add(span, sources));
    let mut merger = Merger::new(version, &holes, problems);
    merger.merge(files.iter().map(|(_, file)| file.clone()).collect());
    let FileConfig { global, sections: [tools, users, roles, destinations, pools], extras } = merger.config;
    let older = None;
    let config = Config {
        version,
        global,
        tools,
        users,
        roles,
        destinations,
        pools,
        extras,
        checks,
        comments,
        files,
        holes,
        older,
        patterns: Patterns::default(),
    };
    (config, is_old)
}
