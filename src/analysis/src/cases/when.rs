//! The jobs that a property is about.

use std::borrow::Cow;

use tpv_galaxy::Job;
use tpv_galaxy::helpers::recorded_input_size;
use tpv_galaxy::json::Json;
use tpv_python::regex::{Effort, Regex};

use super::expect::Wanted;
use super::fields::{Fields, texts};
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::source::Span;

/// An id of TPV: an expression that matches the beginning of a text.
pub struct Pattern {
    /// The expression.
    pub text: String,
    regex: Regex,
}

/// Jobs: those for which all of this holds.
#[derive(Default)]
pub struct When {
    /// The tools; `None` for all.
    pub tools: Option<Vec<Pattern>>,
    /// `true` for tools that users define, `false` for others; `None` for both.
    pub user_defined: Option<bool>,
    /// The users, `Some(None)` for nobody; `None` for all.
    pub user: Option<Option<Pattern>>,
    /// The roles that the user has.
    pub roles: Vec<Wanted>,
    /// The roles that the user has not.
    pub without_roles: Vec<Wanted>,
    /// The size of the inputs in GiB.
    pub input_size: Option<Wanted>,
    /// The tags of the history.
    pub history_tags: Vec<Wanted>,
}

impl Pattern {
    fn read(text: &str, at: Span, problems: &mut Diagnostics) -> Option<Self> {
        match Regex::new(text, 0) {
            Ok(regex) => Some(Self { text: text.to_owned(), regex }),
            Err(error) => {
                problems.push(
                    Diagnostic::error(format!("this is not a regular expression: {}", error.text(text)))
                        .at(at, "")
                        .help("write an id as in TPV: a regular expression of Python's `re`"),
                );
                None
            }
        }
    }

    /// Returns `true` if it matches the beginning of a text.
    pub fn matches(&self, text: &str) -> bool {
        self.regex.match_at(text, 0, &Effort::default()).is_ok_and(|found| found.is_some())
    }
}

impl When {
    /// Reads the fields of `when`.
    pub(super) fn read(fields: &Fields<'_>, problems: &mut Diagnostics) -> Self {
        let mut wanted = |name: &str| {
            let Some(value) = fields.get(name) else { return Vec::new() };
            let texts = texts(name, value, problems);
            texts.into_iter().filter_map(|(text, at)| Wanted::text(text, at, problems)).collect()
        };
        let [roles, without_roles, history_tags] = ["roles", "without_roles", "history_tags"].map(&mut wanted);
        let mut patterns = |name: &str| {
            let value = fields.get(name)?;
            let texts = texts(name, value, problems);
            Some(texts.into_iter().filter_map(|(text, at)| Pattern::read(text, at, problems)).collect::<Vec<_>>())
        };
        let (tools, mut users) = (patterns("tool"), patterns("user"));
        let user = fields.get("user").map(|_| users.as_mut().and_then(Vec::pop));
        let user_defined = fields.get("user_defined").map(|value| value.python_bool());
        let input_size = fields.get("input_size").and_then(|value| {
            let size = Wanted::number(value, problems)?;
            if matches!(size, Wanted::Number(_) | Wanted::Range(_)) {
                return Some(size);
            }
            let problem = Diagnostic::error("`input_size` must be a size in GiB, or its bounds").at(value.span, "");
            problems.push(problem.help("write `input_size: '> 20'` for more than 20 GiB"));
            None
        });
        if let (Some(None), Some(at)) = (&user, fields.get("roles").filter(|_| !roles.is_empty())) {
            let problem = Diagnostic::error("an anonymous job cannot have roles").at(at.span, "");
            problems.push(problem.help("leave out one of `user: null` and `roles`"));
        }
        Self { tools, user_defined, user, roles, without_roles, input_size, history_tags }
    }

    /// Returns `true` if it describes a job.
    pub fn describes(&self, job: &Job) -> bool {
        self.is_of_tool(&looked_up(job)) && self.describes_but_tool(job)
    }

    /// Returns `true` if it describes a job, but for the id of the tool.
    pub fn describes_but_tool(&self, job: &Job) -> bool {
        let user = job.user.as_ref();
        let roles = || user.iter().flat_map(|user| &user.roles).filter(|role| !role.deleted);
        let has_role = |wanted: &Wanted| roles().any(|role| wanted.holds(&Json::str(job.text(role.name))));
        let tags = || job.history.iter().flat_map(|history| &history.tags);
        let has_tag = |wanted: &Wanted| tags().any(|(name, _)| wanted.holds(&Json::str(job.text(*name))));
        self.user_defined.is_none_or(|wanted| wanted == is_user_defined(job))
            && self.user.as_ref().is_none_or(|wanted| match (wanted, user) {
                (None, user) => user.is_none(),
                (Some(_), None) => false,
                (Some(pattern), Some(user)) => user.email.is_some_and(|email| pattern.matches(job.text(email))),
            })
            && self.roles.iter().all(has_role)
            && !self.without_roles.iter().any(has_role)
            && self.history_tags.iter().all(has_tag)
            && self
                .input_size
                .as_ref()
                .is_none_or(|wanted| recorded_input_size(job).is_some_and(|size| wanted.holds(&Json::Float(size))))
    }

    /// Returns `true` if it describes jobs of a tool that TPV looks up by this name.
    pub fn is_of_tool(&self, name: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.iter().any(|pattern| pattern.matches(name)))
    }

    /// The sizes that bound the inputs, in GiB.
    pub fn borders(&self) -> Vec<f64> {
        match &self.input_size {
            Some(Wanted::Range(range)) => range.borders().collect(),
            Some(Wanted::Number(size)) => crate::json_number::to_f64(size).into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// The name by which TPV looks the tool of a job up.
pub fn looked_up(job: &Job) -> Cow<'_, str> {
    match job.tool.dynamic_tool_uuid {
        Some(uuid) => Cow::Owned(format!("{}-{}", job.tool.tool_type(job), job.text(uuid))),
        None => Cow::Borrowed(job.tool_id()),
    }
}

fn is_user_defined(job: &Job) -> bool {
    job.tool.dynamic_tool_uuid.is_some() && job.tool.tool_type(job) == "user_defined"
}
