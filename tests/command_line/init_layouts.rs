//! Layouts of repositories that `tpvc init` knows: each server in them is an environment, with the TPV of its time.

use std::path::Path;
use std::process::Command;

use crate::support::server::Server;
use crate::support::{git, run, site as repository, stderr, stdout};

/// The names of the environments, in their order.
fn environments(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("tpvc.toml")).unwrap();
    let headers = text.lines().filter_map(|line| line.strip_prefix("[environments.")?.strip_suffix(']'));
    let names = headers.filter(|name| !name.ends_with(".server") && !name.ends_with(".variables"));
    names.map(|name| name.trim_matches('"').to_owned()).collect()
}

fn written(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("tpvc.toml")).unwrap()
}

/// The part of the settings that an environment has, in front of the next one.
fn part(written: &str, name: &str) -> String {
    let start = written.find(name).unwrap_or_else(|| panic!("{name}: {written}"));
    let rest = &written[start + name.len()..];
    rest[..rest.find("\n[environments").unwrap_or(rest.len())].to_owned()
}

const RULES: &str = "tools:\n  bwa:\n    cores: 2\n    mem: 4\n";

fn destination(name: &str) -> String {
    format!("{RULES}destinations:\n  {name}:\n    runner: slurm\n")
}

const JOB_CONFIG: &str = "\
galaxy_job_config:
  runners: {slurm: {load: \"galaxy.jobs.runners.slurm:SlurmJobRunner\"}}
  execution:
    environments:
      tpv: {runner: dynamic, rules_module: tpv.rules, tpv_config_files: ['{{ tpv_dir }}/shared.yml', '{{ tpv_dir }}/rules_{{ inventory_hostname }}.yml']}
galaxy_config_templates:
  - {src: templates/shared.yml.j2, dest: '{{ tpv_dir }}/shared.yml'}
galaxy_config_files:
  - src: \"{{ lookup('first_found', ['files/'+inventory_hostname+'/rules.yml', 'files/rules.yml']) }}\"
    dest: \"{{ tpv_copies }}/rules_{{ inventory_hostname }}.yml\"
tpv_dir: /srv/tpv
tpv_copies: /srv/copies
";

/// The lists of roles say which file is put where on each host.
#[test]
fn each_host_has_the_files_that_roles_put_there() {
    let site = repository(&[
        (
            "hosts.yml",
            "galaxyservers:\n  hosts:\n    try.example.org: {}\n    usegalaxy.example: {}\nproduction:\n  hosts:\n    usegalaxy.example: {}\n",
        ),
        ("galaxy.yml", "- hosts: galaxyservers\n  roles: [galaxyproject.galaxy]\n"),
        ("group_vars/galaxyservers.yml", JOB_CONFIG),
        ("templates/shared.yml.j2", "tools:\n  default:\n    abstract: true\n    mem: 4\n"),
        ("files/rules.yml", &destination("common")),
        ("files/usegalaxy.example/rules.yml", &destination("own")),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("environment usegalaxy.example: the default, by its group or host `production`"), "{said}");
    assert_eq!(environments(site.path()), ["usegalaxy.example", "try.example.org"], "{said}");
    let written = written(site.path());
    let own = part(&written, "[environments.\"usegalaxy.example\"]");
    assert!(own.contains("\"templates/shared.yml.j2\",\n  \"files/usegalaxy.example/rules.yml\","), "{written}");
    let other = part(&written, "[environments.\"try.example.org\"]");
    assert!(other.contains("\"templates/shared.yml.j2\",\n  \"files/rules.yml\","), "{written}");
    for (name, expected) in [("usegalaxy.example", "own:"), ("try.example.org", "common:")] {
        let (status, said) = run(site.path(), &["dump", "--environment", name]);
        assert!(status == 0 && said.contains(expected) && said.contains("mem: 4"), "{name}: {said}");
    }
}

/// One job configuration, which three plays name among their variables; a fourth group is in no inventory, and a play for workers is no server.
#[test]
fn each_play_with_the_list_is_an_environment() {
    let play = |hosts: &str| {
        format!(
            "- hosts: {hosts}\n  vars_files: [group_vars/ids.yml, templates/job_conf.yml]\n  roles: [galaxyproject.galaxy]\n"
        )
    };
    let job_conf = "jobconf:\n  plugins:\n  - {id: slurm, load: x}\n  tpv_config_files:\n  - /srv/rules.yml\n";
    let of_group = |release: &str| format!("partition: {release}\ngalaxy_commit_id: release_{release}_site\n");
    let site = repository(&[
        (
            "inventory",
            "[galaxy_dev]\ndev.example.org\n[galaxy_prod]\nnode7.example.org\n[galaxy_two]\ntwo.example.org\n[workers]\nnode7.example.org\n",
        ),
        ("dev.yml", &play("galaxy_dev")),
        ("prod.yml", &play("galaxy_prod")),
        ("two.yml", &play("galaxy_two")),
        ("gone.yml", &play("galaxy_2020")),
        ("workers.yml", "- hosts: workers\n  vars_files: [group_vars/ids.yml]\n  roles: [galaxyproject.galaxy]\n"),
        ("group_vars/ids.yml", "- dev: {uid: 999}\n- prod: {uid: 1000}\n"),
        ("group_vars/galaxy_dev.yml", &of_group("26.1")),
        ("group_vars/galaxy_prod.yml", &of_group("25.0")),
        ("group_vars/galaxy_two.yml", &of_group("25.1")),
        ("group_vars/galaxy_2020.yml", "partition: old\n"),
        ("templates/job_conf.yml", job_conf),
        (
            "files/rules.yml.j2",
            "destinations:\n  local:\n    runner: slurm\n    params:\n      p: '{{ partition }} {{ dev.uid }} {{ prod.uid }}'\n",
        ),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert_eq!(status, 0, "{said}");
    assert_eq!(environments(site.path()), ["galaxy_prod", "galaxy_two", "galaxy_dev", "galaxy_2020"], "{said}");
    assert!(said.contains("environment galaxy_2020: no inventory has this group or host"), "{said}");
    let written = written(site.path());
    for (name, version) in [("galaxy_prod", "2.5.0"), ("galaxy_two", "3.3.0"), ("galaxy_dev", "3.3.0")] {
        let part = part(&written, &format!("[environments.{name}]"));
        assert!(part.contains(&format!("\ntpv = \"{version}\"\n")), "{name}: {written}");
        assert!(part.contains("asks for total-perspective-vortex>="), "{name}: {written}");
    }
    let (status, said) = run(site.path(), &["dump"]);
    assert!(status == 0 && said.contains("25.0 999 1000"), "{said}");
    // Each verb speaks the environment's version.
    let (status, said) = run(site.path(), &["lint", "--environment", "galaxy_prod"]);
    assert_eq!(status, 0, "{said}");
}

/// An inventory a server, with the same groups in both; the configs are in flow style.
#[test]
fn inventories_with_the_same_groups_are_told_apart() {
    let site = repository(&[
        (
            "hosts-live",
            "[galaxyservers]\nlive1.example.org\nlive2.example.org\n[live]\nlive1.example.org\nlive2.example.org\n",
        ),
        ("hosts-test", "[galaxyservers]\ntest.example.org\n[test]\ntest.example.org\n"),
        ("galaxy.yml", "- hosts: galaxyservers[0]\n  roles:\n  - role: galaxyproject.galaxy\n"),
        ("group_vars/galaxyservers.yml", "{my_tpv_config_files: [/srv/tools.yml]}\n"),
        ("group_vars/live.yml", "cores: 8\n"),
        ("group_vars/test.yml", "cores: 1\n"),
        ("templates/tools.yml.j2", "{tools: {bwa: {cores: '{{ cores }}', mem: 4}}}\n"),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert_eq!(status, 0, "{said}");
    assert_eq!(environments(site.path()), ["live", "test"], "{said}");
    assert!(written(site.path()).contains("# the same on live1.example.org, live2.example.org\n"), "{said}");
    for (name, cores) in [("live", "cores: 8"), ("test", "cores: 1")] {
        let (status, said) = run(site.path(), &["dump", "--environment", name]);
        assert!(status == 0 && said.replace('\'', "").contains(cores), "{name}: {said}");
    }
}

/// Folders of inventories with `group_vars` of their own, beside the one that `ansible.cfg` names; tasks that put files there in other ways.
#[test]
fn folders_of_inventories_are_servers_of_their_own() {
    let vars = |cores: u32| format!("tpv_files: [/srv/tools.yml, /srv/places.yml]\ncores: {cores}\n");
    let tasks = "- hosts: web\n  tasks:\n  - include_role: {name: galaxyproject.galaxy}\n  - template: src=tpv/our_tools.yml.j2 dest=/srv/tools.yml\n  - template:\n      src: '{{ item.src }}'\n      dest: '{{ item.dest }}'\n    loop:\n    - {src: tpv/our_places.yml, dest: /srv/places.yml}\n";
    let job_conf =
        "galaxy_job_config:\n  execution:\n    environments:\n      tpv: {tpv_config_files: '{{ tpv_files }}'}\n";
    let site = repository(&[
        ("ansible.cfg", "[defaults]\ninventory = inventories/production\n"),
        ("inventories/production/hosts", "[web]\nwww.example.org\n"),
        ("inventories/production/group_vars/web.yml", &vars(8)),
        ("inventories/staging/hosts", "[web]\nwww2.example.org\n"),
        ("inventories/staging/group_vars/web.yml", &vars(2)),
        ("group_vars/web.yml", job_conf),
        ("galaxy.yml", tasks),
        ("templates/tpv/our_tools.yml.j2", "tools:\n  bwa:\n    cores: {{ cores }}\n"),
        (
            "templates/tpv/our_places.yml",
            "destinations:\n  local:\n    runner: slurm\n    max_accepted_cores: {{ cores }}\n",
        ),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert_eq!(status, 0, "{said}");
    assert_eq!(environments(site.path()), ["production", "staging"], "{said}");
    for (name, cores) in [("production", 8), ("staging", 2)] {
        let (status, said) = run(site.path(), &["dump", "--environment", name]);
        let expected = [format!("cores: {cores}"), format!("max_accepted_cores: {cores}")];
        assert!(status == 0 && expected.iter().all(|part| said.contains(part)), "{name}: {said}");
    }
}

/// Variables that plays take in other ways: a file by the name of the host, the first file of a list that is there, and those that tasks include.
#[test]
fn plays_take_variables_in_many_ways() {
    let play = "- hosts: web\n  vars_files:\n  - 'vars/{{ inventory_hostname }}.yml'\n  - [vars/gone.yml, vars/there.yml]\n  - '{{ playbook_dir }}/vars/beside.yml'\n  pre_tasks:\n  - include_vars: more.yml\n  - ansible.builtin.include_vars: {file: vars/most.yml}\n  roles:\n  - role: galaxyproject.galaxy\n    vars:\n      galaxy_config_templates:\n      - {src: tpv.yml, dest: /srv/rules.yml}\n";
    let job_conf = "execution:\n  environments:\n    tpv:\n      tpv_config_files: [/srv/rules.yml]\n";
    let values = "'{{ own }} {{ there }} {{ beside }} {{ more }} {{ most }}'";
    let site = repository(&[
        ("hosts", "[web]\nwww.example.org\n"),
        ("galaxy.yml", play),
        ("group_vars/web.yml", &format!("galaxy_job_config:\n  {}", job_conf.replace('\n', "\n  ").trim_end())),
        ("vars/www.example.org.yml", "own: a\n"),
        ("vars/there.yml", "there: b\n"),
        ("vars/beside.yml", "beside: c\n"),
        ("vars/more.yml", "more: d\n"),
        ("vars/most.yml", "most: e\n"),
        ("templates/tpv.yml", &format!("destinations:\n  local:\n    runner: slurm\n    params: {{v: {values}}}\n")),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && !said.contains("without a value"), "{said}");
    let (status, said) = run(site.path(), &["dump"]);
    assert!(status == 0 && said.contains("a b c d e"), "{said}");
}

/// Job configurations in a folder for all inventories, of which the variables of a group name one, and those of a host another.
#[test]
fn each_host_has_the_job_configuration_that_its_variables_name() {
    let job_conf = |rules: &str| {
        format!("runners: {{}}\nexecution:\n  environments:\n    tpv: {{tpv_config_files: [/srv/{rules}.yml]}}\n")
    };
    let names = |file: &str| format!("galaxy_config_templates:\n- {{src: common/{file}, dest: /srv/job_conf.yml}}\n");
    let site = repository(&[
        ("env/live/hosts", "[galaxyservers]\na.example.org\nb.example.org\nspecial.example.org\n"),
        ("env/try/hosts", "[galaxyservers]\ntry.example.org\n"),
        ("env/live/group_vars/galaxyservers.yml", &names("job_conf.yml.j2")),
        ("env/live/host_vars/special.example.org.yml", &names("special_job_conf.yml.j2")),
        ("env/try/group_vars/galaxyservers.yml", &names("job_conf.yml.j2")),
        ("common/galaxy.yml", "- hosts: galaxyservers\n  roles: [galaxyproject.galaxy]\n"),
        ("common/group_vars/all.yml", "a: b\n"),
        ("common/job_conf.yml.j2", &job_conf("usual")),
        ("common/special_job_conf.yml.j2", &job_conf("special")),
        ("common/usual.yml", &destination("usual")),
        ("common/special.yml", &destination("special")),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert_eq!(status, 0, "{said}");
    assert_eq!(environments(site.path()), ["live", "special.example.org", "try"], "{said}");
    let written = written(site.path());
    for (name, file) in [("live", "usual"), ("\"special.example.org\"", "special"), ("try", "usual")] {
        let part = part(&written, &format!("[environments.{name}]"));
        assert!(part.contains(&format!("files = [\n  \"common/{file}.yml\",\n]")), "{name}: {written}");
    }
}

/// The version of TPV that a repository says, and the places that disagree.
#[test]
fn the_version_comes_from_the_repository() {
    let job_conf =
        ("job_conf.yml", "runners: {}\nexecution:\n  environments:\n    tpv: {tpv_config_files: [tpv.yml]}\n");
    let versions = |files: &[(&str, &str)]| {
        let all = [&[job_conf, ("tpv.yml", RULES)], files].concat();
        let (status, said) = run(repository(&all).path(), &["init", "--print"]);
        assert_eq!(status, 0, "{said}");
        let said: Vec<String> = said
            .lines()
            .filter(|line| ["TPV", "tpv =", "asks for"].iter().any(|part| line.contains(part)))
            .map(str::to_owned)
            .collect();
        said.join("\n")
    };
    let said = versions(&[]);
    assert!(
        said.contains("no version of TPV or Galaxy is named: TPV 3.3 is assumed") && !said.contains("tpv ="),
        "{said}"
    );
    let said = versions(&[("requirements.txt", "galaxy\ntotal-perspective-vortex[cli]==3.1.3\n")]);
    assert!(said.contains("TPV 3.1.3: `==3.1.3` in requirements.txt:2") && said.contains("tpv = \"3.1.3\""), "{said}");
    let task = "- hosts: all\n  tasks:\n  - pip:\n      name: total-perspective-vortex==3.2.1\n";
    let said = versions(&[("requirements.txt", "total-perspective-vortex==2.5.0\n"), ("play.yml", task)]);
    assert!(said.contains("TPV 3.2.1: `==3.2.1` in play.yml:4") && said.contains("tpv = \"3.2.1\""), "{said}");
    assert!(said.contains("`==2.5.0` in requirements.txt:1 says TPV 2.5.0"), "{said}");
    let task = ("roles/tpv/tasks/main.yml", "- pip: {name: 'total-perspective-vortex=={{ version_of_tpv }}'}\n");
    let said = versions(&[task, ("roles/tpv/defaults/main.yml", "version_of_tpv: 3.0.1\n")]);
    assert!(
        said.contains("in roles/tpv/tasks/main.yml:1, with `version_of_tpv` in roles/tpv/defaults/main.yml:1"),
        "{said}"
    );
    assert!(said.contains("tpv = \"3.0.1\""), "{said}");
    let said = versions(&[("uv.lock", "[[package]]\nname = \"total-perspective-vortex\"\nversion = \"9.9.9\"\n")]);
    assert!(
        said.contains("tpvc does not know TPV 9.9.9: 3.3 is the nearest") && said.contains("tpv = \"3.3\""),
        "{said}"
    );
    let vars = "galaxy_commit_id: 19a4426abb8e304bab22e8559c6dfaf57f59ad90 # release_23.1\n";
    let said = versions(&[("group_vars/galaxyservers.yml", vars)]);
    assert!(said.contains("tpv = \"2.5.0\"") && said.contains("asks for total-perspective-vortex>=2.3.2,<3"), "{said}");
    let said = versions(&[("group_vars/galaxyservers.yml", &format!("{vars}tpv_version: '{{{{ v }}}}'\nv: 3.1.0\n"))]);
    assert!(said.contains("TPV 3.1.0: `tpv_version` in group_vars/galaxyservers.yml:2"), "{said}");
    assert!(said.contains("asks for total-perspective-vortex>=2.3.2,<3"), "both are said: {said}");
}

/// A version that follows from Galaxy's release, or that is assumed, gives way to one that loads the files; a version that is named stays.
#[test]
fn a_version_that_nobody_named_loads_the_files() {
    let job_conf =
        ("job_conf.yml", "runners: {}\nexecution:\n  environments:\n    tpv: {tpv_config_files: [tpv.yml]}\n");
    let print = |rules: &str, vars: &str| {
        let site = repository(&[job_conf, ("tpv.yml", rules), ("group_vars/galaxyservers.yml", vars)]);
        let (status, said) = run(site.path(), &["init", "--print"]);
        assert_eq!(status, 0, "{said}");
        said
    };
    let later = "tools: {bwa: {env: [{name: A, value: b}]}}\ndestinations: {slurm: {runner: slurm}}\n";
    let said = print(later, "galaxy_commit_id: release_22.05\n");
    let loads = "TPV 2.5: the files load with it, not with 1.4.1: tpv.yml: `env` must be a mapping";
    assert!(said.contains(loads) && said.contains("tpv = \"2.5\""), "{said}");
    assert!(said.contains("TPV 1.4.1: Galaxy `release_22.05` in group_vars/galaxyservers.yml:1"), "{said}");
    let said = print(later, "tpv_version: 1.4.1\n");
    assert!(said.contains("fault: tpv.yml: `env` must be a mapping") && said.contains("tpv = \"1.4.1\""), "{said}");
    let earlier =
        "tools: {bwa: {scheduling: }}\nusers: {someone@example.org: }\ndestinations: {slurm: {runner: slurm}}\n";
    let said = print(earlier, "a: b\n");
    assert!(said.contains("TPV 2.5: the files load with it, not with 3.3") && said.contains("tpv = \"2.5\""), "{said}");
    assert!(said.contains("# no version of TPV or Galaxy is named\n"), "{said}");
    let never = "tools: {bwa: {mem: 2, scheduling: 4}}\n";
    assert!(print(never, "galaxy_commit_id: release_25.1\n").contains("tpv = \"3.3.0\""));
}

/// The rules in the values of Galaxy's Helm chart are read where they stand.
#[test]
fn values_of_helm_are_read() {
    let values = |rules: &str| {
        format!(
            "image: {{tag: x}}\nconfigs:\n  job_conf.yml:\n    runners: {{k8s: {{load: x}}}}\n    execution:\n      environments:\n        tpv_dispatcher:\n          tpv_config_files:\n          - lib/rules/tpv_rules_local.yml\njobs:\n  rules:\n    tpv_rules_local.yml:{rules}"
        )
    };
    let mapping = "\n      tools:\n        bwa:\n          cores: 2\n          coers: 3\n      destinations:\n        k8s: {runner: k8s}\n";
    let chart = ("chart/Chart.yaml", "name: galaxy\nappVersion: \"25.0.1\"\n");
    let site = repository(&[chart, ("chart/values.yaml", &values(mapping))]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && said.contains("TPV 2.5.0: Galaxy `25.0.1` in chart/Chart.yaml:2"), "{said}");
    let (_, said) = run(site.path(), &["lint"]);
    assert!(said.contains("chart/values.yaml:16:") && said.contains("coers"), "{said}");
    // The rest of the file is none of ours.
    let before = std::fs::read_to_string(site.path().join("chart/values.yaml")).unwrap();
    let (status, said) = run(site.path(), &["format", "--write"]);
    assert!(status == 0 && said.contains("has configs among other things, and is left as it is"), "{said}");
    assert_eq!(std::fs::read_to_string(site.path().join("chart/values.yaml")).unwrap(), before);
    let site = repository(&[("values.yaml", &values(" 'tools: {bwa: {cores: 2}}'\n"))]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 1 && said.contains("values.yaml:12 has it as a text in quotes or folded"), "{said}");
    let (status, said) = run(site.path(), &["lint", "values.yaml"]);
    assert!(
        status == 1 && said.contains("error[T001]: the rules `tpv_rules_local.yml` are a text that is not read"),
        "{said}"
    );
}

/// A text of lines in the values is a file of rules, whose places are those of the values.
#[test]
fn rules_of_helm_may_be_a_text() {
    let rules = "jobs:\n  rules:\n    site.yml: |\n      # of the site\n      tools:\n        bwa:\n          cores: 2\n          mem: 4\n          coers: 3\n      destinations:\n        k8s: {runner: k8s}\n    other.py: |\n      import os\nimage: {tag: x}\n";
    let site = repository(&[("values.yaml", rules)]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && written(site.path()).contains("values.yaml"), "{said}");
    let (_, said) = run(site.path(), &["lint"]);
    assert!(said.contains("values.yaml:9:11\n") && said.contains("9 |           coers: 3"), "{said}");
    let (status, said) = run(site.path(), &["dry-run", "--tool", "bwa"]);
    assert!(status == 0 && said.contains("id: k8s"), "{said}");
    let (status, said) = run(site.path(), &["format", "--write"]);
    assert!(status == 0 && said.contains("has configs among other things, and is left as it is"), "{said}");
    assert_eq!(std::fs::read_to_string(site.path().join("values.yaml")).unwrap(), rules);
}

/// Inventories that would have to be run are named, with the command that writes their hosts.
#[test]
fn programs_are_no_inventories() {
    let site = repository(&[
        ("galaxy.yml", "- hosts: galaxyservers\n  roles: [galaxyproject.galaxy]\n"),
        ("group_vars/galaxyservers.yml", "galaxy_job_conf_tpv_config_files: [files/tpv.yml]\n"),
        ("files/tpv.yml", &destination("slurm")),
        ("inventory/ec2.py", "#!/usr/bin/env python3\nprint('{}')\n"),
        ("inventory/aws_ec2.yml", "plugin: 'amazon.aws.aws_ec2'\nregions: [eu-central-1]\n"),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && written(site.path()).contains("files/tpv.yml"), "{said}");
    let command = "write its hosts with `ansible-inventory --list --yaml --export -i inventory/";
    let program = "warning: not looked at: inventory/ec2.py: it is a program, which is not run";
    assert!(said.contains(&format!("{program}: {command}ec2.py --output inventory/hosts.yml`")), "{said}");
    assert!(
        said.contains(&format!("inventory/aws_ec2.yml: it asks the plugin `amazon.aws.aws_ec2`: {command}")),
        "{said}"
    );
}

/// Lists and files that are of no use are named with the reason.
#[test]
fn what_is_skipped_is_named() {
    let site = repository(&[
        ("group_vars/galaxy.yml", "a_tpv_config_files:\n- /srv/gone.yml\n- https://example.org/db.yml\n"),
        ("group_vars/vault.yml", "$ANSIBLE_VAULT;1.1;AES256\n31\n"),
        (".gitmodules", "[submodule \"rules\"]\n\tpath = rules\n\turl = https://example.org/rules\n"),
        ("galaxy.yml", "- hosts: galaxy\n  tasks:\n  - copy: {src: rules/tpv.yml, dest: /srv/tpv.yml}\n"),
        ("group_vars/other.yml", "b_tpv_config_files: [/srv/tpv.yml]\n"),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 1 && said.contains("`tpv_config_files` was found, but none of its configs"), "{said}");
    assert!(said.contains("skipped: group_vars/galaxy.yml:1: `/srv/gone.yml`: no file has that name"), "{said}");
    assert!(said.contains("`https://example.org/db.yml`: it names no file beside this URL"), "{said}");
    assert!(said.contains("skipped: group_vars/vault.yml: it is encrypted"), "{said}");
    assert!(
        said.contains("galaxy.yml:3 names `rules/tpv.yml` in the submodule `rules`, which is not checked out"),
        "{said}"
    );
    assert!(said.contains("rules/: a submodule that is not checked out: `git submodule update --init`"), "{said}");
}

/// Beside a server that is found, lists that lead nowhere are named; of a large group the first hosts count.
#[test]
fn lists_that_lead_nowhere_are_named_beside_others() {
    let hosts: String = (0..60).map(|host| format!("h{host}.example.org\n")).collect();
    let site = repository(&[
        ("hosts", &format!("[galaxy]\n{hosts}")),
        ("group_vars/galaxy.yml", "a_tpv_config_files: [/srv/tpv.yml]\n"),
        ("group_vars/other.yml", "a_tpv_config_files: [/srv/gone.yml, /srv/list.yml]\n"),
        ("files/tpv.yml", RULES),
        ("files/list.yml", "tools:\n- name: bwa\n  owner: devteam\n"),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && said.contains("host `h0.example.org` and 47 others with the same configs"), "{said}");
    assert!(
        said.contains("warning: not looked at: hosts: `galaxy` has 60 hosts: the first 48 are looked at"),
        "{said}"
    );
    assert!(said.contains("skipped: group_vars/other.yml:1: `/srv/gone.yml`: no file has that name"), "{said}");
    assert!(said.contains("skipped: group_vars/other.yml:1: `files/list.yml`: it has no section of TPV"), "{said}");
}

const URL: &str = "https://tpvc.invalid/db/tools.yml";

/// A copy is read in place of a URL by each verb, and a message says so; of a copy in the repository each revision has its own.
#[test]
fn copies_of_urls_are_read_without_a_network() {
    let site = repository(&[
        (
            "job_conf.yml",
            &format!(
                "runners: {{}}\nexecution:\n  environments:\n    tpv_dispatcher: {{tpv_config_files: ['{URL}', tpv.yml]}}\n"
            ),
        ),
        ("tpv.yml", "destinations:\n  local:\n    runner: slurm\n"),
        ("vendor/db/tools.yml", "tools:\n  bwa:\n    cores: 2\n    env: {A: '{{ not_ours }}'}\n"),
        ("vars.yml", "not_ours: 1\n"),
    ]);
    let git = |arguments: &[&str]| git(site.path(), arguments);
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    let (status, said) = run(site.path(), &["init", "--remote", &format!("{URL}=nowhere")]);
    assert!(status == 1 && said.contains("the copy of `https://tpvc.invalid/db/tools.yml`, is not there"), "{said}");
    let (status, said) = run(site.path(), &["init", "--remote", "https://tpvc.invalid/=vendor"]);
    assert_eq!(status, 0, "{said}");
    assert!(written(site.path()).contains("[remotes]\n\"https://tpvc.invalid/\" = \"vendor\"\n"), "{said}");
    let used = format!("`{URL}` is read from `vendor/db/tools.yml`, by `[remotes]`");
    for verb in
        [&["lint"][..], &["check"], &["dump"], &["dump", "--job-conf", "job_conf.yml"], &["compile", "-o", "x.bin"]]
    {
        let (status, said) = run(site.path(), verb);
        assert!(status == 0 && said.contains(&used), "{verb:?}: {said}");
    }
    // What is fetched is no template, and neither is its copy.
    let (_, said) = run(site.path(), &["dump", "--vars", "vars.yml"]);
    assert!(said.contains("{{ not_ours }}"), "{said}");
    std::fs::write(site.path().join("vendor/db/tools.yml"), "tools:\n  bwa:\n    cores: 7\n").unwrap();
    git(&["commit", "-qam", "two"]);
    let (status, said) = run(site.path(), &["diff", "HEAD~1.."]);
    assert!(status == 0 && said.contains("2 -> 7") && said.contains(&used), "{said}");
    assert_eq!(said.matches("is read from").count(), 1, "{said}");
    std::fs::remove_dir_all(site.path().join("vendor")).unwrap();
    let (status, said) = run(site.path(), &["lint"]);
    assert!(status == 1 && said.contains("its copy `vendor/db/tools.yml`: no such file"), "{said}");
    assert!(said.contains("check the path under `[remotes]` in tpvc.toml"), "{said}");
    std::fs::write(site.path().join("tpvc.toml"), "[remotes]\n\"tpv.yml\" = \"x\"\n").unwrap();
    let (status, said) = run(site.path(), &["lint"]);
    assert!(status == 1 && said.contains("`tpv.yml` is no URL") && said.contains("tpvc.toml:2:1"), "{said}");
}

/// `tpv` of an environment comes before that of all.
#[test]
fn an_environment_has_its_own_version() {
    let pools = "pools:\n  p:\n    max_concurrent_cores: 4\ndestinations:\n  d:\n    runner: slurm\n";
    let settings = "files = [\"a.yml\"]\ntpv = \"3.3\"\n[environments.new]\n[environments.old]\ntpv = \"2.5\"\n";
    let site = repository(&[("a.yml", pools), ("tpvc.toml", settings)]);
    let (_, new) = run(site.path(), &["lint", "--environment", "new"]);
    let (_, old) = run(site.path(), &["lint", "--environment", "old"]);
    let unknown = "is not a section that TPV 2.5 knows";
    assert!(!new.contains(unknown) && old.contains(unknown), "{new}{old}");
}

const JOB_CONF: &str = "\
runners:
  slurm: {load: \"galaxy.jobs.runners.slurm:SlurmJobRunner\"}
execution:
  environments:
    tpv:
      runner: dynamic_tpv
      tpv_config_files:
      - \"{{ config_dir }}/tpv_rules.yml\"
      - \"{{ config_dir }}/tpv_destinations.yml\"
";

const LIMITED: &str = "destinations:\n  slurm: {runner: slurm, max_accepted_cores: {{ most_cores }}}\n";

/// A role has the list and the files, by `role_path`; a play includes it, and the inventory has ranges and groups of groups.
#[test]
fn lists_in_a_role_are_those_of_its_plays() {
    let site = repository(&[
        (
            "inventory/hosts.yaml",
            "all:\n  children:\n    galaxy:\n      vars: {most_cores: 32}\n      children:\n        prod: {hosts: {\"gx[1:2].example.org\": {}}}\n        qa: {hosts: {gxqa.example.org: {most_cores: 4}}}\n",
        ),
        (
            "deploy.yml",
            "- hosts: galaxy\n  tasks:\n  - include_role: {name: site_galaxy}\n  - import_role: {name: galaxyproject.galaxy}\n",
        ),
        (
            "roles/site_galaxy/defaults/main.yml",
            "galaxy_commit_id: release_25.0\ngalaxy_config_files:\n- {src: '{{ role_path }}/files/tpv/rules.yml', dest: '{{ config_dir }}/tpv_rules.yml'}\ngalaxy_config_templates:\n- {src: '{{ role_path }}/templates/dest.yml.j2', dest: '{{ config_dir }}/tpv_destinations.yml'}\n- {src: job_conf.yml.j2, dest: '{{ config_dir }}/job_conf.yml'}\n",
        ),
        ("roles/site_galaxy/templates/job_conf.yml.j2", JOB_CONF),
        ("roles/site_galaxy/templates/dest.yml.j2", LIMITED),
        ("roles/site_galaxy/files/tpv/rules.yml", RULES),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0, "{said}");
    assert_eq!(environments(site.path()), ["galaxy", "gxqa.example.org"], "{said}");
    let text = written(site.path());
    assert!(part(&text, "[environments.galaxy]").contains("\"roles/site_galaxy/files/tpv/rules.yml\""), "{text}");
    assert!(text.contains("most_cores = 32") && text.contains("most_cores = 4"), "{text}");
    let (status, said) = run(site.path(), &["lint"]);
    assert!(status == 0 && said.contains("no findings in 2 files"), "{said}");
}

/// `ansible.cfg` and the inventory are above the playbook, whose hosts are a pattern, and tasks put the files there.
#[test]
fn inventories_above_the_playbook_and_patterns_of_hosts() {
    let task = "  - include_vars: {file: ../vars/tpv.yml}\n  - template: {src: '{{ item }}', dest: '{{ config_dir }}/{{ item | basename }}'}\n    loop: [templates/tpv_rules.yml.j2, templates/tpv_destinations.yml.j2, templates/job_conf.yml.j2]\n";
    let site = repository(&[
        ("ansible/ansible.cfg", "[defaults]\ninventory = ./inventory\n"),
        ("ansible/inventory/static.ini", "[gx]\ngx-live.example.org\ngx-dev.example.org\n[other]\ndb.example.org\n"),
        ("ansible/inventory/group_vars/all.yml", "config_dir: /srv/gx\n"),
        ("ansible/inventory/host_vars/gx-live.example.org.yml", "galaxy_commit_id: v25.0.1\nmost_cores: 48\n"),
        ("ansible/inventory/host_vars/gx-dev.example.org.yml", "galaxy_commit_id: v26.1.0\nmost_cores: 4\n"),
        (
            "ansible/playbooks/gx.yml",
            &format!("- hosts: 'gx-*'\n  tasks:\n{task}  - import_role: {{name: galaxyproject.galaxy}}\n"),
        ),
        ("ansible/vars/tpv.yml", "partition: long\n"),
        ("ansible/playbooks/templates/job_conf.yml.j2", JOB_CONF),
        ("ansible/playbooks/templates/tpv_rules.yml.j2", RULES),
        ("ansible/playbooks/templates/tpv_destinations.yml.j2", LIMITED),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0, "{said}");
    assert_eq!(environments(site.path()), ["gx-live.example.org", "gx-dev.example.org"], "{said}");
    let text = written(site.path());
    let live = part(&text, "[environments.\"gx-live.example.org\"]");
    assert!(live.contains("tpv = \"2.5.0\"") && live.contains("\"ansible/vars/tpv.yml\""), "{text}");
    let dev = part(&text, "[environments.\"gx-dev.example.org\"]");
    assert!(dev.contains("tpv = \"3.3.0\"") && dev.contains("host_vars/gx-dev.example.org.yml"), "{text}");
    // Without a value, the limit is not known, which is no reason for another TPV.
    std::fs::remove_file(site.path().join("tpvc.toml")).unwrap();
    std::fs::write(
        site.path().join("ansible/inventory/host_vars/gx-dev.example.org.yml"),
        "galaxy_commit_id: v26.1.0\n",
    )
    .unwrap();
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && !said.contains("the files load with it"), "{said}");
    let (status, said) = run(site.path(), &["lint", "--environment", "gx-dev.example.org"]);
    assert!(status == 0 && said.contains("no findings in 2 files"), "{said}");
}

/// A chart that depends on Galaxy's has the values below its name, and one file may hold several files of rules.
#[test]
fn values_of_charts_around_galaxys_are_read() {
    let values = "galaxy:\n  image: {repository: quay.io/galaxyproject/galaxy-min, tag: \"25.0\"}\n  configs:\n    job_conf.yml:\n      runners: {k8s: {load: x}}\n      execution:\n        environments:\n          tpv_dispatcher:\n            tpv_config_files: [lib/rules/local.yml, lib/rules/site.yml]\n  jobs:\n    rules:\n      local.yml: |\n        destinations:\n          k8s: {runner: k8s}\n      site.yml:\n        tools:\n          bwa: {cores: 2, mem: 4}\n";
    let site = repository(&[("Chart.yaml", "name: ours\nversion: 1.0.0\n"), ("values.yaml", values)]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && said.contains("TPV 2.5.0: Galaxy `25.0` in values.yaml:2"), "{said}");
    assert_eq!(written(site.path()).matches("\"values.yaml\",").count(), 1);
    let (status, said) = run(site.path(), &["dry-run", "--tool", "bwa"]);
    assert!(status == 0 && said.contains("id: k8s"), "{said}");
}

/// A copy of a URL that no list has is of no use, and the URLs that there are are named.
#[test]
fn copies_of_other_urls_are_named() {
    let site = repository(&[
        ("group_vars/all.yml", "galaxy_job_conf_tpv_config_files: ['https://example.org/v2.yml', files/tpv.yml]\n"),
        ("files/tpv.yml", &destination("slurm")),
    ]);
    let (status, said) = run(site.path(), &["init", "--remote", "https://example.org/v1.yml=files/tpv.yml"]);
    let warning = "warning: no file is `https://example.org/v1.yml`, as `--remote` says: the URLs of the files are `https://example.org/v2.yml`";
    assert!(status == 0 && said.contains(warning), "{said}");
}

/// Commits have only the id of a submodule, so that its files are those of now.
#[test]
fn configs_in_a_submodule_are_read_as_they_are() {
    let rules = repository(&[("tools.yml", &destination("slurm"))]);
    git(rules.path(), &["init", "-q"]);
    git(rules.path(), &["add", "."]);
    git(rules.path(), &["commit", "-qm", "rules"]);
    let site = repository(&[
        ("own.yml", "tools:\n  bwa:\n    cores: 3\n"),
        ("tpvc.toml", "files = [\"rules/tools.yml\", \"own.yml\"]\n"),
    ]);
    git(site.path(), &["init", "-q"]);
    let from = rules.path().to_str().unwrap();
    git(site.path(), &["-c", "protocol.file.allow=always", "submodule", "add", "-q", from, "rules"]);
    git(site.path(), &["add", "."]);
    git(site.path(), &["commit", "-qm", "one"]);
    std::fs::write(site.path().join("own.yml"), "tools:\n  bwa:\n    cores: 4\n").unwrap();
    git(site.path(), &["commit", "-qam", "two"]);
    let (status, said) = run(site.path(), &["diff", "HEAD~1.."]);
    assert!(status == 0 && said.contains("cores 3 -> 4 (own.yml:3)"), "{said}");
    let (status, said) = run(site.path(), &["diff", "HEAD~1..", "--", "rules/tools.yml"]);
    assert!(status == 0 && said.contains("the rules say the same"), "{said}");
}

/// Of tools in a file that comes by URL, the site has one finding a kind about its destinations, and none about what only that file says.
#[test]
fn findings_in_shared_files_are_few() {
    let tool = |name: &str, cores: u32| format!("  {name}: {{cores: {cores}, mem: 4}}\n");
    let shared = format!("tools:\n{}{}{}  light: {{cores: 2}}\n", tool("a", 16), tool("b", 32), tool("c", 64));
    let own = "tools:\n  light: {context: {x: 1}}\ndestinations:\n  slurm: {runner: slurm, max_accepted_cores: 8}\n";
    let settings = "files = [\"https://example.org/db.yml\", \"own.yml\"]\n[remotes]\n\"https://example.org/db.yml\" = \"../db.yml\"\n";
    let outer = repository(&[("db.yml", &shared), ("site/own.yml", own), ("site/tpvc.toml", settings)]);
    let site = outer.path().join("site");
    git(&site, &["init", "-q"]);
    let (status, said) = run(&site, &["lint"]);
    assert!(status == 0 && said.matches("warning[").count() == 1, "{said}");
    assert!(said.contains("warning[T122]") && said.contains("2 more in this file: `--all` shows each"), "{said}");
    let (_, said) = run(&site, &["lint", "--all"]);
    assert!(said.matches("warning[T122]").count() == 3 && said.contains("T102"), "{said}");
}

/// Variables behind a link to a folder count as others do.
#[test]
#[cfg(unix)]
fn folders_of_variables_may_be_links() {
    let site = repository(&[
        ("inventories/production/hosts", "[galaxy]\ngx.example.org\n"),
        ("inventories/production/group_vars/galaxy.yml", "galaxy_commit_id: release_25.0\n"),
        ("inventories/staging/hosts", "[galaxy]\nst.example.org\n"),
        ("inventories/staging/host_vars/st.example.org.yml", "most: 4\n"),
        ("inventories/production/host_vars/gx.example.org.yml", "most: 40\n"),
        (
            "galaxy.yml",
            "- hosts: galaxy\n  roles: [galaxyproject.galaxy]\n  vars: {job_conf: templates/job_conf.yml.j2}\n",
        ),
        (
            "templates/job_conf.yml.j2",
            "runners:\n  slurm: {load: x}\nexecution:\n  environments:\n    tpv:\n      runner: dynamic_tpv\n      tpv_config_files: [files/tpv.yml.j2]\n",
        ),
        ("files/tpv.yml.j2", "destinations:\n  slurm: {runner: slurm, max_accepted_cores: {{ most }}}\n"),
    ]);
    std::os::unix::fs::symlink("../production/group_vars", site.path().join("inventories/staging/group_vars")).unwrap();
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && said.matches("TPV 2.5.0: Galaxy `release_25.0`").count() == 2, "{said}");
}

/// A group may be named as a pattern is: its hosts are its own.
#[test]
fn groups_may_be_named_like_patterns() {
    let site = repository(&[
        ("galaxy.yml", "- hosts: 'gx*'\n  roles: [galaxyproject.galaxy]\n"),
        ("hosts", "[gx*]\ngx.example.org\n"),
        ("group_vars/all.yml", "galaxy_job_conf_tpv_config_files: [files/tpv.yml]\n"),
        ("files/tpv.yml", &destination("slurm")),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && written(site.path()).contains("files/tpv.yml"), "{said}");
}

/// Rules among values of Helm that a task or a release has in line are named. A destination in a file of values may have limits only, and of several
/// files with the same rules the others are named.
#[test]
fn values_of_helm_may_be_in_parts() {
    let limits =
        "jobs:\n  rules:\n    tpv_rules_local.yml:\n      destinations:\n        k8s:\n          max_cores: 1\n";
    let inner: String = limits.lines().map(|line| format!("        {line}\n")).collect();
    let task = format!("- hosts: a\n  tasks:\n  - kubernetes.core.helm:\n      name: galaxy\n      values:\n{inner}");
    let site = repository(&[("galaxy.yml", &task)]);
    let (status, said) = run(site.path(), &["init"]);
    let named = "skipped: galaxy.yml:8: `tpv_rules_local.yml` is among values of Helm that are a part of this file, which are not read: ";
    assert!(status == 1 && said.contains(named), "{said}");
    let list = "configs:\n  job_conf.yml:\n    execution:\n      environments:\n        tpv_dispatcher:\n          tpv_config_files: [lib/tpv_rules_local.yml]\n";
    let site = repository(&[("values/all.yml", list), ("values/aws.yml", limits), ("values/gcp.yml", limits)]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && written(site.path()).contains("files = [\n  \"values/aws.yml\",\n]"), "{said}");
    assert!(said.contains("left out: values/gcp.yml (it has `tpv_rules_local.yml`, too: add it to `files`"), "{said}");
}

/// Docker Compose mounts files in places with other names, and a job configuration may have several destinations with rules of their own.
#[test]
fn mounts_and_several_destinations() {
    let site = repository(&[
        (
            "docker/compose.yml",
            "services:\n  galaxy:\n    volumes:\n    - ./rules.yml:/galaxy/config/tpv_local.yml:ro\n    - db:/var/lib\n",
        ),
        ("docker/rules.yml", &destination("slurm")),
        ("docker/training.yml", &destination("training")),
        (
            "docker/job_conf.yml",
            "runners: {slurm: {load: x}}\nexecution:\n  environments:\n    tpv_dispatcher: {runner: dynamic_tpv, tpv_config_files: [/galaxy/config/tpv_local.yml]}\n    tpv_training: {runner: dynamic_tpv, tpv_config_files: [training.yml]}\n",
        ),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0, "{said}");
    assert_eq!(environments(site.path()), ["main", "main-tpv_training"], "{said}");
    let written = written(site.path());
    assert!(part(&written, "[environments.main]").contains("docker/rules.yml"), "{written}");
    assert!(part(&written, "[environments.main-tpv_training]").contains("docker/training.yml"), "{written}");
}

/// A branch without a number says nothing of the version, and is named.
#[test]
fn branches_without_a_number_are_named() {
    let site = repository(&[
        ("hosts", "[galaxy]\ng.example.org\n"),
        ("group_vars/galaxy.yml", "galaxy_commit_id: our-branch\na_tpv_config_files: [files/tpv.yml]\n"),
        ("files/tpv.yml", &destination("slurm")),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    let words = "Galaxy `our-branch` in group_vars/galaxy.yml:1 has no number of a release: TPV 3.3 is assumed";
    assert!(status == 0 && said.contains(words) && written(site.path()).contains(words), "{said}");
}

/// The commands that findings propose run as they are: without files that `tpvc.toml` names, and for the environment that was asked for.
#[test]
fn proposed_commands_run_as_they_are() {
    let falls = "tools:\n  bwa:\n    mem: 8\n    cores: 2\n    rules:\n    - id: large\n      if: input_size > 5\n      mem: 2\ndestinations:\n  slurm: {runner: slurm}\n";
    let settings = "[environments.one]\nfiles = [\"one.yml\"]\n[environments.\"the other\"]\nfiles = [\"other.yml\"]\n";
    let site = repository(&[("tpvc.toml", settings), ("one.yml", falls), ("other.yml", falls)]);
    for (arguments, words) in [
        (&["check"][..], "tpvc dry-run --tool bwa"),
        (&["check", "--environment", "the other"], "tpvc dry-run --environment 'the other' --tool bwa"),
        (&["check", "one.yml", "--tpv", "3.2"], "tpvc dry-run one.yml --tpv 3.2 --tool bwa"),
    ] {
        let (status, said) = run(site.path(), arguments);
        let command = said.split("try it: `").nth(1).and_then(|rest| rest.split('`').next());
        let command = command.filter(|command| status == 0 && command.starts_with(words));
        let programs = Path::new(env!("CARGO_BIN_EXE_tpvc")).parent().unwrap();
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", command.unwrap_or_else(|| panic!("{said}"))]).env("PATH", programs).current_dir(site.path());
        let output = shell.output().unwrap();
        let tried = stdout(&output) + &stderr(&output);
        assert!(tried.contains("mem") && tried.contains("2 GiB"), "{tried}");
    }
    // A secret that gives access to a file.
    let url = Server::of("destinations:\n  slurm: {runner: slurm}\n").url("tpv.yml?private_token=hidden");
    let (_, said) = run(site.path(), &["check", &url, "one.yml"]);
    assert!(said.contains("`tpvc dry-run CONFIG... --tool bwa") && !said.contains("hidden"), "{said}");
    // The world of `tpvc.toml`, which `dry-run` takes for the files of `tpvc.toml` alone.
    let with_world = repository(&[("tpvc.toml", "world = \"world.json\"\n"), ("world.json", "{}"), ("one.yml", falls)]);
    let (_, said) = run(with_world.path(), &["check", "one.yml"]);
    assert!(said.contains("world.json --tool bwa"), "{said}");
    let many: Vec<String> = (0..20).map(|number| format!("a_longer_name_{number}.yml")).collect();
    many.iter().for_each(|name| std::fs::write(site.path().join(name), falls).unwrap());
    let many: Vec<&str> = ["check", "--tpv", "3.2"].into_iter().chain(many.iter().map(String::as_str)).collect();
    let (_, said) = run(site.path(), &many);
    assert!(said.contains("`tpvc dry-run CONFIG... --tpv 3.2 --tool bwa"), "{said}");
}
