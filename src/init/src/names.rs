//! The names of environments, after hosts and groups, and their order: the server that people use comes first.

use super::environment::Environment;
use super::folders::plain_name;

/// Words of names of servers that people use.
const LIVE: [&str; 5] = ["production", "prod", "main", "live", "prd"];

/// Words of names of servers to try things on.
const TRIALS: [&str; 29] = [
    "test",
    "tests",
    "testing",
    "dev",
    "devel",
    "development",
    "stage",
    "staging",
    "qa",
    "beta",
    "sandbox",
    "preprod",
    "pre",
    "preproduction",
    "training",
    "demo",
    "old",
    "uat",
    "train",
    "trial",
    "trials",
    "alpha",
    "playground",
    "acceptance",
    "acc",
    "stg",
    "tst",
    "vagrant",
    "localhost",
];

/// Words of paths and groups that say nothing of a server.
const PLAIN: [&str; 16] = [
    "group_vars",
    "host_vars",
    "vars",
    "vars_files",
    "main",
    "env",
    "environments",
    "inventories",
    "inventory",
    "templates",
    "files",
    "galaxy",
    "config",
    "all",
    "job_conf",
    "ansible",
];

/// The words of a name, without digits at their ends.
fn words(name: &str) -> impl Iterator<Item = String> {
    let words = name.split(|char: char| !char.is_alphanumeric());
    words.map(|word| word.trim_end_matches(|char: char| char.is_ascii_digit()).to_ascii_lowercase())
}

/// The part of the path of an inventory that those of the others lack. `None` if there is none.
fn apart<'a>(inventory: &'a str, others: &[&str]) -> Option<&'a str> {
    let is_apart = |part: &&str| !others.iter().any(|other| other.split('/').any(|known| known == *part));
    let part = inventory.split('/').find(is_apart)?;
    let part = part.split('.').next().unwrap_or(part);
    let rest = ["hosts", "inventory"].iter().find_map(|start| part.strip_prefix(start)).unwrap_or(part);
    let rest = rest.trim_matches(['-', '_']);
    (!rest.is_empty()).then_some(rest)
}

/// Names all environments.
pub(super) fn give(environments: &mut [Environment]) {
    let mut names: Vec<String> = Vec::new();
    for at in 0..environments.len() {
        let name = name(at, environments);
        let taken =
            names.iter().filter(|other| **other == name || other.strip_prefix(&*name).is_some_and(is_number)).count();
        // Several destinations of a job configuration may have lists.
        let holder = environments.get(at).map_or("", |environment| &environment.holder);
        let of_holder = format!("{name}-{holder}");
        names.push(match taken {
            0 => name,
            _ if !holder.is_empty() && !names.contains(&of_holder) => of_holder,
            _ => format!("{name}-{}", taken + 1),
        });
    }
    for (environment, name) in environments.iter_mut().zip(names) {
        environment.name = name;
    }
}

fn is_number(end: &str) -> bool {
    end.strip_prefix('-').is_some_and(|number| number.parse::<usize>().is_ok())
}

fn name(at: usize, environments: &[Environment]) -> String {
    let Some(own) = environments.get(at) else { return String::new() };
    let server = &own.server;
    let is_group = !server.group.is_empty() && server.group != "all";
    let Some(host) = server.hosts.first() else {
        let is_only = environments.iter().filter(|other| other.server.group == server.group).count() == 1;
        return if is_group && is_only { server.group.clone() } else { of_path(at, environments) };
    };
    if !is_group {
        return host.clone();
    }
    let of_group = || environments.iter().map(|other| &other.server).filter(|other| other.group == server.group);
    let others: Vec<&str> =
        of_group().map(|other| &*other.inventory).filter(|other| *other != server.inventory).collect();
    let label = if others.is_empty() { None } else { apart(&server.inventory, &others) };
    let beside = || of_group().filter(|other| other.inventory == server.inventory);
    let is_largest = beside().filter(|other| other.more >= server.more).count() == 1;
    match label {
        _ if beside().count() > 1 && (!is_largest || server.more == 0) => host.clone(),
        Some(label) => label.to_owned(),
        None if server.more == 0 && host.len() < server.group.len() => host.clone(),
        None => server.group.clone(),
    }
}

/// A name from the path of the list, if nothing says which server has it: the beginning of `dev_job_conf.yml.j2`, the folder below `env`, or a part that
/// no other list has.
fn of_path(at: usize, environments: &[Environment]) -> String {
    let parts = |environment: &Environment| -> Vec<String> {
        let file = environment.from.rsplit_once(':').map_or(&*environment.from, |(file, _)| file);
        let mut parts: Vec<String> = file.split('/').map(str::to_owned).collect();
        if let Some(last) = parts.last_mut() {
            let stem = plain_name(last).split('.').next().unwrap_or("");
            *last = stem.trim_end_matches("job_conf").trim_end_matches(['_', '-']).to_owned();
        }
        parts
    };
    let all: Vec<Vec<String>> = environments.iter().map(parts).collect();
    let Some(own) = all.get(at) else { return String::new() };
    let is_telling = |part: &&String| !part.is_empty() && !PLAIN.contains(&part.as_str());
    let is_apart = |part: &&String| all.iter().enumerate().all(|(other, parts)| other == at || !parts.contains(part));
    let below = own.iter().position(|part| ["env", "environments", "inventories"].contains(&part.as_str()));
    let name = below.and_then(|at| own.get(at + 1)).or_else(|| own.iter().rev().filter(is_telling).find(is_apart));
    let name = name.filter(|name| all.len() > 1 && !name.is_empty());
    name.map_or("main", |name| name.split('.').next().unwrap_or(name)).to_owned()
}

/// Puts the server that people use first, and those that no inventory has last. Notes why the first is the first.
pub(super) fn order(environments: &mut [Environment]) {
    environments.sort_by_key(|environment| {
        let (score, _) = score(environment);
        (environment.server.is_left, std::cmp::Reverse(score), environment.name.clone())
    });
    let is_one = environments.len() < 2;
    if let Some(first) = environments.first_mut().filter(|_| !is_one) {
        let (_, why) = score(first);
        first.is_default = Some(why);
    }
}

/// A number that is higher for a server that people use, and the reason.
fn score(environment: &Environment) -> (i32, String) {
    let server = &environment.server;
    let has = |name: &str, known: &[&str]| words(name).any(|word| known.contains(&&*word));
    let names = || std::iter::once(&environment.name).chain(&server.hosts).chain(&server.groups);
    let trial = names().find(|name| has(name, &TRIALS));
    let live = names().find(|name| has(name, &LIVE));
    let is_known = names().any(|name| name.to_ascii_lowercase().contains("usegalaxy")) || environment.name == "galaxy";
    let mut score = i32::from(is_known) * 2;
    score += i32::from(has(&server.inventory, &LIVE)) - i32::from(has(&server.inventory, &TRIALS)) * 2;
    let why = match (live, trial) {
        (_, Some(_)) => {
            score -= 4;
            "no other looks more like the server that people use".to_owned()
        }
        (Some(live), None) => {
            score += 4;
            if *live == environment.name { "by its name".to_owned() } else { format!("by its group or host `{live}`") }
        }
        (None, None) if is_known => "by its name".to_owned(),
        (None, None) if has(&server.inventory, &LIVE) => format!("by its inventory `{}`", server.inventory),
        (None, None) => "no other looks more like the server that people use".to_owned(),
    };
    (score, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inventories_are_told_apart() {
        assert_eq!(apart("env/main/inventory", &["env/test/inventory"]), Some("main"));
        assert_eq!(apart("hosts-psu", &["hosts-lrn", "hosts"]), Some("psu"));
        assert_eq!((apart("hosts", &["hosts.test"]), apart("a/hosts", &["a/hosts"])), (None, None));
    }

    #[test]
    fn words_lose_their_numbers() {
        assert_eq!(words("galaxy-qa1.cloud_2").collect::<Vec<_>>(), ["galaxy", "qa", "cloud", ""]);
    }
}
