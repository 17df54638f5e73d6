//! Tests of the whole of `tpvc fit`.

mod synthetic;
