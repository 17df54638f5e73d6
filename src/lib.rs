//! The TPV compiler: config sources in, one artifact out.

pub mod python;
