//! The command line of tpvc, and nothing else: one file a verb. The compiler is the crate `tpv-compiler`, what is said about rules
//! `tpv-analysis`, maps of years of jobs `tpv-maps`, mapping `tpv-runtime`.

pub mod cli;

/// Runs the README's example of Rust as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
