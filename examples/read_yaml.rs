//! Reads YAML for `tests/record/fuzz_yaml.py`: a text as a JSON string in, a line of JSON out.
//!
//! A line out is `{"value": repr}`, as Python prints the value that a config would have, or `{"error": text}`.

use std::error::Error;
use std::io::{BufRead, Write};

use serde_json::json;
use tpv_text::diagnostic::Diagnostics;
use tpv_text::render::Render;
use tpv_text::source::SourceMap;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        let (mut sources, mut problems) = (SourceMap::new(), Diagnostics::new());
        let id = sources.add("text", &text);
        let answer = match tpv_yaml::load(&sources, id, &mut problems) {
            Some(document) => json!({ "value": document.root.python_repr() }),
            None => json!({ "error": problems.render(&sources, false) }),
        };
        writeln!(out, "{answer}")?;
    }
    Ok(())
}
