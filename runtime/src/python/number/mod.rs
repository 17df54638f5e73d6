//! Numbers: arithmetic, parsing and text of `int` and `float`.
