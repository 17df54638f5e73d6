//! Imports: of what is there natively, of what only CPython has (T130), of what reaches outside (T131), and slips (T103).

use tpv_front::syntax::ast::{StmtImport, StmtImportFrom};
use tpv_front::syntax::text_size::TextRange;

use super::attributes::{names_in, nearest};
use super::bindings;
use super::block::Checker;
use super::cpython::WITH_CPYTHON;
use super::types::Type;
use crate::checker::stubs::{Member, Names, model};
use tpv_runtime::mapper::inventory::Inventory;
use tpv_text::code::Code;

/// The verdict on a module that does not exist natively.
enum Verdict {
    /// CPython's standard library has it.
    Standard,
    /// It comes with Galaxy.
    WithGalaxy,
    /// It is most likely a slip for this one.
    Slip(String),
    /// Sites may have installed it.
    Unknown,
}

impl<'a> Checker<'a> {
    /// `import module`
    pub(super) fn import(&mut self, node: &'a StmtImport) {
        for alias in &node.names {
            let name = match &alias.asname {
                Some(name) => name.as_str(),
                None => bindings::first(&alias.name),
            };
            let module = if alias.asname.is_some() { alias.name.as_str() } else { name };
            self.judge_module(&alias.name, &[], alias.range);
            self.bind(name, Type::Module(module.into()));
        }
    }

    /// `from module import name`
    pub(super) fn import_from(&mut self, node: &'a StmtImportFrom) {
        let module = node.module.as_ref().map_or("", |module| module.as_str());
        let is_relative = node.level.is_some_and(|level| level.to_u32() > 0);
        let is_judged = !is_relative && module != "__future__";
        let names: Vec<String> = node.names.iter().map(|alias| alias.name.to_string()).collect();
        let is_there = is_judged && self.judge_module(module, &names, node.range);
        for alias in &node.names {
            let ty =
                if alias.name.as_str() == "*" || !is_judged { Type::Any } else { self.imported(module, &alias.name) };
            if is_there && alias.name.as_str() != "*" {
                self.judge_name(module, &alias.name, alias.range);
            }
            self.bind(alias.asname.as_ref().unwrap_or(&alias.name), ty);
        }
    }

    /// The type of what `from module import name` binds.
    fn imported(&mut self, module: &str, name: &str) -> Type {
        let full = format!("{module}.{name}");
        if self.native(|native| native.has_module(&full)) {
            return Type::Module(full.into());
        }
        if let Some((module, members)) = model().modules.get_key_value(module) {
            match members.known.get_key_value(name) {
                Some((name, Member::Function(_))) => return Type::Function(module, name),
                Some((_, Member::Value(ty))) => return ty.clone(),
                None => {}
            }
        }
        if self.is_class(module, name) { Type::Object(format!("{module}:{name}").into()) } else { Type::Any }
    }

    /// Judges the import of a module, or of names of it; tells whether it is there.
    fn judge_module(&mut self, module: &str, names: &[String], range: TextRange) -> bool {
        if self.native(|native| native.has_module(module)) {
            // `from galaxy import jobs` names what is meant.
            if names.is_empty() || module != "galaxy" {
                self.uses_live_module(module);
            }
            if Inventory::reaches_outside(module, names) {
                self.reaches_outside(module, range);
            }
            return true;
        }
        // CPython imports whatever a site has.
        self.needs_cpython(format!("it imports `{module}`"));
        let missing = format!("tpvc has no module `{module}`");
        let raised = "ModuleNotFoundError";
        let other = "`tpvc explain-code T130` lists the modules that compiled rules can use";
        match verdict(module) {
            Verdict::Standard | Verdict::WithGalaxy => self.lacked(range, missing, raised, other),
            // Where its absence is caught, a name like another's may well be a site's own.
            Verdict::Slip(near) if !self.catches(raised) => {
                let label = "raises `ModuleNotFoundError`, here and in Galaxy";
                self.fault(Code::UnknownName, range, format!("no module `{module}`"), label);
                self.help(format!("did you mean `{near}`?"));
            }
            Verdict::Slip(_) | Verdict::Unknown => {
                self.lacked(range, missing, raised, other);
                self.note("inside Galaxy, CPython runs the block and imports the installed module");
            }
        }
        false
    }

    fn reaches_outside(&mut self, module: &str, range: TextRange) {
        self.needs_cpython(format!("it imports `{module}`"));
        let label = "outside Galaxy, every call to it raises `HostUnavailable`";
        self.fault(Code::AsksLiveServer, range, format!("`{module}` reaches outside"), label);
        self.note(WITH_CPYTHON);
        self.help("catch it with `except Exception`, and set there where these jobs go");
    }

    /// Judges a name that is imported from a module that is there.
    fn judge_name(&mut self, module: &str, name: &str, range: TextRange) {
        let full = format!("{module}.{name}");
        if Inventory::reaches_outside(&full, &[]) {
            self.reaches_outside(&full, range);
        }
        let is_there = self.native(|native| native.has_at(&[module], name)) == Some(true)
            || self.native(|native| native.has_module(&full));
        if is_there {
            self.uses_live_module(&full);
            self.uses_live_name(module, name);
            return;
        }
        self.needs_cpython(format!("it imports `{full}`"));
        let (names, inside) = (names_in(module), model().list(module));
        if names.is_empty() || names.contains(name) || inside.contains(name) || name.starts_with('_') {
            let message = format!("tpvc's module `{module}` has no `{name}`");
            let other = "`tpvc explain-code T130` says what there is instead";
            self.lacked(range, message, "ImportError", other);
            return;
        }
        if self.catches("ImportError") {
            return;
        }
        let label = "raises `ImportError`, here and in Galaxy";
        self.fault(Code::UnknownName, range, format!("the module `{module}` has no `{name}`"), label);
        if full == "tpv.core.entities.TagSetManager" {
            self.help("TPV 2 has it: set `tpv = \"2.5\"` if the server runs it; since TPV 3 it is `SchedulingTags`");
            return;
        }
        match nearest(name, names.iter().chain(inside.iter())) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self.help("check the name against the module's documentation"),
        }
    }
}

/// The verdict on a module that does not exist natively.
fn verdict(module: &str) -> Verdict {
    let top = bindings::first(module);
    let (standard, with_galaxy) = (model().list("stdlib"), model().list("installed"));
    // Of a few packages the modules inside are known.
    let mut parent = String::new();
    for part in module.split('.') {
        let inside = if parent.is_empty() { Names::default() } else { model().list(&parent) };
        if !inside.is_empty() && !inside.contains(part) {
            return match nearest(part, inside.iter()) {
                Some(near) => Verdict::Slip(format!("{parent}.{near}")),
                None => Verdict::Unknown,
            };
        }
        parent = if parent.is_empty() { part.to_owned() } else { format!("{parent}.{part}") };
    }
    if standard.contains(top) {
        return Verdict::Standard;
    }
    if with_galaxy.contains(top) {
        return Verdict::WithGalaxy;
    }
    let others = model().list("others");
    if others.contains(top) {
        return Verdict::Unknown;
    }
    match nearest(top, standard.iter().chain(with_galaxy.iter()).chain(others.iter())) {
        // Short names have neighbours that mean something else; of a longer name only the plural is a slip.
        Some(near) if top.len() > 3 && longer(top, near).is_none_or(|rest| rest == "s") => {
            Verdict::Slip(module.replacen(top, near, 1))
        }
        _ => Verdict::Unknown,
    }
}

/// The rest of one name after the other.
fn longer<'a>(one: &'a str, other: &'a str) -> Option<&'a str> {
    one.strip_prefix(other).or_else(|| other.strip_prefix(one))
}
