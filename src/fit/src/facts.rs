//! The evidence of a tool in words: names and values, for terminals, pages and comments.

use tpv_text::figures::{self, count};

use crate::policy::Assumed;
use crate::report::{Proposal, Tool, changed, percent, saved};
use crate::trial::Trial;

impl Tool {
    /// The last part of the id, which is what people call the tool; with the place of its memory if several set it.
    pub fn name(&self) -> String {
        let name = self.tool.rsplit('/').next().unwrap_or(&self.tool);
        match &self.place {
            Some(place) if self.places > 1 => format!("{name} ({place})"),
            _ => name.to_owned(),
        }
    }

    /// The evidence: names and values.
    pub fn facts(&self, assumed: Option<Assumed>) -> Vec<(String, String)> {
        let mut facts = Vec::new();
        let mut fact = |name: &str, value: String| facts.push((name.to_owned(), value));
        fact("memory is set at", self.place.clone().unwrap_or_else(|| "no line that is known".to_owned()));
        if let Some([first, last]) = &self.usage.period {
            fact("period", format!("{first} to {last}"));
        }
        if let Some(attempts) = self.attempts_in_words(assumed) {
            fact("attempts", attempts);
        }
        if let Some(most) = self.largest_destination {
            fact("largest destination", format!("{most} GiB"));
        }
        if let Some(busy) = self.usage.cores_busy {
            fact("cores busy", percent(busy));
        }
        let evidence = match &self.proposal {
            Proposal::Change { mem, by_version, evidence, trial, .. } => {
                fact("mem", mem.clone());
                for (version, mem) in by_version {
                    fact(&format!("mem of version {version}"), mem.clone());
                }
                if let Some(trial) = trial {
                    trial.in_words().into_iter().for_each(|words| fact("tried", words));
                }
                evidence.as_ref()
            }
            Proposal::Keep { why, evidence, refused } => {
                fact("keep", why.words().to_owned());
                if let Some((mem, trial)) = refused {
                    fact("refused", mem.clone());
                    trial.in_words().into_iter().for_each(|words| fact("tried", words));
                }
                evidence.as_ref()
            }
        };
        if let Some(evidence) = evidence {
            let [low, high] = evidence.interval.map(percent);
            fact(
                "judged",
                format!(
                    "on {} in {} blocks of time, each by what was learnt from the others",
                    count(evidence.judged_on as u64, "job"),
                    evidence.blocks
                ),
            );
            let mut saves = format!("{} of their cost, lost jobs included", percent(evidence.saving));
            if evidence.interval != [0.0; 2] {
                saves += &format!("; with 95 % confidence {low} to {high}");
            }
            fact("saves", saves);
            for (name, cost) in [("today", &evidence.before), ("proposed", &evidence.after)] {
                fact(
                    name,
                    format!(
                        "{} lost, {} run again, {} GiB·h",
                        cost.lost.round(),
                        cost.again.round(),
                        figures::amount(cost.reserved.round())
                    ),
                );
            }
            if evidence.trend.abs() > 0.01 {
                let room = if evidence.trend > 0.0 { ": the value has room for as much again" } else { "" };
                fact("trend", format!("needs changed by {} over the period{room}", percent(evidence.trend)));
            }
        }
        for unknown in &self.unknown {
            fact("not known", unknown.clone());
        }
        facts
    }

    /// The attempts of a job that is killed each time, in words; `None` if they were not asked for.
    pub fn attempts_in_words(&self, assumed: Option<Assumed>) -> Option<String> {
        if let Some(Assumed { attempts, factor }) = assumed {
            return Some(format!("{attempts}, each with {factor} times the memory, as `--attempts` assumes"));
        }
        match self.attempts.as_slice() {
            [] => None,
            [_] => Some("1: the rules resubmit no job that is killed for memory".to_owned()),
            [_, further @ ..] => {
                let further: Vec<String> = further.iter().map(|ratio| crate::line::number(*ratio)).collect();
                Some(format!(
                    "{} by the rules, with {} times the memory of the first",
                    self.attempts.len(),
                    further.join(", ")
                ))
            }
        }
    }

    /// The evidence of a proposal as lines of a comment.
    pub(crate) fn comments(&self, assumed: Option<Assumed>) -> Vec<String> {
        let period =
            self.usage.period.as_ref().map_or(String::new(), |[first, last]| format!(" from {first} to {last}"));
        let place = self.place.as_deref().unwrap_or("nowhere");
        let mut comments = vec![format!("{}{period}; today's value is set at {place}.", count(self.usage.jobs, "job"))];
        let mut say = |text: String| comments.push(text);
        if let Some(attempts) = self.attempts_in_words(assumed) {
            say(format!("Attempts: {attempts}."));
        }
        if let Proposal::Change { evidence, trial, .. } = &self.proposal {
            if let Some(trial) = trial {
                trial.in_words().into_iter().for_each(|words| say(format!("{words}.")));
            }
            if let Some(evidence) = evidence {
                let [low, high] = evidence.interval.map(|part| part * 100.0);
                say(format!(
                    "On jobs that it was not learnt from: {} lost ({} today), saves {:.0} % of their cost (95 % confidence: {low:.0} % to {high:.0} %).",
                    evidence.after.lost.round(),
                    evidence.before.lost.round(),
                    evidence.saving * 100.0
                ));
            }
        }
        comments.extend(self.unknown.iter().cloned());
        comments
    }
}

impl Trial {
    /// The trial in words: failures first.
    pub fn in_words(&self) -> Vec<String> {
        let pair = |both: crate::trial::Both| format!("{} ({} today)", both.proposed, both.today);
        let mut words = vec![format!(
            "{} mapped with this value: {} lost, {} without a destination, {} run again",
            count(self.jobs, "job"),
            pair(self.lost),
            pair(self.unmapped),
            pair(self.again)
        )];
        if self.more_memory.today + self.more_memory.proposed > 0 {
            words.push(format!(
                "of the jobs that were killed {} would get more memory than they had; it is not known if that is enough",
                pair(self.more_memory)
            ));
        }
        let ([old, new], [old_cores, new_cores]) = (self.gib_hours(), self.core_hours());
        let tenths = |hours: f64| figures::amount((hours * 10.0).round() / 10.0);
        let change = |before: f64, after: f64| {
            saved([before, after]).map_or(String::new(), |saved| format!(" ({})", changed(saved)))
        };
        words.push(format!(
            "{} that both finish: {} GiB·h, {} today{}; {} core·h, {} today{}",
            count(self.finished, "job"),
            tenths(new),
            tenths(old),
            change(old, new),
            tenths(new_cores),
            tenths(old_cores),
            change(old_cores, new_cores)
        ));
        words
    }
}
