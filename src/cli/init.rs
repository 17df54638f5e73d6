//! `tpvc init`

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::output::{print_stdout, say, write_text};
use tpv_init::{Environment, Look, inline, look, settings, unknown_version};
use tpv_settings::FILE;
use tpv_text::figures::count;
use tpv_text::printable::Form;
use tpv_text::source::{is_url, redacted};

/// Write a `tpvc.toml` that fits a repository
///
/// Reads the repository of a Galaxy server, such as its Ansible playbooks: which config files `job_conf` gives to TPV, where they are, which of
/// them are templates, and which variables fill these in. It asks nothing, says what it guessed and from where, and never overwrites a file.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc init\n  \
    tpvc init infrastructure-playbook --print\n  \
    tpvc init --remote https://gxy.io/tpv/db.yml=../tpv-shared-database/tools.yml\n  \
    tpvc init && tpvc lint && tpvc check")]
pub(super) struct Init {
    /// The folder of the repository [default: the current one]
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Print the settings, and write nothing
    #[arg(long)]
    print: bool,
    /// A file that is read in place of a URL, or of a URL that ends in `/`, a folder with all below it; repeat it for more
    #[arg(long, value_name = "URL=PATH")]
    remote: Vec<String>,
}

impl Init {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let folder = self.folder.as_deref().unwrap_or(Path::new(""));
        let path = folder.join(FILE);
        if !self.print && (path.is_symlink() || path.exists()) {
            let message = format!("`{}` exists, and is left as it is", path.display());
            return Err(CliError::new(message, "remove it first, or see what `tpvc init --print` would write"));
        }
        if !folder.as_os_str().is_empty() && !folder.is_dir() {
            let message = format!("`{}` is not a folder", folder.display());
            return Err(CliError::new(message, "name the folder of a repository"));
        }
        let remotes = self.remote.iter().map(|remote| self::remote(remote, folder)).collect::<Result<Vec<_>, _>>()?;
        let Look { environments, skipped, left_out } = look(folder);
        self::left_out(&left_out);
        let say_skipped = |text: &String| say(&format!("skipped: {text}"));
        skipped.iter().filter(|_| !common.quiet).for_each(say_skipped);
        let environments = environments.map_err(|refusal| {
            refusal.skipped.iter().for_each(say_skipped);
            let help = format!("write `files = [...]` into `{FILE}` yourself: docs/settings.md");
            CliError::new(refusal.message, help)
        })?;
        self::unused(&remotes, &environments);
        let text = settings(&environments, &remotes);
        if !common.quiet {
            environments.iter().for_each(|environment| self::report(environment, environments.len() > 1));
        }
        if self.print {
            print_stdout(Form::Toml, &text)?;
            return Ok(Outcome::Done);
        }
        write_text("the settings", &path, Form::Toml, &text)?;
        common.note(&format!("wrote `{}`; next: `tpvc lint`", path.display()));
        Ok(Outcome::Done)
    }
}

/// A URL and the path of its copy, relative to the folder of the settings if that is the present one.
fn remote(text: &str, folder: &Path) -> Result<(String, String), CliError> {
    let Some((url, path)) = text.split_once('=').filter(|(url, path)| is_url(url) && !path.is_empty()) else {
        let message = format!("`--remote {text}` names no URL and path");
        return Err(CliError::misuse(message, "write `--remote https://example.org/tools.yml=../clone/tools.yml`"));
    };
    if !Path::new(path).exists() {
        let message = format!("`{path}`, the copy of `{url}`, is not there");
        return Err(CliError::new(message, "name a file, or a folder such as a clone"));
    }
    let path =
        if folder.as_os_str().is_empty() { path.into() } else { std::path::absolute(path).unwrap_or(path.into()) };
    Ok((url.to_owned(), path.to_string_lossy().into_owned()))
}

/// Warns of copies of URLs that no list has, with the URLs that they have.
fn unused(remotes: &[(String, String)], environments: &[Environment]) {
    let files = environments.iter().flat_map(|environment| &environment.files);
    let urls: BTreeSet<&String> = files.filter(|file| is_url(file)).collect();
    let is_used =
        |remote: &str| urls.iter().any(|url| *url == remote || remote.ends_with('/') && url.starts_with(remote));
    let known: Vec<String> = urls.iter().map(|url| format!("`{}`", redacted(url))).collect();
    let known = if known.is_empty() {
        "no URL is among the files".to_owned()
    } else {
        format!("the URLs of the files are {}", known.join(", "))
    };
    for (url, _) in remotes.iter().filter(|(url, _)| !is_used(url)) {
        say(&format!("warning: no file is `{}`, as `--remote` says: {known}", redacted(url)));
    }
}

/// The most names of variables, and of files that were left out, that are printed; the settings have all variables.
const SHOWN: usize = 8;

/// Warns of files that were not looked at.
fn left_out(files: &[String]) {
    for file in files.iter().take(SHOWN) {
        say(&format!("warning: not looked at: {file}"));
    }
    if let Some(more) = files.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        say(&format!("warning: not looked at: {more} more"));
    }
}

/// Says what was guessed of an environment, and from where.
fn report(environment: &Environment, is_one_of_many: bool) {
    if is_one_of_many {
        let default = environment.is_default.as_ref().map_or_else(String::new, |why| format!(" the default, {why}"));
        let left = if environment.is_left() { " no inventory has this group or host" } else { "" };
        say(&format!("environment {}:{default}{left}", environment.name));
    }
    let indent = if is_one_of_many { "  " } else { "" };
    let files = count(environment.files.len() as u64, "config file");
    say(&format!("{indent}{files}, in the order of {}", environment.from));
    for absent in &environment.absent {
        say(&format!("{indent}  not in this repository: {} ({})", absent.value, absent.from));
    }
    if let Some(inline) = inline(environment) {
        say(&format!("{indent}  {inline}: `tpvc dump --job-conf` reads them"));
    }
    match &environment.tpv {
        Some(chosen) => {
            say(&format!("{indent}{}", chosen.said));
            chosen.notes.iter().for_each(|note| say(&format!("{indent}  but {note}")));
        }
        None => say(&format!("{indent}{}", unknown_version(environment))),
    }
    if let Some(host) = &environment.host {
        let others = environment.hosts().len().saturating_sub(1) as u64;
        let others =
            if others > 0 { format!(" and {} with the same configs", count(others, "other")) } else { String::new() };
        say(&format!("{indent}host `{}`{others}, by the inventory `{}`", host.value, host.from));
    }
    if !environment.vars.is_empty() {
        let files = count(environment.vars.len() as u64, "file");
        let from = environment.vars.iter().rev().map(|file| file.from.as_str()).find(|from| from.contains(':'));
        let from = from.map_or_else(|| "its groups".to_owned(), str::to_owned);
        say(&format!("{indent}variables from {files}, by {from}"));
    }
    let encrypted = environment.left_out.iter().filter(|file| file.from == "encrypted").count();
    if encrypted > 0 {
        let files = count(encrypted as u64, "encrypted file");
        say(&format!("{indent}  left out: {files}"));
    }
    for file in environment.left_out.iter().filter(|file| file.from != "encrypted") {
        say(&format!("{indent}  left out: {} ({})", file.value, file.from));
    }
    for variable in &environment.variables {
        say(&format!("{indent}  `{}` is set as in {}", variable.value.0, variable.from));
    }
    if !environment.placeholders.is_empty() {
        let names: Vec<&str> = environment.placeholders.iter().map(|name| name.value.as_str()).collect();
        let variables = count(names.len() as u64, "variable");
        let shown = names.get(..SHOWN.min(names.len())).unwrap_or(&[]).join(", ");
        let more = names.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        say(&format!("{indent}{variables} without a value, for which placeholders stand in: {shown}{more}"));
    }
    if let Some(job_conf) = &environment.job_conf {
        say(&format!("{indent}runners from {job_conf}"));
    }
    for fault in &environment.faults {
        say(&format!("{indent}  fault: {fault}"));
    }
}
