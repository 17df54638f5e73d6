//! `itertools` that combine: `product`, `combinations`.

use super::*;
use crate::iterator::PyIterator;

struct Combinations {
    pool: Vec<Value>,
    indices: Vec<usize>,
    started: bool,
    ended: bool,
}

impl Combinations {
    /// Moves the indices on; false at the end.
    fn advance(&mut self) -> bool {
        let (n, r) = (self.pool.len(), self.indices.len());
        let moving = self.indices.iter().enumerate().rposition(|(place, index)| *index != place + n - r);
        let Some(place) = moving else { return false };
        let next = self.indices.get(place).map_or(0, |index| index + 1);
        for (index, value) in self.indices.iter_mut().skip(place).zip(next..) {
            *index = value;
        }
        true
    }
}

impl PyIterator for Combinations {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        vm.charge(1 + self.indices.len())?;
        if self.ended {
            return Ok(None);
        }
        if self.started && !self.advance() {
            self.ended = true;
            return Ok(None);
        }
        self.started = true;
        let chosen = self.indices.iter().filter_map(|index| self.pool.get(*index).cloned());
        Ok(Some(Value::tuple(chosen.collect())))
    }
}

pub(super) fn combinations(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [pool, length] = args.bind("combinations", ["iterable", "r"], 2)?.map(Option::unwrap_or_default);
    let pool = vm.collect(&pool)?;
    let length = size(vm, &length, "r must be non-negative")?;
    vm.charge_bytes(length.saturating_mul(8))?;
    let ended = length > pool.len();
    made(&COMBINATIONS, Combinations { pool, indices: (0..length).collect(), started: false, ended })
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
