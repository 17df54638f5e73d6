//! The kinds of values that Python's operators and builtins tell apart. A type is a set of them, since a value may be one of several.

use tpv_front::syntax::ast::{Operator, UnaryOp};

use super::types::Type;

/// A set of kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds(u16);

impl Kinds {
    pub(super) const NONE: Self = Self(1);
    pub(super) const BOOL: Self = Self(1 << 1);
    pub(super) const INT: Self = Self(1 << 2);
    pub(super) const FLOAT: Self = Self(1 << 3);
    pub(super) const STR: Self = Self(1 << 4);
    const BYTES: Self = Self(1 << 5);
    pub(super) const LIST: Self = Self(1 << 6);
    const TUPLE: Self = Self(1 << 7);
    const DICT: Self = Self(1 << 8);
    const SET: Self = Self(1 << 9);
    /// A function that the code defines.
    const FUNCTION: Self = Self(1 << 10);
    const MODULE: Self = Self(1 << 11);
    /// An object of Galaxy, which has attributes only.
    const OBJECT: Self = Self(1 << 12);
    /// An object of TPV, which may be iterated as well.
    const MODEL: Self = Self(1 << 13);
    /// Everything else, of which nothing is known.
    const OTHER: Self = Self(1 << 14);

    pub(super) const ANY: Self = Self((1 << 15) - 1);
    const WHOLE: Self = Self::BOOL.or(Self::INT);
    pub(super) const NUMBER: Self = Self::WHOLE.or(Self::FLOAT);
    const SEQUENCE: Self = Self::STR.or(Self::BYTES).or(Self::LIST).or(Self::TUPLE);
    const SIZED: Self = Self::SEQUENCE.or(Self::DICT).or(Self::SET);
    const ITEMS: Self = Self::SIZED.or(Self::MODEL);
    const UNHASHABLE: Self = Self::LIST.or(Self::DICT).or(Self::SET);

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns `true` if a value may be of both.
    pub(super) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns `true` if each value is of one of these.
    pub(super) const fn within(self, other: Self) -> bool {
        self.without(other).0 == 0
    }

    /// The kinds that values of a type may have.
    pub(super) fn of(ty: &Type) -> Self {
        match ty {
            Type::Any => Self::ANY,
            Type::None => Self::NONE,
            Type::Optional(inner) => Self::NONE.or(Self::of(inner)),
            Type::List(_) => Self::LIST,
            Type::Def => Self::FUNCTION,
            Type::Module(_) | Type::SomeModule => Self::MODULE,
            Type::Class(class) => Self::of_class(class),
            Type::Function(..) | Type::Object(_) | Type::SomeClass | Type::Items(_) => Self::OTHER,
        }
    }

    fn of_class(class: &str) -> Self {
        match class {
            "bool" => Self::BOOL,
            "int" => Self::INT,
            "float" => Self::FLOAT,
            "number" => Self::NUMBER,
            "str" => Self::STR,
            "bytes" => Self::BYTES,
            "list" => Self::LIST,
            "tuple" => Self::TUPLE,
            "dict" => Self::DICT,
            "set" => Self::SET,
            "Entity" | "Destination" | "SchedulingTags" | "Tag" | "Mapper" => Self::MODEL,
            "BaseException" => Self::OTHER,
            name if name.starts_with(|c: char| c.is_ascii_uppercase()) => Self::OBJECT,
            _ => Self::OTHER,
        }
    }

    /// Reads what a parameter takes, as the table of types writes it: `str|none`.
    pub(super) fn read(text: &str) -> Self {
        let word = |word| match word {
            "number" => Self::NUMBER,
            "int" => Self::WHOLE,
            "str" => Self::STR,
            "bytes" => Self::BYTES,
            "none" => Self::NONE,
            "tuple" => Self::TUPLE,
            "dict" => Self::DICT,
            "function" => Self::FUNCTION,
            "sequence" => Self::SEQUENCE,
            "sized" => Self::SIZED,
            "items" => Self::ITEMS,
            "hashable" => Self::ANY.without(Self::UNHASHABLE),
            "addable" => Self::ANY.without(Self::STR.or(Self::BYTES)),
            _ => Self::OTHER,
        };
        text.split('|').map(word).fold(Self::OTHER, Self::or)
    }

    /// Each kind of the set.
    fn each(self) -> impl Iterator<Item = Self> {
        (0..15).map(|bit| Self(1 << bit)).filter(move |kind| kind.within(self))
    }

    /// Returns `true` if a test fails for each value of one set with each of the other.
    fn always(left: Self, right: Self, fails: impl Fn(Self, Self) -> bool) -> bool {
        !left.or(right).meets(Self::OTHER) && left.each().all(|left| right.each().all(|right| fails(left, right)))
    }

    /// Returns `true` if the operator raises `TypeError` for each value of the set.
    pub(super) const fn unary_raises(self, op: UnaryOp) -> bool {
        match op {
            UnaryOp::Not => false,
            UnaryOp::Invert => !self.meets(Self::WHOLE.or(Self::OTHER)),
            UnaryOp::UAdd | UnaryOp::USub => !self.meets(Self::NUMBER.or(Self::OTHER)),
        }
    }

    /// Returns `true` if the operator raises `TypeError` for all operands of these kinds.
    pub(super) fn binary_raises(op: Operator, left: Self, right: Self) -> bool {
        let both = |left: Self, right: Self, kinds| left.within(kinds) && right.within(kinds);
        Self::always(left, right, |left, right| {
            let of_numbers = both(left, right, Self::NUMBER);
            let of_sets = both(left, right, Self::SET);
            let works = match op {
                Operator::Add => of_numbers || (left == right && left.within(Self::SEQUENCE)),
                Operator::Sub => of_numbers || of_sets,
                Operator::Mult => {
                    let repeats = |items: Self, times: Self| items.within(Self::SEQUENCE) && times.within(Self::WHOLE);
                    of_numbers || repeats(left, right) || repeats(right, left)
                }
                Operator::Div | Operator::FloorDiv | Operator::Pow => of_numbers,
                // What a text takes depends on its `%`.
                Operator::Mod => of_numbers || left.within(Self::STR.or(Self::BYTES)),
                Operator::LShift | Operator::RShift => both(left, right, Self::WHOLE),
                Operator::BitAnd | Operator::BitXor => both(left, right, Self::WHOLE) || of_sets,
                Operator::BitOr => both(left, right, Self::WHOLE) || of_sets || both(left, right, Self::DICT),
                Operator::MatMult => false,
            };
            !works
        })
    }

    /// Returns `true` if no two values of these kinds have an order.
    pub(super) fn unordered(left: Self, right: Self) -> bool {
        Self::always(left, right, |left, right| {
            let of_numbers = left.within(Self::NUMBER) && right.within(Self::NUMBER);
            let of_a_kind = left == right && left.within(Self::SEQUENCE.or(Self::SET));
            !(of_numbers || of_a_kind)
        })
    }

    /// Returns `true` if `in` raises `TypeError` for all items and containers of these kinds.
    pub(super) fn in_raises(item: Self, container: Self) -> bool {
        if !container.meets(Self::ITEMS.or(Self::OTHER)) {
            return true;
        }
        Self::always(item, container, |item, container| match container {
            Self::STR => item != Self::STR,
            Self::BYTES => !item.within(Self::WHOLE.or(Self::BYTES)),
            Self::DICT => item.within(Self::UNHASHABLE),
            Self::SET => item.within(Self::UNHASHABLE.without(Self::SET)),
            container => !container.within(Self::ITEMS),
        })
    }

    /// Returns `true` if values of these kinds cannot be indexed by such an index.
    pub(super) fn index_raises(owner: Self, index: Self) -> bool {
        Self::cannot_be_indexed(owner)
            || Self::always(owner, index, |owner, index| match owner {
                Self::DICT => index.within(Self::UNHASHABLE),
                owner if owner.within(Self::SEQUENCE) => !index.within(Self::WHOLE),
                _ => true,
            })
    }

    /// Returns `true` if values of these kinds have no items by index.
    pub(super) fn cannot_be_indexed(self) -> bool {
        !self.meets(Self::SEQUENCE.or(Self::DICT).or(Self::OTHER))
    }

    /// Returns `true` if values of these kinds cannot be called.
    pub(super) const fn cannot_be_called(self) -> bool {
        !self.meets(Self::FUNCTION.or(Self::MODULE).or(Self::MODEL).or(Self::OTHER))
    }

    /// Returns `true` if values of these kinds cannot be iterated.
    pub(super) fn cannot_be_iterated(self) -> bool {
        !self.meets(Self::ITEMS.or(Self::OTHER))
    }

    /// Returns `true` if a format such as `.2f` raises for values of these kinds, by its last character.
    pub(super) fn format_raises(self, kind: char) -> bool {
        let takes = match kind {
            'd' | 'b' | 'o' | 'x' | 'X' | 'c' => Self::WHOLE,
            'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'n' | '%' => Self::NUMBER,
            's' => Self::STR,
            _ => Self::NUMBER.or(Self::STR),
        };
        // How bytes, functions and modules take formats, nobody needs to know.
        !self.meets(takes.or(Self::BYTES).or(Self::MODEL).or(Self::OTHER))
    }
}
