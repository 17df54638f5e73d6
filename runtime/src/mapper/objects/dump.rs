//! `entity.dict()` and `entity.model_dump()`: an entity as a dict, as pydantic gives it.

use crate::mapper::data::deep_copy;
use crate::mapper::entity::{ENTITY_STEPS, Entity};
use crate::mapper::tags::{TagNames, Tags};
use tpv_galaxy::errors::host_unavailable;
use tpv_galaxy::tpv::version_of;
use tpv_model::{Field, TagType};
use tpv_python::args::Args;
use tpv_python::dict::Dict;
use tpv_python::exception::{PyResult, type_error};
use tpv_python::string::Str;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// The arguments of `dict` and `model_dump`.
struct Options {
    /// Names as the config writes them: `scheduling`, `if`.
    by_alias: bool,
    exclude_none: bool,
    include: Option<Value>,
    exclude: Option<Value>,
}

impl Options {
    /// The arguments of a method that this class defines: `BaseModel`, `Entity`.
    fn of(vm: &mut Vm, owner: &str, method: &str, args: &Args) -> PyResult<Self> {
        if !args.pos.is_empty() {
            let given = args.pos.len() + 1;
            return Err(type_error(format!("{owner}.{method}() takes 1 positional argument but {given} were given")));
        }
        let mut options = Self {
            by_alias: method == "model_dump" || !version_of(vm).dumps_attribute_names(),
            exclude_none: false,
            include: None,
            exclude: None,
        };
        for (name, value) in &args.kw {
            match name.as_str() {
                "by_alias" => options.by_alias = vm.truthy(value)?,
                "exclude_none" => options.exclude_none = vm.truthy(value)?,
                "include" => options.include = Some(value.clone()).filter(|value| !value.is_none()),
                "exclude" => options.exclude = Some(value.clone()).filter(|value| !value.is_none()),
                "mode" if value.as_str().is_some_and(|mode| mode.as_str() == "python") => {}
                "exclude_unset" | "exclude_defaults" | "mode" if vm.truthy(value)? => {
                    // An entity does not know which fields the config gave it.
                    return Err(host_unavailable(format!("`{method}({}=...)` of an entity", name.as_str())));
                }
                "exclude_unset" | "exclude_defaults" | "warnings" | "round_trip" => {}
                name => {
                    let message = format!("BaseModel.{method}() got an unexpected keyword argument '{name}'");
                    return Err(type_error(message));
                }
            }
        }
        Ok(options)
    }

    /// Returns `true` if a field of the entity itself is requested.
    fn wants(&self, vm: &mut Vm, name: &str) -> PyResult<bool> {
        let name = Value::str(name);
        if let Some(include) = &self.include
            && !vm.contains(include, &name)?
        {
            return Ok(false);
        }
        match &self.exclude {
            Some(exclude) => Ok(!vm.contains(exclude, &name)?),
            None => Ok(true),
        }
    }
}

/// `entity.dict(...)`, `entity.model_dump(...)`
pub(super) fn entity(vm: &mut Vm, names: &TagNames, entity: &Entity, method: &str, args: &Args) -> PyResult<Value> {
    let owner = if method == "dict" { "BaseModel" } else { "Entity" };
    let options = Options::of(vm, owner, method, args)?;
    dumped(vm, names, entity, &options, true)
}

/// `tags.dict(...)`, `tags.model_dump(...)`
pub(super) fn tags(vm: &mut Vm, names: &TagNames, tags: &Tags, method: &str, args: &Args) -> PyResult<Value> {
    let options = Options::of(vm, "BaseModel", method, args)?;
    let all = tag_lists(names, tags, &options);
    let dict = Dict::new();
    for (name, list) in all {
        if options.wants(vm, name)? {
            dict.set_str(Str::from(name), list);
        }
    }
    Ok(Value::dict(dict))
}

fn tag_lists(names: &TagNames, tags: &Tags, options: &Options) -> Vec<(&'static str, Value)> {
    let kinds = TagType::ALL.map(|kind| (kind.field(), kind));
    let list = |kind: TagType| match tags.none().get(kind as usize) {
        Some(true) => Value::None,
        _ => Value::list(tags.list(kind).iter().map(|id| Value::Str(names.name(*id))).collect()),
    };
    let lists = kinds.map(|(name, kind)| (name, list(kind)));
    lists.into_iter().filter(|(_, list)| !(options.exclude_none && list.is_none())).collect()
}

/// The fields in output order, by name.
struct Fields<'a> {
    options: &'a Options,
    /// `true` if `include` and `exclude` refer to these.
    outermost: bool,
    dict: Dict,
}

impl Fields<'_> {
    fn put(&mut self, vm: &mut Vm, name: &str, alias: &str, value: Value) -> PyResult<()> {
        vm.charge(1)?;
        if self.options.exclude_none && value.is_none() || self.outermost && !self.options.wants(vm, name)? {
            return Ok(());
        }
        self.dict.set_str(Str::from(if self.options.by_alias { alias } else { name }), value);
        Ok(())
    }
}

fn dumped(vm: &mut Vm, names: &TagNames, entity: &Entity, options: &Options, outermost: bool) -> PyResult<Value> {
    vm.charge(ENTITY_STEPS)?;
    let mut fields = Fields { options, outermost, dict: Dict::new() };
    // pydantic writes whatever is among the rules as a rule, by the fields of that class.
    let has_own = entity.is_rule() || outermost;
    let own = if has_own { Field::own(entity.class) } else { &[] };
    for field in Field::common().iter().chain(own) {
        let value = match field {
            Field::Tags if entity.dest_tags.is_some() => continue,
            field => value_of(vm, names, entity, *field, options)?,
        };
        if let Some(value) = value {
            fields.put(vm, field.name(), field.alias(), value)?;
        }
    }
    if has_own {
        for (name, value) in entity.extras.iter() {
            let copy = deep_copy(vm, value)?;
            fields.put(vm, name.as_str(), name.as_str(), copy)?;
        }
    }
    Ok(Value::dict(fields.dict))
}

/// The value of a field. `None` if entities do not have it while jobs are mapped.
fn value_of(
    vm: &mut Vm,
    names: &TagNames,
    entity: &Entity,
    field: Field,
    options: &Options,
) -> PyResult<Option<Value>> {
    let tags = |tags: &Tags| Value::dict(Dict::from_strs(tag_lists(names, tags, options)));
    match field {
        Field::Tags => Ok(Some(tags(&entity.tags))),
        Field::DestTags => Ok(entity.dest_tags.as_deref().map(tags)),
        // DIFFERENCE: the codes of `# noqa` comments are for `tpvc lint` alone.
        Field::NoQaCodes => Ok(Some(Value::list(Vec::new()))),
        Field::Rules => {
            let rules = Dict::new();
            for (key, rule) in entity.rules.all()? {
                rules.set_str(key.clone(), dumped(vm, names, rule, options, false)?);
            }
            Ok(Some(Value::dict(rules)))
        }
        Field::If | Field::Execute | Field::Fail | Field::DestName => Ok(entity.value(field)),
        field => entity.value(field).map(|value| deep_copy(vm, &value)).transpose(),
    }
}
