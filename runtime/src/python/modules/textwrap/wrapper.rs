//! Breaking texts into lines: `wrap`, `fill`, `shorten` and the class `TextWrapper`.

use std::cell::RefCell;

use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, attribute_error, type_error, value_error};
use crate::python::methods::wrong_receiver;
use crate::python::modules::copy::deepcopy;
use crate::python::modules::signature::Signature;
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::unicode;
use crate::python::value::{Method, Value};
use crate::python::vm::attributes::no_attribute;
use crate::python::vm::members::plain;
use crate::python::vm::{BinaryOp, CompareOp, Vm};

/// `textwrap.TextWrapper`
pub(super) static TEXT_WRAPPER: BuiltinType = BuiltinType {
    construct: Some(|vm, args| {
        let options = Options::bind(vm, args)?;
        Ok(Value::object(TextWrapper(RefCell::new(options))))
    }),
    methods: &[Method { name: "fill", call: fill_method }, Method { name: "wrap", call: wrap_method }],
    ..BuiltinType::new("TextWrapper", "textwrap", &OBJECT)
};

/// The parameters of `TextWrapper`, all of them attributes of it.
const PARAMETERS: [&str; 12] = [
    "width",
    "initial_indent",
    "subsequent_indent",
    "expand_tabs",
    "replace_whitespace",
    "fix_sentence_endings",
    "break_long_words",
    "drop_whitespace",
    "break_on_hyphens",
    "tabsize",
    "max_lines",
    "placeholder",
];

/// Their values, as they were given.
#[derive(Clone)]
struct Options([Value; 12]);

impl Options {
    fn bind(vm: &mut Vm, args: Args) -> PyResult<Self> {
        let signature = Signature {
            name: "TextWrapper.__init__",
            parameters: PARAMETERS,
            positional: 10,
            required: 0,
            method: true,
        };
        let given = signature.bind(args)?;
        vm.charge(1)?;
        let (yes, no, empty) = (Value::Bool(true), Value::Bool(false), Value::str(""));
        let defaults = [
            Value::Int(70),
            empty.clone(),
            empty,
            yes.clone(),
            yes.clone(),
            no,
            yes.clone(),
            yes.clone(),
            yes,
            Value::Int(8),
            Value::None,
            Value::str(" [...]"),
        ];
        let mut defaults = defaults.into_iter();
        Ok(Self(given.map(|given| given.unwrap_or(defaults.next().unwrap_or_default()))))
    }

    fn get(&self, name: &str) -> Value {
        let index = PARAMETERS.iter().position(|parameter| *parameter == name);
        index.and_then(|index| self.0.get(index).cloned()).unwrap_or_default()
    }

    fn is(&self, vm: &mut Vm, name: &str) -> PyResult<bool> {
        vm.truthy(&self.get(name))
    }

    /// What stands before a line, the first or a later one, and its length.
    fn indent(&self, vm: &mut Vm, first: bool) -> PyResult<(Value, i64)> {
        let indent = self.get(if first { "initial_indent" } else { "subsequent_indent" });
        let length = match &indent {
            Value::Str(text) => length(text),
            other => i64::try_from(vm.len(other)?).unwrap_or(i64::MAX),
        };
        Ok((indent, length))
    }

    fn text(&self, name: &str) -> PyResult<Str> {
        match self.get(name) {
            Value::Str(text) => Ok(text),
            other => Err(type_error(format!("object of type '{}' has no len()", other.type_name().as_str()))),
        }
    }
}

/// A `TextWrapper`.
struct TextWrapper(RefCell<Options>);

impl Object for TextWrapper {
    fn class(&self) -> &'static BuiltinType {
        &TEXT_WRAPPER
    }

    fn deepcopy(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        let mut options = self.0.borrow().clone();
        for option in &mut options.0 {
            *option = deepcopy(vm, option)?;
        }
        Ok(Value::object(Self(options.into())))
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(PARAMETERS.contains(&name).then(|| self.0.borrow().get(name)))
    }

    fn set_attr(&self, _: &mut Vm, name: &Str, value: Value) -> PyResult<()> {
        let index = PARAMETERS.iter().position(|parameter| *parameter == name.as_str());
        let mut options = self.0.borrow_mut();
        match index.and_then(|index| options.0.get_mut(index)) {
            Some(slot) => *slot = value,
            None => {
                return Err(attribute_error(format!("'TextWrapper' object has no attribute '{}'", name.as_str())));
            }
        }
        Ok(())
    }
}

fn options_of(this: &Value) -> PyResult<Options> {
    let wrapper = this.downcast::<TextWrapper>().ok_or_else(|| wrong_receiver("TextWrapper", this))?;
    Ok(wrapper.0.borrow().clone())
}

fn wrap_method(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [text] = Signature::method("TextWrapper.wrap", ["text"], 1).bind(args)?.map(Option::unwrap_or_default);
    let lines = wrapped(vm, &options_of(this)?, &text)?;
    Ok(Value::list(lines.into_iter().map(Value::str).collect()))
}

fn fill_method(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [text] = Signature::method("TextWrapper.fill", ["text"], 1).bind(args)?.map(Option::unwrap_or_default);
    Ok(Value::str(wrapped(vm, &options_of(this)?, &text)?.join("\n")))
}

/// The arguments `text` and `width` of a function, and the options that the others are.
fn function_options(vm: &mut Vm, mut args: Args, name: &'static str, required: usize) -> PyResult<(Value, Options)> {
    let (own, others) =
        std::mem::take(&mut args.kw).into_iter().partition(|(keyword, _)| matches!(keyword.as_str(), "text" | "width"));
    args.kw = own;
    let [text, width] = Signature::function(name, ["text", "width"], required).bind(args)?;
    let mut options = Args { kw: others, ..Args::none() };
    options.kw.extend(width.map(|width| (Str::from("width"), width)));
    if name == "shorten" {
        if options.kw.iter().any(|(name, _)| name.as_str() == "max_lines") {
            let message = "textwrap.TextWrapper() got multiple values for keyword argument 'max_lines'";
            return Err(type_error(message));
        }
        options.kw.push((Str::from("max_lines"), Value::Int(1)));
    }
    Ok((text.unwrap_or_default(), Options::bind(vm, options)?))
}

/// `wrap(text, width=70, **options)`
pub(super) fn wrap(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (text, options) = function_options(vm, args, "wrap", 1)?;
    let lines = wrapped(vm, &options, &text)?;
    Ok(Value::list(lines.into_iter().map(Value::str).collect()))
}

/// `fill(text, width=70, **options)`
pub(super) fn fill(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (text, options) = function_options(vm, args, "fill", 1)?;
    Ok(Value::str(wrapped(vm, &options, &text)?.join("\n")))
}

/// `shorten(text, width, **options)`
pub(super) fn shorten(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (text, options) = function_options(vm, args, "shorten", 2)?;
    let words = match &text {
        Value::Str(text) => {
            vm.charge(text.len() / 8)?;
            let words: Vec<&str> = text.split(unicode::is_space).filter(|word| !word.is_empty()).collect();
            words.join(" ")
        }
        other => {
            // What CPython asks of any argument.
            let stripped = vm.call_method(other, "strip", Args::none())?;
            let words = vm.call_method(&stripped, "split", Args::none())?;
            let joined = vm.call_method(&Value::str(" "), "join", Args::one(words))?;
            vm.str(&joined)?.to_string()
        }
    };
    Ok(Value::str(wrapped(vm, &options, &Value::str(words))?.join("\n")))
}

/// What counts as white space here: ASCII's, whatever else Unicode has.
const SPACES: [char; 6] = ['\t', '\n', '\x0b', '\x0c', '\r', ' '];

/// CPython's expression for what separates the chunks that lines are made of.
const WORD_SEPARATORS: &str = concat!(
    r"([\t\n\x0b\x0c\r ]+|(?<=[\w!",
    "\"",
    r"'&.,?])-{2,}(?=\w)|[^\t\n\x0b\x0c\r ]+?(?:-(?:(?<=[^\d\W]{2}-)|(?<=[^\d\W]-[^\d\W]-))(?=[^\d\W]-?[^\d\W])",
    r"|(?=[\t\n\x0b\x0c\r ]|\Z)|(?<=[\w!",
    "\"",
    r"'&.,?])(?=-{2,}\w)))",
);

fn chunks(vm: &mut Vm, options: &Options, text: &Value) -> PyResult<Vec<String>> {
    let mut text = text.clone();
    if options.is(vm, "expand_tabs")? {
        text = vm.call_method(&text, "expandtabs", Args::one(options.get("tabsize")))?;
    }
    let Value::Str(text) = &text else {
        let found = text.type_name();
        return match (&text, options.is(vm, "replace_whitespace")?) {
            (Value::Bytes(_), true) => Err(type_error("a bytes-like object is required, not 'dict'")),
            (Value::Bytes(_), false) => Err(type_error("cannot use a string pattern on a bytes-like object")),
            (other, true) => Err(no_attribute(other, "translate")),
            _ => Err(type_error(format!("expected string or bytes-like object, got '{}'", found.as_str()))),
        };
    };
    vm.charge_bytes(text.len())?;
    vm.charge(text.len())?;
    let text = match options.is(vm, "replace_whitespace")? {
        true => Str::from(text.replace(SPACES, " ")),
        false => text.clone(),
    };
    if matches!(options.get("break_on_hyphens"), Value::Bool(true)) {
        let re = vm.import("re", true)?;
        let parts = vm.call_method(&re, "split", Args::positional([Value::str(WORD_SEPARATORS), Value::Str(text)]))?;
        let parts = vm.collect(&parts)?;
        let parts = parts.iter().filter_map(|part| part.as_str()).filter(|part| !part.is_empty());
        return Ok(parts.map(|part| part.to_string()).collect());
    }
    let mut chunks: Vec<String> = Vec::new();
    let mut last = None;
    for char in text.chars() {
        let space = SPACES.contains(&char);
        match chunks.last_mut() {
            Some(chunk) if last == Some(space) => chunk.push(char),
            _ => chunks.push(char.to_string()),
        }
        last = Some(space);
    }
    Ok(chunks)
}

/// Two spaces behind the end of a sentence.
fn fix_sentence_endings(chunks: &mut [String]) {
    let ends_sentence = |chunk: &str| {
        let chunk = chunk.strip_suffix(['"', '\'']).unwrap_or(chunk);
        let mut characters = chunk.chars().rev();
        let (last, before) = (characters.next(), characters.next());
        matches!(last, Some('.' | '!' | '?')) && before.is_some_and(|char| char.is_ascii_lowercase())
    };
    let mut index = 0;
    while let Some([chunk, next]) = chunks.get_mut(index..index + 2) {
        if next == " " && ends_sentence(chunk) {
            "  ".clone_into(next);
            index += 1;
        }
        index += 1;
    }
}

fn length(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

fn blank(text: &str) -> bool {
    text.chars().all(unicode::is_space)
}

/// Splits a text behind so many characters.
fn split_at(text: &str, count: i64) -> (String, String) {
    let count = usize::try_from(count).unwrap_or(0);
    (text.chars().take(count).collect(), text.chars().skip(count).collect())
}

/// How much of a word that is too long goes on this line: up to a hyphen where that is allowed and there is one.
fn long_word_end(chunk: &str, left: i64, break_on_hyphens: bool) -> i64 {
    if break_on_hyphens && length(chunk) > left {
        let start: Vec<char> = chunk.chars().take(usize::try_from(left).unwrap_or(0)).collect();
        if let Some(hyphen) = start.iter().rposition(|char| *char == '-')
            && start.iter().take(hyphen).any(|char| *char != '-')
        {
            return i64::try_from(hyphen).unwrap_or(0) + 1;
        }
    }
    left
}

/// A number that is compared with ints, no more: of a float the int above it, of one that is no number the least there is.
fn compared(vm: &mut Vm, number: &Value, operator: CompareOp) -> PyResult<i64> {
    match plain(number) {
        plain @ (Value::Int(_) | Value::Bool(_) | Value::BigInt(_)) => convert::index_clamped(vm, &plain),
        Value::Float(number) if number.is_nan() => Ok(i64::MIN),
        Value::Float(number) if number.is_infinite() => Ok(if number > 0.0 { i64::MAX } else { i64::MIN }),
        Value::Float(number) => convert::index_clamped(vm, &convert::float_to_int(number.ceil())?),
        _ => {
            // Whatever else can be compared: nobody gives one.
            vm.compare(operator, number, &Value::Int(0))?;
            Err(type_error(format!("'{}' object is no number", number.type_name().as_str())))
        }
    }
}

/// The lines of a text.
fn wrapped(vm: &mut Vm, options: &Options, text: &Value) -> PyResult<Vec<String>> {
    let mut chunks = chunks(vm, options, text)?;
    if options.is(vm, "fix_sentence_endings")? {
        fix_sentence_endings(&mut chunks);
    }
    let total = match options.get("width") {
        // It is compared, no more.
        Value::Float(number) if number.is_nan() => i64::MAX,
        Value::Float(number) if number.is_finite() => convert::index_clamped(vm, &convert::float_to_int(number)?)?,
        other => compared(vm, &other, CompareOp::Le)?,
    };
    if total <= 0 {
        let shown = vm.repr(&options.get("width"))?;
        return Err(value_error(format!("invalid width {shown} (must be > 0)")));
    }
    let max_lines = match options.get("max_lines") {
        Value::None => None,
        number => Some(compared(vm, &number, CompareOp::Gt)?),
    };
    if chunks.is_empty() && max_lines.is_none() {
        // Nobody looks at the indents.
        return Ok(Vec::new());
    }
    let placeholder = match options.get("placeholder") {
        // What never looks at it does not mind what it is.
        _ if max_lines.is_none() => Str::from(""),
        // Bytes do until they are joined with texts.
        Value::Bytes(bytes) => Str::from(bytes.iter().map(|byte| char::from(*byte)).collect::<String>()),
        Value::Str(_) => options.text("placeholder")?,
        other => {
            vm.call_method(&other, "lstrip", Args::none())?;
            return Err(no_attribute(&other, "lstrip"));
        }
    };
    let drop_blanks = options.is(vm, "drop_whitespace")?;
    let (break_long, hyphens) = (options.is(vm, "break_long_words")?, options.is(vm, "break_on_hyphens")?);
    let short_placeholder = placeholder.trim_start_matches(unicode::is_space);
    if let Some(most) = max_lines {
        let (_, indent) = options.indent(vm, most <= 1)?;
        if indent + length(short_placeholder) > total {
            return Err(value_error("placeholder too large for max width"));
        }
    }
    chunks.reverse();
    let mut lines: Vec<String> = Vec::new();
    while !chunks.is_empty() {
        vm.charge(1)?;
        let mut line: Vec<String> = Vec::new();
        let mut used = 0;
        // Nobody looks at the one that is not used.
        let (indent, indent_length) = options.indent(vm, lines.is_empty())?;
        let width = total - indent_length;
        if drop_blanks && !lines.is_empty() && chunks.last().is_some_and(|chunk| blank(chunk)) {
            chunks.pop();
        }
        while let Some(chunk) = chunks.pop_if(|chunk| used + length(chunk) <= width) {
            used += length(&chunk);
            line.push(chunk);
        }
        if let Some(chunk) = chunks.pop_if(|chunk| length(chunk) > width) {
            let left = if width < 1 { 1 } else { width - used };
            if break_long {
                if width >= 1 && matches!(options.get("width"), Value::Float(_)) {
                    return Err(type_error("slice indices must be integers or None or have an __index__ method"));
                }
                let (here, rest) = split_at(&chunk, long_word_end(&chunk, left, hyphens));
                line.push(here);
                chunks.push(rest);
            } else if line.is_empty() {
                line.push(chunk);
            } else {
                chunks.push(chunk);
            }
            used = line.iter().map(|chunk| length(chunk)).sum();
        }
        if drop_blanks && let Some(last) = line.pop_if(|chunk| blank(chunk)) {
            used -= length(&last);
        }
        if line.is_empty() {
            continue;
        }
        let Value::Str(indent) = &indent else {
            // What has a length and is no text is refused where it is to stand before one.
            vm.binary(BinaryOp::Add, &indent, &Value::str(line.concat()))?;
            return Err(type_error(format!("'{}' object is no indent", indent.type_name().as_str())));
        };
        let count = i64::try_from(lines.len()).unwrap_or(i64::MAX);
        let nothing_left = match chunks.as_slice() {
            [] => true,
            [only] => drop_blanks && blank(only),
            _ => false,
        };
        if max_lines.is_none_or(|most| count + 1 < most) || nothing_left && used <= width {
            lines.push(format!("{}{}", indent.as_str(), line.concat()));
            continue;
        }
        if matches!(options.get("placeholder"), Value::Bytes(_)) {
            return Err(type_error(match fits_behind(line, used, width, &placeholder) {
                Some(pieces) => format!("sequence item {pieces}: expected str instance, bytes found"),
                None => "can only concatenate str (not \"bytes\") to str".to_owned(),
            }));
        }
        end_with(&mut lines, line, used, (indent, width, total), (&placeholder, short_placeholder));
        break;
    }
    Ok(lines)
}

/// Behind how many pieces of the line the placeholder fits.
fn fits_behind(mut line: Vec<String>, mut used: i64, width: i64, placeholder: &str) -> Option<usize> {
    while let Some(last) = line.pop() {
        if !blank(&last) && used + length(placeholder) <= width {
            return Some(line.len() + 1);
        }
        used -= length(&last);
    }
    None
}

/// Ends the last line that there may be with the placeholder, on the line before where it does not fit.
fn end_with(
    lines: &mut Vec<String>,
    mut line: Vec<String>,
    mut used: i64,
    (indent, width, total): (&str, i64, i64),
    (placeholder, short): (&str, &str),
) {
    while let Some(last) = line.last() {
        if !blank(last) && used + length(placeholder) <= width {
            lines.push(format!("{indent}{}{placeholder}", line.concat()));
            return;
        }
        used -= length(last);
        line.pop();
    }
    if let Some(before) = lines.last_mut() {
        let stripped = before.trim_end_matches(unicode::is_space);
        if length(stripped) + length(placeholder) <= total {
            *before = format!("{stripped}{placeholder}");
            return;
        }
    }
    lines.push(format!("{indent}{short}"));
}
