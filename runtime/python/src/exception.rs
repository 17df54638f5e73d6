//! Exceptions: the classes, the objects, and how the runtime raises them.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use indexmap::IndexMap;

use super::release::release;
use super::string::Str;
use super::types::{BuiltinType, OBJECT};
use super::value::Value;
use crate::program::Place;
use tpv_bytecode::{CodeRef, ProgramData};

/// The result of anything that may raise.
pub type PyResult<T> = Result<T, Raised>;

/// A raised exception on its way to a handler.
#[derive(Clone)]
pub struct Raised(pub Rc<ExceptionObject>);

/// An exception object.
pub struct ExceptionObject {
    /// The class.
    pub class: &'static BuiltinType,
    /// `e.args`
    pub args: RefCell<Vec<Value>>,
    /// Other attributes: `e.failure_message`, `e.errno`, what code has set.
    pub attributes: RefCell<IndexMap<String, Value>>,
    /// The host's own exception that this one stands for: its attributes and texts are that one's.
    pub host: RefCell<Option<Value>>,
    /// `raise ... from cause`
    pub cause: RefCell<Option<Value>>,
    /// The exception that was being handled.
    pub context: RefCell<Option<Value>>,
    /// `raise ... from None`
    pub suppress_context: Cell<bool>,
    /// The places in the config's code that it passed, innermost first.
    pub places: RefCell<Vec<Place>>,
    /// The number of places before the last one that were not kept.
    pub places_left_out: Cell<u32>,
    /// The text of the config whose evaluation it ended first.
    pub origin: Cell<Option<CodeRef>>,
    /// The text of the code whose evaluation it ended, where that was made at run time and stands in no config.
    pub made: RefCell<Option<Str>>,
}

impl Drop for ExceptionObject {
    fn drop(&mut self) {
        // Most have neither cause nor context, and arguments that hold nothing.
        release((
            std::mem::take(self.args.get_mut()),
            self.cause.get_mut().take(),
            self.context.get_mut().take(),
            std::mem::take(self.attributes.get_mut()),
            self.host.get_mut().take(),
        ));
    }
}

impl ExceptionObject {
    /// An exception with these arguments.
    pub fn new(class: &'static BuiltinType, args: Vec<Value>) -> Rc<Self> {
        Rc::new(Self {
            class,
            args: RefCell::new(args),
            attributes: RefCell::default(),
            host: RefCell::default(),
            cause: RefCell::default(),
            context: RefCell::default(),
            suppress_context: Cell::new(false),
            places: RefCell::default(),
            places_left_out: Cell::new(0),
            origin: Cell::new(None),
            made: RefCell::default(),
        })
    }

    /// Returns `true` if it is an instance of this class.
    pub fn is(&self, class: &BuiltinType) -> bool {
        self.class.is_subclass(class)
    }
}

impl Raised {
    /// The class's name.
    pub fn class_name(&self) -> &'static str {
        self.0.class.name
    }

    /// Returns `true` if it is an instance of this class.
    pub fn is(&self, class: &BuiltinType) -> bool {
        self.0.is(class)
    }

    /// Notes that it ended the evaluation of a text of the config: the places in the code of that text stand there.
    pub fn passed(&self, program: &ProgramData, text: CodeRef) {
        self.0.origin.set(self.0.origin.get().or(Some(text)));
        for place in self.0.places.borrow_mut().iter_mut().filter(|place| place.site.is_none()) {
            if program.codes.get(place.code as usize).is_some_and(|code| code.root == text.code) {
                place.site = Some(text.site);
            }
        }
    }

    /// The exception as a value.
    pub fn value(&self) -> Value {
        Value::Exception(self.0.clone())
    }
}

impl fmt::Debug for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.class_name())?;
        let args = self.0.args.borrow();
        if let Some(Value::Str(text)) = args.first() {
            write!(f, ": {}", text.as_str())?;
        }
        Ok(())
    }
}

/// Raises `class(message)`.
pub fn raise(class: &'static BuiltinType, message: impl Into<String>) -> Raised {
    Raised(ExceptionObject::new(class, vec![Value::str(message.into())]))
}

/// Raises `class(*args)`.
pub fn raise_with(class: &'static BuiltinType, args: Vec<Value>) -> Raised {
    Raised(ExceptionObject::new(class, args))
}

/// `BaseException`
pub static BASE_EXCEPTION: BuiltinType = BuiltinType {
    construct: Some(|_, args| super::builtins::exceptions::construct(&BASE_EXCEPTION, args)),
    methods: super::methods::exception::METHODS,
    ..BuiltinType::new("BaseException", "", &OBJECT)
};

/// Declares exception classes and a function for each that the runtime raises itself.
macro_rules! exceptions {
    ($($id:ident = $name:literal ($base:ident) $($function:ident)?;)*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub static $id: BuiltinType = BuiltinType {
                construct: Some(|_, args| super::builtins::exceptions::construct(&$id, args)),
                ..BuiltinType::new($name, "", &$base)
            };
            $(
                #[doc = concat!("Raises `", $name, "`.")]
                pub fn $function(message: impl Into<String>) -> Raised {
                    raise(&$id, message)
                }
            )?
        )*

        /// All builtin exception classes.
        pub static EXCEPTIONS: &[&BuiltinType] = &[&BASE_EXCEPTION, $(&$id),*];
    };
}

exceptions! {
    SYSTEM_EXIT = "SystemExit" (BASE_EXCEPTION);
    KEYBOARD_INTERRUPT = "KeyboardInterrupt" (BASE_EXCEPTION);
    GENERATOR_EXIT = "GeneratorExit" (BASE_EXCEPTION);
    EXCEPTION = "Exception" (BASE_EXCEPTION);
    STOP_ITERATION = "StopIteration" (EXCEPTION);
    STOP_ASYNC_ITERATION = "StopAsyncIteration" (EXCEPTION);
    ARITHMETIC_ERROR = "ArithmeticError" (EXCEPTION);
    FLOATING_POINT_ERROR = "FloatingPointError" (ARITHMETIC_ERROR);
    OVERFLOW_ERROR = "OverflowError" (ARITHMETIC_ERROR) overflow_error;
    ZERO_DIVISION_ERROR = "ZeroDivisionError" (ARITHMETIC_ERROR) zero_division_error;
    ASSERTION_ERROR = "AssertionError" (EXCEPTION);
    ATTRIBUTE_ERROR = "AttributeError" (EXCEPTION) attribute_error;
    BUFFER_ERROR = "BufferError" (EXCEPTION);
    EOF_ERROR = "EOFError" (EXCEPTION);
    IMPORT_ERROR = "ImportError" (EXCEPTION) import_error;
    MODULE_NOT_FOUND_ERROR = "ModuleNotFoundError" (IMPORT_ERROR) module_not_found_error;
    LOOKUP_ERROR = "LookupError" (EXCEPTION) lookup_error;
    INDEX_ERROR = "IndexError" (LOOKUP_ERROR) index_error;
    KEY_ERROR = "KeyError" (LOOKUP_ERROR);
    MEMORY_ERROR = "MemoryError" (EXCEPTION);
    NAME_ERROR = "NameError" (EXCEPTION) name_error;
    UNBOUND_LOCAL_ERROR = "UnboundLocalError" (NAME_ERROR) unbound_local_error;
    OS_ERROR = "OSError" (EXCEPTION);
    FILE_NOT_FOUND_ERROR = "FileNotFoundError" (OS_ERROR);
    FILE_EXISTS_ERROR = "FileExistsError" (OS_ERROR);
    PERMISSION_ERROR = "PermissionError" (OS_ERROR);
    IS_A_DIRECTORY_ERROR = "IsADirectoryError" (OS_ERROR);
    NOT_A_DIRECTORY_ERROR = "NotADirectoryError" (OS_ERROR);
    CONNECTION_ERROR = "ConnectionError" (OS_ERROR);
    CONNECTION_REFUSED_ERROR = "ConnectionRefusedError" (CONNECTION_ERROR);
    CONNECTION_RESET_ERROR = "ConnectionResetError" (CONNECTION_ERROR);
    CONNECTION_ABORTED_ERROR = "ConnectionAbortedError" (CONNECTION_ERROR);
    BLOCKING_IO_ERROR = "BlockingIOError" (OS_ERROR);
    CHILD_PROCESS_ERROR = "ChildProcessError" (OS_ERROR);
    PROCESS_LOOKUP_ERROR = "ProcessLookupError" (OS_ERROR);
    BROKEN_PIPE_ERROR = "BrokenPipeError" (CONNECTION_ERROR);
    TIMEOUT_ERROR = "TimeoutError" (OS_ERROR) timeout_error;
    INTERRUPTED_ERROR = "InterruptedError" (OS_ERROR);
    REFERENCE_ERROR = "ReferenceError" (EXCEPTION);
    RUNTIME_ERROR = "RuntimeError" (EXCEPTION) runtime_error;
    NOT_IMPLEMENTED_ERROR = "NotImplementedError" (RUNTIME_ERROR);
    RECURSION_ERROR = "RecursionError" (RUNTIME_ERROR) recursion_error;
    SYNTAX_ERROR = "SyntaxError" (EXCEPTION);
    INDENTATION_ERROR = "IndentationError" (SYNTAX_ERROR);
    TAB_ERROR = "TabError" (INDENTATION_ERROR);
    SYSTEM_ERROR = "SystemError" (EXCEPTION) system_error;
    TYPE_ERROR = "TypeError" (EXCEPTION);
    VALUE_ERROR = "ValueError" (EXCEPTION) value_error;
    UNICODE_ERROR = "UnicodeError" (VALUE_ERROR);
    UNICODE_DECODE_ERROR = "UnicodeDecodeError" (UNICODE_ERROR);
    UNICODE_ENCODE_ERROR = "UnicodeEncodeError" (UNICODE_ERROR);
    WARNING = "Warning" (EXCEPTION);
    USER_WARNING = "UserWarning" (WARNING);
    DEPRECATION_WARNING = "DeprecationWarning" (WARNING);
    RUNTIME_WARNING = "RuntimeWarning" (WARNING);
    FUTURE_WARNING = "FutureWarning" (WARNING);
    SYNTAX_WARNING = "SyntaxWarning" (WARNING);
    IMPORT_WARNING = "ImportWarning" (WARNING);
    UNICODE_WARNING = "UnicodeWarning" (WARNING);
    BYTES_WARNING = "BytesWarning" (WARNING);
    RESOURCE_WARNING = "ResourceWarning" (WARNING);
    ENCODING_WARNING = "EncodingWarning" (WARNING);
    PENDING_DEPRECATION_WARNING = "PendingDeprecationWarning" (WARNING);
}

/// The exception for requests that the world does not answer, such as the time.
pub static HOST_UNAVAILABLE: BuiltinType = BuiltinType {
    construct: Some(|_, args| super::builtins::exceptions::construct(&HOST_UNAVAILABLE, args)),
    ..BuiltinType::new("HostUnavailable", "", &EXCEPTION)
};

/// Raises `TypeError`. Where it is about an object of the host, CPython may take what a native function refuses.
pub fn type_error(message: impl Into<String>) -> Raised {
    let message = message.into();
    super::lacking::note_refused(&message);
    raise(&TYPE_ERROR, message)
}

/// Raises `NotImplementedError` for what the native language lacks.
pub fn not_implemented_error(message: impl Into<String>) -> Raised {
    let message = message.into();
    super::lacking::note_refusal(&NOT_IMPLEMENTED_ERROR, &message);
    raise(&NOT_IMPLEMENTED_ERROR, message)
}

/// Raises `HostUnavailable`.
pub fn host_unavailable(message: impl Into<String>) -> Raised {
    raise(&HOST_UNAVAILABLE, message)
}

/// Raises `KeyError(key)`.
pub fn key_error(key: Value) -> Raised {
    raise_with(&KEY_ERROR, vec![key])
}

/// Raises `StopIteration`.
pub fn stop_iteration() -> Raised {
    raise_with(&STOP_ITERATION, Vec::new())
}
