//! The names that exist natively, for checks of code before any job runs.
//!
//! The [`Inventory`] keeps no table of its own. It holds a Python machine in the mapper's surroundings and an object of every
//! class that code meets, and looks names up in them as running code does. So what it says cannot differ from what happens.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::artifact::Rules;
use crate::artifact::tables::{GlobalRow, Tables};
use tpv_bytecode::{CodeKind, ProgramData};
use tpv_galaxy::job::Job;
use tpv_galaxy::modules::outside::Outside;
use tpv_galaxy::objects::JobObjects;
use tpv_galaxy::query::columns;
use tpv_model::{EntityClass, TagType, Version};
use tpv_python::args::Args;
use tpv_python::exception::NOT_IMPLEMENTED_ERROR;
use tpv_python::library;
use tpv_python::modules::json;
use tpv_python::string::Str;
use tpv_python::value::Value;

use super::entity::Entity;
use super::modules::MODULES;
use super::objects::{EntityObject, TagObject};
use super::worker::Worker;
use super::{Compile, Hooks};

/// A key that no class of Galaxy has: objects that have it take their attributes from the job file.
const FURTHER: &str = "a_further_key";

/// The job whose objects are looked at. Each of its parts has one of what it can hold, and a key beyond the job file's own.
const JOB: &str = r#"{
    "tool": {"id": "tool", "dynamic_tool_uuid": "u", "resource_requirements": {"cores_min": 1}, "a_further_key": 1},
    "user": {"id": 1, "email": "u@x", "roles": ["role"], "a_further_key": 1},
    "job": {"parameters": {"p": "1"}, "history": {"id": 1, "name": "h", "tags": ["t"], "a_further_key": 1},
        "input_datasets": [{"name": "i", "id": 1, "size": 1, "extension": "txt", "a_further_key": 1}],
        "param_values": {"c": {"src": "hdca", "ids": [1]}}, "destination_params": {}, "a_further_key": 1},
    "job_wrapper": {}
}"#;

/// The origin of an object of a class.
enum Origin {
    /// Calling a builtin class.
    Builtin,
    /// A module.
    Module(&'static str),
    /// A name that the mapper gives to code.
    Mapper(&'static str),
    /// Code.
    Code(&'static str),
}

/// The way from there to the object.
enum Step {
    /// `.name`
    Attribute(&'static str),
    /// `[0]`
    First,
    /// `['name']`
    Key(&'static str),
    /// A call with these texts.
    Call(&'static [&'static str]),
}

use Origin::{Builtin, Code, Mapper, Module};
use Step::{Attribute, Call, First, Key};

/// The classes that can be asked for, each with the way to one of its objects.
///
/// Classes of modules go by their dotted names, those of Galaxy by the names that they show, of which there is one each.
const CLASSES: &[(&str, Origin, &[Step])] = &[
    ("str", Builtin, &[]),
    ("int", Builtin, &[]),
    ("float", Builtin, &[]),
    ("bool", Builtin, &[]),
    ("list", Builtin, &[]),
    ("dict", Builtin, &[]),
    ("tuple", Builtin, &[]),
    ("set", Builtin, &[]),
    ("frozenset", Builtin, &[]),
    ("bytes", Builtin, &[]),
    ("BaseException", Builtin, &[]),
    ("function", Code("lambda: None"), &[]),
    ("method", Code("''.join"), &[]),
    ("generator", Code("(x for x in ())"), &[]),
    ("object", Builtin, &[]),
    ("type", Code("object"), &[]),
    ("re.Pattern", Module("re"), &[Attribute("compile"), Call(&["a"])]),
    ("re.Match", Module("re"), &[Attribute("match"), Call(&["a", "a"])]),
    ("datetime.date", Module("datetime"), &[Attribute("date"), Attribute("min")]),
    ("datetime.datetime", Module("datetime"), &[Attribute("datetime"), Attribute("min")]),
    ("datetime.timedelta", Module("datetime"), &[Attribute("timedelta"), Call(&[])]),
    ("functools._lru_cache_wrapper", Code("import functools\nfunctools.cache(len)"), &[]),
    ("logging.Logger", Module("logging"), &[Attribute("getLogger"), Call(&[])]),
    ("packaging.version.Version", Module("packaging.version"), &[Attribute("parse"), Call(&["1"])]),
    ("App", Mapper("app"), &[]),
    ("Model", Mapper("app"), &[Attribute("model")]),
    ("Session", Mapper("app"), &[Attribute("model"), Attribute("context")]),
    ("Tool", Mapper("tool"), &[]),
    ("DynamicTool", Mapper("tool"), &[Attribute("dynamic_tool")]),
    ("ResourceRequirement", Mapper("tool"), &[Attribute("resource_requirements"), First]),
    ("User", Mapper("user"), &[]),
    ("Role", Mapper("user"), &[Attribute("roles"), First]),
    // What Galaxy calls so has the role itself under `role`.
    ("UserRoleAssociation", Mapper("user"), &[Attribute("roles"), First]),
    ("Job", Mapper("job"), &[]),
    ("JobParameter", Mapper("job"), &[Attribute("parameters"), First]),
    ("JobToInputDatasetAssociation", Mapper("job"), &[Attribute("input_datasets"), First]),
    ("HistoryDatasetAssociation", Mapper("job"), &[Attribute("input_datasets"), First, Attribute("dataset")]),
    ("Dataset", Mapper("job"), &[Attribute("input_datasets"), First, Attribute("dataset"), Attribute("dataset")]),
    ("HistoryDatasetCollectionAssociation", Mapper("job"), &[Attribute("param_values"), Key("c")]),
    ("History", Mapper("job"), &[Attribute("history")]),
    ("HistoryTagAssociation", Mapper("job"), &[Attribute("history"), Attribute("tags"), First]),
    ("JobWrapper", Mapper("job_wrapper"), &[]),
    ("Mapper", Mapper("mapper"), &[]),
    ("Entity", Mapper("entity"), &[]),
    ("Destination", Mapper("destination"), &[]),
    ("SchedulingTags", Mapper("entity"), &[Attribute("tpv_tags")]),
    ("Tag", Mapper("tag"), &[]),
    ("RuleHelper", Module("galaxy.jobs.rule_helper"), &[Attribute("RuleHelper"), Call(&[""])]),
];

/// The names that exist natively. Cheap to create; caches its answers.
pub struct Inventory {
    worker: Worker,
    objects: JobObjects,
    /// The objects by class, each made when it is first asked for.
    samples: HashMap<&'static str, Option<Value>>,
    /// The answers so far, by class or path and name.
    answers: HashMap<(String, String), Option<bool>>,
}

impl Inventory {
    /// The inventory of this build; `compile` is the compiler, as in [`Hooks`]. `None` only where empty rules or [`JOB`] cannot be
    /// loaded, which the tests rule out.
    pub fn new(compile: Compile, version: Version) -> Option<Self> {
        let global = GlobalRow { version, ..GlobalRow::default() };
        let rules = Rules::new(Tables { global, ..Tables::default() }, ProgramData::default()).ok()?;
        let job = Arc::new(Job::parse(JOB).ok()?);
        let worker = Worker::new(Arc::new(rules), None, &Hooks { compile: Some(compile), ..Hooks::default() });
        Some(Self { worker, objects: JobObjects::new(&job), samples: HashMap::new(), answers: HashMap::new() })
    }

    /// The classes whose attributes can be asked for.
    pub fn classes() -> impl Iterator<Item = &'static str> {
        CLASSES.iter().map(|(class, ..)| *class)
    }

    /// Returns `Some(true)` if objects of a class have an attribute or method of that name; `None` for classes that are
    /// not in [`Inventory::classes`].
    pub fn has(&mut self, class: &str, name: &str) -> Option<bool> {
        let key = (class.to_owned(), name.to_owned());
        if let Some(answer) = self.answers.get(&key) {
            return *answer;
        }
        let answer = self.sample(class).map(|sample| self.finds(&sample, name));
        self.answers.insert(key, answer);
        answer
    }

    /// Returns `true` if the job file may give objects of this class attributes of any name.
    pub fn is_open(&mut self, class: &str) -> bool {
        self.has(class, FURTHER).unwrap_or(false)
    }

    /// Returns `true` if a module can be imported.
    pub fn has_module(&mut self, module: &str) -> bool {
        self.module(module).is_some()
    }

    /// Returns `true` if an import reaches outside: calling it raises `HostUnavailable`. Without names, the whole
    /// module is meant.
    pub fn reaches_outside(module: &str, names: &[String]) -> bool {
        Outside::named(module).is_some_and(|outside| outside.reaches(names))
    }

    /// Returns `true` if a function of a module raises `NotImplementedError` for an argument of this name, which
    /// CPython accepts.
    pub fn is_left_out_option(module: &str, function: &str, option: &str) -> bool {
        match (module, function) {
            ("datetime", "datetime") => option == "fold",
            ("random", "seed") => option == "version",
            ("json", "load" | "loads") => json::LEFT_OUT_OF_LOADS.contains(&option),
            ("json", "dumps") => json::LEFT_OUT_OF_DUMPS.contains(&option),
            _ => false,
        }
    }

    /// Returns `true` if the job table has a column of this name that the world does not know: asking for it raises
    /// `HostUnavailable`.
    pub fn is_unknown_column(name: &str) -> bool {
        columns::is_unknown(name)
    }

    /// Returns `Some(true)` if the object at a path has an attribute of that name. A path is a module, an object that
    /// the mapper gives to code, a builtin or a global of TPV's loader, followed by attributes (`["datetime",
    /// "datetime"]`). `None` if the path leads nowhere.
    pub fn has_at(&mut self, path: &[&str], name: &str) -> Option<bool> {
        // The path of a class is another thing than its objects.
        let key = (format!(":{}", path.join(":")), name.to_owned());
        if let Some(answer) = self.answers.get(&key) {
            return *answer;
        }
        let answer = self.at(path).map(|value| self.finds(&value, name));
        self.answers.insert(key, answer);
        answer
    }

    /// Returns `true` if the object at a path is a class.
    pub fn is_class(&mut self, path: &[&str]) -> bool {
        matches!(self.at(path), Some(Value::Type(_)))
    }

    /// Returns `true` if the object at a path is a class that has parameters in annotations: `list[int]`.
    pub fn is_generic(&mut self, path: &[&str]) -> bool {
        matches!(self.at(path), Some(Value::Type(class)) if class.generic)
    }

    /// Returns `true` if a name has a meaning that no context and no code sets: a builtin, or a global of TPV's loader.
    pub fn has_name(&mut self, name: &str) -> bool {
        self.worker.vm.renew();
        matches!(self.worker.vm.outer_name(name), Ok(Some(_)) | Err(_))
    }

    /// Returns `true` if any object has an attribute of that name: of the classes of [`Inventory::classes`], a class,
    /// or a module.
    pub fn has_anywhere(&mut self, name: &str) -> bool {
        Self::classes().any(|class| self.has(class, name) == Some(true))
            || self.has_at(&["int"], name) == Some(true)
            || self.has_at(&["math"], name) == Some(true)
    }

    fn finds(&mut self, value: &Value, name: &str) -> bool {
        self.worker.vm.renew();
        match self.worker.vm.find_attr(value, name) {
            Ok(found) => found.is_some(),
            // An attribute whose value cannot be had here is there nevertheless, but for those that tpvc does not show.
            Err(raised) => !raised.is(&NOT_IMPLEMENTED_ERROR),
        }
    }

    fn module(&mut self, name: &str) -> Option<Value> {
        self.worker.vm.renew();
        self.worker.vm.import(name, true).ok()
    }

    fn at(&mut self, path: &[&str]) -> Option<Value> {
        let (first, names) = path.split_first()?;
        let mut value = match self.module(first) {
            Some(module) => module,
            None => match self.given(first) {
                Some(given) => given,
                None => self.worker.vm.outer_name(first).ok().flatten()?,
            },
        };
        for name in names {
            value = self.worker.vm.find_attr(&value, name).ok().flatten()?;
        }
        Some(value)
    }

    fn sample(&mut self, class: &str) -> Option<Value> {
        if let Some(sample) = self.samples.get(class) {
            return sample.clone();
        }
        let (class, origin, steps) = CLASSES.iter().find(|(known, ..)| *known == class)?;
        let sample = self.make(class, origin, steps);
        self.samples.insert(class, sample.clone());
        sample
    }

    fn make(&mut self, class: &str, origin: &Origin, steps: &[Step]) -> Option<Value> {
        let mut value = match origin {
            Builtin => {
                let class = library::builtin(class)?;
                self.worker.vm.call(&class, Args::none()).ok()?
            }
            Module(name) => self.module(name)?,
            Mapper(name) => self.given(name)?,
            Code(source) => {
                let program = self.worker.vm.compile(source, CodeKind::Block).ok()?;
                self.worker.vm.run(&program, 0).ok()?
            }
        };
        let vm = &mut self.worker.vm;
        vm.renew();
        for step in steps {
            let next = match step {
                Attribute(name) => vm.get_attr(&value, name),
                First => vm.get_item(&value, &Value::Int(0)),
                Key(name) => vm.get_item(&value, &Value::str(*name)),
                Call(texts) => vm.call(&value, Args::positional(texts.iter().map(|text| Value::str(*text)))),
            };
            value = next.ok()?;
        }
        Some(value)
    }

    /// The object that the mapper gives to code under a name.
    fn given(&self, name: &str) -> Option<Value> {
        let entity = |class| EntityObject::value(&self.worker.names, Rc::new(Entity::new(class, "entity")));
        Some(match name {
            "app" => self.worker.environment.app(false),
            "tool" => self.objects.tool.clone(),
            "user" => self.objects.user.clone(),
            "job" => self.objects.job.clone(),
            "job_wrapper" => self.objects.job_wrapper.clone(),
            "mapper" => self.worker.mapper.clone(),
            "entity" => entity(EntityClass::Tool),
            "destination" => entity(EntityClass::Destination),
            "tag" => TagObject::value(Str::from("tag"), TagType::Require),
            _ => return None,
        })
    }
}

/// The names of all modules that can be imported, but for the packages that only hold others.
pub fn module_names() -> impl Iterator<Item = &'static str> {
    MODULES.iter().map(|module| module.name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

    use super::*;

    /// An inventory without a compiler.
    fn inventory() -> Inventory {
        Inventory::new(Arc::new(|_, _| Err(("SyntaxError".to_owned(), String::new()))), Version::default()).unwrap()
    }

    #[test]
    fn every_class_has_an_object_of_its_name() {
        let mut inventory = inventory();
        let is_made = |(_, origin, _): &&(&str, Origin, &[Step])| !matches!(origin, Code(_));
        for (class, ..) in CLASSES.iter().filter(is_made) {
            let class = *class;
            let sample = inventory.sample(class).unwrap_or_else(|| panic!("no object of `{class}`"));
            let name = sample.type_name().to_string();
            let expected = match class {
                // The class is the one of TPV's that the entity is of.
                "Entity" => "Tool",
                "UserRoleAssociation" => "Role",
                // Galaxy makes its loggers of a class of its own.
                "logging.Logger" => "GalaxyLogger",
                "Mapper" => "EntityToDestinationMapper",
                other => other.rsplit('.').next().unwrap(),
            };
            assert_eq!(name.rsplit('.').next().unwrap(), expected);
        }
    }

    #[test]
    fn names_are_found_as_running_code_finds_them() {
        let mut inventory = inventory();
        assert_eq!(inventory.has("str", "startswith"), Some(true));
        assert_eq!(inventory.has("str", "startwith"), Some(false));
        assert_eq!(inventory.has("int", "real"), Some(true));
        assert_eq!(inventory.has("Entity", "cores"), Some(true));
        assert_eq!(inventory.has("Entity", "max_accepted_cores"), Some(false));
        assert_eq!(inventory.has("Destination", "max_accepted_cores"), Some(true));
        assert_eq!(inventory.has("nothing", "x"), None);
        assert!(inventory.has_module("galaxy.jobs.mapper") && !inventory.has_module("decimal"));
        assert_eq!(inventory.has_at(&["math"], "sqrt"), Some(true));
        assert_eq!(inventory.has_at(&["datetime", "datetime"], "now"), Some(true));
        assert_eq!(inventory.has_at(&["datetime", "datetime"], "never"), Some(false));
        assert_eq!(inventory.has_at(&["datetime", "nothing"], "now"), None);
        assert!(inventory.has_name("len") && inventory.has_name("log") && !inventory.has_name("memoryview"));
        assert!(Inventory::is_unknown_column("create_time") && !Inventory::is_unknown_column("state"));
        assert!(inventory.has_anywhere("__name__") && !inventory.has_anywhere("tb_lineno"));
    }
}
