//! Changes of a job that may bring code to do something else: the texts and numbers that the code writes out, put where it looks.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use tpv_analysis::dry_job::bytes_of;
use tpv_galaxy::json::{Json, text_of};

/// More texts or numbers of one piece of code are not put anywhere.
const MOST_CONSTANTS: usize = 24;

/// More texts of one piece of code are not combined by threes.
const MOST_OF_TRIPLES: usize = 6;

/// More changes than these are not made of one piece of code.
const MOST_CHANGES: usize = 400;

/// A change of a job.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Change {
    path: Vec<String>,
    value: Json,
    way: Way,
}

/// A way to put a value into a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Way {
    /// The field has the value.
    Is,
    /// The field is a list of it alone.
    Lists,
    /// The field, a list or a text, has it at its end.
    EndsWith,
}

/// The words of code that say where it looks, and the fields that a text is put in then: `[]` is a list of it alone, `+` the end of what is there.
const PLACES: [(&[&str], &[&str]); 14] = [
    (&["version"], &["tool.version"]),
    (&["role"], &["user.roles[]", "user.roles+"]),
    (&["tag"], &["job.history.tags[]", "job.history.tags+"]),
    (&["history", "name"], &["job.history.name"]),
    (&["email", "user"], &["user.email"]),
    (&["username", "user"], &["user.username"]),
    (&["extension", "ext"], &["job.input_datasets.0.extension"]),
    (&["object_store"], &["job.input_datasets.0.object_store_id"]),
    (&["tool_type"], &["tool.tool_type"]),
    (&["old_id", "tool.id", "tool_id"], &["tool.id", "tool.id+"]),
    (&["state"], &["job.state"]),
    (&["dataset", "name", "input"], &["job.input_datasets.0.name"]),
    (&["workflow"], &["workflow_invocation_uuid"]),
    (&["profile"], &["tool.profile"]),
];

/// The words of code that looks values up by name, and the objects that pairs of its texts are put in then.
const MAPPINGS: [(&[&str], &str); 5] = [
    (&["param", "job_args_match"], "job.param_values"),
    (&["resource", "job_resource"], "resource_params"),
    (&["destination_params"], "job.destination_params"),
    (&["extra_preferences", "preferences"], "user.extra_preferences"),
    (&["metadata"], "job.input_datasets.0.metadata"),
];

/// The changes that a piece of code suggests.
pub(super) fn changes(code: &str) -> Vec<Change> {
    let (texts, numbers) = constants(code);
    let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
    // Each once.
    let mut out: IndexMap<(Vec<String>, Way, String), Json> = IndexMap::new();
    // The names are those of code: a dot in one does not divide it.
    let mut add = |path: &str, names: &[&str], value: Json| {
        let (path, way) = match (path.strip_suffix("[]"), path.strip_suffix('+')) {
            (Some(path), _) => (path, Way::Lists),
            (_, Some(path)) => (path, Way::EndsWith),
            _ => (path, Way::Is),
        };
        let path = path.split('.').chain(names.iter().copied()).map(str::to_owned).collect();
        out.entry((path, way, text_of(&value))).or_insert(value);
    };
    for (words, paths) in PLACES.iter().filter(|(words, _)| has(words)) {
        for (path, constant) in paths.iter().flat_map(|path| texts.iter().map(move |text| (path, text))) {
            let value = match *path {
                "user.email" if !constant.contains('@') => Json::str(format!("{constant}@example.org")),
                _ => Json::str(constant.as_str()),
            };
            add(path, &[], value);
        }
        if words.contains(&"version") {
            texts.iter().flat_map(|text| beside(text)).for_each(|version| add("tool.version", &[], Json::str(version)));
        }
    }
    for (_, path) in MAPPINGS.iter().filter(|(words, _)| has(words)) {
        for name in texts.iter().filter(|name| !is_group(code, name)) {
            ["", "1", "true"].into_iter().for_each(|value| add(path, &[name], Json::str(value)));
            for value in texts.iter().filter(|value| *value != name) {
                add(path, &[name], Json::str(value.as_str()));
            }
            for number in &numbers {
                [*number - 1.0, *number, *number + 1.0]
                    .into_iter()
                    .for_each(|value| add(path, &[name], Json::Float(value)));
            }
        }
    }
    // Parameters in groups: `{'db': {'selector': 'own'}}`; Galaxy stores each as JSON text.
    if has(&["param", "job_args_match"]) {
        for [group, name, value] in triples(&texts) {
            add("job.param_values", &[group, name], Json::str(value));
            let stored = format!("{{{}: {}}}", quoted(name), quoted(value));
            add("job.parameters", &[group], Json::str(stored));
        }
        for name in &texts {
            for value in texts.iter().map(String::as_str).filter(|value| value != name).chain(["1"]) {
                add("job.parameters", &[name], Json::str(quoted(value)));
            }
        }
    }
    if has(&["size", "input", "dataset"]) {
        for number in numbers.iter().filter(|number| **number > 0.0 && **number < 1e7) {
            let bytes = bytes_of(*number);
            for bytes in [bytes - 1, bytes, bytes + 1] {
                add("job.input_datasets.0.size", &[], Json::Int(bytes));
            }
            // What counts bytes compares with bytes.
            #[expect(clippy::cast_possible_truncation, reason = "below 10^7")]
            add("job.input_datasets.0.size", &[], Json::Int(*number as i64));
        }
        add("job.input_datasets", &[], Json::List(Vec::new()));
    }
    if has(&["requires_galaxy_python_environment"]) {
        add("tool.requires_galaxy_python_environment", &[], Json::Bool(true));
    }
    if has(&["user", "role", "email"]) {
        add("user", &[], Json::Null);
    }
    let change = |((path, way, _), value)| Change { path, value, way };
    out.into_iter().take(MOST_CHANGES).map(change).collect()
}

/// Three different texts each, in any order, with `1` as a value besides.
fn triples(texts: &BTreeSet<String>) -> Vec<[&str; 3]> {
    let values = || texts.iter().map(String::as_str).chain(["1"]);
    let mut out = Vec::new();
    for group in texts.iter().take(MOST_OF_TRIPLES) {
        for name in texts.iter().take(MOST_OF_TRIPLES).filter(|name| *name != group) {
            out.extend(
                values().filter(|value| value != group && value != name).map(|value| [&**group, &**name, value]),
            );
        }
    }
    out
}

/// Returns `true` if code has a name as that of a mapping: `'db': {`. Galaxy's value is a mapping then, too.
fn is_group(code: &str, name: &str) -> bool {
    let opens = |after: &str| {
        let value = after.trim_start().strip_prefix(':');
        value.is_some_and(|value| value.trim_start().starts_with('{'))
    };
    ['\'', '"'].iter().any(|quote| code.split(&format!("{quote}{name}{quote}")).skip(1).any(opens))
}

/// A text as JSON has it.
fn quoted(text: &str) -> String {
    text_of(&Json::str(text))
}

/// The texts and numbers that code writes out.
fn constants(code: &str) -> (BTreeSet<String>, Vec<f64>) {
    let (mut texts, mut numbers) = (BTreeSet::new(), Vec::new());
    let mut rest = code;
    while let Some(at) = rest.find(|c: char| matches!(c, '\'' | '"') || c.is_ascii_digit()) {
        let (before, found) = rest.split_at(at);
        let Some(first) = found.chars().next() else { break };
        if first.is_ascii_digit() {
            let end = found.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(found.len());
            let (number, after) = found.split_at(end);
            let is_part = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            numbers.extend(number.parse::<f64>().ok().filter(|_| !is_part && numbers.len() < MOST_CONSTANTS));
            rest = after;
        } else {
            let inside = found.get(1..).unwrap_or_default();
            let Some((text, after)) = inside.split_once(first) else { break };
            if texts.len() < MOST_CONSTANTS && !text.contains(['\n', '{']) && text.len() < 200 {
                texts.insert(text.to_owned());
            }
            rest = after;
        }
    }
    (texts, numbers)
}

/// Versions just above and below one.
fn beside(version: &str) -> impl Iterator<Item = String> {
    let (before, last) = version.rsplit_once('.').map_or(("", version), |(before, last)| (before, last));
    let digits = last.len() - last.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = last.get(..digits).and_then(|digits| digits.parse::<u32>().ok());
    let join = move |number: u32| if before.is_empty() { number.to_string() } else { format!("{before}.{number}") };
    let numbers = number.into_iter().flat_map(|number| [number.checked_sub(1), number.checked_add(1)]).flatten();
    numbers.map(join).collect::<Vec<_>>().into_iter()
}

impl Change {
    /// Makes a job nobody's.
    pub(super) fn nobody() -> Self {
        Self { path: vec!["user".to_owned()], value: Json::Null, way: Way::Is }
    }

    /// Makes the change. False if the job has no such field, or it makes no difference.
    pub(super) fn apply(&self, job: &mut Json) -> bool {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        match self.way {
            Way::Is => set(job, &path, &self.value),
            Way::Lists => set(job, &path, &Json::List(vec![self.value.clone()])),
            Way::EndsWith => {
                path.iter().try_fold(job, |at, name| field(at, name)).is_some_and(|at| end(at, &self.value))
            }
        }
    }
}

/// A field of an object.
fn field<'j>(object: &'j mut Json, name: &str) -> Option<&'j mut Json> {
    let Json::Object(fields) = object else { return None };
    fields.iter_mut().find(|(own, _)| **own == *name).map(|(_, value)| value)
}

/// Puts a value at the end of a list or text. False if it is all that is there, or there already.
fn end(target: &mut Json, value: &Json) -> bool {
    match (target, value) {
        (Json::List(items), value) if !items.is_empty() && !items.contains(value) => {
            items.push(value.clone());
            true
        }
        (Json::Str(text), Json::Str(more)) if !text.ends_with(&**more) => {
            *text = format!("{text}{more}").into();
            true
        }
        _ => false,
    }
}

/// Sets a field of a job. False if the job has no such field, or it has this value.
pub(crate) fn set(target: &mut Json, path: &[&str], value: &Json) -> bool {
    let Some((name, rest)) = path.split_first() else {
        let is_new = target != value;
        *target = value.clone();
        return is_new;
    };
    match target {
        Json::Object(fields) => set_field(fields, name, rest, value),
        Json::List(items) => {
            let item = name.parse::<usize>().ok().and_then(|index| items.get_mut(index));
            item.is_some_and(|item| set(item, rest, value))
        }
        _ => false,
    }
}

fn set_field(fields: &mut Vec<(Box<str>, Json)>, name: &str, rest: &[&str], value: &Json) -> bool {
    if let Some((_, field)) = fields.iter_mut().find(|(own, _)| **own == *name) {
        if *field == Json::Null && !rest.is_empty() {
            return false;
        }
        return set(field, rest, value);
    }
    let mut made = if rest.is_empty() { Json::Null } else { Json::Object(Vec::new()) };
    set(&mut made, rest, value);
    fields.push((name.into(), made));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_read_as_they_stand() {
        let (texts, numbers) = constants("input_size > 20.5 and tool.version == '1.0' or x2 < 3");
        assert_eq!((texts.into_iter().collect::<Vec<_>>(), numbers), (vec!["1.0".to_owned()], vec![20.5, 3.0]));
        assert_eq!(beside("2.1.9+galaxy0").collect::<Vec<_>>(), ["2.1.8", "2.1.10"]);
    }

    #[test]
    fn a_name_with_a_dot_is_one_name() {
        let code = "log.debug('It failed. Trying on.') or param_dict.get('mode') == 'fast'";
        let mut job = tpv_analysis::dry_job::DryJob::ordinary("bwa", 1).json();
        changes(code).iter().for_each(|change| {
            change.apply(&mut job);
        });
        assert!(tpv_galaxy::Job::parse(&text_of(&job)).is_ok(), "{}", text_of(&job));
        let own = job.get("job").and_then(|own| own.get("parameters"));
        assert!(own.and_then(|own| own.get("It failed. Trying on.")).is_some(), "{}", text_of(&job));
    }

    /// A job of bwa that has been changed as some code suggests, and as `wanted` picks.
    fn changed(codes: &[&str], wanted: impl Fn(&Change) -> bool) -> String {
        let mut job = tpv_analysis::dry_job::DryJob::ordinary("bwa", 1).json();
        for change in codes.iter().flat_map(|code| changes(code)).filter(wanted) {
            change.apply(&mut job);
        }
        text_of(&job)
    }

    #[test]
    fn changes_reach_into_jobs() {
        let text = changed(&["'training' in [role.name for role in user.all_roles()]", "input_size > 7"], |change| {
            change.value != Json::Null && change.value != Json::List(Vec::new())
        });
        assert!(text.contains("\"roles\": [\"training\"]") && text.contains("\"size\": 7,"), "{text}");
        let text = changed(&["helpers.job_args_match(job, app, {'mode': 'fast'})"], |change| {
            change.path.starts_with(&["job".to_owned(), "param_values".to_owned(), "mode".to_owned()])
                && change.value == Json::str("fast")
        });
        assert!(text.contains("\"param_values\": {\"mode\": \"fast\"}"), "{text}");
        // A group is no text.
        let mut job = tpv_analysis::dry_job::DryJob::ordinary("bwa", 1).json();
        for change in changes("helpers.job_args_match(job, app, {'speed': {'mode': 'fast'}})") {
            change.apply(&mut job);
            let values = job.get("job").and_then(|own| own.get("param_values"));
            let speed = values.and_then(|values| values.get("speed"));
            assert!(speed.is_none_or(|speed| matches!(speed, Json::Object(_))), "{change:?}");
        }
        let mut job = tpv_analysis::dry_job::DryJob::ordinary("bwa", 1).json();
        assert!(!set(&mut job, &["job", "input_datasets", "3", "size"], &Json::Int(7)));
    }

    #[test]
    fn changes_go_on_from_what_is_there() {
        let roles =
            ["'a' in [role.name for role in user.all_roles()]", "'b' in [role.name for role in user.all_roles()]"];
        let text = changed(&roles, |change| {
            change.way == Way::Lists && change.value == Json::str("a") || change.way == Way::EndsWith
        });
        assert!(text.contains("\"roles\": [\"a\", \"b\"]"), "{text}");
        let text = changed(&["tool.id.endswith('+galaxy1')"], |change| change.way == Way::EndsWith);
        assert!(text.contains("\"id\": \"bwa+galaxy1\""), "{text}");
    }
}
