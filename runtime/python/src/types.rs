//! The builtin classes: each is a row that carries what the machine has to know of it.

use super::args::Args;
use super::builtins::{containers, lazy, scalars};
use super::exception::{BASE_EXCEPTION, PyResult};
use super::methods;
use super::string::Str;
use super::value::{Builtin, Method, Value};
use super::vm::Vm;

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
    /// `Class(args)`; `None` where code cannot make instances.
    pub construct: Option<fn(&mut Vm, Args) -> PyResult<Value>>,
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

    /// The method `name`, its own or a base's.
    pub fn method(&self, name: &str) -> Option<&'static Method> {
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

/// Declares the builtin classes: identifier, Python's name, base, constructor, method table, the table of statics where there is
/// one, and the pure methods.
macro_rules! builtin_types {
    (@statics) => { &[] };
    (@statics $statics:expr) => { $statics };
    (@generic) => { false };
    (@generic generic) => { true };
    (@pure) => { &[] };
    (@pure $pure:expr) => { $pure };
    ($($(#[$doc:meta])* $id:ident $([$generic:ident])? = $name:literal ($base:expr, $construct:expr, $methods:expr $(, $statics:expr)?) $(pure $pure:expr)?;)*) => {
        $($(#[$doc])* pub static $id: BuiltinType =
            BuiltinType {
                name: $name,
                module: "",
                implementation: Implementation::Static,
                base: $base,
                further_bases: &[],
                construct: $construct,
                methods: $methods,
                pure: builtin_types!(@pure $($pure)?),
                statics: builtin_types!(@statics $($statics)?),
                constant: |_| None,
                registered: &[],
                repr: None,
                is_hosts_builtin: false,
                generic: builtin_types!(@generic $($generic)?),
            };)*

        /// All builtin classes.
        pub static TYPES: &[&BuiltinType] = &[$(&$id),*];
    };
}

builtin_types! {
    /// `object`
    OBJECT = "object" (None, Some(scalars::object), &[]);
    /// `type`
    TYPE [generic] = "type" (Some(&OBJECT), Some(scalars::type_), &[]);
    /// `NoneType`
    NONE_TYPE = "NoneType" (Some(&OBJECT), None, &[]);
    /// `NotImplementedType`
    NOT_IMPLEMENTED_TYPE = "NotImplementedType" (Some(&OBJECT), None, &[]);
    /// `ellipsis`
    ELLIPSIS_TYPE = "ellipsis" (Some(&OBJECT), None, &[]);
    /// `int`
    INT = "int" (Some(&OBJECT), Some(scalars::int), methods::int::METHODS, methods::int::STATICS);
    /// `bool`, a subclass of `int`
    BOOL = "bool" (Some(&INT), Some(scalars::bool_), &[], methods::int::BOOL_STATICS) pure &["__new__"];
    /// `float`
    FLOAT = "float" (Some(&OBJECT), Some(scalars::float), methods::float::METHODS) pure &["__new__", "is_integer"];
    /// `str`
    STR = "str" (Some(&OBJECT), Some(scalars::str_), methods::str::METHODS, methods::str::STATICS) pure methods::str::PURE;
    /// `bytes`
    BYTES = "bytes" (Some(&OBJECT), Some(scalars::bytes), methods::bytes::METHODS, methods::bytes::STATICS);
    /// `tuple`
    TUPLE [generic] = "tuple" (Some(&OBJECT), Some(containers::tuple), methods::tuple::METHODS) pure &["__new__", "count", "index"];
    /// `list`
    LIST [generic] = "list" (Some(&OBJECT), Some(containers::list), methods::list::METHODS) pure &["__new__", "copy", "count", "index"];
    /// `dict`
    DICT [generic] = "dict" (Some(&OBJECT), Some(containers::dict), methods::dict::METHODS, methods::dict::STATICS) pure &["copy", "get"];
    /// `set`
    SET [generic] = "set" (Some(&OBJECT), Some(containers::set), methods::set::METHODS);
    /// `frozenset`
    FROZENSET [generic] = "frozenset" (Some(&OBJECT), Some(containers::frozenset), methods::set::FROZEN_METHODS);
    /// `range`
    RANGE = "range" (Some(&OBJECT), Some(containers::range), methods::range::METHODS);
    /// `slice`
    SLICE = "slice" (Some(&OBJECT), Some(scalars::slice), &[]);
    /// `function`
    FUNCTION = "function" (Some(&OBJECT), None, &[]);
    /// `builtin_function_or_method`
    BUILTIN_FUNCTION = "builtin_function_or_method" (Some(&OBJECT), None, &[]);
    /// `method`
    METHOD = "method" (Some(&OBJECT), None, &[]);
    /// `module`
    MODULE = "module" (Some(&OBJECT), None, &[]);
    /// `generator`
    GENERATOR = "generator" (Some(&OBJECT), None, &[]);
    /// `list_iterator`
    LIST_ITERATOR = "list_iterator" (Some(&OBJECT), None, &[]);
    /// `list_reverseiterator`
    LIST_REVERSEITERATOR = "list_reverseiterator" (Some(&OBJECT), None, &[]);
    /// `tuple_iterator`
    TUPLE_ITERATOR = "tuple_iterator" (Some(&OBJECT), None, &[]);
    /// `str_ascii_iterator`
    STR_ASCII_ITERATOR = "str_ascii_iterator" (Some(&OBJECT), None, &[]);
    /// `str_iterator`, over a text with other characters
    STR_ITERATOR = "str_iterator" (Some(&OBJECT), None, &[]);
    /// `bytes_iterator`
    BYTES_ITERATOR = "bytes_iterator" (Some(&OBJECT), None, &[]);
    /// `range_iterator`
    RANGE_ITERATOR = "range_iterator" (Some(&OBJECT), None, &[]);
    /// `dict_keyiterator`
    DICT_KEYITERATOR = "dict_keyiterator" (Some(&OBJECT), None, &[]);
    /// `dict_valueiterator`
    DICT_VALUEITERATOR = "dict_valueiterator" (Some(&OBJECT), None, &[]);
    /// `dict_itemiterator`
    DICT_ITEMITERATOR = "dict_itemiterator" (Some(&OBJECT), None, &[]);
    /// `dict_keys`
    DICT_KEYS = "dict_keys" (Some(&OBJECT), None, &[]);
    /// `dict_values`
    DICT_VALUES = "dict_values" (Some(&OBJECT), None, &[]);
    /// `dict_items`
    DICT_ITEMS = "dict_items" (Some(&OBJECT), None, &[]);
    /// `set_iterator`
    SET_ITERATOR = "set_iterator" (Some(&OBJECT), None, &[]);
    /// `map`
    MAP = "map" (Some(&OBJECT), Some(lazy::map), &[]);
    /// `filter`
    FILTER = "filter" (Some(&OBJECT), Some(lazy::filter), &[]);
    /// `zip`
    ZIP = "zip" (Some(&OBJECT), Some(lazy::zip), &[]);
    /// `enumerate`
    ENUMERATE [generic] = "enumerate" (Some(&OBJECT), Some(lazy::enumerate), &[]);
    /// `reversed`
    REVERSED = "reversed" (Some(&OBJECT), Some(lazy::reversed), &[]);
    /// `callable_iterator`
    CALLABLE_ITERATOR = "callable_iterator" (Some(&OBJECT), None, &[]);
    /// `method_descriptor`: `str.upper`
    METHOD_DESCRIPTOR = "method_descriptor" (Some(&OBJECT), None, &[]);
}
