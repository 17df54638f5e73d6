//! Classes: the builtin ones, each a row of one table here, and those that the config's code defines.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use indexmap::IndexMap;

use super::args::Args;
use super::builtins::construct;
use super::dict::Dict;
use super::exception::PyResult;
use super::methods;
use super::modules::enums;
use super::string::Str;
use super::value::{Builtin, Method, Value};
use super::vm::{Vm, descriptors};

/// A class of the runtime or the host: name, place in the hierarchy, constructor, methods.
pub struct BuiltinType {
    /// `__name__`
    pub name: &'static str,
    /// `__module__`; empty is `builtins`.
    pub module: &'static str,
    /// The base class; `None` for `object` only.
    pub base: Option<&'static BuiltinType>,
    /// `Class(args)`; `None` where code cannot make instances.
    pub construct: Option<fn(&mut Vm, Args) -> PyResult<Value>>,
    /// The methods, each a row of the type's table.
    pub methods: &'static [Method],
    /// What the class offers without an instance: class methods and static methods (`dict.fromkeys`, `datetime.now`).
    /// They are called without the class.
    pub statics: &'static [Builtin],
}

impl BuiltinType {
    /// A class without constructor or methods; give those with struct update.
    pub const fn new(name: &'static str, module: &'static str, base: &'static BuiltinType) -> Self {
        Self { name, module, base: Some(base), construct: None, methods: &[], statics: &[] }
    }

    /// `module.` or nothing for builtins, as `repr` of a class shows it.
    pub fn module_prefix(&self) -> String {
        if self.module.is_empty() { String::new() } else { format!("{}.", self.module) }
    }

    /// The name as error messages show it. Of the classes that CPython writes in C, those of modules carry their module's
    /// name there; those written in Python do not.
    pub fn shown_name(&self) -> Str {
        match self.module {
            "" if self.name == "GenericAlias" => return Str::from("types.GenericAlias"),
            "" | "types" if self.name == "UnionType" => return Str::from("types.UnionType"),
            _ => {}
        }
        if self.is_in_c_module() {
            Str::from(format!("{}.{}", self.module, self.name).as_str())
        } else {
            Str::from(self.name)
        }
    }

    /// Whether it is a class of a module, and CPython writes it in C.
    pub fn is_in_c_module(&self) -> bool {
        match self.module {
            "collections" => matches!(self.name, "defaultdict" | "OrderedDict"),
            "functools" => matches!(self.name, "partial" | "KeyWrapper" | "_lru_cache_wrapper"),
            "datetime" | "itertools" | "operator" | "_collections" => true,
            "_hashlib" => true,
            "types" => true,
            "time" => self.name == "struct_time",
            "re" => matches!(self.name, "Pattern" | "Match"),
            _ => false,
        }
    }

    /// Whether CPython writes it in C as a static class, whose dict has no `__module__`.
    pub(crate) fn is_static(&self) -> bool {
        match self.module {
            "collections" => self.is_in_c_module(),
            module => matches!(module, "" | "datetime" | "itertools" | "types"),
        }
    }

    /// The class, this or a base, whose table has the method, where CPython writes that class in Python.
    pub(crate) fn python_owner(&'static self, method: &Method) -> Option<&'static Self> {
        let mut class = self;
        while !class.methods.iter().any(|own| std::ptr::eq(own, method)) {
            class = class.base?;
        }
        let is_python = !class.module.is_empty() && !class.is_in_c_module() && class.module != "re";
        is_python.then_some(class)
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

    /// Whether this class is `other` or derives from it.
    pub fn is_subclass(&'static self, other: &'static BuiltinType) -> bool {
        let mut class = Some(self);
        while let Some(current) = class {
            if std::ptr::eq(current, other) {
                return true;
            }
            class = current.base;
        }
        std::ptr::eq(other, &raw const OBJECT)
    }
}

/// A class that the config's code defined.
pub struct Class {
    /// `__name__`
    pub name: Str,
    /// `__qualname__`, where the class was defined within another or within a function.
    pub qualified: OnceCell<Str>,
    /// The base classes.
    pub bases: Vec<Type>,
    /// Methods and class attributes.
    pub dict: RefCell<IndexMap<String, Value>>,
}

impl Class {
    /// A class that is not nested in anything.
    pub fn new(name: Str, bases: Vec<Type>, dict: IndexMap<String, Value>) -> Self {
        Self { name, qualified: OnceCell::new(), bases, dict: RefCell::new(dict) }
    }

    /// `__qualname__`
    pub fn qualified_name(&self) -> &Str {
        self.qualified.get().unwrap_or(&self.name)
    }
}

/// An instance of a class that the config's code defined.
pub struct Instance {
    /// The class.
    pub class: Rc<Class>,
    /// `__dict__`
    pub attributes: Rc<Dict>,
    /// What equal instances have in common once they were keys (see [`super::key_twins`]); 0 where it was none.
    pub twin: Cell<u64>,
}

impl Instance {
    /// An instance with these attributes.
    pub fn new(class: Rc<Class>, attributes: Dict) -> Self {
        Self { class, attributes: Rc::new(attributes), twin: Cell::new(0) }
    }
}

/// A class, as a value.
#[derive(Clone)]
pub enum Type {
    /// Of the runtime or the host.
    Builtin(&'static BuiltinType),
    /// Of the config's code.
    Class(Rc<Class>),
}

/// `abc.ABCMeta`, the class of abstract classes.
pub static ABC_META: BuiltinType = BuiltinType::new("ABCMeta", "abc", &TYPE);

impl Type {
    /// `__name__`
    pub fn name(&self) -> Str {
        match self {
            Self::Builtin(class) => Str::from(class.name),
            Self::Class(class) => class.name.clone(),
        }
    }

    /// The class of the class: `type`, or the metaclass that CPython gives it.
    pub fn metaclass(&self) -> &'static BuiltinType {
        let builtin = self.builtin_base();
        match builtin.module {
            "enum" if enums::is_enum(self) => &enums::ENUM_TYPE,
            "collections.abc" | "numbers" => &ABC_META,
            "contextlib" if matches!(builtin.name, "ExitStack" | "closing" | "nullcontext" | "suppress") => &ABC_META,
            _ => match self {
                // Members that are ints or strs have those as their builtin base.
                Self::Class(_) if enums::is_enum(self) => &enums::ENUM_TYPE,
                _ => &TYPE,
            },
        }
    }

    /// Whether both are the same class.
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Builtin(a), Self::Builtin(b)) => std::ptr::eq(*a, *b),
            (Self::Class(a), Self::Class(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// `issubclass(self, other)`
    pub fn is_subclass(&self, other: &Self) -> bool {
        if self.same(other) {
            return true;
        }
        match self {
            Self::Builtin(class) => match other {
                Self::Builtin(other) => class.is_subclass(other),
                Self::Class(_) => false,
            },
            Self::Class(class) => {
                matches!(other, Self::Builtin(o) if std::ptr::eq(*o, &raw const OBJECT))
                    || class.bases.iter().any(|base| base.is_subclass(other))
            }
        }
    }

    /// Whether instances are exceptions.
    pub fn is_exception(&self) -> bool {
        self.is_subclass(&Self::Builtin(&super::exception::BASE_EXCEPTION))
    }

    /// The nearest class of the runtime in the hierarchy.
    pub fn builtin_base(&self) -> &'static BuiltinType {
        match self {
            Self::Builtin(class) => class,
            Self::Class(class) => class.bases.first().map_or(&OBJECT, Self::builtin_base),
        }
    }
}

impl From<&'static BuiltinType> for Type {
    fn from(class: &'static BuiltinType) -> Self {
        Self::Builtin(class)
    }
}

/// Declares the builtin classes: identifier, Python's name, base, constructor, method table, and the table of statics where
/// there is one.
macro_rules! builtin_types {
    (@statics) => { &[] };
    (@statics $statics:expr) => { $statics };
    ($($(#[$doc:meta])* $id:ident = $name:literal ($base:expr, $construct:expr, $methods:expr $(, $statics:expr)?);)*) => {
        $($(#[$doc])* pub static $id: BuiltinType =
            BuiltinType {
                name: $name,
                module: "",
                base: $base,
                construct: $construct,
                methods: $methods,
                statics: builtin_types!(@statics $($statics)?),
            };)*

        /// All builtin classes.
        pub static TYPES: &[&BuiltinType] = &[$(&$id),*];
    };
}

builtin_types! {
    /// `object`
    OBJECT = "object" (None, Some(construct::object), descriptors::OBJECT_METHODS, descriptors::OBJECT_STATICS);
    /// `type`
    TYPE = "type" (Some(&OBJECT), Some(construct::type_), &[]);
    /// `NoneType`
    NONE_TYPE = "NoneType" (Some(&OBJECT), None, &[]);
    /// `NotImplementedType`
    NOT_IMPLEMENTED_TYPE = "NotImplementedType" (Some(&OBJECT), None, &[]);
    /// `ellipsis`
    ELLIPSIS_TYPE = "ellipsis" (Some(&OBJECT), Some(construct::ellipsis), &[]);
    /// `int`
    INT = "int" (Some(&OBJECT), Some(construct::int), methods::int::METHODS, methods::int::STATICS);
    /// `bool`, a subclass of `int`
    BOOL = "bool" (Some(&INT), Some(construct::bool_), &[], methods::int::BOOL_STATICS);
    /// `float`
    FLOAT = "float" (Some(&OBJECT), Some(construct::float), methods::float::METHODS, methods::float::STATICS);
    /// `complex`: only its name, for `isinstance`; complex numbers are not built.
    COMPLEX = "complex" (Some(&OBJECT), None, &[]);
    /// `str`
    STR = "str" (Some(&OBJECT), Some(construct::str_), methods::str::METHODS, methods::str::STATICS);
    /// `bytes`
    BYTES = "bytes" (Some(&OBJECT), Some(construct::bytes), methods::bytes::METHODS, methods::bytes::STATICS);
    /// `tuple`
    TUPLE = "tuple" (Some(&OBJECT), Some(construct::tuple), methods::tuple::METHODS);
    /// `list`
    LIST = "list" (Some(&OBJECT), Some(construct::list), methods::list::METHODS);
    /// `dict`
    DICT = "dict" (Some(&OBJECT), Some(construct::dict), methods::dict::METHODS, methods::dict::STATICS);
    /// `set`
    SET = "set" (Some(&OBJECT), Some(construct::set), methods::set::METHODS);
    /// `frozenset`
    FROZENSET = "frozenset" (Some(&OBJECT), Some(construct::frozenset), methods::set::FROZEN_METHODS);
    /// `range`
    RANGE = "range" (Some(&OBJECT), Some(construct::range), methods::range::METHODS);
    /// `slice`
    SLICE = "slice" (Some(&OBJECT), Some(construct::slice), methods::slice::METHODS);
    /// `function`
    FUNCTION = "function" (Some(&OBJECT), Some(construct::function), &[]);
    /// `builtin_function_or_method`
    BUILTIN_FUNCTION = "builtin_function_or_method" (Some(&OBJECT), None, &[]);
    /// `method`
    METHOD = "method" (Some(&OBJECT), Some(construct::method), &[]);
    /// `module`
    MODULE = "module" (Some(&OBJECT), None, &[]);
    /// `generator`
    GENERATOR = "generator" (Some(&OBJECT), None, methods::generator::METHODS);
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
    /// `odict_iterator`
    ODICT_ITERATOR = "odict_iterator" (Some(&OBJECT), None, &[]);
    /// `dict_keys`
    DICT_KEYS = "dict_keys" (Some(&OBJECT), None, &[]);
    /// `dict_values`
    DICT_VALUES = "dict_values" (Some(&OBJECT), None, &[]);
    /// `dict_items`
    DICT_ITEMS = "dict_items" (Some(&OBJECT), None, &[]);
    /// `set_iterator`
    SET_ITERATOR = "set_iterator" (Some(&OBJECT), None, &[]);
    /// `map`
    MAP = "map" (Some(&OBJECT), Some(construct::map), &[]);
    /// `filter`
    FILTER = "filter" (Some(&OBJECT), Some(construct::filter), &[]);
    /// `zip`
    ZIP = "zip" (Some(&OBJECT), Some(construct::zip), &[]);
    /// `enumerate`
    ENUMERATE = "enumerate" (Some(&OBJECT), Some(construct::enumerate), &[]);
    /// `reversed`
    REVERSED = "reversed" (Some(&OBJECT), Some(construct::reversed), &[]);
    /// `iterator`: over an object that has `__getitem__` only
    ITERATOR = "iterator" (Some(&OBJECT), None, &[]);
    /// `callable_iterator`
    CALLABLE_ITERATOR = "callable_iterator" (Some(&OBJECT), None, &[]);
    /// `property`
    PROPERTY = "property" (Some(&OBJECT), Some(descriptors::property), &[]);
    /// `staticmethod`
    STATIC_METHOD = "staticmethod" (Some(&OBJECT), Some(descriptors::static_method), &[]);
    /// `classmethod`
    CLASS_METHOD = "classmethod" (Some(&OBJECT), Some(descriptors::class_method), &[]);
    /// `super`
    SUPER = "super" (Some(&OBJECT), Some(descriptors::super_), &[]);
    /// `method_descriptor`: `str.upper`
    METHOD_DESCRIPTOR = "method_descriptor" (Some(&OBJECT), None, &[]);
    /// `wrapper_descriptor`: `int.__add__`
    WRAPPER_DESCRIPTOR = "wrapper_descriptor" (Some(&OBJECT), None, &[]);
    /// `method-wrapper`: `(1).__add__`
    METHOD_WRAPPER = "method-wrapper" (Some(&OBJECT), None, &[]);
    /// `getset_descriptor`: `int.real`
    GETSET_DESCRIPTOR = "getset_descriptor" (Some(&OBJECT), None, &[]);
    /// `member_descriptor`: `range.stop`
    MEMBER_DESCRIPTOR = "member_descriptor" (Some(&OBJECT), None, &[]);
    /// `traceback`
    TRACEBACK = "traceback" (Some(&OBJECT), None, &[]);
    /// `types.GenericAlias`, what `list[int]` is
    GENERIC_ALIAS = "GenericAlias" (Some(&OBJECT), Some(construct::generic_alias), &[]);
}
