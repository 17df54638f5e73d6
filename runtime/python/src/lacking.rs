//! Features that running code requested and the native language lacks: CPython may have them.
//!
//! Code can catch the exception that it gets for that; what is noted here it cannot take back. A host that has CPython at hand asks
//! after each evaluation, and throws away what was answered natively.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::sync::{LazyLock, PoisonError, RwLock};

use super::exception::{ATTRIBUTE_ERROR, EXCEPTIONS, Raised, raise};
use super::types::BuiltinType;
use super::value::Value;

thread_local! {
    /// The first feature noted since the host last asked.
    static NOTED: RefCell<Option<Box<str>>> = const { RefCell::new(None) };
    /// The first refusal since the host last asked: the class and message of its exception.
    static REFUSED: RefCell<Option<(&'static BuiltinType, Box<str>)>> = const { RefCell::new(None) };
    /// `true` if that was a spent budget.
    static SPENT: Cell<bool> = const { Cell::new(false) };
}

/// Notes an exception that CPython's own code cannot get there, since it has no such bounds and lacks no such thing.
pub(crate) fn note_refusal(class: &'static BuiltinType, message: &str) {
    note(message);
    REFUSED.with_borrow_mut(|refused| {
        refused.get_or_insert_with(|| (class, message.into()));
    });
}

/// Takes the first refusal that [`note_refusal`] recorded. A host without CPython ends the evaluation with this exception even if
/// code caught it, because the code's answer would differ from CPython's.
pub fn take_refusal() -> Option<Raised> {
    REFUSED.with_borrow_mut(Option::take).map(|(class, message)| raise(class, String::from(message)))
}

/// Notes something that the native language lacks; the reason is a clause: "tpvc has no ranges beyond 64 bits".
pub fn note(reason: impl Into<Box<str>>) {
    NOTED.with_borrow_mut(|noted| {
        noted.get_or_insert_with(|| reason.into());
    });
}

/// Notes that a budget is spent: CPython's code has none.
pub fn note_spent(reason: impl Into<Box<str>>) {
    if !is_noted() {
        SPENT.set(true);
    }
    note(reason);
}

/// Returns `true` if what was noted first is a spent budget.
pub fn is_spent() -> bool {
    SPENT.get()
}

/// Returns `true` if a feature was noted.
pub fn is_noted() -> bool {
    NOTED.with_borrow(Option::is_some)
}

/// Takes the first noted feature and clears the note.
pub fn take() -> Option<Box<str>> {
    SPENT.set(false);
    NOTED.with_borrow_mut(Option::take)
}

/// Takes up again what was noted before something else was run.
pub fn restore(noted: Option<Box<str>>) {
    SPENT.set(false);
    NOTED.with_borrow_mut(|now| *now = noted);
}

/// The public attributes that CPython 3.11's and later builtin types have, and the native ones lack.
pub const LEFT_OUT_ATTRIBUTES: &[(&str, &[&str])] = &[
    ("int", &["as_integer_ratio", "bit_count", "conjugate", "from_number", "is_integer"]),
    ("float", &["as_integer_ratio", "conjugate", "from_number", "fromhex", "hex"]),
    ("bool", &["as_integer_ratio", "bit_count", "conjugate"]),
    (
        "bytes",
        &[
            "capitalize",
            "center",
            "count",
            "endswith",
            "expandtabs",
            "find",
            "index",
            "isalnum",
            "isalpha",
            "isascii",
            "isdigit",
            "islower",
            "isspace",
            "istitle",
            "isupper",
            "join",
            "ljust",
            "lower",
            "lstrip",
            "maketrans",
            "partition",
            "removeprefix",
            "removesuffix",
            "replace",
            "rfind",
            "rindex",
            "rjust",
            "rpartition",
            "rsplit",
            "rstrip",
            "split",
            "splitlines",
            "startswith",
            "strip",
            "swapcase",
            "title",
            "translate",
            "upper",
            "zfill",
        ],
    ),
    ("slice", &["indices"]),
    ("generator", &["close", "gi_code", "gi_frame", "gi_running", "gi_suspended", "gi_yieldfrom", "send", "throw"]),
];

/// Those of [`LEFT_OUT_ATTRIBUTES`] that CPython 3.11 does not have.
const OF_LATER_VERSIONS: [&str; 2] = ["from_number", "is_integer"];

/// The public attributes that builtin exceptions of CPython have, and native ones lack; each has some of them.
const LEFT_OUT_OF_EXCEPTIONS: [&str; 20] = [
    "add_note",
    "characters_written",
    "encoding",
    "end",
    "end_lineno",
    "end_offset",
    "filename",
    "filename2",
    "lineno",
    "msg",
    "name",
    "name_from",
    "obj",
    "object",
    "offset",
    "print_file_and_line",
    "reason",
    "start",
    "text",
    "with_traceback",
];

/// The names of [`crate::modules::MODULES`], for classes that are Python's own rather than the host's.
const LIBRARY: [&str; 15] = [
    "datetime",
    "functools",
    "itertools",
    "json",
    "logging",
    "math",
    "numbers",
    "os",
    "os.path",
    "random",
    "re",
    "string",
    "sys",
    "time",
    "typing",
];

/// The builtins that CPython 3.11's and later have, and the native language lacks.
pub const LEFT_OUT_BUILTINS: &[&str] = &[
    "BaseExceptionGroup",
    "ExceptionGroup",
    "PythonFinalizationError",
    "UnicodeTranslateError",
    "aiter",
    "anext",
    "breakpoint",
    "bytearray",
    "classmethod",
    "compile",
    "complex",
    "copyright",
    "credits",
    "delattr",
    "dir",
    "eval",
    "exec",
    "exit",
    "globals",
    "help",
    "input",
    "license",
    "locals",
    "memoryview",
    "open",
    "property",
    "quit",
    "setattr",
    "staticmethod",
    "super",
    "vars",
];

/// The names of the classes whose objects are CPython's, as messages show them.
static FOREIGN: LazyLock<RwLock<HashSet<Box<str>>>> = LazyLock::new(RwLock::default);

/// Tells of a class whose objects are CPython's: native functions may refuse them where CPython's own take them.
pub fn add_foreign_class(name: &str) {
    FOREIGN.write().unwrap_or_else(PoisonError::into_inner).insert(name.into());
}

/// Notes that a native function refused something, where the message names a class of CPython's.
pub(crate) fn note_refused(message: &str) {
    let foreign = FOREIGN.read().unwrap_or_else(PoisonError::into_inner);
    if foreign.is_empty() {
        return;
    }
    let is_part_of_name = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.');
    if message.split(|char| !is_part_of_name(char)).any(|word| foreign.contains(word.trim_end_matches('.'))) {
        note(message);
    }
}

/// Notes that an object lacks an attribute, where CPython's object may have it. The host's own objects have what they have.
pub(crate) fn note_attribute(object: &Value, name: &str) {
    let is_left_out = match object {
        Value::Module(_) => true,
        // Those that are no builtins may be CPython's own, which have anything.
        Value::Exception(exception) if EXCEPTIONS.iter().any(|class| class.is(exception.class)) => {
            LEFT_OUT_OF_EXCEPTIONS.contains(&name)
        }
        Value::Exception(_) => true,
        // CPython's classes have descriptors of what their objects have: `int.real`.
        Value::Type(class) if class.module.is_empty() => true,
        other => {
            let class = if let Value::Type(class) = other { class } else { other.class() };
            let is_of_module = LIBRARY.contains(&class.module);
            let of_class = LEFT_OUT_ATTRIBUTES.iter().find(|(left_out, _)| *left_out == class.name);
            is_of_module || of_class.is_some_and(|(_, names)| class.module.is_empty() && names.contains(&name))
        }
    };
    if is_left_out {
        note(match object {
            Value::Module(module) => format!("tpvc's module `{}` has no `{name}`", module.name),
            other => format!("tpvc has no `{name}` of `{}`", other.type_name().as_str()),
        });
    }
    if let Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_) | Value::Bytes(_) = object
        && is_left_out
        && !OF_LATER_VERSIONS.contains(&name)
    {
        let message = format!("'{}' object has no attribute '{name}'", object.type_name().as_str());
        note_refusal(&ATTRIBUTE_ERROR, &message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_that_of_the_modules() {
        assert!(crate::modules::MODULES.iter().map(|module| module.name).eq(LIBRARY));
    }

    #[test]
    fn what_is_refused_counts_where_it_is_cpythons() {
        let message = "Object of type TestOfForeign is not JSON serializable";
        note_refused(message);
        assert_eq!(take(), None);
        add_foreign_class("TestOfForeign");
        note_refused("Object of type TestOfForeigners is not JSON serializable");
        assert_eq!(take(), None);
        note_refused(message);
        assert_eq!(take().as_deref(), Some(message));
        note_refused("float() argument must be a string or a real number, not 'x.TestOfForeign'");
        assert_eq!(take(), None);
    }

    #[test]
    fn the_first_reason_counts() {
        assert!(!is_noted());
        note("one");
        note("two");
        assert!(is_noted());
        assert_eq!(take().as_deref(), Some("one"));
        assert_eq!(take(), None);
        restore(Some("three".into()));
        assert_eq!(take().as_deref(), Some("three"));
    }

    #[test]
    fn a_budget_counts_if_it_was_spent_first() {
        note_spent("one");
        assert!(is_spent());
        take();
        assert!(!is_spent());
        note("one");
        note_spent("two");
        assert!(!is_spent());
        take();
    }
}
