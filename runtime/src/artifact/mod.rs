//! The artifact: what the compiler writes and the runtime loads.
//!
//! A file is a header, a table of sections and the sections, each a `bincode` payload with a checksum ([`mod@format`]). Reading
//! checks every step; what it gives is verified ([`verify`]), so that a damaged or foreign file gives a clear error and
//! never a wrong answer or a crash.

pub mod format;
pub mod site;
mod sparse;
pub mod tables;
pub mod texts;
mod verify;

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::error::Error;
use crate::patterns::{Matcher, PatternSet};
use tpv_bytecode::ProgramData;
use tpv_model::{EntityClass, Matched};

pub use format::{FORMAT_VERSION, SectionInfo};
use tables::Tables;
use texts::Texts;

/// Compiled rules, ready to map with. Immutable, and shared by all threads.
///
/// ```
/// use tpv_runtime::{Error, Rules};
///
/// let rules = Rules::load(&std::fs::read("tests/rules.bin")?)?;
/// assert_eq!(Rules::load(b"no artifact").err(), Some(Error::Foreign));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Rules {
    tables: Tables,
    program: Arc<ProgramData>,
    texts: OnceLock<Texts>,
    matchers: Matched<Matcher<Arc<PatternSet>>>,
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules").finish_non_exhaustive()
    }
}

impl Rules {
    /// The rules of these tables and this program, for the compiler.
    ///
    /// # Errors
    /// [`Error::Invalid`] where an index is out of range or code could misbehave.
    pub fn new(tables: Tables, program: ProgramData) -> Result<Self, Error> {
        verify::verify(&tables, &program)?;
        let patterns = |class| tables.table(class).map(|table| table.patterns.clone()).unwrap_or_default();
        let matchers = Matched::new(|class| Matcher::new(patterns(class)));
        Ok(Self { tables, program: Arc::new(program), texts: OnceLock::new(), matchers })
    }

    /// Reads the bytes of an artifact.
    ///
    /// ```
    /// # use tpv_runtime::Rules;
    /// let rules = Rules::load(&std::fs::read("tests/rules.bin")?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error`] says what is wrong with them.
    pub fn load(bytes: &[u8]) -> Result<Self, Error> {
        let (tables, program) = format::read(bytes)?;
        Self::new(tables, program)
    }

    /// The bytes of the artifact. Equal rules give equal bytes.
    ///
    /// ```
    /// # use tpv_runtime::Rules;
    /// let bytes = std::fs::read("tests/rules.bin")?;
    /// assert_eq!(Rules::load(&bytes)?.to_bytes()?, bytes);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`] where a table is too large to be written.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        format::write(&self.tables, &self.program)
    }

    /// The tables.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The code.
    pub fn program(&self) -> &Arc<ProgramData> {
        &self.program
    }

    /// The texts of the code blocks.
    pub fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| Texts::of(&self.tables))
    }

    pub(crate) fn matcher(&self, class: EntityClass) -> Option<&Matcher<Arc<PatternSet>>> {
        self.matchers.get(class)
    }
}
