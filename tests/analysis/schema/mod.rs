//! The schemas of files say what the readers do: both judge the same documents.

mod documents;
mod fields;
mod mutations;
mod readers;
mod refused;

use crate::support::{expect_file, project, stdout, tpvc_in};
use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;
use tpv_analysis::schema::{File, schema, text};
use tpv_model::EntityClass;
use tpv_model::field::{Field, Unset};

/// The schema of a file, ready to judge documents.
struct Judge {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Judge {
    fn new(file: File, strict: bool) -> Self {
        let mut schemas = Schemas::new();
        let mut compiler = Compiler::new();
        compiler.add_resource("schema.json", schema(file, strict)).unwrap();
        let index = compiler.compile("schema.json", &mut schemas).unwrap_or_else(|error| panic!("{file:?}: {error:#}"));
        Self { schemas, index }
    }

    fn accepts(&self, document: &Value) -> bool {
        self.schemas.validate(document, self.index).is_ok()
    }

    /// The fault of a document.
    fn complaint(&self, document: &Value) -> Option<String> {
        self.schemas.validate(document, self.index).err().map(|error| error.to_string())
    }
}

/// Of a field with another meaning in one class, only the presence is compared.
#[test]
fn the_words_of_fields_are_those_of_the_model() {
    let published = std::fs::read_to_string(project().join("schemas/config.json")).unwrap();
    let published: Value = serde_json::from_str(&published).unwrap();
    let objects = [
        ("entity", EntityClass::Tool),
        ("rule", EntityClass::Rule),
        ("destination", EntityClass::Destination),
        ("pool", EntityClass::PoolEntity),
    ];
    for (name, class) in objects {
        for field in Field::of(class) {
            let property = &published["$defs"][name]["properties"][field.alias()];
            let described = property["description"].as_str();
            let described = described.unwrap_or_else(|| panic!("{name} has no {}", field.alias()));
            let default = (field.unset() == Unset::False).then_some(false);
            assert_eq!(property["default"].as_bool(), default, "{name} {}", field.alias());
            let unit = field.unit().map_or_else(String::new, |unit| format!(" Unit: {unit}."));
            let default = default.map_or_else(String::new, |default| format!(" Default: {default}."));
            let words = format!("{}{unit}{default}", field.words());
            let is_own = matches!(
                (class, field),
                (EntityClass::Rule, Field::Id) | (EntityClass::PoolEntity, Field::Tags | Field::DestTags)
            );
            assert!(is_own || described == words, "{name} {}: {described}", field.alias());
        }
    }
}

/// Editors fetch these files by their URLs.
#[test]
fn the_published_schemas_are_those_of_this_program() {
    let folder = project().join("schemas");
    let mut published = vec!["config.strict.json".to_owned()];
    expect_file(&folder.join("config.strict.json"), &text(File::Config, true));
    for file in File::ALL {
        let name = format!("{}.json", file.name());
        expect_file(&folder.join(&name), &text(file, false));
        published.push(name);
    }
    published.sort();
    let mut found: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    found.sort();
    assert_eq!(found, published);
}

#[test]
fn the_verb_prints_them() {
    let folder = tempfile::tempdir().unwrap();
    for (args, expected) in [
        (&["schema"][..], text(File::Config, false)),
        (&["schema", "config", "--strict"], text(File::Config, true)),
        (&["schema", "job"], text(File::Job, false)),
    ] {
        let output = tpvc_in(folder.path(), args);
        assert!(output.status.success() && output.stderr.is_empty());
        assert_eq!(stdout(&output), expected);
    }
    let output = tpvc_in(folder.path(), &["schema", "world", "-o", "world.json"]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert_eq!(std::fs::read_to_string(folder.path().join("world.json")).unwrap(), text(File::World, false));
    assert_eq!(tpvc_in(folder.path(), &["schema", "rules"]).status.code(), Some(2));
}
