//! Text of floats: CPython's `PyOS_double_to_string`.

use crate::int_text;

/// The notation of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatStyle {
    /// The fewest digits that give the same float back: `repr`.
    Repr,
    /// `e`: one digit before the point.
    Exponent,
    /// `f`: no exponent.
    Fixed,
    /// `g`: the shorter of both, without trailing zeros.
    General,
}

/// Options of [`write()`].
#[derive(Clone, Copy, Debug, Default)]
pub struct FloatOptions {
    /// Keep the point and trailing zeros (`#`).
    pub alternate: bool,
    /// At least one digit after the point where there is no exponent.
    pub dot_zero: bool,
    /// Write a negative number that rounds to zero without its sign (`z`).
    pub no_negative_zero: bool,
    /// Capital letters.
    pub upper: bool,
}

/// `repr(float)`
pub fn repr(value: f64) -> String {
    let mut text = String::new();
    write_repr(&mut text, value);
    text
}

/// [`repr`] of any float.
fn any_repr(value: f64) -> String {
    write(value, FloatStyle::Repr, 0, FloatOptions { dot_zero: true, ..FloatOptions::default() })
}

/// Appends `repr(float)`.
pub fn write_repr(out: &mut String, value: f64) {
    let Some((digits, places)) = short_decimal(value.abs()) else { return out.push_str(&any_repr(value)) };
    if value.is_sign_negative() {
        out.push('-');
    }
    let shift = 10_u64.pow(places);
    int_text::write_digits(out, digits / shift, 1);
    out.push('.');
    int_text::write_digits(out, digits % shift, places);
}

/// The powers of ten for the places that [`short_decimal`] tries.
const SHIFTS: [f64; 4] = [1e1, 1e2, 1e3, 1e4];

/// The decimal of at most four places after the point, and at least one, that `repr` shows: its digits and its places.
///
/// Of decimals of up to 15 digits no two are the same double, so that one of them which gives the double back is the shortest that
/// does. A number of up to 15 digits and a power of ten are doubles, which makes their quotient the double that is nearest to the
/// decimal.
fn short_decimal(magnitude: f64) -> Option<(u64, u32)> {
    if magnitude.is_nan() || magnitude >= 1e11 {
        return None;
    }
    SHIFTS.iter().zip(1..).find_map(|(shift, places)| {
        // Below 1e15, which 64 bits hold.
        let digits = (magnitude * shift).round();
        (digits / shift == magnitude).then_some((digits as u64, places))
    })
}

/// No double has more digits than this after the first; what is asked beyond are zeros.
const MOST_DIGITS: usize = 1100;

/// Significant digits and where the point stands: `0.digits * 10**point`. Zero is one `0` with the point after it.
struct Digits {
    digits: String,
    point: i64,
}

impl Digits {
    fn from_exponent_form(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        let exponent: i64 = exponent.parse().unwrap_or(0);
        let trimmed = digits.trim_end_matches('0');
        if trimmed.is_empty() { Self::zero() } else { Self { digits: trimmed.to_owned(), point: exponent + 1 } }
    }

    fn zero() -> Self {
        Self { digits: "0".to_owned(), point: 1 }
    }

    /// The fewest digits that identify the number.
    fn shortest(value: f64) -> Self {
        let shortest = Self::from_exponent_form(&format!("{value:e}"));
        // Where two such texts are equally near, CPython takes the one with the even digit, Rust any. That needs a tie at
        // the last digit, which numbers of fewer digits do not have.
        if !(15..=17).contains(&shortest.digits.len()) {
            return shortest;
        }
        let text = format!("{value:.precision$e}", precision = shortest.digits.len() - 1);
        if text.parse() == Ok(value) { Self::from_exponent_form(&text) } else { shortest }
    }

    /// So many significant digits, correctly rounded half to even; trailing zeros are left out.
    fn significant(value: f64, count: usize) -> Self {
        let count = count.clamp(1, MOST_DIGITS);
        Self::from_exponent_form(&format!("{value:.precision$e}", precision = count - 1))
    }

    /// So many digits after the point, correctly rounded; trailing zeros are left out.
    fn fixed(value: f64, places: usize) -> Self {
        let text = format!("{value:.precision$}", precision = places.min(MOST_DIGITS));
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let whole = whole.trim_start_matches('0');
        let mut point = whole.len() as i64;
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0');
        point -= (all.len() - digits.len()) as i64;
        let digits = digits.trim_end_matches('0');
        if digits.is_empty() { Self::zero() } else { Self { digits: digits.to_owned(), point } }
    }
}

/// The digits of a float that are made quickly, all at once; those of a longer text are made one by one.
const QUICK_DIGITS: usize = 17;

/// The steps that [`write()`] takes beyond its call.
pub fn cost(value: f64, style: FloatStyle, precision: usize) -> usize {
    let before_point = if value.abs() < 1.0 { 0 } else { usize::try_from(libm::ilogb(value)).unwrap_or(0) * 3 / 10 };
    let digits = match style {
        _ if !value.is_finite() => 0,
        FloatStyle::Repr => QUICK_DIGITS,
        FloatStyle::Exponent | FloatStyle::General => precision.min(MOST_DIGITS),
        FloatStyle::Fixed => before_point + precision.min(MOST_DIGITS),
    };
    digits.saturating_sub(QUICK_DIGITS)
}

/// The text of a float. `precision` counts digits after the point, or significant digits for [`FloatStyle::General`]; it
/// has no meaning for [`FloatStyle::Repr`].
pub fn write(value: f64, style: FloatStyle, precision: usize, options: FloatOptions) -> String {
    if !value.is_finite() {
        let text = match (value.is_nan(), value < 0.0) {
            (true, _) => "nan",
            (_, false) => "inf",
            (_, true) => "-inf",
        };
        return if options.upper { text.to_ascii_uppercase() } else { text.to_owned() };
    }
    let magnitude = value.abs();
    let precision = if style == FloatStyle::General { precision.max(1) } else { precision };
    let wanted = i64::try_from(precision).unwrap_or(i64::MAX / 2);
    let Digits { digits, mut point } = match style {
        FloatStyle::Repr => Digits::shortest(magnitude),
        FloatStyle::Exponent => Digits::significant(magnitude, precision.saturating_add(1)),
        FloatStyle::General => Digits::significant(magnitude, precision),
        FloatStyle::Fixed => Digits::fixed(magnitude, precision),
    };
    let negative = value.is_sign_negative() && !(options.no_negative_zero && digits == "0");
    // The names and bounds from here on are those of `format_float_short` in CPython's `Python/pystrtod.c`.
    let (use_exponent, mut end) = match style {
        FloatStyle::Repr => (point <= -4 || point > 16, 0),
        FloatStyle::Exponent => (true, wanted + 1),
        FloatStyle::General => {
            let limit = wanted - i64::from(options.dot_zero);
            (point <= -4 || point > limit, if options.alternate { wanted } else { 0 })
        }
        FloatStyle::Fixed => (false, point + wanted),
    };
    let exponent = point - 1;
    if use_exponent {
        point = 1;
    }
    end = end.max(digits.len() as i64);
    end = if !use_exponent && options.dot_zero { end.max(point + 1) } else { end.max(point) };
    let mut out = String::new();
    if negative {
        out.push('-');
    }
    push_digits(&mut out, &digits, point, end);
    if !options.alternate && out.ends_with('.') {
        out.pop();
    }
    if use_exponent {
        out.push(if options.upper { 'E' } else { 'e' });
        out.push(if exponent < 0 { '-' } else { '+' });
        out.push_str(&format!("{:02}", exponent.abs()));
    }
    out
}

/// Appends digits with a point after the first `point` of them, filled with zeros on both sides as far as `end`.
fn push_digits(out: &mut String, digits: &str, point: i64, end: i64) {
    let count = |n: i64| usize::try_from(n.max(0)).unwrap_or(0);
    let zeros = |out: &mut String, n: i64| out.extend(std::iter::repeat_n('0', count(n)));
    let len = digits.len() as i64;
    if point <= 0 {
        out.push_str("0.");
        zeros(out, -point);
        out.push_str(digits);
    } else {
        let (whole, fraction) = digits.split_at_checked(count(point.min(len))).unwrap_or((digits, ""));
        out.push_str(whole);
        zeros(out, point - len);
        out.push('.');
        out.push_str(fraction);
    }
    zeros(out, end - len.max(point));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_decimals_are_shown_as_all_floats_are() {
        // Numbers of a linear congruential generator.
        let (mut state, mut short) = (1_u64, 0);
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 11
        };
        for round in 0..40_000_i32 {
            let decimal = (next() % 10_u64.pow(1 + round.unsigned_abs() % 15)) as f64 / 10_f64.powi(round % 7);
            // The double itself, its neighbours, and any double.
            let bits = decimal.to_bits();
            for value in [bits, bits + 1, bits.wrapping_sub(1), next() << 11].map(f64::from_bits) {
                for value in [value, -value] {
                    short += i32::from(short_decimal(value.abs()).is_some());
                    assert_eq!(repr(value), any_repr(value), "{:#x}", value.to_bits());
                }
            }
        }
        assert!(short > 20_000, "{short}");
    }
}
