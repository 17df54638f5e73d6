//! Sets of Python values.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A set of kinds of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Kinds(u8);

impl Kinds {
    /// No kind.
    pub const NO: Self = Self(0);
    /// `None`
    pub const NONE: Self = Self(1);
    /// `bool`
    pub const BOOL: Self = Self(2);
    /// `int`, of any size
    pub const INT: Self = Self(4);
    /// `float`
    pub const FLOAT: Self = Self(8);
    /// `str`
    pub const TEXT: Self = Self(16);
    /// Anything else.
    pub const OTHER: Self = Self(32);
    /// `bool` and `int`, which count alike.
    pub const WHOLE: Self = Self(2 | 4);
    /// All numbers.
    pub const NUMBER: Self = Self(2 | 4 | 8);
    /// Every kind.
    pub const ANY: Self = Self(63);

    /// Returns `true` if some of these kinds are in the set.
    pub fn has(self, kinds: Self) -> bool {
        self.0 & kinds.0 != 0
    }

    /// Returns `true` if there are no other kinds than these.
    pub fn within(self, kinds: Self) -> bool {
        self.0 & !kinds.0 == 0
    }

    /// Both sets in one.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The intersection of both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The set without these.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// The possible truth of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// It may be true.
    pub yes: bool,
    /// It may be false.
    pub no: bool,
}

/// A set of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    kinds: Kinds,
    /// Between these lie the numbers; a bound that is infinite is none. Without numbers, the lower is above the upper.
    low: f64,
    high: f64,
    /// `true` if one may be NaN.
    nan: bool,
    /// The text, if it is one only.
    text: Option<Arc<str>>,
}

/// Bounds are no NaN.
impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { kinds, low, high, nan, text } = self;
        // What compares as 0 is 0, of whatever sign.
        (kinds, (low + 0.0).to_bits(), (high + 0.0).to_bits(), nan, text).hash(state);
    }
}

impl Value {
    /// No value: what never ends.
    pub fn nothing() -> Self {
        Self { kinds: Kinds::NO, low: f64::INFINITY, high: f64::NEG_INFINITY, nan: false, text: None }
    }

    /// Any value.
    pub fn any() -> Self {
        Self::of_kinds(Kinds::ANY)
    }

    /// Any value of these kinds.
    pub fn of_kinds(kinds: Kinds) -> Self {
        let bounds = match (kinds.has(Kinds::INT.or(Kinds::FLOAT)), kinds.has(Kinds::BOOL)) {
            (true, _) => (f64::NEG_INFINITY, f64::INFINITY),
            (false, true) => (0.0, 1.0),
            (false, false) => (f64::INFINITY, f64::NEG_INFINITY),
        };
        Self { kinds, low: bounds.0, high: bounds.1, nan: kinds.has(Kinds::FLOAT), text: None }
    }

    /// `None`
    pub fn none() -> Self {
        Self::of_kinds(Kinds::NONE)
    }

    /// The booleans that are possible.
    pub fn bool(truth: Truth) -> Self {
        match (truth.yes, truth.no) {
            (true, true) => Self::of_kinds(Kinds::BOOL),
            (true, false) => Self::number(Kinds::BOOL, 1.0, 1.0, false),
            (false, true) => Self::number(Kinds::BOOL, 0.0, 0.0, false),
            (false, false) => Self::nothing(),
        }
    }

    /// An int.
    pub fn int(value: i64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a bound that is not exact is moved outwards")]
        let near = value as f64;
        if value.unsigned_abs() <= 1 << 53 {
            Self::number(Kinds::INT, near, near, false)
        } else {
            Self::number(Kinds::INT, near.next_down(), near.next_up(), false)
        }
    }

    /// A float.
    pub fn float(value: f64) -> Self {
        if value.is_nan() {
            return Self { nan: true, kinds: Kinds::FLOAT, ..Self::nothing() };
        }
        Self::number(Kinds::FLOAT, value, value, false)
    }

    /// A text.
    pub fn text(text: &str) -> Self {
        Self { text: Some(text.into()), ..Self::of_kinds(Kinds::TEXT) }
    }

    /// Numbers of these kinds between bounds.
    pub fn number(kinds: Kinds, low: f64, high: f64, nan: bool) -> Self {
        let mut kinds = kinds.and(Kinds::NUMBER);
        let (mut low, mut high) = (low, high);
        if kinds.within(Kinds::WHOLE) {
            (low, high) = (low.ceil(), high.floor());
        }
        let nan = nan && kinds.has(Kinds::FLOAT);
        if low.is_nan() || high.is_nan() {
            (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        if low > high || kinds == Kinds::NO {
            kinds = if nan { Kinds::FLOAT } else { Kinds::NO };
            (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
        }
        // What compares as 0 is 0, of whatever sign.
        Self { kinds, low: low + 0.0, high: high + 0.0, nan, text: None }
    }

    /// The kinds that the values may be of.
    pub fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// Returns `true` if there is no value.
    pub fn is_nothing(&self) -> bool {
        self.kinds == Kinds::NO
    }

    /// The lowest and the highest number. `None` if there is no number besides NaN.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        (self.low <= self.high).then_some((self.low, self.high))
    }

    /// Returns `true` if a number may be NaN.
    pub fn may_be_nan(&self) -> bool {
        self.nan
    }

    /// The text, if it can be one only.
    pub fn known_text(&self) -> Option<&Arc<str>> {
        self.text.as_ref().filter(|_| self.kinds.has(Kinds::TEXT))
    }

    /// The values of these kinds.
    #[must_use]
    pub fn only(&self, kinds: Kinds) -> Self {
        let kept = self.kinds.and(kinds);
        let mut out = Self::number(kept, self.low, self.high, self.nan);
        let others = kept.without(Kinds::NUMBER);
        out.kinds = out.kinds.or(others);
        out.text = self.text.clone().filter(|_| others.has(Kinds::TEXT));
        out
    }

    /// The values of either.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        let text = match (self.kinds.has(Kinds::TEXT), other.kinds.has(Kinds::TEXT)) {
            (true, true) => self.text.clone().filter(|text| other.text.as_ref() == Some(text)),
            (true, false) => self.text.clone(),
            (false, _) => other.text.clone(),
        };
        Self {
            kinds: self.kinds.or(other.kinds),
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            nan: self.nan || other.nan,
            text,
        }
    }

    /// The possible results of Python's `bool()`.
    pub fn truth(&self) -> Truth {
        let mut truth = Truth::default();
        if let Some((low, high)) = self.bounds() {
            truth.yes |= low < 0.0 || high > 0.0;
            truth.no |= low <= 0.0 && high >= 0.0;
        }
        truth.yes |= self.nan;
        truth.no |= self.kinds.has(Kinds::NONE);
        if self.kinds.has(Kinds::TEXT) {
            match &self.text {
                Some(text) if text.is_empty() => truth.no = true,
                Some(_) => truth.yes = true,
                None => truth = Truth { yes: true, no: true },
            }
        }
        if self.kinds.has(Kinds::OTHER) {
            truth = Truth { yes: true, no: true };
        }
        truth
    }

    /// The values that are true.
    #[must_use]
    pub fn truthy(&self) -> Self {
        let mut out = self.only(self.kinds.without(Kinds::NONE));
        if self.text.as_ref().is_some_and(|text| text.is_empty()) {
            out = out.only(out.kinds.without(Kinds::TEXT));
        }
        if let Some((low, high)) = out.bounds() {
            let least = if out.kinds.has(Kinds::FLOAT) { f64::from_bits(1) } else { 1.0 };
            let low = if low == 0.0 { least } else { low };
            let high = if high == 0.0 { -least } else { high };
            let numbers = Self::number(out.kinds, low, high, out.nan);
            out = out.only(out.kinds.without(Kinds::NUMBER)).or(&numbers);
        }
        out
    }

    /// The values that are false.
    #[must_use]
    pub fn falsy(&self) -> Self {
        let mut out = self.only(Kinds::NONE.or(Kinds::OTHER));
        if self.bounds().is_some_and(|(low, high)| low <= 0.0 && high >= 0.0) {
            out = out.or(&Self::number(self.kinds, 0.0, 0.0, false));
        }
        if self.kinds.has(Kinds::TEXT) && self.text.as_ref().is_none_or(|text| text.is_empty()) {
            out = out.or(&Self::text(""));
        }
        out
    }
}
