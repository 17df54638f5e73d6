//! A site's statements about its templates.

use std::path::PathBuf;

use super::Remotes;

/// The variables and files of a site's templates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The files with variables, YAML or JSON, and folders of such; later over earlier. Of a playbook the `vars` of its plays are taken.
    pub vars: Vec<PathBuf>,
    /// Variables over those of the files: a mapping as YAML or JSON, with the name of its file.
    pub values: Option<(String, String)>,
    /// The names of variables that may have no value, as patterns of [`fits`]: placeholders stand in for them.
    pub placeholders: Vec<String>,
    /// The files that are templates, besides those named `.j2`, as patterns of [`fits`]. `None`: all files, if there are variables.
    pub templates: Option<Vec<String>>,
    /// The folder below which templates may read files. `None`: they read none.
    pub root: Option<PathBuf>,
    /// The folder that names of files are shown without, such as that of a revision's files.
    pub within: Option<PathBuf>,
    /// The copies of what URLs give.
    pub remotes: Remotes,
}

/// Returns `true` if a name matches a pattern of `*`, `?` and literal characters.
pub fn fits(pattern: &str, name: &str) -> bool {
    // The place to go back to: the last `*`, and the names that it took.
    let (mut at, mut back): ((&str, &str), Option<(&str, &str)>) = ((pattern, name), None);
    loop {
        let (rest, left) = at;
        let mut after = rest.chars();
        let mut names = left.chars();
        match (after.next(), names.next()) {
            (Some('*'), _) => {
                back = Some((after.as_str(), left));
                at = (after.as_str(), left);
                continue;
            }
            (None, None) => return true,
            (Some(wanted), Some(found)) if wanted == '?' || wanted == found => {
                at = (after.as_str(), names.as_str());
                continue;
            }
            _ => {}
        }
        let Some((rest, taken)) = back else { return false };
        let mut more = taken.chars();
        if more.next().is_none() {
            return false;
        }
        back = Some((rest, more.as_str()));
        at = (rest, more.as_str());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names() {
        for (pattern, name) in [("*.yml", "a.yml"), ("a?c*", "abcd"), ("*", ""), ("a*b*c", "aXbXbc"), ("*é", "aé")] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("*.yml", "a.yaml"), ("a?", "a"), ("", "a"), ("a*b", "abc")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
