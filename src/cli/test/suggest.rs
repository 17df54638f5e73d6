//! `tpvc test --suggest`, and the jobs of `--coverage`.

use std::path::Path;
use std::sync::Arc;

use tpv_analysis::cases::coverage::coverage;
use tpv_analysis::cases::read::Defaults;
use tpv_analysis::cases::run::{Tested, run};
use tpv_analysis::cases::suggest::{Head, seen_from};
use tpv_analysis::cases::{Case, TestFile};
use tpv_galaxy::json::Json;
use tpv_prove::suggest::{Reach, suggest};
use tpv_runtime::mapper::Hooks;
use tpv_text::figures::count;
use tpv_text::printable::Form;

use super::{Groups, Test, compile};
use crate::cli::common::Common;
use crate::cli::error::{CliError, Outcome};
use crate::cli::output::write_text;
use crate::cli::progress::Working;
use crate::cli::{map, world};

/// The jobs that are made from rules, in the world of test files that name none. Without one, the rules get made answers to what they ask of Galaxy: those are
/// returned, too.
pub(super) fn reach(
    tested: &Tested,
    hooks: &Hooks,
    defaults: &Defaults,
    common: &Common,
) -> Result<(Reach, Option<Json>), CliError> {
    let _working = Working::on(common, "making jobs from the rules");
    let Some(path) = defaults.world.as_deref() else {
        let (reach, world) = Reach::asking(tested, hooks, defaults.now).map_err(|error| world::unanswered(&error))?;
        return Ok((reach, Some(world).filter(|world| *world != Json::Object(Vec::new()))));
    };
    let mut world = world::at_this_moment(Some(path))?;
    world.now.get_or_insert(defaults.now);
    Ok((Reach::of(tested, hooks, &Arc::new(world)), None))
}

impl Test {
    /// Writes cases for the parts of the config that no case uses and a job does.
    pub(super) fn suggest(
        &self,
        files: &[TestFile],
        groups: Groups,
        defaults: &Defaults,
        common: &Common,
    ) -> Result<Outcome, CliError> {
        let is_output = |file: &&TestFile| same_file(Path::new(&file.name), &self.output);
        if let Some(file) = files.iter().find(is_output) {
            let message = format!("`{}` is one of the test files: suggestions would replace its cases", file.name);
            return Err(CliError::misuse(message, "name another file, and move the cases that you keep"));
        }
        let mut groups = if files.is_empty() { Groups::from([(defaults.config.clone(), Vec::new())]) } else { groups };
        let (config, members) = match (groups.pop(), groups.is_empty()) {
            (Some((config, _)), true) if config.is_empty() => {
                return Err(CliError::misuse("no config is given", "name its files: `--config CONFIG`"));
            }
            (Some(group), true) => group,
            _ => {
                let help = "name those of one config: `tpvc test FILE... --suggest`";
                return Err(CliError::misuse("the test files are for several configs", help));
            }
        };
        let Some(tested) = compile(&config, None, common)? else { return Ok(Outcome::Bad) };
        let hooks = map::hooks(common);
        let chosen = self.chosen(files, &members);
        let cases: Vec<&Case> = chosen.iter().filter_map(|(file, case)| files.get(*file)?.cases.get(*case)).collect();
        let (_, counts) = run(&tested, &hooks, &cases, true);
        let of_cases = coverage(&tested, &counts, cases.len());
        let (reach, answers) = reach(&tested, &hooks, defaults, common)?;
        let head = self.head(&config, defaults, answers);
        let suggested = suggest(&tested, &hooks, &of_cases, &reach, (&self.output, &head), defaults);
        if let Some(text) = &suggested.text {
            write_text("the test cases", &self.output, Form::Data, text)?;
        }
        let parts = |parts: usize| count(parts as u64, "part");
        common.note(&match suggested.cases {
            0 if suggested.left > 0 => "no case to suggest".to_owned(),
            0 => "no case to suggest: made jobs reach nothing that the cases do not use".to_owned(),
            cases => format!(
                "{} for {} of the config that no other case uses; the answers are today's: review them",
                count(cases as u64, "case"),
                parts(suggested.parts)
            ),
        });
        if suggested.left > 0 {
            common.note(&format!(
                "{} more that a made job uses, and no case that could be written does",
                parts(suggested.left)
            ));
        }
        Ok(Outcome::Done)
    }

    /// The head of the file: what the settings do not give. `answers` are what the world got because the rules ask for it.
    fn head(&self, config: &[String], defaults: &Defaults, answers: Option<Json>) -> Head {
        let folder = self.output.parent().unwrap_or(Path::new(""));
        let is_of_settings = self.config.is_empty() && config == defaults.config;
        let named = config.iter().filter(|_| !is_of_settings);
        let now = jiff::Timestamp::from_second(defaults.now.div_euclid(1_000_000)).unwrap_or_default();
        Head {
            config: named.map(|name| seen_from(folder, name)).collect(),
            world: match &self.world {
                Some(path) => Some(Json::str(seen_from(folder, &path.display().to_string()))),
                None => answers,
            },
            now: now.to_string(),
        }
    }
}

/// Returns `true` if both paths lead to one file.
fn same_file(one: &Path, other: &Path) -> bool {
    let resolved = |path: &Path| path.canonicalize().ok();
    one == other || resolved(one).is_some_and(|one| Some(one) == resolved(other))
}
