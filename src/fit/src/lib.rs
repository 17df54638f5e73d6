#![doc = include_str!("../README.md")]

pub mod censored;
pub mod csv;
mod facts;
pub mod history;
pub mod line;
pub mod need;
pub mod page;
pub mod patch;
pub mod policy;
pub mod propose;
mod random;
pub mod report;
pub mod retries;
pub mod search;
pub mod summary;
pub mod today;
pub mod units;
pub mod write;

#[cfg(test)]
mod synthetic;
