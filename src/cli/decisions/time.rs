//! Moments on the command line.

/// The time of a line from which on decisions count: a date or time in UTC, or `30m`, `12h`, `7d`, `2w` ago. Times of lines compare as texts.
///
/// # Errors
/// It is none.
pub(super) fn moment(text: &str) -> Result<String, String> {
    let wrong =
        || "write a date, a time in UTC such as 2026-11-27T08:00, or 30m, 12h, 7d, 2w for a time ago".to_owned();
    let unit = text.chars().last().and_then(|unit| match unit {
        'm' => Some(60),
        'h' => Some(3600),
        'd' => Some(86_400),
        'w' => Some(7 * 86_400),
        _ => None,
    });
    if let Some(unit) = unit {
        let number: i64 = text.get(..text.len() - 1).unwrap_or_default().parse().map_err(|_| wrong())?;
        let seconds = number.checked_mul(unit).filter(|seconds| *seconds >= 0).ok_or_else(wrong)?;
        let now = jiff::Timestamp::from_microsecond(tpv_maps::clock::microseconds()).unwrap_or_default();
        let then = now.checked_sub(jiff::SignedDuration::from_secs(seconds)).map_err(|_| wrong())?;
        return Ok(then.strftime("%Y-%m-%dT%H:%M:%S").to_string());
    }
    let text = text.trim_end_matches('Z').replace(' ', "T");
    let is_date = text.parse::<jiff::civil::Date>().is_ok() && !text.contains('T');
    let is_time = text.parse::<jiff::civil::DateTime>().is_ok();
    (is_date || is_time).then_some(text).ok_or_else(wrong)
}

/// The present time, as lines of decisions have it.
pub(super) fn now() -> String {
    tpv_runtime::decision::time_text(tpv_maps::clock::microseconds())
}
