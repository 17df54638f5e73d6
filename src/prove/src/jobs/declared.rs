//! Jobs of tools whose wrapper declares amounts, on both sides of each bound of a destination.

use std::collections::BTreeSet;

use tpv_analysis::dry_job::{DryJob, UNNAMED_TOOL, bytes_of};
use tpv_galaxy::json::Json;
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
    let job = |(quantity, amount): (Quantity, i64)| {
        let mut job = DryJob::ordinary(UNNAMED_TOOL, bytes_of(1.0)).json();
        let name = match quantity {
            Quantity::Cores => "cores_min",
            Quantity::Mem => "ram_min",
            Quantity::Gpus => "cuda_device_count_min",
        };
        set(&mut job, &["tool", "resource_requirements", name], &Json::Int(amount));
        job
    };
    let of_quantity = |quantity| amounts(rules, quantity).into_iter().map(move |amount| (quantity, amount));
    Quantity::ALL.into_iter().flat_map(of_quantity).map(job).collect()
}

/// The amounts next to each bound of a destination, in the unit of Galaxy: MiB of memory.
fn amounts(rules: &Rules, quantity: Quantity) -> BTreeSet<i64> {
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
    let unit = if quantity == Quantity::Mem { 1024.0 } else { 1.0 };
    #[expect(clippy::cast_possible_truncation, reason = "below the largest")]
    let bounds: BTreeSet<i64> =
        bounds.filter(|bound| (0.0..LARGEST).contains(bound)).map(|bound| (bound * unit) as i64).collect();
    bounds.into_iter().take(MOST_BOUNDS).flat_map(|bound| [bound, bound + 1]).collect()
}
