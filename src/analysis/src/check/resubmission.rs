//! T220, T221: `resubmit` definitions that Galaxy cannot use, and jobs that come back without end.

use std::collections::HashSet;
use std::sync::Arc;

use crate::lint::Linter;
use tpv_compiler::python::resubmit::{compile, refused};
use tpv_config::entity::{Common, Dict};
use tpv_galaxy::json::Json;
use tpv_model::EntityClass;
use tpv_runtime::resubmit::expression::VARIABLES;
use tpv_runtime::resubmit::{Definitions, Ending, Failure, Next, Resubmitter, RunnerState};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, Map};

/// The sections whose entities have `resubmit`.
const CLASSES: [EntityClass; 4] = [EntityClass::Tool, EntityClass::Role, EntityClass::User, EntityClass::Destination];

/// The attempts at which a condition is asked whether it has an end: those beyond the first hundred stand for all others.
fn attempts() -> impl Iterator<Item = u32> {
    (1..=100).chain([1_000, 1_000_000, u32::MAX])
}

/// The times that a job runs, in seconds, at which conditions are asked.
const TIMES: [f64; 4] = [0.0, 60.0, 3600.0, 604_800.0];

/// The most sets of definitions that are evaluated.
const MOST: usize = 2_000;

/// Checks the definitions of every entity and rule.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    let mut checks = Checks { linter, resubmitter: Resubmitter::new(Arc::new(compile)), seen: HashSet::new(), sets: 0 };
    for class in CLASSES {
        for entity in config.section(class).values() {
            for common in entity.commons() {
                checks.definitions(common);
            }
        }
    }
}

struct Checks<'l, 'c> {
    linter: &'l mut Linter<'c>,
    resubmitter: Resubmitter,
    /// The definitions that were looked at: those that are inherited stand in several entities.
    seen: HashSet<Span>,
    sets: usize,
}

impl Checks<'_, '_> {
    fn definitions(&mut self, common: &Common) {
        let definitions: &Dict = &common.resubmit;
        let spans: Vec<Span> = definitions.values().map(|value| value.span).collect();
        let is_new = spans.iter().any(|span| !self.seen.contains(span));
        if !is_new || self.sets >= MOST {
            return;
        }
        self.sets += 1;
        let mut is_sound = true;
        for (name, value) in definitions.iter() {
            let Some(map) = value.as_map() else { continue };
            if self.seen.insert(value.span) {
                is_sound &= self.definition(name, map, common);
            }
        }
        if is_sound {
            self.end(definitions, common);
        }
    }

    fn report(&mut self, code: Code, diagnostic: Diagnostic, common: &Common) {
        self.linter.report(Finding::new(code, diagnostic).within([&**common.no_qa_codes]));
    }

    /// Checks one definition. Returns `true` if Galaxy can use it.
    fn definition(&mut self, name: &str, map: &Map, common: &Common) -> bool {
        let mut is_sound = true;
        for field in ["condition", "delay"] {
            let Some(value) = map.get(field) else { continue };
            let Some(text) = literal(value).filter(|text| !text.is_empty()) else { continue };
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            if is_number || VARIABLES.contains(&text.as_str()) {
                continue;
            }
            let problem = match refused(&text) {
                Some(part) => Some(format!("Galaxy does not allow {part} in the {field} of a `resubmit`")),
                None => self.raised(field, &text).map(|raised| format!("this {field} always raises {raised}")),
            };
            if let Some(message) = problem {
                is_sound = false;
                let diagnostic = Diagnostic::warning(message)
                    .at(value.span, "")
                    .note(format!("Galaxy logs an exception, and the job fails: `{name}` never resubmits one"))
                    .help("`tpvc explain-code T220` says what Galaxy allows; `attempt >= 1` and `attempt - 1` are allowed, `-1` is not");
                self.report(Code::InvalidResubmit, diagnostic, common);
            }
        }
        let field = if self.linter.config.version.renames_resubmit() { "destination" } else { "environment" };
        if let Some(value) = map.get(field)
            && let Some(target) = literal(value)
            && self.linter.config.destinations.contains_key(target.as_str())
        {
            is_sound = false;
            let diagnostic = Diagnostic::warning(format!("`{target}` is a destination of TPV, which Galaxy does not know"))
                .at(value.span, "Galaxy looks for an environment of `job_conf`")
                .note("without one of this name, Galaxy logs a `KeyError`, and the job fails; with one, the job goes there without rules")
                .help("write the environment that runs TPV, such as `tpv_dispatcher`: the rules choose the destination");
            self.report(Code::InvalidResubmit, diagnostic, common);
        }
        is_sound
    }

    /// The exception that an expression raises for every failure, if it does.
    fn raised(&mut self, field: &str, text: &str) -> Option<String> {
        let definition = Json::from(vec![(field, text)]);
        let definitions = Definitions::from(vec![definition]);
        let mut message = None;
        for state in RunnerState::ASKED {
            for attempt in 1..=3 {
                match self.resubmitter.next(&definitions, &failure(state, attempt, 60.0)) {
                    Next::Ends(Ending::Raised { message: raised, .. }) => message = Some(raised),
                    _ => return None,
                }
            }
        }
        message
    }

    /// Reports definitions by which a job that always fails for one reason comes back without end.
    fn end(&mut self, definitions: &Dict, common: &Common) {
        let Some(values) = definitions.values().map(json).collect::<Option<Vec<Json>>>() else { return };
        let known = Definitions::from(values);
        let mut endless: Option<(usize, Vec<RunnerState>)> = None;
        for state in RunnerState::ASKED {
            let Some(by) = TIMES.iter().find_map(|seconds| self.endless(&known, state, *seconds)) else { continue };
            match &mut endless {
                None => endless = Some((by, vec![state])),
                Some((known, states)) if *known == by => states.push(state),
                Some(_) => {}
            }
        }
        let Some((by, states)) = endless else { return };
        let Some((name, value)) = definitions.get_index(by) else { return };
        let reason = match states.as_slice() {
            [state] => format!("with `{}`", state.name()),
            _ if states.len() == RunnerState::ASKED.len() => "for any reason".to_owned(),
            _ => format!("with `{}`", states.iter().map(|state| state.name()).collect::<Vec<_>>().join("` or `")),
        };
        let condition = value
            .as_map()
            .and_then(|map| map.get("condition"))
            .filter(|condition| literal(condition).is_some_and(|text| !text.is_empty()));
        let span = condition.map_or(value.span, |condition| condition.span);
        let bounded = match condition.and_then(literal) {
            Some(text) if text.contains(" or ") => format!("condition: ({text}) and attempt <= 3"),
            Some(text) => format!("condition: {text} and attempt <= 3"),
            None => "condition: attempt <= 3".to_owned(),
        };
        let diagnostic = Diagnostic::warning(format!("a job that always fails {reason} is resubmitted without end"))
            .at(span, format!("`{name}` still applies after a million attempts"))
            .help(format!("write `{bounded}`"));
        self.report(Code::EndlessResubmit, diagnostic, common);
    }

    /// The definition that resubmits the last of many attempts that end so, if all of them are.
    fn endless(&mut self, definitions: &Definitions, state: RunnerState, seconds: f64) -> Option<usize> {
        let mut last = None;
        for attempt in attempts() {
            match self.resubmitter.next(definitions, &failure(state, attempt, seconds)) {
                // One that stays where it was has no definitions left.
                Next::Resubmitted(by) if by.environment.is_some() => last = Some(by.definition),
                _ => return None,
            }
        }
        last
    }
}

fn failure(state: RunnerState, attempt: u32, seconds: f64) -> Failure {
    Failure { state, attempt, seconds_running: Some(seconds), seconds_since_queued: Some(seconds) }
}

/// The text of a value without fields of an f-string: what Galaxy gets.
fn literal(value: &ConfigValue) -> Option<String> {
    let text = value.as_str()?;
    (!text.contains(['{', '}', '\\'])).then(|| text.to_owned())
}

/// A definition as Galaxy gets it; `None` if code makes a part of it.
fn json(value: &ConfigValue) -> Option<Json> {
    let mut items = Vec::new();
    for entry in &value.as_map()?.entries {
        let key = match entry.key.as_str()? {
            "destination" => "environment",
            key => key,
        };
        let item = match entry.value.as_str() {
            Some(_) => Json::str(literal(&entry.value)?),
            None => crate::cases::fields::json_of(&entry.value),
        };
        items.push((key.into(), item));
    }
    Some(Json::Object(items))
}
