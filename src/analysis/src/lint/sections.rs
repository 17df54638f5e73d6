//! T123: ids that look like those of another section: names of roles under `users`, addresses under `roles`.

use std::collections::HashSet;

use super::Linter;
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;

/// Words of the names of roles that are not those of people.
const WORDS: [&str; 20] = [
    "training",
    "trainings",
    "role",
    "roles",
    "group",
    "groups",
    "admin",
    "admins",
    "staff",
    "student",
    "students",
    "class",
    "course",
    "courses",
    "workshop",
    "team",
    "lab",
    "tiaas",
    "users",
    "members",
];

/// Looks at the ids of users and roles.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    for role in config.roles.values().filter(|role| role.id.contains('@')) {
        let diagnostic =
            Diagnostic::warning(format!("`{}` looks like an e-mail address, but is under `roles`", role.id))
                .at(role.span, "this is matched against the names of roles")
                .note("only a user's private role has an address for its name, and only in older releases of Galaxy")
                .help("move it to `users`");
        linter.report(Finding::new(Code::IdOfOtherSection, diagnostic).of(&role.common.no_qa_codes));
    }
    let default = config.global.default_inherits.as_ref().map(|id| id.as_str());
    let parents: HashSet<&str> =
        config.users.values().filter_map(|user| Some(user.common.inherits.as_ref()?.as_str())).collect();
    for user in config.users.values() {
        let id = &*user.id;
        if user.common.is_abstract || default == Some(id) || parents.contains(id) {
            continue;
        }
        let Some(evidence) = evidence(id, config.section(EntityClass::Role).contains_key(id)) else { continue };
        let literal = literal(id);
        let diagnostic =
            Diagnostic::warning(format!("`{id}` doesn't look like an e-mail address, but is under `users`"))
                .at(user.span, evidence)
                .note("ids of users are patterns for e-mail addresses")
                .help(format!("move it to `roles` if it is a role; for addresses write `{literal}.*@.*`"));
        linter.report(Finding::new(Code::IdOfOtherSection, diagnostic).of(&user.common.no_qa_codes));
    }
}

/// The id without what may follow it.
fn literal(id: &str) -> &str {
    let id = id.strip_prefix('^').unwrap_or(id);
    let id = id.strip_suffix('$').unwrap_or(id);
    [".*", ".+", "*"].iter().find_map(|wildcard| id.strip_suffix(wildcard)).unwrap_or(id)
}

/// The evidence that an id is not an address. `None` for a pattern that may be intended as one.
fn evidence(id: &str, is_role: bool) -> Option<String> {
    if id.contains('@') || id.contains("\\.") {
        return None;
    }
    let literal = literal(id);
    let is_plain = literal.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-'));
    if literal.is_empty() || literal == "default" {
        return None;
    }
    if is_plain && literal.contains(' ') {
        return Some("no address has a blank".to_owned());
    }
    let words = literal.to_lowercase();
    let mut words = words.split(|c: char| !c.is_alphanumeric());
    let is_of_role = is_role || words.any(|word| WORDS.contains(&word));
    match (is_plain, is_of_role || literal == id) {
        (true, true) => Some(format!("this fits only addresses that start with `{literal}`")),
        (false, _) if is_of_role => Some("this has no `@`".to_owned()),
        _ => None,
    }
}
