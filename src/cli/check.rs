//! `tpvc check`

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::findings::{Report, Reporting};
use super::output::write_text;
use super::progress::Working;
use super::{paths, world};
use tpv_analysis::check::reach::{self, Matrix};
use tpv_analysis::check::{Checked, Further, check_inputs};
use tpv_config::Input;
use tpv_prove::tried;
use tpv_settings::Settings;
use tpv_text::printable::Form;
use tpv_text::source::redacted;

/// Find tools that no destination accepts, rules that never apply and code that fails, proved for every job or shown by one
///
/// T2xx hold for every job, user and role. For T3xx ordinary jobs of each tool are mapped, at several sizes of inputs and with each
/// role; each such finding has a job for `tpvc dry-run`. The files are merged in the order given, later over earlier; give
/// all files, because any of them may define tags and destinations. Findings of `tpvc lint` are not repeated. Exits 1 if there is an
/// error, 0 if there are only warnings.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc check tpv_rules_local.yml\n  \
    tpvc check https://gxy.io/tpv/db.yml rules/ --strict\n  \
    tpvc check rules/*.yml --format sarif\n  \
    tpvc check rules/*.yml --matrix matrix.html")]
pub(super) struct Check {
    /// Config files, http/https URLs, folders (their .yml and .yaml files) or patterns with `*` [default: those of tpvc.toml]
    #[arg(value_name = "CONFIG")]
    configs: Vec<String>,
    /// Write which tools can reach which destinations, and what excludes the others: a page if the file ends in .html, else JSON
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,
    /// Galaxy's state (a world file) in which jobs are tried: their count, tool data tables, files [default: that of tpvc.toml, else an
    /// empty Galaxy]
    #[arg(long, value_name = "WORLD")]
    world: Option<PathBuf>,
    #[command(flatten)]
    reporting: Reporting,
}

/// The name of the verb.
pub(super) const VERB: &str = "tpvc check";

/// The most bytes of names of configs that the commands of findings repeat.
const MOST_REPEATED: usize = 100;

impl Check {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let started = Instant::now();
        let settings = common.settings()?;
        let options = self.reporting.options(false, &settings, common)?;
        let configs = paths::configs(&self.configs, common)?;
        let world = Arc::new(world::at_this_moment(self.world.as_deref().or(settings.world.as_deref()))?);
        let further: Further<'_> = &|linter, blocks, told| tried::check(linter, blocks, told, &world);
        let inputs = Input::named(&configs);
        let texts = common.texts()?;
        let working = Working::on(common, "proving, and trying jobs of each tool");
        let Checked { mut linted, matrix, unproved, untried } =
            check_inputs(&inputs, &texts, &options, self.matrix.is_some(), further);
        drop(working);
        tried::with_rules(&mut linted.findings, self.named(), &self.arguments(common, &settings));
        let (errors, files) = (linted.errors(), configs.len());
        let sources = &linted.sources;
        let unproved = unproved.iter().map(|unproved| unproved.text(sources));
        let notes: Vec<String> = unproved.chain(untried.iter().map(|untried| untried.untried(sources))).collect();
        let report = Report { verb: VERB, files, started, options: &options, settings: &settings };
        let outcome = self.reporting.report(vec![linted], &report, common)?;
        notes.iter().for_each(|note| common.note(note));
        if let Some(path) = &self.matrix {
            write_matrix(path, matrix.as_ref(), errors, &configs)?;
        }
        Ok(outcome)
    }

    /// The configs as `tpvc dry-run` takes them; none for those of `tpvc.toml`. `None` if they are too long to repeat, or have secrets.
    fn named(&self) -> Option<&[String]> {
        let is_open = |config: &String| matches!(redacted(config), Cow::Borrowed(_));
        let bytes: usize = self.configs.iter().map(String::len).sum();
        (bytes <= MOST_REPEATED && self.configs.iter().all(is_open)).then_some(&self.configs)
    }

    /// The options with which `tpvc dry-run` maps jobs as they were tried. The world of `tpvc.toml` is for its own configs alone there.
    fn arguments(&self, common: &Common, settings: &Settings) -> Vec<String> {
        let of_settings = settings.world.as_ref().filter(|_| !self.configs.is_empty());
        let world = self.world.as_ref().or(of_settings);
        let world = world.into_iter().flat_map(|world| ["--world".to_owned(), world.display().to_string()]);
        common.arguments().into_iter().chain(world).collect()
    }
}

/// Writes the matrix, where there is one.
fn write_matrix(path: &Path, matrix: Option<&Matrix>, errors: usize, configs: &[String]) -> Result<(), CliError> {
    let Some(matrix) = matrix else {
        let help = match errors {
            0 => "the line above has the reason",
            _ => "the config does not load: run without `--matrix` and correct what is reported",
        };
        return Err(CliError::new("no matrix was made for this config", help));
    };
    let (form, text) = match path.extension() {
        Some(extension) if extension == "html" => (Form::Data, reach::page(matrix, &paths::listed(configs))),
        _ => (Form::Json, serde_json::to_string(matrix).map(|text| text + "\n")),
    };
    let text = text.map_err(|error| CliError::bug("the matrix", &error))?;
    write_text("the matrix", path, form, &text)
}
