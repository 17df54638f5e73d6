//! Tests of the whole simulation.

mod random_scenarios;
mod theory;
