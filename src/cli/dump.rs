//! `tpvc dump`

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use tpv_analysis::dump::{Options, matching, text, yaml};
use tpv_config::Input;
use tpv_model::EntityClass;
use tpv_text::source::redacted;
use tpv_text::suggest::{closest, did_you_mean};

use super::common::Common;
use super::error::{CliError, Outcome};
use super::job_conf::Wanted;
use super::output::print_paged;
use super::rules;
use tpv_text::printable::Form;

/// Print the merged config
///
/// Prints the config as TPV sees it: files merged in order, `inherits` resolved. Takes the flags of `tpv dump`.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc dump shared.yml local.yml\n  \
    tpvc dump --job-conf job_conf.yml --format yaml\n  \
    tpvc dump shared.yml local.yml --entity bwa_mem --resolved --provenance")]
pub(super) struct Dump {
    /// Config files, URLs, folders (their .yml and .yaml files, by name) or patterns, merged in this order [default: those of
    /// tpvc.toml]
    #[arg(value_name = "CONFIG")]
    configs: Vec<String>,
    /// Galaxy's job configuration, YAML or XML, which names the config files if none are given
    #[arg(long, value_name = "FILE")]
    job_conf: Option<PathBuf>,
    /// The dispatcher of the job configuration, of several [default: `tpv_dispatcher`]
    #[arg(long, value_name = "DESTINATION", requires = "job_conf")]
    dispatcher: Option<String>,
    /// Output format [default: text, with --provenance yaml]
    #[arg(long, alias = "output-format", value_name = "FORMAT")]
    format: Option<Format>,
    /// Give each entity what it inherits from `default_inherits`, and destinations TPV's own defaults
    #[arg(long)]
    resolved: bool,
    /// Only the entities of this id; for the id of a tool, role or user that has none, what it gets from all that match
    #[arg(long, value_name = "ID")]
    entity: Option<String>,
    /// Add the file and line of each value as a YAML comment
    #[arg(long)]
    provenance: bool,
}

/// A form of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Yaml,
}

impl Dump {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        if self.provenance && self.format == Some(Format::Text) {
            let help = "leave out `--format text`";
            return Err(CliError::misuse("`--provenance` writes YAML comments", help));
        }
        let wanted = Wanted { dispatcher: self.dispatcher.clone(), ..Wanted::default() };
        let (inputs, texts) = rules::inputs(self.job_conf.as_deref(), &wanted, &self.configs, common)?;
        let compiled = tpv_compiler::compile_inputs(&inputs, texts, &tpv_compiler::CompileOptions::default());
        // Pools without a store only keep a mapper from starting: `tpv dump` shows such a config, too.
        if compiled.diagnostics.errors() > usize::from(tpv_compiler::link::lacks_store(&compiled.config)) {
            common.show(&compiled.diagnostics, &compiled.sources);
            return Ok(Outcome::Bad);
        }
        let config = &compiled.config;
        let mut is_matching = false;
        if let Some(id) = &self.entity {
            let ids: Vec<&str> =
                EntityClass::SECTIONS.iter().flat_map(|kind| config.section(*kind).keys()).map(|id| &**id).collect();
            let matching: Vec<&str> = EntityClass::MATCHED
                .into_iter()
                .flat_map(|kind| matching(config, kind, id))
                .map(|entity| &*entity.id)
                .collect();
            is_matching = !ids.contains(&&**id) && !matching.is_empty();
            if is_matching {
                let names: Vec<String> = matching.iter().map(|name| format!("`{name}`")).collect();
                common.note(&format!("`{id}` gets what these say, later over earlier: {}", names.join(", ")));
            } else if !ids.contains(&&**id) {
                // The id of a tool of a tool shed has its name somewhere inside.
                let around = || ids.iter().copied().filter(|other| other.contains(&**id)).take(3).collect::<Vec<_>>();
                let help = match (closest(id, ids.iter().copied()), around().as_slice()) {
                    (Some(near), _) => did_you_mean(near),
                    (None, []) => "`tpvc dump` without `--entity` lists all of them".to_owned(),
                    (None, around) => format!("did you mean `{}`?", around.join("` or `")),
                };
                return Err(CliError::new(format!("no entity has the id `{id}`"), help));
            }
        }
        let names: Vec<String> = inputs
            .iter()
            .map(|input| match input {
                Input::Named(name) => redacted(name).into_owned(),
                Input::Text(_) | Input::Inline(..) => "<inline config>".to_owned(),
            })
            .collect();
        let options = Options {
            resolved: self.resolved,
            entity: self.entity.as_deref(),
            matching: is_matching,
            places: self.provenance.then_some(&compiled.sources),
        };
        let default = if self.provenance { Format::Yaml } else { Format::Text };
        match self.format.unwrap_or(default) {
            Format::Text => print_paged(Form::Text, &text(config, &names, &options))?,
            Format::Yaml => print_paged(Form::Data, &yaml(config, &names, &options))?,
        }
        Ok(Outcome::Done)
    }
}
