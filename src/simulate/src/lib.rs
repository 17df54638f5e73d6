#![doc = include_str!("../README.md")]

pub mod amount;
pub mod arrivals;
pub mod asking;
pub mod capacity;
pub mod cluster;
pub mod engine;
pub mod grid;
pub mod grid_forms;
pub mod grid_page;
pub mod guess;
pub mod log;
pub mod markdown;
pub mod measure;
pub mod page;
pub mod report;
pub mod route;
pub mod rows;
mod tables;
pub mod text;
pub mod totals;
pub mod vary;

#[cfg(test)]
mod tests;
