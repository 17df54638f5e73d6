//! Cores, memory and GPUs: the fields that ask for them, bound them and limit them.

use std::array;

use bincode::{Decode, Encode};

/// Declares an enumeration of fields with their names in TPV and their meaning.
macro_rules! fields {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal: $words:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
        pub enum $name { $(#[doc = $words] $variant),* }

        impl $name {
            /// The number of fields.
            pub const COUNT: usize = [$($text),*].len();

            /// All fields.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$variant),*];

            /// The field's name in TPV.
            #[inline]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            /// The meaning, without the unit.
            pub const fn words(self) -> &'static str {
                match self { $(Self::$variant => $words),* }
            }

            /// The field of that name.
            #[inline]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

fields! {
    /// The amounts of an entity that are expressions. The order is that of their evaluation in TPV.
    Resource {
        MinGpus = "min_gpus": "At least so many GPUs.",
        MinCores = "min_cores": "At least so many cores: a job that asks for fewer gets these.",
        MinMem = "min_mem": "At least so much memory.",
        MaxGpus = "max_gpus": "At most so many GPUs.",
        MaxCores = "max_cores": "At most so many cores: a job that asks for more gets these.",
        MaxMem = "max_mem": "At most so much memory.",
        Gpus = "gpus": "GPUs: a number, or a Python expression.",
        Cores = "cores": "Cores: a number, or a Python expression.",
        Mem = "mem": "Memory: a number, or a Python expression such as `cores * 3.8`.",
    }
}

fields! {
    /// The amounts that are plain numbers: cores and GPUs by count, memory in GiB. The order is that of their definition in TPV.
    Limit {
        MaxConcurrentCores = "max_concurrent_cores": "Resource pools: so many cores at most in all running jobs of a user; a number.",
        MaxConcurrentMem = "max_concurrent_mem": "Resource pools: so much memory at most in all running jobs of a user; a number.",
        MaxConcurrentGpus = "max_concurrent_gpus": "Resource pools: so many GPUs at most in all running jobs of a user; a number.",
        MaxAcceptedCores = "max_accepted_cores": "The most cores of a job that this destination accepts; a number.",
        MaxAcceptedMem = "max_accepted_mem": "The most memory of a job that this destination accepts; a number.",
        MaxAcceptedGpus = "max_accepted_gpus": "The most GPUs of a job that this destination accepts; a number.",
        MinAcceptedCores = "min_accepted_cores": "The fewest cores of a job that this destination accepts; a number.",
        MinAcceptedMem = "min_accepted_mem": "The least memory of a job that this destination accepts; a number.",
        MinAcceptedGpus = "min_accepted_gpus": "The fewest GPUs of a job that this destination accepts; a number.",
    }
}

impl Resource {
    /// All resources in the order of their definition in TPV.
    pub const DEFINITION: [Self; Self::COUNT] = [
        Self::Cores,
        Self::Mem,
        Self::Gpus,
        Self::MinCores,
        Self::MinMem,
        Self::MinGpus,
        Self::MaxCores,
        Self::MaxMem,
        Self::MaxGpus,
    ];

    /// The resources that a tool's wrapper may declare.
    pub const DECLARED: [Self; 6] = [Self::Cores, Self::Mem, Self::Gpus, Self::MaxCores, Self::MaxMem, Self::MaxGpus];

    /// The lower and the upper bound that TPV clamps this resource by. `None` for the bounds themselves.
    #[inline]
    pub fn clamped_by(self) -> Option<(Self, Self)> {
        let quantity = self.quantity();
        (quantity.resource() == self).then(|| (quantity.least(), quantity.most()))
    }
}

impl Limit {
    /// The limits that all entities have: what a user may hold at once in a pool.
    pub const CONCURRENT: [Self; 3] = [Self::MaxConcurrentCores, Self::MaxConcurrentMem, Self::MaxConcurrentGpus];

    /// The limits that only destinations have: what they accept.
    pub const ACCEPTED: [Self; 6] = [
        Self::MaxAcceptedCores,
        Self::MaxAcceptedMem,
        Self::MaxAcceptedGpus,
        Self::MinAcceptedCores,
        Self::MinAcceptedMem,
        Self::MinAcceptedGpus,
    ];

    /// Returns `true` if a larger amount than this one is refused, `false` if a smaller one is.
    #[inline]
    pub fn is_upper(self) -> bool {
        self.quantity().least_accepted() != self
    }
}

/// Declares the quantities: the unit and the words for one and for several, then the amount that a job asks for with its bounds,
/// and the limits.
macro_rules! quantities {
    ($($(#[$doc:meta])* $name:ident ($unit:expr, $one:literal, $many:literal) {
        asked: $resource:ident $least:ident $most:ident,
        accepted: $most_accepted:ident $least_accepted:ident,
        others: [$($other:ident)*],
    })*) => {
        /// A countable quantity. The order is that in which TPV defines the fields of each kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Quantity { $($(#[$doc])* $name),* }

        impl Quantity {
            /// The number of quantities.
            pub const COUNT: usize = Self::ALL.len();

            /// All quantities, in the order in which TPV defines their fields.
            pub const ALL: [Self; [$($one),*].len()] = [$(Self::$name),*];

            /// The unit. `None` for a count.
            pub const fn unit(self) -> Option<&'static str> {
                match self { $(Self::$name => $unit),* }
            }

            /// The word for one of it, and for several.
            pub const fn words(self) -> (&'static str, &'static str) {
                match self { $(Self::$name => ($one, $many)),* }
            }

            /// This quantity's value among those of all quantities.
            #[expect(non_snake_case, reason = "a value has the name of its quantity")]
            pub const fn of<V>(self, values: &[V; Self::COUNT]) -> &V {
                let [$($name),*] = values;
                match self { $(Self::$name => $name),* }
            }

            /// The amount that a job asks for.
            #[inline]
            pub const fn resource(self) -> Resource {
                match self { $(Self::$name => Resource::$resource),* }
            }

            /// The lower bound of [`Self::resource`].
            #[inline]
            pub const fn least(self) -> Resource {
                match self { $(Self::$name => Resource::$least),* }
            }

            /// The upper bound of [`Self::resource`].
            #[inline]
            pub const fn most(self) -> Resource {
                match self { $(Self::$name => Resource::$most),* }
            }

            /// The least that a destination accepts.
            pub const fn least_accepted(self) -> Limit {
                match self { $(Self::$name => Limit::$least_accepted),* }
            }

            /// The most that a destination accepts.
            pub const fn most_accepted(self) -> Limit {
                match self { $(Self::$name => Limit::$most_accepted),* }
            }
        }

        impl Resource {
            /// The quantity that is asked for or bounded.
            #[inline]
            pub const fn quantity(self) -> Quantity {
                match self { $(Self::$resource | Self::$least | Self::$most => Quantity::$name),* }
            }
        }

        impl Limit {
            /// The quantity that is limited.
            #[inline]
            pub const fn quantity(self) -> Quantity {
                match self { $(Self::$least_accepted | Self::$most_accepted $(| Self::$other)* => Quantity::$name),* }
            }
        }
    };
}

quantities! {
    /// Cores.
    Cores (None, "core", "cores") {
        asked: Cores MinCores MaxCores,
        accepted: MaxAcceptedCores MinAcceptedCores,
        others: [MaxConcurrentCores],
    }
    /// Memory in GiB.
    Mem (Some("GiB"), "memory", "memory") {
        asked: Mem MinMem MaxMem,
        accepted: MaxAcceptedMem MinAcceptedMem,
        others: [MaxConcurrentMem],
    }
    /// GPUs.
    Gpus (None, "GPU", "GPUs") {
        asked: Gpus MinGpus MaxGpus,
        accepted: MaxAcceptedGpus MinAcceptedGpus,
        others: [MaxConcurrentGpus],
    }
}

impl Quantity {
    /// The quantity of that name.
    #[inline]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quantity| quantity.name() == name)
    }

    /// The name, which is that of the resource a job asks for.
    #[inline]
    pub const fn name(self) -> &'static str {
        self.resource().name()
    }

    /// The unit after a blank, or the empty text for a count.
    pub fn suffix(self) -> String {
        self.unit().map_or_else(String::new, |unit| format!(" {unit}"))
    }

    /// The unit, or the word for several: `GiB`, `cores`.
    pub const fn units(self) -> &'static str {
        match self.unit() {
            Some(unit) => unit,
            None => self.words().1,
        }
    }

    /// The unit, or the word for so many: `GiB`, `core`, `GPUs`.
    #[expect(clippy::float_cmp, reason = "exactly one")]
    pub fn noun(self, number: f64) -> &'static str {
        if number == 1.0 && self.unit().is_none() { self.words().0 } else { self.units() }
    }

    /// The amount that a job asks for, with its lower and upper bound.
    pub fn resources(self) -> [Resource; 3] {
        [self.resource(), self.least(), self.most()]
    }
}

/// A resource or a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
pub enum Amount {
    /// An expression.
    Resource(Resource),
    /// A plain number.
    Limit(Limit),
}

impl Amount {
    /// The field's name in TPV.
    #[inline]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resource(resource) => resource.name(),
            Self::Limit(limit) => limit.name(),
        }
    }

    /// The meaning, without the unit.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Resource(resource) => resource.words(),
            Self::Limit(limit) => limit.words(),
        }
    }

    /// The field of that name.
    #[inline]
    pub fn from_name(name: &str) -> Option<Self> {
        Resource::from_name(name).map(Self::Resource).or_else(|| Limit::from_name(name).map(Self::Limit))
    }

    /// The fields that all entities and rules have, in the order of their definition in TPV.
    pub fn common() -> impl Iterator<Item = Self> {
        Resource::DEFINITION.into_iter().map(Self::Resource).chain(Limit::CONCURRENT.into_iter().map(Self::Limit))
    }

    /// The fields that only destinations have, in the order of their definition in TPV.
    pub fn accepted() -> impl Iterator<Item = Self> {
        Limit::ACCEPTED.into_iter().map(Self::Limit)
    }

    /// The quantity of the field.
    #[inline]
    pub const fn quantity(self) -> Quantity {
        match self {
            Self::Resource(resource) => resource.quantity(),
            Self::Limit(limit) => limit.quantity(),
        }
    }

    /// The unit. `None` for a count.
    pub const fn unit(self) -> Option<&'static str> {
        self.quantity().unit()
    }

    fn index(self) -> usize {
        match self {
            Self::Resource(resource) => resource as usize,
            Self::Limit(limit) => Resource::COUNT + limit as usize,
        }
    }
}

impl From<Resource> for Amount {
    fn from(resource: Resource) -> Self {
        Self::Resource(resource)
    }
}

impl From<Limit> for Amount {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

/// The number of [`Amount`]s.
const AMOUNTS: usize = Resource::COUNT + Limit::COUNT;

/// The amounts of an entity or rule. `None` is unset.
#[derive(Clone, Debug, PartialEq)]
pub struct Amounts<V> {
    values: [Option<V>; AMOUNTS],
}

impl<V> Default for Amounts<V> {
    fn default() -> Self {
        Self { values: array::from_fn(|_| None) }
    }
}

impl<V, A: Into<Amount>, const N: usize> From<[(A, V); N]> for Amounts<V> {
    fn from(values: [(A, V); N]) -> Self {
        let mut amounts = Self::default();
        for (amount, value) in values {
            amounts.set(amount, Some(value));
        }
        amounts
    }
}

impl<V> Amounts<V> {
    /// The value of a field.
    pub fn get(&self, amount: impl Into<Amount>) -> Option<&V> {
        self.values.get(amount.into().index())?.as_ref()
    }

    /// Sets or unsets a field.
    pub fn set(&mut self, amount: impl Into<Amount>, value: Option<V>) {
        if let Some(slot) = self.values.get_mut(amount.into().index()) {
            *slot = value;
        }
    }

    /// Returns `true` if no field is set.
    pub fn is_empty(&self) -> bool {
        self.values.iter().all(Option::is_none)
    }

    /// The set fields of those that all entities and rules have, in the order of their definition in TPV.
    pub fn common(&self) -> impl Iterator<Item = (Amount, &V)> {
        Amount::common().filter_map(|amount| Some((amount, self.get(amount)?)))
    }

    /// The set fields of those that only destinations have, in the order of their definition in TPV.
    pub fn accepted(&self) -> impl Iterator<Item = (Limit, &V)> {
        Limit::ACCEPTED.into_iter().filter_map(|limit| Some((limit, self.get(limit)?)))
    }

    /// The set resources, in the order of their definition in TPV.
    pub fn resources(&self) -> impl Iterator<Item = (Resource, &V)> {
        Resource::DEFINITION.into_iter().filter_map(|resource| Some((resource, self.get(resource)?)))
    }

    /// The set limits, in the order of their definition in TPV.
    pub fn limits(&self) -> impl Iterator<Item = (Limit, &V)> {
        Limit::ALL.into_iter().filter_map(|limit| Some((limit, self.get(limit)?)))
    }
}

impl<V: Clone> Amounts<V> {
    /// These amounts over those of `parent`: a field of the parent counts if it is unset here.
    #[must_use]
    pub fn inherit(&self, parent: &Self) -> Self {
        let mut out = self.clone();
        for (value, inherited) in out.values.iter_mut().zip(&parent.values).filter(|(value, _)| value.is_none()) {
            value.clone_from(inherited);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_its_own_name_and_place() {
        let all: Vec<Amount> = Amount::common().chain(Amount::accepted()).collect();
        assert_eq!(all.len(), AMOUNTS);
        for (index, amount) in all.iter().enumerate() {
            assert_eq!(Amount::from_name(amount.name()), Some(*amount));
            let mut amounts = Amounts::default();
            amounts.set(*amount, Some(index));
            let found: Vec<usize> = all.iter().filter_map(|other| amounts.get(*other).copied()).collect();
            assert_eq!(found, [index]);
        }
    }

    #[test]
    fn quantities_name_their_fields() {
        for quantity in Quantity::ALL {
            let name = quantity.name();
            assert_eq!(quantity.least().name(), format!("min_{name}"));
            assert_eq!(quantity.most().name(), format!("max_{name}"));
            assert_eq!(quantity.least_accepted().name(), format!("min_accepted_{name}"));
            assert_eq!(quantity.most_accepted().name(), format!("max_accepted_{name}"));
            assert_eq!(quantity.resource().clamped_by(), Some((quantity.least(), quantity.most())));
            assert!(quantity.least().clamped_by().is_none() && quantity.most().clamped_by().is_none());
        }
        assert!(Resource::ALL.iter().all(|resource| resource.name().ends_with(resource.quantity().name())));
        assert!(Limit::ALL.iter().all(|limit| limit.name().ends_with(limit.quantity().name())));
        assert!(Limit::ALL.iter().all(|limit| limit.is_upper() == limit.name().starts_with("max_")));
    }
}
