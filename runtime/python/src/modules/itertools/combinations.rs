//! `itertools` that combine: `product`, `permutations`, `combinations`.

use super::*;
use crate::iterator::PyIterator;
use crate::number::Num;

/// Gives tuples of the pool's items at indices that a rule moves on.
struct Selections {
    pool: Vec<Value>,
    indices: Vec<usize>,
    rule: Rule,
    started: bool,
    ended: bool,
}

enum Rule {
    Combinations,
    /// With the cycles of the algorithm in CPython's documentation.
    Permutations(Vec<usize>),
}

impl Selections {
    /// Moves the indices on; false at the end.
    fn advance(&mut self) -> bool {
        let (n, r) = (self.pool.len(), self.indices.len());
        match &mut self.rule {
            Rule::Combinations => {
                let moving = self.indices.iter().enumerate().rposition(|(place, index)| *index != place + n - r);
                let Some(place) = moving else { return false };
                let next = self.indices.get(place).map_or(0, |index| index + 1);
                for (index, value) in self.indices.iter_mut().skip(place).zip(next..) {
                    *index = value;
                }
                true
            }
            Rule::Permutations(cycles) => {
                for place in (0..cycles.len()).rev() {
                    let Some(cycle) = cycles.get_mut(place) else { return false };
                    *cycle -= 1;
                    if *cycle == 0 {
                        *cycle = n - place;
                        if let Some(rest) = self.indices.get_mut(place..) {
                            rest.rotate_left(1);
                        }
                    } else {
                        let other = n - *cycle;
                        self.indices.swap(place, other);
                        return true;
                    }
                }
                false
            }
        }
    }

    fn length(&self) -> usize {
        match &self.rule {
            Rule::Permutations(cycles) => cycles.len(),
            _ => self.indices.len(),
        }
    }
}

impl PyIterator for Selections {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        vm.charge(1 + self.length())?;
        if self.ended {
            return Ok(None);
        }
        if self.started && !self.advance() {
            self.ended = true;
            return Ok(None);
        }
        self.started = true;
        let chosen = self.indices.iter().take(self.length());
        Ok(Some(Value::tuple(chosen.filter_map(|index| self.pool.get(*index).cloned()).collect())))
    }
}

fn selection_arguments(vm: &mut Vm, args: Args, name: &str, required: usize) -> PyResult<(Vec<Value>, Option<usize>)> {
    let given = args.pos.len() + args.kw.len();
    if given > 2 {
        return Err(type_error(format!("{name}() takes at most 2 arguments ({given} given)")));
    }
    let [pool, length] = args.bind(name, ["iterable", "r"], required)?;
    let pool = vm.collect(&pool.unwrap_or_default())?;
    // Only for permutations the length may be left out, and is checked by itself.
    let length = match length.filter(|length| !(length.is_none() && required == 1)) {
        Some(length) if required == 1 && Num::int_of(&length).is_none() => return Err(type_error("Expected int as r")),
        Some(length) => Some(size(vm, &length, "r must be non-negative")?),
        None => None,
    };
    if let Some(length) = length {
        vm.charge_bytes(length.saturating_mul(8))?;
    }
    Ok((pool, length))
}

pub(super) fn combinations(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (pool, length) = selection_arguments(vm, args, "combinations", 2)?;
    let length = length.unwrap_or_default();
    let ended = length > pool.len();
    let indices = (0..length).collect();
    made(&COMBINATIONS, Selections { pool, indices, rule: Rule::Combinations, started: false, ended })
}

pub(super) fn permutations(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (pool, length) = selection_arguments(vm, args, "permutations", 1)?;
    let n = pool.len();
    let length = length.unwrap_or(n);
    let ended = length > n;
    let cycles = (0..length.min(n)).map(|place| n - place).collect();
    let indices = (0..n).collect();
    made(&PERMUTATIONS, Selections { pool, indices, rule: Rule::Permutations(cycles), started: false, ended })
}

struct Product {
    pools: Vec<Vec<Value>>,
    indices: Vec<usize>,
    started: bool,
    ended: bool,
}

impl PyIterator for Product {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        vm.charge(1 + self.pools.len())?;
        if self.ended {
            return Ok(None);
        }
        if std::mem::replace(&mut self.started, true) {
            let mut moved = false;
            for (index, pool) in self.indices.iter_mut().zip(&self.pools).rev() {
                *index += 1;
                if *index < pool.len() {
                    moved = true;
                    break;
                }
                *index = 0;
            }
            if !moved {
                self.ended = true;
                return Ok(None);
            }
        }
        let chosen = self.indices.iter().zip(&self.pools);
        Ok(Some(Value::tuple(chosen.filter_map(|(index, pool)| pool.get(*index).cloned()).collect())))
    }
}

pub(super) fn product(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let mut repeat = 1;
    for (name, value) in &args.kw {
        if name.as_str() != "repeat" {
            return Err(type_error(format!("'{}' is an invalid keyword argument for product()", name.as_str())));
        }
        repeat = size(vm, value, "repeat argument cannot be negative")?;
    }
    let own = args.pos.iter().map(|pool| vm.collect(pool)).collect::<PyResult<Vec<_>>>()?;
    let total: usize = own.iter().map(Vec::len).sum();
    vm.charge_bytes(repeat.saturating_mul(total.max(own.len())).saturating_mul(16))?;
    let mut pools = Vec::with_capacity(own.len().saturating_mul(repeat));
    for _ in 0..repeat {
        pools.extend(own.iter().cloned());
    }
    let ended = pools.iter().any(Vec::is_empty);
    let indices = vec![0; pools.len()];
    made(&PRODUCT, Product { pools, indices, started: false, ended })
}
