//! `tpvc init` finds the configs of a repository, their variables and their templates, in each of the layouts that servers use.

use std::path::Path;

use crate::support::{git, run, site as repository};
use tempfile::TempDir;

fn settings(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("tpvc.toml")).unwrap()
}

const VAULT: &str = "$ANSIBLE_VAULT;1.1;AES256\n3132\n";

const DESTINATIONS: &str = "destinations:\n  local:\n    runner: slurm\n    params:\n      password: '{{ secret }}'\n      path: '{{ disks.5.path }}'\n";

/// A playbook with `vars_files`, a job configuration that is a file of variables, templates and plain files, an encrypted file.
fn of_vars_files() -> TempDir {
    repository(&[
        (
            "server.yml",
            "- hosts: server\n  vars_files:\n    - group_vars/server.yml\n    - secrets/all.yml\n    - disks/dest/all.yml\n    - templates/job_conf.yml\n  vars:\n    name: x\n",
        ),
        ("group_vars/server.yml", "config_dir: /srv\ndisks: {5: {path: /data/5}}\n"),
        ("secrets/all.yml", VAULT),
        (
            "templates/job_conf.yml",
            "jobconf:\n  plugins:\n  - id: slurm\n    load: x\n  destinations:\n  - id: tpv_dispatcher\n    tpv_config_files:\n    - https://example.org/db.yml # shared\n    - \"{{ config_dir }}/tpv/tools.yml\"\n    - \"{{ config_dir }}/tpv/destinations.yml\"\n",
        ),
        ("files/tpv/tools.yml", "tools:\n  bwa:\n    cores: 2\n    mem: 4\n    env:\n      NAME: '{{ not_ours }}'\n"),
        ("files/tpv/destinations.yml.j2", DESTINATIONS),
        ("other/tools.yml", "tools:\n- name: bwa\n  owner: devteam\n"),
    ])
}

#[test]
fn files_of_a_playbook_are_found_with_their_variables() {
    let site = of_vars_files();
    let (status, said) = run(site.path(), &["init"]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("in the order of templates/job_conf.yml:7") && said.contains("server.yml:2"), "{said}");
    assert!(
        said.contains("disks/dest/all.yml (not in this repository; server.yml:2 names it)") && said.contains("secret"),
        "{said}"
    );
    let written = settings(site.path());
    assert!(
        written.contains("\"files/tpv/tools.yml\"") && written.contains("\"files/tpv/destinations.yml.j2\""),
        "{written}"
    );
    assert!(written.contains("\"secret\",  # files/tpv/destinations.yml.j2:5"), "{written}");
    assert!(
        written.contains("left out: secrets/all.yml (encrypted)") && written.contains("templates = []"),
        "{written}"
    );
    // A plain file is not rendered, though there are variables.
    let (status, said) = run(site.path(), &["lint", "files/tpv/tools.yml", "files/tpv/destinations.yml.j2"]);
    assert!(status == 0 && said.contains("here: placeholders stand in (`secret`); `--verbose` lists them"), "{said}");
    let (_, said) = run(site.path(), &["lint", "-v", "files/tpv/tools.yml", "files/tpv/destinations.yml.j2"]);
    assert!(said.contains("files/tpv/destinations.yml.j2: missing: `secret` (line 5)"), "{said}");
    let (status, said) = run(site.path(), &["dump", "files/tpv/tools.yml", "files/tpv/destinations.yml.j2"]);
    assert!(status == 0 && said.contains("{{ not_ours }}") && said.contains("/data/5"), "{said}");
    assert!(said.contains("placeholder_secret"), "{said}");
}

#[test]
fn a_file_is_never_overwritten() {
    let site = of_vars_files();
    std::fs::write(site.path().join("tpvc.toml"), "tpv = \"3.3\"\n").unwrap();
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 1 && said.contains("exists, and is left as it is") && said.contains("--print"), "{said}");
    assert_eq!(settings(site.path()), "tpv = \"3.3\"\n");
    let (status, said) = run(site.path(), &["init", "--print", "-q"]);
    assert!(status == 0 && said.starts_with("# Written by `tpvc init`"), "{said}");
}

/// Several job configurations: as many environments.
#[test]
fn each_job_configuration_is_an_environment() {
    let job_conf = |name: &str| {
        format!(
            "runners:\n  slurm:\n    load: x\n{{% if more %}}\n  other:\n    load: y\n{{% endif %}}\nexecution:\n  environments:\n    tpv_dispatcher:\n      tpv_config_files:\n        - \"{{{{ rules_dir }}}}/{name}.yml\"\n"
        )
    };
    let host =
        |name: &str| format!("more: true\ncores: 8\nsrc: templates/{name}_job_conf.yml.j2\nkey: !vault |\n  {VAULT}");
    let host = |name: &str| host(name).replace("\n3132", "\n  3132");
    let rules = "tools:\n  default:\n    abstract: true\n    cores: {{ cores }}\n    mem: 4\n    env:\n      KEY: '{{ key }}'\n";
    let site = repository(&[
        (
            "galaxy_playbook.yml",
            "- hosts: galaxy\n  vars_files:\n    - group_vars/all.yml\n    - host_vars/galaxy.yml\n",
        ),
        ("dev_playbook.yml", "- hosts: dev\n  vars_files:\n    - group_vars/all.yml\n    - host_vars/dev.yml\n"),
        ("group_vars/all.yml", "cores: 2\nrules_dir: /srv/rules\n"),
        ("host_vars/galaxy.yml", &host("galaxy")),
        ("host_vars/dev.yml", &host("dev").replace("cores: 8", "cores: 3")),
        ("templates/galaxy_job_conf.yml.j2", &job_conf("rules")),
        ("templates/dev_job_conf.yml.j2", &job_conf("dev_rules")),
        ("files/production/rules.yml.j2", rules),
        ("files/dev/dev_rules.yml.j2", rules),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && said.contains("environment galaxy:") && said.contains("environment dev:"), "{said}");
    for (arguments, cores) in
        [(&["dump"][..], 8), (&["dump", "--environment", "dev"], 3), (&["dump", "--environment", "galaxy"], 8)]
    {
        let (status, said) = run(site.path(), arguments);
        assert!(status == 0 && said.contains(&format!("cores: {cores}")), "{arguments:?}: {said}");
        // What is encrypted needs no declaration.
        assert!(said.contains("placeholders stand in (`key`)") && said.contains("placeholder_key"), "{said}");
    }
    let (status, said) = run(site.path(), &["lint", "--environment", "dve"]);
    assert!(status == 1 && said.contains("has no environment `dve`") && said.contains("did you mean `dev`?"), "{said}");
    let (status, said) = run(site.path(), &["compile", "-o", "rules.bin"]);
    assert!(status == 0 && said.contains("placeholders stand in"), "{said}");
    assert!(!said.contains("placeholder_"), "{said}");
    let (status, said) = run(site.path(), &["inspect", "rules.bin"]);
    assert!(status == 0 && said.ends_with("for which placeholders stand in\n  key\n"), "{said}");
}

/// An inventory for each server, the list in `group_vars`, a job configuration that loops over it, code from a file.
#[cfg(unix)]
#[test]
fn lists_in_group_vars_and_code_in_files_are_found() {
    let vars = |cores: u32| {
        format!(
            "my_tpv_config_files:\n- defaults.yaml\n- places.yaml\nmax_cores: {cores}\nblob: \"{{{{ blobs['rank'] }}}}\"\n"
        )
    };
    let site = repository(&[
        ("env/main/group_vars/all/vars.yml", "instance: main\n"),
        ("env/main/group_vars/all/vault.yml", VAULT),
        ("env/main/group_vars/servers/vars.yml", &vars(8)),
        ("env/test/group_vars/all/vars.yml", "instance: test\n"),
        ("env/test/group_vars/servers/vars.yml", &vars(4)),
        (
            "env/common/templates/job_conf.yml.j2",
            "runners:\n  slurm:\n    load: x\ntpv_config_files:\n{% for conf in my_tpv_config_files %}\n  - {{ conf }}\n{% endfor %}\n",
        ),
        (
            "env/common/templates/tpv/defaults.yaml.j2",
            "tools:\n  default:\n    abstract: true\n    cores: 1\n    mem: 4\n    rank: |\n      {{ blobs['rank'] | indent(width=6) }}\n",
        ),
        (
            "env/common/templates/tpv/places.yaml.j2",
            "destinations:\n  local:\n    runner: slurm\n    max_accepted_cores: {{ max_cores }}\n    params:\n      dir: /scratch/{{ instance }}\n{% if instance == 'test' %}\n  extra:\n    runner: slurm\n{% endif %}\n",
        ),
        ("env/common/files/tpv/rank.py", "# the code\ncandidate_destinations\n"),
        (
            "env/common/tpv.yml",
            "- hosts: servers\n  pre_tasks:\n  - set_fact:\n      blobs: \"{{ (blobs | default({})) | combine({(item | basename | splitext | first): lookup('file', item)}) }}\"\n    with_fileglob: \"{{ inventory_dir }}/files/tpv/*.py\"\n",
        ),
    ]);
    for name in ["main", "test"] {
        std::fs::create_dir_all(site.path().join(format!("env/{name}/files"))).unwrap();
        std::os::unix::fs::symlink("../../common/files/tpv", site.path().join(format!("env/{name}/files/tpv")))
            .unwrap();
    }
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && said.contains("`blobs` is set as in env/common/tpv.yml:4"), "{said}");
    let written = settings(site.path());
    assert!(written.contains("lookup('file', 'env/common/files/tpv/rank.py')"), "{written}");
    assert!(written.contains("job_conf = \"env/common/templates/job_conf.yml.j2\""), "{written}");
    for (name, expected, extra) in [("main", "/scratch/main", false), ("test", "/scratch/test", true)] {
        let (status, said) = run(site.path(), &["dump", "--environment", name]);
        assert!(status == 0 && said.contains(expected) && said.contains("# the code"), "{said}");
        assert_eq!(said.contains("extra:"), extra, "{said}");
        assert!(!said.contains("placeholders"), "{said}");
        let (status, said) = run(site.path(), &["check", "--environment", name]);
        assert_eq!(status, 0, "{said}");
    }
}

/// The inventory says which groups the play's host is in; of its own variables those count that files do not replace.
#[test]
fn the_groups_of_a_host_are_those_of_the_inventory() {
    let site = repository(&[
        ("ansible.cfg", "[defaults]\ninventory = ./inventories/live\n"),
        (
            "inventories/live",
            "[galaxyservers]\nserver[1:2] cores=12 zone=inventory\n\n[web:children]\ngalaxyservers\n\n[web:vars]\nregion=here\ndisk=/inventory\nunused=1\n",
        ),
        ("server.yml", "- hosts: galaxyservers\n  vars_files: [templates/job_conf.yml]\n"),
        ("group_vars/web.yml", "cores: 4\ndisk: /outer\n"),
        ("group_vars/galaxyservers.yml", "disk: /inner\n"),
        ("group_vars/others.yml", "disk: /others\n"),
        ("host_vars/server1.yml", "zone: file\n"),
        ("host_vars/server2.yml", "zone: other\n"),
        (
            "templates/job_conf.yml",
            "runners:\n  slurm:\n    load: x\nexecution:\n  environments:\n    tpv_dispatcher:\n      tpv_config_files: [/srv/places.yml]\n",
        ),
        (
            "files/places.yml.j2",
            "destinations:\n  local:\n    runner: slurm\n    params:\n      v: '{{ region }} {{ cores }} {{ zone }} {{ disk }} {{ inventory_hostname }}'\n",
        ),
    ]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && said.contains("host `server1`, by the inventory `inventories/live`"), "{said}");
    let written = settings(site.path());
    let files = "  \"group_vars/web.yml\",  # a group of `server1` in inventories/live\n  \"group_vars/galaxyservers.yml\",\n  \"host_vars/server1.yml\",";
    assert!(written.contains(files) && !written.contains("others"), "{written}");
    assert!(written.contains("# inventories/live\ncores = 12\n") && !written.contains("unused"), "{written}");
    let (status, said) = run(site.path(), &["dump"]);
    assert!(status == 0 && said.contains("here 12 file /inner server1"), "{said}");
}

/// Configs in the list itself are counted; those behind them are not lost.
#[test]
fn configs_in_the_list_itself_are_counted() {
    let rules = "tools:\n  bwa:\n    cores: 2\n    mem: 4\n";
    let vars = "my_tpv_configs:\n  - /srv/a.yml\n  - tools:\n      bwa:\n        rules:\n          - cores: 4\n  - /srv/b.yml\n";
    let site = repository(&[("group_vars/all.yml", vars), ("tpv/a.yml", rules), ("tpv/b.yml", rules)]);
    let (status, said) = run(site.path(), &["init"]);
    let counted = "not listed: 1 config in group_vars/all.yml:1 itself";
    assert!(status == 0 && said.contains(&format!("{counted}: `tpvc dump --job-conf`")), "{said}");
    let written = settings(site.path());
    assert!(written.contains(counted) && written.contains("  \"tpv/a.yml\",\n  \"tpv/b.yml\",\n"), "{written}");
    let site = repository(&[("group_vars/all.yml", "tpv_configs:\n  - tools: {}\n")]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(
        status == 1 && said.contains("skipped: group_vars/all.yml:1: its configs are in the list itself"),
        "{said}"
    );
}

const WITH_CONFIGS: &str = "\
runners:
  slurm:
    load: galaxy.jobs.runners.slurm:SlurmJobRunner
execution:
  default: tpv_dispatcher
  environments:
    tpv_dispatcher:
      runner: dynamic
      rules_module: tpv.rules
      tpv_configs:
      - /srv/a.yml
      - tools:
          bwa:
            cores: {{ cores }}
            mem: 4
            env:
              TYPO: \"{entity.coers}\"
      - global:
          default_inherits: _default
        destinations:
          slurm:
            runner: slurm
      - /srv/b.yml
tools:
- id: upload1
  environment: local
";

/// Configs in the list of a job configuration are merged where they stand, and mistakes are at their lines.
#[test]
fn configs_in_a_job_configuration_are_read() {
    let a = "tools:\n  _default:\n    abstract: true\n    mem: 2\n  bwa:\n    cores: 2\n    gpus: 1\n";
    let b = "tools:\n  bwa:\n    mem: 16\n";
    let site = repository(&[
        ("templates/job_conf.yml.j2", WITH_CONFIGS),
        ("group_vars/all.yml", "cores: 12\n"),
        ("tpv/a.yml", a),
        ("tpv/b.yml", b),
    ]);
    let git = |arguments: &[&str]| git(site.path(), arguments);
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && !said.contains("not listed"), "{said}");
    let files = "  \"tpv/a.yml\",\n  \"templates/job_conf.yml.j2\",\n  \"tpv/b.yml\",\n";
    assert!(settings(site.path()).contains(files), "{}", settings(site.path()));
    let (status, said) = run(site.path(), &["dump"]);
    assert!(
        status == 0 && said.contains("cores: 12") && said.contains("mem: 16") && said.contains("gpus: 1"),
        "{said}"
    );
    let (_, said) = run(site.path(), &["lint"]);
    assert!(said.contains("templates/job_conf.yml.j2:17:") && said.contains("coers"), "{said}");
    let changed = WITH_CONFIGS.replace("mem: 4", "mem: 4\n            gpus: 3");
    std::fs::write(site.path().join("templates/job_conf.yml.j2"), changed).unwrap();
    git(&["commit", "-qam", "two"]);
    let (_, said) = run(site.path(), &["diff", "HEAD~1.."]);
    assert!(said.contains("bwa") && said.contains("gpus"), "{said}");
    // Without configs it is no config.
    std::fs::write(site.path().join("plain.yml"), "execution: {environments: {}}\nrunners: {}\n").unwrap();
    let (status, said) = run(site.path(), &["lint", "plain.yml"]);
    assert!(status != 0 && said.contains("is Galaxy's job configuration, not a config"), "{said}");
}

#[test]
fn xml_and_repositories_of_configs_alone_are_found() {
    let rules = "tools:\n  bwa:\n    cores: 2\n    mem: 4\n";
    let xml = "<job_conf>\n<plugins><plugin id=\"slurm\"/></plugins>\n<destinations><destination id=\"tpv_dispatcher\" runner=\"dynamic\">\n<param id=\"tpv_config_files\">config/a.yml,config/b.yml</param></destination></destinations></job_conf>\n";
    let site = repository(&[("job_conf.xml", xml), ("config/b.yml", rules), ("config/a.yml", rules)]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && said.contains("job_conf.xml:4"), "{said}");
    assert!(settings(site.path()).contains("  \"config/a.yml\",\n  \"config/b.yml\",\n"), "{}", settings(site.path()));
    let site = repository(&[("rules/a.yml", rules), ("playbook.yml", "- hosts: a\n  tools: {}\n")]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 0 && said.contains("check their order"), "{said}");
    let site = repository(&[("playbook.yml", "- hosts: a\n")]);
    let (status, said) = run(site.path(), &["init"]);
    assert!(status == 1 && said.contains("no `tpv_config_files` and no config of TPV was found"), "{said}");
    assert!(!site.path().join("tpvc.toml").exists());
}

#[test]
fn templates_read_no_file_outside_of_the_project() {
    let site = repository(&[
        ("secret.txt", "SECRET"),
        ("project/.git/config", "SECRET"),
        ("project/inside.txt", "inside"),
        ("project/tpvc.toml", "files = [\"a.yml.j2\"]\nplaceholders = [\"HOME\"]\n"),
        ("project/a.yml.j2", ""),
    ]);
    let project = site.path().join("project");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret.txt", project.join("link.txt")).unwrap();
    let dump = |expression: &str| {
        let rules = format!("destinations:\n  a:\n    runner: x\n    params:\n      v: \"{expression}\"\n");
        std::fs::write(project.join("a.yml.j2"), rules).unwrap();
        run(&project, &["dump"])
    };
    let absolute = site.path().join("secret.txt");
    let absolute = absolute.to_str().unwrap();
    for name in
        ["../secret.txt", "link.txt", ".git/config", "./.git/config", absolute, "/etc/passwd", "files/../../secret.txt"]
    {
        for expression in [format!("{{{{ lookup('file', '{name}') }}}}"), format!("{{% include '{name}' %}}")] {
            let (status, said) = dump(&expression);
            assert!(status == 1 && !said.contains("SECRET") && !said.contains("root:"), "{expression}: {said}");
        }
    }
    let (status, said) = dump("{{ lookup('file', 'inside.txt') }}");
    assert!(status == 0 && said.contains("inside"), "{said}");
    // The environment is not read, not even for a name that is declared.
    let (status, said) = dump("{{ lookup('env', 'HOME') }}");
    assert!(status == 0 && said.contains("placeholder_HOME"), "{said}");
    let (status, said) = dump("{{ lookup('env', 'PATH') }}");
    assert!(status == 1 && said.contains("does not read the environment"), "{said}");
}

/// Files beyond a limit are named, and those within it are found.
#[test]
fn what_is_beyond_a_limit_is_named() {
    let deep = format!("{}deep.yml", "d/".repeat(24));
    let site = repository(&[
        ("files/tpv.yml", "tools:\n  a:\n    cores: 1\n"),
        ("files/large.yml", "tools:\n  b:\n    cores: 1\n"),
        (&deep, "tools:\n  c:\n    cores: 1\n"),
        ("hosts", "[galaxy]\nserver\n"),
    ]);
    let sparse = |name: &str, bytes: u64| {
        std::fs::File::options()
            .append(true)
            .create(true)
            .open(site.path().join(name))
            .unwrap()
            .set_len(bytes)
            .unwrap();
    };
    sparse("files/large.yml", (4 << 20) + 1);
    #[cfg(unix)]
    assert!(std::process::Command::new("mkfifo").arg(site.path().join("files/pipe.yml")).status().unwrap().success());
    let started = std::time::Instant::now();
    let (status, said) = run(site.path(), &["init", "--print"]);
    assert!(status == 0 && said.contains("files = [\n  \"files/tpv.yml\",\n]"), "{said}");
    assert!(said.contains("warning: not looked at: files/large.yml: it has more than 4 MiB"), "{said}");
    let folder = deep.trim_end_matches("deep.yml");
    assert!(said.contains(&format!("warning: not looked at: {folder}: it is deeper than 24 folders")), "{said}");
    assert!(started.elapsed().as_secs() < 5, "a pipe is none of the files");
    // An inventory is read where a list of configs is.
    sparse("hosts", (4 << 20) + 1);
    std::fs::write(site.path().join("files/job_conf.yml"), "execution:\n  tpv_config_files: [tpv.yml]\nrunners: {}\n")
        .unwrap();
    let (_, said) = run(site.path(), &["init", "--print"]);
    assert!(said.contains("warning: not looked at: hosts: it has more than 4 MiB"), "{said}");
}

/// No more is in memory than the largest file, and no more is read than a total; the file that reaches it is named.
#[cfg(target_os = "linux")]
#[test]
fn many_large_files_take_neither_memory_nor_time() {
    let site = repository(&[("a/tpv.yml", "tools:\n  a:\n    cores: 1\n")]);
    // Without blocks on the disk.
    for file in 0..70 {
        let file = std::fs::File::create(site.path().join(format!("b{file:02}.yml"))).unwrap();
        file.set_len(4 << 20).unwrap();
    }
    let mut command = std::process::Command::new("prlimit");
    command.args(["--data=157286400", env!("CARGO_BIN_EXE_tpvc"), "init", "--print"]).current_dir(site.path());
    let output = command.env("NO_COLOR", "1").output().unwrap();
    let said = crate::support::stdout(&output) + &crate::support::stderr(&output);
    assert!(output.status.success() && said.contains("\"a/tpv.yml\""), "{said}");
    assert!(
        said.contains("warning: not looked at: b64.yml: this file and all after it: more than 256 MiB in all"),
        "{said}"
    );
    // Those for which there was no memory would be named, too.
    assert_eq!(said.matches("not looked at").count(), 1, "{said}");
}

#[test]
fn the_file_after_the_most_is_named() {
    let site = repository(&[("a/tpv.yml", "tools:\n  a:\n    cores: 1\n")]);
    for file in 0..50_000 {
        std::fs::File::create(site.path().join(format!("b{file:05}.yml"))).unwrap();
    }
    let (status, said) = run(site.path(), &["init", "--print"]);
    assert!(status == 0 && said.contains("\"a/tpv.yml\""), "{said}");
    assert!(
        said.contains("warning: not looked at: b49999.yml: this file and all after it: more than 50,000 files"),
        "{said}"
    );
}

#[test]
fn printed_settings_have_no_characters_that_mislead() {
    let site = repository(&[("tpv\u{202e}\u{e0041}\u{7f}.yml", "tools:\n  a:\n    cores: 1\n")]);
    let (status, said) = run(site.path(), &["init", "--print", "-q"]);
    assert!(status == 0 && !said.replace('\n', "").contains(tpv_text::printable::is_odd), "{said}");
    let settings: toml::Table = toml::from_str(&said).unwrap();
    assert_eq!(settings["files"][0].as_str(), Some("tpv\u{202e}\u{e0041}\u{7f}.yml"));
    let (status, said) = run(site.path(), &["init"]);
    assert_eq!(status, 0, "{said}");
    let (status, said) = run(site.path(), &["dump"]);
    assert!(status == 0 && said.contains("cores: 1"), "{said}");
}
