//! One thread's entities of the artifact, each made when it is first used.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::artifact::Rules;
use crate::artifact::tables::EntityRow;
use tpv_model::{EntityClass, Matched};

use super::cache::Cache;
use super::entity::Entity;
use super::matching::Bounds;
use super::pool::Pool;
use super::rows::Rows;

type Cells = Vec<OnceCell<Rc<Entity>>>;

/// The entities.
pub(crate) struct Store {
    pub(super) rules: Arc<Rules>,
    pub(super) rows: Rows,
    /// The destinations in the order of the config, with the defaults of every destination.
    pub(super) destinations: Vec<Rc<Entity>>,
    configured_destinations: Cells,
    sections: Matched<Cells>,
    /// The limits of the destinations. Empty if a limit of one is not a plain number.
    pub(super) bounds: Vec<Bounds>,
    /// The resource pools, by name.
    pub(super) pools: Vec<Pool>,
    cache: Rc<Cache>,
}

impl Store {
    pub(super) fn new(rules: Arc<Rules>, cache: Rc<Cache>) -> Self {
        let tables = rules.tables();
        let rows = Rows::new(tables, cache.clone());
        let destinations: Vec<Rc<Entity>> =
            tables.destinations.iter().map(|row| cache.share(rows.entity(tables, row))).collect();
        let bounds = destinations.iter().map(|destination| Bounds::new(destination)).collect::<Option<_>>();
        let pools = Pool::all(tables, |row| cache.share(rows.entity(tables, row)));
        let cells = |rows: &[EntityRow]| rows.iter().map(|_| OnceCell::new()).collect();
        let sections = Matched::new(|class| tables.table(class).map_or_else(Cells::new, |table| cells(&table.rows)));
        let configured_destinations = cells(&tables.configured_destinations);
        let bounds = bounds.unwrap_or_default();
        Self { rows, destinations, configured_destinations, sections, rules, bounds, pools, cache }
    }

    fn get(&self, cells: &Cells, rows: &[EntityRow], index: usize) -> Option<Rc<Entity>> {
        let (cell, row) = (cells.get(index)?, rows.get(index)?);
        Some(cell.get_or_init(|| self.cache.share(self.rows.entity(self.rules.tables(), row))).clone())
    }

    /// An entity of a section.
    pub(super) fn entity(&self, class: EntityClass, index: u32) -> Option<Rc<Entity>> {
        self.get(self.sections.get(class)?, &self.rules.tables().table(class)?.rows, index as usize)
    }

    /// All entities of a section, in order.
    pub(super) fn section(&self, class: EntityClass) -> Vec<Rc<Entity>> {
        let count = self.rules.tables().table(class).map_or(0, |table| table.rows.len());
        (0..count).filter_map(|index| self.entity(class, u32::try_from(index).ok()?)).collect()
    }

    /// The destinations as the config has them.
    pub(super) fn configured_destinations(&self) -> Vec<Rc<Entity>> {
        let rows = &self.rules.tables().configured_destinations;
        (0..rows.len()).filter_map(|index| self.get(&self.configured_destinations, rows, index)).collect()
    }
}
