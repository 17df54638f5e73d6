//! Redirects: where they lead, and which are followed.

use super::url::{is_url, redacted, scheme};

/// The URL that the `Location` of an answer to a request refers to.
///
/// # Errors
/// A description of the fault: it leads to a scheme that is not fetched, or from https to http, which everyone on the
/// path can read and change.
pub(super) fn redirected(from: &str, location: &str) -> Result<String, String> {
    let location = location.trim().split('#').next().unwrap_or("");
    let target = match scheme(location) {
        Some(_) => location.to_owned(),
        None => join(from, location),
    };
    if !is_url(&target) {
        return Err(format!("the server redirects to `{}`, which isn't an http or https address", redacted(&target)));
    }
    let is_safe = |url: &str| scheme(url).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"));
    if is_safe(from) && !is_safe(&target) {
        return Err(format!("the server redirects from https to `{}`, which is not encrypted", redacted(&target)));
    }
    Ok(target)
}

/// A relative reference, read from where it stands.
fn join(from: &str, location: &str) -> String {
    let (scheme, rest) = from.split_once("//").unwrap_or(("http:", from));
    if location.starts_with("//") {
        return format!("{scheme}{location}");
    }
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let path = path.split(['?', '#']).next().unwrap_or("");
    if location.starts_with('/') {
        return format!("{scheme}//{authority}{location}");
    }
    if location.starts_with('?') || location.is_empty() {
        return format!("{scheme}//{authority}{path}{location}");
    }
    let mut parts: Vec<&str> = path.split('/').skip(1).collect();
    parts.pop();
    let (location, query) = location.split_at(location.find('?').unwrap_or(location.len()));
    for part in location.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("{scheme}//{authority}/{}{query}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn redirects_lead_to_http_only() {
        let from = "http://user:secret@host:80/a/b.yml?x";
        for (location, expected) in [
            ("https://other/c.yml#part", "https://other/c.yml"),
            ("//other/c.yml", "http://other/c.yml"),
            ("/c.yml", "http://user:secret@host:80/c.yml"),
            ("c.yml?y", "http://user:secret@host:80/a/c.yml?y"),
            ("../../c/./d.yml", "http://user:secret@host:80/c/d.yml"),
            ("?y", "http://user:secret@host:80/a/b.yml?y"),
        ] {
            assert_eq!(redirected(from, location).unwrap(), expected);
        }
        for location in ["file:///etc/passwd", "FILE:/etc/passwd", "ftp://host/a", "data:text/plain,a"] {
            assert!(
                redirected(from, location).unwrap_err().contains("which isn't an http or https address"),
                "{location}"
            );
        }
        assert!(redirected("https://host/a", "http://u:p@host/a").unwrap_err().contains("`http://***@host/a`"));
    }
}
