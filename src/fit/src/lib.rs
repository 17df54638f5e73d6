#![doc = include_str!("../README.md")]

pub mod censored;
pub mod csv;
pub mod history;
pub mod line;
pub mod need;
pub mod patch;
pub mod policy;
pub mod propose;
mod random;
pub mod report;
pub mod search;
pub mod today;

#[cfg(test)]
mod synthetic;
