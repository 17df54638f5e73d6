//! Documents that must fail, each for one rule of its schema.

use serde_json::Value;
use tpv_analysis::schema::File;

use super::Judge;
use super::readers::{as_json, config, settings, verdict, verdict_on_text};

/// Configs that TPV refuses.
const CONFIGS: &[&str] = &[
    "[]",
    "text",
    "tools: []",
    "tools:",
    "tools: {bwa: 5}",
    "tools: {bwa:}",
    "tools: {bwa: [cores]}",
    "global: []",
    "global: {default_inherits: 5}",
    "global: {context: null}",
    "global: {context: [a]}",
    "global: {resource_pool_store: valkey}",
    "global: {resource_pool_store: {class: 5}}",
    "tools: {bwa: {id: 5}}",
    "tools: {bwa: {abstract: maybe}}",
    "tools: {bwa: {inherits: [a]}}",
    "tools: {bwa: {cores: [2]}}",
    "tools: {bwa: {mem: {mem}}}",
    "tools: {bwa: {max_concurrent_cores: many}}",
    "tools: {bwa: {env: text}}",
    "tools: {bwa: {env: [text]}}",
    "tools: {bwa: {env: [{name: A, value: 1}]}}",
    "tools: {bwa: {params: [a]}}",
    "tools: {bwa: {resubmit: null}}",
    "tools: {bwa: {resubmit: {again: 5}}}",
    "tools: {bwa: {resubmit: {again: {delay: [5]}}}}",
    "tools: {bwa: {rank: 5}}",
    "tools: {bwa: {context: [a]}}",
    "tools: {bwa: {scheduling: [slurm]}}",
    "tools: {bwa: {scheduling: null}}",
    "tools: {bwa: {scheduling: {require: slurm}}}",
    "tools: {bwa: {scheduling: {require: [5]}}}",
    "tools: {bwa: {scheduling: {require: [a, a]}}}",
    "tools: {bwa: {no_qa_codes: T101}}",
    "tools: {bwa: {evaluator: x}}",
    "tools: {bwa: {rules: null}}",
    "tools: {bwa: {rules: [text]}}",
    "tools: {bwa: {rules: {if: true}}}",
    "tools: {bwa: {rules: [{cores: 2}]}}",
    "tools: {bwa: {rules: [{if: 2}]}}",
    "tools: {bwa: {rules: [{if: null}]}}",
    "tools: {bwa: {rules: [{if: true, id: 5}]}}",
    "tools: {bwa: {rules: [{if: true, execute: [a]}]}}",
    "tools: {bwa: {rules: [{if: true, fail: true}]}}",
    "tools: {bwa: {rules: [{if: true, cores: []}]}}",
    "users: {ada: {cores: []}}",
    "roles: {staff: {cores: []}}",
    "destinations: {slurm: {runner: 5}}",
    "destinations: {slurm: {max_accepted_cores: many}}",
    "destinations: {slurm: {min_accepted_mem: [1]}}",
    "destinations: {slurm: {destination_name_override: 5}}",
    "destinations: {slurm: {tags: null}}",
    "destinations: {slurm: {tpv_tags: []}}",
    "pools: {all: {oversize: null}}",
    "pools: {all: {oversize: {maximum: 1}}}",
    "pools: {all: {oversize: {max_concurrent: 1.5}}}",
    "pools: {all: {oversize: {hard_max_mem: much}}}",
    "pools: {all: {oversize: {reserve_pool: 2}}}",
    "pools: {all: {fail_open: null}}",
    "pools: {all: {scheduling: {prefer: [a]}}}",
];

const JOBS: &[&str] = &[
    "[]",
    "{}",
    r#"{"tool": {}}"#,
    r#"{"tool": "bwa"}"#,
    r#"{"tool": {"id": 5}}"#,
    r#"{"tool": {"id": "a", "version": 1.5}}"#,
    r#"{"tool": {"id": "a", "resource_requirements": {"cores": 2}}}"#,
    r#"{"tool": {"id": "a", "resource_requirements": {"cores_min": null}}}"#,
    r#"{"tool": {"id": "a"}, "id": []}"#,
    r#"{"tool": {"id": "a"}, "seed": 1.5}"#,
    r#"{"tool": {"id": "a"}, "user": "ada"}"#,
    r#"{"tool": {"id": "a"}, "user": {"roles": [{}]}}"#,
    r#"{"tool": {"id": "a"}, "user": {"roles": [5]}}"#,
    r#"{"tool": {"id": "a"}, "user": {"id": "1"}}"#,
    r#"{"tool": {"id": "a"}, "job": {"parameters": {"a": 1}}}"#,
    r#"{"tool": {"id": "a"}, "job": {"input_datasets": [{"size": 1}]}}"#,
    r#"{"tool": {"id": "a"}, "job": {"input_datasets": [{"id": 1, "size": "1G"}]}}"#,
    r#"{"tool": {"id": "a"}, "job": {"history": {"tags": [null]}}}"#,
    r#"{"tool": {"id": "a"}, "job_wrapper": 1}"#,
];

const WORLDS: &[&str] = &[
    "[]",
    r#"{"jobs": {}}"#,
    r#"{"jobs": [{"user_id": "1"}]}"#,
    r#"{"tool_data_tables": {"a": [1]}}"#,
    r#"{"config": []}"#,
    r#"{"files": {"/a": -1}}"#,
    r#"{"files": {"/a": "1"}}"#,
    r#"{"queries": [{"sql": "select 1"}]}"#,
    r#"{"queries": [{"sql": "select 1", "rows": [1]}]}"#,
    r#"{"queries": [{"sql": "select 1", "rows": {"totals": ["count"]}}]}"#,
    r#"{"queries": [{"sql": "select 1", "rows": {"group_by": ["user_id"], "totals": ["count"]}}]}"#,
    r#"{"queries": [{"sql": "select 1", "rows": {"group_by": ["state"], "totals": "count"}}]}"#,
    r#"{"queries": [{"sql": "select 1", "rows": {"group_by": [], "totals": [], "order_by": []}}]}"#,
    r#"{"jobs": [{"cores": "2"}]}"#,
    r#"{"now": "soon"}"#,
];

const SETTINGS: &[(&str, &str)] = &[
    ("file = []", r#"{"file": []}"#),
    ("files = 'a.yml'", r#"{"files": "a.yml"}"#),
    ("severity = {T102 = 'of'}", r#"{"severity": {"T102": "of"}}"#),
    ("lint = {base = 'a'}", r#"{"lint": {"base": "a"}}"#),
    ("maps = {engine = 'pbs'}", r#"{"maps": {"engine": "pbs"}}"#),
    ("maps = {memory = -1}", r#"{"maps": {"memory": -1}}"#),
];

const TESTS: &[&str] = &[
    "[]",
    "properties: {}",
    "properties: [5]",
    "properties: [{never: {destination: big}}]",
    "properties: [{name: a, never: {destination: 5}}]",
    "properties: [{name: a, when: {user_defined: maybe}, never: {destination: big}}]",
    "properties: [{name: a, when: {users: a}, never: {destination: big}}]",
    "tests: {}",
    "config: []\ntests: []",
    "tests: [5]",
    "tests: [{jobs: {}}]",
    "tests: [{job: bwa}]",
    "tests: [{job: {tool: 5}}]",
    "tests: [{job: {tool: {}}}]",
    "tests: [{job: {tool: bwa, input_size: 1G}}]",
    "tests: [{job: {tool: bwa, input_datasets: [{size: 1G}]}}]",
    "tests: [{job: {tool: bwa, user: {id: ada}}}]",
    "tests: [{job: {tool: bwa, history_tags: [5]}}]",
    "tests: [{job: {tool: bwa}, expect: {core: 1}}]",
    "tests: [{job: {tool: bwa}, expect: {cores: [1]}}]",
    "tests: [{job: {tool: bwa}, expect: {not_on: [5]}}]",
    "tests: [{job: {tool: bwa}, expect: {error: {kind: KeyError}}}]",
    "tests: [{job: {tool: bwa}, world: {file: {}}}]",
    "tests: [{job: {tool: bwa}, table: []}]",
    "tests: [{job: {tool: bwa}, table: [{params: {}}]}]",
];

/// Answers that tpvc never writes.
const ANSWERS: &[&str] = &[
    r#"{"id": 1}"#,
    r#"{"id": 1, "error": {"type": "KeyError"}}"#,
    r#"{"id": 1, "error": "KeyError"}"#,
    r#"{"id": 1, "destination": {"id": "slurm"}, "cores": 1, "mem": 1, "gpus": 0}"#,
    r#"{"id": {}, "error": {"type": "KeyError", "message": "a"}}"#,
    r#"{"id": 1, "error": {"type": "KeyError", "message": "a"}, "cores": 1}"#,
];

#[test]
fn what_the_readers_refuse_the_schemas_refuse() {
    let judge = Judge::new(File::Config, false);
    for text in CONFIGS {
        let (verdict, root) = config(text);
        assert!(!verdict.errors.is_empty(), "tpvc takes {text}");
        assert!(!judge.accepts(&as_json(&root.unwrap()).unwrap()), "the schema takes {text}");
    }
    for (file, texts) in [(File::Job, JOBS), (File::World, WORLDS)] {
        let judge = Judge::new(file, false);
        for text in texts {
            let document: Value = serde_json::from_str(text).unwrap();
            assert!(!verdict(file, &document).unwrap().errors.is_empty(), "tpvc takes {text}");
            assert!(!judge.accepts(&document), "the schema takes {text}");
        }
    }
    let judge = Judge::new(File::Test, false);
    for text in TESTS {
        assert!(!verdict_on_text(File::Test, text).errors.is_empty(), "tpvc takes {text}");
        assert!(!judge.accepts(&as_json(&config(text).1.unwrap()).unwrap()), "the schema takes {text}");
    }
    let judge = Judge::new(File::Settings, false);
    for (toml, json) in SETTINGS {
        assert!(settings(toml).is_some(), "tpvc takes {toml}");
        assert!(!judge.accepts(&serde_json::from_str(json).unwrap()), "the schema takes {json}");
    }
    let judge = Judge::new(File::Answer, false);
    for text in ANSWERS {
        assert!(!judge.accepts(&serde_json::from_str(text).unwrap()), "the schema takes {text}");
    }
}

/// docs/schema.md lists these, too.
#[test]
fn what_a_schema_cannot_say() {
    let judge = Judge::new(File::Config, false);
    for text in [
        "tools: {bwa: {scheduling: {require: [a], reject: [a]}}}",
        "tools: {bwa: {cores: 2026-01-31}}",
        "tools: {bwa: {rank: !code x}}",
        "tools:\n  # noqa: T101\n  bwa: {}\npools:\n  a:\n    oversize: # noqa: T101\n      max_concurrent: 1\n",
        "pools: {all: {oversize: {max_concurrent: 1e30}}}",
    ] {
        let (verdict, root) = config(text);
        assert!(!verdict.errors.is_empty(), "tpvc takes {text}");
        assert!(judge.accepts(&as_json(&root.unwrap()).unwrap()), "the schema refuses {text}");
    }
    for (file, text) in [
        (File::Job, r#"{"tool": {"id": "a"}, "seed": 1.0}"#),
        (File::Job, r#"{"tool": {"id": "a"}, "job": {"param_values": {"x": {"src": "hdca", "ids": [4]}}}}"#),
        (File::World, r#"{"now": "2026-01-31 at noon"}"#),
    ] {
        let document: Value = serde_json::from_str(text).unwrap();
        assert!(!verdict(file, &document).unwrap().errors.is_empty(), "tpvc takes {text}");
        assert!(Judge::new(file, false).accepts(&document), "the schema refuses {text}");
    }
    assert!(settings("severity = {T999 = 'off'}").is_some());
    assert!(Judge::new(File::Settings, false).accepts(&serde_json::json!({"severity": {"T999": "off"}})));
}
