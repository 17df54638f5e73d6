//! The parts of an address.

use std::rc::Rc;

use super::text;
use crate::python::args::Args;
use crate::python::exception::{PyResult, not_implemented_error, type_error, value_error};
use crate::python::modules::collections::named_tuple;
use crate::python::modules::signature::Signature;
use crate::python::types::{Class, Type};
use crate::python::value::{Builtin, Value};
use crate::python::vm::Vm;
use crate::python::vm::attributes::no_attribute;

/// What a result is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Defrag,
    Parse,
    Split,
}

thread_local! {
    // A class belongs to a thread, as all values do; a second one of the same name would not be the same.
    static CLASSES: [Rc<Class>; 3] = [
        named_tuple::class("urllib.parse", "DefragResult", &["url", "fragment"], &[("encode", &ENCODE), ("geturl", &GETURL)]),
        named_tuple::class("urllib.parse", "ParseResult", &["scheme", "netloc", "path", "params", "query", "fragment"], &PROPERTIES),
        named_tuple::class("urllib.parse", "SplitResult", &["scheme", "netloc", "path", "query", "fragment"], &PROPERTIES),
    ];
}

fn class_of(kind: Kind) -> Rc<Class> {
    CLASSES.with(|[defrag, parse, split]| match kind {
        Kind::Defrag => defrag.clone(),
        Kind::Parse => parse.clone(),
        Kind::Split => split.clone(),
    })
}

/// The class as a value.
pub(super) fn class(kind: Kind) -> Value {
    Value::Type(Type::Class(class_of(kind)))
}

/// A result of this kind.
pub(super) fn result(kind: Kind, parts: Vec<String>) -> Value {
    named_tuple::instance(&class_of(kind), parts.into_iter().map(Value::str).collect())
}

/// What the results have beside their fields; each is a property whose getter gets the tuple.
static PROPERTIES: [(&str, &Builtin); 6] = [
    ("encode", &ENCODE),
    ("geturl", &GETURL),
    ("hostname", &Builtin { name: "hostname", call: |vm, args| netloc(vm, args, Netloc::hostname) }),
    (
        "password",
        &Builtin { name: "password", call: |vm, args| netloc(vm, args, |netloc| Ok(netloc.user().1.map(Value::str))) },
    ),
    ("port", &Builtin { name: "port", call: |vm, args| netloc(vm, args, Netloc::port) }),
    (
        "username",
        &Builtin { name: "username", call: |vm, args| netloc(vm, args, |netloc| Ok(netloc.user().0.map(Value::str))) },
    ),
];

static GETURL: Builtin = Builtin {
    name: "geturl",
    call: |_, args| {
        let [parts] = args.exactly("geturl")?;
        Ok(named_tuple::bound(parts, &JOIN))
    },
};

/// DIFFERENCE: there are no addresses as bytes.
static ENCODE: Builtin = Builtin { name: "encode", call: |_, _| Err(not_implemented_error("addresses as bytes")) };

static JOIN: Builtin = Builtin {
    name: "geturl",
    call: |vm, args| {
        let [parts] = args.exactly("geturl")?;
        let parts = vm.collect(&parts)?;
        let parts: Vec<String> = super::join::coerced(vm, &parts)?;
        Ok(Value::str(super::join::joined(&parts)))
    },
};

/// The network location: `user:password@host:port`.
struct Netloc(String);

fn netloc(vm: &mut Vm, args: Args, get: fn(&Netloc) -> PyResult<Option<Value>>) -> PyResult<Value> {
    let [parts] = args.exactly("netloc")?;
    let netloc = vm.get_attr(&parts, "netloc")?;
    let netloc = Netloc(text(&netloc)?.to_string());
    Ok(get(&netloc)?.unwrap_or_default())
}

impl Netloc {
    fn user(&self) -> (Option<&str>, Option<&str>) {
        match self.0.rsplit_once('@') {
            Some((user, _)) => match user.split_once(':') {
                Some((user, password)) => (Some(user), Some(password)),
                None => (Some(user), None),
            },
            None => (None, None),
        }
    }

    /// Host and port, each maybe empty.
    fn host(&self) -> (&str, &str) {
        let host = self.0.rsplit_once('@').map_or(self.0.as_str(), |(_, host)| host);
        match host.split_once('[') {
            Some((_, bracketed)) => {
                let (host, rest) = bracketed.split_once(']').unwrap_or((bracketed, ""));
                (host, rest.split_once(':').map_or("", |(_, port)| port))
            }
            None => host.split_once(':').unwrap_or((host, "")),
        }
    }

    fn hostname(&self) -> PyResult<Option<Value>> {
        let (host, _) = self.host();
        if host.is_empty() {
            return Ok(None);
        }
        Ok(Some(Value::str(match host.split_once('%') {
            Some((host, zone)) => format!("{}%{zone}", host.to_lowercase()),
            None => host.to_lowercase(),
        })))
    }

    fn port(&self) -> PyResult<Option<Value>> {
        let (_, port) = self.host();
        if port.is_empty() {
            return Ok(None);
        }
        if !port.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(value_error(format!("Port could not be cast to integer value as '{port}'")));
        }
        match port.parse::<u16>() {
            Ok(port) => Ok(Some(Value::Int(port.into()))),
            Err(_) => Err(value_error("Port out of range 0-65535")),
        }
    }
}

const USES_PARAMS: [&str; 16] = [
    "", "ftp", "hdl", "prospero", "http", "imap", "https", "shttp", "rtsp", "rtsps", "rtspu", "sip", "sips", "mms",
    "sftp", "tel",
];

fn control_or_space(char: char) -> bool {
    char <= ' '
}

/// Scheme, network location, path, query and fragment.
pub(super) fn split(url: &str, scheme: &str, fragments: bool) -> PyResult<[String; 5]> {
    let unsafe_char = |char: char| matches!(char, '\t' | '\r' | '\n');
    let url = url.trim_start_matches(control_or_space).replace(unsafe_char, "");
    let mut scheme = scheme.trim_matches(control_or_space).replace(unsafe_char, "");
    let mut rest = url.as_str();
    if let Some((before, after)) = url.split_once(':')
        && before.starts_with(|char: char| char.is_ascii_alphabetic())
        && before.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '+' | '-' | '.'))
    {
        scheme = before.to_lowercase();
        rest = after;
    }
    let mut netloc = "";
    if let Some(after) = rest.strip_prefix("//") {
        let end = after.find(['/', '?', '#']).unwrap_or(after.len());
        (netloc, rest) = after.split_at_checked(end).unwrap_or((after, ""));
        if netloc.contains('[') != netloc.contains(']') {
            return Err(value_error("Invalid IPv6 URL"));
        }
        if let Some((_, bracketed)) = netloc.split_once('[') {
            check_bracketed(bracketed.split(']').next().unwrap_or_default())?;
        }
    }
    if netloc.contains(normalizes_to_separator) {
        let quoted = crate::python::vm::text::str_repr(netloc);
        return Err(value_error(format!("netloc {} contains invalid characters under NFKC normalization", quoted)));
    }
    let (rest, fragment) = match rest.split_once('#') {
        Some((rest, fragment)) if fragments => (rest, fragment),
        _ => (rest, ""),
    };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    Ok([scheme, netloc.to_owned(), path.to_owned(), query.to_owned(), fragment.to_owned()])
}

/// Whether a character would become `/`, `?`, `#`, `@` or `:` by the normalization NFKC.
fn normalizes_to_separator(char: char) -> bool {
    matches!(
        u32::from(char),
        0x2047
            ..=0x2049
                | 0x2100
                | 0x2101
                | 0x2105
                | 0x2106
                | 0x2a74
                | 0xfe13
                | 0xfe16
                | 0xfe55
                | 0xfe56
                | 0xfe5f
                | 0xfe6b
                | 0xff03
                | 0xff0f
                | 0xff1a
                | 0xff1f
                | 0xff20
    )
}

fn check_bracketed(host: &str) -> PyResult<()> {
    if let Some(future) = host.strip_prefix('v') {
        let hex = future.find(|char: char| !char.is_ascii_hexdigit()).unwrap_or(future.len());
        let rest = future.get(hex..).unwrap_or_default();
        let valid = hex > 0 && rest.strip_prefix('.').is_some_and(|rest| !rest.is_empty() && !rest.contains('\n'));
        return if valid { Ok(()) } else { Err(value_error("IPvFuture address is invalid")) };
    }
    let address = host.split('%').next().unwrap_or_default();
    if address.parse::<std::net::Ipv6Addr>().is_ok() {
        return Ok(());
    }
    if host.parse::<std::net::Ipv4Addr>().is_ok() {
        return Err(value_error("An IPv4 address cannot be in brackets"));
    }
    Err(value_error(format!("'{host}' does not appear to be an IPv4 or IPv6 address")))
}

/// As [`split`], with the parameters of the last segment apart.
pub(super) fn parse(url: &str, scheme: &str, fragments: bool) -> PyResult<[String; 6]> {
    let [scheme, netloc, path, query, fragment] = split(url, scheme, fragments)?;
    let last = path.rfind('/').unwrap_or(0);
    let semicolon = path.get(last..).and_then(|segment| segment.find(';')).map(|at| last + at);
    let (path, params) = match semicolon {
        Some(at) if USES_PARAMS.contains(&scheme.as_str()) => {
            (path.get(..at).unwrap_or_default().to_owned(), path.get(at + 1..).unwrap_or_default().to_owned())
        }
        _ => (path, String::new()),
    };
    Ok([scheme, netloc, path, params, query, fragment])
}

fn arguments(vm: &mut Vm, args: Args, name: &'static str) -> PyResult<(String, String, bool)> {
    let [url, scheme, fragments] = Signature::function(name, ["url", "scheme", "allow_fragments"], 1).bind(args)?;
    if name == "urlsplit" {
        // Its results are kept.
        for part in [&url, &scheme, &fragments].into_iter().flatten() {
            crate::python::hash::hash(vm, part)?;
        }
    }
    if let Some(scheme) = &scheme
        && scheme.as_str().is_none()
        && !vm.truthy(scheme)?
        && matches!(url, Some(Value::Str(_)))
    {
        crate::python::hash::hash(vm, scheme)?;
        return Err(match scheme {
            Value::Bytes(_) => type_error("a bytes-like object is required, not 'str'"),
            _ => no_attribute(scheme, "strip"),
        });
    }
    let given = [url.unwrap_or_default(), scheme.unwrap_or_else(|| Value::str(""))];
    let texts = super::join::coerced(vm, &given)?;
    let [url, scheme] = texts.as_slice() else { return Err(type_error("an address and a scheme are needed")) };
    let fragments = vm.truthy(&fragments.unwrap_or(Value::Bool(true)))?;
    vm.charge_bytes(url.len())?;
    Ok((url.to_string(), scheme.to_string(), fragments))
}

/// `urlsplit(url, scheme="", allow_fragments=True)`
pub(super) fn urlsplit(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (url, scheme, fragments) = arguments(vm, args, "urlsplit")?;
    Ok(result(Kind::Split, split(&url, &scheme, fragments)?.into()))
}

/// `urlparse(url, scheme="", allow_fragments=True)`
pub(super) fn urlparse(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (url, scheme, fragments) = arguments(vm, args, "urlparse")?;
    Ok(result(Kind::Parse, parse(&url, &scheme, fragments)?.into()))
}
