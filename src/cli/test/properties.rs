//! The properties of test files.

use tpv_analysis::cases::TestFile;
use tpv_analysis::cases::property::{Judged, Property, Verdict};
use tpv_analysis::cases::report::Promise;
use tpv_analysis::cases::run::Tested;
use tpv_runtime::mapper::Hooks;
use tpv_text::figures::count;

/// The properties of test files with their verdicts, by file and place.
#[derive(Default)]
pub(super) struct Properties {
    judged: Vec<(usize, usize, Judged)>,
}

impl Properties {
    /// Judges the properties of some files of one config whose names have `only` in them.
    pub(super) fn judge(
        &mut self,
        tested: &Tested,
        hooks: &Hooks,
        files: &[TestFile],
        members: &[usize],
        only: Option<&str>,
    ) {
        let of_file = |index: &usize| {
            let properties = files.get(*index).map_or(&[][..], |file| &file.properties);
            let wanted = properties.iter().enumerate();
            let wanted = wanted.filter(|(_, one)| only.is_none_or(|part| one.name.contains(part)));
            wanted.map(|(place, property)| (*index, place, property)).collect::<Vec<_>>()
        };
        let chosen: Vec<(usize, usize, &Property)> = members.iter().flat_map(of_file).collect();
        if chosen.is_empty() {
            return;
        }
        let properties: Vec<&Property> = chosen.iter().map(|(.., property)| *property).collect();
        // The log of jobs that nobody wrote says nothing.
        let hooks = Hooks { log: None, log_level: None, ..hooks.clone() };
        let judged = tpv_prove::promises::judge(tested, &hooks, &properties);
        self.judged.extend(chosen.iter().zip(judged).map(|((file, place, _), judged)| (*file, *place, judged)));
    }

    /// The properties in the order of the files.
    pub(super) fn all<'a>(&'a self, files: &'a [TestFile]) -> Vec<Promise<'a>> {
        let promise = |(index, place, judged): &'a (usize, usize, Judged)| {
            let file = files.get(*index)?;
            Some((*index, Promise { file, property: file.properties.get(*place)?, judged }))
        };
        let mut all: Vec<(usize, Promise<'a>)> = self.judged.iter().filter_map(promise).collect();
        all.sort_by_key(|(index, _)| *index);
        all.into_iter().map(|(_, promise)| promise).collect()
    }

    /// The number of properties.
    pub(super) fn count(&self) -> usize {
        self.judged.len()
    }

    /// Returns `true` if a property is refuted, or unknown where that counts.
    pub(super) fn is_bad(&self, strict: bool) -> bool {
        self.judged.iter().any(|(.., judged)| match judged.verdict {
            Verdict::Proved => false,
            Verdict::Refuted { .. } => true,
            Verdict::Unknown(_) => strict,
        })
    }

    /// The verdicts in numbers.
    pub(super) fn summary(&self) -> String {
        let of = |wanted: fn(&Verdict) -> bool| self.judged.iter().filter(|(.., one)| wanted(&one.verdict)).count();
        let refuted = of(|verdict| matches!(verdict, Verdict::Refuted { .. }));
        let proved = of(|verdict| matches!(verdict, Verdict::Proved));
        let unknown = self.count() - refuted - proved;
        let all = count(self.count() as u64, "property").replace("propertys", "properties");
        format!("{refuted} refuted, {proved} proved, {unknown} unknown, of {all}")
    }
}
