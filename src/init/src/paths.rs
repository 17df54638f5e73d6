//! The paths of a server: templates in them are rendered with its variables, and the files that Ansible puts there are found.

use std::cell::RefCell;
use std::collections::HashMap;

use tpv_config::template::{Site, Templates};
use tpv_text::source::Fill;

use super::environment::{Environment, Guess, json};
use super::folders::{join, normal, plain_name, role, shared};
use super::scan::Repository;
use super::sources::Source;
use super::variables::inherited;

/// The paths of the server of an environment.
pub(super) struct Paths<'a> {
    repository: &'a Repository,
    /// The files that are put on the server, those that count first at the beginning.
    sources: Vec<&'a Source>,
    /// Their places on the server, as far as they were asked for.
    places: RefCell<HashMap<usize, String>>,
    templates: Option<Templates>,
    /// The folder of the playbook.
    folder: String,
}

/// A file that Ansible puts in a place.
pub(super) struct Put<'a> {
    /// The mapping that says so.
    pub(super) source: &'a Source,
    /// The path of the file as the mapping names it, rendered.
    named: String,
    /// The path in the repository. `None` if it is not there.
    pub(super) path: Option<String>,
    /// `true` if it is put in this very place, not in one with the same name.
    pub(super) is_exact: bool,
}

impl Put<'_> {
    /// The reason that there is no such file.
    pub(super) fn reason(&self, repository: &Repository) -> String {
        let place = self.source.place();
        match repository.submodule(&self.named) {
            Some(module) => {
                format!("{place} names `{}` in the submodule `{module}`, which is not checked out", self.named)
            }
            None => format!("{place} names `{}`, which is not in this repository", self.named),
        }
    }
}

impl<'a> Paths<'a> {
    /// The paths of the server of an environment.
    pub(super) fn of(environment: &Environment, repository: &'a Repository, sources: &'a [Source]) -> Self {
        let mut variables = environment.variables.clone();
        variables.extend(inherited(None, repository, environment));
        let folder = environment.server.folder.clone();
        let playbook = if folder.is_empty() { "." } else { &folder };
        for name in ["playbook_dir", "inventory_dir"] {
            let value = (name.to_owned(), playbook.into());
            variables.push(Guess { value, from: String::new() });
        }
        let site = Site {
            vars: environment.vars.iter().map(|file| repository.root.join(&file.value)).collect(),
            values: json(&variables).map(|text| ("tpvc.toml".to_owned(), text)),
            placeholders: vec!["*".to_owned()],
            templates: Some(Vec::new()),
            ..Site::default()
        };
        // Variables of other groups and hosts say nothing of this one.
        let rank = |source: &Source| {
            let rank = environment.vars.iter().position(|file| file.value == source.file);
            let is_of_others = ["group_vars/", "host_vars/"].iter().any(|part| source.file.contains(part));
            (rank.is_some() || !is_of_others).then_some(rank)
        };
        let mut ranked: Vec<_> = sources.iter().filter_map(|source| Some((rank(source)?, source))).collect();
        ranked.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        let sources = ranked.into_iter().map(|(_, source)| source).collect();
        Self { repository, sources, places: RefCell::default(), templates: Templates::new(site).ok(), folder }
    }

    /// The place on the server of one of the sources.
    fn place(&self, at: usize, source: &Source) -> String {
        let render = || {
            let place = self.rendered(&source.dest);
            if place.ends_with('/') { place + plain_name(&source.src) } else { place }
        };
        self.places.borrow_mut().entry(at).or_insert_with(render).clone()
    }

    /// A path with its templates filled in, as far as the variables are known.
    pub(super) fn rendered(&self, text: &str) -> String {
        if !text.contains("{{") {
            return text.to_owned();
        }
        let filled = |text: &str| match self.templates.as_ref()?.fill("path.j2", text)? {
            Ok(filled) => Some(filled.text),
            Err(_) => None,
        };
        let text = self.chosen(text, &filled).unwrap_or_else(|| text.to_owned());
        filled(&text).unwrap_or(text)
    }

    /// A text in which `lookup('first_found', FILES)` is the first of the files that is there, or the last of them if none is.
    fn chosen(&self, text: &str, filled: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let before = text.get(..text.find("first_found")?)?;
        let start = before.rfind("lookup(").max(before.rfind("query("))?;
        let open = start + text.get(start..)?.find('(')?;
        let end = open + closing(text.get(open..)?)?;
        let arguments = parts(text.get(open + 1..end)?);
        let files: serde_json::Value =
            serde_json::from_str(&filled(&format!("{{{{ {} | to_json }}}}", arguments.get(1)?))?).ok()?;
        let files = files.get("files").unwrap_or(&files);
        let files: Vec<&str> = match files {
            serde_json::Value::Array(files) => files.iter().filter_map(|file| file.as_str()).collect(),
            other => vec![other.as_str()?],
        };
        let file = files.iter().find(|file| self.found(file, "").is_some()).or(files.last())?;
        Some(format!("{}{}{}", text.get(..start)?, serde_json::to_string(file).ok()?, text.get(end + 1..)?))
    }

    /// The path in the repository of a file that Ansible looks for: as it is, beside the playbook, in `files` and `templates`, and in the role
    /// whose file names it.
    fn found(&self, name: &str, by: &str) -> Option<String> {
        let role = role(by).unwrap_or_default();
        let name = normal(name.trim_start_matches('/'));
        for folder in [role, &self.folder, ""] {
            for part in ["", "files", "templates"] {
                let path = normal(&join(&join(folder, part), &name));
                if self.repository.contains(&path) {
                    return Some(path);
                }
            }
        }
        // Folders that a link leads to have another path.
        let end = format!("/{name}");
        let mut others = self.repository.all_names().filter(|known| name.contains('/') && known.ends_with(&end));
        others.next().filter(|_| others.next().is_none()).cloned()
    }

    /// The file that Ansible puts in a place, or else in another one with the same name, from which something copies it.
    pub(super) fn source(&self, place: &str) -> Option<Put<'a>> {
        let name = plain_name(place);
        // Rendering all of a large repository for each host would take long.
        let may_fit = |source: &Source| {
            let last = plain_name(&source.dest);
            !source.dest.is_empty() && (last == name || last.is_empty() || last.contains(['{', '}']))
        };
        // Of sources that count alike, the first.
        let mut best: Option<(usize, &Source)> = None;
        for (at, source) in self.sources.iter().enumerate().filter(|(_, source)| may_fit(source)) {
            let dest = self.place(at, source);
            if plain_name(&dest) != name {
                continue;
            }
            let weight = if dest == place { usize::MAX } else { shared(&dest, place) };
            if best.is_none_or(|(known, _)| weight > known) {
                best = Some((weight, source));
            }
        }
        let (weight, source) = best?;
        let named = self.rendered(&source.src);
        let path = self.found(&named, &source.file);
        Some(Put { source, named, path, is_exact: weight == usize::MAX })
    }

    /// The place that says that Ansible renders a file, rather than copying it.
    pub(super) fn rendering(&self, path: &str) -> Option<String> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let renders = |source: &Source| source.is_template && source.src.rsplit('/').next() == Some(name);
        self.sources.iter().find(|source| renders(source)).map(|source| source.place())
    }
}

/// The place of the parenthesis that closes the first one.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0usize, None);
    for (at, char) in text.char_indices() {
        match (char, quote) {
            (_, Some(open)) if char == open => quote = None,
            ('"' | '\'', None) => quote = Some(char),
            ('(' | '[' | '{', None) => depth += 1,
            (')' | ']' | '}', None) => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The arguments of a call.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut start, mut parts) = (0usize, None, 0, Vec::new());
    for (at, char) in text.char_indices() {
        match (char, quote) {
            (_, Some(open)) if char == open => quote = None,
            ('"' | '\'', None) => quote = Some(char),
            ('(' | '[' | '{', None) => depth += 1,
            (')' | ']' | '}', None) => depth = depth.saturating_sub(1),
            (',', None) if depth == 0 => {
                parts.extend(text.get(start..at).map(str::trim));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(text.get(start..).map(str::trim));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_taken_apart() {
        let call = "('first_found', ['a' + f(x, y), 'b)'], skip=true) }}";
        assert_eq!(closing(call), Some(call.len() - 4));
        assert_eq!(
            parts("'first_found', ['a' + f(x, y), 'b)'], skip=true"),
            ["'first_found'", "['a' + f(x, y), 'b)']", "skip=true"]
        );
        assert_eq!((closing("(a"), closing(")")), (None, None));
    }
}
