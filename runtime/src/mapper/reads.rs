//! What a block may change, and what each of its instructions reads: told from its code alone.
//!
//! Most rules ask the same few things: a name of the context, the entity, the roles of the user. Where a run of a block
//! changes nothing, what it gives depends only on what it read, and [`super::memo`] keeps it.
//!
//! The lists here say what is known to be harmless. A run that comes to what is not in them is never kept: so a name that is
//! missing costs time, not an answer.

use crate::artifact::tables::{Limit, Resource};
use crate::bytecode::{Code, Const, Instr, UnaryOp};
use crate::python::builtins;
use crate::python::program::{Name, Program};
use crate::python::vm::Effects;

use super::modules::LOADER_GLOBALS;
use super::worker::Slots;

/// One thing that a block reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A name of the context.
    Slot(usize),
    /// What has no short description: the world, the job's parameters.
    Unknown,
    /// Whether there is a user.
    HasUser,
    /// The user's roles.
    UserRoles,
    /// What else the user is: id, names, preferences.
    User,
    /// The tags of the job's history.
    HistoryTags,
    /// What the world says: it is the same for all jobs that share results.
    App,
    /// The entity's tags.
    EntityTags,
    /// A resource of the entity, not evaluated.
    EntityResource(Resource),
    /// `entity.params.get(name)`, where the name is a string of the program.
    EntityParam(u32),
    /// The tool's id.
    ToolId,
    /// The tool.
    Tool,
    /// The destinations that rank code puts in order.
    Candidates,
    /// Whether the condition of this root code holds, which only computes: what it reads itself is different for each job.
    Condition(u32),
}

/// Builtins that compute, and change nothing.
const BUILTINS: &[&str] = &[
    "abs",
    "all",
    "any",
    "bool",
    "dict",
    "divmod",
    "enumerate",
    "filter",
    "float",
    "format",
    "frozenset",
    "int",
    "isinstance",
    "issubclass",
    "len",
    "list",
    "map",
    "max",
    "min",
    "pow",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
    "ArithmeticError",
    "AttributeError",
    "BaseException",
    "Exception",
    "IndexError",
    "KeyError",
    "LookupError",
    "NameError",
    "OSError",
    "RuntimeError",
    "StopIteration",
    "TypeError",
    "ValueError",
    "ZeroDivisionError",
];

/// Modules with functions that only compute, where code may import from them.
const MODULES: &[&str] = &["fnmatch", "math", "numbers", "re", "string", "tpv.core.entities"];

/// Attributes that hold data beside resources and limits, of entities, tags, users, roles, tools and histories.
const FIELDS: &[&str] = &[
    "ACCEPT",
    "PREFER",
    "REJECT",
    "REQUIRE",
    "TagType",
    "abstract",
    "accept",
    "context",
    "deleted",
    "dest_name",
    "e",
    "email",
    "env",
    "history",
    "id",
    "inf",
    "inherits",
    "name",
    "old_id",
    "params",
    "pi",
    "prefer",
    "reject",
    "require",
    "requires_galaxy_python_environment",
    "roles",
    "runner",
    "tag_type",
    "tags",
    "tool_type",
    "tpv_dest_tags",
    "tpv_tags",
    "user_tname",
    "user_value",
    "username",
    "value",
    "version",
];

/// Methods and functions of modules that only compute, whatever object has them.
const METHODS: &[&str] = &[
    "all_roles",
    "capitalize",
    "casefold",
    "ceil",
    "concurrent_job_count_for_tool",
    "count",
    "difference",
    "endswith",
    "escape",
    "filter",
    "find",
    "findall",
    "floor",
    "fnmatch",
    "format",
    "fullmatch",
    "get",
    "group",
    "groupdict",
    "groups",
    "index",
    "intersection",
    "isalnum",
    "isalpha",
    "isdecimal",
    "isdigit",
    "isdisjoint",
    "islower",
    "isnumeric",
    "isspace",
    "issubset",
    "issuperset",
    "isupper",
    "items",
    "job_args_match",
    "join",
    "keys",
    "log",
    "log10",
    "log2",
    "lower",
    "lstrip",
    "match",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rindex",
    "rpartition",
    "rsplit",
    "rstrip",
    "search",
    "split",
    "splitlines",
    "sqrt",
    "startswith",
    "strip",
    "sub",
    "swapcase",
    "symmetric_difference",
    "tag_values_match",
    "title",
    "tool_version_eq",
    "tool_version_gt",
    "tool_version_gte",
    "tool_version_lt",
    "tool_version_lte",
    "trunc",
    "union",
    "upper",
    "values",
    "zfill",
];

/// Methods of the logger, which do nothing where nobody reads the log.
const LOGGING: &[&str] = &["critical", "debug", "error", "exception", "info", "warning"];

/// Whether an attribute holds data, whatever object has it.
fn is_field(name: &str) -> bool {
    FIELDS.contains(&name) || Resource::from_name(name).is_some() || Limit::from_name(name).is_some()
}

/// The instructions of a root code's block that may change something or read what has no [`Source`]: where a run comes to
/// none of them, what it gives depends only on what it reads. `logs` says whether anybody reads the log. Nothing where there is
/// no such code.
pub(super) fn effects(program: &Program, root: u32, logs: bool) -> Option<Effects> {
    let names = program.code(root)?;
    let text = |index: u32| {
        let name = names.names.get(index as usize).and_then(|name| program.names.get(*name as usize));
        name.map_or("", |name| name.text.as_str())
    };
    // `log` is a method of `math` and of the logger.
    let is_pure_method = |name: &str| match METHODS.contains(&name) {
        true => !logs || name != "log",
        false => !logs && LOGGING.contains(&name),
    };
    let imported = |code: &Code, index: u32| match code.consts.get(index as usize) {
        Some(Const::Str(name)) => program.data.strings.get(*name as usize).map_or("", String::as_str),
        _ => "",
    };
    let is_harmless = |code: &Code, instr: &Instr| match *instr {
        Instr::LoadName { name } => {
            let name = text(name);
            let is_outer = builtins::get(name).is_some() || LOADER_GLOBALS.contains(&name);
            !is_outer || BUILTINS.contains(&name) || matches!(name, "helpers" | "log")
        }
        Instr::LoadAttr { name } => is_field(text(name)) || is_pure_method(text(name)),
        Instr::CallMethod { name, .. } | Instr::CallMethodKw { name, .. } => is_pure_method(text(name)),
        Instr::ImportName { name, .. } => MODULES.contains(&imported(code, name)),
        Instr::StoreAttr { .. }
        | Instr::DeleteAttr { .. }
        | Instr::StoreSubscr
        | Instr::DeleteSubscr
        | Instr::InPlace { .. }
        | Instr::WithEnter
        | Instr::WithExit
        | Instr::WithExitException
        | Instr::ImportStar
        | Instr::BuildClass { .. } => false,
        _ => true,
    };
    let mut codes = Vec::new();
    for (code, index) in program.data.codes.iter().zip(0..).filter(|(code, _)| code.root == root) {
        let instrs: Box<[bool]> = code.instrs.iter().map(|instr| !is_harmless(code, instr)).collect();
        if instrs.contains(&true) {
            codes.push((index, instrs));
        }
    }
    Some(Effects { codes })
}

/// Whether a block of a root code can read the job but for the tags of its history: what is different for each job.
pub(super) fn reads_job(program: &Program, root: u32, slots: &Slots) -> bool {
    let codes = program.data.codes.iter().zip(0..).filter(|(code, _)| code.root == root);
    let mut names = codes.flat_map(|(code, index)| (0..code.instrs.len()).map(move |at| (code, index, at)));
    names.any(|(code, index, at)| {
        matches!(code.instrs.get(at), Some(Instr::LoadName { .. }))
            && source(program, index, at, slots) == Source::Unknown
    })
}

/// What the instruction at `at` reads, which loads a name of the context.
pub(super) fn source(program: &Program, code: u32, at: usize, slots: &Slots) -> Source {
    let found = program.code(code).and_then(|code| {
        let reader = Reader { program, root: program.code(code.root)?, code };
        reader.source(at, slots)
    });
    found.unwrap_or(Source::Unknown)
}

struct Reader<'a> {
    program: &'a Program,
    root: &'a Code,
    code: &'a Code,
}

impl Reader<'_> {
    fn name(&self, index: u32) -> Option<&Name> {
        self.program.names.get(*self.root.names.get(index as usize)? as usize)
    }

    fn source(&self, at: usize, slots: &Slots) -> Option<Source> {
        let Instr::LoadName { name } = *self.code.instrs.get(at)? else { return None };
        let slot = self.name(name)?.slot;
        Some(match slot {
            _ if slot == slots.user => match self.after(at) {
                (Some("roles" | "all_roles"), _) => Source::UserRoles,
                _ if self.is_truth_or_none(at) => Source::HasUser,
                _ => Source::User,
            },
            _ if slot == slots.job => match self.after(at) {
                (Some("history"), Some("tags")) => Source::HistoryTags,
                _ => Source::Unknown,
            },
            _ if slot == slots.tool => match self.after(at) {
                (Some("id"), _) => Source::ToolId,
                _ => Source::Tool,
            },
            _ if slot == slots.app => Source::App,
            _ if slot == slots.candidate_destinations => Source::Candidates,
            _ if slot == slots.entity => self.entity(at).unwrap_or(Source::Slot(slot)),
            _ => Source::Slot(slot),
        })
    }

    /// What is read of the entity, where that is less than all of it.
    fn entity(&self, at: usize) -> Option<Source> {
        match self.after(at) {
            (Some("params"), _) => match (self.code.instrs.get(at + 2), self.code.instrs.get(at + 3)) {
                (Some(Instr::Const { index }), Some(Instr::CallMethod { name, argc: 1 })) => {
                    let Some(Const::Str(key)) = self.code.consts.get(*index as usize) else { return None };
                    (self.name(*name)?.text.as_str() == "get").then_some(Source::EntityParam(*key))
                }
                _ => None,
            },
            (Some(name), _) => Resource::from_name(name).map(Source::EntityResource),
            (None, _) => self.is_asked_for_tags(at).then_some(Source::EntityTags),
        }
    }

    /// Whether a value is only the first argument of `helpers.tag_values_match`, which reads an entity's tags: follows what
    /// is put on the stack above it, as far as that is plain.
    fn is_asked_for_tags(&self, at: usize) -> bool {
        let of_helpers = match at.checked_sub(1).and_then(|before| self.code.instrs.get(before)) {
            Some(Instr::LoadName { name }) => self.name(*name).is_some_and(|name| name.text.as_str() == "helpers"),
            _ => false,
        };
        let mut height: u32 = 1;
        for instr in self.code.instrs.iter().skip(at + 1) {
            height = match *instr {
                Instr::Const { .. } | Instr::LoadName { .. } | Instr::LoadFast { .. } => height + 1,
                Instr::BuildList { count } | Instr::BuildTuple { count } | Instr::BuildSet { count }
                    if count < height =>
                {
                    height - count + 1
                }
                Instr::ListExtend { .. } if height > 2 => height - 1,
                Instr::CallMethod { name, argc } | Instr::CallMethodKw { name, argc, .. } => {
                    let is_it = self.name(name).is_some_and(|name| name.text.as_str() == "tag_values_match");
                    return of_helpers && is_it && argc == height;
                }
                _ => return false,
            };
        }
        false
    }

    /// The names that are asked of a value as soon as it is loaded: `history` and `tags` in `job.history.tags`.
    fn after(&self, at: usize) -> (Option<&str>, Option<&str>) {
        let attribute = |at: usize| match self.code.instrs.get(at) {
            Some(Instr::LoadAttr { name } | Instr::CallMethod { name, argc: 0 }) => {
                Some(self.name(*name)?.text.as_str())
            }
            _ => None,
        };
        (attribute(at + 1), attribute(at + 2))
    }

    /// Whether of the value only its truth is asked, or whether it is `None`.
    fn is_truth_or_none(&self, at: usize) -> bool {
        match (self.code.instrs.get(at + 1), self.code.instrs.get(at + 2)) {
            (Some(Instr::Const { index }), Some(Instr::Is { .. })) => {
                matches!(self.code.consts.get(*index as usize), Some(Const::None))
            }
            (
                Some(
                    Instr::PopJumpIfFalse { .. }
                    | Instr::PopJumpIfTrue { .. }
                    | Instr::JumpIfFalseOrPop { .. }
                    | Instr::Unary { op: UnaryOp::Not },
                ),
                _,
            ) => true,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Methods of lists, dicts, sets and entities that change them, and functions that read what no trail tells of.
    const HARMFUL: &[&str] = &[
        "add",
        "add_tag_override",
        "append",
        "choice",
        "clear",
        "discard",
        "extend",
        "getrandbits",
        "insert",
        "now",
        "pop",
        "popitem",
        "query",
        "execute",
        "randint",
        "random",
        "remove",
        "reverse",
        "setdefault",
        "shuffle",
        "sort",
        "update",
        "weighted_choice",
        "weighted_random_sampling",
        "eval",
        "exec",
        "globals",
        "locals",
        "vars",
        "dir",
        "open",
        "setattr",
        "delattr",
        "getattr",
        "next",
        "iter",
        "input_size",
        "__setattr__",
        "__dict__",
    ];

    #[test]
    fn what_is_harmful_is_in_no_list() {
        for name in HARMFUL {
            let lists = [BUILTINS, FIELDS, METHODS, LOGGING, MODULES];
            assert!(!lists.iter().any(|list| list.contains(name)), "{name}");
        }
    }
}
