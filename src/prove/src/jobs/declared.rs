//! Jobs of tools whose wrapper declares amounts, on both sides of each bound of a destination.

use std::collections::BTreeSet;

use tpv_analysis::dry_job::{DryJob, UNNAMED_TOOL, bytes_of};
use tpv_galaxy::json::Json;
use tpv_galaxy::resource_requirements::{self, RESOURCE_TYPES};
use tpv_model::{Amount, Field, Quantity};
use tpv_runtime::artifact::Rules;
use tpv_runtime::artifact::tables::ValueRow;

use super::changes::set;

/// More bounds of a quantity are not tried.
const MOST_BOUNDS: usize = 16;

/// Larger bounds are beyond any job.
const LARGEST: f64 = 1e6;

/// The jobs, in the order of their amounts.
pub(super) fn declared(rules: &Rules) -> Vec<Json> {
    let jobs = |quantity| {
        let (name, divisor) = requirement(quantity, rules)?;
        Some(amounts(rules, quantity, divisor).into_iter().map(move |amount| {
            let mut job = DryJob::ordinary(UNNAMED_TOOL, bytes_of(1.0)).json();
            set(&mut job, &["tool", "resource_requirements", name], &Json::Int(amount));
            job
        }))
    };
    Quantity::ALL.into_iter().filter_map(jobs).flatten().collect()
}

/// Galaxy's requirement that sets a quantity, and what TPV divides its value by.
fn requirement(quantity: Quantity, rules: &Rules) -> Option<(&'static str, f64)> {
    RESOURCE_TYPES.into_iter().find_map(|name| {
        let (field, divisor) = resource_requirements::field(name, rules.tables().global.version)?;
        (field == quantity.name()).then_some((name, divisor.unwrap_or(1.0)))
    })
}

/// The amounts next to each bound of a destination, in Galaxy's unit, of which so many are one of TPV's.
fn amounts(rules: &Rules, quantity: Quantity, unit: f64) -> BTreeSet<i64> {
    let fields = [
        Amount::Limit(quantity.least_accepted()),
        Amount::Limit(quantity.most_accepted()),
        Amount::Resource(quantity.least()),
        Amount::Resource(quantity.most()),
    ];
    let rows = &rules.tables().destinations;
    let values = rows.iter().flat_map(|row| fields.iter().filter_map(|field| row.value(Field::Amount(*field))));
    #[expect(clippy::cast_precision_loss, reason = "such bounds are not tried")]
    let bounds = values.filter_map(|value| match value {
        ValueRow::Int(bound) => Some(*bound as f64),
        ValueRow::Float(bound) => Some(*bound),
        _ => None,
    });
    #[expect(clippy::cast_possible_truncation, reason = "below the largest")]
    let bounds: BTreeSet<i64> =
        bounds.filter(|bound| (0.0..LARGEST).contains(bound)).map(|bound| (bound * unit) as i64).collect();
    bounds.into_iter().take(MOST_BOUNDS).flat_map(|bound| [bound, bound + 1]).collect()
}
