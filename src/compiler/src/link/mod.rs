//! Entities and code to the artifact's tables: strings and tags interned, every code text compiled once, patterns in one
//! automaton, TPV's defaults for destinations folded in.

mod blocks;
mod code;
mod cpython;
mod destinations;
mod entities;
mod pools;
mod shared;
mod values;

pub use blocks::{CpythonBlock, blocks_at, cpython_blocks, paths_near};
pub(crate) use code::python_3_12;
pub(crate) use cpython::{Need, mark_for_cpython};
pub use destinations::destination_defaults;
pub use pools::lacks_store;

use std::collections::HashMap;
use std::sync::Arc;

use tpv_bytecode::ProgramData;
use tpv_runtime::artifact::site::Site;
use tpv_runtime::artifact::tables::{EntityTable, GlobalRow, StringId, Tables};
use tpv_runtime::patterns::PatternSet;

use tpv_config::Config;
use tpv_config::entity::Rule;
use tpv_config::origin::TextOrigin;
use tpv_config::validate::Section;
use tpv_front::program::{ProgramBuilder, Trees};
use tpv_front::stack::on_roomy_thread;
use tpv_model::EntityClass;
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::parallel;
use tpv_text::source::{SourceMap, Span};
use tpv_yaml::value::Text;

use shared::Shared;
use tpv_text::code::Code;

/// Links a config. What cannot be compiled is reported in `diagnostics`; the tables are whole only where none of that is
/// an error. `strict` makes errors of the warnings about code that cannot run. The trees are those of the code that compiled.
pub fn link(
    config: &Config,
    sources: &SourceMap,
    strict: bool,
    diagnostics: &mut Diagnostics,
) -> (Tables, ProgramData, Trees) {
    let link = || {
        // Building a section's patterns does not depend on its rows.
        let build = || EntityClass::MATCHED.map(|class| config.matcher(class).is_some());
        let (mut linker, _) = parallel::both(|| link_rows(config, Linker::new(sources, strict)), build);
        linker.set_patterns(config);
        linker
    };
    on_roomy_thread(link).unwrap_or_else(link).finish(diagnostics)
}

/// Everything but the patterns of the entities' ids, which do not depend on it.
fn link_rows<'a>(config: &Config, mut linker: Linker<'a>) -> Linker<'a> {
    linker.reserve(config);
    linker.check_loaded_code(config);
    linker.tables.sources = linker.sources.iter().map(|(_, source)| linker.strings.id(&source.name)).collect();
    let default = config.global.default_inherits.as_ref().map(Text::as_str).filter(|id| !id.is_empty());
    linker.tables.global = GlobalRow {
        version: config.version,
        default_inherits: default.map(|id| linker.strings.id(id)),
        context: linker.dict(&config.global.context),
        resource_pool_store: config.global.resource_pool_store.as_ref().map(|store| linker.store(store)),
    };
    linker.tables.tools = linker.table(&config.tools, default);
    linker.tables.roles = linker.table(&config.roles, default);
    linker.tables.users = linker.table(&config.users, default);
    linker.tables.destinations = linker.destinations(config, default);
    linker.tables.configured_destinations = config.destinations.values().map(|entity| linker.entity(entity)).collect();
    linker.check_pools(config);
    linker.tables.pools = config.pools.values().map(|pool| linker.entity(pool)).collect();
    linker
}

/// The most rows for which room is made at once: more rules than any config has, unless most are inherited.
const MOST_RESERVED: usize = 1 << 20;

/// Strings, each once.
#[derive(Default)]
struct Strings {
    ids: HashMap<Arc<str>, StringId>,
    list: Vec<Arc<str>>,
}

impl Strings {
    fn id(&mut self, text: &str) -> StringId {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = StringId::try_from(self.list.len()).unwrap_or(StringId::MAX);
        let text: Arc<str> = text.into();
        self.list.push(text.clone());
        self.ids.insert(text, id);
        id
    }
}

/// The tables under construction.
struct Linker<'a> {
    sources: &'a SourceMap,
    diagnostics: Diagnostics,
    strict: bool,
    tables: Tables,
    strings: Strings,
    tags: HashMap<Arc<str>, u32>,
    sites: HashMap<Span, u32>,
    /// The rows of rules: entities share the rules that they inherit.
    rules: HashMap<Shared<Rule>, u32>,
    program: ProgramBuilder,
    /// The texts whose problems have been reported, so that an inherited one is reported once.
    reported: HashMap<Span, ()>,
}

impl<'a> Linker<'a> {
    fn new(sources: &'a SourceMap, strict: bool) -> Self {
        Self {
            sources,
            diagnostics: Diagnostics::new(),
            strict,
            tables: Tables::default(),
            strings: Strings::default(),
            tags: HashMap::new(),
            sites: HashMap::new(),
            rules: HashMap::new(),
            program: ProgramBuilder::new(),
            reported: HashMap::new(),
        }
    }

    /// Reserves memory, so that the tables of large configs are not copied as they grow. Rules that entities inherit
    /// from one another are counted for each; memory that is not used is not touched.
    fn reserve(&mut self, config: &Config) {
        let entities = || EntityClass::SECTIONS.into_iter().flat_map(|kind| config.section(kind).values());
        let rules: usize = entities().map(|entity| entity.rules.len()).sum();
        self.tables.rules.reserve(rules.min(MOST_RESERVED));
        let sites = entities().count() + rules + config.checks.len();
        self.sites.reserve(sites.min(MOST_RESERVED));
        self.tables.sites.reserve(sites.min(MOST_RESERVED));
    }

    /// The entities of a section, without the patterns of their ids.
    fn table(&mut self, section: &Section, default: Option<&str>) -> EntityTable {
        let default = default.and_then(|id| section.get_index_of(id));
        EntityTable {
            rows: section.values().map(|entity| self.entity(entity)).collect(),
            patterns: Arc::default(),
            default: default.and_then(|index| u32::try_from(index).ok()),
        }
    }

    /// Sets the patterns, and warns of ids that are not valid patterns.
    fn set_patterns(&mut self, config: &Config) {
        for class in EntityClass::MATCHED {
            let Some(matcher) = config.matcher(class) else { continue };
            self.check_patterns(config.section(class), matcher.set());
            let table = match class {
                EntityClass::Role => &mut self.tables.roles,
                EntityClass::User => &mut self.tables.users,
                _ => &mut self.tables.tools,
            };
            table.patterns = matcher.set().clone();
        }
    }

    fn check_patterns(&mut self, section: &Section, patterns: &PatternSet) {
        for invalid in patterns.invalid() {
            let Some((_, entity)) = section.get_index(invalid.index) else { continue };
            let message = invalid.message;
            let noun = entity.class.noun();
            self.warn(
                Diagnostic::warning(format!("the id of {noun} `{}` is not a valid pattern: {message}", entity.id))
                    .code(Code::InvalidPattern)
                    .at(entity.span, message.to_owned())
                    .note(format!(
                        "every {noun} is looked up by trying all patterns, so every job that comes this far fails with `error`"
                    ))
                    .help("write a regular expression; escape characters such as `+`, `*` and `(` with a backslash"),
            );
        }
    }

    /// A warning about code that cannot run: with `--strict` an error.
    fn warn(&mut self, mut diagnostic: Diagnostic) {
        if self.strict {
            diagnostic.severity = tpv_text::diagnostic::Severity::Error;
        }
        self.diagnostics.push(diagnostic);
    }

    /// The site of a text.
    fn site(&mut self, text: &Text) -> u32 {
        let sources = self.sources;
        self.site_at(text.span, || TextOrigin::new(text, sources).site())
    }

    /// The site of a place that holds no text, such as an entity's key.
    fn site_of(&mut self, span: Span) -> u32 {
        let place = self.sources.place(span);
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let (line, column) = (number(place.line), number(place.column));
        self.site_at(span, || Site { source: span.source.0, line, column, pieces: Vec::new() })
    }

    fn site_at(&mut self, span: Span, make: impl FnOnce() -> Site) -> u32 {
        *self.sites.entry(span).or_insert_with(|| {
            let site = u32::try_from(self.tables.sites.len()).unwrap_or(u32::MAX);
            self.tables.sites.push(make());
            site
        })
    }

    /// The number of a tag.
    fn tag(&mut self, tag: &Text) -> u32 {
        if let Some(number) = self.tags.get(&tag.value) {
            return *number;
        }
        let number = u32::try_from(self.tables.tags.len()).unwrap_or(u32::MAX);
        let name = self.strings.id(tag.as_str());
        self.tables.tags.push(name);
        self.tags.insert(tag.value.clone(), number);
        number
    }

    fn finish(mut self, diagnostics: &mut Diagnostics) -> (Tables, ProgramData, Trees) {
        diagnostics.extend(self.diagnostics);
        self.tables.strings = self.strings.list.iter().map(|text| text.to_string()).collect();
        let (program, trees) = self.program.finish_with_trees();
        (self.tables, program, trees)
    }
}
