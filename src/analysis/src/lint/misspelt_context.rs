//! T155: names of contexts that no code reads, and of which code reads one that differs in a letter.

use std::collections::{BTreeSet, HashSet};

use super::Linter;
use super::fields::key_span;
use super::params::is_one_slip;
use super::words::words;
use tpv_compiler::checker::sites;
use tpv_config::entity::Dict;
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::suggest::did_you_mean;

/// Shorter names have neighbours of their own.
const SHORTEST: usize = 5;

/// Looks at the contexts of all entities and rules.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    let code = sites::collect(config);
    let read: HashSet<&str> = code.iter().flat_map(|site| words(site.text.as_str())).collect();
    let sections = || EntityClass::SECTIONS.into_iter().flat_map(|kind| config.section(kind).values());
    let contexts = || sections().flat_map(|entity| entity.commons().filter_map(|common| common.context.as_deref()));
    let all = contexts().chain([&*config.global.context]).flat_map(Dict::keys);
    // A name that is read and that nothing sets has a finding of its own, T103.
    let meant: BTreeSet<&str> = all.map(|name| &**name).filter(|name| read.contains(name)).collect();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for entity in sections() {
        for context in entity.commons().filter_map(|common| common.context.as_deref()) {
            for (name, value) in context.iter().filter(|(name, _)| !read.contains(&***name)) {
                let is_new = |near: &&str| !context.contains_key(*near) && is_slip(name, near);
                let Some(near) = meant.iter().copied().find(is_new) else { continue };
                if !seen.insert(value.span) {
                    continue;
                }
                let span = key_span(linter, name, value);
                let diagnostic = Diagnostic::warning(format!("no code reads the context value `{name}`"))
                    .at(span, format!("code reads `{near}`, which other contexts set"))
                    .also(entity.span, format!("in the {} `{}`", entity.class.noun(), entity.id))
                    .help(did_you_mean(near))
                    .fix(span, near);
                found.push(Finding::new(Code::MisspeltContext, diagnostic).of(&entity.common.no_qa_codes));
            }
        }
    }
    found.into_iter().for_each(|finding| linter.report(finding));
}

/// Returns `true` if a name is a slip of another: numbers and the kind of the processor tell names apart.
fn is_slip(name: &str, near: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let kind = |text: &str| text.replace("gpu", "cpu");
    name.len().min(near.len()) >= SHORTEST
        && is_one_slip(name.as_bytes(), near.as_bytes())
        && letters(name) != letters(near)
        && kind(name) != kind(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_names() {
        for (name, near) in [("walltme", "walltime"), ("partitoin", "partition"), ("volumes", "volume")] {
            assert!(is_slip(name, near), "{name}");
        }
        for (name, near) in
            [("cpu_queue", "gpu_queue"), ("queue1", "queue2"), ("mem", "men"), ("walltime", "partition")]
        {
            assert!(!is_slip(name, near), "{name}");
        }
    }
}
