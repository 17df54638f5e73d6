//! Names of sources that are URLs: which are, where a redirect leads, and how they are shown.

use std::borrow::Cow;

/// Returns `true` if TPV fetches `name` rather than opening it.
pub fn is_url(name: &str) -> bool {
    scheme(name).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
}

/// The text before the first colon of an absolute URL.
fn scheme(url: &str) -> Option<&str> {
    let (scheme, _) = url.split_once(':')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    (scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_part)).then_some(scheme)
}

/// The replacement for a secret.
const HIDDEN: &str = "***";
/// Parts of the names of parameters whose values give access.
const SECRETS: [&str; 7] = ["token", "secret", "password", "passwd", "key", "signature", "auth"];

/// A path or URL without its secrets: without the user and password of a URL, either of which may give access, and without
/// the values of parameters such as `private_token`. All messages name sources in this form.
pub fn redacted(name: &str) -> Cow<'_, str> {
    if !is_url(name) {
        return Cow::Borrowed(name);
    }
    let Some((scheme, rest)) = name.split_once("//") else { return Cow::Borrowed(name) };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority.to_owned(), |(_, host)| format!("{HIDDEN}@{host}"));
    let (path, query) = match path.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (path, None),
    };
    let parameter = |parameter: &str| match parameter.split_once('=') {
        Some((name, _)) if SECRETS.iter().any(|secret| name.to_ascii_lowercase().contains(secret)) => {
            format!("{name}={HIDDEN}")
        }
        _ => parameter.to_owned(),
    };
    let query = query.map(|query| format!("?{}", query.split('&').map(parameter).collect::<Vec<_>>().join("&")));
    let shown = format!("{scheme}//{host}{path}{}", query.unwrap_or_default());
    if shown == name { Cow::Borrowed(name) } else { Cow::Owned(shown) }
}

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
    fn only_http_and_https_are_urls() {
        assert!(is_url("http://a/b") && is_url("HTTPS://a"));
        assert!(!is_url("file:///a") && !is_url("c:/a") && !is_url("tpv.yml"));
    }

    #[test]
    fn secrets_are_not_shown() {
        for (name, expected) in [
            ("https://user:secret@host/tpv.yml", "https://***@host/tpv.yml"),
            ("HTTP://ghp_token@host:8080", "HTTP://***@host:8080"),
            ("https://a:p@ss@host?x=1", "https://***@host?x=1"),
            ("https://host/a@b.yml", "https://host/a@b.yml"),
            (
                "https://host/a.yml?ref=main&private_token=abc&X-Amz-Signature=d",
                "https://host/a.yml?ref=main&private_token=***&X-Amz-Signature=***",
            ),
            ("user:secret@file", "user:secret@file"),
        ] {
            assert_eq!(redacted(name), expected);
        }
    }

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
