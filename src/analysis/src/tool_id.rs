//! Ids of tools as people read them.

/// The id of a tool without its tool shed: `owner/repository/tool/version`. Ids and patterns of other forms are returned as they are.
pub fn short(id: &str) -> &str {
    let rest = id.split_once("/repos/").filter(|(shed, rest)| !shed.contains('/') && rest.contains('/'));
    rest.map_or(id, |(_, rest)| rest)
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
}
