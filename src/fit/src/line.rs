//! Rules for memory: `min(a + b * input_size, c)`.

use serde::{Deserialize, Serialize};

/// A rule for a tool's memory, in GiB.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The memory without inputs, in GiB.
    pub base: f64,
    /// GiB for each GiB of inputs; 0 for a constant.
    pub slope: f64,
    /// The most memory in GiB, if the rule has a bound.
    pub most: Option<f64>,
    /// The weight of compressed inputs, if it is not that of others.
    pub compression: Option<f64>,
}

/// The family of a rule: what it may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// A number.
    Constant,
    /// `min(a + b * input_size, c)`
    Size,
    /// The same, where compressed inputs count by another factor.
    CompressedSize,
}

/// The number of digits that count in a proposed number.
const DIGITS: i32 = 3;

impl Line {
    /// The same memory for all jobs.
    pub fn constant(memory: f64) -> Self {
        Self { base: memory, slope: 0.0, most: None, compression: None }
    }

    /// The family.
    pub fn family(&self) -> Family {
        match (self.slope > 0.0, self.compression) {
            (false, _) => Family::Constant,
            (true, None) => Family::Size,
            (true, Some(_)) => Family::CompressedSize,
        }
    }

    /// The memory for inputs of so many GiB.
    pub fn memory(&self, plain: f64, compressed: f64) -> f64 {
        let size = plain + self.compression.unwrap_or(1.0) * compressed;
        (self.base + self.slope * size).min(self.most.unwrap_or(f64::INFINITY))
    }

    /// The rule with all its memory multiplied.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        let most = self.most.map(|most| most * factor);
        Self { base: self.base * factor, slope: self.slope * factor, most, ..*self }
    }

    /// The rule with numbers of three digits, of which none is less than it was; no memory is below `least`, or above `ceiling`, which is the memory
    /// of the largest destination. A rule whose bound leaves no room for the size is a constant.
    #[must_use]
    pub fn rounded(&self, least: f64, ceiling: f64) -> Self {
        let base = rounded_up(self.base.max(least));
        let most = self.most.map_or(f64::INFINITY, |most| rounded_up(most.max(least))).min(rounded_down(ceiling));
        if self.slope <= 0.0 || base >= most {
            return Self::constant(base.min(most));
        }
        Self { base, slope: rounded_up(self.slope), most: most.is_finite().then_some(most), ..*self }
    }

    /// The rule as the value of `mem` in a TPV file.
    pub fn expression(&self) -> String {
        if self.slope <= 0.0 {
            return number(self.base);
        }
        let size = match self.compression {
            None => "input_size".to_owned(),
            Some(factor) => format!("helpers.get_input_size(job, compression_factor={})", number(factor)),
        };
        let sum = format!("{} + {} * {size}", number(self.base), number(self.slope));
        match self.most {
            Some(most) => format!("min({sum}, {})", number(most)),
            None => sum,
        }
    }
}

/// A number without needless digits.
pub fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The next number of three digits that is not less.
fn rounded_up(value: f64) -> f64 {
    rounded(value, |digits| (digits - 1e-9).ceil())
}

/// The next number of three digits that is not more.
fn rounded_down(value: f64) -> f64 {
    rounded(value, |digits| (digits + 1e-9).floor())
}

fn rounded(value: f64, round: fn(f64) -> f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return value;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a logarithm of a double is small")]
    let exponent = value.log10().floor() as i32 - (DIGITS - 1);
    // Powers of ten above 1 are exact; so the quotient has no digits of its own.
    let (scale, is_fraction) = (10_f64.powi(exponent.abs()), exponent < 0);
    let digits = if is_fraction { value * scale } else { value / scale };
    let digits = round(digits);
    if is_fraction { digits / scale } else { digits * scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_up_to_three_digits() {
        for (value, rounded) in
            [(25.31, 25.4), (0.123_45, 0.124), (350.0, 350.0), (1234.0, 1240.0), (2.0, 2.0), (0.1, 0.1)]
        {
            assert_eq!(rounded_up(value), rounded, "{value}");
        }
    }

    #[test]
    fn rules_are_written_as_tpv_reads_them() {
        let line = Line { base: 25.3, slope: 13.3, most: Some(350.0), compression: None };
        assert_eq!(line.expression(), "min(25.3 + 13.3 * input_size, 350)");
        assert_eq!((line.memory(1.0, 1.0), line.memory(100.0, 0.0)), (25.3 + 26.6, 350.0));
        assert_eq!(Line::constant(4.0).rounded(0.1, f64::INFINITY).expression(), "4");
        let compressed = Line { most: None, compression: Some(3.0), ..line };
        assert_eq!(compressed.expression(), "25.3 + 13.3 * helpers.get_input_size(job, compression_factor=3)");
        assert_eq!(compressed.memory(1.0, 1.0), 25.3 + 13.3 * 4.0);
        // What no destination accepts is not proposed.
        assert_eq!(line.rounded(0.1, 128.0).expression(), "min(25.3 + 13.3 * input_size, 128)");
        assert_eq!(compressed.rounded(0.1, 128.9).most, Some(128.0));
        // A bound that the base reaches, and a base below the least.
        for (line, least, expression) in
            [(line, 400.0, "400"), (Line::constant(0.02), 0.1, "0.1"), (line.times(30.0), 0.1, "512")]
        {
            assert_eq!(line.rounded(least, 512.0).expression(), expression);
        }
    }
}
