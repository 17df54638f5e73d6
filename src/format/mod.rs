//! `tpvc format`: what `tpv format` of TPV 3.3.0 prints, byte for byte.
//!
//! TPV reads a config with ruamel.yaml's round-trip loader, sorts it, and writes it with ruamel.yaml's emitter. What the
//! text becomes depends on both in every detail: where comments are attached, which of them the sorting loses, which
//! quotes are needed, where lines are folded. The stages here are those of ruamel.yaml 0.19, so that each can be compared
//! with its model: [`scan`] (with [`reader`]) makes tokens, [`parse`] nodes, [`construct`] values, [`sort`] TPV's order,
//! [`represent`] nodes again, and [`emit`] text.
//!
//! The config loader's YAML (`config::yaml`) is not used here: it knows values and places, but neither tokens nor which
//! token a comment belongs to.

mod attach;
mod base64;
mod comment;
mod construct;
mod emit;
mod error;
mod node;
mod number;
mod parse;
mod reader;
mod represent;
mod scan;
mod sort;
mod token;
mod value;

pub use error::FormatError;

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
/// A text that `tpv format` refuses as well: one that is no YAML, or not one mapping that can be sorted.
pub fn format(text: &str) -> Result<Formatted, FormatError> {
    let mut scanner = scan::Scanner::new(text)?;
    let document = parse::Parser::new(&mut scanner).document()?;
    let (mut values, root) = construct::construct(document, &scanner.reader)?;
    let root = sort::sort(&mut values, root)?;
    let events = represent::represent(&values, root, &scanner.comments)?;
    let formatted = emit::emit(&events, &mut scanner.comments)?;
    let start = |mark| {
        let offset = scanner.reader.offset(mark);
        // Blank lines may stand before the `#`.
        offset + text.get(offset..).and_then(|rest| rest.find('#')).unwrap_or(0)
    };
    let mut lost: Vec<usize> = scanner.comments.lost().map(start).collect();
    lost.sort_unstable();
    Ok(Formatted { text: formatted, lost })
}
