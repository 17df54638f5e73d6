#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
use std::collections::BTreeMap;
use std::path::Path;

use super::super::super::{Kind, check_options};
use super::*;
use crate::cluster::{Cluster, Indices};
use crate::resources::{Limits, Resources};
use crate::store::MapDir;
use crate::submit::{Budget, Output};

fn item(component: u32) -> Item {
    Item {
        component,
        rules: "1111".to_owned(),
        rules_name: "rules.bin".to_owned(),
        against: None,
        run: None,
        jobs: format!("2222{component}"),
        file: "jobs/it's 100% \"$HOME\" $$(Memory).jsonl".to_owned(),
        start: 0,
        length: 1 << 20,
        first_line: 1,
        lines: 10,
    }
}

/// A submit object that asks for nothing in particular.
pub(in super::super) fn submit() -> Submit {
    Submit {
        engine: Kind::HtCondor,
        output: Output::Answers,
        detail: false,
        world: None,
        scenario: None,
        now: 1_700_000_000_000_000,
        program: "3333".to_owned(),
        platform: "x86_64-linux-dynamic".to_owned(),
        jit: "lazy".to_owned(),
        budget: Budget { steps: 1, bytes: 2, depth: 3 },
        limits: Limits::default(),
        options: BTreeMap::new(),
    }
}

/// The description and the itemdata of a cluster of the components 4 and 7.
fn made(submit: &Submit, items: &[&Item]) -> (String, String) {
    let cluster = Cluster {
        number: 2,
        token: "00ff".to_owned(),
        engine: Kind::HtCondor,
        components: Indices(items.iter().map(|item| item.component).collect()),
        created: 0,
    };
    let map = MapDir::at(Path::new("/maps/1"));
    let submission = Submission { map: &map, tag: "q3", submit, cluster: &cluster };
    (description(submission, items, 5, "clusters/2.d/items"), itemdata(submission, items))
}

#[test]
fn the_description_transfers_all_and_names_the_cluster() {
    let (four, seven) = (item(4), item(7));
    let (text, items) = made(&submit(), &[&four, &seven]);
    for line in [
        "executable = component.sh",
        "arguments = \"$(words)\"",
        "transfer_input_files = inputs/3333,inputs/$(rules),inputs/$(jobs)",
        "log = events/2.log",
        "batch_name = q3",
        "+TpvcToken = \"00ff\"",
        "request_disk = 5KB",
        "requirements = Arch == \"X86_64\" && OpSys == \"LINUX\"",
        "queue component,rules,jobs,words from clusters/2.d/items",
    ] {
        assert!(text.lines().any(|other| other == line), "{line} is not in\n{text}");
    }
    assert!(!text.contains("request_memory") && !text.contains("+TpvcTimeLimit"), "{text}");
    let lines: Vec<_> = items.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("4,1111,22224,'0' '4' '2' 'summary' 'error' '-' './3333' "), "{}", lines[0]);
    assert!(lines[1].starts_with("7,1111,22227,'0' '7' "), "{}", lines[1]);
    let file = "'jobs/it''s 100% \"\"$(DOLLAR)HOME\"\" $(DOLLAR)?(Memory).jsonl'";
    assert!(lines[0].contains(file), "{}", lines[0]);
}

#[test]
fn limits_worlds_and_comparisons_are_described() {
    let mut submit = submit();
    let resources = Resources { memory_mib: Some(900), time_s: Some(60), disk_mib: Some(7) };
    (submit.limits, submit.world) = (Limits::of_all(resources), Some("4444".to_owned()));
    let (mut four, seven) = (item(4), item(7));
    four.against = Some("5555".to_owned());
    let (text, items) = made(&submit, &[&four, &seven]);
    for line in [
        "request_memory = 900MB",
        "+TpvcMemory = 900",
        "request_disk = 7168KB",
        "+TpvcDisk = 7",
        "+TpvcTimeLimit = 60",
        "transfer_input_files = inputs/3333,inputs/$(rules),inputs/$(jobs),inputs/$(against),inputs/4444",
        "queue component,rules,jobs,against,words from clusters/2.d/items",
    ] {
        assert!(text.lines().any(|other| other == line), "{line} is not in\n{text}");
    }
    assert!(items.starts_with("4,1111,22224,5555,'900'"), "{items}");
    assert!(items.contains("\n7,1111,22227,1111,'900'"), "{items}");
}

#[test]
fn many_components_become_jobs_late_unless_an_option_says_when() {
    let all: Vec<_> = (0..2000).map(item).collect();
    let all: Vec<_> = all.iter().collect();
    let mut submit = submit();
    let limits = |submit: &Submit| {
        let (text, _) = made(submit, &all);
        text.lines().filter(|line| line.starts_with("max_")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(limits(&submit), ["max_idle = 1000"]);
    submit.options.insert("max_materialize".to_owned(), "50".to_owned());
    assert_eq!(limits(&submit), ["max_materialize = 50"]);
}

#[test]
fn options_are_submit_commands_but_those_that_tpvc_sets() {
    let with = |name: &str, value: &str| {
        let options = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        check_options(Kind::HtCondor, &options)?;
        Ok::<_, Error>(made(&Submit { options, ..submit() }, &[&item(0)]).0)
    };
    let has = |name, value, line: &str| assert!(with(name, value).unwrap().contains(line), "{line}");
    has("accounting_group", "group_physics", "\naccounting_group = group_physics\n");
    has("+ProjectName", "\"tpv\"", "\n+ProjectName = \"tpv\"\n");
    has("requirements", "HasX || HasY", "&& OpSys == \"LINUX\" && (HasX || HasY)\n");
    for (name, value, message) in [
        ("", "1", "cannot be a submit command"),
        ("a b", "1", "cannot be a submit command"),
        ("a", "1\nqueue 5", "a line break"),
        ("requirements", "true\nqueue 5", "a line break"),
        ("a", "1\rqueue 5", "a line break"),
        ("a", "\u{85}", "another control character"),
        ("a\nqueue", "1", "the option `a\\nqueue` has a line break"),
        ("a", "1\\", "takes the next line for a part of it"),
        ("requirements", "true \\ ", "takes the next line for a part of it"),
    ] {
        let error = with(name, value).unwrap_err();
        assert!(error.message.contains(message), "{name} = {value}: {error}");
    }
    for name in ["queue", "Log", "+TpvcToken", "MY.TpvcToken", "transfer_input_files"] {
        let error = with(name, "1").unwrap_err();
        assert_eq!(error.message, format!("tpvc sets the submit command `{name}` itself"));
    }
}

#[test]
fn disk_is_asked_for_what_the_largest_component_needs() {
    let (mut four, mut seven) = (item(4), item(7));
    (four.length, seven.length, seven.rules) = (10 << 20, 1 << 20, "large".to_owned());
    let size = |digest: &str| match digest {
        "large" => 3 << 20,
        "3333" => 20 << 20,
        _ => 1,
    };
    assert_eq!(disk_kib(&submit(), &[&four, &seven], size), (20 + 2 * 3 + 2 * 10 + 64) * 1024);
}
