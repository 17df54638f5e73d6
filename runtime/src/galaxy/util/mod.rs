//! The functions of `galaxy.util` that rules use.

mod sanitize;
mod sizes;
mod text;
mod values;
mod words;

use crate::python::value::Builtin;

macro_rules! functions {
    ($($function:ident in $file:ident;)*) => {
        /// The functions.
        pub static FUNCTIONS: &[Builtin] = &[$(Builtin { name: stringify!($function), call: $file::$function }),*];
        /// Their names.
        pub static NAMES: &[&str] = &[$(stringify!($function)),*];
    };
}

functions! {
    asbool in words;
    chunk_iterable in values;
    clean_multiline_string in text;
    commaify in sizes;
    directory_hash_id in values;
    docstring_trim in text;
    is_binary in text;
    is_url in text;
    is_uuid in values;
    is_valid_uuid_v4 in values;
    listify in words;
    metric_prefix in sizes;
    nice_size in sizes;
    parse_int in values;
    parse_non_hex_float in values;
    ready_name_for_url in text;
    remove_protocol_from_url in text;
    restore_text in sanitize;
    safe_str_cmp in text;
    sanitize_for_filename in sanitize;
    sanitize_lists_to_string in sanitize;
    sanitize_param in sanitize;
    sanitize_text in sanitize;
    shorten_with_metric_prefix in sizes;
    shrink_string_by_size in text;
    size_to_bytes in sizes;
    smart_str in text;
    str_removeprefix in text;
    string_as_bool in words;
    string_as_bool_or_none in words;
    stringify_dictionary_keys in values;
    strip_control_characters in text;
    unicodify in text;
}
