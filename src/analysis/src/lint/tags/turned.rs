//! T141: tags that only one side has, beside one of the same words in another order: `qld-pulsar-gpu` for `pulsar-qld-gpu`.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{Tags, default, having};
use crate::lint::Linter;
use tpv_config::scheduling::SchedulingTags;
use tpv_model::{EntityClass, TagType};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_text::suggest::did_you_mean;
use tpv_yaml::value::Text;

/// The words of a tag in order of the alphabet. `None` for fewer than two.
fn words(tag: &str) -> Option<Vec<&str>> {
    let mut words: Vec<&str> = tag.split(['-', '_', '.']).collect();
    words.sort_unstable();
    (words.len() > 1).then_some(words)
}

/// The only tag that has one word more than another of two or more, or one less: `pulsar-qld-blast` for `pulsar-blast`.
pub(super) fn with_one_word_more<'a>(tag: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let own = words(tag)?;
    let mut found = known.filter(|known| {
        let Some(words) = words(known) else { return false };
        let (less, more) = if words.len() < own.len() { (&words, &own) } else { (&own, &words) };
        more.len() == less.len() + 1 && less.iter().all(|word| more.contains(word))
    });
    found.next().filter(|_| found.next().is_none())
}

fn all(tags: &SchedulingTags) -> impl Iterator<Item = &Text> {
    having(tags).chain(tags.get(TagType::Reject))
}

/// The fewest tags of one form beside which one of another form is a slip.
const FORM: usize = 5;

/// Required tags of destinations that no job has, of a form that all others have the other way round: `pulsar-be` beside `fr-pulsar`.
pub(super) fn of_another_form(linter: &mut Linter<'_>, tags: &Tags<'_>) {
    let config = linter.config;
    let required = || {
        let concrete = config.destinations.values().filter(|destination| !destination.common.is_abstract);
        concrete.flat_map(|destination| {
            let offered = destination.dest_tags.iter();
            offered.flat_map(|tags| tags.get(TagType::Require)).map(move |tag| (&**destination, tag))
        })
    };
    let all: BTreeSet<&str> = required().map(|(_, tag)| tag.as_str()).collect();
    for (destination, tag) in required() {
        let name = tag.as_str();
        let Some((first, rest)) = name.split_once('-').filter(|(_, rest)| !rest.contains('-')) else { continue };
        let (starting, ending) = (format!("{first}-"), format!("-{first}"));
        let is_alone = all.iter().filter(|tag| tag.starts_with(&starting)).count() == 1;
        if tags.is_asked(name) || !is_alone || all.iter().filter(|tag| tag.ends_with(&ending)).count() < FORM {
            continue;
        }
        let meant = format!("{rest}-{first}");
        let diagnostic = Diagnostic::warning(format!("the tag `{name}` is the only one of its form"))
            .at(tag.span, format!("other destinations have `{first}` at the end"))
            .also(destination.span, "")
            .help(did_you_mean(&meant))
            .fix(tag.span, meant);
        linter.report(Finding::new(Code::MisspeltTag, diagnostic).of(&destination.common.no_qa_codes));
    }
}

/// Looks at the tags of tools, roles and users, and at those of destinations. Returns the places of those that it reported.
pub(super) fn check(linter: &mut Linter<'_>) -> HashSet<Span> {
    let config = linter.config;
    let mut offered: Vec<&str> = Vec::new();
    let concrete = config.destinations.values().filter(|destination| !destination.common.is_abstract);
    for destination in concrete.map(|destination| &**destination).chain(default(config, EntityClass::Destination)) {
        offered.extend(destination.dest_tags.iter().flat_map(|tags| all(tags)).map(Text::as_str));
    }
    let known: HashSet<&str> = offered.iter().copied().collect();
    let by_words: BTreeMap<Vec<&str>, &str> = offered.iter().filter_map(|tag| Some((words(tag)?, *tag))).collect();
    let mut seen = HashSet::new();
    for kind in EntityClass::MATCHED {
        for entity in config.section(kind).values() {
            for tag in entity.commons().flat_map(|common| all(&common.tags)) {
                let name = tag.as_str();
                let Some(near) = words(name).and_then(|words| by_words.get(&words)) else { continue };
                if known.contains(name) || !seen.insert(tag.span) {
                    continue;
                }
                let diagnostic = Diagnostic::warning(format!("no destination has the tag `{name}`"))
                    .at(tag.span, "destinations have the words in another order")
                    .also(entity.span, "")
                    .help(did_you_mean(near))
                    .fix(tag.span, near.to_string());
                linter.report(Finding::new(Code::MisspeltTag, diagnostic).of(&entity.common.no_qa_codes));
            }
        }
    }
    seen
}
