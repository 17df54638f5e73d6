//! JSON Schemas (2020-12) of the files that tpvc reads and writes, made of the tables of fields that their readers go by.

pub mod capacity;
pub mod fit;
pub mod settings;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tpv_galaxy::shape::answer::ANSWER;
use tpv_galaxy::shape::job::JOB;
use tpv_galaxy::shape::world::WORLD;
use tpv_galaxy::shape::{Object, Others, Shape};

use crate::cases::keys;
use capacity::CAPACITY;
use fit::SUMMARY;
use settings::SETTINGS;
use tpv_config::fields::CONFIG;

/// A file that there is a schema of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    /// A TPV config.
    Config,
    /// A line of a job file.
    Job,
    /// A world file.
    World,
    /// A line of an answer file.
    Answer,
    /// A file of test cases.
    Test,
    /// A tpvc.toml.
    Settings,
    /// A capacity file of `tpvc simulate`.
    Capacity,
    /// A summary of `tpvc fit --privacy`.
    Fit,
}

impl File {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Config, Self::Job, Self::World, Self::Answer, Self::Test, Self::Settings, Self::Capacity, Self::Fit];

    /// The file's name in `schemas/`, without `.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Job => "job",
            Self::World => "world",
            Self::Answer => "answer",
            Self::Test => "test",
            Self::Settings => "settings",
            Self::Capacity => "capacity",
            Self::Fit => "fit",
        }
    }

    /// The file in a few words, for a list of choices.
    pub fn about(self) -> &'static str {
        match self {
            Self::Config => "A TPV config",
            Self::Job => "A line of a job file",
            Self::World => "A world file",
            Self::Answer => "A line of an answer file",
            Self::Test => "A file of test cases",
            Self::Settings => "A tpvc.toml",
            Self::Capacity => "A capacity file of `tpvc simulate`",
            Self::Fit => "A summary of `tpvc fit --privacy`",
        }
    }

    /// The file with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|file| file.name() == name)
    }

    fn title(self) -> &'static str {
        match self {
            Self::Config => "TPV config",
            Self::Job => "Job of tpvc",
            Self::World => "World of tpvc",
            Self::Answer => "Answer of tpvc",
            Self::Test => "Test cases of tpvc",
            Self::Settings => "Settings of tpvc",
            Self::Capacity => "Capacity of clusters",
            Self::Fit => "Summary of tpvc fit",
        }
    }

    /// The shape of the file.
    pub fn shape(self) -> Shape {
        match self {
            Self::Config => Shape::Object(&CONFIG),
            Self::Job => Shape::Object(&JOB),
            Self::World => Shape::Object(&WORLD),
            Self::Answer => ANSWER,
            Self::Test => Shape::Object(&keys::FILE),
            Self::Settings => Shape::Object(&SETTINGS),
            Self::Capacity => Shape::Object(&CAPACITY),
            Self::Fit => Shape::Object(&SUMMARY),
        }
    }
}

/// The URL of published schemas: the folder `schemas/` of the repository.
const PUBLISHED: &str = "https://raw.githubusercontent.com/tpvc/tpvc/main/schemas/";

/// The schema of a file. A strict one refuses the names that nothing reads, which the other takes, as the readers do.
pub fn schema(file: File, strict: bool) -> Value {
    let mut writer = Writer { strict, definitions: BTreeMap::new() };
    let mut root = match file.shape() {
        Shape::Object(object) => writer.object(object),
        shape => writer.shape(&shape),
    };
    root.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    let suffix = if strict { ".strict" } else { "" };
    root.insert("$id".into(), format!("{PUBLISHED}{}{suffix}.json", file.name()).into());
    root.insert("title".into(), file.title().into());
    let definitions: Map<String, Value> =
        writer.definitions.into_iter().map(|(name, schema)| (name.to_owned(), schema.unwrap_or_default())).collect();
    if !definitions.is_empty() {
        root.insert("$defs".into(), definitions.into());
    }
    root.into()
}

/// The schema of a file as text.
pub fn text(file: File, strict: bool) -> String {
    format!("{:#}\n", schema(file, strict))
}

struct Writer {
    strict: bool,
    /// The objects that others refer to; nothing while one is being written.
    definitions: BTreeMap<&'static str, Option<Value>>,
}

impl Writer {
    fn shape(&mut self, shape: &Shape) -> Map<String, Value> {
        let schema = match shape {
            Shape::Any => json!({}),
            Shape::Never => json!({"not": {}}),
            Shape::Null => json!({"type": "null"}),
            Shape::Bool => json!({"type": "boolean"}),
            Shape::Integer => json!({"type": "integer"}),
            Shape::Count => json!({"type": "integer", "minimum": 0}),
            Shape::Number => json!({"type": "number"}),
            Shape::Numbers(numbers) => json!({"enum": numbers}),
            Shape::Text => json!({"type": "string"}),
            Shape::Pattern(pattern) => json!({"type": "string", "pattern": pattern}),
            Shape::Words(words) => json!({"enum": words}),
            Shape::List(item) => json!({"type": "array", "items": self.shape(item)}),
            Shape::Filled(item) => json!({"type": "array", "items": self.shape(item), "minItems": 1}),
            Shape::Distinct(item) => json!({"type": "array", "items": self.shape(item), "uniqueItems": true}),
            Shape::EmptyList => json!({"type": "array", "maxItems": 0}),
            Shape::Map(value) => json!({"type": "object", "additionalProperties": self.shape(value)}),
            Shape::Keys(names, value) => {
                let value = self.shape(value);
                let properties: Map<String, Value> =
                    names.iter().map(|name| ((*name).to_owned(), value.clone().into())).collect();
                json!({"type": "object", "properties": properties, "additionalProperties": false})
            }
            Shape::Object(object) => self.reference(object),
            Shape::Union(shapes) => self.union(shapes),
        };
        match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        }
    }

    /// Alternatives; plain types become one list of types.
    fn union(&mut self, shapes: &[Shape]) -> Value {
        let (mut types, mut others) = (Vec::new(), Vec::new());
        for shape in shapes {
            let schema = self.shape(shape);
            match schema.get("type") {
                Some(kind) if schema.len() == 1 => types.push(kind.clone()),
                _ => others.push(Value::Object(schema)),
            }
        }
        match (types.as_slice(), others.is_empty()) {
            ([], _) => {}
            (_, true) => return json!({"type": types}),
            ([only], _) => others.push(json!({"type": only})),
            _ => others.push(json!({"type": types})),
        }
        json!({"anyOf": others})
    }

    fn reference(&mut self, object: &'static Object) -> Value {
        if !self.definitions.contains_key(object.name) {
            self.definitions.insert(object.name, None);
            let schema = self.object(object);
            self.definitions.insert(object.name, Some(schema.into()));
        }
        json!({"$ref": format!("#/$defs/{}", object.name)})
    }

    fn object(&mut self, object: &'static Object) -> Map<String, Value> {
        let mut properties = Map::new();
        for field in object.fields() {
            // Of two of a name the first counts, as for the readers.
            if properties.contains_key(field.name) {
                continue;
            }
            let mut schema = self.shape(&field.shape);
            schema.insert("description".into(), field.description().into());
            if let Some(default) = field.default {
                schema.insert("default".into(), default.into());
            }
            properties.insert(field.name.into(), schema.into());
        }
        let required: Vec<&str> = object.fields().filter(|field| field.is_required).map(|field| field.name).collect();
        let mut schema = Map::new();
        schema.insert("type".into(), "object".into());
        schema.insert("description".into(), object.doc.into());
        schema.insert("properties".into(), properties.into());
        if !required.is_empty() {
            schema.insert("required".into(), required.into());
        }
        let are_others_refused = match object.others {
            Others::Refused => true,
            Others::Ignored | Others::IgnoredBut(_) => self.strict,
            Others::Own => false,
        };
        if are_others_refused {
            schema.insert("additionalProperties".into(), false.into());
        }
        if let Others::IgnoredBut(names) = object.others
            && self.strict
        {
            schema.insert("patternProperties".into(), json!({names: {}}));
        }
        schema
    }
}
