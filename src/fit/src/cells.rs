//! The values of a table's cells, in the units of the programs that write such tables.
//!
//! `sacct` writes `1234K`, `3.5G` and `16Gn`; Nextflow and Galaxy write `3.1 GB`. All three mean powers of 1,024, whether the unit is `K`, `kB`, `KB` or
//! `KiB`: `MemoryUnit` of Nextflow, `nice_size` of Galaxy, `convert_num_unit` of Slurm.

/// A number that is not negative.
pub(crate) fn number(cell: &str, field: &str) -> Result<f64, String> {
    let number = cell.parse::<f64>().ok().filter(|number| number.is_finite());
    let number = number.ok_or_else(|| format!("{field}: `{cell}` is not a number"))?;
    if number < 0.0 { Err(format!("{field}: `{cell}` is negative")) } else { Ok(number) }
}

/// An amount of memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Memory {
    /// The bytes, or the number as it stands if it has no unit.
    pub(crate) amount: f64,
    /// It has a unit.
    pub(crate) has_unit: bool,
    /// It is for each core: `4Gc` of `sacct`.
    pub(crate) is_per_core: bool,
}

/// Reads an amount of memory: `1234K`, `3.5G`, `16Gn`, `3.1 GB`, `512 B`, `4096`.
pub(crate) fn memory(cell: &str, field: &str) -> Result<Memory, String> {
    let end = cell.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
    let (digits, unit) = cell.split_at_checked(end).unwrap_or((cell, ""));
    // `1e9` and `inf` are left to the parser of numbers.
    let power = match unit.to_ascii_lowercase().as_str() {
        "" => None,
        "b" | "bytes" => Some(0),
        unit => {
            // Of `sacct`: for each node, or for each core.
            let scale = unit.strip_suffix(['n', 'c']).unwrap_or(unit);
            let scale = scale.strip_suffix("ib").or_else(|| scale.strip_suffix('b')).unwrap_or(scale);
            let powers = [("k", 10), ("m", 20), ("g", 30), ("t", 40), ("p", 50)];
            Some(powers.iter().find(|(name, _)| *name == scale).map(|(_, power)| *power).ok_or_else(|| {
                format!("{field}: `{cell}` has no unit of memory: write `4096M`, `3.1 GB` or a number of bytes")
            })?)
        }
    };
    let amount = number(if power.is_some() { digits.trim_end() } else { cell }, field)?;
    Ok(Memory {
        // A byte has no parts.
        amount: power.map_or(amount, |power| (amount * f64::from(power).exp2()).round()),
        has_unit: power.is_some(),
        is_per_core: power.is_some() && unit.ends_with('c'),
    })
}

/// A time in seconds: a number, `[days-]hours:minutes:seconds` of `sacct`, or `1d 2h 3m 4s`, `250ms` of Nextflow.
pub(crate) fn duration(cell: &str) -> Result<f64, String> {
    const FIELD: &str = "runtime_seconds";
    let wrong = || format!("{FIELD}: `{cell}` is no time such as 1-02:03:04 or 2h 3m 4s");
    if cell.contains(':') {
        let (days, rest) = cell.split_once('-').unwrap_or(("0", cell));
        let mut seconds = 0.0;
        for part in rest.split(':') {
            seconds = seconds * 60.0 + number(part, FIELD).map_err(|_| wrong())?;
        }
        return Ok(number(days, FIELD).map_err(|_| wrong())? * 86_400.0 + seconds);
    }
    if !cell.ends_with(['s', 'm', 'h', 'd']) {
        return number(cell, FIELD);
    }
    let units = [("ms", 0.001), ("d", 86_400.0), ("h", 3600.0), ("m", 60.0), ("s", 1.0)];
    let mut seconds = 0.0;
    for part in cell.split_whitespace() {
        let (digits, unit) =
            units.iter().find_map(|(name, unit)| Some((part.strip_suffix(name)?, unit))).ok_or_else(wrong)?;
        seconds += number(digits, FIELD).map_err(|_| wrong())? * unit;
    }
    Ok(seconds)
}

/// Galaxy's state for one of Galaxy, Slurm, Nextflow or a number, and `true` if it says that memory was short.
pub(crate) fn state(cell: &str) -> (&'static str, bool) {
    let word = cell.to_lowercase();
    match word.as_str() {
        "ok" | "completed" | "cached" | "0" => ("ok", false),
        word if word.contains("out_of_me") || word.contains("oom") || word.contains("memory_limit") => ("error", true),
        _ => ("error", false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_in_the_units_of_its_sources() {
        const GIB: f64 = (1_u64 << 30) as f64;
        for (cell, bytes) in [
            // sacct
            ("1024K", 1_048_576.0),
            ("3.50G", 3.5 * GIB),
            ("4Gn", 4.0 * GIB),
            ("16000M", 16_000.0 * 1_048_576.0),
            ("0", 0.0),
            // Nextflow, Galaxy
            ("3.1 GB", 3_328_599_654.0),
            ("512 B", 512.0),
            ("100 bytes", 100.0),
            ("9.8 KB", 10_035.0),
            ("1.5 TB", 1536.0 * GIB),
            // Others
            ("2 GiB", 2.0 * GIB),
            ("10kB", 10_240.0),
            ("1GB", GIB),
            ("4294967296", 4.0 * GIB),
            ("1e9", 1e9),
        ] {
            assert_eq!(memory(cell, "memory").map(|memory| memory.amount), Ok(bytes), "{cell}");
        }
        let per_core = |cell| memory(cell, "allocated").is_ok_and(|memory| memory.is_per_core);
        assert!(per_core("4Gc") && !per_core("4Gn") && !per_core("4G"));
        for (cell, fault) in [
            ("-4K", "memory: `-4` is negative"),
            ("4X", "memory: `4X` has no unit of memory"),
            ("inf", "memory: `inf` has no unit of memory"),
            ("G", "memory: `` is not a number"),
            ("3,1 GB", "memory: `3,1` is not a number"),
            ("", "memory: `` is not a number"),
        ] {
            let error = memory(cell, "memory").err().unwrap_or_default();
            assert!(error.starts_with(fault), "{cell}: {error}");
        }
    }

    #[test]
    fn times_are_in_the_units_of_their_sources() {
        for (cell, seconds) in [
            ("86401", 86_401.0),
            ("1-00:00:01", 86_401.0),
            ("00:01:00", 60.0),
            ("02:30", 150.0),
            ("1d 2h 3m 4s", 93_784.0),
            ("250ms", 0.25),
            ("2.5s", 2.5),
            ("1.5e1", 15.0),
        ] {
            assert_eq!(duration(cell), Ok(seconds), "{cell}");
        }
        for cell in ["x:1", "2 weeks", "s", "1h2m", "-5s"] {
            assert!(duration(cell).is_err(), "{cell}");
        }
    }
}
