//! Variables that the job's script, or Java, computes with.
//!
//! Sources: Galaxy's `util/job_script/MEMORY_STATEMENT_TEMPLATE.sh`, which divides `GALAXY_MEMORY_MB` by `GALAXY_SLOTS` in the arithmetic of the shell, that of whole
//! numbers; HotSpot's `Arguments::parse_memory_size` of `arguments.cpp`: a heap size is a whole number with one of the letters K, M, G and T.

use tpv_galaxy::json::Json;

use super::fault::Fault;
use super::leftovers::left;

/// Variables that are whole numbers.
const WHOLE: [(&str, &str); 3] = [
    ("GALAXY_SLOTS", "write `{int(cores)}`"),
    ("GALAXY_MEMORY_MB", "write `{int(mem * 1024)}`"),
    ("GALAXY_MEMORY_MB_PER_SLOT", "write `{int(mem * 1024 / cores)}`"),
];

/// Variables with options for Java.
const JAVA: [&str; 4] = ["_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "SINGULARITYENV__JAVA_OPTIONS"];

/// Options for Java with a size.
const HEAP: [&str; 4] = ["-Xmx", "-Xms", "-Xmn", "-Xss"];

/// The faults of the variables of a job.
pub(super) fn judge(env: &Json) -> Vec<Fault> {
    let Json::List(variables) = env else { return Vec::new() };
    variables
        .iter()
        .filter_map(|variable| {
            let (Some(Json::Str(name)), Some(value)) = (variable.get("name"), variable.get("value")) else {
                return None;
            };
            let text = super::text(value)?;
            Some(super::of(variable_fault(name, &text)?, name, &text))
        })
        .collect()
}

fn variable_fault(name: &str, text: &str) -> Option<Fault> {
    if let Some((_, help)) = WHOLE.iter().find(|(known, _)| *known == name) {
        let is_whole = text.bytes().all(|byte| byte.is_ascii_digit());
        // What the shell fills in is not known.
        if is_whole || (text.contains(['$', '`']) && left(text).is_none()) {
            return None;
        }
        let why = "the job's script computes with it, in whole numbers";
        return Some(Fault::refused("the shell", format!("{name}={text}"), why, *help));
    }
    if !JAVA.contains(&name) {
        return None;
    }
    let word = text.split_ascii_whitespace().find(|word| {
        let size = HEAP.iter().find_map(|option| word.strip_prefix(option));
        size.is_some_and(|size| !size.contains(['$', '`']) && !is_heap(size))
    })?;
    let help = "write whole MB: `-Xmx{int(mem * 1024)}m`";
    Some(Fault::refused("Java", word, "a heap size is a whole number, and a unit: k, m, g or t", help))
}

fn is_heap(size: &str) -> bool {
    let number = size.strip_suffix(['k', 'K', 'm', 'M', 'g', 'G', 't', 'T']).unwrap_or(size);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}
