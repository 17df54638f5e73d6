//! The evidence of a tool in words: names and values, for terminals and pages.

use tpv_analysis::figures::{self, count};

use crate::report::{Proposal, Tool, percent};

impl Tool {
    /// The last part of the id, which is what people call the tool.
    pub fn name(&self) -> &str {
        self.tool.rsplit('/').next().unwrap_or(&self.tool)
    }

    /// The evidence: names and values.
    pub fn facts(&self) -> Vec<(String, String)> {
        let mut facts = Vec::new();
        let mut fact = |name: &str, value: String| facts.push((name.to_owned(), value));
        fact("memory is set at", self.place.clone().unwrap_or_else(|| "no line that is known".to_owned()));
        if let Some([first, last]) = &self.usage.period {
            fact("period", format!("{first} to {last}"));
        }
        let policy = &self.policy;
        fact("attempts", format!("{}, each with {} times the memory", policy.attempts, policy.factor));
        if let Some(most) = self.largest_destination {
            fact("largest destination", format!("{most} GiB"));
        }
        if let Some(busy) = self.usage.cores_busy {
            fact("cores busy", percent(busy));
        }
        let evidence = match &self.proposal {
            Proposal::Change { mem, by_version, evidence, .. } => {
                fact("mem", mem.clone());
                for (version, mem) in by_version {
                    fact(&format!("mem of version {version}"), mem.clone());
                }
                Some(evidence)
            }
            Proposal::Keep { why, evidence } => {
                fact("keep", why.words().to_owned());
                evidence.as_ref()
            }
        };
        if let Some(evidence) = evidence {
            let [low, high] = evidence.interval.map(percent);
            fact(
                "learnt and judged",
                format!("on {}, then on {} later ones", count(evidence.learnt_on as u64, "job"), evidence.judged_on),
            );
            fact(
                "saves",
                format!(
                    "{} of the cost of the later jobs; with 95 % confidence {low} to {high}",
                    percent(evidence.saving)
                ),
            );
            for (name, cost) in [("today", &evidence.before), ("proposed", &evidence.after)] {
                let again = cost.again.round();
                fact(
                    name,
                    format!(
                        "{} GiB·h, {again} jobs need another attempt, {} are lost",
                        figures::amount(cost.reserved.round()),
                        cost.lost.round()
                    ),
                );
            }
        }
        for unknown in &self.unknown {
            fact("not known", unknown.clone());
        }
        facts
    }
}
