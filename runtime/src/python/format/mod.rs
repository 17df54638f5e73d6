//! Formatting: the format mini-language, `%` and `str.format`.
