//! Paths in a repository, with `/`.

/// A path below a folder.
pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A path without `.` and `..`.
pub(super) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns `true` if a text has the name of a file, not only as the end of a longer one.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        before.is_none_or(|char| !char.is_alphanumeric() && !['_', '-', '.'].contains(&char))
    })
}

/// The folder of a path.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The name of a file, without that of its folder and without `.j2`.
pub(super) fn plain_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".j2").unwrap_or(name)
}

/// The folder of the role that a file is in.
pub(super) fn role(file: &str) -> Option<&str> {
    let parts = ["tasks", "vars", "defaults", "handlers", "meta", "templates", "files"];
    let end = |part: &str| {
        file.match_indices(&format!("/{part}/")).map(|(at, _)| at).find(|at| {
            let above = file.get(..*at).unwrap_or_default();
            above.starts_with("roles/") || above.contains("/roles/")
        })
    };
    let at = parts.iter().filter_map(|part| end(part)).min()?;
    file.get(..at)
}

/// The number of folders at the end of two paths that are the same.
pub(super) fn shared(one: &str, other: &str) -> usize {
    let (mut one, mut other) = (folder(one).rsplit('/'), folder(other).rsplit('/'));
    std::iter::from_fn(|| (one.next()? == other.next()?).then_some(())).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_their_dots() {
        assert_eq!(normal("a/./b/../c.yml"), "a/c.yml");
        assert_eq!(normal("../a.yml"), "../a.yml");
    }

    #[test]
    fn folders_are_compared_from_the_end() {
        assert_eq!(shared("files/x/tpv/a.yml", "{{ dir }}/tpv/a.yml"), 1);
        assert_eq!(shared("a.yml", "b/a.yml"), 0);
    }

    #[test]
    fn files_of_roles() {
        assert_eq!(role("roles/gx/templates/a/files/x.yml"), Some("roles/gx"));
        assert_eq!(role("a/roles/b.gx/defaults/main.yml"), Some("a/roles/b.gx"));
        assert_eq!((role("templates/x.yml"), role("group_vars/tasks/x.yml")), (None, None));
    }

    #[test]
    fn the_end_of_a_longer_name_is_another_name() {
        assert!(mentions("src: templates/job_conf.yml", "job_conf.yml") && mentions("job_conf.yml", "job_conf.yml"));
        assert!(!mentions("src: dev_job_conf.yml", "job_conf.yml"));
    }
}
