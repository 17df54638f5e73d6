//! Names of sources that are URLs: which are, and how they are shown.

use std::borrow::Cow;

/// Returns `true` if TPV fetches `name` rather than opening it.
pub fn is_url(name: &str) -> bool {
    scheme(name).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
}

/// The text before the first colon of an absolute URL.
pub(super) fn scheme(url: &str) -> Option<&str> {
    let (scheme, _) = url.split_once(':')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    (scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_part)).then_some(scheme)
}

/// The replacement for a secret.
const HIDDEN: &str = "***";
/// Parts of the names of parameters whose values give access.
const SECRETS: [&str; 8] = ["token", "secret", "password", "passwd", "key", "signature", "auth", "credential"];

/// Returns `true` for a parameter whose value gives access; `sig` is the signature of a link to Azure's storage. The name is in lower case.
fn is_secret(parameter: &str) -> bool {
    parameter == "sig" || SECRETS.iter().any(|secret| parameter.contains(secret))
}

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
        Some((name, _)) if is_secret(&name.to_ascii_lowercase()) => format!("{name}={HIDDEN}"),
        _ => parameter.to_owned(),
    };
    let query = query.map(|query| format!("?{}", query.split('&').map(parameter).collect::<Vec<_>>().join("&")));
    let shown = format!("{scheme}//{host}{path}{}", query.unwrap_or_default());
    if shown == name { Cow::Borrowed(name) } else { Cow::Owned(shown) }
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
}
