//! Amounts of memory beside the one that the job has.

/// More or less than this power of two is no slip of units but another amount.
const NEAR: f64 = 1.25;

/// The power of 1024 by which an amount misses another: -1 if GiB are taken for MiB. `None` if it does not, or by something else.
pub(super) fn slip(given: f64, meant: f64) -> Option<i32> {
    if !(given > 0.0 && meant > 0.0) {
        return None;
    }
    let doubled = (given / meant).log2();
    let thousands = (doubled / 10.0).round();
    let is_slip = thousands != 0.0 && thousands.abs() <= 3.0 && (doubled - 10.0 * thousands).abs() <= NEAR;
    #[expect(clippy::cast_possible_truncation, reason = "three at most")]
    is_slip.then_some(thousands as i32)
}

/// MB as a person reads them.
pub(super) fn shown(mb: f64) -> String {
    let (amount, unit) = match mb {
        _ if mb < 1.0 / 1024.0 => (mb * 1_048_576.0, "bytes"),
        _ if mb < 1.0 => (mb * 1024.0, "KiB"),
        _ if mb < 1024.0 => (mb, "MiB"),
        _ if mb < 1_048_576.0 => (mb / 1024.0, "GiB"),
        _ => (mb / 1_048_576.0, "TiB"),
    };
    format!("{} {unit}", digits(amount))
}

/// A number to three digits.
pub(super) fn digits(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}

/// A decimal number without an exponent: `3.8`, `-1`.
pub(super) fn plain(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_plain =
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if is_plain { text.parse().ok() } else { None }
}

/// A number and what follows it: `3.8` and `G`.
pub(super) fn split_number(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    text.split_at(end)
}

/// The MB of a unit as Slurm and HTCondor read it, in large or small letters; none is MB. `None` if it is no unit.
pub(super) fn megabytes(unit: &str) -> Option<f64> {
    match unit.to_ascii_lowercase().as_str() {
        "" | "m" | "mb" => Some(1.0),
        "k" | "kb" => Some(1.0 / 1024.0),
        "g" | "gb" => Some(1024.0),
        "t" | "tb" => Some(1_048_576.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::slip;

    #[test]
    fn slips_of_units_are_told_from_other_amounts() {
        for (given, meant, expected) in [
            (16.0, 16.0 * 1024.0, Some(-1)),
            (3.0, 3.8 * 1024.0, Some(-1)),
            (72_192.0 * 1024.0, 72_192.0, Some(1)),
            (16.0 * 1000.0, 16.0 * 1024.0, None),
            (16.0, 32.0, None),
            (100.0, 16.0, None),
            (0.0, 16.0, None),
            (16.0, 16.0 * 1_073_741_824.0, Some(-3)),
        ] {
            assert_eq!(slip(given, meant), expected, "{given} for {meant}");
        }
    }
}
