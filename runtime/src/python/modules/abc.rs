//! `collections.abc`: abstract classes, for `isinstance`; and which classes count as theirs without deriving from them.

use super::class;
use super::enums::ENUM_TYPE;
use super::functools::{KEY_WRAPPER, LRU_CACHE_WRAPPER, PARTIAL};
use super::numbers;
use super::operator::{ATTRGETTER, ITEMGETTER, METHODCALLER};
use super::types::MAPPING_PROXY;
use crate::python::types::{
    BUILTIN_FUNCTION, BYTES, BuiltinType, COMPLEX, DICT, DICT_ITEMS, DICT_KEYS, DICT_VALUES, FLOAT, FROZENSET,
    FUNCTION, GENERATOR, GENERIC_ALIAS, INT, LIST, METHOD, METHOD_DESCRIPTOR, METHOD_WRAPPER, OBJECT, RANGE,
    SET as SET_TYPE, STATIC_METHOD, STR, TUPLE, TYPE, Type, WRAPPER_DESCRIPTOR,
};
use crate::python::value::Value;
use crate::python::vm::lookup::{Member, class_member};
use crate::python::vm::operator_methods::is_unhashable;

macro_rules! abstract_classes {
    ($($id:ident = $name:literal ($base:ident);)*) => {
        $(
            #[doc = concat!("`collections.abc.", $name, "`")]
            pub static $id: BuiltinType =
                BuiltinType { ..BuiltinType::new($name, "collections.abc", &$base) };
        )*

        module! {
            /// `collections.abc`
            COLLECTIONS_ABC = "collections.abc";
            functions {}
            values(_vm) { $($name => class(&$id)),* }
        }
    };
}

abstract_classes! {
    CONTAINER = "Container" (OBJECT);
    HASHABLE = "Hashable" (OBJECT);
    ITERABLE = "Iterable" (OBJECT);
    ITERATOR = "Iterator" (ITERABLE);
    GENERATOR_ABC = "Generator" (ITERATOR);
    REVERSIBLE = "Reversible" (ITERABLE);
    SIZED = "Sized" (OBJECT);
    CALLABLE = "Callable" (OBJECT);
    COLLECTION = "Collection" (OBJECT);
    SEQUENCE = "Sequence" (COLLECTION);
    MUTABLE_SEQUENCE = "MutableSequence" (SEQUENCE);
    SET = "Set" (COLLECTION);
    MUTABLE_SET = "MutableSet" (SET);
    MAPPING = "Mapping" (COLLECTION);
    MUTABLE_MAPPING = "MutableMapping" (MAPPING);
    AWAITABLE = "Awaitable" (OBJECT);
    COROUTINE = "Coroutine" (AWAITABLE);
    ASYNC_ITERABLE = "AsyncIterable" (OBJECT);
    ASYNC_ITERATOR = "AsyncIterator" (ASYNC_ITERABLE);
    ASYNC_GENERATOR = "AsyncGenerator" (ASYNC_ITERATOR);
    BYTE_STRING = "ByteString" (SEQUENCE);
    MAPPING_VIEW = "MappingView" (SIZED);
    KEYS_VIEW = "KeysView" (SET);
    ITEMS_VIEW = "ItemsView" (SET);
    VALUES_VIEW = "ValuesView" (COLLECTION);
}

/// The methods that an abstract class leaves open, as messages list them; `None` where there are none.
pub fn abstract_methods(class: &'static BuiltinType) -> Option<&'static str> {
    let methods: &[(&BuiltinType, &'static str)] = &[
        (&CONTAINER, "__contains__"),
        (&HASHABLE, "__hash__"),
        (&ITERABLE, "__iter__"),
        (&ITERATOR, "__next__"),
        (&GENERATOR_ABC, "send, throw"),
        (&REVERSIBLE, "__iter__, __reversed__"),
        (&SIZED, "__len__"),
        (&CALLABLE, "__call__"),
        (&COLLECTION, "__contains__, __iter__, __len__"),
        (&SEQUENCE, "__getitem__, __len__"),
        (&MUTABLE_SEQUENCE, "__delitem__, __getitem__, __len__, __setitem__, insert"),
        (&SET, "__contains__, __iter__, __len__"),
        (&MUTABLE_SET, "__contains__, __iter__, __len__, add, discard"),
        (&MAPPING, "__getitem__, __iter__, __len__"),
        (&MUTABLE_MAPPING, "__delitem__, __getitem__, __iter__, __len__, __setitem__"),
        (&AWAITABLE, "__await__"),
        (&COROUTINE, "__await__, send, throw"),
        (&ASYNC_ITERABLE, "__aiter__"),
        (&ASYNC_ITERATOR, "__anext__"),
        (&ASYNC_GENERATOR, "asend, athrow"),
        (&BYTE_STRING, "__getitem__, __len__"),
    ];
    methods.iter().find(|(known, _)| is(class, known)).map(|(_, missing)| *missing)
}

/// What CPython registers: a class and the abstract class it counts as.
static REGISTERED: &[(&BuiltinType, &BuiltinType)] = &[
    (&INT, &numbers::INTEGRAL),
    (&FLOAT, &numbers::REAL),
    (&COMPLEX, &numbers::COMPLEX),
    (&LIST, &MUTABLE_SEQUENCE),
    (&TUPLE, &SEQUENCE),
    (&STR, &SEQUENCE),
    (&BYTES, &BYTE_STRING),
    (&RANGE, &SEQUENCE),
    (&DICT, &MUTABLE_MAPPING),
    (&MAPPING_PROXY, &MAPPING),
    (&SET_TYPE, &MUTABLE_SET),
    (&FROZENSET, &SET),
    (&DICT_KEYS, &KEYS_VIEW),
    (&DICT_ITEMS, &ITEMS_VIEW),
    (&DICT_VALUES, &VALUES_VIEW),
    (&GENERATOR, &GENERATOR_ABC),
    (&FUNCTION, &CALLABLE),
    (&BUILTIN_FUNCTION, &CALLABLE),
    (&METHOD, &CALLABLE),
    (&TYPE, &CALLABLE),
    (&KEY_WRAPPER, &CALLABLE),
    (&LRU_CACHE_WRAPPER, &CALLABLE),
    (&PARTIAL, &CALLABLE),
    (&STATIC_METHOD, &CALLABLE),
    (&GENERIC_ALIAS, &CALLABLE),
    (&GENERIC_ALIAS, &ITERABLE),
    (&ITEMGETTER, &CALLABLE),
    (&ATTRGETTER, &CALLABLE),
    (&METHODCALLER, &CALLABLE),
    (&METHOD_DESCRIPTOR, &CALLABLE),
    (&WRAPPER_DESCRIPTOR, &CALLABLE),
    (&METHOD_WRAPPER, &CALLABLE),
    (&DICT_KEYS, &REVERSIBLE),
    (&DICT_ITEMS, &REVERSIBLE),
    (&DICT_VALUES, &REVERSIBLE),
    (&KEYS_VIEW, &MAPPING_VIEW),
    (&ITEMS_VIEW, &MAPPING_VIEW),
    (&VALUES_VIEW, &MAPPING_VIEW),
    (&ENUM_TYPE, &COLLECTION),
    (&ENUM_TYPE, &REVERSIBLE),
];

fn is(a: &'static BuiltinType, b: &'static BuiltinType) -> bool {
    std::ptr::eq(a, b)
}

/// Whether a class counts as an abstract one without deriving from it.
pub fn is_virtual_subclass(class: &Type, wanted: &Type) -> bool {
    let Type::Builtin(wanted) = wanted else { return false };
    if wanted.module != "numbers" && wanted.module != "collections.abc" {
        return false;
    }
    let base = class.builtin_base();
    let listed = |wanted: &'static BuiltinType| {
        REGISTERED.iter().any(|(class, counts_as)| base.is_subclass(class) && counts_as.is_subclass(wanted))
    };
    let registered = |wanted: &'static BuiltinType| base.is_subclass(wanted) || listed(wanted);
    if registered(wanted) {
        return true;
    }
    let is_collection = || registered(&COLLECTION);
    let is_iterator = || is_iterator_class(base);
    if is(wanted, &CONTAINER) {
        is_collection() || defines(class, "__contains__")
    } else if is(wanted, &SIZED) || is(wanted, &MAPPING_VIEW) && base.name.starts_with("dict_") {
        is_collection() || defines(class, "__len__")
    } else if is(wanted, &ITERABLE) {
        is_collection() || is_iterator() || defines(class, "__iter__")
    } else if is(wanted, &COLLECTION) {
        [&SIZED, &ITERABLE, &CONTAINER].into_iter().all(|part| is_virtual_subclass(class, &Type::Builtin(part)))
    } else if is(wanted, &REVERSIBLE) {
        listed(&REVERSIBLE)
            || base.is_subclass(&SEQUENCE)
            || listed(&SEQUENCE)
            || listed(&MAPPING)
            || defines(class, "__reversed__")
    } else if is(wanted, &ITERATOR) {
        is_iterator() || defines(class, "__next__")
    } else if is(wanted, &HASHABLE) {
        let own = match class {
            Type::Class(class) => class_member(class, "__hash__"),
            Type::Builtin(_) => None,
        };
        !matches!(own, Some(Member::Value(Value::None))) && !is_unhashable(base)
    } else if is(wanted, &CALLABLE) {
        defines(class, "__call__")
    } else {
        false
    }
}

/// Iterator classes have no common base; their names tell them.
fn is_iterator_class(class: &'static BuiltinType) -> bool {
    class.name.ends_with("iterator")
        || class.module == "itertools"
        || matches!(class.name, "generator" | "map" | "filter" | "zip" | "enumerate" | "reversed")
}

/// Whether a class of the config's code, or one of its bases, has the method.
fn defines(class: &Type, name: &str) -> bool {
    match class {
        Type::Builtin(class) => class.method(name).is_some(),
        Type::Class(class) => {
            class.dict.borrow().contains_key(name) || class.bases.iter().any(|base| defines(base, name))
        }
    }
}
