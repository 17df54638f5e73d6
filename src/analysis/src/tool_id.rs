//! Ids of tools as people read them.

/// The id of a tool without its tool shed: `owner/repository/tool/version`. Ids and patterns of other forms are returned as they are.
pub fn short(id: &str) -> &str {
    let rest = id.split_once("/repos/").filter(|(shed, rest)| !shed.contains('/') && rest.contains('/'));
    rest.map_or(id, |(_, rest)| rest)
}

/// A tool's id and its version: that at the end of an id from a tool shed (`shed/repos/owner/repository/id/version`).
pub fn split_version(id: &str) -> (&str, &str) {
    match id.rsplit_once('/') {
        Some((tool, version)) if id.split('/').count() == 6 && tool.contains("/repos/") => (tool, version),
        _ => (id, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shed_is_left_out() {
        for (id, shown) in [
            ("toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa/0.7", "iuc/bwa/bwa/0.7"),
            (".*/repos/iuc/bwa/.*", "iuc/bwa/.*"),
            ("toolshed.g2.bx.psu.edu/repos/.*", "toolshed.g2.bx.psu.edu/repos/.*"),
            ("Cut1", "Cut1"),
            ("a/b/repos/c/d", "a/b/repos/c/d"),
        ] {
            assert_eq!(short(id), shown);
        }
    }

    #[test]
    fn versions_are_the_ends_of_ids_from_tool_sheds() {
        let id = "toolshed.g2.bx.psu.edu/repos/nml/metaspades/metaspades/3.15.3+galaxy0";
        assert_eq!(split_version(id), ("toolshed.g2.bx.psu.edu/repos/nml/metaspades/metaspades", "3.15.3+galaxy0"));
        assert_eq!(split_version("a/b"), ("a/b", ""));
        assert_eq!(split_version("upload1"), ("upload1", ""));
    }
}
