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
