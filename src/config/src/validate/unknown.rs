//! Fields and sections that TPV does not know, and what may be meant by them.

use tpv_galaxy::shape::Object;
use tpv_model::{Field, Quantity, Resource, Version};

use super::{Owner, Validator};
use crate::fields::CONFIG;
use crate::galaxy_params::GALAXY_PARAMS;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::suggest::closest;
use tpv_yaml::value::Entry;

/// Names that other systems use, with the field that they mean.
const SYNONYMS: [(&str, &str); 13] = [
    ("memory", Resource::Mem.name()),
    ("ram", Resource::Mem.name()),
    ("mem_gb", Resource::Mem.name()),
    ("mem_mb", Resource::Mem.name()),
    ("cpu", Resource::Cores.name()),
    ("cpus", Resource::Cores.name()),
    ("ncpus", Resource::Cores.name()),
    ("threads", Resource::Cores.name()),
    ("slots", Resource::Cores.name()),
    ("parent", "inherits"),
    ("extends", "inherits"),
    ("environment", "env"),
    ("condition", "if"),
];

/// The name that `name` stands for elsewhere, among those that are known.
pub fn synonym<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let find = |meant: &str| known.iter().copied().find(|name| *name == meant);
    if let Some((limit, resource)) = name.split_once("_allowed_") {
        // Destinations have `max_accepted_mem`, everything else `max_mem`.
        return find(&format!("{limit}_accepted_{resource}")).or_else(|| find(&format!("{limit}_{resource}")));
    }
    let (_, meant) = SYNONYMS.iter().find(|(other, _)| name.eq_ignore_ascii_case(other))?;
    find(meant)
}

/// The beginnings of the limits that only destinations have.
const ACCEPTED: [&str; 2] = ["max_accepted_", "min_accepted_"];

/// Returns `true` for the fields of a destination.
fn is_destination(known: &Object) -> bool {
    known.field(Field::Runner.alias()).is_some()
}

/// The place in which a field of another object belongs; `known` are the fields of its present place.
fn place(key: &str, known: &Object) -> Option<String> {
    let in_entity = known.field(Resource::Cores.name()).is_some();
    match key {
        "require" | "prefer" | "accept" | "reject" if in_entity => Some(format!("`{key}` belongs under `scheduling`")),
        "if" | "execute" | "fail" if in_entity => Some(format!("`{key}` belongs in a rule: `rules:` with `- if: ...`")),
        "rules" if in_entity => Some("a rule has no rules: indent these as the `rules` of the entity".to_owned()),
        "default_inherits" | "resource_pool_store" if known.field(key).is_none() => {
            Some(format!("`{key}` belongs under `global`"))
        }
        "runner" | "destination_name_override" | "tags" if in_entity => Some(format!("only destinations have `{key}`")),
        _ if in_entity && !is_destination(known) && ACCEPTED.iter().any(|start| key.starts_with(start)) => {
            Some(format!("only destinations have `{key}`"))
        }
        _ if in_entity && GALAXY_PARAMS.contains(&key) => Some(format!("`{key}` belongs under `params`")),
        "context" if known.field("tools").is_some() => {
            Some("`context` belongs under `global`, or under an entity".to_owned())
        }
        _ if known.field("require").is_some()
            && (Quantity::from_name(key).is_some() || matches!(key, "env" | "params" | "rules" | "rank")) =>
        {
            Some(format!("`{key}` isn't a tag: give it the indentation of `scheduling`"))
        }
        _ => None,
    }
}

/// The field that is misspelt here; nothing for a name that other systems use, or that stands in the wrong place.
fn misspelt(key: &str, known: &Object) -> Option<&'static str> {
    if key.contains('\u{a0}') || place(key, known).is_some() { None } else { closest(key, known.names()) }
}

fn help(key: &str, known: &Object) -> Option<String> {
    if key.contains('\u{a0}') {
        return Some(
            "the name holds no-break spaces (U+00A0), perhaps for its indentation: write plain blanks".to_owned(),
        );
    }
    let near = || closest(key, known.names()).or_else(|| synonym(key, known.names()));
    place(key, known).or_else(|| Some(format!("did you mean `{}`?", near()?)))
}

impl Validator<'_> {
    /// The finding about a name that only later versions of TPV know.
    fn of_later_version(&self, key: &str, what: &str) -> Diagnostic {
        Diagnostic::warning(format!("`{key}` is not a {what} that TPV {} knows", self.version))
            .code(Code::UnknownField)
            .note(format!("a later version of TPV has it; TPV {} never uses it", self.version))
            .help(format!("remove it, or check for a later version: `--tpv {}`", Version::default()))
    }

    pub(super) fn unknown_section(&mut self, entry: &Entry, key: &str) {
        // A common way to keep anchors out of the sections.
        let is_private = key.starts_with(['_', '.']) || key.starts_with("x-");
        if is_private {
            return;
        }
        if CONFIG.field(key).is_some() {
            let problem = self.of_later_version(key, "section").at(entry.key.span, "");
            self.problems.push(problem);
            return;
        }
        let problem = Diagnostic::warning(format!("`{key}` is not a section that TPV knows"))
            .code(Code::UnknownField)
            .at(entry.key.span, "");
        let problem = match misspelt(key, &CONFIG) {
            Some(meant) => problem.fix(entry.key.span, meant),
            None => problem,
        };
        self.problems.push(match help(key, &CONFIG) {
            Some(help) => problem.help(help),
            None => problem.note(format!("the sections are `{}`", CONFIG.names().collect::<Vec<_>>().join("`, `"))),
        });
    }

    pub(super) fn unknown_field(&mut self, entry: &Entry, key: &str, owner: Owner<'_>, known: &Object) {
        if known.field(key).is_some() {
            let problem = self.of_later_version(key, "field").at(entry.key.span, "").also(owner.span, owner.describe());
            self.problems.push(problem);
            return;
        }
        let problem = Diagnostic::warning(format!("`{key}` is not a field that TPV knows"))
            .code(Code::UnknownField)
            .at(entry.key.span, if key == Field::Rules.alias() { "these rules are lost" } else { "" })
            .also(owner.span, owner.describe());
        let problem = match misspelt(key, known) {
            Some(meant) => problem.fix(entry.key.span, meant),
            None => problem,
        };
        self.problems.push(match help(key, known) {
            Some(help) => problem.help(help),
            None => problem.note("TPV keeps the field but never uses it"),
        });
    }
}
