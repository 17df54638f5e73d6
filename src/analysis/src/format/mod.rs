//! `tpvc format`: what `tpv format` of TPV 3.3.0 prints, byte for byte.
//!
//! TPV reads a config with ruamel.yaml's round-trip loader, sorts it ([`sort`]), and writes it with ruamel.yaml's emitter
//! ([`tpv_yaml::roundtrip`]).

mod sort;

use tpv_yaml::roundtrip::{self, RoundTripError};

/// A formatted config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formatted {
    /// The text.
    pub text: String,
    /// The comments that are not in it, as byte offsets into the old text. TPV's sorting drops those that ruamel.yaml
    /// attaches to a whole mapping, such as those at the start of the file.
    pub lost: Vec<usize>,
}

/// Formats a config.
///
/// # Errors
/// A text that `tpv format` refuses as well: one that is not YAML, or not a mapping that can be sorted.
pub fn format(text: &str) -> Result<Formatted, RoundTripError> {
    let mut document = roundtrip::read(text)?;
    let root = sort::sort(&mut document.values, document.root)?;
    let formatted = document.write(root)?;
    let number_sign = |offset: usize| offset + text.get(offset..).and_then(|rest| rest.find('#')).unwrap_or(0);
    let mut lost: Vec<usize> = document.lost_comments().map(number_sign).collect();
    lost.sort_unstable();
    Ok(Formatted { text: formatted, lost })
}
