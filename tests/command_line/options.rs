//! One word for one thing: an option that several verbs have means the same in each, and docs/options.md lists them.

use std::collections::BTreeMap;
use std::fmt::Write;

use clap::CommandFactory;
use tpvc::cli::Cli;

use super::documents::expect_parts;
use crate::support::project;

/// Options whose values are of several kinds, with the reason.
const SEVERAL: [(&str, &str); 6] = [
    ("--old", "`simulate` takes artifacts and revisions in the place of configs"),
    ("--only", "a flag of `who reaches`: tools that reach no other destination"),
    ("--rules", "a number in `bench`, as `--tools` and `--destinations` are"),
    ("--since", "a commit counts as its date where there is a repository"),
    ("--tool", "a part of an id chooses several tools, a whole id is that of one job"),
    ("--user", "logs and exports have ids only"),
];

/// The options of all verbs: by option and kind of value the verbs.
fn options() -> BTreeMap<String, BTreeMap<String, Vec<String>>> {
    fn add(command: &clap::Command, name: &str, all: &mut BTreeMap<String, BTreeMap<String, Vec<String>>>) {
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let name = format!("{name} {}", verb.get_name()).trim().to_owned();
            for option in verb.get_arguments().filter(|option| !option.is_hide_set() && !option.is_global_set()) {
                let Some(long) = option.get_long() else { continue };
                let takes = option.get_action().takes_values();
                let value = option.get_value_names().filter(|_| takes).map_or(String::new(), |names| names.join(" "));
                all.entry(format!("--{long}")).or_default().entry(value).or_default().push(name.clone());
            }
            add(verb, &name, all);
        }
    }
    let mut all = BTreeMap::new();
    add(&Cli::command(), "", &mut all);
    all
}

#[test]
fn an_option_of_several_verbs_means_the_same() {
    let mut table = String::from("\n| option | value | verbs |\n| --- | --- | --- |\n");
    let (mut shared, mut faults) = (0, Vec::new());
    for (option, kinds) in options() {
        let is_excused = SEVERAL.iter().any(|(name, _)| *name == option);
        if kinds.len() != 1 && !is_excused {
            faults.push(format!("{option} has values of several kinds: {kinds:?}"));
        }
        for (value, verbs) in kinds.iter().filter(|(_, verbs)| verbs.len() > 1) {
            shared += 1;
            let value = if value.is_empty() { String::new() } else { format!("`{value}`") };
            let verbs: Vec<String> = verbs.iter().map(|verb| format!("`{verb}`")).collect();
            writeln!(table, "| `{option}` | {} | {} |", value.replace('|', "\\|"), verbs.join(", ")).unwrap();
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(shared > 15, "{shared}");
    table.push('\n');
    expect_parts(&project().join("docs/options.md"), &[("options", table)]);
}
