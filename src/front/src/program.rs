//! Programs under construction: strings, names and codes of many blocks, each block compiled once.

use std::collections::HashMap;

use tpv_bytecode::{Code, CodeKind, Const, Instr, NeedsCpython, ProgramData};

use super::error::{ErrorKind, PythonError, Stage};
use super::parse::Tree;
use super::{compile, stack};

/// The reason that CPython runs a block that tpvc cannot parse.
const NOT_READ: &str = "tpvc does not read it";

/// Compiles blocks into one program. Equal blocks of the same kind share their code.
#[derive(Default)]
pub struct ProgramBuilder {
    data: ProgramData,
    strings: HashMap<String, u32>,
    names: HashMap<String, u32>,
    compiled: HashMap<(CodeKind, String), Result<u32, PythonError>>,
    raising: HashMap<(CodeKind, String), u32>,
    trees: HashMap<u32, Tree>,
}

/// The trees of the blocks of a program, folded.
#[derive(Default)]
pub struct Trees {
    roots: HashMap<(CodeKind, String), Result<u32, PythonError>>,
    trees: HashMap<u32, Tree>,
}

impl Trees {
    /// The root code of a block; `None` if it was not compiled.
    pub fn root(&self, source: &str, kind: CodeKind) -> Option<u32> {
        self.roots.get(&(kind, source.to_owned()))?.as_ref().ok().copied()
    }

    /// The tree of a block; `None` if it was not compiled.
    pub fn get(&self, source: &str, kind: CodeKind) -> Option<&Tree> {
        self.trees.get(&self.root(source, kind)?)
    }
}

impl ProgramBuilder {
    /// An empty program.
    pub fn new() -> Self {
        Self::default()
    }

    /// Compiles a block and gives the index of its root code.
    ///
    /// # Errors
    /// The exceptions that CPython raises for the source, when TPV parses or compiles it.
    pub fn compile(&mut self, source: &str, kind: CodeKind) -> Result<u32, Vec<PythonError>> {
        let key = (kind, source.to_owned());
        if let Some(result) = self.compiled.get(&key) {
            return result.clone().map_err(|error| vec![error]);
        }
        let codes = self.data.codes.len();
        let result = stack::with_room(source.len(), || compile::block(self, source, kind)).unwrap_or_else(|| {
            Err(PythonError {
                kind: ErrorKind::MemoryError,
                message: "no memory to compile the block".to_owned(),
                line: 1,
                column: 1,
                help: String::new(),
                stage: Stage::Compile,
                named_line: None,
            })
        });
        let result = match result {
            Ok((root, parsed)) => {
                self.trees.insert(root, parsed.into_tree());
                Ok(root)
            }
            Err(error) => {
                self.data.codes.truncate(codes);
                Err(error)
            }
        };
        self.compiled.insert(key, result.clone());
        result.map_err(|error| vec![error])
    }

    /// Compiles a block that TPV compiles only when it is reached: an error in its source becomes code that raises it.
    /// Gives the root code, and the errors if there are any.
    pub fn compile_lenient(&mut self, source: &str, kind: CodeKind) -> (u32, Vec<PythonError>) {
        let errors = match self.compile(source, kind) {
            Ok(root) => return (root, Vec::new()),
            Err(errors) => errors,
        };
        let key = (kind, source.to_owned());
        if let Some(root) = self.raising.get(&key) {
            return (*root, errors);
        }
        let (class, message) = match errors.first() {
            Some(error) => (error.kind.name(), error.text()),
            None => (ErrorKind::SyntaxError.name(), String::new()),
        };
        let place = errors.first().map_or((1, 1), |error| (error.line, error.column));
        let root = self.raising_code(kind, class, &message, place);
        self.raising.insert(key, root);
        (root, errors)
    }

    /// CPython 3.11's error for an f-string in the block of a root code that only later versions accept.
    pub fn newer(&self, root: u32) -> Option<&PythonError> {
        self.trees.get(&root)?.newer.as_ref()
    }

    /// The program so far.
    pub fn data(&self) -> &ProgramData {
        &self.data
    }

    /// The finished program.
    pub fn finish(self) -> ProgramData {
        self.data
    }

    /// The finished program, and what its blocks were compiled from.
    pub fn finish_with_trees(self) -> (ProgramData, Trees) {
        (self.data, Trees { roots: self.compiled, trees: self.trees })
    }

    /// The index of a string in the program's strings.
    pub fn string(&mut self, text: &str) -> u32 {
        intern(&mut self.strings, &mut self.data.strings, text)
    }

    /// The index of a name in the program's names.
    pub fn name(&mut self, text: &str) -> u32 {
        intern(&mut self.names, &mut self.data.names, text)
    }

    /// Makes room for a code that is yet to be compiled.
    pub(super) fn reserve(&mut self) -> u32 {
        let index = u32::try_from(self.data.codes.len()).unwrap_or(u32::MAX);
        let code = self.empty_code(CodeKind::Exec, index);
        self.data.codes.push(code);
        index
    }

    /// Fills the room.
    pub(super) fn fill(&mut self, index: u32, code: Code) {
        if let Some(entry) = self.data.codes.get_mut(index as usize) {
            *entry = code;
        }
    }

    fn empty_code(&mut self, kind: CodeKind, index: u32) -> Code {
        Code::empty(kind, self.string("<module>"), index)
    }

    fn raising_code(&mut self, kind: CodeKind, class: &str, message: &str, place: (u32, u32)) -> u32 {
        let index = self.reserve();
        let consts = vec![Const::Str(self.string(class)), Const::Str(self.string(message))];
        // It may be of a later Python.
        let reason = self.string(NOT_READ);
        let code = Code {
            cpython: Some(NeedsCpython { reason, only_live: false }),
            instrs: vec![Instr::RaiseError { class: 0, message: 1 }],
            consts,
            places: vec![(0, place.0, place.1)],
            ..self.empty_code(kind, index)
        };
        self.fill(index, code);
        index
    }
}

fn intern(indices: &mut HashMap<String, u32>, table: &mut Vec<String>, text: &str) -> u32 {
    if let Some(index) = indices.get(text) {
        return *index;
    }
    let index = u32::try_from(table.len()).unwrap_or(u32::MAX);
    table.push(text.to_owned());
    indices.insert(text.to_owned(), index);
    index
}
