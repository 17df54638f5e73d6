//! The field that a question is about.

use tpv_config::entity::Common;
use tpv_model as model;
use tpv_model::field::Parts;
use tpv_text::suggest::{closest, did_you_mean};

use crate::parts::{Name, Part, parts};

/// A field of entities and rules: `mem`, `env.TMPDIR`, `tags.highmem`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// `cores`, `env`, `params`, `tags`, ...
    pub field: model::Field,
    /// The name of the entry or tag; empty for `cores` and the like.
    pub name: String,
}

/// The fields that have entries or tags by name.
fn named() -> impl Iterator<Item = model::Field> {
    model::Field::common_in(Parts::Entries).chain(model::Field::common_in(Parts::Tags))
}

impl Field {
    /// Reads a field as it is written on a command line.
    ///
    /// # Errors
    /// The help, if there is no such field.
    pub fn parse(text: &str) -> Result<Self, String> {
        let whole = || model::Field::common_in(Parts::Whole);
        if let Some(field) = whole().find(|field| field.group() == text) {
            return Ok(Self { field, name: String::new() });
        }
        if text == model::Field::Runner.alias() {
            return Ok(Self { field: model::Field::Runner, name: String::new() });
        }
        if let Some((group, name)) = text.split_once('.').filter(|(_, name)| !name.is_empty())
            && let Some(field) = named().find(|known| known.group() == group || known.alias() == group)
        {
            return Ok(Self { field, name: name.to_owned() });
        }
        let group = named().map(model::Field::group).find(|group| text.trim_end_matches('.') == *group);
        Err(match (group, closest(text, whole().map(model::Field::group))) {
            (Some(group), _) => format!("name one of its values: `{group}.NAME`"),
            (None, Some(near)) => did_you_mean(near),
            (None, None) => {
                let code = whole().filter(|field| !matches!(field, model::Field::Amount(_)));
                let others = code.map(|field| format!("`{}`", field.group()));
                let others: Vec<String> =
                    others.chain(named().map(|field| format!("`{}.NAME`", field.group()))).collect();
                let (last, others) = others
                    .split_last()
                    .map_or(("", String::new()), |(last, others)| (last.as_str(), others.join(", ")));
                format!("the fields are `cores`, `mem`, `gpus`, their `min_` and `max_`, `runner`, {others} and {last}")
            }
        })
    }

    /// The part of an entity or rule that sets the field.
    pub(super) fn part<'a>(&self, common: &'a Common) -> Option<Part<'a>> {
        let is_this = |part: &Part<'_>| match part.name {
            Name::Field(field) => self.name.is_empty() && field == self.field,
            Name::Entry(field, name) => field == self.field && name == self.name,
            Name::Tag(tag) => self.field == model::Field::Tags && tag == self.name,
        };
        parts(common).into_iter().find(is_this)
    }

    /// Returns `true` if code speaks of the field.
    pub(super) fn is_named_in(&self, code: &str) -> bool {
        let word = if self.name.is_empty() { self.field.group() } else { &self.name };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        code.match_indices(word).any(|(at, _)| {
            let before = code.get(..at).and_then(|text| text.chars().next_back());
            let after = code.get(at + word.len()..).and_then(|text| text.chars().next());
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
    }

    /// The unit of its values after a blank, such as ` GiB`; empty if it has none.
    pub fn unit(&self) -> String {
        self.field.unit_suffix()
    }
}

impl std::fmt::Display for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.field.group())?;
        if self.name.is_empty() { Ok(()) } else { write!(f, ".{}", self.name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_are_written() {
        for (text, written) in [
            ("mem", "mem"),
            ("env.TMP.DIR", "env.TMP.DIR"),
            ("max_cores", "max_cores"),
            ("runner", "runner"),
            ("scheduling.pulsar", "tags.pulsar"),
        ] {
            assert_eq!(Field::parse(text).map(|field| field.to_string()), Ok(written.to_owned()));
        }
        for (text, help) in
            [("coers", "`cores`"), ("env", "`env.NAME`"), ("params.", "`params.NAME`"), ("", "tags.NAME")]
        {
            assert!(Field::parse(text).is_err_and(|found| found.contains(help)), "{text}");
        }
    }

    #[test]
    fn code_names_whole_words() {
        let cores = Field { field: model::Field::Amount(model::Resource::Cores.into()), name: String::new() };
        assert!(cores.is_named_in("entity.cores = 4") && cores.is_named_in("cores"));
        assert!(!cores.is_named_in("entity.max_cores = 4") && !cores.is_named_in("scores"));
    }
}
