//! Two answers to one job, compared field by field.

use std::collections::BTreeSet;

use num_traits::ToPrimitive;
use serde::Serialize;
use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::json::{Json, escape_into, write_text};
use tpv_model::{Change, Quantity};

use crate::json_number::to_f64;
use tpv_text::listed::shortened;

/// A part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `destination.id`
    Destination,
    /// `destination.runner`
    Runner,
    /// `cores`, `mem` or `gpus`
    Amount(Quantity),
    /// `destination.params`
    Params,
    /// `destination.env`
    Env,
    /// `destination.tags`
    Tags,
    /// `destination.resubmit`
    Resubmit,
    /// `error`: that there is one, its type, or its message.
    Error,
}

/// The parts of the answer to a job that was mapped, in the order in which a cause names them.
fn fields() -> impl Iterator<Item = (Part, Field)> {
    let amounts = Quantity::ALL.into_iter().map(|quantity| (Part::Amount(quantity), quantity.into()));
    let others = [
        (Part::Params, Field::Params),
        (Part::Env, Field::Env),
        (Part::Tags, Field::Tags),
        (Part::Resubmit, Field::Resubmit),
    ];
    [(Part::Destination, Field::Id), (Part::Runner, Field::Runner)].into_iter().chain(amounts).chain(others)
}

impl Part {
    /// The name in lines and causes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Destination => "destination",
            Self::Runner => "runner",
            Self::Amount(quantity) => quantity.name(),
            Self::Params => "params",
            Self::Env => "env",
            Self::Tags => "tags",
            Self::Resubmit => "resubmit",
            Self::Error => "error",
        }
    }
}

/// The difference between two answers to one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The parts that differ.
    pub parts: Vec<Part>,
    /// Of `params` and `env`, the names of what differs.
    pub names: Vec<(Part, String)>,
    /// The description shared by many jobs: `destination: slurm -> pulsar`, `now an error: KeyError`, `cores: 4 -> 8;
    /// mem: more`. For a job that goes elsewhere, it consists of the destinations alone.
    pub cause: String,
}

/// Compares the answer of the old rules with that of the new ones. `None` if they mean the same. Numbers are compared by value and
/// objects without their order, as Python does it. Candidates, which say how an answer was found, are left out.
pub fn compare(old: &Answer, new: &Answer) -> Option<Difference> {
    let cause = match (old.error(), new.error()) {
        (None, None) => return compare_fields(old, new),
        (None, Some((kind, _))) => format!("now an error: {kind}"),
        (Some((kind, _)), None) => format!("no longer an error: {kind}"),
        (Some((before, _)), Some((after, _))) if before != after => format!("error: {before} -> {after}"),
        (Some((_, before)), Some((_, after))) if same(before, after) => return None,
        (Some((kind, _)), Some(_)) => format!("error message: {kind}"),
    };
    Some(Difference { parts: vec![Part::Error], names: Vec::new(), cause })
}

fn compare_fields(old: &Answer, new: &Answer) -> Option<Difference> {
    let mut changes = Vec::new();
    for (part, field) in fields() {
        if old.text(field) != new.text(field) {
            let (before, after) = (old.get(field).unwrap_or(Json::Null), new.get(field).unwrap_or(Json::Null));
            if !same(&before, &after) {
                changes.push((part, before, after));
            }
        }
    }
    let causes = changes.iter().map(|(part, before, after)| cause(*part, before, after));
    let goes_elsewhere = matches!(changes.first(), Some((Part::Destination, ..)));
    let causes: Vec<String> = if goes_elsewhere { causes.take(1).collect() } else { causes.collect() };
    let parts = changes.iter().map(|(part, ..)| *part).collect();
    let named = changes.iter().filter(|(part, ..)| matches!(part, Part::Params | Part::Env));
    let names = named.flat_map(|(part, before, after)| differing(before, after).map(|name| (*part, name.to_owned())));
    let names = names.collect();
    (!changes.is_empty()).then(|| Difference { parts, names, cause: causes.join("; ") })
}

/// The change of one part, in words that are the same for jobs that share it.
fn cause(part: Part, before: &Json, after: &Json) -> String {
    let name = part.name();
    match part {
        // Memory is often computed from the sizes of inputs, so that each job has its own.
        Part::Amount(Quantity::Mem) => match (to_f64(before), to_f64(after)) {
            (Some(before), Some(after)) => format!("{name}: {}", if after > before { "more" } else { "less" }),
            _ => name.to_owned(),
        },
        Part::Destination | Part::Runner | Part::Amount(_) => match (shown(before), shown(after)) {
            (Some(before), Some(after)) => format!("{name}: {before} -> {after}"),
            _ => name.to_owned(),
        },
        Part::Params | Part::Env => {
            let names: Vec<&str> = differing(before, after).collect();
            if names.is_empty() {
                format!("{name}: their order")
            } else {
                format!("{name}: {}", shortened(&names, MOST_NAMES))
            }
        }
        Part::Tags | Part::Resubmit | Part::Error => name.to_owned(),
    }
}

/// The names of the parameters or variables that differ.
fn differing<'a>(before: &'a Json, after: &'a Json) -> impl Iterator<Item = &'a str> {
    let (before, after) = (named(before), named(after));
    let names: BTreeSet<&str> = before.iter().chain(&after).map(|(name, _)| *name).collect();
    let of = |items: &[(&str, &Json)], wanted: &str| -> Vec<Json> {
        items.iter().filter(|(name, _)| *name == wanted).map(|(_, value)| (*value).clone()).collect()
    };
    names.into_iter().filter(move |name| !same(&Json::List(of(&before, name)), &Json::List(of(&after, name))))
}

/// The number of parameters or variables that a cause names.
const MOST_NAMES: usize = 5;

/// The most characters of a value in a cause. A longer one is hardly what jobs have in common.
const MOST_SHOWN: usize = 100;

/// A value as a cause shows it: nothing for one that each job may have to itself.
fn shown(value: &Json) -> Option<String> {
    match value {
        Json::Null => Some("none".to_owned()),
        Json::Str(text) => Some(text.chars().take(MOST_SHOWN).collect()),
        Json::Int(number) => Some(number.to_string()),
        // A fraction of eighths is a choice; any other one is computed.
        Json::Float(number) if (number * 8.0).fract() == 0.0 && number.abs() < 1e9 => Some(number.to_string()),
        _ => None,
    }
}

/// The parameters or variables with their names: a destination's `params` are an object, its `env` is a list of objects with a `name`,
/// or with a `file` or `execute` in its place.
fn named(value: &Json) -> Vec<(&str, &Json)> {
    match value {
        Json::Object(items) => items.iter().map(|(name, value)| (&**name, value)).collect(),
        Json::List(items) => items.iter().map(|item| (variable(item).unwrap_or("?"), item)).collect(),
        other => vec![("?", other)],
    }
}

/// A parameter's value, or that of an element of `env`.
fn value_text(value: &Json) -> String {
    text_of(value.get("value").filter(|_| value.get("name").is_some()).unwrap_or(value))
}

/// A text as it is, and any other value as JSON.
fn text_of(value: &Json) -> String {
    if let Json::Str(text) = value {
        return text.to_string();
    }
    let mut text = String::new();
    write_text(&mut text, value);
    text
}

fn cut(text: &str) -> String {
    if text.chars().count() <= MOST_DETAIL {
        text.to_owned()
    } else {
        text.chars().take(MOST_DETAIL).collect::<String>() + "..."
    }
}

fn variable(item: &Json) -> Option<&str> {
    match (item.get("name"), item) {
        (Some(Json::Str(name)), _) => Some(name),
        (_, Json::Object(fields)) => fields.first().map(|(key, _)| &**key),
        _ => None,
    }
}

/// Returns `true` if two values are equal in Python, except that `nan` equals itself.
fn same(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Float(one), Json::Float(other)) => one == other || (one.is_nan() && other.is_nan()),
        (Json::Int(int), Json::Float(float)) | (Json::Float(float), Json::Int(int)) => {
            // Exact: a float that is an int of 64 bits is that int.
            float.fract() == 0.0 && float.to_i128() == Some(i128::from(*int))
        }
        (Json::List(one), Json::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Json::Object(items), Json::Object(others)) => {
            items.len() == others.len()
                && items.iter().all(|(name, value)| other.get(name).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}

/// A value that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Detail {
    /// The field: `cores`, `params.native`, `error`.
    pub field: String,
    /// The old value, or `None`.
    pub old: Option<String>,
    /// The new value, or `None`.
    pub new: Option<String>,
}

/// The most values of a difference that are told one by one, and the most characters of each.
const MOST_DETAILS: usize = 12;
const MOST_DETAIL: usize = 200;

impl Difference {
    /// The values that differ, the first of them: of parameters and variables each has one of its own.
    pub fn details(&self, old: &Answer, new: &Answer) -> Vec<Detail> {
        let mut details = Vec::new();
        if self.parts.contains(&Part::Error) {
            let outcome = |answer: &Answer| {
                let text =
                    answer.error_text().or_else(|| answer.get(Field::Id).map(|id| format!("on {}", text_of(&id))));
                text.map(|text| cut(&text))
            };
            details.push(Detail { field: "error".to_owned(), old: outcome(old), new: outcome(new) });
        }
        for (part, field) in fields().filter(|(part, _)| self.parts.contains(part)) {
            let (before, after) = (old.get(field).unwrap_or(Json::Null), new.get(field).unwrap_or(Json::Null));
            let name = part.name();
            if !matches!(part, Part::Params | Part::Env) {
                let shown = |value: &Json| Some(cut(&text_of(value)));
                details.push(Detail { field: name.to_owned(), old: shown(&before), new: shown(&after) });
                continue;
            }
            let (before, after) = (named(&before), named(&after));
            for (_, one) in self.names.iter().filter(|(of, _)| *of == part) {
                let value = |items: &[(&str, &Json)]| -> Option<String> {
                    let values = items.iter().filter(|(name, _)| name == one).map(|(_, value)| value_text(value));
                    let values: Vec<String> = values.collect();
                    (!values.is_empty()).then(|| cut(&values.join(", ")))
                };
                details.push(Detail { field: format!("{name}.{one}"), old: value(&before), new: value(&after) });
            }
        }
        details.truncate(MOST_DETAILS);
        details
    }

    /// Appends the line that tells the difference, with its line feed: the job's `id`, the number of its `line` in the job file, the
    /// `cause`, the names of the parts that `differ`, `tpv` if changes of TPV are the reasons, and both answers, `old` and `new`.
    pub fn write_line(&self, line: u64, reasons: Option<&[Change]>, old: &Answer, new: &Answer, out: &mut String) {
        out.push_str("{\"id\": ");
        out.push_str(new.id());
        out.push_str(", \"line\": ");
        out.push_str(&line.to_string());
        out.push_str(", \"cause\": ");
        escape_into(out, &self.cause);
        out.push_str(", \"differ\": [");
        for (index, part) in self.parts.iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { "" });
            escape_into(out, part.name());
        }
        if let Some(reasons) = reasons {
            out.push_str("], \"tpv\": [");
            for (index, change) in reasons.iter().enumerate() {
                out.push_str(if index > 0 { ", {\"since\": " } else { "{\"since\": " });
                escape_into(out, change.since().name());
                out.push_str(", \"about\": ");
                escape_into(out, change.about());
                out.push('}');
            }
        }
        out.push_str("], \"old\": ");
        old.write_line(out);
        out.pop();
        out.push_str(", \"new\": ");
        new.write_line(out);
        out.pop();
        out.push_str("}\n");
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use std::sync::Arc;

    use tpv_galaxy::json::Reader;
    use tpv_galaxy::world::World;
    use tpv_runtime::Job;
    use tpv_runtime::mapper::Mapper;

    use super::*;
    use tpv_config::{ConfigTexts, Input};
    use tpv_text::render::Render;
    use tpv_text::source::SourceMap;

    /// The answer to a job of the tool `bwa` by a config.
    fn answer(config: &str) -> Answer {
        let mut sources = SourceMap::new();
        let id = sources.add("tpv.yml", config);
        let compiled = tpv_compiler::compile_inputs(
            &[Input::Text(id)],
            ConfigTexts::newest(sources),
            &tpv_compiler::CompileOptions::default(),
        );
        let rules =
            compiled.rules.unwrap_or_else(|| panic!("{}", compiled.diagnostics.render(&compiled.sources, false)));
        let job = Job::parse(r#"{"id": "j\"1", "tool": {"id": "bwa"}}"#).unwrap();
        Mapper::with_hooks(Arc::new(rules), Default::default(), false).map(&Arc::new(job), &Arc::new(World::default()))
    }

    /// A config with one tool, which has these fields, and two destinations.
    fn config(tool: &str) -> String {
        format!(
            "global:\n  default_inherits: default\ntools:\n  default:\n    cores: 1\n  bwa:\n    {tool}\ndestinations:\n  slurm:\n    runner: slurm\n    max_accepted_cores: 8\n    params:\n      \
             native: '{{cores}}'\n  pulsar:\n    runner: pulsar\n"
        )
    }

    fn causes(old: &str, new: &str) -> Option<(Vec<&'static str>, String)> {
        let difference = compare(&answer(&config(old)), &answer(&config(new)))?;
        Some((difference.parts.iter().map(|part| part.name()).collect(), difference.cause))
    }

    #[test]
    fn what_jobs_have_in_common_is_the_cause() {
        let cases: [(&str, &str, &[&str], &str); 13] = [
            ("cores: 4", "cores: 8", &["cores", "params"], "cores: 4 -> 8; params: native"),
            ("cores: 4", "cores: 4.5", &["cores", "params"], "cores: 4 -> 4.5; params: native"),
            ("cores: 4", "cores: 1/3", &["cores", "params"], "cores; params: native"),
            ("cores: 4", "cores: 9", &["destination", "runner", "cores", "params"], "destination: slurm -> pulsar"),
            ("mem: 4", "mem: 4.1", &["mem"], "mem: more"),
            ("mem: 4", "mem: 3", &["mem"], "mem: less"),
            ("gpus: 0", "gpus: 1", &["gpus"], "gpus: 0 -> 1"),
            ("cores: 4", "cores: nothing", &["error"], "now an error: NameError"),
            ("cores: nothing", "cores: 4", &["error"], "no longer an error: NameError"),
            ("cores: nothing", "cores: 1/0", &["error"], "error: NameError -> ZeroDivisionError"),
            ("cores: nothing", "cores: nobody", &["error"], "error message: NameError"),
            ("params: {a: 1, b: 2, c: 3}", "params: {d: 1, b: 2, c: 4}", &["params"], "params: a, c, d"),
            (
                "env: {A: 1, B: 2, C: 3, D: 4, E: 5, F: 6}",
                "env: {A: 2, B: 3, C: 4, D: 5, E: 6, F: 7}",
                &["env"],
                "env: A, B, C, D, E, ...",
            ),
        ];
        for (old, new, parts, cause) in cases {
            assert_eq!(causes(old, new), Some((parts.to_vec(), cause.to_owned())), "{old} | {new}");
        }
        let old = config("cores: 4");
        let new = old.replace("    max_accepted", "    tags: [x]\n    max_accepted");
        assert_eq!(compare(&answer(&old), &answer(&new)).unwrap().cause, "tags");
        let order = causes(
            "env: [{name: A, value: '1'}, {name: B, value: '2'}]",
            "env: [{name: B, value: '2'}, {name: A, value: '1'}]",
        );
        assert_eq!(order.unwrap().1, "env: their order");
    }

    #[test]
    fn answers_that_mean_the_same_do_not_differ() {
        for (old, new) in [
            ("cores: 4", "cores: 2 + 2"),
            ("mem: 4", "mem: 8 / 2"),
            ("params: {a: 1, b: 2}", "params: {b: 2, a: 1}"),
            ("cores: nothing", "cores: nothing"),
        ] {
            assert_eq!(causes(old, new), None, "{old} | {new}");
        }
    }

    #[test]
    fn values_are_equal_as_in_python() {
        let json = |text: &str| Json::read(&mut Reader::new(text)).unwrap();
        for (one, other, expected) in [
            ("1", "1.0", true),
            ("9007199254740993", "9007199254740992.0", false),
            ("9223372036854775807", "9223372036854775808.0", false),
            ("NaN", "NaN", true),
            ("[1, {\"a\": 2, \"b\": []}]", "[1.0, {\"b\": [], \"a\": 2.0}]", true),
            ("[1, 2]", "[2, 1]", false),
            ("{\"a\": 1}", "{\"a\": 1, \"b\": null}", false),
            ("\"1\"", "1", false),
            ("null", "0", false),
        ] {
            assert_eq!(same(&json(one), &json(other)), expected, "{one} {other}");
            assert_eq!(same(&json(other), &json(one)), expected, "{other} {one}");
        }
    }

    #[test]
    fn a_line_has_both_answers() {
        let (old, new) = (answer(&config("cores: 4")), answer(&config("cores: 8")));
        let mut line = String::new();
        compare(&old, &new).unwrap().write_line(7, None, &old, &new, &mut line);
        let (old, new) = (old.line(), new.line());
        let expected = format!(
            "{{\"id\": \"j\\\"1\", \"line\": 7, \"cause\": \"cores: 4 -> 8; params: native\", \"differ\": [\"cores\", \"params\"], \
             \"old\": {}, \"new\": {}}}\n",
            old.trim_end(),
            new.trim_end()
        );
        assert_eq!(line, expected);
        let read = Json::read(&mut Reader::new(&line)).unwrap();
        assert_eq!(read.get("new").unwrap().get("cores"), Some(&Json::Int(8)));
    }
}
