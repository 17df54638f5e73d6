//! The tags that code adds: a finding about all jobs must know every one of them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::convert::Infallible;

use tpv_compiler::python::syntax::ast::{Arguments, Constant, Expr, ExprCall, Operator, Stmt};

use tpv_compiler::checker::{parse, sites};
use tpv_compiler::python::walk::{self, Part};
use tpv_config::Config;
use tpv_model::{EntityClass, TagType};

use super::destinations_in_code::changes_destinations;

/// The effects of code on a job's tags before destinations are matched.
#[derive(Clone, Debug, Default)]
pub(crate) struct TagsInCode {
    /// The names that it writes out.
    pub names: BTreeSet<String>,
    /// `true` if it adds tags whose names are not in it.
    pub is_open: bool,
    /// `true` if it changes tags at all, so that a job may lose those of its entities.
    pub changes: bool,
    /// The kinds of the tags that it combines with those of the job, if it changes tags in no other way: no tag gets lost.
    pub combines: Option<Vec<TagType>>,
    /// `true` if it may change destinations.
    pub changes_destinations: bool,
}

/// Words in code that names tags or destinations, or can reach them by other names.
const MENTIONS: [&str; 10] =
    ["tag", "require", "mapper", "destinations", "setattr", "__dict__", "vars(", "exec(", "eval(", "import "];

/// The lists of tags.
const LISTS: [&str; 4] = ["require", "prefer", "accept", "reject"];

/// Methods that put their arguments into a list or a set.
const ADDING: [&str; 6] = ["append", "extend", "insert", "add", "update", "add_tag_override"];

/// Methods that take something away.
const REMOVING: [&str; 5] = ["remove", "pop", "clear", "discard", "add_tag_override"];

/// Functions that give what their arguments hold.
const KEEPING: [&str; 12] = [
    "list",
    "set",
    "tuple",
    "sorted",
    "filter",
    "SchedulingTags",
    "Tag",
    "frozenset",
    "reversed",
    "dict",
    "deepcopy",
    "copy",
];

/// Methods that give what their object and arguments hold.
const COMBINING: [&str; 12] = [
    "combine",
    "inherit",
    "filter",
    "all_tag_values",
    "copy",
    "deepcopy",
    "union",
    "difference",
    "intersection",
    "get",
    "model_copy",
    "values",
];

/// Modules without functions that change an entity.
const MODULES: [&str; 24] = [
    "tpv",
    "galaxy",
    "random",
    "os",
    "re",
    "math",
    "json",
    "datetime",
    "functools",
    "itertools",
    "logging",
    "typing",
    "pathlib",
    "sys",
    "numbers",
    "collections",
    "packaging",
    "sqlalchemy",
    "requests",
    "psycopg2",
    "time",
    "copy",
    "string",
    "ruamel",
];

/// Looks at all code that runs before destinations are matched. `rank` runs after, as do the rules of destinations.
pub(super) fn collect(config: &Config) -> TagsInCode {
    let mut out = TagsInCode::default();
    for site in sites::collect(config) {
        let text = site.text.as_str();
        if !MENTIONS.iter().any(|part| text.contains(part)) {
            continue;
        }
        let Some(parsed) = parse(&site) else { continue };
        let block = of_block(&parsed.body);
        out.changes_destinations |= block.changes_destinations;
        if matches!(site.property, "rank" | "fail") || site.kind_of_owner() == EntityClass::Destination {
            continue;
        }
        out.changes |= block.changes;
        out.is_open |= block.is_open;
        out.names.extend(block.names);
    }
    out
}

/// The possible effects of one block on a job's tags.
pub(crate) fn of_block(body: &[Stmt]) -> TagsInCode {
    let mut block = Block::default();
    body.iter().for_each(|statement| block.stmt(statement));
    let mut values = Values { assigned: &block.assigned, names: BTreeSet::new(), seen: HashSet::new() };
    let is_bounded = block.written.iter().all(|value| values.is_bounded(value));
    let only_combines = !block.is_open && !block.removes && block.written.len() == block.combined.len();
    TagsInCode {
        names: values.names,
        is_open: block.is_open || !is_bounded,
        changes: block.is_open || block.removes || !block.written.is_empty(),
        combines: only_combines.then(|| block.combined.clone()),
        changes_destinations: changes_destinations(body),
    }
}

/// The uses of tags in a block.
#[derive(Default)]
struct Block<'a> {
    /// The expressions written into tags.
    written: Vec<&'a Expr>,
    /// The values that a name may have; `None` for one that comes from outside.
    assigned: HashMap<&'a str, Vec<Option<&'a Expr>>>,
    /// The kinds of those that are combined with the job's.
    combined: Vec<TagType>,
    is_open: bool,
    removes: bool,
}

impl<'a> Block<'a> {
    fn part(&mut self, part: Part<'a>) {
        match part {
            Part::Expr(node) => self.expr(node),
            Part::Stmt(node) => self.stmt(node),
            Part::Pattern(_) => self.is_open = true,
        }
    }

    fn stmt(&mut self, node: &'a Stmt) {
        match node {
            Stmt::Assign(node) => node.targets.iter().for_each(|target| self.assign(target, Some(&node.value))),
            Stmt::AnnAssign(node) => self.assign(&node.target, node.value.as_deref()),
            Stmt::AugAssign(node) => {
                self.assign(&node.target, Some(&node.value));
                // A list that is another name for the tags grows in place.
                if matches!(&*node.target, Expr::Name(_)) && matches!(node.op, Operator::Add | Operator::BitOr) {
                    self.written.push(&node.value);
                }
            }
            Stmt::For(node) => self.assign(&node.target, Some(&node.iter)),
            Stmt::With(node) => {
                node.items
                    .iter()
                    .filter_map(|item| item.optional_vars.as_deref())
                    .for_each(|name| self.assign(name, None));
            }
            Stmt::FunctionDef(node) => self.parameters(&node.args),
            Stmt::Delete(_) => self.removes = true,
            Stmt::Import(node) => node.names.iter().for_each(|name| self.module(&name.name)),
            Stmt::ImportFrom(node) => self.module(node.module.as_ref().map_or("", |name| name.as_str())),
            _ => {}
        }
        let Ok(()) = walk::statement(node, &mut |part| {
            self.part(part);
            Ok::<(), Infallible>(())
        });
    }

    fn module(&mut self, name: &str) {
        let root = name.split('.').next().unwrap_or("");
        self.is_open |= !MODULES.contains(&root);
    }

    fn parameters(&mut self, arguments: &'a Arguments) {
        let listed = arguments.posonlyargs.iter().chain(&arguments.args).chain(&arguments.kwonlyargs);
        for argument in listed {
            self.assigned.entry(argument.def.arg.as_str()).or_default().push(None);
        }
    }

    /// Records what is assigned to a target.
    fn assign(&mut self, target: &'a Expr, value: Option<&'a Expr>) {
        match target {
            Expr::Name(node) => self.assigned.entry(node.id.as_str()).or_default().push(value),
            Expr::Tuple(node) => node.elts.iter().for_each(|part| self.assign(part, value)),
            Expr::List(node) => node.elts.iter().for_each(|part| self.assign(part, value)),
            Expr::Starred(node) => self.assign(&node.value, value),
            Expr::Attribute(own)
                if let Some(added) = value.and_then(|value| combined(&own.attr, &own.value, value)) =>
            {
                for (kind, value) in added {
                    self.written.push(value);
                    self.combined.push(kind);
                }
            }
            Expr::Attribute(_) | Expr::Subscript(_) if names_tags(target) => {
                self.removes = true;
                match value {
                    Some(value) => self.written.push(value),
                    None => self.is_open = true,
                }
            }
            _ => {}
        }
    }

    fn expr(&mut self, node: &'a Expr) {
        match node {
            Expr::NamedExpr(node) => self.assign(&node.target, Some(&node.value)),
            Expr::Lambda(node) => self.parameters(&node.args),
            Expr::ListComp(node) => node.generators.iter().for_each(|part| self.assign(&part.target, Some(&part.iter))),
            Expr::SetComp(node) => node.generators.iter().for_each(|part| self.assign(&part.target, Some(&part.iter))),
            Expr::DictComp(node) => node.generators.iter().for_each(|part| self.assign(&part.target, Some(&part.iter))),
            Expr::GeneratorExp(node) => {
                node.generators.iter().for_each(|part| self.assign(&part.target, Some(&part.iter)));
            }
            Expr::Attribute(node) if node.attr.as_str() == "__dict__" => self.is_open = true,
            Expr::Call(node) => self.call(node),
            _ => {}
        }
        let Ok(()) = walk::expression(node, &mut |part| {
            self.part(part);
            Ok::<(), Infallible>(())
        });
    }

    fn call(&mut self, node: &'a ExprCall) {
        let arguments = || node.args.iter().chain(node.keywords.iter().map(|keyword| &keyword.value));
        match &*node.func {
            Expr::Name(name) => match name.id.as_str() {
                "exec" | "eval" | "vars" | "globals" | "locals" | "compile" | "__import__" => self.is_open = true,
                "setattr" => self.set_attribute(&node.args),
                _ => {}
            },
            Expr::Attribute(method) => {
                let name = method.attr.as_str();
                if name == "__setattr__" {
                    self.set_attribute(&node.args);
                } else if ADDING.contains(&name) {
                    // The list may have got another name before, so the object does not matter.
                    self.written.extend(arguments());
                }
                self.removes |= REMOVING.contains(&name);
            }
            _ => {}
        }
    }

    /// `setattr(entity, 'cores', 4)` does not touch tags, `setattr(entity, name, value)` may. It is TPV that runs it.
    fn set_attribute(&mut self, arguments: &'a [Expr]) {
        let name = arguments.iter().rev().nth(1).and_then(constant);
        match (name, arguments.last()) {
            (Some(name), Some(value)) if is_of_tags(name) => self.written.push(value),
            (Some(_), _) => {}
            (None, _) => self.is_open = true,
        }
    }
}

/// The lists in `entity.tpv_tags = entity.tpv_tags.combine(SchedulingTags(require=[...]))`, with their kinds. `None` of any other assignment to the
/// attribute `name` of `object`.
fn combined<'a>(name: &str, object: &Expr, value: &'a Expr) -> Option<Vec<(TagType, &'a Expr)>> {
    let (Expr::Name(object), Expr::Call(call)) = (object, value) else { return None };
    let (Expr::Attribute(method), [Expr::Call(made)]) = (&*call.func, call.args.as_slice()) else { return None };
    let Expr::Attribute(of) = &*method.value else { return None };
    let is_same = matches!(&*of.value, Expr::Name(owner) if owner.id == object.id);
    let is_made = matches!(&*made.func, Expr::Name(name) if name.id.as_str() == "SchedulingTags");
    if name != "tpv_tags" || of.attr.as_str() != name || method.attr.as_str() != "combine" || !is_same || !is_made {
        return None;
    }
    let kind = |name: &str| TagType::APPLICATION.into_iter().find(|kind| kind.field() == name);
    let lists = made.keywords.iter().map(|keyword| Some((kind(keyword.arg.as_deref()?)?, &keyword.value)));
    lists.collect::<Option<Vec<_>>>().filter(|_| made.args.is_empty() && call.keywords.is_empty())
}

fn is_of_tags(attribute: &str) -> bool {
    LISTS.contains(&attribute) || matches!(attribute, "tpv_tags" | "tpv_dest_tags")
}

/// Returns `true` if a target is tags, or a part of them.
fn names_tags(target: &Expr) -> bool {
    match target {
        Expr::Attribute(node) => is_of_tags(&node.attr) || names_tags(&node.value),
        Expr::Subscript(node) => names_tags(&node.value),
        Expr::Call(node) => names_tags(&node.func),
        _ => false,
    }
}

/// Returns `true` if an attribute of this name is on the path to a value.
fn mentions(node: &Expr, attribute: &str) -> bool {
    match node {
        Expr::Attribute(node) => node.attr.as_str() == attribute || mentions(&node.value, attribute),
        Expr::Subscript(node) => mentions(&node.value, attribute),
        Expr::Call(node) => mentions(&node.func, attribute),
        _ => false,
    }
}

fn constant(node: &Expr) -> Option<&str> {
    match node {
        Expr::Constant(node) => node.value.as_str().map(String::as_str),
        _ => None,
    }
}

/// Finds whether the texts in a value are written out in the block, or are tags already.
struct Values<'b, 'a> {
    assigned: &'b HashMap<&'a str, Vec<Option<&'a Expr>>>,
    /// The texts.
    names: BTreeSet<String>,
    /// The names that are being looked at, or were.
    seen: HashSet<&'a str>,
}

impl<'a> Values<'_, 'a> {
    fn all(&mut self, nodes: impl IntoIterator<Item = &'a Expr>) -> bool {
        nodes.into_iter().all(|node| self.is_bounded(node))
    }

    fn is_bounded(&mut self, node: &'a Expr) -> bool {
        match node {
            Expr::Constant(node) => {
                if let Constant::Str(text) = &node.value {
                    self.names.insert(text.clone());
                }
                true
            }
            Expr::List(node) => self.all(&node.elts),
            Expr::Tuple(node) => self.all(&node.elts),
            Expr::Set(node) => self.all(&node.elts),
            Expr::Dict(node) => self.all(node.keys.iter().flatten()) && self.all(&node.values),
            Expr::Starred(node) => self.is_bounded(&node.value),
            Expr::BoolOp(node) => self.all(&node.values),
            Expr::IfExp(node) => self.is_bounded(&node.body) && self.is_bounded(&node.orelse),
            Expr::NamedExpr(node) => self.is_bounded(&node.value),
            Expr::Compare(_) | Expr::UnaryOp(_) => true,
            Expr::BinOp(node) => {
                let is_list = is_list(&node.left) || is_list(&node.right);
                is_list && self.is_bounded(&node.left) && self.is_bounded(&node.right)
            }
            Expr::JoinedStr(node) => {
                node.values.iter().all(|part| matches!(part, Expr::Constant(_))) && self.all(&node.values)
            }
            // What the names of the generators hold is looked for at their uses.
            Expr::ListComp(node) => self.is_bounded(&node.elt),
            Expr::SetComp(node) => self.is_bounded(&node.elt),
            Expr::GeneratorExp(node) => self.is_bounded(&node.elt),
            Expr::Subscript(node) => self.is_bounded(&node.value),
            Expr::Attribute(node) => self.attribute(&node.attr, &node.value),
            Expr::Call(node) => self.call(node),
            Expr::Name(node) => self.name(node.id.as_str()),
            _ => false,
        }
    }

    fn name(&mut self, name: &'a str) -> bool {
        let Some(values) = self.assigned.get(name) else { return false };
        if !self.seen.insert(name) {
            return true;
        }
        values.iter().all(|value| value.is_some_and(|value| self.is_bounded(value)))
    }

    fn attribute(&mut self, name: &str, object: &'a Expr) -> bool {
        match object {
            Expr::Name(module) if module.id.as_str() == "TagType" => true,
            // The tags of a destination are not those of a job.
            _ if mentions(object, "tpv_dest_tags") || name == "tpv_dest_tags" => false,
            _ if name == "tpv_tags" || mentions(object, "tpv_tags") => true,
            _ if name == "value" || LISTS.contains(&name) => self.is_bounded(object),
            _ => false,
        }
    }

    fn call(&mut self, node: &'a ExprCall) -> bool {
        let function = match &*node.func {
            Expr::Name(name) => KEEPING.contains(&name.id.as_str()),
            Expr::Attribute(method) => {
                let (name, object) = (method.attr.as_str(), &*method.value);
                let is_module = matches!(object, Expr::Name(name) if name.id.as_str() == "copy");
                (KEEPING.contains(&name) && is_module) || (COMBINING.contains(&name) && self.is_bounded(object))
            }
            _ => false,
        };
        function && self.all(&node.args) && self.all(node.keywords.iter().map(|keyword| &keyword.value))
    }
}

/// Returns `true` if a value is certainly a list or a set, so that `+` and `-` create no new texts.
fn is_list(node: &Expr) -> bool {
    match node {
        Expr::List(_) | Expr::Set(_) | Expr::Tuple(_) | Expr::ListComp(_) | Expr::SetComp(_) => true,
        Expr::Attribute(node) => LISTS.contains(&node.attr.as_str()),
        Expr::BoolOp(node) => node.values.iter().any(is_list),
        Expr::Call(node) => {
            matches!(&*node.func, Expr::Name(name) if matches!(name.id.as_str(), "list" | "set" | "sorted"))
        }
        _ => false,
    }
}
