//! Facts that a mapping could read of the user, the history and the tool, for the log of decisions.
//!
//! Nothing is asked of the database: only what the mapping, or something before it, has loaded is there.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use tpv_galaxy::json::{Json, Reader};

/// The most names of roles and tags.
const MOST: usize = 100;

/// The facts by name. `preferences` are the keys of extra preferences to show: others may be passwords.
pub fn of(
    user: &Bound<'_, PyAny>,
    job: &Bound<'_, PyAny>,
    tool: &Bound<'_, PyAny>,
    preferences: &[String],
) -> Vec<(String, Json)> {
    let mut facts = Vec::new();
    let mut add = |name: &str, value: Json| facts.push((name.to_owned(), value));
    if !user.is_none() {
        let roles = loaded(user, "roles").map(|of_user| roles(user, of_user));
        // Roles of groups that are not loaded may be missing.
        if let Some(roles) = roles.filter(|roles| !roles.is_empty() || loaded(user, "groups").is_some()) {
            add("roles", Json::List(roles.into_iter().map(Json::str).collect()));
        }
        let shown = if preferences.is_empty() { Vec::new() } else { shown_preferences(user, preferences) };
        if !shown.is_empty() {
            add("preferences", Json::Object(shown));
        }
    }
    let tags = loaded(job, "history").and_then(|history| loaded(&history, "tags"));
    if tags.is_some() {
        add("tags", Json::List(items(tags).take(MOST).filter_map(|tag| tag_text(&tag)).map(Json::str).collect()));
    }
    let of_file = of_file(tool);
    if !of_file.is_empty() {
        add("tool", Json::Object(of_file));
    }
    facts
}

/// Values that were noted while the mapping ran; what is neither a number nor a text is left out.
pub fn noted(values: &Bound<'_, PyDict>) -> Vec<(String, Json)> {
    values.iter().filter_map(|(name, value)| Some((name.extract().ok()?, scalar(&value)?))).collect()
}

fn scalar(value: &Bound<'_, PyAny>) -> Option<Json> {
    if value.is_instance_of::<PyBool>() {
        return value.extract().ok().map(Json::Bool);
    }
    if value.is_instance_of::<PyInt>() {
        return value.extract().ok().map(Json::Int);
    }
    if value.is_instance_of::<PyFloat>() {
        return value.extract().ok().map(Json::Float);
    }
    text(value).map(Json::str)
}

/// An attribute that is loaded: SQLAlchemy keeps these in the object's dict, and asking for others would be a query.
fn loaded<'py>(object: &Bound<'py, PyAny>, name: &str) -> Option<Bound<'py, PyAny>> {
    let fields = object.getattr(pyo3::intern!(object.py(), "__dict__")).ok()?.cast_into::<PyDict>().ok()?;
    fields.get_item(PyString::intern(object.py(), name)).ok()?
}

/// The items of a collection; none if there is no collection.
fn items<'py>(collection: Option<Bound<'py, PyAny>>) -> impl Iterator<Item = Bound<'py, PyAny>> {
    collection.and_then(|collection| collection.try_iter().ok()).into_iter().flatten().map_while(Result::ok)
}

fn text(value: &Bound<'_, PyAny>) -> Option<String> {
    Some(value.cast::<PyString>().ok()?.to_string_lossy().into_owned())
}

fn attribute<'py>(object: &Bound<'py, PyAny>, name: &str) -> Option<Bound<'py, PyAny>> {
    object.getattr(PyString::intern(object.py(), name)).ok()
}

/// Facts of the tool's file, which no database has: a type of its own, whether it needs Galaxy's Python, and the resources that it requires.
fn of_file(tool: &Bound<'_, PyAny>) -> Vec<(Box<str>, Json)> {
    let mut facts = Vec::new();
    if let Some(kind) = attribute(tool, "tool_type").and_then(|kind| text(&kind)).filter(|kind| kind != "default") {
        facts.push(("tool_type".into(), Json::str(kind)));
    }
    let needed = "requires_galaxy_python_environment";
    if attribute(tool, needed).is_some_and(|needed| needed.is_truthy().unwrap_or(false)) {
        facts.push((needed.into(), Json::Bool(true)));
    }
    let required = items(attribute(tool, "resource_requirements")).take(MOST).filter_map(|required| {
        let kind = text(&attribute(&required, "resource_type")?)?;
        Some((kind.into(), scalar(&attribute(&required, "value_or_expression")?)?))
    });
    let required: Vec<_> = required.collect();
    if !required.is_empty() {
        facts.push(("resource_requirements".into(), Json::Object(required)));
    }
    facts
}

/// The names of the user's roles in order, each once: `of_user` and those of groups. A private role has its user's address as its name, and is left out.
fn roles(user: &Bound<'_, PyAny>, of_user: Bound<'_, PyAny>) -> Vec<String> {
    let groups = items(loaded(user, "groups")).filter_map(|member| loaded(&member, "group"));
    let of_groups = groups.flat_map(|group| items(loaded(&group, "roles")));
    let roles = items(Some(of_user)).chain(of_groups).filter_map(|association| loaded(&association, "role"));
    let is = |object: &Bound<'_, PyAny>, name: &str| {
        loaded(object, name).is_some_and(|flag| flag.is_truthy().unwrap_or(false))
    };
    let is_private =
        |role: &Bound<'_, PyAny>| loaded(role, "type").and_then(|kind| text(&kind)).as_deref() == Some("private");
    let shown = roles.filter(|role| !is(role, "deleted") && !is_private(role));
    let mut names: Vec<String> =
        shown.filter_map(|role| text(&loaded(&role, "name")?)).filter(|name| !name.contains('@')).collect();
    names.sort();
    names.dedup();
    names.truncate(MOST);
    names
}

fn tag_text(tag: &Bound<'_, PyAny>) -> Option<String> {
    let name = text(&loaded(tag, "user_tname")?)?;
    let value = loaded(tag, "user_value").and_then(|value| text(&value)).filter(|value| !value.is_empty());
    Some(value.map_or(name.clone(), |value| format!("{name}:{value}")))
}

fn shown_preferences(user: &Bound<'_, PyAny>, keys: &[String]) -> Vec<(Box<str>, Json)> {
    let extra = loaded(user, "_preferences")
        .and_then(|preferences| preferences.get_item("extra_user_preferences").ok())
        .and_then(|preference| text(&loaded(&preference, "value")?));
    let values = extra.and_then(|extra| Json::read(&mut Reader::new(&extra)).ok());
    let shown = |key: &String| Some((Box::from(key.as_str()), values.as_ref()?.get(key)?.clone()));
    keys.iter().filter_map(shown).collect()
}
