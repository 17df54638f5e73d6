//! The rules that a verb works with: an artifact, configs, or what a job configuration names.

use std::path::Path;
use std::sync::Arc;

use tpv_runtime::artifact::Rules;

use tpv_config::{Config, ConfigTexts, Input};
use tpv_text::source::SourceMap;

use super::common::Common;
use super::error::CliError;
use super::job_conf::Wanted;
use super::kind::Kind;
use super::{input, job_conf, paths};

/// Rules, with the config that they were compiled from where that is known.
pub(super) struct LoadedRules {
    /// The rules.
    pub(super) rules: Arc<Rules>,
    /// The merged config and its texts; nothing for an artifact.
    pub(super) origin: Option<(Config, SourceMap)>,
}

/// The inputs of a verb: config files before those that a job configuration names.
///
/// # Errors
/// An error if the file cannot be read or is of another kind.
pub(super) fn inputs(
    job_conf: Option<&Path>,
    wanted: &Wanted,
    configs: &[String],
    common: &Common,
) -> Result<(Vec<Input>, ConfigTexts), CliError> {
    let named = || -> Result<Vec<Input>, CliError> {
        Ok(paths::configs(configs, common)?.into_iter().map(Input::Named).collect())
    };
    let Some(path) = job_conf else { return Ok((named()?, common.texts()?)) };
    if configs.is_empty() {
        let conf = job_conf::read(path, wanted, common)?;
        return Ok((conf.inputs, conf.texts));
    }
    // TPV reads it, too, before it prefers the configs of the command line.
    if !path.is_file() {
        let message = format!("the job configuration `{}` cannot be read: no such file", path.display());
        return Err(CliError::new(message, "check the path"));
    }
    Ok((named()?, common.texts()?))
}

/// The rules of an artifact, where that is the one thing given, or of configs. `None` where the configs are bad, which has
/// then been reported.
///
/// # Errors
/// An error if the file cannot be read or is of another kind.
pub(super) fn load_any(
    job_conf: Option<&Path>,
    configs: &[String],
    common: &Common,
) -> Result<Option<LoadedRules>, CliError> {
    load_of(job_conf, &Wanted::default(), configs, common)
}

/// As [`load_any`], for a job, whose dispatcher counts where a job configuration has several.
///
/// # Errors
/// The same, and that there is no such dispatcher.
pub(super) fn load_of(
    job_conf: Option<&Path>,
    wanted: &Wanted,
    configs: &[String],
    common: &Common,
) -> Result<Option<LoadedRules>, CliError> {
    if let (None, [only]) = (job_conf, configs)
        && Kind::of(Path::new(only)) == Kind::Artifact
    {
        let rules = load(Path::new(only))?;
        common.check_version(&rules)?;
        return Ok(Some(LoadedRules { rules: Arc::new(rules), origin: None }));
    }
    let (inputs, texts) = inputs(job_conf, wanted, configs, common)?;
    let compiled = tpv_compiler::compile_inputs(&inputs, texts, &tpv_compiler::CompileOptions::default());
    if compiled.rules.is_none() || common.verbose > 0 {
        common.show(&compiled.diagnostics, &compiled.sources);
    }
    Ok(compiled
        .rules
        .map(|rules| LoadedRules { rules: Arc::new(rules), origin: Some((compiled.config, compiled.sources)) }))
}

/// Loads an artifact.
pub(super) fn load(path: &Path) -> Result<Rules, CliError> {
    let bytes = input::artifact(path)?;
    Rules::load(&bytes).map_err(|error| artifact_error(path, &error.to_string()))
}

/// The error for bytes that are not an artifact of the format that this build reads.
pub(super) fn artifact_error(path: &Path, what: &str) -> CliError {
    let name = path.display();
    let unusable = |help: &str| CliError::new(format!("`{name}` cannot be used: {what}"), help);
    match Kind::of(path) {
        Kind::Artifact => unusable("compile the config again with this tpvc: `tpvc compile CONFIG... -o RULES`"),
        Kind::Unknown => unusable("name an artifact that `tpvc compile CONFIG... -o RULES` wrote"),
        Kind::Config => CliError::new(
            format!("`{name}` is a TPV config, not an artifact"),
            format!("compile it before: `tpvc compile {name} -o rules.bin`"),
        ),
        kind => CliError::new(
            format!("`{name}` is {}, not an artifact", kind.noun()),
            "name an artifact that `tpvc compile CONFIG... -o RULES` wrote",
        ),
    }
}
