//! The field that a question is about.

use tpv_compiler::config::entity::Common;
use tpv_compiler::config::suggest::{closest, did_you_mean};
use tpv_model::{Amount, Resource};

use crate::check::parts::{Name, Part, parts};

/// The fields that hold values by name.
const GROUPS: [&str; 4] = ["env", "params", "resubmit", "context"];
/// The group of tags, each of which is in one list.
const TAGS: &str = "tags";
const RANK: &str = "rank";

/// A field of entities and rules: `mem`, `env.TMPDIR`, `tags.highmem`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// `cores`, `env`, `params`, `tags`, ...
    pub group: &'static str,
    /// The name within the group; empty for `cores` and the like.
    pub name: String,
}

impl Field {
    /// Reads a field as it is written on a command line.
    ///
    /// # Errors
    /// The help, if there is no such field.
    pub fn parse(text: &str) -> Result<Self, String> {
        let amounts = || Amount::common().map(Amount::name).chain([RANK]);
        if let Some(group) = amounts().find(|name| *name == text) {
            return Ok(Self { group, name: String::new() });
        }
        let groups = GROUPS.into_iter().chain([TAGS]);
        if let Some((group, name)) = text.split_once('.').filter(|(_, name)| !name.is_empty())
            && let Some(group) = groups.clone().find(|known| *known == group)
        {
            return Ok(Self { group, name: name.to_owned() });
        }
        Err(match (groups.clone().find(|group| text.trim_end_matches('.') == *group), closest(text, amounts())) {
            (Some(group), _) => format!("name one of its values: `{group}.NAME`"),
            (None, Some(near)) => did_you_mean(near),
            (None, None) => {
                "the fields are `cores`, `mem`, `gpus`, their `min_` and `max_`, `rank`, `env.NAME`, `params.NAME`, \
                 `resubmit.NAME`, `context.NAME` and `tags.NAME`"
                    .to_owned()
            }
        })
    }

    /// The part of an entity or rule that sets the field.
    pub(super) fn part<'a>(&self, common: &'a Common) -> Option<Part<'a>> {
        let is_this = |part: &Part<'_>| match part.name {
            Name::Field(name) => self.name.is_empty() && name == self.group,
            Name::Entry(group, name) => group == self.group && name == self.name,
            Name::Tag(tag) => self.group == TAGS && tag == self.name,
        };
        parts(common).into_iter().find(is_this)
    }

    /// Returns `true` if code speaks of the field.
    pub(super) fn is_named_in(&self, code: &str) -> bool {
        let word = if self.name.is_empty() { self.group } else { &self.name };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        code.match_indices(word).any(|(at, _)| {
            let before = code.get(..at).and_then(|text| text.chars().next_back());
            let after = code.get(at + word.len()..).and_then(|text| text.chars().next());
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
    }

    /// The unit of its values after a blank, such as ` GiB`; empty if it has none.
    pub fn unit(&self) -> String {
        Resource::from_name(self.group).map_or_else(String::new, |resource| resource.quantity().suffix())
    }
}

impl std::fmt::Display for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.group)?;
        if self.name.is_empty() { Ok(()) } else { write!(f, ".{}", self.name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_are_written() {
        for (text, written) in [("mem", "mem"), ("env.TMP.DIR", "env.TMP.DIR"), ("max_cores", "max_cores")] {
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
        let cores = Field { group: "cores", name: String::new() };
        assert!(cores.is_named_in("entity.cores = 4") && cores.is_named_in("cores"));
        assert!(!cores.is_named_in("entity.max_cores = 4") && !cores.is_named_in("scores"));
    }
}
