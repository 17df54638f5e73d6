//! YAML to test cases. Every problem of a file is told, each with its place.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use tpv_galaxy::job::Job;
use tpv_galaxy::json::{Json, Reader, write_text};
use tpv_galaxy::shape::Object;
use tpv_galaxy::shape::world::WORLD;
use tpv_galaxy::world::World;

use super::expect::Expectation;
use super::fields::{Fields, fields, items, json_of};
use super::keys::{EXPECT, FILE, JOB, Kind, ROW, TEST};
use super::property::Property;
use super::{Case, TestFile, attempts, job};
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::source::{Limits, SourceId, SourceMap, Span, is_url};
use tpv_yaml::value::{ConfigValue, ValueKind};

/// The defaults for a test file.
#[derive(Clone, Debug, Default)]
pub struct Defaults {
    /// The config files.
    pub config: Vec<String>,
    /// The world file.
    pub world: Option<PathBuf>,
    /// The time of worlds that do not tell it, in microseconds since 1970 UTC.
    pub now: i64,
}

/// The largest world file that is read, in bytes.
const LARGEST_WORLD: u64 = 256 << 20;

/// Reads a test file that is among the sources. Nothing where it has a problem, which is added to `problems`.
pub fn read(
    sources: &mut SourceMap,
    id: SourceId,
    defaults: &Defaults,
    problems: &mut Diagnostics,
) -> Option<TestFile> {
    let before = problems.errors();
    let document = tpv_yaml::load(sources, id, problems)?;
    let name = sources.get(id).map(|source| source.name.clone()).unwrap_or_default();
    let folder = Path::new(&*name).parent().map(Path::to_owned).unwrap_or_default();
    if let Some(map) = document.root.as_map()
        && map.get("tests").is_none()
        && map.get("properties").is_none()
        && let Some(entry) = ["tools", "destinations"].iter().find_map(|section| map.entry(section))
    {
        problems.push(
            Diagnostic::error(format!("`{name}` is a TPV config, not a test file"))
                .at(entry.key.span, "")
                .help("a test file has `tests`; name the config in it with `config`, or with `--config`"),
        );
        return None;
    }
    let root = fields(&document.root, &FILE, "a test file", problems)?;
    let mut reading = FileReader { sources, problems, folder, defaults };
    let config = root.get("config").map_or_else(|| defaults.config.clone(), |value| reading.config(value));
    let world = match root.get("world") {
        Some(value) => reading.world(value),
        None => reading.default_world(),
    };
    let shared = root.get("defaults").and_then(|value| fields(value, &JOB, "the defaults of jobs", reading.problems));
    let (mut cases, mut properties) = (Vec::new(), Vec::new());
    let file = FileContext { world: world.unwrap_or_default(), defaults: shared.unwrap_or_default() };
    for test in root.get("tests").into_iter().flat_map(items) {
        reading.test(test, &file, &mut cases);
    }
    for property in root.get("properties").into_iter().flat_map(items) {
        properties.extend(Property::read(property, &file.world.world, reading.problems));
    }
    if root.get("tests").is_none() && root.get("properties").is_none() {
        reading.problems.push(
            Diagnostic::error("the file has no tests")
                .at(document.root.span, "")
                .help("write `tests:`, and below it `- job: {tool: ...}` with `expect: {destination: ...}`"),
        );
    }
    if config.is_empty() && root.get("config").is_none() {
        reading.problems.push(
            Diagnostic::error(format!("`{name}` names no config"))
                .at(document.root.span, "")
                .help("write `config: [rules.yml]` at its top, or give `--config CONFIG`"),
        );
    }
    (problems.errors() == before).then_some(TestFile { name: name.to_string(), source: id, config, cases, properties })
}

/// The data shared by all cases of a file.
struct FileContext<'v> {
    world: WorldOf,
    defaults: Fields<'v>,
}

/// A world, and its JSON, to which cases add.
#[derive(Clone, Default)]
struct WorldOf {
    world: Arc<World>,
    json: Option<Json>,
}

struct FileReader<'r> {
    sources: &'r mut SourceMap,
    problems: &'r mut Diagnostics,
    folder: PathBuf,
    defaults: &'r Defaults,
}

impl FileReader<'_> {
    /// A path of the file, which is relative to its folder.
    fn beside(&self, path: &str) -> String {
        if is_url(path) || Path::new(path).is_absolute() {
            return path.to_owned();
        }
        without_detours(&self.folder.join(path)).display().to_string()
    }

    fn config(&mut self, value: &ConfigValue) -> Vec<String> {
        let mut names = Vec::new();
        for item in if value.as_str().is_some() { std::slice::from_ref(value) } else { items(value) } {
            match item.as_str() {
                Some(name) => names.push(self.beside(name)),
                None => self.problems.push(wrong_kind("an item of `config`", &[Kind::Text], item)),
            }
        }
        if names.is_empty() {
            let problem = Diagnostic::error("`config` names no file").at(value.span, "");
            self.problems.push(problem.help("write `config: [rules.yml]`"));
        }
        names
    }

    fn default_world(&mut self) -> Option<WorldOf> {
        match &self.defaults.world {
            Some(path) => self.world_file(&path.display().to_string(), None),
            None => Some(WorldOf { world: Arc::new(self.at_this_moment(World::default())), json: None }),
        }
    }

    fn at_this_moment(&self, mut world: World) -> World {
        world.now.get_or_insert(self.defaults.now);
        world
    }

    fn world(&mut self, value: &ConfigValue) -> Option<WorldOf> {
        match value.as_str() {
            Some(path) => self.world_file(&self.beside(path), Some(value.span)),
            None => self.world_of(json_of(value), value.span),
        }
    }

    fn world_file(&mut self, path: &str, at: Option<Span>) -> Option<WorldOf> {
        let place = |problem: Diagnostic| match at {
            Some(span) => problem.at(span, ""),
            None => problem,
        };
        let limits = Limits { bytes: LARGEST_WORLD, ..Limits::default() };
        let id = match self.sources.load(path, &limits) {
            Ok(id) => id,
            Err(error) => {
                let message = format!("the world `{path}` cannot be read: {error}");
                self.problems.push(place(Diagnostic::error(message).help("write the path of a world file")));
                return None;
            }
        };
        let text = self.sources.get(id).map(|source| source.text.clone()).unwrap_or_default();
        match World::parse(&text) {
            Ok(world) => {
                let json = Json::read(&mut Reader::new(&text)).ok();
                Some(WorldOf { world: Arc::new(self.at_this_moment(world)), json })
            }
            Err(error) => {
                self.problems.push(place(not_a_world(&format!("`{path}` is not a world: {error}"))));
                None
            }
        }
    }

    fn world_of(&mut self, json: Json, at: Span) -> Option<WorldOf> {
        if let Json::Object(items) = &json {
            for (key, _) in items {
                if WORLD.field(key).is_none() {
                    let problem = Diagnostic::error(format!("a world has no `{key}`")).at(at, "");
                    let near = tpv_text::suggest::closest(key, WORLD.names());
                    let help =
                        near.map_or_else(|| not_a_world("").help.unwrap_or_default(), tpv_text::suggest::did_you_mean);
                    self.problems.push(problem.help(help));
                    return None;
                }
            }
        }
        let mut text = String::new();
        write_text(&mut text, &json);
        match World::parse(&text) {
            Ok(world) => Some(WorldOf { world: Arc::new(self.at_this_moment(world)), json: Some(json) }),
            Err(error) => {
                // The line and column are those of the JSON, which nobody has seen.
                let error = error.to_string();
                let message = error.split_once(": ").map_or(&*error, |(_, message)| message);
                self.problems.push(not_a_world(&format!("this is not a world: {message}")).at(at, ""));
                None
            }
        }
    }

    fn test(&mut self, value: &ConfigValue, file: &FileContext<'_>, cases: &mut Vec<Case>) {
        let Some(test) = fields(value, &TEST, "a test", self.problems) else { return };
        let Some(job) =
            test.get("job").map_or(Some(Fields::default()), |job| fields(job, &JOB, "a job", self.problems))
        else {
            return;
        };
        let job = job.over(&file.defaults);
        let world = match test.get("world") {
            None => Some(file.world.world.clone()),
            Some(own) => {
                let mut merged = file.world.json.clone().unwrap_or(Json::Object(Vec::new()));
                overlay(&mut merged, json_of(own));
                self.world_of(merged, own.span).map(|world| world.world)
            }
        };
        let Some(world) = world else { return };
        let expect = match test.get("expect") {
            None => Fields::default(),
            Some(expect) => match fields(expect, &EXPECT, "an expectation", self.problems) {
                Some(expect) => expect,
                None => return,
            },
        };
        if let Some(attempts) = test.entry("attempts")
            && let Some(other) = ["expect", "table"].iter().find_map(|name| test.entry(name))
        {
            let name = other.key.python_str();
            self.problems.push(
                Diagnostic::error(format!("`attempts` conflicts with `{name}`"))
                    .at(attempts.key.span, "")
                    .also(other.key.span, "")
                    .help("write what is expected of each attempt in `attempts`, and tables in a test of their own"),
            );
            return;
        }
        let attempts = test.get("attempts").map_or_else(Vec::new, |attempts| attempts::read(attempts, self.problems));
        let name = test.get("name").and_then(|name| name.as_text());
        let context = TestContext { world, name: name.map(|name| (name.as_str(), name.span)) };
        let Some(table) = test.get("table") else {
            let row = Row { at: value.span, job, expect, number: None, holder: value.clone(), is_row: false };
            cases.extend(self.case(&context, &row).map(|case| Case { attempts, ..case }));
            return;
        };
        if items(table).is_empty() {
            self.problems.push(
                Diagnostic::error("the table has no rows")
                    .at(table.span, "")
                    .help("write `- {input_size: 1, cores: 2}`"),
            );
        }
        for (index, value) in items(table).iter().enumerate() {
            self.row(value, index + 1, &context, &job, &expect, cases);
        }
    }

    /// A row of a table: its plain keys are fields of the job or expectations.
    fn row<'v>(
        &mut self,
        value: &'v ConfigValue,
        number: usize,
        test: &TestContext<'_>,
        job: &Fields<'v>,
        expect: &Fields<'v>,
        cases: &mut Vec<Case>,
    ) {
        // What jobs and expectations both have must say which it is.
        if let Some(entry) = value.as_map().and_then(|map| map.entry("params")) {
            self.problems.push(
                Diagnostic::error("`params` may be the job's or the destination's")
                    .at(entry.key.span, "")
                    .help("write `job: {params: {...}}` or `expect: {params: {...}}` in the row"),
            );
            return;
        }
        let Some(row) = fields(value, &ROW, "a row of a table", self.problems) else { return };
        let mut nested = |name: &str, object: &Object, what: &str| match row.get(name) {
            None => Some(Fields::default()),
            Some(value) => fields(value, object, what, self.problems),
        };
        let (Some(own_job), Some(own_expect)) =
            (nested("job", &JOB, "a job"), nested("expect", &EXPECT, "an expectation"))
        else {
            return;
        };
        let plain = |object: &Object| row.only(|name| name != "job" && object.field(name).is_some());
        let job = own_job.over(&plain(&JOB)).over(job);
        let expect = own_expect.over(&plain(&EXPECT)).over(expect);
        let name = row.get("name").and_then(|name| name.as_text()).map(|name| (name.as_str(), name.span));
        let context = TestContext { name: name.or(test.name), world: test.world.clone() };
        // A name of its own tells a row from others already.
        let number = name.is_none().then_some(number);
        let row = Row { at: value.span, job, expect, number, holder: value.clone(), is_row: true };
        cases.extend(self.case(&context, &row));
    }

    fn case(&mut self, test: &TestContext<'_>, row: &Row<'_>) -> Option<Case> {
        let name = match test.name {
            Some((name, at)) => self.name(name, at, row)?,
            None => match row.job.get("tool") {
                Some(tool) => numbered(&plain_text(tool), row.number),
                None => String::new(),
            },
        };
        let before = self.problems.errors();
        let json = job::json(&row.job, row.at, self.problems);
        let expect = Expectation::read_all(&row.expect, self.problems);
        let json = json?;
        if self.problems.errors() > before {
            return None;
        }
        let mut text = String::new();
        write_text(&mut text, &json);
        match Job::parse(&text) {
            Ok(job) => Some(Case {
                name,
                at: row.at,
                job: Arc::new(job),
                world: test.world.clone(),
                expect,
                attempts: Vec::new(),
                holder: row.holder.clone(),
                is_row: row.is_row,
            }),
            Err(error) => {
                self.problems.push(job::fault(&error.to_string(), &row.job, row.at));
                None
            }
        }
    }

    /// The name of a case, in which `{field}` stands for what the row or the job says.
    fn name(&mut self, name: &str, at: Span, row: &Row<'_>) -> Option<String> {
        let (mut out, mut rest, mut is_filled) = (String::new(), name, false);
        while let Some((before, after)) = rest.split_once('{') {
            let Some((field, after)) = after.split_once('}') else { break };
            let Some(value) = row.job.get(field).or_else(|| row.expect.get(field)) else {
                let known: Vec<&str> = row.job.names().chain(row.expect.names()).collect();
                self.problems.push(
                    Diagnostic::error(format!("there is no `{field}` to put into the name"))
                        .at(at, "")
                        .help(format!("the case has `{}`", known.join("`, `"))),
                );
                return None;
            };
            out += before;
            out += &plain_text(value);
            (rest, is_filled) = (after, true);
        }
        out += rest;
        Some(if is_filled { out } else { numbered(&out, row.number) })
    }
}

/// The path without `folder/..`, which would stand in every message, where that is the same place: not behind a link.
fn without_detours(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        let is_folder = matches!(out.components().next_back(), Some(Component::Normal(_))) && !out.is_symlink();
        match part {
            Component::ParentDir if is_folder => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

fn not_a_world(message: &str) -> Diagnostic {
    Diagnostic::error(message)
        .help("a world has `jobs`, `tool_data_tables`, `config`, `files`, `environment`, `queries` and `now`")
}

/// The data that a case takes from its test.
struct TestContext<'a> {
    world: Arc<World>,
    name: Option<(&'a str, Span)>,
}

/// The fields of one case.
struct Row<'v> {
    at: Span,
    job: Fields<'v>,
    expect: Fields<'v>,
    number: Option<usize>,
    /// The mapping in the file that is the case's own: its test, or its row.
    holder: ConfigValue,
    is_row: bool,
}

/// Sets the fields of `over` in `base`.
fn overlay(base: &mut Json, over: Json) {
    let (Json::Object(base), Json::Object(over)) = (base, over) else { return };
    for (key, value) in over {
        match base.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => base.push((key, value)),
        }
    }
}

fn numbered(name: &str, number: Option<usize>) -> String {
    number.map_or_else(|| name.to_owned(), |number| format!("{name} [{number}]"))
}

/// A value in a name.
fn plain_text(value: &ConfigValue) -> String {
    match &value.kind {
        ValueKind::Map(map) => map.get("id").map_or_else(|| "...".to_owned(), ConfigValue::python_str),
        ValueKind::Null => "null".to_owned(),
        ValueKind::List(items) => items.iter().map(plain_text).collect::<Vec<_>>().join(", "),
        _ => value.python_str(),
    }
}

/// The problem of a value that is of another kind than its place asks for.
pub fn wrong_kind(what: &str, takes: &[Kind], value: &ConfigValue) -> Diagnostic {
    let nouns: Vec<&str> = takes.iter().map(|kind| kind.noun()).collect();
    let nouns = match nouns.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => nouns.concat(),
    };
    let problem =
        Diagnostic::error(format!("{what} must be {nouns}")).at(value.span, format!("this is {}", value.describe()));
    match &value.kind {
        ValueKind::Bool(_) | ValueKind::Int(_) | ValueKind::Float(_) | ValueKind::Date(_) | ValueKind::DateTime(_)
            if takes.contains(&Kind::Text) =>
        {
            problem.help("put it in quotes")
        }
        ValueKind::Str(text) if takes.contains(&Kind::Number) && text.value.parse::<f64>().is_ok() => {
            problem.help("write it without quotes")
        }
        _ if takes == [Kind::List] => problem.help("put it in brackets: `[...]`"),
        _ => problem.help(format!("write {nouns}")),
    }
}
