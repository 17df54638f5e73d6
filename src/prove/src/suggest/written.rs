//! The text of suggested cases: it is read and run as a test file is, until each case in it does what it is to do.

use std::path::Path;

use tpv_analysis::cases::coverage::{Aim, Coverage, coverage};
use tpv_analysis::cases::read::{Defaults, read};
use tpv_analysis::cases::run::{Outcome, Tested, run};
use tpv_analysis::cases::suggest::{Form, Head, Suggestion, text};
use tpv_analysis::cases::{Case, TestFile};
use tpv_runtime::mapper::Hooks;
use tpv_text::diagnostic::Diagnostics;
use tpv_text::source::SourceMap;

use super::reach::{Chosen, Reach, chosen, is_decision};

/// Suggested cases.
#[derive(Debug, Default)]
pub struct Suggested {
    /// The test file. `None` if there is no case to suggest.
    pub text: Option<String>,
    /// The number of cases.
    pub cases: usize,
    /// The number of parts of the config that they use and no other case does.
    pub parts: usize,
    /// The number of parts that a made job uses, and no case in the form of a test file.
    pub left: usize,
}

/// A time that differs from the present one in each of its parts but the year, in microseconds.
const LATER: i64 = ((40 * 24 + 7) * 60 + 23) * 60 * 1_000_000;

/// Writes cases for the parts that `of_cases` lacks and jobs reach, with the answers of the rules. The file will be named `name`.
pub fn suggest(
    tested: &Tested,
    hooks: &Hooks,
    of_cases: &Coverage,
    reach: &Reach,
    (name, head): (&Path, &Head),
    defaults: &Defaults,
) -> Suggested {
    let aims = of_cases.aims(&reach.coverage);
    let mut drafts: Vec<Draft<'_>> = chosen(reach, &aims).into_iter().map(Draft::new).collect();
    let trial = Trial { tested, hooks, of_cases, name: &name.display().to_string(), head, defaults };
    drafts.retain_mut(|draft| trial.can_be_read(draft) || draft.lengthen() && trial.can_be_read(draft));
    // A case that does something else in short form is written in a longer one, and left out if it still does.
    loop {
        let Some(ran) = trial.run(&drafts, 0) else { return Suggested { left: aims.len(), ..Suggested::default() } };
        for ((draft, one), outcome) in drafts.iter_mut().zip(&ran.reached).zip(&ran.outcomes) {
            let reaches = |aim: &&Aim| one.iter().any(|other| other.is_of(aim));
            draft.is_good = is_decision(&outcome.answer) && draft.chosen.aims.iter().all(reaches);
        }
        if drafts.iter().all(|draft| draft.is_good) {
            break;
        }
        drafts.retain_mut(|draft| draft.is_good || draft.lengthen() && trial.can_be_read(draft));
    }
    if let (Some(now), Some(later)) = (trial.run(&drafts, 0), trial.run(&drafts, LATER)) {
        for ((draft, now), later) in drafts.iter_mut().zip(&now.outcomes).zip(&later.outcomes) {
            draft.depends_on_time = now.answer.line() != later.answer.line();
        }
    }
    let mut text = None;
    // Twice: the second text has the answers.
    for _ in 0..2 {
        let Some(ran) = trial.run(&drafts, 0) else { break };
        for (draft, outcome) in drafts.iter_mut().zip(ran.outcomes) {
            draft.is_good = is_decision(&outcome.answer) && (draft.answer.is_none() || outcome.mismatches.is_empty());
            draft.answer = Some(outcome);
        }
        drafts.retain(|draft| draft.is_good);
        text = Some(trial.text(&drafts));
    }
    let parts = drafts.iter().map(|draft| draft.chosen.aims.len()).sum();
    Suggested { text: text.filter(|_| !drafts.is_empty()), cases: drafts.len(), parts, left: aims.len() - parts }
}

/// A case under construction.
struct Draft<'a> {
    chosen: Chosen<'a>,
    form: Form,
    is_good: bool,
    depends_on_time: bool,
    answer: Option<Outcome>,
}

impl<'a> Draft<'a> {
    fn new(chosen: Chosen<'a>) -> Self {
        Self { chosen, form: Form::Short, is_good: false, depends_on_time: false, answer: None }
    }

    /// Takes a longer form. False if there is none.
    fn lengthen(&mut self) -> bool {
        let longer = self.form.longer();
        self.form = longer.unwrap_or(self.form);
        longer.is_some()
    }

    fn suggestion<'s>(&'s self, now: &'s str) -> Suggestion<'s> {
        let words = |aim: &Aim| format!("{} {}", aim.reachable.part, aim.reachable.verb);
        // What the fewest jobs do says most about this one.
        let aims = self.chosen.aims.iter().enumerate();
        let (first, name) =
            aims.min_by_key(|(_, aim)| aim.jobs.count()).map(|(place, aim)| (place, words(aim))).unwrap_or_default();
        let others = self.chosen.aims.iter().enumerate().filter(|(place, _)| *place != first);
        let uses = others.map(|(_, aim)| words(aim)).collect();
        Suggestion {
            name,
            uses,
            job: self.chosen.job,
            form: self.form,
            now: self.depends_on_time.then_some(now),
            answer: self.answer.as_ref().map(|outcome| &outcome.answer),
        }
    }
}

/// Runs drafts as the test file that they will be.
struct Trial<'a> {
    tested: &'a Tested,
    hooks: &'a Hooks,
    of_cases: &'a Coverage,
    name: &'a str,
    head: &'a Head,
    defaults: &'a Defaults,
}

/// The outcomes of drafts, and the parts that each reaches which other cases do not.
struct Ran {
    outcomes: Vec<Outcome>,
    reached: Vec<Vec<Aim>>,
}

impl Trial<'_> {
    fn text(&self, drafts: &[Draft<'_>]) -> String {
        text(self.head, &drafts.iter().map(|draft| draft.suggestion(&self.head.now)).collect::<Vec<_>>())
    }

    /// Returns `true` if a case is what a test file may hold.
    fn can_be_read(&self, draft: &Draft<'_>) -> bool {
        let mut sources = SourceMap::new();
        let id = sources.add(self.name, &self.text(std::slice::from_ref(draft)));
        read(&mut sources, id, self.defaults, &mut Diagnostics::new()).is_some()
    }

    /// Runs the cases, so many microseconds from now. `None` if their file cannot be read.
    fn run(&self, drafts: &[Draft<'_>], later: i64) -> Option<Ran> {
        let mut sources = SourceMap::new();
        let id = sources.add(self.name, &self.text(drafts));
        let defaults = Defaults { now: self.defaults.now.saturating_add(later), ..self.defaults.clone() };
        let file: TestFile = read(&mut sources, id, &defaults, &mut Diagnostics::new())?;
        if file.cases.len() != drafts.len() {
            return None;
        }
        let cases: Vec<&Case> = file.cases.iter().collect();
        let (outcomes, counts) = run(self.tested, self.hooks, &cases, true);
        let reached = self.of_cases.aims(&coverage(self.tested, &counts, cases.len()));
        let of_case = |case| reached.iter().filter(|aim| aim.jobs.contains(case)).cloned().collect();
        let reached = (0..cases.len()).map(of_case).collect();
        Some(Ran { outcomes, reached })
    }
}
