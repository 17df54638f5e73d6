//! From what each scope does with its names to what each name means there.

use std::collections::HashSet;

use super::{Meaning, ScopeId, ScopeKind, Scopes, refuse};
use crate::error::PythonError;
use crate::parse::Text;

/// Decides all names of all scopes.
pub(super) fn analyze(scopes: &mut Scopes<'_>, text: &Text) -> Result<(), PythonError> {
    scope(scopes, Scopes::ROOT, &HashSet::new(), text)?;
    Ok(())
}

/// Decides the names of a scope and of those inside it; `bound` are the variables of the functions around it. Gives the
/// names that the scope takes from them.
fn scope(
    scopes: &mut Scopes<'_>,
    id: ScopeId,
    bound: &HashSet<String>,
    text: &Text,
) -> Result<Vec<String>, PythonError> {
    let Some(scope) = scopes.scopes.get_mut(id) else { return Ok(Vec::new()) };
    let kind = scope.kind;
    let mut inner_bound = bound.clone();
    let mut free: Vec<String> = Vec::new();
    for (name, uses) in &scope.symbols {
        let meaning = if uses.global {
            inner_bound.remove(name);
            Meaning::Global
        } else if uses.nonlocal {
            if !bound.contains(name) {
                return Err(refuse(text, uses.declared_at, format!("no binding for nonlocal '{name}' found")));
            }
            Meaning::Free
        } else if uses.bound || uses.parameter {
            match kind {
                ScopeKind::Module => Meaning::Global,
                _ => {
                    inner_bound.insert(name.clone());
                    Meaning::Local
                }
            }
        } else if bound.contains(name) {
            Meaning::Free
        } else {
            Meaning::Global
        };
        if meaning == Meaning::Free {
            free.push(name.clone());
        }
        scope.meanings.insert(name.clone(), meaning);
    }
    let children = scope.children.clone();
    let mut wanted: Vec<String> = Vec::new();
    for child in children {
        wanted.extend(self::scope(scopes, child, &inner_bound, text)?);
    }
    let Some(scope) = scopes.scopes.get_mut(id) else { return Ok(free) };
    for name in wanted {
        match scope.meanings.get(&name) {
            Some(Meaning::Local | Meaning::Cell) => {
                scope.cells.insert(name.clone());
                scope.meanings.insert(name, Meaning::Cell);
            }
            Some(Meaning::Free) => {}
            _ => {
                scope.meanings.insert(name.clone(), Meaning::Free);
                free.push(name);
            }
        }
    }
    scope.free = free.iter().cloned().collect();
    Ok(scope.free.iter().cloned().collect())
}
