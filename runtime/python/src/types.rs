//! The builtin classes: each is a row that carries what the machine has to know of it.
//!
//! The rows of `int`, `str` and so on have no constructors and methods: these call the machine, which knows the classes of its values.
//! The [`Library`](crate::vm::lookup::Library) that a machine is given has them; their tables are in `library.rs`.

use super::exception::BASE_EXCEPTION;
use super::string::Str;
use super::value::{Builtin, Method, NativeFn, Value};

/// CPython's implementation of a class, which decides its name in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Implementation {
    /// A static class in C: those of `builtins`, and of some modules.
    Static,
    /// A class in C that is made when its module is imported.
    Heap,
    /// A class in Python.
    Python,
}

/// The callable members of a class.
#[derive(Clone, Copy)]
pub struct Members {
    /// `Class(args)`; `None` where code cannot make instances.
    pub construct: Option<NativeFn>,
    /// The methods, each a row of the type's table.
    pub methods: &'static [Method],
    /// See [`BuiltinType::statics`].
    pub statics: &'static [Builtin],
}

/// A class of the runtime or the host: name, place in the hierarchy, constructor, methods, constants.
pub struct BuiltinType {
    /// `__name__`
    pub name: &'static str,
    /// `__module__`; empty is `builtins`.
    pub module: &'static str,
    /// CPython's implementation of it.
    pub implementation: Implementation,
    /// The base class; `None` for `object` only.
    pub base: Option<&'static BuiltinType>,
    /// Its other base classes, which only `except` and `isinstance` ask for.
    pub further_bases: &'static [&'static BuiltinType],
    /// The class's place in the library that has its constructor, methods and static methods; the row has none then.
    pub in_library: Option<LibraryClass>,
    /// `Class(args)`; `None` where code cannot make instances.
    pub construct: Option<NativeFn>,
    /// The methods, each a row of the type's table.
    pub methods: &'static [Method],
    /// Those of its own methods that change nothing and call no code, as long as object and arguments are not the host's own: then
    /// kernels call them. `__new__` stands for making an instance.
    pub pure: &'static [&'static str],
    /// The attributes that the class offers without an instance: class methods and static methods (`dict.fromkeys`,
    /// `datetime.now`). They are called without the class.
    pub statics: &'static [Builtin],
    /// Its other attributes: constants (`timedelta.max`, `re.RegexFlag.DOTALL`).
    pub constant: fn(&str) -> Option<Value>,
    /// The classes that `isinstance` and `issubclass` count as it, though they do not derive from it: those of numbers.
    pub registered: &'static [&'static BuiltinType],
    /// The class's own `repr`, if CPython has one: `<flag 'RegexFlag'>`.
    pub repr: Option<&'static str>,
    /// `true` if the host derived it from a class of its own that derives from a builtin one that holds data, such as
    /// `str`: native code may refuse an instance that CPython accepts.
    pub is_hosts_builtin: bool,
    /// `true` if `Class[item]` names a class with parameters, which have no effect.
    pub generic: bool,
}

impl BuiltinType {
    /// A class without constructor and methods; struct update adds those. CPython writes it in Python, unless it is one of
    /// `builtins`.
    pub const fn new(name: &'static str, module: &'static str, base: &'static BuiltinType) -> Self {
        let implementation = if module.is_empty() { Implementation::Static } else { Implementation::Python };
        Self {
            name,
            module,
            implementation,
            base: Some(base),
            further_bases: &[],
            in_library: None,
            construct: None,
            methods: &[],
            pure: &[],
            statics: &[],
            constant: |_| None,
            registered: &[],
            repr: None,
            is_hosts_builtin: false,
            generic: false,
        }
    }

    /// The same, as a static class in C.
    #[must_use]
    pub const fn static_in_c(self) -> Self {
        Self { implementation: Implementation::Static, ..self }
    }

    /// The same, as a class in C that is made when its module is imported.
    #[must_use]
    pub const fn heap_in_c(self) -> Self {
        Self { implementation: Implementation::Heap, ..self }
    }

    /// The same, as a class that takes parameters: `Class[int]`.
    #[must_use]
    pub const fn generic(self) -> Self {
        Self { generic: true, ..self }
    }

    /// `module.` or nothing for builtins, as `repr` of a class shows it.
    pub fn module_prefix(&self) -> String {
        if self.module.is_empty() { String::new() } else { format!("{}.", self.module) }
    }

    /// The name as error messages show it. Of the classes that CPython writes in C, those of modules carry their module's
    /// name there; those written in Python do not.
    pub fn shown_name(&self) -> Str {
        if self.is_in_c_module() {
            Str::from(format!("{}.{}", self.module, self.name).as_str())
        } else {
            Str::from(self.name)
        }
    }

    /// Returns `true` for a class of a module that CPython implements in C.
    pub fn is_in_c_module(&self) -> bool {
        !self.module.is_empty() && self.implementation != Implementation::Python
    }

    /// The class, this or a base, whose table has the method, where CPython writes that class in Python.
    pub(crate) fn python_owner(&'static self, method: &Method) -> Option<&'static Self> {
        let mut class = self;
        while !class.methods.iter().any(|own| std::ptr::eq(own, method)) {
            class = class.base?;
        }
        (class.implementation == Implementation::Python).then_some(class)
    }

    /// The method `name` of the row or a base's row. [`Library::method`](crate::vm::lookup::Library::method) knows those of `int`,
    /// `str` and so on as well.
    pub fn method_of_rows(&self, name: &str) -> Option<&'static Method> {
        let mut class = self;
        loop {
            if let Some(method) = class.methods.iter().find(|method| method.name == name) {
                return Some(method);
            }
            class = class.base?;
        }
    }

    /// Returns `true` if creating an instance changes nothing and calls no code ([`BuiltinType::pure`]).
    pub fn is_made_purely(&self) -> bool {
        self.pure.contains(&"__new__")
    }

    /// Returns `true` if both are the same class.
    pub fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }

    /// Returns `true` if this class is `other` or derives from it.
    pub fn is_subclass(&self, other: &Self) -> bool {
        let mut bases = self.base.iter().chain(self.further_bases);
        self.is(other) || bases.any(|base| base.is_subclass(other))
    }

    /// Returns `true` if `issubclass(this, other)` holds, by derivation or by registration.
    pub fn counts_as(&self, other: &Self) -> bool {
        self.is_subclass(other) || other.registered.iter().any(|registered| self.is_subclass(registered))
    }

    /// Returns `true` if instances are exceptions.
    pub fn is_exception(&self) -> bool {
        self.is_subclass(&BASE_EXCEPTION)
    }
}

/// Declares the builtin classes: identifier, Python's name, base, the place in the library where the class has members, and the pure
/// methods.
macro_rules! builtin_types {
    (@generic) => { false };
    (@generic generic) => { true };
    (@library) => { None };
    (@library $place:ident) => { Some(LibraryClass::$place) };
    (@pure) => { &[] };
    (@pure $pure:expr) => { $pure };
    ($($(#[$doc:meta])* $id:ident $([$generic:ident])? = $name:literal ($base:expr) $(in library $place:ident)? $(pure $pure:expr)?;)*) => {
        $($(#[$doc])* pub static $id: BuiltinType =
            BuiltinType {
                base: $base,
                in_library: builtin_types!(@library $($place)?),
                pure: builtin_types!(@pure $($pure)?),
                generic: builtin_types!(@generic $($generic)?),
                ..BuiltinType::new($name, "", &OBJECT)
            };)*

        /// All builtin classes.
        pub static TYPES: &[&BuiltinType] = &[$(&$id),*];

        /// The classes whose constructor and methods a library has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum LibraryClass {
            $($(#[doc = concat!("`", $name, "`")] $place,)?)*
        }
    };
}

/// The methods of `str` that kernels call: all but those that show objects.
static PURE_OF_STR: &[&str] = &[
    "__new__",
    "capitalize",
    "casefold",
    "count",
    "endswith",
    "find",
    "index",
    "isalnum",
    "isalpha",
    "isdecimal",
    "isdigit",
    "islower",
    "isnumeric",
    "isspace",
    "isupper",
    "join",
    "lower",
    "lstrip",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rindex",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "title",
    "upper",
];

builtin_types! {
    /// `object`
    OBJECT = "object" (None) in library Object;
    /// `type`
    TYPE [generic] = "type" (Some(&OBJECT)) in library Type;
    /// `NoneType`
    NONE_TYPE = "NoneType" (Some(&OBJECT));
    /// `NotImplementedType`
    NOT_IMPLEMENTED_TYPE = "NotImplementedType" (Some(&OBJECT));
    /// `ellipsis`
    ELLIPSIS_TYPE = "ellipsis" (Some(&OBJECT));
    /// `int`
    INT = "int" (Some(&OBJECT)) in library Int;
    /// `bool`, a subclass of `int`
    BOOL = "bool" (Some(&INT)) in library Bool pure &["__new__"];
    /// `float`
    FLOAT = "float" (Some(&OBJECT)) in library Float pure &["__new__", "is_integer"];
    /// `str`
    STR = "str" (Some(&OBJECT)) in library Str pure PURE_OF_STR;
    /// `bytes`
    BYTES = "bytes" (Some(&OBJECT)) in library Bytes;
    /// `tuple`
    TUPLE [generic] = "tuple" (Some(&OBJECT)) in library Tuple pure &["__new__", "count", "index"];
    /// `list`
    LIST [generic] = "list" (Some(&OBJECT)) in library List pure &["__new__", "copy", "count", "index"];
    /// `dict`
    DICT [generic] = "dict" (Some(&OBJECT)) in library Dict pure &["copy", "get"];
    /// `set`
    SET [generic] = "set" (Some(&OBJECT)) in library Set;
    /// `frozenset`
    FROZENSET [generic] = "frozenset" (Some(&OBJECT)) in library Frozenset;
    /// `range`
    RANGE = "range" (Some(&OBJECT)) in library Range;
    /// `slice`
    SLICE = "slice" (Some(&OBJECT)) in library Slice;
    /// `function`
    FUNCTION = "function" (Some(&OBJECT));
    /// `builtin_function_or_method`
    BUILTIN_FUNCTION = "builtin_function_or_method" (Some(&OBJECT));
    /// `method`
    METHOD = "method" (Some(&OBJECT));
    /// `module`
    MODULE = "module" (Some(&OBJECT));
    /// `generator`
    GENERATOR = "generator" (Some(&OBJECT));
    /// `list_iterator`
    LIST_ITERATOR = "list_iterator" (Some(&OBJECT));
    /// `list_reverseiterator`
    LIST_REVERSEITERATOR = "list_reverseiterator" (Some(&OBJECT));
    /// `tuple_iterator`
    TUPLE_ITERATOR = "tuple_iterator" (Some(&OBJECT));
    /// `str_ascii_iterator`
    STR_ASCII_ITERATOR = "str_ascii_iterator" (Some(&OBJECT));
    /// `str_iterator`, over a text with other characters
    STR_ITERATOR = "str_iterator" (Some(&OBJECT));
    /// `bytes_iterator`
    BYTES_ITERATOR = "bytes_iterator" (Some(&OBJECT));
    /// `range_iterator`
    RANGE_ITERATOR = "range_iterator" (Some(&OBJECT));
    /// `dict_keyiterator`
    DICT_KEYITERATOR = "dict_keyiterator" (Some(&OBJECT));
    /// `dict_valueiterator`
    DICT_VALUEITERATOR = "dict_valueiterator" (Some(&OBJECT));
    /// `dict_itemiterator`
    DICT_ITEMITERATOR = "dict_itemiterator" (Some(&OBJECT));
    /// `dict_keys`
    DICT_KEYS = "dict_keys" (Some(&OBJECT));
    /// `dict_values`
    DICT_VALUES = "dict_values" (Some(&OBJECT));
    /// `dict_items`
    DICT_ITEMS = "dict_items" (Some(&OBJECT));
    /// `set_iterator`
    SET_ITERATOR = "set_iterator" (Some(&OBJECT));
    /// `map`
    MAP = "map" (Some(&OBJECT)) in library Map;
    /// `filter`
    FILTER = "filter" (Some(&OBJECT)) in library Filter;
    /// `zip`
    ZIP = "zip" (Some(&OBJECT)) in library Zip;
    /// `enumerate`
    ENUMERATE [generic] = "enumerate" (Some(&OBJECT)) in library Enumerate;
    /// `reversed`
    REVERSED = "reversed" (Some(&OBJECT)) in library Reversed;
    /// `callable_iterator`
    CALLABLE_ITERATOR = "callable_iterator" (Some(&OBJECT));
    /// `method_descriptor`: `str.upper`
    METHOD_DESCRIPTOR = "method_descriptor" (Some(&OBJECT));
}
