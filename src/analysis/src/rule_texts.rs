//! The texts of rules under their digest: kept beside a log of decisions, so that an old decision is explained with the rules of its time.
//!
//! Texts are kept rather than artifacts, because any version of tpvc compiles them.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use tpv_compiler::{CompileOptions, Compiled, compile_inputs};
use tpv_config::{ConfigTexts, Input};
use tpv_galaxy::json::{Json, Reader, text_of};
use tpv_model::{Asked, Version};
use tpv_text::source::{SourceMap, is_url, redacted};

/// The folder of the texts, beside the logs.
pub const FOLDER: &str = "tpvc_rules";

/// The version of the form of a file of texts.
const FORMAT: i64 = 1;

/// The texts that rules were compiled from, in load order, and the version of TPV that they are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleTexts {
    version: Version,
    configs: Vec<(Arc<str>, Arc<str>)>,
}

impl RuleTexts {
    /// The texts of these inputs, which have been loaded. `None` if a config stands inside a text of another kind.
    pub fn of(inputs: &[Input], sources: &SourceMap, version: Version) -> Option<Self> {
        let mut texts = sources.iter();
        let mut configs = Vec::with_capacity(inputs.len());
        for input in inputs {
            let source = match input {
                Input::Text(id) => sources.get(*id)?,
                Input::Named(name) if is_url(name) => {
                    let name = redacted(name);
                    texts.find(|(_, source)| *source.name == *name)?.1
                }
                Input::Named(name) => texts.find(|(_, source)| *source.name == **name)?.1,
                Input::Inline(..) => return None,
            };
            configs.push((source.name.clone(), source.text.clone()));
        }
        Some(Self { version, configs })
    }

    /// The digest: 16 hexadecimal digits.
    pub fn digest(&self) -> String {
        let digest = Sha256::digest(self.json());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The name of the file of a digest. `None` if it is no digest, such as a path in a log of another hand.
    pub fn file_name(digest: &str) -> Option<String> {
        let is_digest = digest.len() == 16 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_digest.then(|| format!("{digest}.json"))
    }

    /// The texts as a file has them.
    pub fn json(&self) -> String {
        let config = |(name, text): &(Arc<str>, Arc<str>)| {
            Json::Object(vec![("name".into(), Json::str(&**name)), ("text".into(), Json::str(&**text))])
        };
        text_of(&Json::Object(vec![
            ("tpvc".into(), Json::Int(FORMAT)),
            ("tpv".into(), Json::str(self.version.name())),
            ("configs".into(), Json::List(self.configs.iter().map(config).collect())),
        ]))
    }

    /// The texts of a file. `None` if it is damaged, or of another form.
    pub fn read(json: &str) -> Option<Self> {
        let file = Json::read(&mut Reader::new(json)).ok()?;
        let text = |value: &Json| match value {
            Json::Str(text) => Some(Arc::<str>::from(&**text)),
            _ => None,
        };
        let version: Asked = text(file.get("tpv")?)?.parse().ok()?;
        let (Json::Int(FORMAT), Json::List(configs)) = (file.get("tpvc")?, file.get("configs")?) else { return None };
        let config = |config: &Json| Some((text(config.get("name")?)?, text(config.get("text")?)?));
        Some(Self { version: version.version, configs: configs.iter().map(config).collect::<Option<_>>()? })
    }

    /// Compiles the texts under their names.
    pub fn compile(&self) -> Compiled {
        let mut sources = SourceMap::new();
        let inputs: Vec<Input> = self.configs.iter().map(|(name, text)| Input::Text(sources.add(name, text))).collect();
        compile_inputs(&inputs, ConfigTexts { sources, version: self.version }, &CompileOptions::default())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn texts_are_compiled_again_under_their_names() {
        let mut sources = SourceMap::new();
        let text = "tools: {t: {cores: 2}}\ndestinations: {d: {runner: local}}\n";
        let inputs = [Input::Text(sources.add("/srv/a.yml", text))];
        let texts = RuleTexts::of(&inputs, &sources, Version::default()).unwrap();
        assert_eq!(RuleTexts::read(&texts.json()), Some(texts.clone()));
        let compiled = texts.compile();
        assert!(compiled.rules.is_some());
        assert_eq!(&*compiled.sources.iter().next().unwrap().1.name, "/srv/a.yml");
        assert!(RuleTexts::file_name(&texts.digest()).is_some());
        for path in ["", "../../../etc/x", "0123456789abcde/", "0123456789abcdef0"] {
            assert_eq!(RuleTexts::file_name(path), None);
        }
        for damaged in ["", "{}", "null", "{\"tpvc\": 1, \"tpv\": \"3.3\", \"configs\": [1]}"] {
            assert_eq!(RuleTexts::read(damaged), None);
        }
        let other = [Input::Text(sources.add("/srv/b.yml", text))];
        assert_ne!(RuleTexts::of(&other, &sources, Version::default()).unwrap().digest(), texts.digest());
    }
}
