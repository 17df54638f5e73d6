//! Comparisons of sets of values.

use tpv_bytecode::CompareOp;
use tpv_bytecode::kernel::Relation;

use super::value::{Kinds, Truth, Value};

/// The possible results of one link of a comparison.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Link {
    /// Its truth.
    pub truth: Truth,
    /// It may raise.
    pub raises: bool,
    /// Its value may be no `bool`.
    pub other: bool,
}

impl Link {
    fn may(&mut self, yes: bool, no: bool) {
        self.truth.yes |= yes;
        self.truth.no |= no;
    }
}

/// The kinds that compare alike.
const GROUPS: [Kinds; 4] = [Kinds::NONE, Kinds::NUMBER, Kinds::TEXT, Kinds::OTHER];

/// `left relation right`
pub(super) fn relate(relation: Relation, left: &Value, right: &Value) -> Link {
    let mut link = Link::default();
    for a in GROUPS.into_iter().filter(|group| left.kinds().has(*group)) {
        for b in GROUPS.into_iter().filter(|group| right.kinds().has(*group)) {
            groups(&mut link, relation, (a, &left.only(a)), (b, &right.only(b)));
        }
    }
    link
}

fn groups(link: &mut Link, relation: Relation, (a, left): (Kinds, &Value), (b, right): (Kinds, &Value)) {
    let unknown = |link: &mut Link| {
        link.may(true, true);
        link.raises = true;
        link.other = true;
    };
    match relation {
        Relation::Is { invert } => match (a == Kinds::NONE, b == Kinds::NONE) {
            (true, true) => link.may(!invert, invert),
            (true, false) | (false, true) => link.may(invert, !invert),
            // Which values are one object is CPython's business.
            (false, false) => link.may(true, true),
        },
        Relation::Contains { invert } => match (left.known_text(), right.known_text()) {
            (Some(part), Some(whole)) => {
                let has = whole.contains(&**part);
                link.may(has != invert, has == invert);
            }
            _ if b == Kinds::OTHER || b == Kinds::TEXT => {
                link.may(true, true);
                link.raises = true;
            }
            _ => link.raises = true,
        },
        Relation::Compare(_) if a == Kinds::OTHER || b == Kinds::OTHER => unknown(link),
        Relation::Compare(op @ (CompareOp::Eq | CompareOp::Ne)) if a != b => {
            link.may(op == CompareOp::Ne, op == CompareOp::Eq);
        }
        Relation::Compare(op @ (CompareOp::Eq | CompareOp::Ne)) if a == Kinds::NONE => {
            link.may(op == CompareOp::Eq, op == CompareOp::Ne);
        }
        Relation::Compare(_) if a != b || a == Kinds::NONE => link.raises = true,
        Relation::Compare(op) if a == Kinds::TEXT => match (left.known_text(), right.known_text()) {
            (Some(left), Some(right)) => {
                let holds = op.holds(left.cmp(right));
                link.may(holds, !holds);
            }
            _ => link.may(true, true),
        },
        Relation::Compare(op) => numbers(link, op, left, right),
    }
}

fn numbers(link: &mut Link, op: CompareOp, left: &Value, right: &Value) {
    if left.may_be_nan() || right.may_be_nan() {
        link.may(op == CompareOp::Ne, op != CompareOp::Ne);
    }
    let (Some(a), Some(b)) = (left.bounds(), right.bounds()) else { return };
    let (yes, no) = match op {
        CompareOp::Lt => (a.0 < b.1, a.1 >= b.0),
        CompareOp::Le => (a.0 <= b.1, a.1 > b.0),
        CompareOp::Gt => (a.1 > b.0, a.0 <= b.1),
        CompareOp::Ge => (a.1 >= b.0, a.0 < b.1),
        CompareOp::Eq | CompareOp::Ne => {
            let may_equal = a.0 <= b.1 && b.0 <= a.1;
            let is_one = a.0 == a.1 && a == b;
            if op == CompareOp::Eq { (may_equal, !is_one) } else { (!is_one, may_equal) }
        }
    };
    link.may(yes, no);
}
