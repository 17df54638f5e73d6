//! Python's regular expressions on a Rust engine.
