//! What readers and writers of YAML share: the types of plain scalars, timestamps, tags, the styles of scalars and their
//! characters. All of it is ruamel.yaml's, which TPV reads and writes with.

mod escape;
pub(crate) mod resolve;
pub(crate) mod style;
pub(crate) mod tag;
pub(crate) mod timestamp;
pub(crate) mod writer;
