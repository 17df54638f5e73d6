//! Text of ints.

/// Ints of more digits are not converted to or from decimal text: `sys.get_int_max_str_digits()`.
pub const MAX_DIGITS: usize = 4300;

/// Appends an int of 64 bits in decimal.
#[inline]
pub fn write_small(out: &mut String, value: i64) {
    if value < 0 {
        out.push('-');
    }
    write_digits(out, value.unsigned_abs(), 1);
}

/// Appends a number in decimal, with zeros before it where it has fewer digits than `width`.
#[inline]
pub fn write_digits(out: &mut String, value: u64, width: u32) {
    if value >= 10 || width > 1 {
        write_digits(out, value / 10, width.saturating_sub(1));
    }
    out.push(char::from(b'0' + u8::try_from(value % 10).unwrap_or_default()));
}
