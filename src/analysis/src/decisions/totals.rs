//! Totals over a log.

use std::borrow::Cow;

use crate::summary::table::Table;
use crate::tool_id::short;
use tpv_runtime::decision::{Decision, Wait};
use tpv_text::figures::{count, grouped};
use tpv_text::printable::put_line;
use tpv_text::table::shortened;

/// The totals.
#[derive(Default)]
pub struct Totals {
    mappings: u64,
    waits: u64,
    dropped: u64,
    ms: f64,
    slowest: f64,
    timed: u64,
    destinations: Table<u64>,
    errors: Table<u64>,
    rules: Table<u64>,
    tools: Table<u64>,
    dispatchers: Table<u64>,
    tiers: Table<u64>,
}

/// The most names that are shown of a kind.
const MOST: usize = 20;

impl Totals {
    /// Adds a decision.
    pub fn add(&mut self, decision: &Decision) {
        self.mappings += 1;
        self.dropped = self.dropped.saturating_add(u64::try_from(decision.head.dropped).unwrap_or(0));
        if decision.head.wait == Some(Wait::Begins) {
            self.waits += 1;
        }
        if let Some(ms) = decision.head.ms {
            self.timed += 1;
            self.ms += ms;
            self.slowest = self.slowest.max(ms);
        }
        let one = 1;
        decision.outcome.destination().iter().for_each(|name| self.destinations.add(name, &one));
        decision.outcome.error().iter().for_each(|name| self.errors.add(name, &one));
        decision.fired.iter().for_each(|fired| self.rules.add(&fired.rule, &one));
        self.tools.add(&decision.head.tool, &one);
        decision.head.dispatcher.iter().for_each(|name| self.dispatchers.add(name, &one));
        self.tiers.add(decision.tier(), &one);
    }

    /// For people: names are shortened to the width, if there is one.
    #[expect(clippy::cast_precision_loss, reason = "a mean to three digits")]
    pub fn text(&self, width: Option<usize>) -> String {
        let mut out = String::new();
        if self.mappings == 0 {
            put_line!(out, "no decision that matches");
            return out;
        }
        let mean = if self.timed > 0 { self.ms / self.timed as f64 } else { 0.0 };
        put_line!(out, "{}; {mean:.2} ms a mapping, {:.2} ms at most", count(self.mappings, "line"), self.slowest);
        if self.waits > 0 {
            put_line!(out, "{} began", count(self.waits, "wait"));
        }
        if self.dropped > 0 {
            put_line!(out, "{} dropped, because the log could not be written", count(self.dropped, "line"));
        }
        for (title, table) in [
            ("DESTINATIONS", &self.destinations),
            ("ERRORS", &self.errors),
            ("DISPATCHERS", &self.dispatchers),
            ("RULES THAT FIRED", &self.rules),
            ("TOOLS", &self.tools),
            ("CODE THAT RAN", &self.tiers),
        ] {
            let rows = table.rows();
            let rows = rows.most_first(|number| *number);
            if rows.is_empty() {
                continue;
            }
            put_line!(out, "");
            put_line!(out, "{title}");
            for (name, number) in rows.iter().take(MOST) {
                let name = width
                    .map_or(Cow::Borrowed(&**name), |width| shortened(short(name), width.saturating_sub(14)).into());
                put_line!(out, "  {:>10}  {name}", grouped(**number));
            }
            if rows.len() > MOST {
                put_line!(out, "  and {} more", grouped((rows.len() - MOST) as u64));
            }
        }
        out
    }
}
