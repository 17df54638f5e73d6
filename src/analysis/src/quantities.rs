//! Quantities in reports: their titles, and their values in JSON.

use serde::{Serialize, Serializer};
use tpv_model::Quantity;

/// Serializes the values of all quantities as fields of their names; for `#[serde(flatten, serialize_with)]`.
///
/// # Errors
/// Those of the serializer.
pub(crate) fn by_name<V: Serialize, S: Serializer>(
    values: &[V; Quantity::COUNT],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(Quantity::ALL.map(Quantity::name).into_iter().zip(values))
}

/// The title of a column or plot: `Cores`, `Memory (GiB)`.
pub(crate) fn title(quantity: Quantity) -> String {
    let words = quantity.words().1;
    let mut title = words.get(..1).unwrap_or_default().to_uppercase();
    title.push_str(words.get(1..).unwrap_or_default());
    match quantity.unit() {
        Some(unit) => format!("{title} ({unit})"),
        None => title,
    }
}
