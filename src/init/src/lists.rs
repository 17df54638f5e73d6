//! The lists of config files that Galaxy's job configuration gives to TPV, read as text, since most of them are in templates.

use tpv_yaml::value::{ConfigValue, ValueKind};

use super::marks::{KEYS, Mark};
use super::scan::Repository;
use super::yaml::Yaml;

/// A list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct List {
    /// The file with the list.
    pub(super) file: String,
    /// Its line, from 1.
    pub(super) line: usize,
    /// The variable of the file that the list is in, or the key of the list.
    pub(super) variable: String,
    /// The paths and URLs; this file itself where configs stand in the list.
    pub(super) items: Vec<String>,
    /// The job configuration: this file, or one that loops over the list.
    pub(super) job_conf: Option<String>,
    /// The number of configs in the list, as mappings, where the file is no job configuration.
    pub(super) inline: usize,
    /// The key of the mapping with the list: in a job configuration, the id of the destination. Empty if it is unknown.
    pub(super) holder: String,
}

impl List {
    /// `file:line`
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

/// All lists of a repository, in the order of their files.
pub(super) fn of(repository: &Repository) -> Vec<List> {
    let mut lists = Vec::new();
    // Job configurations that loop over a variable: its name, and the file.
    let mut loops: Vec<(String, String)> = Vec::new();
    for (file, text) in repository.marked(Mark::List) {
        for (line, variable, holder, found) in found(file, &text) {
            let job_conf = is_job_conf(&text).then(|| file.clone());
            match found {
                Items::Listed(mut items, mut inline) => {
                    // What a job configuration has in its list is read from it (`tpv_config::job_conf`).
                    let own = items.iter().position(|item| item == HERE);
                    items.retain(|item| item != HERE);
                    if let Some(own) = own.filter(|_| has_execution(&text)) {
                        items.insert(own, file.clone());
                        inline = 0;
                    }
                    lists.push(List { file: file.clone(), line, variable, items, job_conf, inline, holder });
                }
                Items::Looped(variable) => loops.push((variable, file.clone())),
            }
        }
    }
    lists.extend(loops.iter().flat_map(|(variable, _)| of_variable(variable, repository)));
    for list in lists.iter_mut().filter(|list| list.job_conf.is_none()) {
        list.job_conf = loops.iter().find(|(variable, _)| *variable == list.variable).map(|(_, file)| file.clone());
    }
    lists
}

/// The lists that a variable without one of the usual names has in files of variables.
fn of_variable(variable: &str, repository: &Repository) -> Vec<List> {
    if KEYS.iter().any(|known| variable.ends_with(known)) {
        return Vec::new();
    }
    let files = repository.names().filter(|file| file.contains("vars/") || file.contains("defaults/"));
    let lists = files.filter_map(|file| {
        let text = repository.plain(file).filter(|text| text.contains(variable))?;
        let yaml = Yaml::of(file, &text)?;
        let entry = yaml.root.as_map()?.entry(variable)?;
        let Items::Listed(items, inline) = listed(&entry.value)? else { return None };
        let (file, variable, line) = (file.clone(), variable.to_owned(), yaml.line(&entry.key));
        Some(List { file, line, variable, items, inline, ..List::default() })
    });
    lists.collect()
}

/// Returns `true` for a job configuration whose environments are at its top.
fn has_execution(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("execution:"))
}

/// The lists of a text.
fn found(name: &str, text: &str) -> Vec<Found> {
    // Of a template only the lines are sure.
    let yaml = if text.contains("{%") { None } else { Yaml::of(name, text) };
    // XML is a text to YAML.
    let yaml = yaml.filter(|yaml| yaml.root.as_text().is_none());
    yaml.map_or_else(|| of_lines(&text.lines().collect::<Vec<_>>()), |yaml| of_yaml(&yaml))
}

/// A list: its line, the variable that it is in, the key of the mapping with it, and its items.
type Found = (usize, String, String, Items);

/// The lists of a text that is no YAML as it is written, by its lines.
fn of_lines(lines: &[&str]) -> Vec<Found> {
    let found = lines.iter().enumerate().filter_map(|(at, line)| {
        let items = items(line, lines.get(at + 1..).unwrap_or(&[]))?;
        Some((at + 1, line.trim().split(':').next().unwrap_or("").to_owned(), String::new(), items))
    });
    found.collect()
}

/// The keys of mappings that say nothing of a destination.
const PLAIN: [&str; 4] = ["params", "environments", "destinations", "execution"];

/// The lists of a document, in any style and at any depth.
fn of_yaml(yaml: &Yaml) -> Vec<Found> {
    let mut found = Vec::new();
    let tops = yaml.root.as_map().map_or(&[][..], |map| &map.entries);
    yaml.maps(&mut |holder, map| {
        for entry in &map.entries {
            let key = entry.key.as_str().unwrap_or("");
            if !KEYS.iter().any(|known| key.ends_with(known)) {
                continue;
            }
            let holds = |top: &&tpv_yaml::value::Entry| {
                let (top, inner) = (top.value.span.range(), entry.value.span.range());
                top.start <= inner.start && inner.end <= top.end
            };
            let variable = tops.iter().find(holds).and_then(|top| top.key.as_str()).unwrap_or(key);
            let named = map.get("id").and_then(ConfigValue::as_str);
            let holder = named.unwrap_or(if PLAIN.contains(&holder) { "" } else { holder });
            let list = |items| (yaml.line(&entry.key), variable.to_owned(), holder.to_owned(), items);
            found.extend(listed(&entry.value).map(list));
        }
    });
    found.sort_by_key(|(line, ..)| *line);
    found
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || char == '_')
}

/// The items of a list, or of a text with commas. `None` if there are none, or a template makes them.
fn listed(value: &ConfigValue) -> Option<Items> {
    let ValueKind::List(items) = &value.kind else {
        let text = value.as_str()?;
        if let Some(inner) = text.trim().strip_prefix("{{").and_then(|text| text.strip_suffix("}}")) {
            return is_name(inner.trim()).then(|| Items::Looped(inner.trim().to_owned()));
        }
        let items = split(text);
        return (!items.is_empty()).then_some(Items::Listed(items, 0));
    };
    let (mut listed, mut inline) = (Vec::new(), 0);
    for item in items.iter() {
        match item.as_str() {
            Some(text) => listed.push(text.to_owned()),
            None if item.as_map().is_some() => {
                if inline == 0 {
                    listed.push(HERE.to_owned());
                }
                inline += 1;
            }
            None => {}
        }
    }
    (!listed.is_empty()).then_some(Items::Listed(listed, inline))
}

/// Returns `true` for the text of a job configuration with configs in its list.
pub fn has_configs(text: &str) -> bool {
    has_execution(text) && found("", text).iter().any(|found| matches!(found.3, Items::Listed(_, 1..)))
}

/// Returns `true` for a text with runners, as `job_conf` has them.
fn is_job_conf(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("runners:") || line.starts_with("plugins:") || line.starts_with("<plugins")
    })
}

/// The item that stands for mappings, where the first of them is.
const HERE: &str = "";

enum Items {
    /// Paths and URLs, with [`HERE`] among them, and the number of mappings.
    Listed(Vec<String>, usize),
    /// They are those of this variable.
    Looped(String),
}

/// The items of a list that begins in this line. `None` if none does.
fn items(line: &str, rest: &[&str]) -> Option<Items> {
    let start = line.trim_start();
    if let Some((before, value)) = start.split_once("</param>").and_then(|(param, _)| param.split_once('>')) {
        let is_key = before.starts_with("<param") && KEYS.iter().any(|key| before.contains(&format!("\"{key}\"")));
        return is_key.then(|| Items::Listed(split(value), 0));
    }
    let key = start.split(':').next().unwrap_or("");
    let is_word = key.chars().all(|char| char.is_alphanumeric() || char == '_');
    if !is_word || !KEYS.iter().any(|known| key.ends_with(known)) {
        return None;
    }
    let value = uncommented(start.get(key.len()..)?.strip_prefix(':')?).trim();
    if let Some(inner) = value.strip_prefix('[') {
        return Some(Items::Listed(split(inner.trim_end_matches(']')), 0));
    }
    // A text with Jinja is made of another variable.
    if !value.is_empty() && !value.starts_with('#') {
        return (!value.contains("{{")).then(|| Items::Listed(split(value.trim_matches(['"', '\''])), 0));
    }
    let indent = line.len() - start.len();
    let mut items = Vec::new();
    // The mappings, each a config by itself, and the indentation of the present one.
    let (mut inline, mut mapping) = (0, None);
    for line in rest {
        let inner = line.trim_start();
        let depth = line.len() - inner.len();
        if mapping.is_some_and(|start| depth > start) || inner.is_empty() || inner.starts_with('#') {
            continue;
        }
        if let Some(tag) = inner.strip_prefix("{%") {
            let mut words = tag.trim_start_matches('-').split_whitespace();
            if items.is_empty() && words.next() == Some("for") {
                let name = words.skip_while(|word| *word != "in").nth(1).unwrap_or("");
                let is_word = |char: &char| char.is_alphanumeric() || *char == '_';
                return Some(Items::Looped(name.chars().take_while(is_word).collect()));
            }
            continue;
        }
        let Some(item) = inner.strip_prefix("- ").filter(|_| depth >= indent) else { break };
        let item = uncommented(item).trim().trim_matches(['"', '\'']).to_owned();
        mapping = (item.contains(": ") || item.ends_with(':')).then_some(depth);
        match mapping {
            Some(_) => {
                if inline == 0 {
                    items.push(HERE.to_owned());
                }
                inline += 1;
            }
            None => items.push(item),
        }
    }
    (!items.is_empty() || inline > 0).then_some(Items::Listed(items, inline))
}

/// A line without its comment.
fn uncommented(line: &str) -> &str {
    line.split(" #").next().unwrap_or(line)
}

/// Galaxy reads a text as a list at its commas.
fn split(text: &str) -> Vec<String> {
    let items = text.split(',').map(|item| item.trim().trim_matches(['"', '\'']).to_owned());
    items.filter(|item| !item.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;

    fn listed(text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        match items(lines.first().unwrap(), lines.get(1..).unwrap()) {
            Some(Items::Listed(items, 0)) => items,
            Some(Items::Listed(items, inline)) => [items, vec![format!("{inline} inline")]].concat(),
            Some(Items::Looped(name)) => vec![format!("loop {name}")],
            None => Vec::new(),
        }
    }

    #[test]
    fn lists_are_read_in_all_their_forms() {
        let text = "  tpv_config_files:\n  # first\n  - https://a/b.yml # the shared one\n\n  - \"{{ dir }}/c.yml\"\n  next: 1\n  - d.yml\n";
        assert_eq!(listed(text), ["https://a/b.yml", "{{ dir }}/c.yml"]);
        assert_eq!(listed("x_tpv_config_files: [a.yml, 'b.yml']"), ["a.yml", "b.yml"]);
        assert_eq!(listed("tpv_config_files: a.yml,b.yml"), ["a.yml", "b.yml"]);
        assert_eq!(listed("<param id=\"tpv_config_files\">a.yml, b.yml</param>"), ["a.yml", "b.yml"]);
        assert_eq!(listed("tpv_config_files:\n{% for conf in my_files %}\n  - {{ conf }}\n"), ["loop my_files"]);
        let text = "tpv_configs:\n- a.yml\n- tools:\n    bwa:\n      rules:\n      - cores: 2\n- global: {}\n- b.yml\nnext:\n- c.yml\n";
        assert_eq!(listed(text), ["a.yml", HERE, "b.yml", "2 inline"]);
        assert!(listed("tpv_configs: \"{{ other | list }}\"").is_empty() && listed("tpv_dir: x").is_empty());
    }
}
