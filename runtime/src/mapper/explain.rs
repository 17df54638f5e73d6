//! Watching a mapping: explanations observe the one path that every job takes.

use std::rc::Rc;

use tpv_bytecode::{CodeRef, Instr};
use tpv_model::{Limit, Resource, TagType, Version};
use tpv_python::exception::Raised;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::entity::Entity;
use super::places::ConfigPlace;
use super::pool_step::PoolStep;
use super::slots::COMPUTED_NAMES;
use super::tags::TagNames;
use super::trace::Trace;

/// A block that CPython ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InCpython {
    /// Its place in the config: an index of the artifact's table of sites; nothing of what was made at run time.
    pub site: Option<u32>,
    /// The reason, to follow "because".
    pub reason: String,
}

/// A block that spent its native budget.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpentBudget {
    /// The block: an index of the artifact's table of sites. `None` for what was made at run time, and outside of blocks.
    pub site: Option<u32>,
    /// The place in the config where it was spent.
    pub place: Option<ConfigPlace>,
}

/// Something that happened while a job was mapped.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Step<'a> {
    /// The mapping was given up, and starts once more with all code in CPython.
    OnceMore {
        /// The missing native feature.
        reason: &'a str,
        /// The block that spent its native budget, if that is the reason.
        spent: Option<&'a SpentBudget>,
    },
    /// A block that CPython ran, reported at the end.
    InCpython {
        /// The blocks, each once.
        blocks: &'a [InCpython],
    },
    /// The blocks that were evaluated, told at the end if [`super::Hooks::note_blocks`] asks for them.
    Evaluated {
        /// Their places: indexes of the artifact's table of sites, in the order of evaluation.
        sites: &'a [u32],
    },
    /// The mapping starts.
    Start {
        /// The names of the tags in the entities to come.
        names: &'a Rc<TagNames>,
    },
    /// A section was searched.
    Lookup {
        /// `tools`, `roles` or `users`.
        section: &'static str,
        /// The name that was looked up.
        name: &'a str,
        /// The entities that count, each inheriting from those before.
        found: &'a [Found],
    },
    /// The entities that the job's tool, role and user gave, before they are combined.
    Matched {
        /// In the order tool, role, user.
        entities: &'a [Rc<Entity>],
    },
    /// The entities combined into one.
    Combined {
        /// The combined entity.
        entity: &'a Rc<Entity>,
    },
    /// A rule's condition is about to be evaluated.
    Condition {
        /// The rule.
        rule: &'a Rc<Entity>,
        /// The values that the condition can read.
        reads: &'a [Read],
    },
    /// A rule's condition was evaluated.
    Rule {
        /// The rule.
        rule: &'a Rc<Entity>,
        /// The value of the condition.
        value: &'a Value,
        /// `true` if it matched.
        matched: bool,
    },
    /// A rule was applied.
    Applied {
        /// The rule.
        rule: &'a Rc<Entity>,
        /// The entity before.
        before: &'a Rc<Entity>,
        /// The entity after.
        after: &'a Rc<Entity>,
    },
    /// The resources that destinations are matched against, and those of a destination that is tried.
    Resources {
        /// The entity with its expressions.
        entity: &'a Rc<Entity>,
        /// The entity with its resources evaluated.
        evaluated: &'a Rc<Entity>,
    },
    /// A bound changed a resource.
    Clamped {
        /// The resource.
        resource: Resource,
        /// The value of its expression.
        asked: &'a Value,
        /// The value after clamping.
        value: &'a Value,
    },
    /// A destination was compared.
    Destination {
        /// The destination.
        destination: &'a Rc<Entity>,
        /// The entity with its resources evaluated.
        entity: &'a Rc<Entity>,
        /// `true` if it can take the job.
        matched: bool,
    },
    /// The order of the candidates.
    Ranked {
        /// The candidates, best first.
        candidates: &'a [Rc<Entity>],
        /// The entity that they were ranked for.
        entity: &'a Rc<Entity>,
        /// The version of TPV that ranks them.
        version: Version,
    },
    /// A candidate is tried.
    Trying {
        /// The candidate.
        candidate: &'a Rc<Entity>,
    },
    /// A candidate gave the job on: `TryNextDestinationOrFail` or `TryNextDestinationOrWait`.
    Passed {
        /// The candidate's id.
        candidate: &'a str,
        /// The exception.
        raised: &'a Raised,
        /// The place at which it was raised, with the calls that led there.
        trace: Option<&'a Trace>,
    },
    /// The size of the inputs was computed, reported at the end.
    InputSize {
        /// The size in GiB.
        size: &'a Value,
    },
    /// Something about resource pools.
    Pool {
        /// The pool, or `None` for all pools.
        pool: Option<&'a Rc<Entity>>,
        /// The step.
        step: PoolStep<'a>,
    },
    /// A candidate was chosen.
    Chosen {
        /// The candidate's id.
        candidate: &'a str,
    },
    /// The job ended in an exception.
    Raised {
        /// The exception.
        raised: &'a Raised,
        /// The place in the config at which it was raised, with the calls that led there.
        trace: Option<&'a Trace>,
    },
}

/// The reason that an entity applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// It is `global.default_inherits`.
    Default,
    /// It is what the tool's wrapper declares.
    Wrapper,
    /// Its id, as a pattern, matches.
    Pattern,
}

/// An entity that a lookup found.
#[derive(Clone)]
pub struct Found {
    /// The entity, as the config has it.
    pub entity: Rc<Entity>,
    /// The reason that it applies.
    pub because: Because,
}

/// A value that an expression could read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The name with its attributes: `tool.id`.
    pub name: String,
    /// The value as Python's `repr` shows it.
    pub value: String,
}

/// Takes the steps of a mapping.
pub trait Observer {
    /// Returns `true` if it looks at the steps; if not, steps that are created only to be looked at are omitted.
    fn watches(&self) -> bool {
        true
    }

    /// Returns `true` if it looks at the values that conditions can read, which are shown as text, and wants values compared as Python compares them.
    fn reads(&self) -> bool {
        self.watches()
    }

    /// One step.
    fn step(&mut self, step: Step<'_>);
}

/// Takes nothing.
pub struct Unobserved;

impl Observer for Unobserved {
    fn watches(&self) -> bool {
        false
    }

    fn step(&mut self, _: Step<'_>) {}
}

/// The longest value that an explanation shows.
const MAX_SHOWN: usize = 200;

/// The values of the names and attributes that an expression of the config mentions, before it is evaluated. What the
/// expression itself sets, and modules, functions and classes, are left out.
pub(super) fn readable_values(vm: &mut Vm, expression: &Value) -> Vec<Read> {
    let Value::Str(text) = expression else { return Vec::new() };
    let Some(CodeRef { code: root, .. }) = text.code() else { return Vec::new() };
    let Some(program) = vm.program.clone() else { return Vec::new() };
    let mut paths: Vec<String> = Vec::new();
    for code in (0..).map_while(|index| program.code(index)).filter(|code| code.root == root) {
        let name = |index: u32| {
            let name = program.code(root)?.names.get(index as usize).copied()?;
            Some(program.names.get(name as usize)?.text.clone())
        };
        let mut path: Option<String> = None;
        for instr in &code.instrs {
            match *instr {
                Instr::LoadName { name: index } => {
                    paths.extend(path.take());
                    path = name(index).map(|name| name.as_str().to_owned());
                }
                Instr::LoadAttr { name: index } => {
                    path = path.and_then(|path| Some(format!("{path}.{}", name(index)?.as_str())));
                }
                _ => paths.extend(path.take()),
            }
        }
        paths.extend(path.take());
        let stored = code.instrs.iter().filter_map(|instr| match *instr {
            Instr::StoreName { name: index } => name(index),
            _ => None,
        });
        let stored: Vec<_> = stored.collect();
        paths.retain(|path| {
            let first = path.split('.').next().unwrap_or_default();
            stored.iter().all(|name| name.as_str() != first)
        });
    }
    let mut reads: Vec<Read> = Vec::new();
    for path in paths {
        if reads.iter().all(|read| read.name != path)
            && let Some(value) = read(vm, &path)
        {
            reads.push(Read { name: path, value });
        }
    }
    reads
}

fn read(vm: &mut Vm, path: &str) -> Option<String> {
    let mut names = path.split('.');
    let first = names.next()?;
    let mut value = if COMPUTED_NAMES.contains(&first) {
        let environment = vm.environment.clone();
        environment.computed_name(vm, first).ok()?
    } else {
        vm.outer_name(first).ok()??
    };
    for name in names {
        value = vm.find_attr(&value, name).ok()??;
    }
    let is_data = matches!(
        &value,
        Value::None
            | Value::Bool(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Float(_)
            | Value::Str(_)
            | Value::List(_)
            | Value::Tuple(_)
            | Value::Dict(_)
            | Value::Set(_)
    );
    if !is_data {
        return None;
    }
    let mut text = vm.repr(&value).ok()?;
    if text.chars().count() > MAX_SHOWN {
        text = text.chars().take(MAX_SHOWN).collect::<String>() + "...";
    }
    Some(text)
}

/// One reason why a destination cannot take an entity.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The destination is abstract.
    Abstract,
    /// A limit of the destination refuses what the entity asks for.
    Limit {
        /// The limit.
        limit: Limit,
        /// Its value.
        bound: f64,
        /// The resource.
        resource: Resource,
        /// The amount that the entity requests.
        wanted: f64,
    },
    /// The entity requires a tag that the destination has not.
    DestinationLacks(String),
    /// The destination requires a tag that the entity has not.
    EntityLacks(String),
    /// The entity rejects a tag that the destination has.
    EntityRejects(String),
    /// The destination rejects a tag that the entity has.
    DestinationRejects(String),
}

/// The reasons that a destination cannot take an entity whose resources are evaluated. Empty if it can.
pub fn reasons(destination: &Entity, entity: &Entity, names: &TagNames) -> Vec<Reason> {
    let mut found = Vec::new();
    if !matches!(destination.is_abstract, Value::Bool(false) | Value::None) {
        found.push(Reason::Abstract);
    }
    for limit in Limit::ACCEPTED {
        let resource = limit.quantity().resource();
        let (Some(bound), Some(wanted)) = (number(destination.limit(limit)), number(entity.resource(resource))) else {
            continue;
        };
        if if limit.is_upper() { bound < wanted } else { bound > wanted } {
            found.push(Reason::Limit { limit, bound, resource, wanted });
        }
    }
    let offers = destination.dest_tags();
    let has = |tags: &super::tags::Tags, id: u32| TagType::ALL.iter().any(|kind| tags.list(*kind).contains(&id));
    let name = |id: &u32| names.name(*id).as_str().to_owned();
    let wants = &entity.tags;
    let lacking = |from: &super::tags::Tags, in_: &super::tags::Tags| -> Vec<String> {
        from.list(TagType::Require).iter().filter(|id| !has(in_, **id)).map(name).collect()
    };
    let clashing = |from: &super::tags::Tags, in_: &super::tags::Tags| -> Vec<String> {
        from.list(TagType::Reject).iter().filter(|id| has(in_, **id)).map(name).collect()
    };
    found.extend(lacking(wants, &offers).into_iter().map(Reason::DestinationLacks));
    found.extend(lacking(&offers, wants).into_iter().map(Reason::EntityLacks));
    found.extend(clashing(wants, &offers).into_iter().map(Reason::EntityRejects));
    found.extend(clashing(&offers, wants).into_iter().map(Reason::DestinationRejects));
    found
}

/// The number that a value is, or that its text is.
#[expect(clippy::cast_precision_loss, reason = "Python's float(int) rounds the same way")]
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        Value::Str(text) => text.trim().parse().ok(),
        _ => None,
    }
}
