//! `import` and `from ... import`.

use crate::syntax::ast;
use tpv_bytecode::Instr;

use super::{Compiler, Done};

impl<'a> Compiler<'a> {
    pub(super) fn import(&mut self, node: &'a ast::StmtImport) -> Done {
        for alias in &node.names {
            self.at(alias.range.start());
            let name = self.string_constant(&alias.name);
            let leaf = alias.asname.is_some();
            self.emit(Instr::ImportName { name, leaf })?;
            let top = alias.name.split('.').next().unwrap_or(&alias.name);
            self.store_name(alias.asname.as_ref().map_or(top, |name| name.as_str()))?;
        }
        Ok(())
    }

    pub(super) fn import_from(&mut self, node: &'a ast::StmtImportFrom) -> Done {
        let module = node.module.as_ref().map_or("", |name| name.as_str());
        if module == "__future__" {
            return self.future(node);
        }
        let name = self.string_constant(module);
        self.emit(Instr::ImportName { name, leaf: true })?;
        for alias in &node.names {
            self.at(alias.range.start());
            let name = self.name_index(&alias.name);
            self.emit(Instr::ImportFrom { name })?;
            self.store_name(alias.asname.as_ref().unwrap_or(&alias.name))?;
        }
        self.emit(Instr::Pop)
    }

    /// `from __future__ import ...`: all features of CPython 3.11 are in force anyway or change nothing here.
    fn future(&mut self, node: &'a ast::StmtImportFrom) -> Done {
        const FEATURES: [&str; 10] = [
            "nested_scopes",
            "generators",
            "division",
            "absolute_import",
            "with_statement",
            "print_function",
            "unicode_literals",
            "barry_as_FLUFL",
            "generator_stop",
            "annotations",
        ];
        let at = node.range.start();
        if node.range.end() > self.future_end {
            return self.refuse(at, "from __future__ imports must occur at the beginning of the file");
        }
        for alias in &node.names {
            match alias.name.as_str() {
                "braces" => return self.refuse(at, "not a chance"),
                name if !FEATURES.contains(&name) => {
                    return self.refuse(at, format!("future feature {name} is not defined"));
                }
                _ => {}
            }
        }
        // DIFFERENCE: CPython binds each name to a `__future__._Feature`; here nothing is bound.
        Ok(())
    }
}
