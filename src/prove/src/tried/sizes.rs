//! The sizes of inputs that are tried.

use tpv_analysis::dry_job::{bytes_of, gib_of, short_gib};
use tpv_config::Config;
use tpv_config::entity::{Common, Entity};
use tpv_model::EntityClass;

/// A GiB in bytes.
pub(super) const GIB: i64 = 1 << 30;

/// The sizes that jobs of every tool are tried at, in bytes: larger inputs than the last are rare.
const SIZES: [i64; 8] = [0, 1 << 20, GIB / 10, GIB, 10 * GIB, 50 * GIB, 100 * GIB, 300 * GIB];

/// The size that an ordinary job has.
pub(super) const ORDINARY: i64 = GIB;

/// More borders than these in a tool's code are not tried.
const MOST_BORDERS: usize = 12;

/// The sizes for a tool: those of all tools, and both sides of each number that its code has beside `input_size`.
pub(super) fn sizes(config: &Config, tool: &Entity) -> Vec<i64> {
    let default = config.default_entity(EntityClass::Tool);
    let mut borders: Vec<f64> = Vec::new();
    for entity in std::iter::once(tool).chain(default.map(|default| &**default)) {
        entity.rules.values().filter_map(|rule| rule.condition().as_str()).for_each(|code| numbers(code, &mut borders));
        for common in entity.commons() {
            amounts(common, &mut borders);
        }
    }
    borders.sort_by(f64::total_cmp);
    borders.dedup();
    borders.truncate(MOST_BORDERS);
    let mut sizes = SIZES.to_vec();
    for border in borders {
        let bytes = bytes_of(border);
        sizes.extend([bytes - 1, bytes, bytes + 1]);
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The numbers in the code of amounts.
fn amounts(common: &Common, out: &mut Vec<f64>) {
    common.amounts.resources().filter_map(|(_, value)| value.as_str()).for_each(|code| numbers(code, out));
}

/// The numbers of code that mentions `input_size` which may be sizes in GiB.
fn numbers(code: &str, out: &mut Vec<f64>) {
    if !code.contains("input_size") {
        return;
    }
    let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_');
    let numbers = words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit() || c == '.'));
    out.extend(numbers.filter_map(|word| word.parse::<f64>().ok()).filter(|number| (0.001..=300.0).contains(number)));
}

/// A size as a person reads it.
pub(super) fn shown(bytes: i64) -> String {
    match bytes {
        0 => "0 bytes".to_owned(),
        1..=9_999_999 => format!("{} MiB", short_gib(bytes.saturating_mul(1 << 10))),
        _ => format!("{} GiB", short_gib(bytes)),
    }
}

/// Sizes near one that are short to read, in bytes: those of two to four digits, from the shortest on; at least it, or at most.
pub(super) fn near(bytes: i64, is_above: bool) -> impl Iterator<Item = i64> {
    let gib = gib_of(bytes);
    (0..3).filter_map(move |digits| {
        let step = 10_f64.powf(gib.log10().floor() - f64::from(digits));
        let number = if is_above { (gib / step).ceil() } else { (gib / step).floor() } * step;
        let near = bytes_of(format!("{number:.6e}").parse().ok()?);
        (if is_above { near >= bytes } else { near <= bytes }).then_some(near)
    })
}
