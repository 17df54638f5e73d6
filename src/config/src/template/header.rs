//! The first line of a template for Ansible, which sets how blanks are treated: `#jinja2: trim_blocks: False`.

use std::ops::Range;

use tpv_text::source::Unfilled;

/// A template's treatment of blanks.
pub(super) struct Header {
    /// The length in bytes of the line, which Ansible removes; 0 if there is none.
    pub(super) length: usize,
    /// `true` if the line break after a tag is removed: Ansible's default.
    pub(super) trim_blocks: bool,
    /// `true` if the blanks before a tag are removed.
    pub(super) lstrip_blocks: bool,
}

impl Header {
    /// The range of the template that a range of what follows the first line is.
    pub(super) fn place(&self, range: Range<usize>) -> Range<usize> {
        range.start + self.length..range.end + self.length
    }

    /// The header of a template.
    pub(super) fn of(text: &str) -> Result<Self, Box<Unfilled>> {
        let mut header = Self { length: 0, trim_blocks: true, lstrip_blocks: false };
        let Some(rest) = text.strip_prefix("#jinja2:") else { return Ok(header) };
        let line = rest.lines().next().unwrap_or("");
        header.length = text.find('\n').map_or(text.len(), |end| end + 1);
        for setting in line.split(',') {
            let (name, value) = setting.split_once(':').unwrap_or((setting, ""));
            let truth = match value.trim().trim_matches(['"', '\'']) {
                "True" | "true" | "yes" => Some(true),
                "False" | "false" | "no" => Some(false),
                _ => None,
            };
            match (name.trim(), truth) {
                ("trim_blocks", Some(truth)) => header.trim_blocks = truth,
                ("lstrip_blocks", Some(truth)) => header.lstrip_blocks = truth,
                ("keep_trailing_newline", Some(true)) => {}
                (name, _) => {
                    return Err(Box::new(Unfilled {
                        message: format!("`{name}` cannot be set in the first line of a template"),
                        at: Some(0..header.length),
                        help: "tpvc knows `trim_blocks` and `lstrip_blocks`, with `True` or `False`".to_owned(),
                        notes: Vec::new(),
                    }));
                }
            }
        }
        Ok(header)
    }
}
