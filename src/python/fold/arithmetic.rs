//! Arithmetic of constants.
