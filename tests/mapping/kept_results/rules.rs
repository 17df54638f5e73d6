//! Configs and jobs at random, whose code reads and changes what results are kept by.

use serde_json::{Value, json};

use crate::support::random::Random;

const CONDITIONS: &[&str] = &[
    "a > 1",
    "b is None",
    "c == 'x'",
    "entity.cores and entity.cores > 2",
    "user is not None and 'r1' in [role.name for role in user.roles]",
    "user and user.email.startswith('u2')",
    "input_size > 2",
    "input_size > a",
    "input_size > (cores if isinstance(cores, int) else 1)",
    "helpers.tag_values_match(entity, ['fast'], [])",
    "entity.id.startswith('t1')",
    "tool.id.endswith('2')",
    "entity.params.get('p') == 'changed'",
    "entity.context.get('a') == 2",
    "'large' in [tag.user_tname for tag in (job.history.tags if job.history else [])]",
    "job.get_param_values(app).get('size') == 'big'",
    "mem > 4",
    "cores is None",
    "str(entity.tags).count('fast') > 0",
    "later > 2",
    "True",
    "len(words) > 1",
    "entity.tpv_tags.filter(tag_value='fast') is not None",
    "helpers.tool_version_gte(tool, '1')",
    "min(entity.cores or 1, 3) == 2 if isinstance(entity.cores, int) else False",
    "max([a, 1]) > 1 and not entity.gpus",
];

const EXECUTES: &[&str] = &[
    "entity.params['p'] = 'changed'",
    "entity.context['a'] = 2",
    "entity.cores = 3",
    "a = 7",
    "words.append('more')",
    "entity.mem = 'cores * 2'",
    "entity.env.append({'name': 'E', 'value': '{cores}'})",
    "from tpv.core.entities import TagType\nentity.tpv_tags.add_tag_override(TagType.REQUIRE, 'fast')",
    "from tpv.core.entities import TagType\nentity.tpv_tags.add_tag_override(TagType.REJECT, str(b or 'slow'))",
    "from tpv.core.entities import SchedulingTags\n\
     entity.tpv_tags = entity.tpv_tags.combine(SchedulingTags(prefer=['gpu'], accept=['slow']))",
    "entity.tpv_tags.require = [tag for tag in (entity.tpv_tags.require or []) if tag != 'fast']",
    "if input_size > 2:\n  entity.tpv_tags.accept = ['slow', str(c)]",
    "b = entity.params.get('p')",
    "entity.params = {'p': 'new', 'q': '{cores}'}",
    "entity.env = [{'execute': 'x'}, {'name': 'N', 'value': 1}, {'execute': 'x'}, {'name': 'N', 'value': '2'}]",
    "entity.resubmit['late'] = {'condition': 'any_failure', 'destination': 'd1'}",
    "entity.context['seen'] = str([(id, r.params, r.env, r.cores, r.tpv_tags.require) for id, r in entity.rules.items()])",
    "for rule in entity.rules.values():\n  rule.cores = 2\n  rule.params = {'of': rule.id}",
    "other = entity.inherit(entity)\nentity.params['i'] = str((other.env, other.context, len(other.rules)))",
];

const DESTINATION_EXECUTES: &[&str] = &[
    "from tpv.core.entities import TryNextDestinationOrFail as Next\nraise Next('full')",
    "from tpv.core.entities import TryNextDestinationOrWait as Wait\nif a > 1:\n  raise Wait('later')",
    "entity.params['q'] = entity.id",
    "from tpv.core.entities import TagType\nentity.tpv_tags.add_tag_override(TagType.PREFER, 'set-by-code')",
];

const RANKS: &[&str] = &[
    "candidate_destinations",
    "sorted(candidate_destinations, key=lambda d: d.id)",
    "list(reversed(candidate_destinations)) if entity.cores and entity.cores > 2 else candidate_destinations",
    "[d for d in candidate_destinations if d.id != 'd1' or a > 1]",
    "helpers.weighted_random_sampling(candidate_destinations)",
    "candidate_destinations.reverse()\ncandidate_destinations",
    "sorted(candidate_destinations, key=lambda d: d.context.get('load', 0) + len(entity.id))",
    "candidate_destinations if 'fast' in str(entity.tags) else candidate_destinations[:1]",
    "[d for d in candidate_destinations if d.max_accepted_cores is None or d.max_accepted_cores > cores]",
];

const TEXTS: &[&str] = &[
    "{cores}",
    "{mem}",
    "{a}-{b}",
    "{tool.id}",
    "{user.email if user else 'nobody'}",
    "{entity.id}",
    "{entity.params}",
    "{entity.cores}",
    "{len(entity.context)}",
    "{input_size > 3}",
    "{c}",
    "{later}",
    "{len(words)}",
    "{entity.context.get('seen')}",
    "plain",
];

const NUMBERS: &[&str] = &["1", "4", "a", "a * 2", "input_size", "2 if user else 3", "len(tool.id)", "b or 2", "later"];

/// Contexts with few values, so that jobs often read the same.
fn context(random: &mut Random) -> Value {
    let mut context = serde_json::Map::new();
    for name in ["a", "b", "c", "later", "load"] {
        if random.one_in(2) {
            let odd = [json!(null), json!("x")];
            let value = if random.one_in(8) { random.pick(&odd).clone() } else { json!(random.below(4)) };
            context.insert(name.to_owned(), value);
        }
    }
    if random.one_in(4) {
        context.insert("words".to_owned(), json!(*random.pick(&[&["one"][..], &["one", "two"]])));
    }
    Value::Object(context)
}

fn tags(random: &mut Random) -> Value {
    let mut tags = json!({});
    let mut names = vec!["fast", "slow", "gpu", "tool_type_user_defined"];
    for _ in 0..=random.below(2) {
        let kind = *random.pick(&["require", "prefer", "accept", "accept", "accept", "reject"]);
        // TPV refuses a tag that stands in two lists.
        let name = names.swap_remove(random.below(names.len() as u32) as usize);
        tags[kind] = json!([name]);
    }
    tags
}

fn rules(random: &mut Random, executes: &[&str]) -> Value {
    let rules = (0..random.below(3)).map(|number| {
        let mut rule = json!({"id": format!("rule{number}"), "if": *random.pick(CONDITIONS)});
        match random.below(8) {
            0 => rule["execute"] = json!(*random.pick(executes)),
            1 => rule["fail"] = json!(format!("no: {}", random.pick(TEXTS))),
            2 => rule["context"] = context(random),
            3 => rule["scheduling"] = tags(random),
            4 => rule["params"] = json!({"r": *random.pick(TEXTS)}),
            5 => rule["env"] = json!({"R": *random.pick(TEXTS)}),
            _ => rule["cores"] = json!(*random.pick(NUMBERS)),
        }
        rule
    });
    Value::Array(rules.collect())
}

fn entity(random: &mut Random, executes: &[&str]) -> Value {
    let mut entity = json!({"context": context(random)});
    let bounds = ["min_cores", "max_cores", "min_mem", "max_mem", "min_gpus", "max_gpus"].map(|name| (name, 12));
    for (name, once_in) in [("cores", 2), ("mem", 3), ("gpus", 6)].into_iter().chain(bounds) {
        if random.one_in(once_in) {
            entity[name] = json!(*random.pick(NUMBERS));
        }
    }
    if random.one_in(2) {
        entity["params"] = match random.below(4) {
            0 => json!({"p": *random.pick(TEXTS), "nested": {"list": [*random.pick(TEXTS), 2], "flag": true}}),
            1 => json!({"p": random.below(3), "q": *random.pick(TEXTS)}),
            _ => json!({"p": *random.pick(TEXTS)}),
        };
    }
    if random.one_in(3) {
        entity["env"] = match random.below(4) {
            0 => json!([{"name": "E", "value": *random.pick(TEXTS)}, {"name": "F", "value": "1"}]),
            1 => json!([{"execute": *random.pick(TEXTS)}, {"file": "/etc/profile"}]),
            _ => json!({"E": *random.pick(TEXTS)}),
        };
    }
    if random.one_in(6) {
        entity["resubmit"] = json!({*random.pick(&["with_more", "else"]): {
            "condition": "memory_limit_reached",
            "destination": *random.pick(TEXTS),
            "delay": *random.pick(TEXTS),
        }});
    }
    if random.one_in(4) {
        entity["rank"] = json!(*random.pick(RANKS));
    }
    if random.one_in(5) {
        entity["scheduling"] = tags(random);
    }
    if random.one_in(2) {
        entity["rules"] = rules(random, executes);
    }
    entity
}

/// The files of a config, of which later ones override and add to what the first has; JSON is YAML.
pub fn configs(random: &mut Random) -> Vec<String> {
    let mut files = vec![config(random)];
    for _ in 0..random.below(3) {
        files.push(later(random));
    }
    files
}

/// A file with some entities more, most of which the first file has, too.
fn later(random: &mut Random) -> String {
    let mut file = json!({});
    let sections: [(&str, &[&str], &[&str]); 4] = [
        ("tools", &["default", "t1.*", "t[12]", "t2", "t3"], EXECUTES),
        ("users", &["u1.*", "u3.*"], EXECUTES),
        ("roles", &["r2"], EXECUTES),
        ("destinations", &["d1", "d2", "d4"], DESTINATION_EXECUTES),
    ];
    for (section, ids, executes) in sections {
        for id in ids.iter().filter(|_| random.one_in(5)).copied().collect::<Vec<_>>() {
            let mut entity = entity(random, executes);
            if section == "destinations" {
                entity.as_object_mut().unwrap().remove("rank");
                for resource in ["cores", "mem", "gpus"] {
                    entity.as_object_mut().unwrap().remove(resource);
                }
                entity["runner"] = json!("later");
            }
            file[section][id] = entity;
        }
    }
    if random.one_in(3) {
        file["global"] = json!({"context": context(random)});
    }
    file.to_string()
}

fn config(random: &mut Random) -> String {
    let mut tools = json!({"default": entity(random, EXECUTES)});
    tools["default"]["cores"] = json!(*random.pick(NUMBERS));
    // Chains in any order of the file; nothing comes round to itself, since each inherits from one that was made before it.
    let mut heirs = vec!["t1.*", "t[12]", "t3", "t2", "base"];
    let mut made: Vec<&str> = Vec::new();
    while !heirs.is_empty() {
        let id = heirs.swap_remove(random.below(heirs.len() as u32) as usize);
        tools[id] = entity(random, EXECUTES);
        if !made.is_empty() && random.one_in(3) {
            tools[id]["inherits"] = json!(*random.pick(&made));
        }
        made.push(id);
    }
    tools["base"]["abstract"] = json!(true);
    let mut destinations = json!({});
    // Its rules have the ids of the rules of the others, which inherit from it.
    if random.one_in(2) {
        destinations["default"] = entity(random, DESTINATION_EXECUTES);
        destinations["default"].as_object_mut().unwrap().remove("rank");
        destinations["default"]["abstract"] = json!(true);
        // What it refuses, all refuse.
        destinations["default"].as_object_mut().unwrap().remove("scheduling");
    }
    for id in ["d1", "d2", "d3"] {
        let mut destination = entity(random, DESTINATION_EXECUTES);
        destination.as_object_mut().unwrap().remove("rank");
        destination["runner"] = json!("slurm");
        if random.one_in(3) {
            let limit =
                *random.pick(&["max_accepted_cores", "max_accepted_mem", "max_accepted_gpus", "min_accepted_cores"]);
            destination[limit] = json!(1 + random.below(4));
        }
        if random.one_in(5) {
            destination["handler_tags"] = json!([*random.pick(TEXTS)]);
        }
        if id == "d3" && random.one_in(4) {
            destination["inherits"] = json!("d1");
        }
        if random.one_in(3) {
            destination["dest_name"] = json!(*random.pick(TEXTS));
        }
        destinations[id] = destination;
    }
    // What is defined nowhere else mostly is here, so that jobs are mapped. No list is: code that changes one changes it for
    // all later jobs of TPV.
    let mut names =
        json!({"a": random.below(4), "b": 2, "c": *random.pick(&["x", "y"]), "later": random.below(4), "words": "ab"});
    if random.one_in(4) {
        names = context(random);
    }
    let config = json!({
        "global": {"default_inherits": "default", "context": names},
        "tools": tools,
        "users": {"u1.*": entity(random, EXECUTES), "u[23].*": entity(random, EXECUTES)},
        "roles": {"r1": entity(random, EXECUTES), "r2": entity(random, EXECUTES)},
        "destinations": destinations,
    });
    config.to_string()
}

/// A job, by few tools and users.
pub fn job(random: &mut Random, number: usize) -> String {
    let user = match random.below(4) {
        0 => json!(null),
        which => {
            json!({"id": which, "email": format!("u{which}@x"), "roles": *random.pick(&[&["r1"][..], &["r1", "r2"], &[]])})
        }
    };
    let mut tool = json!({"id": format!("t{}{}", random.below(4), random.pick(&["", "2"]))});
    if random.one_in(8) {
        tool["resource_requirements"] = json!({"cores_min": random.below(4)});
    }
    let size = u64::from(random.below(5)) << 30;
    let mut job = json!({
        "id": number,
        "input_datasets": [{"name": "input", "id": 1, "size": size}],
        "param_values": {"size": *random.pick(&["big", "small"])},
    });
    if random.one_in(3) {
        job["history"] = json!({"tags": [*random.pick(&["large", "other"])]});
    }
    json!({"id": format!("job-{number}"), "seed": random.below(50), "tool": tool, "user": user, "job": job}).to_string()
}
