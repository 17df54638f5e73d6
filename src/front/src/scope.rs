//! Symbol tables: in which scope each name lives, by CPython's rules.
//!
//! [`collect`] walks the tree and notes what each scope does with each name; [`analyze`] then decides what each use
//! means. A block's own scope is a namespace: its names are never slots.

mod analyze;
mod collect;

use std::collections::HashMap;
use std::marker::PhantomData;

use crate::syntax::ast;
use crate::syntax::text_size::TextSize;
use indexmap::{IndexMap, IndexSet};

use super::error::{ErrorKind, PythonError, Stage};
use super::parse::Text;

/// The index of a scope in its [`Scopes`].
pub type ScopeId = usize;

/// The construct that creates the scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// The block itself.
    Module,
    /// `def`
    Function,
    /// `lambda`
    Lambda,
    /// A list, set or dict comprehension; its name in messages.
    Comprehension(&'static str),
    /// A generator expression.
    Generator,
}

impl ScopeKind {
    /// Returns `true` for a comprehension or a generator expression.
    pub fn is_comprehension(self) -> bool {
        matches!(self, Self::Comprehension(_) | Self::Generator)
    }
}

/// A scope's uses of a name.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    /// A parameter.
    parameter: bool,
    /// Bound by assignment, import, definition, ...
    bound: bool,
    /// Declared `global`.
    global: bool,
    /// Declared `nonlocal`.
    nonlocal: bool,
    /// Read.
    used: bool,
    /// Annotated.
    annotated: bool,
    /// The variable of a comprehension's loop.
    iteration: bool,
    /// The place of its `nonlocal` declaration.
    declared_at: TextSize,
}

/// The meaning of a name in a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A local variable of its own.
    Local,
    /// A local variable that inner functions share.
    Cell,
    /// A variable of an enclosing function.
    Free,
    /// A name of the block's namespace.
    Global,
}

/// One scope.
pub struct Scope {
    /// The construct that creates it.
    pub kind: ScopeKind,
    /// The scope around it.
    pub parent: Option<ScopeId>,
    /// The parameters, in the order of the local variables.
    pub parameters: IndexSet<String>,
    /// Names shared with inner functions, in the order of their first use.
    pub cells: IndexSet<String>,
    /// Names taken from enclosing functions.
    pub free: IndexSet<String>,
    symbols: IndexMap<String, Uses>,
    meanings: HashMap<String, Meaning>,
    children: Vec<ScopeId>,
    /// The number of comprehension iterables being read, in which the walrus is refused.
    in_iterable: usize,
}

impl Scope {
    /// The meaning of a name that the scope mentions.
    pub fn meaning(&self, name: &str) -> Meaning {
        self.meanings.get(name).copied().unwrap_or(Meaning::Global)
    }
}

/// The scopes of a block, whose tree they borrow.
pub struct Scopes<'t> {
    scopes: Vec<Scope>,
    by_node: HashMap<TreeNode<'t>, ScopeId>,
}

impl<'t> Scopes<'t> {
    /// Returns `true` if the block binds a name anywhere, so that it may not be the context's.
    pub fn is_bound_in_block(&self, name: &str) -> bool {
        let binds = |uses: &Uses| uses.bound || uses.iteration;
        self.scopes.iter().enumerate().any(|(id, scope)| {
            scope.symbols.get(name).is_some_and(|uses| binds(uses) && (id == Self::ROOT || uses.global))
        })
    }

    /// The scopes of a block's statements.
    ///
    /// # Errors
    /// The `SyntaxError`s of CPython's symbol tables.
    pub fn of(body: &'t [ast::Stmt], text: &Text) -> Result<Self, PythonError> {
        let mut scopes = collect::collect(body, text)?;
        analyze::analyze(&mut scopes, text)?;
        Ok(scopes)
    }

    /// The scope of the block itself.
    pub const ROOT: ScopeId = 0;

    /// A scope.
    pub fn get(&self, id: ScopeId) -> Option<&Scope> {
        self.scopes.get(id)
    }

    /// The scope that a node of the tree makes.
    pub fn of_node<T>(&self, node: &'t T) -> Option<ScopeId> {
        self.by_node.get(&TreeNode::from(node)).copied()
    }
}

/// A node of the tree, known by where it is in memory. It borrows the tree, which so can neither move nor be freed while the
/// node is a key: no other node gets its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TreeNode<'t> {
    node: *const (),
    tree: PhantomData<&'t ast::Stmt>,
}

impl<'t, T> From<&'t T> for TreeNode<'t> {
    fn from(node: &'t T) -> Self {
        Self { node: std::ptr::from_ref(node).cast(), tree: PhantomData }
    }
}

fn refuse(text: &Text, at: TextSize, message: impl Into<String>) -> PythonError {
    text.error(ErrorKind::SyntaxError, Stage::Compile, at.to_usize(), message)
}
