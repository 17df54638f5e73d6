//! The servers that have a list of configs, each with the files of variables that Ansible has for it: those of its groups and hosts, of its play, and of the play's
//! `vars_files`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tpv_config::template::{VAULT, variable_files};
use tpv_text::figures;

use super::environment::{Environment, Guess, Inherited, Server};
use super::folders::{join, mentions, plain_name, role};
use super::inventory::Inventory;
use super::lists::List;
use super::plays::{self, Play};
use super::scan::Repository;
use super::variables::{OF_ALL, OF_GROUP};

/// The most hosts that are looked at for a list.
const MOST_HOSTS: usize = 48;

/// The servers that lists may be of.
pub(super) struct Servers<'a> {
    repository: &'a Repository,
    plays: Vec<Play>,
    /// The inventories by the folder of a playbook.
    inventories: RefCell<BTreeMap<String, Rc<[Inventory]>>>,
}

/// A list, with what is known of the servers that have it.
struct Listed<'a> {
    list: &'a List,
    /// The name of the job configuration that the list is in.
    job_conf: Option<&'a str>,
    /// The folder with `group_vars`.
    base: String,
    /// The group or host whose variables have the list.
    owner: Option<String>,
    /// The files that name the job configuration, and those that do not.
    naming: RefCell<BTreeMap<String, bool>>,
}

impl<'a> Servers<'a> {
    /// The servers of a repository.
    pub(super) fn of(repository: &'a Repository) -> Self {
        Self { repository, plays: plays::of(repository), inventories: RefCell::default() }
    }

    fn inventories(&self, folder: &str) -> Rc<[Inventory]> {
        let mut known = self.inventories.borrow_mut();
        let read = || Inventory::all(folder, self.repository).into();
        known.entry(folder.to_owned()).or_insert_with(read).clone()
    }

    /// The servers that have a list, each with its variables, but without configs.
    pub(super) fn with(&self, list: &List) -> Vec<Environment> {
        let base = base(list, self.repository);
        let below = |part: &str| list.file.strip_prefix(&join(&base, part));
        let owner = below("group_vars/").or_else(|| below("host_vars/")).map(|rest| stem(rest).to_owned());
        let job_conf = list.job_conf.as_deref().filter(|path| *path != list.file || owner.is_none());
        let job_conf = job_conf.and_then(|path| path.rsplit('/').next());
        let naming: RefCell<BTreeMap<String, bool>> = RefCell::default();
        let mut listed = Listed { list, job_conf, base, owner, naming };
        // A job configuration for several inventories may be in a folder of its own.
        let is_direct = self.plays.iter().any(|play| lists_it(play, list));
        let is_shared = listed.owner.is_none() && !is_direct && self.owners(&listed).is_empty();
        let others = if is_shared { self.bases(&listed) } else { Vec::new() };
        if others.is_empty() {
            return self.below(&listed);
        }
        let mut found = Vec::new();
        for base in others {
            listed.base = base;
            found.extend(self.below(&listed));
        }
        found
    }

    /// The servers below the folder of a list.
    fn below(&self, listed: &Listed<'_>) -> Vec<Environment> {
        let plays = self.plays_with(listed);
        let mut found: Vec<Environment> = Vec::new();
        for play in &plays {
            // A host of several plays is one server.
            let mut new = self.of_play(play, listed);
            new.retain(|new| !found.iter().any(|known| known.host.is_some() && known.host == new.host));
            found.extend(new);
        }
        if plays.is_empty() {
            found = self.of_groups(listed);
        }
        found
    }

    /// The folders with `group_vars` or `host_vars` that name the job configuration.
    fn bases(&self, listed: &Listed<'_>) -> Vec<String> {
        let base = |file: &&String| {
            let (base, _) = file.split_once("group_vars/").or_else(|| file.split_once("host_vars/"))?;
            (base.is_empty() || base.ends_with('/')).then(|| base.trim_end_matches('/').to_owned())
        };
        let files = self.repository.names().filter(|file| base(file).is_some() && self.names_it(file, listed));
        let mut bases: Vec<String> = files.filter_map(|file| base(&file)).collect();
        bases.sort();
        bases.dedup();
        bases
    }

    /// Returns `true` if a file of variables names the job configuration, or has the list.
    fn names_it(&self, file: &str, listed: &Listed<'_>) -> bool {
        let Some(name) = listed.job_conf.filter(|_| file != listed.list.file) else { return file == listed.list.file };
        let names_it = || self.repository.plain(file).is_some_and(|text| mentions(&text, name));
        *listed.naming.borrow_mut().entry(file.to_owned()).or_insert_with(names_it)
    }

    /// The groups and hosts whose variables have the list, or name the job configuration.
    fn owners(&self, listed: &Listed<'_>) -> Vec<String> {
        if let Some(owner) = &listed.owner {
            return vec![owner.clone()];
        }
        let parts = [join(&listed.base, "group_vars/"), join(&listed.base, "host_vars/")];
        let rest = |file: &'a String| parts.iter().find_map(|part| file.strip_prefix(part));
        let files = self.repository.names().filter_map(|file| Some((file, rest(file)?)));
        let mut owners: Vec<String> =
            files.filter(|(file, _)| self.names_it(file, listed)).map(|(_, rest)| stem(rest).to_owned()).collect();
        owners.dedup();
        owners
    }

    /// The plays of the servers with a list, one for each pattern of hosts: those that install Galaxy, else those that name the list, else the one that
    /// names the job configuration most.
    fn plays_with(&self, listed: &Listed<'_>) -> Vec<&Play> {
        let owners = self.owners(listed);
        let covers = |play: &Play| {
            let is_owner = |name: &String| {
                owners.contains(name) || (play.runs_galaxy && owners.iter().any(|owner| owner == "all"))
            };
            let has_host = |inventory: &Inventory| {
                let hosts: BTreeSet<&str> = inventory.hosts(&play.hosts).into_iter().collect();
                owners
                    .iter()
                    .any(|owner| inventory.hosts(std::slice::from_ref(owner)).iter().any(|host| hosts.contains(host)))
            };
            play.hosts.iter().any(is_owner)
                || (play.runs_galaxy
                    && [&*listed.base, play.folder()]
                        .iter()
                        .any(|folder| self.inventories(folder).iter().any(has_host)))
        };
        let weight = |play: &Play| {
            let named = play.vars_files.iter().filter(|file| self.names_it(file, listed)).count();
            let is_put = listed.job_conf.is_some_and(|name| mentions(&play.text, name.trim_end_matches(".j2")));
            (lists_it(play, listed.list), named + usize::from(is_put), play.runs_galaxy && covers(play))
        };
        let known = self.plays.iter().filter(|play| !play.hosts.is_empty());
        let mut plays: Vec<_> = known.map(|play| (weight(play), play)).collect();
        plays.retain(|(weight, _)| *weight != (false, 0, false));
        // A playbook for one part of the work has a longer name than that of the whole server.
        plays.sort_by_key(|(weight, play)| {
            let weight = std::cmp::Reverse((*weight, play.runs_galaxy));
            (weight, play.file.len(), std::cmp::Reverse(play.vars_files.len()))
        });
        let runs_galaxy = plays.iter().any(|(_, play)| play.runs_galaxy);
        let is_listed = plays.iter().any(|((lists_it, ..), _)| *lists_it);
        let mut chosen: Vec<&Play> = Vec::new();
        for ((lists, ..), play) in &plays {
            let counts = match (runs_galaxy, is_listed) {
                (true, _) => play.runs_galaxy,
                (false, true) => *lists,
                (false, false) => chosen.is_empty(),
            };
            if counts && !chosen.iter().any(|known| known.hosts == play.hosts) {
                chosen.push(play);
            }
        }
        chosen
    }

    /// The hosts that are looked at. Notes that there are more.
    fn first<'h>(&self, mut hosts: Vec<&'h str>, group: &str, inventory: &Inventory) -> Vec<&'h str> {
        if hosts.len() > MOST_HOSTS {
            let count = figures::grouped(hosts.len() as u64);
            self.repository.leave_out(
                &inventory.file,
                &format!("`{group}` has {count} hosts: the first {MOST_HOSTS} are looked at"),
            );
            hosts.truncate(MOST_HOSTS);
        }
        hosts
    }

    /// The servers of a play that have a list.
    fn of_play(&self, play: &Play, listed: &Listed<'_>) -> Vec<Environment> {
        let mut found = Vec::new();
        let (mut is_inventory, from) = (false, play.place());
        let names_it = play.vars_files.iter().any(|file| self.names_it(file, listed));
        let owners = if names_it && listed.owner.is_none() { Vec::new() } else { self.owners(listed) };
        let is_of_all = owners.iter().any(|owner| owner == "all");
        for folder in [&*listed.base, play.folder()] {
            let inventories = self.inventories(folder);
            is_inventory |= !inventories.is_empty();
            for inventory in inventories.iter() {
                let mut hosts = inventory.hosts(&play.hosts);
                // The variables of some of the hosts may name another job configuration.
                let owned: BTreeSet<&str> = inventory.hosts(&owners).into_iter().collect();
                if listed.owner.is_some() || hosts.iter().any(|host| owned.contains(host)) {
                    hosts.retain(|host| is_of_all || owned.contains(host));
                }
                let group = play.hosts.iter().find(|name| inventory.has_group(name));
                let group = listed.owner.as_ref().filter(|owner| inventory.has_group(owner)).or(group);
                let is_name = |name: &&String| !name.contains(['*', '?']);
                let group = group.or(play.hosts.first().filter(is_name)).map_or("", String::as_str);
                for host in self.first(hosts, group, inventory) {
                    let mut files = Files::new(&from);
                    let mut environment = files.of_host(inventory, host, group, play.folder());
                    files.of_play(play);
                    self.give(files, listed, &mut environment);
                    found.push(environment);
                }
            }
            if !found.is_empty() {
                return found;
            }
        }
        let name = listed.owner.as_ref().or(play.hosts.first()).cloned().unwrap_or_default();
        let mut files = Files::new(&from);
        files.add(join(play.folder(), "group_vars/all"), OF_ALL);
        for host in &play.hosts {
            files.add(join(play.folder(), &format!("group_vars/{host}")), &from);
            files.add(join(play.folder(), &format!("host_vars/{host}")), &from);
        }
        files.of_play(play);
        let server =
            Server { group: name, is_left: is_inventory, folder: play.folder().to_owned(), ..Server::default() };
        let mut environment = Environment { server, ..Environment::default() };
        self.give(files, listed, &mut environment);
        vec![environment]
    }

    /// The servers of the groups and hosts whose variables have a list, or name the job configuration, if no play says more.
    fn of_groups(&self, listed: &Listed<'_>) -> Vec<Environment> {
        let (owners, base, from) = (self.owners(listed), listed.base.as_str(), listed.list.place());
        let mut found = Vec::new();
        for inventory in self.inventories(base).iter() {
            for owner in &owners {
                let hosts = inventory.hosts(std::slice::from_ref(owner));
                for host in self.first(hosts, owner, inventory) {
                    let mut files = Files::new(&from);
                    let mut environment = files.of_host(inventory, host, owner, base);
                    self.give(files, listed, &mut environment);
                    found.push(environment);
                }
            }
        }
        if !found.is_empty() {
            return found;
        }
        let mut files = Files::new(&from);
        files.add(join(base, "group_vars/all"), OF_ALL);
        let is_there = |group: &&str| self.repository.root.join(join(base, &format!("group_vars/{group}"))).exists();
        let usual =
            ["galaxyservers", "galaxyservers.yml"].into_iter().filter(|group| owners.is_empty() && is_there(group));
        for group in owners.iter().map(String::as_str).chain(usual).filter(|group| *group != "all") {
            files.add(join(base, &format!("group_vars/{group}")), "the group of the server");
            files.add(join(base, &format!("host_vars/{group}")), &from);
        }
        let server = Server {
            group: listed.owner.clone().unwrap_or_default(),
            is_left: listed.owner.is_some() && !self.inventories(base).is_empty(),
            folder: base.to_owned(),
            ..Server::default()
        };
        let mut environment = Environment { server, ..Environment::default() };
        self.give(files, listed, &mut environment);
        vec![environment]
    }

    /// Gives a server the files of variables that are there, and notes the others.
    fn give(&self, mut files: Files, listed: &Listed<'_>, environment: &mut Environment) {
        environment.job_conf.clone_from(&listed.list.job_conf);
        let repository = self.repository;
        // Tasks may include the variables.
        if listed.owner.is_none() && listed.list.file.contains("vars/") {
            files.add(listed.list.file.clone(), &listed.list.place());
        }
        // A file of a folder that is named by itself, too, counts there.
        let named: BTreeSet<PathBuf> = files.given.iter().map(|file| repository.root.join(&file.value)).collect();
        let host = environment.host.as_ref().map(|host| host.value.clone());
        for Guess { value, from } in files.given {
            let value = host.iter().fold(value, |value, host| of_host(&value, host));
            let path = repository.root.join(&value);
            let endings = ["", ".yml", ".yaml", ".json"].map(|end| PathBuf::from(format!("{}{end}", path.display())));
            let Some(path) = endings.into_iter().find(|path| path.exists() && !value.contains("{{")) else {
                // Groups and hosts mostly have no files of their own.
                if !from.starts_with("of ") && !value.contains("group_vars/") && !value.contains("host_vars/") {
                    let why = match repository.submodule(&value) {
                        Some(module) => {
                            format!("in the submodule `{module}`, which is not checked out; {from} names it")
                        }
                        None => format!("not in this repository; {from} names it"),
                    };
                    environment.left_out.push(Guess { value, from: why });
                }
                continue;
            };
            let is_folder = path.is_dir();
            for file in variable_files(&[path]).into_iter().filter(|file| !is_folder || !named.contains(file)) {
                let name = repository.relative(&file);
                let is_known = |known: &Guess<String>| known.value == name;
                if is_encrypted(&file) {
                    if !environment.left_out.iter().any(is_known) {
                        environment.left_out.push(Guess { value: name, from: "encrypted".to_owned() });
                    }
                } else if !environment.vars.iter().any(is_known) {
                    environment.vars.push(Guess { value: name, from: from.clone() });
                }
            }
        }
    }
}

/// Returns `true` if a play has the list, names its file, or has the role that it is in.
fn lists_it(play: &Play, list: &List) -> bool {
    let role = role(&list.file).map(plain_name);
    play.vars_files.contains(&list.file)
        || play.file == list.file
        || role.is_some_and(|role| play.roles.iter().any(|known| plain_name(known) == role))
}

/// A path with the name of the host in place of `{{ inventory_hostname }}`.
fn of_host(path: &str, host: &str) -> String {
    ["{{ inventory_hostname }}", "{{inventory_hostname}}"]
        .iter()
        .fold(path.to_owned(), |path, name| path.replace(name, host))
}

/// The first folder of a path, or its file without the ending.
fn stem(rest: &str) -> &str {
    let name = rest.split('/').next().unwrap_or(rest);
    [".yml", ".yaml", ".json"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// The files of variables of a server, in the order in which Ansible reads them, each with the place that names it.
struct Files {
    given: Vec<Guess<String>>,
    from: String,
}

impl Files {
    fn new(from: &str) -> Self {
        Self { given: Vec::new(), from: from.to_owned() }
    }

    fn add(&mut self, path: String, from: &str) {
        self.given.push(Guess { value: path, from: from.to_owned() });
    }

    /// Adds the files of a host: those of its groups, outer before inner, and its own.
    fn of_host(&mut self, inventory: &Inventory, host: &str, group: &str, folder: &str) -> Environment {
        let mut folders = vec![inventory.folder.clone(), folder.to_owned()];
        folders.dedup();
        let mut each = |path: &str, from: &str| folders.iter().for_each(|folder| self.add(join(folder, path), from));
        each("group_vars/all", OF_ALL);
        let groups = inventory.groups(host);
        for group in &groups {
            each(&format!("group_vars/{group}"), &format!("{OF_GROUP} `{host}` in {}", inventory.file));
        }
        let from = self.from.clone();
        folders.iter().for_each(|folder| self.add(join(folder, &format!("host_vars/{host}")), &from));
        let server = Server {
            group: group.to_owned(),
            inventory: inventory.file.clone(),
            hosts: vec![host.to_owned()],
            more: 0,
            groups: groups.into_iter().map(str::to_owned).collect(),
            is_left: false,
            folder: folder.to_owned(),
        };
        Environment {
            server,
            inventory: Inherited { of_groups: inventory.of_groups(host), of_host: inventory.of_host(host) },
            host: Some(Guess { value: host.to_owned(), from: inventory.file.clone() }),
            ..Environment::default()
        }
    }

    /// Adds the variables of a play.
    fn of_play(&mut self, play: &Play) {
        let from = play.place();
        if play.has_vars {
            self.add(play.file.clone(), &from);
        }
        play.vars_files.iter().for_each(|file| self.add(file.clone(), &from));
    }
}

/// Returns `true` for a file that Ansible Vault encrypts.
fn is_encrypted(path: &Path) -> bool {
    let read = tpv_text::open::open(path).and_then(|file| {
        let mut start = [0; VAULT.len()];
        std::io::Read::read_exact(&mut { file }, &mut start).map(|()| start)
    });
    read.is_ok_and(|start| start == *VAULT.as_bytes())
}

/// The folder with `group_vars` for a list.
fn base(list: &List, repository: &Repository) -> String {
    for part in ["group_vars/", "host_vars/"] {
        if let Some((base, _)) = list.file.split_once(part)
            && (base.is_empty() || base.ends_with('/'))
        {
            return base.trim_end_matches('/').to_owned();
        }
    }
    let mut folder = list.file.as_str();
    while let Some((above, _)) = folder.rsplit_once('/') {
        if repository.root.join(above).join("group_vars").is_dir() {
            return above.to_owned();
        }
        folder = above;
    }
    String::new()
}
