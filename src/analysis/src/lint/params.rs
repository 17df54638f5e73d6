//! T138: params whose name is a slip of one that Galaxy knows. T139: values that the reader of a param takes otherwise.

use std::collections::HashSet;

use super::Linter;
use super::fields::key_span;
use super::server::is_open;
use super::volumes;
use tpv_config::entity::{Common, Dict};
use tpv_config::galaxy_params::GALAXY_PARAMS;
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_text::suggest::{closest, did_you_mean};
use tpv_yaml::value::ConfigValue;

/// The params that are amounts of memory, with what a number without a unit is to their readers.
const MEMORY: [(&str, &str, &str); 3] = [
    ("request_memory", "HTCondor takes this for MiB", "G"),
    ("submit_request_memory", "HTCondor takes this for MiB", "G"),
    ("docker_memory", "Docker takes this for bytes", "g"),
];

/// Params with all the values that their reader knows: `__dependency_resolution` of `galaxy/jobs/runners/pulsar.py`, which raises for others, and the
/// actions of `pulsar/client/action_mapper.py`.
const VALUES: [(&str, &[&str]); 2] = [
    ("dependency_resolution", &["none", "local", "remote"]),
    (
        "default_file_action",
        &[
            "none",
            "rewrite",
            "transfer",
            "copy",
            "remote_copy",
            "remote_transfer",
            "remote_transfer_tus",
            "remote_object_store_copy",
            "remote_rsync_transfer",
            "remote_scp_transfer",
        ],
    ),
];

/// Looks at all entities and rules.
pub(super) fn check(linter: &mut Linter<'_>) {
    let mut seen = HashSet::new();
    for kind in EntityClass::SECTIONS {
        for entity in linter.config.section(kind).values() {
            for common in entity.commons() {
                for (code, span, diagnostic) in judge(linter, common) {
                    if seen.insert((code, span)) {
                        let place = format!("in the {} `{}`", kind.noun(), entity.id);
                        linter.report(
                            Finding::new(code, diagnostic.also(entity.span, place)).of(&entity.common.no_qa_codes),
                        );
                    }
                }
            }
        }
    }
}

fn judge(linter: &Linter<'_>, common: &Common) -> Vec<(Code, Span, Diagnostic)> {
    let params: Option<&Dict> = common.params.as_deref();
    let mut out = Vec::new();
    for (key, value) in params.into_iter().flatten() {
        if let Some(meant) = slip(key).or_else(|| cut_short(key)) {
            let span = key_span(linter, key, value);
            let diagnostic = Diagnostic::warning(format!("`{key}` is not a param that Galaxy reads"))
                .at(span, "no runner and no container reads this")
                .help(did_you_mean(meant));
            // Where the right one is there as well, taking this one's place would make two.
            let is_free = params.is_some_and(|params| !params.contains_key(meant));
            let diagnostic = if is_free { diagnostic.fix(span, meant) } else { diagnostic };
            out.push((Code::MisspeltParam, span, diagnostic));
        }
        let otherwise = without_unit(key, value)
            .or_else(|| slurm_without_unit(key, value))
            .or_else(|| unknown_value(key, value))
            .or_else(|| volumes::wrong(key, value))
            .or_else(|| in_quotes(key, value));
        if let Some(diagnostic) = otherwise {
            out.push((Code::MisreadParam, value.span, diagnostic));
        }
    }
    out
}

/// The param that a name is a slip of: one letter more, less or another, or two in the place of each other.
fn slip(key: &str) -> Option<&'static str> {
    // Short names have neighbours of their own, and so have the requests of HTCondor (`request_gpus`) and Kubernetes (`requests_memory`).
    if key.len() < 7 || key.contains("request") || GALAXY_PARAMS.contains(&key) {
        return None;
    }
    let found = |known: &&str| known.len() >= 7 && is_one_slip(key.as_bytes(), known.as_bytes());
    GALAXY_PARAMS.iter().copied().find(|known| found(known))
}

/// The param of which a name has one word cut short: `docker_run_extra_args`.
fn cut_short(key: &str) -> Option<&'static str> {
    // TPV's documentation has `native_spec` for whatever a runner reads.
    if GALAXY_PARAMS.contains(&key) || key.contains("cpu") || key == "native_spec" || !key.contains('_') {
        return None;
    }
    let is_short =
        |word: &str, whole: &str| (word.len() > 2 && whole.starts_with(word)) || word == "args" && whole == "arguments";
    GALAXY_PARAMS.iter().copied().find(|known| {
        let words = || key.split('_').zip(known.split('_')).filter(|(own, known)| own != known);
        key.split('_').count() == known.split('_').count()
            && words().count() == 1
            && words().all(|(own, known)| is_short(own, known) && known.len() > own.len() + 2)
    })
}

/// Returns `true` if one slip of a key makes the one of the other.
pub(super) fn is_one_slip(one: &[u8], other: &[u8]) -> bool {
    let before = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let after = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let left = |text: &[u8]| text.len().saturating_sub(before + after);
    match (left(one), left(other), one.len().abs_diff(other.len())) {
        (0 | 1, 0 | 1, 1) | (1, 1, 0) => true,
        (2, 2, 0) => one.get(before) == other.get(before + 1) && one.get(before + 1) == other.get(before),
        _ => false,
    }
}

/// A memory in GiB without its unit.
fn without_unit(key: &str, value: &ConfigValue) -> Option<Diagnostic> {
    let (_, taken, unit) = MEMORY.into_iter().find(|(name, ..)| *name == key)?;
    let text = value.as_text()?.as_str().trim();
    let inner = text.strip_prefix('{')?.strip_suffix('}')?.trim();
    if !MEM.contains(&inner) {
        return None;
    }
    Some(
        Diagnostic::warning(format!("`{key}` has no unit, and `mem` is in GiB"))
            .at(value.span, taken)
            .help(format!("write `{text}{unit}`")),
    )
}

/// The amount of memory in code, if code is all that it is: `{int(mem)}`.
const MEM: [&str; 4] = ["mem", "int(mem)", "round(mem)", "entity.mem"];

/// A memory in GiB without its unit among the options for Slurm.
fn slurm_without_unit(key: &str, value: &ConfigValue) -> Option<Diagnostic> {
    if !key.to_lowercase().ends_with("native_specification") && key != "nativeSpecification" {
        return None;
    }
    let (_, rest) = value.as_text()?.as_str().split_once("--mem=")?;
    let (inner, after) = rest.strip_prefix('{')?.split_once('}')?;
    if !MEM.contains(&inner.trim()) || after.starts_with(is_of_name) {
        return None;
    }
    Some(
        Diagnostic::warning("`--mem` has no unit, and `mem` is in GiB".to_owned())
            .at(value.span, "Slurm takes this for MB")
            .help("write `--mem={int(mem*1024)}`"),
    )
}

/// The help for a value that the reader of a param, Pulsar, does not know. `None` if it does, or takes any.
pub fn unknown(key: &str, text: &str) -> Option<String> {
    let (_, known) = VALUES.into_iter().find(|(name, _)| *name == key)?;
    if known.contains(&text) {
        return None;
    }
    let names = || known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    Some(closest(text, known.iter().copied()).map_or_else(|| format!("write one of {}", names()), did_you_mean))
}

/// A value that the reader of a param does not know.
fn unknown_value(key: &str, value: &ConfigValue) -> Option<Diagnostic> {
    let text = value.as_text()?.as_str();
    if text.is_empty() || text.contains('$') || is_open(text) {
        return None;
    }
    let help = unknown(key, text)?;
    Some(Diagnostic::warning(format!("`{key}` has no value `{text}`")).at(value.span, "Pulsar's jobs fail").help(help))
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The quote that is open at the end of a text for the shell. Code in braces is not of the shell.
pub fn unclosed(text: &str) -> Option<&'static str> {
    let (mut depth, mut open, mut escaped) = (0_usize, None, false);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            '\\' if open != Some('\'') => escaped ^= chars.next() == Some('"'),
            '"' | '\'' if open == Some(c) => open = None,
            '"' | '\'' if open.is_none() => open = Some(c),
            _ => {}
        }
    }
    match open {
        _ if depth > 0 => None,
        Some('"') => Some("`\"`"),
        Some(_) => Some("`'`"),
        None => escaped.then_some("`\\\"`"),
    }
}

/// Options that are one word to the shell, because the quotes around them are a part of the text.
fn in_quotes(key: &str, value: &ConfigValue) -> Option<Diagnostic> {
    let is_for_condor = key.eq_ignore_ascii_case("requirements");
    if !key.ends_with("_run_extra_arguments") && !key.to_lowercase().ends_with("native_specification") && !is_for_condor
    {
        return None;
    }
    let text = value.as_text()?.as_str().trim();
    if let Some((_, inner)) = text.split_once("=\\\"").filter(|(before, _)| before.ends_with(is_of_name))
        && inner.contains("\\\"\"")
    {
        return Some(
            Diagnostic::warning("the value of a variable has quotes of its own".to_owned())
                .at(value.span, "`\\\"` within quotes is a part of the value")
                .help("leave out the inner quotes, or put the outer ones away: `--env NAME=\"...\"`"),
        );
    }
    if let Some(quote) = unclosed(text) {
        return Some(
            Diagnostic::warning(format!("a quote of `{key}` is not closed"))
                .at(value.span, format!("there is one {quote} too few or too many"))
                .help("close the quote, or leave it out"),
        );
    }
    if is_for_condor {
        return None;
    }
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    if inner.contains(quote) || !inner.starts_with('-') || !inner.contains(char::is_whitespace) {
        return None;
    }
    Some(
        Diagnostic::warning(format!("the quotes are a part of `{key}`"))
            .at(value.span, "the shell takes all of this for one word")
            .help("leave out the inner quotes"),
    )
}
