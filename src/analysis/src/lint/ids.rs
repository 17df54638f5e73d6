//! T136: ids of tools that no tool has: those of no possible form, and those that name a repository and the tool of another.
//! T146: `/*` in an id, which is a pattern of a shell.
//!
//! The id of a tool from a tool shed is `host/repos/OWNER/REPOSITORY/TOOL/VERSION`; others have no slash.

use std::collections::BTreeSet;

use super::Linter;
use super::server::Repository;
use tpv_config::entity::Entity;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_text::suggest::{closest, did_you_mean};

/// Looks at the ids of all tools. Abstract ones are names for others to inherit from.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    let mut here = BTreeSet::new();
    for id in config.tools.keys() {
        if let Some(path) = Path::of(id) {
            here.insert((path.owner, path.repository, path.tool));
        }
    }
    for entity in config.tools.values().filter(|tool| !tool.common.is_abstract) {
        let is_usual = || {
            let of_file = || config.tools.values().filter(|other| other.span.source == entity.span.source);
            let globs = of_file().filter(|other| other.id.ends_with("/*")).count();
            globs * 10 > of_file().filter(|other| other.id.ends_with("/.*")).count()
        };
        if let Some(diagnostic) = glob(entity).filter(|_| !entity.id.ends_with("/*") || !is_usual()) {
            linter.report(Finding::new(Code::ShellAsterisk, diagnostic).of(&entity.common.no_qa_codes));
        }
        let wrong = impossible(entity)
            .or_else(|| elsewhere(linter, entity, &here))
            .or_else(|| suite(linter, entity))
            .or_else(|| local(linter, entity))
            .or_else(|| nowhere(linter, entity));
        if let Some(diagnostic) = wrong {
            linter.report(Finding::new(Code::UnknownTool, diagnostic).of(&entity.common.no_qa_codes));
        }
    }
}

/// The parts of a tool's id that are written out.
struct Path<'a> {
    owner: &'a str,
    repository: &'a str,
    tool: &'a str,
    /// The repository's place in the id, in bytes.
    at: usize,
}

impl<'a> Path<'a> {
    fn of(id: &'a str) -> Option<Self> {
        let plain =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        let mut parts = id.split('/');
        let host = parts.next()?;
        if parts.next()? != "repos" {
            return None;
        }
        let (owner, repository, tool) = (parts.next()?, parts.next()?, parts.next()?);
        let at = host.len() + "/repos/".len() + owner.len() + 1;
        [owner, repository, tool].into_iter().all(plain).then_some(Self { owner, repository, tool, at })
    }
}

/// The tool sheds of the Galaxy project.
const HOSTS: [&str; 2] = ["toolshed.g2.bx.psu.edu", "testtoolshed.g2.bx.psu.edu"];

/// Returns `true` if four of the words of both names are the same.
fn is_nearly(host: &str, known: &str) -> bool {
    known.split('.').filter(|word| host.split('.').any(|own| own == *word)).count() >= 4
}

/// Ids of a form that no tool's id has.
fn impossible(entity: &Entity) -> Option<Diagnostic> {
    let id = &*entity.id;
    let says = |message: &str, help: String| {
        Diagnostic::warning(format!("no tool has the id `{id}`")).at(entity.span, message).help(help)
    };
    for start in ["https://", "http://", "tool_id=", "tool_id:", "id=", "/"] {
        if let Some(rest) = id.strip_prefix(start) {
            let span = key(entity, 0, start.len());
            let diagnostic =
                says(&format!("ids of tools do not begin with `{start}`"), format!("leave out `{start}`: `{rest}`"));
            return Some(match span {
                Some(span) => diagnostic.fix(span, ""),
                None => diagnostic,
            });
        }
    }
    if id.trim() != id {
        return Some(says("ids of tools have no blank at either end", format!("write `{}`", id.trim())));
    }
    // Names of tools may have blanks inside.
    if id.contains("/repos/") && id.split('/').any(|part| part.trim() != part) {
        let parts: Vec<&str> = id.split('/').map(str::trim).collect();
        return Some(says("ids of tools have no blank beside a slash", format!("write `{}`", parts.join("/"))));
    }
    // `//*` is a slip of another kind.
    if id.split("//").skip(1).any(|rest| !rest.starts_with(['*', '+', '?', '{'])) {
        return Some(says("ids of tools have no empty part", format!("write `{}`", id.replace("//", "/"))));
    }
    let (first, rest) = id.split_once('/')?;
    let host = first.replace('\\', "");
    let is_known = HOSTS.contains(&host.as_str());
    if !is_known
        && rest.starts_with("repos/")
        && host.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'))
        && let Some(near) = HOSTS.into_iter().find(|known| is_nearly(&host, known))
    {
        return Some(says("no tool shed has this name", did_you_mean(near)));
    }
    if is_known && rest.starts_with(char::is_alphanumeric) && !rest.starts_with("repos") && !rest.starts_with("view/") {
        // With all its parts, the id has another word in the place of `repos`.
        let rest = rest.split_once('/').filter(|(_, rest)| rest.split('/').count() >= 4).map_or(rest, |(_, rest)| rest);
        let help = format!("write `{first}/repos/{rest}`");
        return Some(says("ids of a tool shed have `/repos/` behind its name", help));
    }
    if rest.starts_with("view/") && first.contains('.') && !first.contains('*') {
        return Some(says(
            "this is the address of a page: ids of tools have `/repos/`",
            "write `HOST/repos/OWNER/REPOSITORY/TOOL/.*`".to_owned(),
        ));
    }
    if let Some(diagnostic) = too_long(entity, &says) {
        return Some(diagnostic);
    }
    let is_word = !first.is_empty() && first.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    // A tool shed on the own machine may have a name without dots.
    if is_word && !rest.starts_with("repos/") {
        return Some(
            says(
                "only ids from a tool shed have slashes, and these begin with its host",
                format!("write `{rest}` for a tool of this server, or the whole id, from the host on"),
            )
            .note("TPV matches ids from their start; `.*/` before it stands for anything"),
        );
    }
    None
}

/// `HOST/repos/OWNER/REPOSITORY/TOOL/VERSION` with more behind it.
fn too_long(entity: &Entity, says: &dyn Fn(&str, String) -> Diagnostic) -> Option<Diagnostic> {
    let parts: Vec<&str> = entity.id.split('/').collect();
    // A part that stands for any text may stand for slashes.
    let plain = |part: &&str| !part.is_empty() && !part.contains(['*', '[', '(', '|', '{', '?', '^', '$']);
    let [host, repos, owner, repository, tool, version, rest @ ..] = parts.as_slice() else { return None };
    if *repos != "repos" || rest.is_empty() || ![host, owner, repository, tool, version].into_iter().all(plain) {
        return None;
    }
    if *tool == "data_manager" && matches!(rest, [".*"]) {
        // Galaxy has two ids for each: that of the data manager, and that of its tool.
        let short = entity.id.replacen("/data_manager/", "/", 1);
        let label = "this is the id of a data manager; its jobs have that of its tool, without `data_manager/`";
        return Some(says(label, format!("write `{short}`, or the id of the tool if it has another name")));
    }
    let help = match rest {
        [".*"] => format!("leave out the end: `{}`", entity.id.trim_end_matches("/.*")),
        _ => "write `HOST/repos/OWNER/REPOSITORY/TOOL/.*`".to_owned(),
    };
    Some(says("ids of tools have no part behind the version: `HOST/repos/OWNER/REPOSITORY/TOOL/VERSION`", help))
}

/// `HOST/repos/OWNER/REPOSITORY/.*`, where the owner has no such repository, and several that begin with its name.
fn suite(linter: &Linter<'_>, entity: &Entity) -> Option<Diagnostic> {
    let server = linter.server();
    let (before, rest) = entity.id.split_once("/repos/")?;
    let (owner, rest) = rest.split_once('/')?;
    let repository = rest.strip_suffix("/.*")?;
    let plain = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    if ![owner, repository].into_iter().all(plain) {
        return None;
    }
    let of_owner = || server.repositories.iter().filter(|known| known.owner == owner).map(|known| known.name.as_str());
    if of_owner().any(|name| name == repository) {
        return None;
    }
    let begin = of_owner().filter(|name| name.strip_prefix(repository).is_some_and(|rest| rest.starts_with('_')));
    let (first, more) = match begin.collect::<Vec<_>>().as_slice() {
        [] | [_] => return None,
        [first, rest @ ..] => ((*first).to_owned(), rest.len()),
    };
    let at = before.len() + "/repos/".len() + owner.len() + 1;
    let span = key(entity, at, repository.len()).unwrap_or(entity.span);
    Some(
        Diagnostic::warning(format!("`{owner}` has no repository `{repository}` on this server"))
            .at(span, format!("it has `{first}` and {more} more that begin so"))
            .help(format!("write `{before}/repos/{owner}/{repository}_.*` for all of them")),
    )
}

/// Ids without slashes: those of tools that come with Galaxy. Others are of a tool shed, whose ids have more before the name.
fn local(linter: &Linter<'_>, entity: &Entity) -> Option<Diagnostic> {
    let (id, server) = (&*entity.id, linter.server());
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    if id.is_empty() || !id.chars().all(is_plain) || server.tools.iter().any(|tool| tool.starts_with(id)) {
        return None;
    }
    let says = |label: String, help: String| {
        Some(Diagnostic::warning(format!("no installed tool has the id `{id}`")).at(entity.span, label).help(help))
    };
    // A list of repositories does not have Galaxy's own tools, some of which have the names of repositories.
    let own = || server.tools.iter().map(String::as_str).filter(|tool| !tool.contains('/'));
    if let Some(name) = id.strip_prefix("interactivetool_") {
        let meant = format!("interactive_tool_{name}");
        if linter.config.tools.keys().any(|other| other.starts_with("interactive_tool_"))
            || own().any(|tool| tool == meant)
        {
            let label = "Galaxy names its files so, and the tools in them `interactive_tool_`".to_owned();
            return says(label, did_you_mean(&meant));
        }
    }
    own().next()?;
    let of_shed = server.tools.iter().find(|tool| tool.rsplit('/').nth(1) == Some(id));
    if let Some(tool) = of_shed.and_then(|tool| tool.rsplit_once('/')).map(|(tool, _)| tool) {
        return says("the ids of a tool shed have more before the name".to_owned(), format!("write `{tool}/.*`"));
    }
    let near = closest(id, own())?;
    says(String::new(), did_you_mean(near))
}

/// `tool/*`, which matches `tool` and slashes after it. At the end it is harmless, so it counts as a slip only where others are written `/.*`.
fn glob(entity: &Entity) -> Option<Diagnostic> {
    let at = entity.id.find("/*")? + 1;
    let span = key(entity, at, 1);
    let diagnostic = Diagnostic::warning(format!("`/*` in `{}` stands for any number of slashes", entity.id))
        .at(span.unwrap_or(entity.span), "ids are regular expressions, in which this is not any text")
        .help("write `/.*`");
    Some(match span {
        Some(span) => diagnostic.fix(span, ".*"),
        None => diagnostic,
    })
}

/// `.*NAME.*`, where no installed tool has the name and one has all words of it.
fn nowhere(linter: &Linter<'_>, entity: &Entity) -> Option<Diagnostic> {
    let server = linter.server();
    let name = entity.id.trim_start_matches(".*").trim_end_matches(".*").trim_matches('/');
    let words: Vec<&str> = name.split('_').collect();
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    if name.len() == entity.id.len() || !is_plain || words.len() < 3 {
        return None;
    }
    let names = || {
        let repositories = server.repositories.iter().map(|repository| repository.name.as_str());
        repositories.chain(server.tools.iter().map(|tool| tool.rsplit('/').nth(1).unwrap_or(tool)))
    };
    if names().any(|known| known.contains(name)) || server.tools.iter().any(|tool| tool.contains(name)) {
        return None;
    }
    // A repository may be named by the words of its tool in another order: `data_manager_bwa_index_builder` of `bwa_index_builder_data_manager`.
    let has_all = |known: &&str| {
        let mut own = known.split('_');
        known.split('_').next() == words.first().copied() && words.iter().all(|word| own.any(|own| own == *word))
    };
    let near = names().find(has_all)?;
    Some(
        Diagnostic::warning(format!("no installed tool has `{name}` in its id"))
            .at(entity.span, "")
            .help(did_you_mean(near)),
    )
}

/// A part of the key, if it is written as it is.
fn key(entity: &Entity, start: usize, length: usize) -> Option<Span> {
    let range = entity.span.range();
    (range.len() == entity.id.len())
        .then(|| Span::new(entity.span.source, range.start + start, range.start + start + length))
}

/// Ids of a repository that only somebody else has.
fn of_another_owner(
    linter: &Linter<'_>,
    entity: &Entity,
    path: &Path<'_>,
    names: &[&str],
    here: &BTreeSet<(&str, &str, &str)>,
) -> Option<Diagnostic> {
    let same = linter.server().repositories.iter().filter(|known| known.name == path.repository);
    let owners: Vec<&str> = same.map(|known| known.owner.as_str()).collect();
    let [owner] = owners.as_slice() else { return None };
    // An entry for each of two owners is no slip: the same tool was published twice.
    if here.iter().any(|(other, repository, _)| other == owner && *repository == path.repository) {
        return None;
    }
    // Of an owner with other repositories here, this one may be another tool that is not installed any more.
    if !names.is_empty() && path.tool != path.repository {
        return None;
    }
    let at = path.at.checked_sub(path.owner.len() + 1)?;
    let (before, after) = (entity.id.get(..at)?, entity.id.get(at + path.owner.len()..)?);
    let diagnostic = format!("`{}` has no repository `{}` on this server", path.owner, path.repository);
    Some(
        Diagnostic::warning(diagnostic)
            .at(key(entity, at, path.owner.len()).unwrap_or(entity.span), format!("`{owner}` has one of this name"))
            .help(format!("write `{before}{owner}{after}`")),
    )
}

/// Ids whose tool belongs to another repository.
fn elsewhere(linter: &Linter<'_>, entity: &Entity, here: &BTreeSet<(&str, &str, &str)>) -> Option<Diagnostic> {
    let path = Path::of(&entity.id)?;
    let server = linter.server();
    let known = |owner: &str, name: &str| {
        server.repositories.contains(&Repository { owner: owner.to_owned(), name: name.to_owned() })
    };
    let is_installed = |id: &str| {
        let start = id.trim_end_matches(".*");
        server.tools.iter().any(|tool| tool.starts_with(start))
    };
    // Without a list of what is installed, an id of an old layout of repositories looks like a mistake.
    if server.repositories.is_empty() || (!server.tools.is_empty() && is_installed(&entity.id)) {
        return None;
    }
    let span = key(entity, path.at, path.repository.len()).unwrap_or(entity.span);
    let write = |name: &str| {
        let (before, after) = entity.id.split_at_checked(path.at)?;
        Some(format!("{before}{name}{}", after.get(path.repository.len()..)?))
    };
    // The tool has the name of another repository of the owner.
    let is_own = path.tool.eq_ignore_ascii_case(path.repository);
    let beside = here.contains(&(path.owner, path.tool, path.tool));
    // A suite may hold a tool of any name, such as `freebayes/bamleftalign`; with a word in common, it is a tool of its own
    // repository in most owners' layout: `tool_odv/tool_odv_history`.
    let words = |name: &str| name.split(['_', '-']).map(str::to_lowercase).collect::<BTreeSet<_>>();
    let is_alike = !words(path.tool).is_disjoint(&words(path.repository));
    // A version of the tool that another entry is for as well may be from an older layout of the repositories.
    let has_version = !entity.id.ends_with(".*");
    // So may a tool of a suite that got a repository of its own: `maxquant/maxquant_mqpar` beside `maxquant_mqpar/maxquant_mqpar`.
    let is_of_suite = path.tool.strip_prefix(path.repository).is_some_and(|rest| rest.starts_with(['_', '-']));
    if beside && (has_version || is_of_suite) {
        return None;
    }
    let is_likely = is_alike || (known(path.owner, path.tool) && !known(path.owner, path.repository));
    if !is_own && is_likely && (known(path.owner, path.tool) || beside) {
        let (tool, repository) = (path.tool, path.repository);
        let message = format!("the tool `{tool}` is not in the repository `{repository}`");
        let label = format!("`{}` has a repository `{tool}`", path.owner);
        let diagnostic = Diagnostic::warning(message).at(span, label);
        return Some(if beside && !known(path.owner, path.tool) {
            diagnostic.help(format!("if `{repository}` is meant, name its tool: `.../{repository}/{repository}/.*`"))
        } else {
            diagnostic.help(format!("write `{}`", write(tool)?))
        });
    }
    if known(path.owner, path.repository) {
        return None;
    }
    let of_owner = server.repositories.iter().filter(|repository| repository.owner == path.owner);
    let names: Vec<&str> = of_owner.map(|repository| repository.name.as_str()).collect();
    if let Some(diagnostic) = of_another_owner(linter, entity, &path, &names, here) {
        return Some(diagnostic);
    }
    // A repository that is named as the tool is the likelier one.
    // A name that goes on where the other ends is that of another tool: `openms_rnpxl` and `openms_rnpxlsearch`.
    let goes_on = |near: &&str| {
        let begins = near.starts_with(path.repository) || path.repository.starts_with(*near);
        begins && near.len().abs_diff(path.repository.len()) > 2
    };
    let near = closest(path.repository, names.iter().copied()).filter(|near| !goes_on(near))?;
    let diagnostic =
        Diagnostic::warning(format!("`{}` has no repository `{}` on this server", path.owner, path.repository))
            .at(span, "no installed tool has this id")
            .help(did_you_mean(near));
    // Beside an entry of the right name, it is another tool, which is not installed here.
    let is_taken = here.iter().any(|(owner, repository, _)| *owner == path.owner && *repository == near);
    (!is_taken).then_some(diagnostic)
}
