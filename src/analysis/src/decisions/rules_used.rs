//! The rules by which dispatchers mapped, minute by minute, to count how often they changed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most series of a metric, and with it the most dispatchers and rules that are told apart: rules compute names of destinations. The rest are counted
/// together.
pub(super) const MOST_SERIES: usize = 5_000;

/// The most minutes of all dispatchers, ten years of one: about 60 MB. Those that are read after them are left out.
const MOST_MINUTES: usize = 10 * 366 * 24 * 60;

/// The digests of rules by dispatcher and minute. Dispatchers beyond [`MOST_SERIES`] are left out, and further rules count as one.
#[derive(Default)]
pub(super) struct RulesUsed {
    /// The number of each digest.
    digests: HashMap<String, u32>,
    /// By dispatcher: minutes with the numbers of their digests, because a set of small pairs takes 12 bytes a minute.
    minutes: BTreeMap<String, BTreeSet<(u32, u32)>>,
    /// The number of pairs.
    len: usize,
}

impl RulesUsed {
    /// Adds a mapping. A time that is none is left out.
    pub(super) fn add(&mut self, dispatcher: &str, time: &str, digest: &str) {
        let Some(minute) = minute(time) else { return };
        let rules = match self.digests.get(digest) {
            Some(number) => *number,
            None => {
                let number = u32::try_from(self.digests.len().min(MOST_SERIES)).unwrap_or(0);
                if self.digests.len() < MOST_SERIES {
                    self.digests.insert(digest.to_owned(), number);
                }
                number
            }
        };
        if !self.minutes.contains_key(dispatcher) {
            if self.minutes.len() >= MOST_SERIES {
                return;
            }
            self.minutes.insert(dispatcher.to_owned(), BTreeSet::new());
        }
        if let Some(minutes) = self.minutes.get_mut(dispatcher)
            && self.len < MOST_MINUTES
        {
            self.len += usize::from(minutes.insert((minute, rules)));
        }
    }

    /// The number of changes of each dispatcher: digests that a minute has, and the minute before in which jobs were mapped did not. Within a minute the
    /// handlers may go over at different moments.
    pub(super) fn changes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.minutes.iter().map(|(dispatcher, minutes)| (dispatcher.as_str(), changes(minutes)))
    }
}

fn changes(minutes: &BTreeSet<(u32, u32)>) -> u64 {
    let (mut before, mut now): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    let (mut minute, mut sum) = (None, 0_u64);
    for &(of, rules) in minutes {
        if minute != Some(of) {
            before = std::mem::take(&mut now);
            // The first rules of all are no change.
            sum += u64::from(minute.is_some() && !before.contains(&rules));
            minute = Some(of);
        } else {
            sum += u64::from(!before.contains(&rules));
        }
        now.push(rules);
    }
    sum
}

/// A number for the minute of a time such as `2026-11-27T15:20:31Z`, in the order of times.
fn minute(time: &str) -> Option<u32> {
    let number = |range: std::ops::Range<usize>, most: u32| {
        let digits = time.get(range).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        digits.parse::<u32>().ok().filter(|number| *number <= most)
    };
    let days = number(0..4, 9999)?.checked_sub(1970)? * 13 * 32 + number(5..7, 12)? * 32 + number(8..10, 31)?;
    days.checked_mul(24 * 60)?.checked_add(number(11..13, 23)? * 60 + number(14..16, 59)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(minutes: &[&[&str]]) -> u64 {
        let mut used = RulesUsed::default();
        // The latest first: files are read in any order.
        for (minute, digests) in minutes.iter().enumerate().rev() {
            digests.iter().for_each(|digest| used.add("d", &format!("2026-11-27T15:{minute:02}:31.5Z"), digest));
        }
        used.changes().map(|(_, changes)| changes).sum()
    }

    #[test]
    fn rules_change_once_for_all_handlers() {
        assert_eq!(changes(&[]), 0);
        assert_eq!(changes(&[&["a"], &["a"]]), 0);
        assert_eq!(changes(&[&["a"], &["a", "b"], &["b"]]), 1);
        assert_eq!(changes(&[&["a"], &["b"], &["a"]]), 2);
        assert_eq!(changes(&[&["a", "b"], &["c"]]), 2);
    }

    #[test]
    fn minutes_have_the_order_of_times() {
        let times =
            ["1970-01-01T00:00", "1999-12-31T23:59", "2000-01-01T00:00", "2026-11-30T10:59", "2026-12-01T00:00"];
        let minutes: Vec<_> = times.iter().map(|time| minute(time)).collect();
        assert!(minutes.is_sorted() && minutes.iter().all(Option::is_some));
        assert!(
            ["", "t", "2026-1x-01T00:00", "2026-13-01T00:00", "1969-01-01T00:00", "+202-01-01T00:00"]
                .iter()
                .all(|time| minute(time).is_none())
        );
    }

    #[test]
    fn digests_are_bounded() {
        let mut used = RulesUsed::default();
        (0..10_000).for_each(|number| used.add(&number.to_string(), "2026-11-27T15:20", &number.to_string()));
        assert_eq!((used.digests.len(), used.minutes.len(), used.len), (MOST_SERIES, MOST_SERIES, MOST_SERIES));
    }
}
