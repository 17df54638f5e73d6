//! Test cases for jobs that a program made, as the text of a test file.

use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

use tpv_galaxy::answer::Answer;
use tpv_galaxy::json::Json;

use super::flow::{flow, scalar};
use super::update::whole;
use crate::dry_job::{gib_of, is_ordinary_history, is_ordinary_input};
use tpv_text::source::is_url;

/// The head of a test file.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// The config files, as they are named from the folder of the file; none if they are those of `tpvc.toml`.
    pub config: Vec<String>,
    /// The world: the path of its file, likewise, or a world itself.
    pub world: Option<Json>,
    /// The present time, as worlds have it.
    pub now: String,
}

/// The form in which a job is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// With what its answer most likely depends on.
    #[default]
    Short,
    /// With a history and a wrapper besides, as all jobs of Galaxy have.
    Fuller,
    /// As it is.
    Whole,
}

impl Form {
    /// The next longer form.
    pub fn longer(self) -> Option<Self> {
        match self {
            Self::Short => Some(Self::Fuller),
            Self::Fuller => Some(Self::Whole),
            Self::Whole => None,
        }
    }
}

/// A case to be written.
pub struct Suggestion<'s> {
    /// The name.
    pub name: String,
    /// The parts of the config that the case uses, in words.
    pub uses: Vec<String>,
    /// The job, in the form of a job file.
    pub job: &'s Json,
    /// The form of the job.
    pub form: Form,
    /// The time of its world, if its answer depends on that.
    pub now: Option<&'s str>,
    /// The answer that is expected. `None` if it is not known yet.
    pub answer: Option<&'s Answer>,
}

/// More uses than these are not written above a case.
const MOST_USES: usize = 8;

/// The text of a test file with these cases.
pub fn text(head: &Head, suggestions: &[Suggestion<'_>]) -> String {
    let mut out = String::new();
    if !head.config.is_empty() {
        let _ = writeln!(out, "config: {}", list(&head.config));
    }
    if let Some(world) = &head.world {
        let _ = writeln!(out, "world: {}", scalar(world));
    }
    // Answers that depend on chance are the same in each run.
    let _ = writeln!(out, "defaults: {}", flow(&[("seed", Json::Int(1))]));
    out.push_str("tests:\n");
    for suggestion in suggestions {
        case(&mut out, suggestion);
    }
    out
}

fn list(items: &[String]) -> String {
    scalar(&Json::List(items.iter().map(|item| Json::str(item.as_str())).collect()))
}

fn case(out: &mut String, suggestion: &Suggestion<'_>) {
    let Suggestion { name, uses, job, form, now, answer } = suggestion;
    // A field in braces would be looked for in the job.
    let name = name.replace('{', "(").replace('}', ")");
    let _ = writeln!(out, "  - name: {}", scalar(&Json::str(name)));
    for also in uses.iter().take(MOST_USES) {
        let _ = writeln!(out, "    # {}", tpv_text::printable::line(also));
    }
    if uses.len() > MOST_USES {
        let _ = writeln!(out, "    # and {} more", uses.len() - MOST_USES);
    }
    let fields = match form {
        Form::Whole => plain(job),
        form => short(job, *form == Form::Fuller),
    };
    let fields: Vec<(&str, Json)> = fields.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let _ = writeln!(out, "    job: {}", flow(&fields));
    if let Some(now) = now {
        let _ = writeln!(out, "    world: {}", flow(&[("now", Json::str(*now))]));
    }
    if let Some(answer) = answer {
        let _ = writeln!(out, "    expect: {}", flow(&whole(answer)));
    }
}

type Named = Vec<(String, Json)>;

/// The fields of a job as a job file has them.
fn plain(job: &Json) -> Named {
    let Json::Object(fields) = job else { return Vec::new() };
    let fields = fields.iter().filter(|(name, _)| !matches!(&**name, "id" | "seed" | "dispatcher"));
    fields.map(|(name, value)| (name.to_string(), value.clone())).collect()
}

/// The job without what a made job has only because each has it; of that with a history and a wrapper if it is to be `fuller`.
fn short(job: &Json, fuller: bool) -> Named {
    let mut out = Vec::new();
    for (name, value) in plain(job) {
        match (name.as_str(), &value) {
            ("tool", Json::Object(fields)) => {
                let only_id = fields.iter().all(|(name, _)| matches!(&**name, "id" | "version"));
                match (value.get("id"), value.get("version")) {
                    (Some(id), version) if only_id => {
                        out.push((name, id.clone()));
                        out.extend(version.map(|version| ("version".to_owned(), version.clone())));
                    }
                    _ => out.push((name, value)),
                }
            }
            ("user", Json::Object(fields)) => {
                let is_plain = fields.iter().all(|(name, _)| matches!(&**name, "id" | "username" | "email" | "roles"));
                match value.get("email").filter(|_| is_plain) {
                    Some(email) => {
                        out.push((name, email.clone()));
                        out.extend(filled(value.get("roles")).map(|roles| ("roles".to_owned(), roles)));
                    }
                    None => out.push((name, value)),
                }
            }
            ("user", Json::Null) => {}
            ("job", Json::Object(fields)) => out.extend(short_of_job(fields, fuller)),
            ("job_wrapper", Json::Object(fields)) if fields.is_empty() && !fuller => {}
            _ => out.push((name, value)),
        }
    }
    out
}

/// The fields of `job` in short form, and those that have none under `job`.
fn short_of_job(fields: &[(Box<str>, Json)], fuller: bool) -> Named {
    let (mut out, mut rest) = (Vec::new(), Vec::new());
    for (name, value) in fields {
        match (&**name, value) {
            ("id", _) => {}
            ("state", Json::Str(state)) if &**state == "new" => {}
            ("state", _) => out.push((name.to_string(), value.clone())),
            ("input_datasets", Json::List(datasets)) => match datasets.as_slice() {
                [] => {}
                [Json::Object(dataset)] if is_ordinary_input(dataset) => {
                    let size = dataset.iter().find(|(name, _)| &**name == "size").map(|(_, size)| size);
                    match size {
                        Some(Json::Int(bytes)) => out.push(("input_size".to_owned(), gib(*bytes))),
                        _ => out.push((name.to_string(), value.clone())),
                    }
                }
                _ => out.push((name.to_string(), value.clone())),
            },
            ("history", history) if is_ordinary_history(history) => {
                let tags = history.get("tags");
                let written = if fuller { tags.cloned() } else { filled(tags) };
                out.extend(written.map(|tags| ("history_tags".to_owned(), tags)));
            }
            ("param_values", _) => out.push(("params".to_owned(), value.clone())),
            _ => rest.push((name.clone(), value.clone())),
        }
    }
    if !rest.is_empty() {
        out.push(("job".to_owned(), Json::Object(rest)));
    }
    out
}

/// A list that is not empty.
fn filled(list: Option<&Json>) -> Option<Json> {
    list.filter(|list| !matches!(list, Json::List(items) if items.is_empty())).cloned()
}

/// A size in GiB, as a whole number where it is one.
fn gib(bytes: i64) -> Json {
    if bytes % (1 << 30) == 0 { Json::Int(bytes >> 30) } else { Json::Float(gib_of(bytes)) }
}

/// The name of a file as it is written into another one that is in `folder`: relative to it, as far as the names tell.
pub fn seen_from(folder: &Path, name: &str) -> String {
    if is_url(name) || Path::new(name).is_absolute() || folder.as_os_str().is_empty() {
        return name.to_owned();
    }
    let plain = |path: &Path| {
        let parts = path.components().filter(|part| *part != Component::CurDir);
        parts.map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>()
    };
    let (folders, names) = (plain(folder), plain(Path::new(name)));
    if folder.is_absolute() || folders.iter().chain(&names).any(|part| part == "..") {
        return std::path::absolute(name).map_or_else(|_| name.to_owned(), |path| path.display().to_string());
    }
    let shared = folders.iter().zip(&names).take_while(|(folder, name)| folder == name).count();
    let up = std::iter::repeat_n("..".into(), folders.len() - shared);
    let path: PathBuf = up.chain(names.into_iter().skip(shared)).collect();
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dry_job::DryJob;

    #[test]
    fn names_are_those_of_the_folder() {
        let seen = |folder: &str, name: &str| seen_from(Path::new(folder), name);
        assert_eq!(seen("", "rules.yml"), "rules.yml");
        assert_eq!(seen("tests", "tpv/rules.yml"), "../tpv/rules.yml");
        assert_eq!(seen("tpv/./tests", "tpv/rules.yml"), "../rules.yml");
        assert_eq!(seen("tests", "/etc/rules.yml"), "/etc/rules.yml");
        assert_eq!(seen("tests", "https://example.org/rules.yml"), "https://example.org/rules.yml");
        assert!(Path::new(&seen("../tests", "rules.yml")).is_absolute());
    }

    #[test]
    fn jobs_have_a_short_form() {
        let mut job = DryJob::ordinary("bwa", 3 << 29);
        let shown = |job: &DryJob| {
            let json = job.json();
            let one = Suggestion {
                name: "{a}".to_owned(),
                uses: Vec::new(),
                job: &json,
                form: Form::Short,
                now: None,
                answer: None,
            };
            text(&Head::default(), &[one])
        };
        let head = "defaults: {seed: 1}\ntests:\n  - name: \"(a)\"\n    job: ";
        assert_eq!(
            shown(&job),
            format!("{head}{{tool: bwa, version: \"1.0\", user: someone@example.org, input_size: 1.5}}\n")
        );
        job.roles = vec!["training".to_owned()];
        job.user = None;
        job.history_tags = vec!["no".to_owned()];
        job.input_size = None;
        job.state = "resubmitted".to_owned();
        assert_eq!(
            shown(&job),
            format!(
                "{head}{{tool: bwa, version: \"1.0\", user: gargravarr@vortex.org, roles: [training], state: resubmitted, history_tags: [\"no\"]}}\n"
            )
        );
    }
}
