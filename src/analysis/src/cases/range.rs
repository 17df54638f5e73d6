//! Bounds of a number: `> 8`, `>= 8, < 20`.

use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::source::Span;

/// The numbers that satisfy some bounds.
#[derive(Debug)]
pub struct Range {
    /// As the file says it.
    pub(super) text: String,
    bounds: Vec<(Sign, f64)>,
}

#[derive(Clone, Copy, Debug)]
enum Sign {
    Above,
    AtLeast,
    Below,
    AtMost,
}

impl Range {
    /// Reads bounds. `None` if they are none, which is added to `problems`.
    pub(super) fn read(text: &str, at: Span, problems: &mut Diagnostics) -> Option<Self> {
        let bounds: Option<Vec<(Sign, f64)>> = text.split(',').map(bound).collect();
        if bounds.is_none() {
            let problem = Diagnostic::error(format!("`{text}` does not bound a number")).at(at, "");
            problems.push(problem.help("write `> 20`, `<= 8` or `>= 8, < 20`"));
        }
        Some(Self { text: text.to_owned(), bounds: bounds? })
    }

    /// Returns `true` if a number is within the bounds.
    pub(super) fn holds(&self, number: f64) -> bool {
        self.bounds.iter().all(|(sign, bound)| match sign {
            Sign::Above => number > *bound,
            Sign::AtLeast => number >= *bound,
            Sign::Below => number < *bound,
            Sign::AtMost => number <= *bound,
        })
    }

    /// `true` if all numbers from `low` to `high` are within the bounds, `false` if none is. `None` if some are.
    pub(crate) fn holds_between(&self, low: f64, high: f64) -> Option<bool> {
        if self.holds(low) && self.holds(high) {
            return Some(true);
        }
        let is_beyond = |(sign, bound): &(Sign, f64)| match sign {
            Sign::Above => high <= *bound,
            Sign::AtLeast => high < *bound,
            Sign::Below => low >= *bound,
            Sign::AtMost => low > *bound,
        };
        self.bounds.iter().any(is_beyond).then_some(false)
    }

    /// The numbers that bound it.
    pub(super) fn borders(&self) -> impl Iterator<Item = f64> {
        self.bounds.iter().map(|(_, bound)| *bound)
    }
}

fn bound(text: &str) -> Option<(Sign, f64)> {
    const SIGNS: [(&str, Sign); 4] =
        [(">=", Sign::AtLeast), ("<=", Sign::AtMost), (">", Sign::Above), ("<", Sign::Below)];
    let (rest, sign) = SIGNS.iter().find_map(|(sign, meaning)| Some((text.trim().strip_prefix(sign)?, *meaning)))?;
    let number = rest.trim().parse::<f64>().ok().filter(|number| number.is_finite())?;
    Some((sign, number))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn range(text: &str) -> Option<Range> {
        Range::read(text, Span::default(), &mut Diagnostics::new())
    }

    #[test]
    fn bounds_hold_for_numbers_between_others() {
        let between = |text: &str, low, high| range(text).unwrap().holds_between(low, high);
        assert_eq!(between("> 8", 8.5, 9.0), Some(true));
        assert_eq!(between("> 8", 8.0, 9.0), None);
        assert_eq!(between("> 8", 1.0, 8.0), Some(false));
        assert_eq!(between(">= 8, < 20", 8.0, 19.0), Some(true));
        assert_eq!(between(">= 8, < 20", f64::NEG_INFINITY, 7.0), Some(false));
        assert_eq!(between(">= 8, < 20", 0.0, 30.0), None);
        assert_eq!(between("<= 8", f64::NEG_INFINITY, 8.0), Some(true));
        for text in [">", "> x", "8", "> 8,", "=> 8", "> inf"] {
            assert!(range(text).is_none(), "{text}");
        }
    }
}
