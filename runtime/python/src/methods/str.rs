//! Methods of `str`: one table. What they do is in this folder's files, one idea each.

mod case;
pub(super) mod find;
mod pad;
mod split;
mod translate;

use crate::args::Args;
use crate::builtins::scalars::codec_arguments;
use crate::exception::{PyResult, type_error};
use crate::format::template::{self, Fields};
use crate::string::Str;
use crate::value::{Builtin, Method, Value};
use crate::vm::Vm;
use crate::vm::unbound_method::inapplicable;

/// The methods, by name.
pub static METHODS: &[Method] = &[
    Method { name: "capitalize", call: case::capitalize },
    Method { name: "casefold", call: case::casefold },
    Method { name: "center", call: pad::center },
    Method { name: "count", call: find::count },
    Method { name: "encode", call: encode },
    Method { name: "endswith", call: find::endswith },
    Method { name: "expandtabs", call: pad::expandtabs },
    Method { name: "find", call: find::find },
    Method { name: "format", call: format },
    Method { name: "format_map", call: format_map },
    Method { name: "index", call: find::index },
    Method { name: "isalnum", call: case::isalnum },
    Method { name: "isalpha", call: case::isalpha },
    Method { name: "isascii", call: case::isascii },
    Method { name: "isdecimal", call: case::isdecimal },
    Method { name: "isdigit", call: case::isdigit },
    Method { name: "isidentifier", call: case::isidentifier },
    Method { name: "islower", call: case::islower },
    Method { name: "isnumeric", call: case::isnumeric },
    Method { name: "isprintable", call: case::isprintable },
    Method { name: "isspace", call: case::isspace },
    Method { name: "istitle", call: case::istitle },
    Method { name: "isupper", call: case::isupper },
    Method { name: "join", call: split::join },
    Method { name: "ljust", call: pad::ljust },
    Method { name: "lower", call: case::lower },
    Method { name: "lstrip", call: pad::lstrip },
    Method { name: "partition", call: split::partition },
    Method { name: "removeprefix", call: pad::removeprefix },
    Method { name: "removesuffix", call: pad::removesuffix },
    Method { name: "replace", call: split::replace },
    Method { name: "rfind", call: find::rfind },
    Method { name: "rindex", call: find::rindex },
    Method { name: "rjust", call: pad::rjust },
    Method { name: "rpartition", call: split::rpartition },
    Method { name: "rsplit", call: split::rsplit },
    Method { name: "rstrip", call: pad::rstrip },
    Method { name: "split", call: split::split },
    Method { name: "splitlines", call: split::splitlines },
    Method { name: "startswith", call: find::startswith },
    Method { name: "strip", call: pad::strip },
    Method { name: "swapcase", call: case::swapcase },
    Method { name: "title", call: case::title },
    Method { name: "translate", call: translate::translate },
    Method { name: "upper", call: case::upper },
    Method { name: "zfill", call: pad::zfill },
];

/// The static and class methods, by name.
pub static STATICS: &[Builtin] = &[Builtin::new("str", "maketrans", translate::maketrans)];

/// The text of the receiver.
fn text_of<'a>(receiver: &'a Value, method: &str) -> PyResult<&'a Str> {
    match receiver {
        Value::Str(text) => Ok(text),
        other => Err(inapplicable(method, "str", other)),
    }
}

/// A `str` argument, or an error with what CPython says of another: `must be str`, `replace() argument 1 must be str`.
fn str_argument<'a>(value: &'a Value, what: &str) -> PyResult<&'a Str> {
    match value {
        Value::Str(text) => Ok(text),
        // Only the parsers of arguments, which number them, call `None` by its name.
        other if what.contains("argument") => {
            Err(type_error(format!("{what}, not {}", other.argument_class().as_str())))
        }
        other => Err(type_error(format!("{what}, not {}", other.type_name().as_str()))),
    }
}

/// Takes from `min` to `N` positional arguments, as [`Args::between`] does; CPython names the class only where it refuses
/// keywords.
fn between<const N: usize>(args: Args, method: &str, min: usize) -> PyResult<[Option<Value>; N]> {
    if !args.kw.is_empty() {
        args.no_keywords(&format!("str.{method}"))?;
    }
    args.between(method, min)
}

fn encode(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "encode")?;
    let [encoding, errors] = args.bind("encode", ["encoding", "errors"], 0)?;
    let (encoding, errors) = codec_arguments("encode", encoding, errors)?;
    Ok(Value::bytes(encoding.encode(vm, text, errors.as_str())?))
}

fn format(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "format")?;
    template::format(vm, text.as_str(), &Fields::Arguments(&args.pos, &args.kw)).map(Value::str)
}

fn format_map(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "format_map")?;
    let [mapping] = args.exactly("str.format_map")?;
    template::format(vm, text.as_str(), &Fields::Mapping(&mapping)).map(Value::str)
}
