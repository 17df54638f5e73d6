//! Lines of the job file, right and wrong, read the quick way and the exact way: the same job, or the same fault.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice)]

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../tests/support/random.rs"]
mod random;

use std::fmt::Write;

use tpv_galaxy::job::Job;
use tpv_galaxy::job::{DatasetId, Further};
use tpv_galaxy::json::{Json, Reader, write_text};

use random::{Random, at_least, rounds, setting};

/// Characters that a line gets too many of.
const DAMAGE: [&str; 13] = ["\"", "{", "}", "[", "]", ",", ":", "\\", " ", "\t", "1", "e", "\u{1}"];

const STRINGS: [&str; 9] = [
    "",
    "a",
    "id",
    "bwa_mem/0.7.17+galaxy1",
    "jo.doe@example.org",
    "é\u{1f600}\u{0}",
    "say \"no\"\\",
    "hdca",
    "2026-01-31T12:00:00",
];

fn text(random: &mut Random) -> Json {
    Json::str(*random.pick(&STRINGS))
}

/// Any value, mostly small.
fn anything(random: &mut Random, depth: usize) -> Json {
    match random.below(if depth < 4 { 11 } else { 7 }) {
        0 => Json::Null,
        1 => Json::Bool(random.one_in(2)),
        2 => Json::Int(i64::from(random.below(7)) - 1),
        3 => Json::Int((i64::from(random.below(u32::MAX)) << 31) | 1),
        4 => Json::BigInt("123456789012345678901234567890".parse().unwrap()),
        5 => Json::Float(*random.pick(&[0.5, 1e300, -2.0, f64::NAN])),
        6 | 7 => text(random),
        8 => Json::List((0..random.below(4)).map(|_| anything(random, depth + 1)).collect()),
        9 => collection(random),
        _ => object(random, &["src", "id", "ids", "x", "nested"], depth + 1),
    }
}

/// Galaxy's notation of a dataset or a collection among the parameters; the inputs have the ids 0 to 4.
fn collection(random: &mut Random) -> Json {
    let id = |random: &mut Random| {
        if !random.one_in(12) { Json::Int(random.below(5).into()) } else { text(random) }
    };
    let ids = Json::List((0..random.below(4)).map(|_| id(random)).collect());
    Json::Object(vec![
        ("src".into(), Json::str(*random.pick(&["hda", "hdca"]))),
        ("id".into(), id(random)),
        ("ids".into(), ids),
    ])
}

fn object(random: &mut Random, keys: &[&str], depth: usize) -> Json {
    let items = (0..random.below(6)).map(|_| ((*random.pick(keys)).into(), anything(random, depth)));
    Json::Object(items.collect())
}

/// The value of a field, mostly of the type that it must have.
fn field(random: &mut Random, path: &str) -> Json {
    if random.one_in(12) && random.one_in(4) {
        return anything(random, 2);
    }
    let int = |random: &mut Random| Json::Int(random.below(1000).into());
    let list =
        |random: &mut Random, path: &str| Json::List((0..random.below(4)).map(|_| field(random, path)).collect());
    match path {
        "" => record(
            random,
            path,
            &["id", "seed", "tool", "tool", "user", "job", "job_wrapper", "resource_params", "more"],
        ),
        "tool" => record(random, path, &["id", "id", "version", "old_id", "tool_type", "dynamic_tool_uuid", "name"]),
        "user" => record(random, path, &["id", "username", "email", "roles", "extra_preferences", "create_time"]),
        "job" => {
            let keys = [
                "id",
                "state",
                "param_values",
                "parameters",
                "input_datasets",
                "history",
                "destination_params",
                "runner",
            ];
            record(random, path, &keys)
        }
        "job.history" => record(random, path, &["id", "name", "tags", "update_time"]),
        "job.input_datasets" => list(random, "dataset"),
        "dataset" => {
            record(random, path, &["name", "id", "id", "size", "extension", "object_store_id", "metadata", "hid"])
        }
        "user.roles" => list(random, "role"),
        "job.history.tags" => list(random, "tag"),
        "role" if random.one_in(2) => record(random, path, &["name", "deleted"]),
        "tag" if random.one_in(2) => record(random, path, &["name", "value"]),
        "role.deleted" => Json::Bool(random.one_in(2)),
        "job.parameters" => {
            Json::Object((0..random.below(4)).map(|_| ((*random.pick(&STRINGS)).into(), text(random))).collect())
        }
        "dataset.id" => {
            if !random.one_in(12) {
                Json::Int(random.below(5).into())
            } else {
                text(random)
            }
        }
        "id" | "seed" | "user.id" | "job.id" | "job.history.id" | "dataset.size" => int(random),
        "user.extra_preferences"
        | "job.param_values"
        | "job.destination_params"
        | "dataset.metadata"
        | "job_wrapper"
        | "resource_params" => object(random, &["input", "x", "src", "ids", "nested"], 1),
        "tool.name" | "user.create_time" | "job.runner" | "job.history.update_time" | "dataset.hid" | "more" => {
            anything(random, 2)
        }
        _ => text(random),
    }
}

fn record(random: &mut Random, path: &str, keys: &[&str]) -> Json {
    let mut items = Vec::new();
    for key in keys {
        if !random.one_in(12) {
            let below = if path.is_empty() { (*key).to_owned() } else { format!("{path}.{key}") };
            items.push(((*key).into(), field(random, &below)));
        }
    }
    Json::Object(items)
}

/// The same JSON, so that nothing of it is read quickly: strings in escapes, white space wherever it may stand.
fn write_slowly(out: &mut String, value: &Json) {
    let string = |out: &mut String, text: &str| {
        out.push('"');
        for unit in text.encode_utf16() {
            write!(out, "\\u{unit:04X}").unwrap();
        }
        out.push('"');
    };
    out.push_str(" \t");
    match value {
        Json::Str(text) => string(out, text),
        Json::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "\r," } else { "" });
                write_slowly(out, item);
            }
            out.push_str("  ]");
        }
        Json::Object(items) => {
            out.push('{');
            for (index, (key, value)) in items.iter().enumerate() {
                out.push_str(if index > 0 { "  ,\t" } else { "  " });
                string(out, key);
                out.push_str("\t :");
                write_slowly(out, value);
            }
            out.push_str("  }");
        }
        other => write_text(out, other),
    }
    out.push('\t');
}

/// Everything that a job says, its JSON as it is meant.
fn all_of(line: &str) -> Result<String, String> {
    let job = Job::parse(line).map_err(|error| error.to_string())?;
    let json = |text: &str| format!("{:?}", Json::read(&mut Reader::new(text)).unwrap());
    let further = |further: &Further| {
        further.iter(&job).map(|(name, value)| format!("{name}: {}, ", json(value))).collect::<String>()
    };
    let mut out = format!("{} {:?} {} {}", json(&job.id), job.seed, job.job_id, job.state());
    let raw = [job.param_values, job.destination_params, job.job_wrapper, job.resource_params];
    write!(out, "{:?}", raw.map(|value| value.map(|value| json(value.text(&job))))).unwrap();
    let tool = &job.tool;
    let names = [job.text(tool.id), tool.old_id(&job), tool.tool_type(&job)];
    let others = [tool.version, tool.dynamic_tool_uuid].map(|place| place.map(|place| job.text(place)));
    write!(out, "{names:?} {others:?} {}", further(&tool.further)).unwrap();
    if let Some(user) = &job.user {
        let email = user.email.map(|email| job.text(email));
        let roles: Vec<_> = user.roles.iter().map(|role| (job.text(role.name), role.deleted)).collect();
        let preferences = user.extra_preferences.map(|value| json(value.text(&job)));
        write!(out, "{} {} {email:?} {roles:?} {preferences:?}", user.id, user.username(&job)).unwrap();
        out += &further(&user.further);
    }
    for (name, value) in &job.parameters {
        write!(out, "{:?}={} ", job.text(*name), json(value.text(&job))).unwrap();
    }
    for input in &job.input_datasets {
        let texts =
            [Some(input.name), input.extension, input.object_store_id].map(|place| place.map(|place| job.text(place)));
        let id = match &input.id {
            DatasetId::Int(id) => id.to_string(),
            DatasetId::Str(id) => format!("{id:?}"),
        };
        let metadata = input.metadata.map(|value| json(value.text(&job)));
        write!(out, "{id} {:?} {texts:?} {metadata:?} {}", input.size, further(&input.further)).unwrap();
    }
    if let Some(history) = &job.history {
        let tags = history.tags.iter().map(|(name, value)| (job.text(*name), value.map(|value| job.text(value))));
        write!(out, "{} {:?} {:?}", history.id, history.name.map(|name| job.text(name)), tags.collect::<Vec<_>>())
            .unwrap();
        out += &further(&history.further);
    }
    Ok(out + &further(&job.further))
}

#[test]
fn lines_are_read_the_same_quickly_and_exactly() {
    let (seed, count) = (setting("TPVC_SEED", 20_261_122), rounds("TPVC_ROUNDS", 8_000));
    println!("seed {seed}, {count} lines (TPVC_SEED, TPVC_ROUNDS)");
    let mut random = Random::new(seed);
    let (mut right, mut wrong, mut broken) = (0, 0, 0);
    for _ in 0..count {
        let value = field(&mut random, "");
        let (mut line, mut slow) = (String::new(), String::new());
        write_text(&mut line, &value);
        write_slowly(&mut slow, &value);
        let read = all_of(&line);
        assert_eq!(read, all_of(&slow), "{line}\n{slow}");
        *(if read.is_ok() { &mut right } else { &mut wrong }) += 1;
        // A character more or less: what the exact reader says of the whole line holds, unless a field was at fault before.
        let at = *random.pick(&line.char_indices().map(|(at, _)| at).collect::<Vec<_>>());
        if random.one_in(2) {
            let added = random.pick(&DAMAGE);
            line.insert_str(at, added);
        } else {
            line.remove(at);
        }
        let mut reader = Reader::new(&line);
        let exact = Json::read(&mut reader).and_then(|_| reader.end()).map_err(|fault| fault.describe(&line));
        let read = Job::parse(&line).map(drop).map_err(|error| error.to_string());
        let is_syntax = read.as_ref().is_err_and(|fault| fault.starts_with("not JSON"));
        match exact {
            Err(_) if is_syntax => assert_eq!(read, exact, "{line}"),
            Err(_) => assert!(read.is_err(), "{line}"),
            Ok(()) => assert!(!is_syntax, "{line}: {read:?}"),
        }
        broken += usize::from(is_syntax);
    }
    println!("{right} jobs, {wrong} with a fault, {broken} that are no JSON once damaged");
    assert!([right, wrong, broken].iter().all(|seen| *seen > at_least(1_500)), "{right} {wrong} {broken}");
}
