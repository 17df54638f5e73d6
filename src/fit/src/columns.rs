//! The columns of a table: which of them gives which field of a job.

/// A fault of a table's header, in words: `(message, help)`.
pub type Wrong = (String, String);

/// A field of a job that a column can give.
struct Field {
    /// The name in `--columns`.
    name: &'static str,
    /// The fact that it gives, of which a job has one.
    fact: &'static str,
    /// The headers that are known for it, in lower case.
    headers: &'static [&'static str],
}

const fn field(name: &'static str, fact: &'static str, headers: &'static [&'static str]) -> Field {
    Field { name, fact, headers }
}

/// The fact that a job used memory, in several units.
const USED: &str = "memory used";
/// The fact that a job ran.
const TIME: &str = "time";

/// The fields. Of several headers for one fact, the first counts.
const FIELDS: [Field; 15] = [
    field("id", "id", &["id", "job_id", "jobid", "jobidraw", "run"]),
    field("tool", "tool", &["tool", "tool_id", "jobname"]),
    field("version", "version", &["version", "tool_version"]),
    field("extension", "extension of inputs", &["extension", "ext"]),
    field("input_bytes", "size of inputs", &["input_bytes", "total_input_size", "input_size_bytes"]),
    field("memory_bytes", USED, &["memory_bytes", "memory.max_usage_in_bytes", "memory.peak"]),
    field("memory_gib", USED, &["memory_gib"]),
    field("memory", USED, &["maxrss", "memory"]),
    field("allocated", "memory given", &["allocated", "reqmem"]),
    field("runtime_seconds", TIME, &["runtime_seconds", "runtime", "elapsedraw", "wall_seconds"]),
    field("realtime", TIME, &[]),
    field("slots", "cores", &["slots", "galaxy_slots", "alloccpus", "ncpus"]),
    field("cpu_seconds", "processor time", &["cpu_seconds", "cputimeraw"]),
    field("state", "state", &["state"]),
    field("end_time", "end", &["end_time", "end"]),
];

/// The header that tells traces of Nextflow.
const PEAK_RSS: &str = "peak_rss";

/// The headers of Nextflow's traces, where `memory` is the request, before the others.
const NEXTFLOW: [(&str, &str); 7] = [
    ("id", "hash"),
    ("tool", "process"),
    ("memory_bytes", PEAK_RSS),
    ("allocated", "memory"),
    ("realtime", "realtime"),
    ("slots", "cpus"),
    ("state", "status"),
];

/// The most columns that are listed as not used.
const SHOWN: usize = 8;

/// The columns of Slurm's job ids, whose rows are jobs and their steps.
const SLURM: [&str; 2] = ["jobid", "jobidraw"];

/// The chosen columns of a table.
#[derive(Debug)]
pub(crate) struct Columns {
    /// The names of all columns.
    names: Vec<String>,
    /// The field of each column.
    pub(crate) fields: Vec<Option<&'static str>>,
    /// The rows are Slurm's jobs and their steps.
    pub(crate) has_steps: bool,
}

impl Columns {
    /// Chooses columns. `named` has `field=column`, which count before anything that a header says; other columns are known by their header.
    ///
    /// # Errors
    /// A named column is not there, there are two for one fact, or a field that is needed has no column.
    pub(crate) fn choose(names: Vec<String>, named: &[String], has_tool: bool) -> Result<Self, Wrong> {
        let names: Vec<String> = names.into_iter().map(|name| name.trim().to_owned()).collect();
        let mut columns = Self { fields: vec![None; names.len()], names, has_steps: false };
        for text in named {
            columns.name(text)?;
        }
        let lower: Vec<String> = columns.names.iter().map(|name| name.to_lowercase()).collect();
        let of_nextflow = if lower.iter().any(|name| name == PEAK_RSS) { &NEXTFLOW[..] } else { &[] };
        let others = FIELDS.iter().flat_map(|field| field.headers.iter().map(|header| (field.name, *header)));
        // One tool for all rows needs no column.
        let wanted = of_nextflow.iter().copied().chain(others).filter(|(name, _)| !(has_tool && *name == "tool"));
        for (name, header) in wanted {
            let fact = FIELDS.iter().find(|field| field.name == name).map_or("", |field| field.fact);
            let at = lower.iter().position(|known| known == header).filter(|_| !columns.has(fact));
            if let Some(place @ None) = at.and_then(|at| columns.fields.get_mut(at)) {
                *place = Some(name);
            }
        }
        let id = columns.fields.iter().position(|field| *field == Some("id"));
        columns.has_steps = id.and_then(|at| lower.get(at)).is_some_and(|name| SLURM.contains(&name.as_str()));
        for (fact, what, field) in [
            ("tool", "the tool", "tool"),
            (USED, "the memory that a job used", "memory_bytes"),
            (TIME, "the time that a job ran", "runtime_seconds"),
        ] {
            if !(columns.has(fact) || fact == "tool" && has_tool) {
                let help =
                    format!("name it with `--columns {field}=COLUMN`; the columns are: {}", columns.names.join(", "));
                return Err((format!("no column of the table is known to be {what}"), help));
            }
        }
        Ok(columns)
    }

    /// Chooses a column by name.
    fn name(&mut self, text: &str) -> Result<(), Wrong> {
        let help = || {
            let known: Vec<String> = FIELDS.iter().map(|field| format!("`{}`", field.name)).collect();
            format!("write `--columns FIELD=COLUMN`; the fields are {}", known.join(", "))
        };
        let (name, column) = text.split_once('=').ok_or_else(|| (format!("`{text}` has no `=`"), help()))?;
        let (name, column) = (name.trim(), column.trim());
        let field = FIELDS.iter().find(|field| field.name == name);
        let field = field.ok_or_else(|| (format!("`{name}` is no field of a job"), help()))?;
        let twice = |what: String| (what, "name one column for each field".to_owned());
        if self.has(field.fact) {
            return Err(twice(format!("`{text}` is a second column for the {} of a job", field.fact)));
        }
        let place = self.names.iter().position(|known| known == column).and_then(|at| self.fields.get_mut(at));
        let place = place.ok_or_else(|| {
            (format!("the table has no column `{column}`"), format!("its columns are: {}", self.names.join(", ")))
        })?;
        if let Some(other) = place.replace(field.name) {
            return Err(twice(format!("the column `{column}` is named for `{other}` and for `{name}`")));
        }
        Ok(())
    }

    /// Returns `true` if a column gives this fact.
    fn has(&self, fact: &str) -> bool {
        let gives = |name: &str| FIELDS.iter().any(|field| field.name == name && field.fact == fact);
        self.fields.iter().flatten().any(|name| gives(name))
    }

    /// The choice in words: the columns with their fields, and those that are not used.
    pub(crate) fn words(&self) -> String {
        let pairs = || self.names.iter().zip(&self.fields);
        let used: Vec<String> =
            pairs().filter_map(|(name, field)| Some(format!("{} from `{name}`", (*field)?))).collect();
        let unused: Vec<&str> = pairs().filter(|(_, field)| field.is_none()).map(|(name, _)| name.as_str()).collect();
        let more = match unused.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let shown = unused.iter().take(SHOWN).copied().collect::<Vec<_>>().join("`, `");
        let unused = if unused.is_empty() { String::new() } else { format!("; not used: `{shown}`{more}") };
        used.join(", ") + &unused
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn chosen_with(header: &str, named: &[&str], has_tool: bool) -> Result<String, String> {
        let names = header.split(',').map(str::to_owned).collect();
        let named: Vec<String> = named.iter().map(|text| (*text).to_owned()).collect();
        Columns::choose(names, &named, has_tool).map(|columns| columns.words()).map_err(|(message, _)| message)
    }

    fn chosen(header: &str, named: &[&str]) -> Result<String, String> {
        chosen_with(header, named, false)
    }

    #[test]
    fn a_named_column_counts_before_a_header() {
        for header in ["tool,memory,peak,runtime", "tool,peak,memory,runtime"] {
            for name in ["memory_bytes=peak", "memory_gib=peak", "memory=peak"] {
                let words = chosen(header, &[name]).unwrap();
                let field = name.split('=').next().unwrap();
                assert!(
                    words.contains(&format!("{field} from `peak`")) && words.ends_with("not used: `memory`"),
                    "{words}"
                );
            }
            assert!(chosen(header, &[]).unwrap().contains("memory from `memory`"));
        }
        let words = chosen_with("tool,maxrss,runtime", &[], true).unwrap();
        assert!(words.ends_with("not used: `tool`"), "one tool for all rows: {words}");
        // Of two headers, the one with bytes.
        for header in ["tool,memory,memory.peak,runtime", "tool,memory.peak,memory,runtime"] {
            assert!(chosen(header, &[]).unwrap().contains("memory_bytes from `memory.peak`"));
        }
    }

    #[test]
    fn memory_of_nextflow_is_the_request() {
        for header in ["process,memory,peak_rss,realtime,cpus,status", "process,peak_rss,memory,realtime,cpus,status"] {
            for named in [&[][..], &["memory_bytes=peak_rss"]] {
                let words = chosen(header, named).unwrap();
                assert!(
                    words.contains("memory_bytes from `peak_rss`") && words.contains("allocated from `memory`"),
                    "{words}"
                );
            }
        }
    }

    #[test]
    fn columns_that_contradict_are_refused() {
        let header = "tool,a,b,runtime";
        for (named, fault) in [
            (&["memory_bytes=a", "memory_gib=b"][..], "`memory_gib=b` is a second column for the memory used of a job"),
            (&["memory_bytes=a", "memory_bytes=a"], "`memory_bytes=a` is a second column for the memory used of a job"),
            (&["memory_bytes=a", "slots=a"], "the column `a` is named for `memory_bytes` and for `slots`"),
            (&["memory_bytes=c"], "the table has no column `c`"),
            (&["cost=a"], "`cost` is no field of a job"),
            (&["a"], "`a` has no `=`"),
            (&[], "no column of the table is known to be the memory that a job used"),
        ] {
            assert_eq!(chosen(header, named), Err(fault.to_owned()));
        }
    }
}
