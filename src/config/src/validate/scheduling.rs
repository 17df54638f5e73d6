//! `scheduling`: four lists of tags.

use std::collections::{HashMap, hash_map};
use std::sync::Arc;

use super::{Owner, Validator};
use crate::entity::Dict;
use crate::fields::SCHEDULING;
use crate::scheduling::SchedulingTags;
use tpv_model::TagType;
use tpv_text::diagnostic::Diagnostic;
use tpv_yaml::value::{Entry, Text};

impl Validator<'_> {
    /// The tags; a tag may stand in one list only, and there once.
    pub(super) fn scheduling(&mut self, entry: &Entry, owner: Owner<'_>) -> Option<SchedulingTags> {
        let map = self.mapping(entry, format_args!("`{}`", entry.key.python_str()), Some(owner))?;
        let mut tags = SchedulingTags::default();
        let mut extras = Dict::new();
        for entry in &map.entries {
            let Some(key) = self.string_key(entry, "a kind of tags") else { continue };
            let kind = TagType::from_field(key.as_str());
            match kind {
                Some(kind) if entry.value.is_null() => tags.set(kind, None),
                Some(kind) => {
                    let list = self.text_list(entry, owner);
                    tags.set(kind, list);
                }
                None => {
                    if key.as_str() != "no_qa_codes" {
                        self.unknown_field(entry, &key.value, owner, &SCHEDULING);
                    }
                    extras.insert(key.value, entry.value.clone());
                }
            }
        }
        tags.extras = Arc::new(extras);
        if self.version.has_models() {
            self.check_duplicates(&tags, owner);
        }
        Some(tags)
    }

    fn check_duplicates(&mut self, tags: &SchedulingTags, owner: Owner<'_>) {
        let mut seen: HashMap<&str, (TagType, &Text)> = HashMap::new();
        // The order in which TPV looks for duplicates.
        for kind in TagType::ALL {
            for tag in tags.get(kind) {
                let (first, earlier) = match seen.entry(tag.as_str()) {
                    hash_map::Entry::Occupied(earlier) => *earlier.get(),
                    hash_map::Entry::Vacant(place) => {
                        place.insert((kind, tag));
                        continue;
                    }
                };
                let (name, here) = (&tag.value, kind.field());
                let (message, help) = if first == kind {
                    (format!("the tag `{name}` occurs twice in `{here}`"), "remove one of them".to_owned())
                } else {
                    let message = format!("the tag `{name}` is in both `{}` and `{here}`", first.field());
                    (message, "a tag can have one kind only: remove it from all lists but one".to_owned())
                };
                self.problems.push(
                    Diagnostic::error(message)
                        .at(tag.span, format!("again in `{here}`"))
                        .also(earlier.span, format!("first in `{}`", first.field()))
                        .also(owner.span, owner.describe())
                        .help(help)
                        .raises(
                            "ValueError",
                            format!("Duplicate tags found: '{name}' in ['{}', '{here}']", first.field()),
                        ),
                );
            }
        }
    }
}
