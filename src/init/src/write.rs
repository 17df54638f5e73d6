//! Guesses as a `tpvc.toml`, with their places in comments.

use serde_json::Value;

use super::environment::{Environment, Guess};
use super::versions::UNNAMED;
use tpv_model::Version;
use tpv_text::figures::count;

/// The text of the settings. `remotes` are URLs and the paths of their copies.
pub fn settings(environments: &[Environment], remotes: &[(String, String)]) -> String {
    let mut out =
        "# Written by `tpvc init`, with the place of each guess. docs/settings.md has the settings.\n".to_owned();
    let is_single = matches!(environments, [_]);
    if !is_single {
        out.push_str("# The first environment is the default; `--environment NAME` chooses another.\n");
    }
    for environment in environments {
        let table = if is_single { String::new() } else { format!("environments.{}", key(&environment.name)) };
        out.push('\n');
        if !table.is_empty() {
            out.push_str(&format!("[{table}]\n"));
        }
        if let Some(why) = &environment.is_default {
            comment(&mut out, &format!("the default, {why}"));
        }
        if environment.is_left() {
            comment(&mut out, "no inventory has this group or host");
        }
        if let [_, _, ..] = environment.hosts() {
            comment(&mut out, &format!("the same on {}", environment.hosts().join(", ")));
        }
        comment(&mut out, &environment.from);
        list(&mut out, "files", environment.files.iter().map(|file| (file.as_str(), "")));
        for absent in &environment.absent {
            comment(&mut out, &format!("not in this repository: {} ({})", absent.value, absent.from));
        }
        if let Some(inline) = inline(environment) {
            comment(&mut out, &inline);
        }
        match &environment.tpv {
            Some(chosen) => {
                comment(&mut out, &chosen.said);
                chosen.notes.iter().for_each(|note| comment(&mut out, note));
                out.push_str(&format!("tpv = {}\n", quoted(&chosen.number)));
            }
            None => comment(&mut out, &unknown_version(environment)),
        }
        if !environment.vars.is_empty() {
            grouped(&mut out, "vars", &environment.vars);
        }
        for Guess { value, from } in &environment.left_out {
            comment(&mut out, &format!("left out: {value} ({from})"));
        }
        // Else all files would be rendered.
        grouped(&mut out, "templates", &environment.templates);
        if !environment.placeholders.is_empty() {
            comment(&mut out, "variables without a value here");
            grouped(&mut out, "placeholders", &environment.placeholders);
        }
        let below = |name: &str| if table.is_empty() { name.to_owned() } else { format!("{table}.{name}") };
        if !environment.variables.is_empty() {
            out.push_str(&format!("\n[{}]\n", below("variables")));
            let mut last = "";
            for Guess { value: (name, value), from } in &environment.variables {
                if from != last {
                    comment(&mut out, from);
                }
                last = from;
                out.push_str(&format!("{} = {}\n", key(name), toml(value)));
            }
        }
        if let Some(job_conf) = &environment.job_conf {
            out.push_str(&format!("\n[{}]\njob_conf = {}\n", below("server"), quoted(job_conf)));
        }
    }
    if !remotes.is_empty() {
        out.push_str("\n[remotes]\n");
        remotes.iter().for_each(|(url, path)| out.push_str(&format!("{} = {}\n", quoted(url), quoted(path))));
    }
    out
}

/// The words for a version that nothing tells.
pub fn unknown_version(environment: &Environment) -> String {
    let reason = environment.unreleased.as_deref().unwrap_or(UNNAMED);
    format!("{reason}: TPV {} is assumed", Version::default())
}

/// The configs in the list itself, in words. `None` if there are none.
pub fn inline(environment: &Environment) -> Option<String> {
    let configs = count(environment.inline as u64, "config");
    (environment.inline > 0).then(|| format!("not listed: {configs} in {} itself", environment.from))
}

/// A value on a line. TOML has no null: text that is empty prints alike.
fn toml(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Array(items) => format!("[{}]", joined(items.iter().map(toml).collect())),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let pairs = map.iter().map(|(name, value)| format!("{} = {}", key(name), toml(value)));
            format!("{{ {} }}", joined(pairs.collect()))
        }
        Value::Null => "\"\"".to_owned(),
        other => other.to_string(),
    }
}

fn comment(out: &mut String, text: &str) {
    out.push_str(&format!("# {}\n", text.replace(char::is_control, " ")));
}

/// A list whose items have places, each with its place where that changes.
fn grouped(out: &mut String, name: &str, guesses: &[Guess<String>]) {
    let mut last = "";
    let items = guesses.iter().map(|guess| {
        let from = if guess.from == last { "" } else { guess.from.as_str() };
        last = &guess.from;
        (guess.value.as_str(), from)
    });
    list(out, name, items.collect::<Vec<_>>().into_iter());
}

fn list<'a>(out: &mut String, name: &str, items: impl ExactSizeIterator<Item = (&'a str, &'a str)>) {
    if items.len() == 0 {
        out.push_str(&format!("{name} = []\n"));
        return;
    }
    out.push_str(&format!("{name} = [\n"));
    for (item, from) in items {
        let from = if from.is_empty() { String::new() } else { format!("  # {}", from.replace(char::is_control, " ")) };
        out.push_str(&format!("  {},{from}\n", quoted(item)));
    }
    out.push_str("]\n");
}

/// A key, in quotes where it needs them.
fn key(name: &str) -> String {
    let is_bare = !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || "_-".contains(char));
    if is_bare { name.to_owned() } else { quoted(name) }
}

/// A text in quotes, which TOML and JSON write alike.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
