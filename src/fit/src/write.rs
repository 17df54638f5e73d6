//! The proposals as edits of the config files, where a value stands that nothing but the tool uses.

use std::collections::BTreeMap;
use std::ops::Range;

use tpv_analysis::explain::Provenance;
use tpv_analysis::splice::splice;
use tpv_compiler::config::Config;
use tpv_compiler::config::entity::{Common, Entity};
use tpv_compiler::source::{SourceId, SourceMap, Span, is_url};
use tpv_model::{Amount, EntityClass, Resource};

use crate::report::{Proposal, Report, Tool, place};
use crate::today::SetBy;

/// A file with its new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// Its number among the sources.
    pub source: SourceId,
    /// The path.
    pub name: String,
    /// The text that it had.
    pub old: String,
    /// The text that it gets.
    pub new: String,
}

/// The edits of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// The files.
    pub files: Vec<Edited>,
    /// The tools whose value changes: indexes of the report's, with a sentence on the change.
    pub changes: Vec<(usize, String)>,
    /// The tools whose value cannot be changed where it stands, with the reason.
    pub left: Vec<String>,
}

/// The proposals of a report as edits of the files that the config was read from.
pub fn edits(report: &Report, provenance: &Provenance<'_>, config: &Config, sources: &SourceMap) -> Edits {
    let (mut edits, mut files) = (Edits::default(), BTreeMap::<SourceId, Vec<(Range<usize>, &str)>>::new());
    for (index, tool) in report.tools.iter().enumerate() {
        let Proposal::Change { mem, .. } = &tool.proposal else { continue };
        match value_of(tool, report, provenance, config, sources) {
            Ok(span) => {
                let saving = crate::report::percent(tool.saving());
                let (at, old) = (sources.locate(span), sources.text(span));
                edits.changes.push((index, format!("{at}: mem of {}: {old} -> {mem}, saves {saving}", tool.tool)));
                files.entry(span.source).or_default().push((span.range(), mem));
            }
            Err(reason) => edits.left.push(format!("{}: {reason}", tool.tool)),
        }
    }
    for (id, mut changes) in files {
        let Some(source) = sources.get(id) else { continue };
        changes.sort_by_key(|(range, _)| range.start);
        let (name, old) = (source.name.to_string(), source.text.to_string());
        let new = splice(&old, changes);
        edits.files.push(Edited { source: id, name, old, new });
    }
    edits
}

/// The value that sets a tool's memory, if it can be replaced without effect on others; else the reason.
fn value_of(
    tool: &Tool,
    report: &Report,
    provenance: &Provenance<'_>,
    config: &Config,
    sources: &SourceMap,
) -> Result<Span, String> {
    let shown = tool.place.as_deref().unwrap_or("nowhere");
    if matches!(&tool.proposal, Proposal::Change { by_version, .. } if !by_version.is_empty()) {
        return Err("it needs rules for its versions, which `--patch` writes".to_owned());
    }
    if tool.setter.by == SetBy::Other {
        return Err(format!("its memory is not the tool's: it is set at {shown}"));
    }
    let others = report.tools.iter().filter(|other| other.place == tool.place).count() - 1;
    if others > 0 {
        return Err(format!(
            "the value at {shown} is that of {}, too: `--patch` gives it its own",
            tpv_analysis::figures::count(others as u64, "other tool")
        ));
    }
    let Some(place) = place(tool.setter, provenance) else {
        return Err("nothing sets its memory: `--patch` does".to_owned());
    };
    let is_here = |common: &Common| {
        let span = common.amounts.get(Amount::Resource(Resource::Mem)).map(|value| value.span)?;
        let at = sources.place(span);
        let is_here = span.source.0 == place.source
            && at.line == place.line as usize
            && u32::try_from(at.column).is_ok_and(|column| column == place.column);
        is_here.then_some(span)
    };
    // Inherited and aliased values have several owners.
    let entities = EntityClass::SECTIONS.into_iter().flat_map(|class| config.section(class).values());
    let mut owners = entities.flat_map(|entity| entity.commons().filter_map(is_here).map(move |span| (entity, span)));
    let (Some((owner, span)), others) = (owners.next(), owners.count()) else {
        return Err(format!("its memory is not written as a value of `mem` at {shown}: `--patch` gives it its own"));
    };
    if others > 0 || is_parent(owner, config) {
        return Err(format!("others inherit the value at {shown}: `--patch` gives it its own"));
    }
    let Some(source) = sources.get(span.source) else { return Err(format!("{shown} is of no file")) };
    if source.is_filled() {
        return Err(format!("{shown} is filled in from a template: write `mem` there by hand"));
    }
    if is_url(&source.name) || &*source.name == "<stdin>" {
        return Err(format!("{shown} is not of a file here: `--patch` gives it its own"));
    }
    if !is_plain(&source.text, &span.range()) {
        return Err(format!(
            "the value at {shown} is in braces, has an anchor or several lines: write `mem` there by hand"
        ));
    }
    Ok(span)
}

/// Returns `true` if other entities have what this one says.
fn is_parent(entity: &Entity, config: &Config) -> bool {
    let is_default = config.global.default_inherits.as_ref().is_some_and(|id| id.as_str() == &*entity.id);
    let mut inheriting = config.section(entity.class).values().filter_map(|other| other.common.inherits.as_ref());
    is_default || entity.common.is_abstract || inheriting.any(|id| id.as_str() == &*entity.id)
}

/// Returns `true` if the value is on one line with its key and nothing between them, and ends there.
fn is_plain(text: &str, range: &Range<usize>) -> bool {
    let (Some(before), Some(value)) = (text.get(..range.start), text.get(range.clone())) else { return false };
    let line = before.rsplit('\n').next().unwrap_or_default().trim_end();
    let after = text.get(range.end..).unwrap_or_default().split('\n').next().unwrap_or_default().trim();
    let has_key = ["mem:", "\"mem\":", "'mem':"].iter().any(|key| line.trim_start_matches("- ").trim() == *key);
    has_key && !value.contains('\n') && !value.is_empty() && (after.is_empty() || after.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn only_plain_values_are_replaced() {
        for (text, value, is) in [
            ("a:\n  mem: 4  # of old\n", "4", true),
            ("a:\n  'mem': \"4 * 2\"\n", "\"4 * 2\"", true),
            ("a:\n  mem: &m 4\n", "4", false),
            ("a: {cores: 1, mem: 4}\n", "4", false),
            ("a:\n  mem: |\n    4\n", "|\n    4\n", false),
            ("a:\n  mem:\n    4\n", "4", false),
            ("a:\n  mem: 4 *\n    2\n", "4 *\n    2", false),
        ] {
            let start = text.find(value).unwrap_or_default();
            assert_eq!(is_plain(text, &(start..start + value.len())), is, "{text}");
        }
    }
}
