//! JSON as Python's `json` reads and writes it.
