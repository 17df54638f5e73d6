//! Amounts of data with their units, and their arithmetic: bytes divided by `1024**3` are GiB.
//!
//! TPV has memories and the size of inputs in GiB; Galaxy and TPV's helpers have the sizes of datasets in bytes.

use tpv_front::syntax::text_size::TextRange;

/// A unit of data, as a power of 1024 bytes. One with powers of 1000 is taken for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Unit(i8);

impl Unit {
    pub(super) const BYTES: Self = Self(0);
    pub(super) const GIB: Self = Self(3);
    const GREATEST: i8 = 4;

    /// The name for messages.
    pub(super) const fn name(self) -> &'static str {
        match self.0 {
            0 => "bytes",
            1 => "KiB",
            2 => "MiB",
            3 => "GiB",
            _ => "TiB",
        }
    }

    /// The operation that makes GiB of this unit: `/ 1024**3`.
    pub(super) const fn to_gib(self) -> &'static str {
        match self.0 {
            0 => "/ 1024**3",
            1 => "/ 1024**2",
            2 => "/ 1024",
            _ => "* 1024",
        }
    }

    /// The unit that is this many times as large, as powers of 1024.
    fn raised(self, powers: i8) -> Option<Self> {
        self.0.checked_add(powers).filter(|power| (0..=Self::GREATEST).contains(power)).map(Self)
    }
}

/// The quantity of a value, or of each item of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Quantity {
    /// Anything.
    #[default]
    Unknown,
    /// This number.
    Number(f64),
    /// A number without a unit, such as a factor.
    Plain,
    /// An amount of data, and where it comes from.
    Data(Unit, Origin),
}

/// The expression that an amount comes from, and its unit there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Origin {
    pub unit: Unit,
    pub range: TextRange,
    /// `true` once it is a part of the amount, such as a hundredth of it, or a number of records: what divides it by 1024 may be counting.
    pub is_part: bool,
}

impl Quantity {
    /// An amount of data that an expression gives.
    pub(super) const fn data(unit: Unit, range: TextRange) -> Self {
        Self::Data(unit, Origin { unit, range, is_part: false })
    }

    /// The unit, of an amount of data.
    pub(super) const fn unit(self) -> Option<Unit> {
        match self {
            Self::Data(unit, _) => Some(unit),
            _ => None,
        }
    }

    /// The quantity of a value that is one or the other.
    pub(super) fn join(self, other: Self) -> Self {
        match (self, other) {
            _ if self.unit() == other.unit() && self.unit().is_some() => self,
            (Self::Data(..), Self::Number(_) | Self::Plain) => self,
            (Self::Number(_) | Self::Plain, Self::Data(..)) => other,
            _ if self == other => self,
            (Self::Number(_) | Self::Plain, Self::Number(_) | Self::Plain) => Self::Plain,
            _ => Self::Unknown,
        }
    }

    /// The quantity of a sum, a difference or a greatest: both sides must be in one unit.
    pub(super) fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Data(..), Self::Unknown) => self,
            (Self::Unknown, Self::Data(..)) => other,
            _ => self.join(other),
        }
    }

    /// The quantity multiplied by another.
    pub(super) fn times(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => Self::Number(one * other),
            (Self::Data(unit, from), Self::Number(factor)) | (Self::Number(factor), Self::Data(unit, from)) => {
                scaled(unit, from, factor)
            }
            (Self::Data(..), Self::Plain) => self,
            (Self::Plain, Self::Data(..)) => other,
            (Self::Number(_) | Self::Plain, Self::Number(_) | Self::Plain) => Self::Plain,
            _ => Self::Unknown,
        }
    }

    /// The quantity divided by another.
    pub(super) fn over(self, divisor: Self) -> Self {
        match (self, divisor) {
            (_, Self::Number(divisor)) if divisor != 0.0 => self.times(Self::Number(1.0 / divisor)),
            (Self::Data(unit, from), Self::Plain) => Self::Data(unit, Origin { is_part: true, ..from }),
            (Self::Data(one, _), Self::Data(other, _)) if one == other => Self::Plain,
            (Self::Number(_) | Self::Plain, Self::Plain) => Self::Plain,
            _ => Self::Unknown,
        }
    }

    /// The quantity shifted left by so many bits, or right if there are less than none.
    pub(super) fn shifted(self, bits: Self, sign: f64) -> Self {
        match bits {
            Self::Number(bits) => self.times(Self::Number((sign * bits).exp2())),
            _ => Self::Unknown,
        }
    }
}

/// An amount multiplied by a number, which may convert it to another unit.
fn scaled(unit: Unit, from: Origin, factor: f64) -> Quantity {
    let size = factor.abs();
    let data = |unit: Option<Unit>| unit.map_or(Quantity::Unknown, |unit| Quantity::Data(unit, from));
    // A thousand times as many GiB may be meant.
    let conversion =
        powers(size).filter(|powers| unit < Unit::GIB || size >= 1_024.0 || size <= 1.0 / 1_024.0 || *powers == 0);
    match conversion {
        Some(powers) => data(unit.raised(-powers).filter(|unit| !from.is_part || *unit == Unit::GIB)),
        // GiB for each MiB, as it may be.
        None if unit != Unit::BYTES && unit < Unit::GIB && size < 1.0 => Quantity::Unknown,
        None if size < 1_000.0 && size > 0.001 || size == 0.0 => {
            let is_part = from.is_part || size < 1.0;
            Quantity::Data(unit, Origin { is_part, ..from })
        }
        None => Quantity::Unknown,
    }
}

/// The number of powers of 1024 or 1000 that a factor is the product of, negative for a fraction.
fn powers(factor: f64) -> Option<i8> {
    let is_near = |number: f64| (number - 1.0).abs() < 1e-9;
    let bases = (-4_i8..=4).flat_map(|binary| (-4_i8..=4).map(move |decimal| (binary, decimal)));
    let mut same =
        bases.filter(|(binary, decimal)| binary.signum() * decimal.signum() >= 0 && (binary, decimal) != (&0, &0));
    let found = same.find(|(binary, decimal)| {
        is_near(factor / (1_024_f64.powi((*binary).into()) * 1_000_f64.powi((*decimal).into())))
    });
    found.map(|(binary, decimal)| binary + decimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(unit: Unit) -> Quantity {
        Quantity::data(unit, TextRange::default())
    }

    /// The unit of bytes and of GiB after a multiplication.
    fn after(factor: f64) -> [Option<&'static str>; 2] {
        [Unit::BYTES, Unit::GIB].map(|unit| data(unit).times(Quantity::Number(factor)).unit().map(Unit::name))
    }

    #[test]
    fn powers_of_1024_and_1000_convert() {
        assert_eq!(after(1.0 / 1_073_741_824.0), [Some("GiB"), None]);
        assert_eq!(after(1e-9), [Some("GiB"), None]);
        assert_eq!(after(1.0 / 1_024.0), [Some("KiB"), Some("TiB")]);
        assert_eq!(after(1_073_741_824.0), [None, Some("bytes")]);
        assert_eq!(after(1_024.0), [None, Some("MiB")]);
        assert_eq!(after(1_024.0 * 1e6), [None, Some("bytes")]);
    }

    #[test]
    fn other_factors_do_not() {
        assert_eq!(after(12.0), [Some("bytes"), Some("GiB")]);
        assert_eq!(after(0.1), [Some("bytes"), Some("GiB")]);
        // Thousands of GiB, and a bound of half a gigabyte.
        assert_eq!(after(1_000.0)[1], None);
        assert_eq!(after(2e-9), [None, None]);
        // A hundredth of it for each MiB, or a number of records.
        let part = data(Unit::BYTES).over(Quantity::Number(100.0));
        assert_eq!(part.over(Quantity::Number(1_048_576.0)), Quantity::Unknown);
        assert_eq!(part.over(Quantity::Number(1_073_741_824.0)).unit(), Some(Unit::GIB));
        let mib = data(Unit(2));
        assert_eq!(mib.times(Quantity::Number(0.02)), Quantity::Unknown);
        assert_eq!(mib.times(Quantity::Number(2.0)), mib);
    }

    #[test]
    fn shifts_and_ratios() {
        let bytes = data(Unit::BYTES);
        assert_eq!(bytes.shifted(Quantity::Number(30.0), -1.0).unit(), Some(Unit::GIB));
        assert_eq!(bytes.over(bytes), Quantity::Plain);
        assert_eq!(Quantity::Number(0.0).with(bytes), bytes);
        assert_eq!(bytes.join(Quantity::Unknown), Quantity::Unknown);
    }
}
