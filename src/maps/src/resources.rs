//! The memory, disk and time that a component may use.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cluster::Indices;

/// Limits. A limit that is not set is the engine's own, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Resources {
    /// The most resident memory, in MiB.
    pub memory_mib: Option<u64>,
    /// The longest run, in seconds.
    pub time_s: Option<u64>,
    /// The most disk for inputs and output, in MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_mib: Option<u64>,
}

impl Resources {
    /// These limits, and the others where there is none of these.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            memory_mib: self.memory_mib.or(others.memory_mib),
            time_s: self.time_s.or(others.time_s),
            disk_mib: self.disk_mib.or(others.disk_mib),
        }
    }

    /// These limits without those that the others set.
    #[must_use]
    fn without(self, others: Self) -> Self {
        Self {
            memory_mib: self.memory_mib.filter(|_| others.memory_mib.is_none()),
            time_s: self.time_s.filter(|_| others.time_s.is_none()),
            disk_mib: self.disk_mib.filter(|_| others.disk_mib.is_none()),
        }
    }

    /// Returns `true` if nothing is limited.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// Reads an amount such as `2000`, `1.5G` or `512MiB`, in MiB, rounded up. Without a unit it is MiB; units are powers of 1,024.
///
/// # Errors
/// It is not such an amount; the help.
pub fn mib(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|byte: char| byte.is_ascii_alphabetic()).unwrap_or(text.len()));
    let unit = unit.to_ascii_lowercase();
    let shift = match unit.strip_suffix("ib").or_else(|| unit.strip_suffix('b')).unwrap_or(&unit) {
        _ if unit == "b" => 0,
        "k" => 10,
        "" | "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(AMOUNT.to_owned()),
    };
    let (whole, part) = number.trim().split_once('.').unwrap_or((number.trim(), ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() <= 12;
    if whole.is_empty() || !digits(whole) || !digits(part) {
        return Err(AMOUNT.to_owned());
    }
    let decimals = 10_u128.pow(u32::try_from(part.len()).unwrap_or(0));
    let number: u128 = format!("{whole}{part}").parse().map_err(|_| AMOUNT.to_owned())?;
    let mib = (number << shift).div_ceil(decimals << 20);
    u64::try_from(mib).ok().filter(|mib| (1..=MOST).contains(mib)).ok_or_else(|| AMOUNT.to_owned())
}

/// The most MiB of anything: an EiB.
const MOST: u64 = 1 << 40;
const AMOUNT: &str = "write an amount from 1 MiB up: `2000` MiB, `512M`, `1.5G`";

/// Components with limits of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentLimits {
    components: Indices,
    #[serde(flatten)]
    resources: Resources,
}

/// The limits of a map: those of all components, and those of some.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Those of all components.
    #[serde(flatten)]
    pub all: Resources,
    /// Those of some, which come first. Each component is in one of these at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    own: Vec<ComponentLimits>,
}

impl Limits {
    /// The same limits for all components.
    pub fn of_all(all: Resources) -> Self {
        Self { all, own: Vec::new() }
    }

    /// The limits of a component.
    pub fn of(&self, component: u32) -> Resources {
        let has = |own: &&ComponentLimits| own.components.0.binary_search(&component).is_ok();
        self.own.iter().find(has).map_or(self.all, |own| own.resources.or(self.all))
    }

    /// Changes the limits of these components, or of all.
    pub fn change(&mut self, changes: Resources, only: Option<&[u32]>) {
        let mut by_component = BTreeMap::new();
        for own in std::mem::take(&mut self.own) {
            let resources = if only.is_none() { own.resources.without(changes) } else { own.resources };
            by_component.extend(own.components.0.into_iter().map(|component| (component, resources)));
        }
        match only {
            None => self.all = changes.or(self.all),
            Some(only) => {
                for &component in only {
                    let own = by_component.entry(component).or_insert_with(Resources::default);
                    *own = changes.or(*own);
                }
            }
        }
        let mut groups: BTreeMap<Resources, Vec<u32>> = BTreeMap::new();
        for (component, resources) in by_component.into_iter().filter(|(_, resources)| !resources.is_empty()) {
            groups.entry(resources).or_default().push(component);
        }
        let own = groups
            .into_iter()
            .map(|(resources, components)| ComponentLimits { components: Indices(components), resources });
        self.own = own.collect();
    }

    /// Components with equal limits, in groups.
    pub fn groups(&self, components: Vec<u32>) -> Vec<Vec<u32>> {
        if self.own.is_empty() {
            return if components.is_empty() { Vec::new() } else { vec![components] };
        }
        let mut groups: BTreeMap<Resources, Vec<u32>> = BTreeMap::new();
        for component in components {
            groups.entry(self.of(component)).or_default().push(component);
        }
        groups.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn amounts_have_units() {
        for (text, expected) in [
            ("2000", 2000),
            ("2G", 2048),
            ("1.5g", 1536),
            ("512 MiB", 512),
            ("1K", 1),
            ("1025k", 2),
            ("1TB", 1 << 20),
            ("1048577b", 2),
        ] {
            assert_eq!(mib(text), Ok(expected), "{text}");
        }
        for wrong in ["", "0", "-1", "G", "1.G.", "2X", "1e3", "99999999999T", "1234567890123", "0.0G", "٣"] {
            assert!(mib(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn some_components_have_limits_of_their_own() {
        let memory = |mib| Resources { memory_mib: Some(mib), ..Resources::default() };
        let time = |s| Resources { time_s: Some(s), ..Resources::default() };
        let mut limits = Limits::of_all(memory(100));
        limits.change(memory(200), Some(&[1, 3]));
        limits.change(time(60), Some(&[3, 4]));
        let of = |limits: &Limits| (0..5).map(|at| limits.of(at)).collect::<Vec<_>>();
        let both = |mib, s| memory(mib).or(time(s));
        assert_eq!(of(&limits), [memory(100), memory(200), memory(100), both(200, 60), both(100, 60)]);
        assert_eq!(limits.groups((0..5).collect()), [vec![0, 2], vec![4], vec![1], vec![3]]);
        let text = serde_json::to_string(&limits).unwrap();
        assert_eq!(serde_json::from_str::<Limits>(&text).unwrap(), limits, "{text}");
        // A change of all is one of each.
        limits.change(memory(300), None);
        assert_eq!(of(&limits), [memory(300), memory(300), memory(300), both(300, 60), both(300, 60)]);
        limits.change(time(5), None);
        assert_eq!(limits, Limits::of_all(both(300, 5)));
        let old = r#"{"memory_mib":7,"time_s":null}"#;
        assert_eq!(serde_json::from_str::<Limits>(old).unwrap(), Limits::of_all(memory(7)));
    }
}
