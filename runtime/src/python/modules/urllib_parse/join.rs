//! Addresses from parts, and from others.

use super::split::{self, Kind, parse};
use super::text;
use crate::python::args::Args;
use crate::python::exception::{PyResult, index_error, not_implemented_error, type_error, value_error};
use crate::python::modules::signature::Signature;
use crate::python::value::Value;
use crate::python::vm::Vm;
use crate::python::vm::members::plain;
use crate::python::vm::operators::is_not_iterable;

const USES_NETLOC: [&str; 25] = [
    "", "ftp", "http", "gopher", "nntp", "telnet", "imap", "wais", "file", "mms", "https", "shttp", "snews",
    "prospero", "rtsp", "rtsps", "rtspu", "rsync", "svn", "svn+ssh", "sftp", "nfs", "git", "git+ssh", "ws",
];
const USES_RELATIVE: [&str; 19] = [
    "", "ftp", "http", "gopher", "nntp", "imap", "wais", "file", "https", "shttp", "mms", "prospero", "rtsp", "rtsps",
    "rtspu", "sftp", "svn", "svn+ssh", "ws",
];

fn uses_netloc(scheme: &str) -> bool {
    USES_NETLOC.contains(&scheme) || scheme == "wss"
}

fn unsplit(scheme: &str, netloc: &str, path: &str, query: &str, fragment: &str) -> String {
    let mut url = path.to_owned();
    if !netloc.is_empty() || !scheme.is_empty() && uses_netloc(scheme) && !path.starts_with("//") {
        let slash = if path.is_empty() || path.starts_with('/') { "" } else { "/" };
        url = format!("//{netloc}{slash}{path}");
    }
    if !scheme.is_empty() {
        url = format!("{scheme}:{url}");
    }
    if !query.is_empty() {
        url = format!("{url}?{query}");
    }
    if !fragment.is_empty() {
        url = format!("{url}#{fragment}");
    }
    url
}

/// The address of two, five or six parts.
pub(super) fn joined(parts: &[String]) -> String {
    match parts {
        [url, fragment] if fragment.is_empty() => url.clone(),
        [url, fragment] => format!("{url}#{fragment}"),
        [scheme, netloc, path, query, fragment] => unsplit(scheme, netloc, path, query, fragment),
        [scheme, netloc, path, params, query, fragment] if params.is_empty() => {
            unsplit(scheme, netloc, path, query, fragment)
        }
        [scheme, netloc, path, params, query, fragment] => {
            unsplit(scheme, netloc, &format!("{path};{params}"), query, fragment)
        }
        _ => String::new(),
    }
}

/// The parts as texts: CPython's `_coerce_args`, by which what is nothing is an empty text.
///
/// # Errors
/// `TypeError` for a mixture, `IndexError` for no parts at all.
pub(super) fn coerced(vm: &mut Vm, parts: &[Value]) -> PyResult<Vec<String>> {
    // A member of an enumeration that is a str is one.
    let text_or =
        |part: &Value| Some(plain(part)).filter(|text| text.as_str().is_some()).unwrap_or_else(|| part.clone());
    let parts: Vec<Value> = parts.iter().map(text_or).collect();
    let Some(first) = parts.first() else { return Err(index_error("tuple index out of range")) };
    let is_text = first.as_str().is_some();
    for part in parts.iter().skip(1) {
        if vm.truthy(part)? && part.as_str().is_some() != is_text {
            return Err(type_error("Cannot mix str and non-str arguments"));
        }
    }
    let mut texts = Vec::with_capacity(parts.len());
    for part in &parts {
        texts.push(match part.as_str() {
            Some(text) => text.to_string(),
            None if !vm.truthy(part)? => String::new(),
            None => text(part)?.to_string(),
        });
    }
    // Where nothing is a text, what is nothing counts as empty bytes.
    if is_text { Ok(texts) } else { Err(not_implemented_error("addresses as bytes")) }
}

fn from_parts(vm: &mut Vm, args: Args, name: &'static str, count: usize) -> PyResult<Value> {
    let [components] = Signature::function(name, ["components"], 1).bind(args)?.map(Option::unwrap_or_default);
    let parts = vm.collect(&components).map_err(|raised| {
        let found = components.type_name();
        let message =
            format!("urllib.parse._coerce_args() argument after * must be an iterable, not {}", found.as_str());
        if is_not_iterable(&raised, &components) { type_error(message) } else { raised }
    })?;
    let texts = coerced(vm, &parts)?;
    // What is nothing and no text is joined with a text all the same.
    if let [_, netloc, path, ..] = parts.as_slice()
        && parts.len() == count
        && netloc.as_str().is_some_and(|netloc| !netloc.is_empty())
        && plain(path).as_str().is_none()
    {
        let found = path.type_name();
        return Err(type_error(format!("can only concatenate str (not \"{}\") to str", found.as_str())));
    }
    let given = parts.len();
    if given < count {
        let message = format!("not enough values to unpack (expected {}, got {})", count + 1, given + 1);
        return Err(value_error(message));
    }
    if given > count {
        return Err(value_error(format!("too many values to unpack (expected {})", count + 1)));
    }
    vm.charge_bytes(texts.iter().map(String::len).sum())?;
    Ok(Value::str(joined(&texts)))
}

/// `urlunsplit(components)`
pub(super) fn urlunsplit(vm: &mut Vm, args: Args) -> PyResult<Value> {
    from_parts(vm, args, "urlunsplit", 5)
}

/// `urlunparse(components)`
pub(super) fn urlunparse(vm: &mut Vm, args: Args) -> PyResult<Value> {
    from_parts(vm, args, "urlunparse", 6)
}

/// `urldefrag(url)`
pub(super) fn urldefrag(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [url] = Signature::function("urldefrag", ["url"], 1).bind(args)?.map(Option::unwrap_or_default);
    let [url] = <[String; 1]>::try_from(coerced(vm, &[url])?).unwrap_or_default();
    vm.charge_bytes(url.len())?;
    if !url.contains('#') {
        return Ok(split::result(Kind::Defrag, vec![url, String::new()]));
    }
    let mut parts = parse(&url, "", true)?;
    let fragment = parts.last_mut().map(std::mem::take).unwrap_or_default();
    Ok(split::result(Kind::Defrag, vec![joined(&parts), fragment]))
}

/// `urljoin(base, url, allow_fragments=True)`
pub(super) fn urljoin(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [base, url, fragments] = Signature::function("urljoin", ["base", "url", "allow_fragments"], 2).bind(args)?;
    let (base, url) = (base.unwrap_or_default(), url.unwrap_or_default());
    if !vm.truthy(&base)? {
        return Ok(url);
    }
    if !vm.truthy(&url)? {
        return Ok(base);
    }
    let given = coerced(vm, &[base, url])?;
    let [base, url] = given.as_slice() else { return Ok(Value::None) };
    let fragments = vm.truthy(&fragments.unwrap_or(Value::Bool(true)))?;
    vm.charge_bytes(base.len() + url.len())?;
    let [base_scheme, base_netloc, base_path, base_params, base_query, _] = parse(base, "", fragments)?;
    let [scheme, mut netloc, mut path, mut params, mut query, fragment] = parse(url, &base_scheme, fragments)?;
    if scheme != base_scheme || !(USES_RELATIVE.contains(&scheme.as_str()) || scheme == "wss") {
        return Ok(Value::str(url.as_str()));
    }
    if uses_netloc(&scheme) {
        if !netloc.is_empty() {
            return Ok(Value::str(joined(&[scheme, netloc, path, params, query, fragment])));
        }
        netloc = base_netloc;
    }
    if path.is_empty() && params.is_empty() {
        (path, params) = (base_path, base_params);
        if query.is_empty() {
            query = base_query;
        }
        return Ok(Value::str(joined(&[scheme, netloc, path, params, query, fragment])));
    }
    let mut segments: Vec<&str> = path.split('/').collect();
    if !path.starts_with('/') {
        let mut before: Vec<&str> = base_path.split('/').collect();
        before.pop_if(|last| !last.is_empty());
        before.append(&mut segments);
        let last = before.len() - 1;
        let kept = before.iter().enumerate().filter(|(index, part)| *index == 0 || *index == last || !part.is_empty());
        segments = kept.map(|(_, part)| *part).collect();
    }
    let mut resolved: Vec<&str> = Vec::with_capacity(segments.len());
    for segment in &segments {
        match *segment {
            ".." => drop(resolved.pop()),
            "." => {}
            other => resolved.push(other),
        }
    }
    if matches!(segments.last(), Some(&("." | ".."))) {
        resolved.push("");
    }
    let path = resolved.join("/");
    let path = if path.is_empty() { "/".to_owned() } else { path };
    Ok(Value::str(joined(&[scheme, netloc, path, params, query, fragment])))
}
