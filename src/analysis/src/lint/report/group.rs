//! Findings that most entities of a file have, as one.

use std::collections::HashMap;

use super::Linted;

/// Keeps of the findings that are reported once a file the first of each file, with the number of the others.
pub fn group(linted: &mut Linted) {
    let mut first = HashMap::new();
    let mut groups: Vec<usize> = Vec::new();
    let mut index = 0;
    linted.findings.retain(|finding| {
        let group = finding.once_a_file.then(|| (finding.code, finding.span().map(|span| span.source)));
        let known = group.and_then(|group| {
            let at = *first.entry(group).or_insert(index);
            (at != index).then_some(at)
        });
        match known {
            Some(at) => groups.extend([at]),
            None => index += 1,
        }
        known.is_none()
    });
    for at in groups {
        if let Some(finding) = linted.findings.get_mut(at) {
            finding.more += 1;
        }
    }
    for finding in linted.findings.iter_mut().filter(|finding| finding.more > 0) {
        let more = finding.more;
        finding.diagnostic.notes.push(format!("{more} more in this file: `--all` shows each"));
    }
}
