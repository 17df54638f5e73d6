#![doc = include_str!("../README.md")]

pub mod attempts;
mod cells;
pub mod censored;
mod columns;
pub mod csv;
mod facts;
pub mod history;
mod judge;
mod learn;
pub mod line;
pub mod need;
pub mod page;
pub mod patch;
pub mod policy;
pub mod probe;
pub mod propose;
mod random;
pub mod report;
pub mod response;
pub mod rows;
pub mod rule;
pub mod search;
pub mod summary;
pub mod tail;
pub mod text;
pub mod today;
pub mod trial;
pub mod units;
pub mod write;

#[cfg(test)]
mod tests;
