//! Compares the proofs of `tpvc check` with jobs: TPV's recorded answers of all fixtures, and random configs with random jobs.
//!
//! `TPVC_SEED=7 TPVC_CONFIGS=1000` makes other configs, or more; a failure prints the seed. With `TPVC_KEEP=FOLDER` the configs, their jobs
//! and tpvc's answers are written there, one folder a config, for TPV to answer, too.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::cases::Case;
use crate::support::random::{Random, rounds, setting};
use serde_json::{Value, json};
use tpv_analysis::check::reach::{DECLARED, Matrix};
use tpv_analysis::check::{Checked, check};
use tpv_analysis::lint::Options;
use tpv_compiler::{CompileOptions, compile};
use tpv_runtime::patterns::{Matcher, PatternSet};
use tpv_runtime::{Job, Mapper, World};
use tpv_text::finding::Finding;

/// The proofs about a config.
struct Proofs {
    matrix: Matrix,
    ids: Matcher<PatternSet>,
    /// The marks of rules that never apply, and of rules that always do.
    never: HashSet<String>,
    always: HashSet<String>,
    /// The entities that have each rule, by its mark: their sections and ids.
    owners: BTreeMap<String, Vec<(String, String)>>,
    /// The results of matching ids with names, cached.
    matched: RefCell<HashMap<(String, String), bool>>,
    /// The numbers of findings: T201, T202.
    nowhere: [usize; 2],
}

impl Proofs {
    fn of(configs: &[String]) -> Option<Self> {
        let Checked { linted, matrix, .. } = check(configs, &Options::default());
        let matrix = matrix?;
        let keys: Vec<&str> = matrix.tools.iter().map(|tool| tool.id.as_str()).collect();
        let ids = Matcher::new(PatternSet::build(&keys[..keys.len() - 2]));
        let of =
            |code: &str| linted.findings.iter().filter(|finding| finding.code.as_str() == code).collect::<Vec<_>>();
        // A rule is known by the comment in its condition, or by its id.
        let marks = |code: &str| -> HashSet<String> {
            let mark = |finding: &&Finding| {
                let span = finding.span().unwrap();
                let text = &linted.sources.get(span.source).unwrap().text[span.start as usize..span.end as usize];
                let mark = text.trim_matches(['"', '\'']).split_once("# ").map(|(_, mark)| mark);
                mark.unwrap_or_else(|| finding.diagnostic.message.split('`').nth(1).unwrap()).to_owned()
            };
            of(code).iter().map(mark).collect()
        };
        let nowhere = ["T201", "T202"].map(|code| of(code).len());
        Some(Self {
            never: marks("T203"),
            always: marks("T204"),
            owners: BTreeMap::new(),
            matched: RefCell::default(),
            matrix,
            ids,
            nowhere,
        })
    }

    /// The rows of the tools whose ids a job has.
    fn rows(&self, job: &Value) -> Vec<usize> {
        let tool = &job["tool"];
        if let Some(uuid) = tool["dynamic_tool_uuid"].as_str() {
            let tool_type = tool["tool_type"].as_str().unwrap_or("default");
            let mut found = self.matching(&format!("{tool_type}-{uuid}"));
            if tool_type == "user_defined" {
                found.push(self.matrix.tools.last().unwrap().row);
            }
            return found;
        }
        let found = self.matching(tool["id"].as_str().unwrap());
        let other = self.matrix.tools[self.matrix.tools.len() - 2].row;
        if found.is_empty() { vec![other] } else { found }
    }

    fn matching(&self, id: &str) -> Vec<usize> {
        let mut found = Vec::new();
        self.ids.matches(id, &mut found).unwrap();
        found.into_iter().map(|index| self.matrix.tools[index as usize].row).collect()
    }

    /// The proof that an answer contradicts.
    fn contradicted(&self, job: &Value, answer: &Value) -> Option<String> {
        let id = answer["destination"]["id"].as_str()?;
        let column = self.matrix.destinations.iter().position(|destination| destination.id == id)?;
        for row in self.rows(job) {
            let row = &self.matrix.rows[row];
            let declares =
                job["tool"]["resource_requirements"].as_object().is_some_and(|declared| !declared.is_empty());
            if declares && row.unless.iter().any(|unless| unless == DECLARED) {
                continue;
            }
            let reasons = match (&row.ends, row.never.get(column)) {
                (Some(end), _) => vec![*end],
                (None, Some(Some(reasons))) => reasons.clone(),
                _ => continue,
            };
            let reasons: Vec<&str> = reasons.iter().map(|reason| self.matrix.reasons[*reason].as_str()).collect();
            return Some(format!("it got to `{id}`, which {}", reasons.join(", ")));
        }
        let params = answer["destination"]["params"].as_object()?;
        if let Some(rule) = self.never.iter().find(|rule| params.contains_key(*rule)) {
            return Some(format!("the rule `{rule}` applied"));
        }
        let is_missing = |rule: &&String| !params.contains_key(*rule) && self.has(job, rule);
        self.always.iter().find(is_missing).map(|rule| format!("the rule `{rule}` did not apply"))
    }

    /// Returns `true` if an entity of a job has the rule.
    fn has(&self, job: &Value, mark: &str) -> bool {
        let Some(owners) = self.owners.get(mark) else { return false };
        let matches = |id: &str, name: &str| {
            let mut matched = self.matched.borrow_mut();
            *matched.entry((id.to_owned(), name.to_owned())).or_insert_with(|| {
                let mut found = Vec::new();
                Matcher::new(PatternSet::build(&[id])).matches(name, &mut found).unwrap();
                !found.is_empty()
            })
        };
        let (tool, user) = (&job["tool"], &job["user"]);
        let name = match tool["dynamic_tool_uuid"].as_str() {
            Some(uuid) => format!("{}-{uuid}", tool["tool_type"].as_str().unwrap()),
            None => tool["id"].as_str().unwrap().to_owned(),
        };
        owners.iter().any(|(section, id)| match section.as_str() {
            "tools" => id == "default" || matches(id, &name),
            "users" => user["email"].as_str().is_some_and(|email| id == "default" || matches(id, email)),
            // Of several roles one counts, which is not followed here.
            _ => false,
        })
    }
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or(Value::Null)).collect()
}

#[test]
fn no_recorded_answer_contradicts_a_proof() {
    let (mut cells, mut answers) = (0, 0);
    for case in Case::fixtures() {
        let Some(proofs) = Proofs::of(&case.configs()) else { continue };
        cells += proofs.matrix.rows.iter().flat_map(|row| &row.never).filter(|cell| cell.is_some()).count();
        let (jobs, expected) = (case.folder.join("jobs.jsonl"), case.folder.join("expected.jsonl"));
        for (job, answer) in lines(&jobs).iter().zip(lines(&expected)) {
            if !job["tool"]["id"].is_string() {
                continue;
            }
            answers += 1;
            if let Some(what) = proofs.contradicted(job, &answer) {
                panic!("{}: {what}\n{job}\n{answer}", case.name);
            }
        }
    }
    println!("{answers} answers, {cells} cells of the matrices are proofs");
    assert!(answers > 1000 && cells > 200);
}

/// Jobs of `u@example.org`, of 200 GB, against what is proved of a config; the answers' destinations.
fn placed_by(config: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.yml");
    std::fs::write(&path, config).unwrap();
    let names = [path.display().to_string()];
    let proofs = Proofs::of(&names).unwrap();
    let mapper = Mapper::new(compile(&names, &CompileOptions::default()).rules.unwrap());
    let job = json!({
        "tool": {"id": "bwa"}, "user": {"email": "u@example.org", "roles": []},
        "job": {"input_datasets": [{"name": "i", "id": 1, "size": 200_000_000_000_u64}]},
    });
    let answer = mapper.map(&Arc::new(Job::parse(&job.to_string()).unwrap()), &Arc::new(World::default()));
    let answer: Value = serde_json::from_str(&answer.line()).unwrap();
    assert_eq!(proofs.contradicted(&job, &answer), None);
    vec![answer["destination"]["id"].clone(), answer["error"]["message"].clone(), json!(proofs.never)]
}

/// Of two rules with one id TPV makes one: the user's condition lets the tool's fields count.
#[test]
fn a_rule_of_a_user_brings_the_fields_of_the_rule_it_replaces() {
    let found = placed_by(
        "global: {default_inherits: default}
tools:
  default: {abstract: true, cores: 1}
  bwa:
    rules:
    - {id: big, if: input_size < 0, cores: 64, scheduling: {require: [highmem]}}
users:
  u@example.org:
    rules: [{id: big, if: input_size >= 0, mem: 3}]
destinations:
  small: {runner: slurm, max_accepted_cores: 8}
  only: {runner: slurm, scheduling: {require: [highmem]}}
",
    );
    // The condition of the tool's own rule is false for each job that comes to it, but its fields count.
    assert_eq!(found, [json!("only"), json!(null), json!([])]);
}

/// If rules with the same id are merged, one condition decides on the fields of all.
#[test]
fn rules_of_one_id_are_proved_together() {
    let never = |name: &str| format!("{{id: r, if: 'input_size < 0 # {name}', params: {{{name}: x}}, min_mem: 20}}");
    let some = |name: &str| format!("{{id: r, if: 'input_size < 500 # {name}', cores: 3}}");
    let all = |name: &str| format!("{{id: r, if: 'input_size >= 0 # {name}', params: {{{name}: x}}}}");
    let tools = |one: &str, other: &str| format!("tools:\n  b.*: {{rules: [{one}]}}\n  bwa: {{rules: [{other}]}}\n");
    let parent = |one: &str, other: &str| {
        format!("tools:\n  star: {{rules: [{one}]}}\n  bwa: {{inherits: star, rules: [{other}]}}\n")
    };
    let higher = |one: &str, section: &str, other: &str| {
        format!("tools:\n  bwa: {{rules: [{one}]}}\n{section}:\n  u@example.org: {{rules: {other}}}\n")
    };
    let listed = |rule: String| format!("[{rule}]");
    for (config, proved_never, proved_always) in [
        (tools(&never("n"), &some("s")), [""; 0].as_slice(), [""; 0].as_slice()),
        (tools(&never("n"), &all("a")), &[], &["a"]),
        (tools(&never("n"), &never("m")), &["m", "n"], &[]),
        (tools(&all("a"), &some("s")), &[], &[]),
        (tools(&all("a"), &never("n")), &["n"], &[]),
        (tools(&all("a"), &all("b")), &[], &["a", "b"]),
        (parent(&never("n"), &some("s")), &[], &[]),
        (parent(&all("a"), &some("s")), &[], &[]),
        (parent(&all("a"), &never("n")), &["n"], &[]),
        (higher(&never("n"), "users", &listed(some("s"))), &[], &[]),
        (higher(&never("n"), "roles", &listed(some("s"))), &[], &[]),
        (higher(&all("a"), "users", &listed(some("s"))), &[], &[]),
        // The default is below the others of its section, wherever it stands.
        (
            format!(
                "users:\n  u.*: {{rules: [{}]}}\n  default: {{abstract: true, rules: [{}]}}\nglobal: {{default_inherits: default}}\n",
                some("s"),
                all("a")
            ),
            &[],
            &[],
        ),
        // The rule of one id under another key is not followed.
        (higher(&never("n"), "users", &format!("{{other: {}}}", some("s"))), &[], &[]),
    ] {
        let config = config + "destinations:\n  d: {runner: slurm}\n";
        placed_by(&config);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.yml");
        std::fs::write(&path, &config).unwrap();
        let proofs = Proofs::of(&[path.display().to_string()]).unwrap();
        for (found, expected) in [(proofs.never, proved_never), (proofs.always, proved_always)] {
            let mut found: Vec<String> = found.into_iter().collect();
            found.sort();
            assert_eq!(found, expected, "{config}");
        }
    }
}

/// The rule of a user stands where that of the tool stood, before rules that fail.
#[test]
fn a_rule_of_a_user_is_asked_where_the_rule_it_replaces_stood() {
    let found = placed_by(
        "global: {default_inherits: default}
tools:
  default:
    abstract: true
    rules:
    - {id: limit, if: input_size > 500, fail: far too big}
    - {id: size, if: input_size > 50, fail: too big}
users:
  u@example.org:
    rules: [{id: limit, if: input_size > 100, fail: too big for a user}]
destinations:
  plain: {runner: slurm}
",
    );
    assert_eq!(found, [json!(null), json!("too big for a user"), json!([])]);
}

/// A tag that clashes with the tool's may be overridden by another entity of the user; the rest counts all the same.
#[test]
fn tags_beside_one_that_clashes_are_kept() {
    let found = placed_by(
        "global: {default_inherits: default}
tools:
  default: {abstract: true}
  bwa: {scheduling: {require: [offline]}}
users:
  default: {abstract: true, scheduling: {reject: [offline], require: [x]}}
  u@example.org: {scheduling: {prefer: [offline]}}
destinations:
  plain: {runner: slurm, scheduling: {accept: [offline]}}
  with_x: {runner: slurm, scheduling: {accept: [offline], require: [x]}}
",
    );
    assert_eq!(found, [json!("with_x"), json!(null), json!([])]);
}

const TAGS: [&str; 5] = ["a", "b", "c", "d", "pulsar"];
const IDS: [&str; 14] = [
    "bwa",
    "bwa_mem",
    "star",
    "hisat2",
    "bwa.*",
    ".*_mem",
    "s",
    "b.*",
    "(?i)BWA",
    "bwa$",
    "(bwa|star).*",
    ".*",
    "[bh].*2",
    "hisat",
];

fn scheduling(random: &mut Random, at_most: u32) -> Value {
    let mut out = json!({});
    let mut free: Vec<&str> = TAGS.to_vec();
    for _ in 0..random.below(at_most + 1) {
        let tag = free.remove(random.below(free.len() as u32) as usize);
        let kind = *random.pick(&["require", "prefer", "accept", "accept", "reject"]);
        let list = out.as_object_mut().unwrap().entry(kind).or_insert_with(|| json!([]));
        list.as_array_mut().unwrap().push(json!(tag));
    }
    out
}

fn resource(random: &mut Random) -> Value {
    match random.below(6) {
        0 => json!(0),
        1 => json!(random.below(60)),
        2 => json!(f64::from(random.below(400)) / 8.0),
        3 => {
            json!(*random.pick(&["cores * 4", "2 * 4", "max(4, min(input_size, 32))", "8 if input_size > 10 else 40"]))
        }
        4 => {
            json!(*random.pick(&["size_factor * 3", "round(input_size * 2) + 1", "int(input_size / 2) or 24", "None"]))
        }
        _ => json!(random.below(40)),
    }
}

fn condition(random: &mut Random) -> String {
    let size = |random: &mut Random| *random.pick(&[0, 1, 5, 10, 20, 50, 100]);
    let op = *random.pick(&["<", "<=", ">", ">=", "=="]);
    match random.below(11) {
        0 => format!("input_size {op} {}", size(random)),
        9 => format!("input_size < {}", random.below(2)),
        10 => format!("input_size >= {} - size_factor", random.below(3)),
        1 => format!("input_size > {} and input_size < {}", size(random), size(random)),
        2 => format!("input_size > {} or input_size <= {}", size(random), size(random)),
        3 => "user is not None".to_owned(),
        4 => format!("not user or input_size >= {}", size(random)),
        5 => format!("{} < input_size < {} + size_factor", size(random), size(random)),
        6 => "tool.id.startswith('b')".to_owned(),
        7 => "input_size >= 0".to_owned(),
        _ => format!("input_size * 2 {op} {}", size(random)),
    }
}

/// An entity, each rule of which leaves a parameter of its mark.
fn entity(random: &mut Random, name: &str, rules: u32) -> Value {
    let mut out = json!({"scheduling": scheduling(random, 2)});
    let fields = out.as_object_mut().unwrap();
    for field in ["cores", "mem", "gpus", "min_cores", "max_cores", "max_mem", "min_gpus"] {
        if random.one_in(if field.len() < 6 { 2 } else { 5 }) {
            fields.insert(field.to_owned(), resource(random));
        }
    }
    if random.one_in(3) {
        fields.insert("context".to_owned(), json!({"size_factor": random.below(30)}));
    }
    let rules = (0..random.below(rules + 1)).map(|index| {
        let mark = format!("{name}_{index}");
        // The fields of a rule that executes code are dropped, and all that it is merged with.
        let executes = random.one_in(10);
        let id = match random.below(2) {
            0 if executes => format!("executes{}", random.below(2)),
            0 => format!("shared{}", random.below(3)),
            _ => format!("own_{mark}"),
        };
        let condition = format!("{} # {mark}", condition(random));
        let mut rule = json!({"id": id, "if": condition, "scheduling": scheduling(random, 1)});
        let fields = rule.as_object_mut().unwrap();
        fields.insert("params".to_owned(), json!({(mark): "1"}));
        match random.below(8) {
            0 => drop(fields.insert("fail".to_owned(), json!("no"))),
            _ if executes => {
                let code = *random.pick(&[
                    "entity.tpv_tags = entity.tpv_tags.combine(entity.tpv_tags)",
                    "entity.cores = 4",
                    "entity.params['x'] = '1'",
                ]);
                drop(fields.insert("execute".to_owned(), json!(code)));
            }
            2 | 3 => drop(fields.insert("cores".to_owned(), resource(random))),
            4 => drop(fields.insert("max_mem".to_owned(), resource(random))),
            5 => drop(fields.insert("context".to_owned(), json!({"size_factor": random.below(30)}))),
            _ => {}
        }
        rule
    });
    let rules: Vec<Value> = rules.collect();
    let mut seen = HashSet::new();
    let rules: Vec<Value> = rules.into_iter().filter(|rule| seen.insert(rule["id"].to_string())).collect();
    out["rules"] = json!(rules);
    out
}

/// Entities of a section, some of which inherit from those before them.
fn section(random: &mut Random, name: &str, ids: &[&str], rules: u32) -> Value {
    let mut out = json!({});
    let mut known: Vec<&str> = Vec::new();
    for (index, id) in ids.iter().enumerate() {
        if !random.one_in(2) {
            continue;
        }
        let mut entity = entity(random, &format!("{name}_{index}"), rules);
        if !known.is_empty() && random.one_in(2) {
            entity["inherits"] = json!(*random.pick(&known));
        }
        out[*id] = entity;
        known.push(id);
    }
    out
}

/// A config: the first file, and maybe one that changes entities of the first.
pub(super) fn configs(random: &mut Random) -> Vec<Value> {
    let mut tools = section(random, "tools", &IDS, 3);
    tools["default"] = entity(random, "default", 2);
    tools["default"]["abstract"] = json!(true);
    tools["default"]["context"] = json!({"size_factor": random.below(30)});
    let mut destinations = json!({});
    for index in 0..3 + random.below(3) {
        let mut destination = json!({"runner": "slurm", "scheduling": scheduling(random, 2)});
        for (field, range) in [("max_accepted_cores", 50), ("max_accepted_mem", 120), ("min_accepted_cores", 12)] {
            if random.one_in(2) {
                destination[field] = json!(random.below(range));
            }
        }
        destinations[format!("d{index}")] = destination;
    }
    let mut first = json!({"global": {"default_inherits": "default"}, "tools": tools, "destinations": destinations});
    for (name, ids) in [("users", &["u1.*", "u.*@example.org", ".*"][..]), ("roles", &["training.*", "tr.*", "staff"])]
    {
        if random.one_in(2) {
            first[name] = section(random, name, ids, 2);
            if random.one_in(3) {
                first[name]["default"] = entity(random, &format!("{name}_default"), 1);
                first[name]["default"]["abstract"] = json!(true);
            }
        }
    }
    let mut out = vec![first];
    if random.one_in(3) {
        out.push(json!({"tools": section(random, "tools_too", &IDS, 2), "users": section(random, "users_too", &["u1.*", ".*"], 1)}));
    }
    out
}

/// The entities that have each rule: those that it is written in, and those that inherit from them.
fn owners(configs: &[Value]) -> BTreeMap<String, Vec<(String, String)>> {
    let entities = || {
        let files = configs.iter().enumerate();
        let sections = files.flat_map(|(file, config)| config.as_object().unwrap().iter().map(move |own| (file, own)));
        let sections = sections.filter(|(_, (name, _))| ["tools", "users", "roles"].contains(&name.as_str()));
        sections.flat_map(|(file, (name, section))| {
            section.as_object().unwrap().iter().map(move |(id, entity)| (file, name, id, entity))
        })
    };
    // A later file may name another parent: what was inherited by then stays.
    let parent = |file: usize, section: &str, child: &str| {
        let of = |file: usize| configs.get(file).and_then(|config| config[section][child]["inherits"].as_str());
        if file == 0 { of(0) } else { of(1).or(of(0)) }
    };
    let mut out: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (first, section, id, entity) in entities() {
        let mut having = vec![id.clone()];
        for file in first..configs.len() {
            let mut at = 0;
            while at < having.len() {
                for (_, other, child, _) in entities().filter(|(other, ..)| *other <= file) {
                    let inherits = other == section && parent(file, section, child) == Some(&having[at]);
                    if inherits && !having.contains(child) {
                        having.push(child.clone());
                    }
                }
                at += 1;
            }
        }
        // Where code is executed, the rule's fields do not count.
        let executes =
            |rule: &&Value| rule["id"].as_str().unwrap().starts_with("executes") || rule["execute"].is_string();
        for rule in entity["rules"].as_array().unwrap().iter().filter(|rule| !executes(rule)) {
            let mark = rule["if"].as_str().unwrap().split_once("# ").unwrap().1;
            let having = having.iter().map(|id| (section.clone(), id.clone()));
            out.entry(mark.to_owned()).or_default().extend(having);
        }
    }
    out
}

pub(super) fn job(random: &mut Random) -> Value {
    let id = *random.pick(&["bwa", "bwa_mem", "bwa_mem2", "star", "hisat2", "samtools", "other"]);
    let mut tool = json!({"id": id});
    if random.one_in(5) {
        tool["resource_requirements"] = json!({"cores_min": random.below(64), "ram_max": 1024 * random.below(64)});
    }
    if random.one_in(8) {
        tool =
            json!({"id": id, "tool_type": "user_defined", "dynamic_tool_uuid": "0f9f5a3e-4b1f-4a53-9f0a-2f5d3c0f1c11"});
    }
    let size = f64::from(random.below(130)) * f64::from(1 << 30) / *random.pick(&[1.0, 8.0]);
    let user = match random.below(3) {
        0 => Value::Null,
        1 => json!({"email": "u1@example.org", "roles": [*random.pick(&["training-x", "staff", "trusted"]), "staff"]}),
        _ => json!({"email": "other@example.org", "roles": []}),
    };
    json!({"tool": tool, "user": user, "job": {"input_datasets": [{"name": "i", "id": 1, "size": size as u64}]}})
}

#[test]
fn no_random_job_contradicts_a_proof() {
    let (seed, count) = (setting("TPVC_SEED", 1), rounds("TPVC_CONFIGS", 150));
    println!("seed {seed}, {count} configs");
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().unwrap();
    let keep = std::env::var_os("TPVC_KEEP").map(PathBuf::from);
    let (mut cells, mut nowhere, mut never, mut always, mut asked, mut placed) = (0, [0; 2], 0, 0, 0, 0);
    for index in 0..count {
        let configs = configs(&mut random);
        let folder = keep.as_ref().map_or(folder.path().to_owned(), |keep| keep.join(index.to_string()));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |(at, config): (usize, &Value)| {
            let path = folder.join(format!("{at}.yml"));
            std::fs::write(&path, config.to_string()).unwrap();
            path.display().to_string()
        };
        let names: Vec<String> = configs.iter().enumerate().map(write).collect();
        let shown = || configs.iter().map(|config| format!("{config:#}")).collect::<Vec<_>>().join("\n---\n");
        let compiled = compile(&names, &CompileOptions::default());
        let Some(rules) = compiled.rules else { panic!("seed {seed}, config {index} does not load: {}", shown()) };
        let Some(mut proofs) = Proofs::of(&names) else {
            panic!("seed {seed}, config {index}: no matrix: {}", shown())
        };
        proofs.owners = owners(&configs);
        cells += proofs.matrix.rows.iter().flat_map(|row| &row.never).filter(|cell| cell.is_some()).count();
        never += proofs.never.len();
        always += proofs.always.len();
        nowhere = std::array::from_fn(|at| nowhere[at] + proofs.nowhere[at]);
        let mapper = Mapper::new(rules);
        let world = Arc::new(World::default());
        let mut kept = [String::new(), String::new()];
        for _ in 0..120 {
            let job = job(&mut random);
            let line = mapper.map(&Arc::new(Job::parse(&job.to_string()).unwrap()), &world).line();
            let answer: Value = serde_json::from_str(&line).unwrap();
            placed += usize::from(answer["destination"].is_object());
            asked +=
                proofs.always.iter().filter(|rule| answer["destination"].is_object() && proofs.has(&job, rule)).count();
            kept[0] += &format!("{job}\n");
            kept[1] += &format!("{answer}\n");
            if let Some(what) = proofs.contradicted(&job, &answer) {
                panic!("seed {seed}, config {index}: {what}\n{}\n{job}\n{answer}", shown());
            }
        }
        if keep.is_some() {
            std::fs::write(folder.join("jobs.jsonl"), &kept[0]).unwrap();
            std::fs::write(folder.join("answers.jsonl"), &kept[1]).unwrap();
        }
    }
    println!(
        "{placed} jobs placed; {cells} cells, {nowhere:?} tools and destinations, {never} rules never, {always} always, asked {asked} times"
    );
    // Without proofs, and without jobs that could contradict them, this would test nothing.
    let found = [placed / 5, cells, 100 * nowhere[0], 20 * nowhere[1], 20 * never, 20 * always, asked];
    assert!(found.iter().all(|found| *found as u64 > count), "{found:?}");
}

#[test]
fn nothing_is_proved_if_code_may_change_destinations_by_another_name() {
    let config = |code: &str| {
        let rule = json!({"if": "input_size > 2", "execute": code});
        json!({
            "tools": {"bwa": {"rules": [rule]}, "big": {"scheduling": {"require": ["gpu", "fast"]}}},
            "destinations": {
                "small": {"runner": "slurm", "scheduling": {"accept": ["fast"]}},
                "other": {"runner": "slurm", "scheduling": {"accept": ["gpu"]}},
            },
        })
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.yml");
    let nowhere = |code: &str| {
        std::fs::write(&path, config(code).to_string()).unwrap();
        Proofs::of(&[path.display().to_string()]).map_or(0, |proofs| proofs.nowhere[0])
    };
    assert_eq!(nowhere("x = mapper.destinations['small'].tpv_dest_tags.accept\ny = len(x)"), 1);
    for code in [
        "mapper.destinations['small'].tpv_dest_tags.accept.append('gpu')",
        "accepted = mapper.destinations['small'].tpv_dest_tags.accept\naccepted.append('gpu')",
        "accepted = mapper.destinations['small'].tpv_dest_tags.accept\naccepted += ['gpu']",
        "add = mapper.destinations['small'].tpv_dest_tags.accept.append\nadd('gpu')",
        "for d in mapper.destinations.values():\n  d.max_accepted_cores = 100",
        "for d in mapper.destinations.values():\n  setattr(d, 'max_accepted_cores', 100)",
        "lists = [d.tpv_dest_tags.accept for d in mapper.destinations.values()]\nfor each in lists:\n  each.append('gpu')",
        "found = {}\nfound['d'] = mapper.destinations['other']\nfound['d'].max_accepted_cores = 100",
        "def all_of(d):\n  return d.tpv_dest_tags\ntags = all_of(mapper.destinations['small'])\ntags.accept.append('gpu')",
        "[0 for mapper.destinations['other'].max_accepted_cores in [100]]",
    ] {
        assert_eq!(nowhere(code), 0, "{code}");
    }
}
