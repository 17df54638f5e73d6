//! `string`

mod formatter;
mod template;

use super::class;
use crate::python::value::Value;

module! {
    /// `string`
    MODULE = "string";
    functions {
        "capwords" => |vm, args| {
            let [text, separator] =
                super::signature::Signature::function("capwords", ["s", "sep"], 1).bind(args)?.map(Option::unwrap_or_default);
            let (Value::Str(text), separator) = (&text, separator.as_str()) else {
                return Err(crate::python::exception::type_error("capwords() needs a str"));
            };
            vm.charge(text.len())?;
            let words: Vec<&str> = match separator {
                Some(separator) => text.split(separator.as_str()).collect(),
                None => text.split_whitespace().collect(),
            };
            let capitalized = |word: &&str| {
                let mut characters = word.chars();
                match characters.next() {
                    Some(first) => first.to_uppercase().chain(characters.flat_map(char::to_lowercase)).collect(),
                    None => String::new(),
                }
            };
            let words: Vec<String> = words.iter().map(capitalized).collect();
            Ok(Value::str(words.join(separator.map_or(" ", |separator| separator.as_str()))))
        },
    }
    values(_vm) {
        "Formatter" => class(&formatter::FORMATTER),
        "Template" => class(&template::TEMPLATE),
        "ascii_letters" => Value::str("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "ascii_lowercase" => Value::str("abcdefghijklmnopqrstuvwxyz"),
        "ascii_uppercase" => Value::str("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "digits" => Value::str("0123456789"),
        "hexdigits" => Value::str("0123456789abcdefABCDEF"),
        "octdigits" => Value::str("01234567"),
        "printable" => Value::str(
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\u{b}\u{c}",
        ),
        "punctuation" => Value::str("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
        "whitespace" => Value::str(" \t\n\r\u{b}\u{c}"),
    }
}
