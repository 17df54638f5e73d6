//! `match`: patterns as jumps over hidden local variables.
//!
//! What a pattern captures waits in hidden variables until the whole pattern matches, as CPython keeps it on the stack.
//! What no instruction asks (is it a sequence, a mapping, of this class) hidden builtins answer, whose names start with a
//! dot, so that no config can hide or call them.

use indexmap::IndexMap;
use rustpython_parser::ast::{self, Expr, Identifier, Pattern, Ranged};
use rustpython_parser::text_size::TextSize;
use tpv_runtime::bytecode::{CompareOp, Const, Instr};

use super::expression::{constant, count};
use super::{Compiler, Done};
use crate::python::assemble::Label;
use crate::python::fold;

/// The hidden variables of what a pattern captures, by name.
type Captures = IndexMap<String, u32>;

impl<'a> Compiler<'a> {
    pub(super) fn match_statement(&mut self, node: &'a ast::StmtMatch) -> Done {
        self.expression(&node.subject)?;
        let subject = self.hidden();
        self.emit(Instr::StoreFast { slot: subject })?;
        let end = self.label();
        for (index, case) in node.cases.iter().enumerate() {
            if index + 1 < node.cases.len() && case.guard.is_none() {
                self.refutable(&case.pattern)?;
            }
            let fail = self.label();
            let mut captures = Captures::new();
            self.pattern(&case.pattern, subject, fail, &mut captures)?;
            for (name, slot) in captures {
                self.emit(Instr::LoadFast { slot })?;
                self.store_name(&name)?;
            }
            if let Some(guard) = &case.guard {
                self.jump_if(guard, false, fail)?;
            }
            self.statements(&case.body)?;
            self.jump(end)?;
            self.place_label(fail);
        }
        self.place_label(end);
        Ok(())
    }

    /// A new hidden local variable.
    fn hidden(&mut self) -> u32 {
        let name = format!(".match{}", self.unit.locals.len());
        self.unit.slot(&name)
    }

    /// Refuses a pattern that matches everything where more patterns follow.
    fn refutable(&self, pattern: &Pattern) -> Done {
        match pattern {
            Pattern::MatchAs(node) => match (&node.pattern, &node.name) {
                (Some(inner), _) => self.refutable(inner),
                (None, None) => self.refuse(node.range.start(), "wildcard makes remaining patterns unreachable"),
                (None, Some(name)) => self
                    .refuse(node.range.start(), format!("name capture '{name}' makes remaining patterns unreachable")),
            },
            Pattern::MatchOr(node) => node.patterns.last().map_or(Ok(()), |last| self.refutable(last)),
            _ => Ok(()),
        }
    }

    /// Goes to `fail` where the hidden variable does not match the pattern.
    fn pattern(&mut self, pattern: &'a Pattern, subject: u32, fail: Label, captures: &mut Captures) -> Done {
        self.at(pattern.start());
        match pattern {
            Pattern::MatchValue(node) => {
                self.emit(Instr::LoadFast { slot: subject })?;
                self.expression(&node.value)?;
                self.emit(Instr::Compare { op: CompareOp::Eq })?;
                self.emit(Instr::PopJumpIfFalse { target: fail.target() })
            }
            Pattern::MatchSingleton(node) => {
                self.emit(Instr::LoadFast { slot: subject })?;
                let value = constant(self.program, &node.value).unwrap_or(Const::None);
                self.constant(value)?;
                self.emit(Instr::Is { invert: false })?;
                self.emit(Instr::PopJumpIfFalse { target: fail.target() })
            }
            Pattern::MatchAs(node) => {
                if let Some(inner) = &node.pattern {
                    self.pattern(inner, subject, fail, captures)?;
                }
                self.capture(node.name.as_ref(), subject, node.range.start(), captures)
            }
            Pattern::MatchStar(node) => self.capture(node.name.as_ref(), subject, node.range.start(), captures),
            Pattern::MatchSequence(node) => self.sequence(node, subject, fail, captures),
            Pattern::MatchMapping(node) => self.mapping(node, subject, fail, captures),
            Pattern::MatchClass(node) => self.class_pattern(node, subject, fail, captures),
            Pattern::MatchOr(node) => self.alternatives(node, subject, fail, captures),
        }
    }

    fn capture(&mut self, name: Option<&Identifier>, subject: u32, at: TextSize, captures: &mut Captures) -> Done {
        let Some(name) = name else { return Ok(()) };
        if captures.contains_key(name.as_str()) {
            return self.refuse(at, format!("multiple assignments to name '{name}' in pattern"));
        }
        let slot = self.hidden();
        captures.insert(name.to_string(), slot);
        self.emit(Instr::LoadFast { slot: subject })?;
        self.emit(Instr::StoreFast { slot })
    }

    fn alternatives(
        &mut self,
        node: &'a ast::PatternMatchOr,
        subject: u32,
        fail: Label,
        captures: &mut Captures,
    ) -> Done {
        let matched = self.label();
        let mut bound: Option<Captures> = None;
        for (index, pattern) in node.patterns.iter().enumerate() {
            let last = index + 1 == node.patterns.len();
            if !last {
                self.refutable(pattern)?;
            }
            let next = if last { fail } else { self.label() };
            let mut own = Captures::new();
            self.pattern(pattern, subject, next, &mut own)?;
            match &bound {
                None => bound = Some(own),
                Some(bound) => {
                    let same = bound.len() == own.len() && own.keys().all(|name| bound.contains_key(name));
                    if !same {
                        return self.refuse(node.range.start(), "alternative patterns bind different names");
                    }
                    for (name, slot) in &own {
                        if let Some(shared) = bound.get(name) {
                            self.emit(Instr::LoadFast { slot: *slot })?;
                            self.emit(Instr::StoreFast { slot: *shared })?;
                        }
                    }
                }
            }
            if !last {
                self.jump(matched)?;
                self.place_label(next);
            }
        }
        self.place_label(matched);
        for (name, slot) in bound.unwrap_or_default() {
            if captures.insert(name.clone(), slot).is_some() {
                return self.refuse(node.range.start(), format!("multiple assignments to name '{name}' in pattern"));
            }
        }
        Ok(())
    }

    /// Calls a hidden builtin with what `arguments` pushes.
    fn ask(&mut self, builtin: &str, argc: u32, arguments: impl FnOnce(&mut Self) -> Done) -> Done {
        let name = self.name_index(builtin);
        self.emit(Instr::LoadName { name })?;
        arguments(self)?;
        self.emit(Instr::Call { argc })
    }

    fn sequence(
        &mut self,
        node: &'a ast::PatternMatchSequence,
        subject: u32,
        fail: Label,
        captures: &mut Captures,
    ) -> Done {
        let is_star = |pattern: &&Pattern| matches!(pattern, Pattern::MatchStar(_));
        let star = node.patterns.iter().position(|pattern| is_star(&pattern));
        if node.patterns.iter().filter(is_star).count() > 1 {
            return self.refuse(node.range.start(), "multiple starred names in sequence pattern");
        }
        let least = node.patterns.len() - usize::from(star.is_some());
        self.ask(".match_sequence", 3, |this| {
            this.emit(Instr::LoadFast { slot: subject })?;
            this.constant(Const::Int(i64::try_from(least).unwrap_or(i64::MAX)))?;
            this.constant(Const::Bool(star.is_none()))
        })?;
        self.emit(Instr::PopJumpIfFalse { target: fail.target() })?;
        let unpack = match star {
            None => Instr::Unpack { count: count(&node.patterns) },
            Some(at) => {
                let (before, after) = node.patterns.split_at_checked(at).unwrap_or_default();
                Instr::UnpackEx { before: count(before), after: count(after).saturating_sub(1) }
            }
        };
        self.unpack_into(&node.patterns, subject, unpack, fail, captures)
    }

    /// Unpacks a hidden variable into new ones, and matches each with its pattern.
    fn unpack_into(
        &mut self,
        patterns: &'a [Pattern],
        subject: u32,
        unpack: Instr,
        fail: Label,
        captures: &mut Captures,
    ) -> Done {
        self.emit(Instr::LoadFast { slot: subject })?;
        self.emit(unpack)?;
        let mut slots = Vec::with_capacity(patterns.len());
        for _ in patterns {
            let slot = self.hidden();
            self.emit(Instr::StoreFast { slot })?;
            slots.push(slot);
        }
        for (pattern, slot) in patterns.iter().zip(slots) {
            self.pattern(pattern, slot, fail, captures)?;
        }
        Ok(())
    }

    fn mapping(
        &mut self,
        node: &'a ast::PatternMatchMapping,
        subject: u32,
        fail: Label,
        captures: &mut Captures,
    ) -> Done {
        for (index, key) in node.keys.iter().enumerate() {
            let same =
                |other: &&Expr| matches!((fold::constant(key), fold::constant(other)), (Some(a), Some(b)) if a == b);
            if node.keys.iter().take(index).any(|other| same(&other)) {
                let text = match fold::constant(key) {
                    Some(ast::Constant::Str(text)) => format!("'{text}'"),
                    _ => self.text.source.get(key.start().to_usize()..key.end().to_usize()).unwrap_or("").to_owned(),
                };
                return self.refuse(node.range.start(), format!("mapping pattern checks duplicate key ({text})"));
            }
        }
        let keys = self.hidden();
        self.each(&node.keys)?;
        self.emit(Instr::BuildTuple { count: count(&node.keys) })?;
        self.emit(Instr::StoreFast { slot: keys })?;
        self.ask_values(".match_mapping", subject, keys, fail)?;
        let values = self.hidden();
        self.emit(Instr::StoreFast { slot: values })?;
        if let Some(rest) = &node.rest {
            let slot = self.hidden();
            self.ask(".match_rest", 2, |this| {
                this.emit(Instr::LoadFast { slot: subject })?;
                this.emit(Instr::LoadFast { slot: keys })
            })?;
            self.emit(Instr::StoreFast { slot })?;
            self.capture(Some(rest), slot, node.range.start(), captures)?;
        }
        self.unpack_into(&node.patterns, values, Instr::Unpack { count: count(&node.patterns) }, fail, captures)
    }

    /// Asks a hidden builtin about two hidden variables; leaves what it gives, or goes to `fail` where that is `None`.
    fn ask_values(&mut self, builtin: &str, subject: u32, other: u32, fail: Label) -> Done {
        self.ask(builtin, 2, |this| {
            this.emit(Instr::LoadFast { slot: subject })?;
            this.emit(Instr::LoadFast { slot: other })
        })?;
        self.fail_if_none(fail)
    }

    /// Goes to `fail` where `None` is on the stack, without it; else leaves what is there.
    fn fail_if_none(&mut self, fail: Label) -> Done {
        let found = self.label();
        self.emit(Instr::Dup)?;
        self.constant(Const::None)?;
        self.emit(Instr::Is { invert: true })?;
        self.emit(Instr::PopJumpIfTrue { target: found.target() })?;
        self.emit(Instr::Pop)?;
        self.jump(fail)?;
        self.place_label(found);
        Ok(())
    }

    fn class_pattern(
        &mut self,
        node: &'a ast::PatternMatchClass,
        subject: u32,
        fail: Label,
        captures: &mut Captures,
    ) -> Done {
        for (index, name) in node.kwd_attrs.iter().enumerate() {
            if node.kwd_attrs.iter().take(index).any(|other| other == name.as_str()) {
                return self.refuse(node.range.start(), format!("attribute name repeated in class pattern: {name}"));
            }
        }
        let names = node.kwd_attrs.iter().map(|name| Const::Str(self.program.string(name))).collect();
        self.ask(".match_class", 4, |this| {
            this.emit(Instr::LoadFast { slot: subject })?;
            this.expression(&node.cls)?;
            this.constant(Const::Int(i64::from(count(&node.patterns))))?;
            this.constant(Const::Tuple(names))
        })?;
        self.fail_if_none(fail)?;
        let values = self.hidden();
        self.emit(Instr::StoreFast { slot: values })?;
        let total = count(&node.patterns) + count(&node.kwd_patterns);
        self.emit(Instr::LoadFast { slot: values })?;
        self.emit(Instr::Unpack { count: total })?;
        let mut slots = Vec::new();
        for _ in 0..total {
            let slot = self.hidden();
            self.emit(Instr::StoreFast { slot })?;
            slots.push(slot);
        }
        for (pattern, slot) in node.patterns.iter().chain(&node.kwd_patterns).zip(slots) {
            self.pattern(pattern, slot, fail, captures)?;
        }
        Ok(())
    }
}
