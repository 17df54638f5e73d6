//! Marks the blocks that CPython runs where there is one.

use std::collections::HashMap;

use tpv_bytecode::{NeedsCpython, ProgramData};

/// A reason to leave a block to CPython.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    /// The reason, after "because".
    pub reason: String,
    /// `true` if that holds only when Galaxy's objects are live.
    pub only_live: bool,
}

/// Marks root codes, each with its reason.
pub(crate) fn mark_for_cpython(program: &mut ProgramData, needs: impl IntoIterator<Item = (u32, Need)>) {
    // Most blocks of a config that need CPython need it for the same few reasons.
    let mut reasons: HashMap<String, u32> = HashMap::new();
    let mut needs: Vec<(u32, Need)> = needs.into_iter().collect();
    needs.sort_by_key(|(root, _)| *root);
    for (root, need) in needs {
        let Need { reason, only_live } = need;
        let strings = &mut program.strings;
        let reason = *reasons.entry(reason).or_insert_with_key(|reason| {
            strings.push(reason.clone());
            u32::try_from(strings.len() - 1).unwrap_or(u32::MAX)
        });
        if let Some(code) = program.codes.get_mut(root as usize) {
            code.cpython = Some(NeedsCpython { reason, only_live });
        }
    }
}
