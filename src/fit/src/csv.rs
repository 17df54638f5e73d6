//! Tables of other origin as job lines: `sacct`, gxadmin, or any CSV whose columns are named.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read};

use tpv_runtime::galaxy::job::Job;
use tpv_runtime::galaxy::json::escape_into;

/// The fields of a job that a column can give, with the names that headers have for them.
const FIELDS: [(&str, &[&str]); 14] = [
    ("id", &["job_id", "jobid", "run"]),
    ("tool", &["tool_id", "jobname"]),
    ("version", &["tool_version"]),
    ("extension", &["ext"]),
    ("input_bytes", &["total_input_size", "input_size_bytes"]),
    ("memory_bytes", &["memory.max_usage_in_bytes", "memory.peak"]),
    ("memory_gib", &[]),
    ("memory", &["maxrss"]),
    ("allocated", &["reqmem"]),
    ("runtime_seconds", &["runtime", "elapsedraw", "wall_seconds"]),
    ("slots", &["galaxy_slots", "alloccpus", "ncpus"]),
    ("cpu_seconds", &["cputimeraw"]),
    ("state", &[]),
    ("end_time", &["end"]),
];

/// The tool of a row that cannot be read; its version is the message.
const FAULTY: &str = "(a row of the table)";

/// The message of a row that cannot be read.
pub(crate) fn message(job: &Job) -> Option<String> {
    let message = job.tool.version.filter(|_| job.tool_id() == FAULTY)?;
    Some(job.text(message).to_owned())
}

/// The most bytes of a row.
const MOST_ROW: usize = 1 << 20;
const GIB: f64 = (1_u64 << 30) as f64;

/// The columns of a table, in words that an error names: `(message, help)`.
pub type Wrong = (String, String);

/// Reads a table as lines of a job file, one line for each line of the table, so that errors name the table's line.
pub struct Table<R> {
    reader: BufReader<R>,
    separator: u8,
    /// The field of each column.
    columns: Vec<Option<&'static str>>,
    /// The tool of all rows, if no column has it.
    tool: Option<String>,
    /// Lines that are ready, and how much of them was given.
    ready: Vec<u8>,
    given: usize,
}

impl<R: Read> Table<R> {
    /// Reads the header. `columns` names columns, `field=column`; others are known by their header.
    ///
    /// # Errors
    /// The header cannot be read, a named column is not there, or a field that is needed has no column.
    pub fn new(reader: R, columns: &[String], tool: Option<&str>) -> Result<Self, Wrong> {
        let mut reader = BufReader::new(reader);
        let header = read_line(&mut reader)
            .map_err(|error| (format!("the table cannot be read: {error}"), "check the file".to_owned()))?;
        let header = String::from_utf8(header.unwrap_or_default())
            .map_err(|_| ("the header of the table is not UTF-8".to_owned(), "save it as UTF-8".to_owned()))?;
        let header = header.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']);
        let counts =
            [b',', b'\t', b'|', b';'].map(|byte| (header.bytes().filter(|other| *other == byte).count(), byte));
        let separator = counts.into_iter().max_by_key(|(count, _)| *count).map_or(b',', |(_, byte)| byte);
        let names = split(header, separator).ok_or_else(|| bad_header("a quote is not closed"))?;
        let mut fields: Vec<Option<&'static str>> = vec![None; names.len()];
        for column in columns {
            let known = || FIELDS.map(|(field, _)| format!("`{field}`")).join(", ");
            let help = || format!("write `--columns FIELD=COLUMN`; the fields are {}", known());
            let (field, column) = column.split_once('=').ok_or_else(|| (format!("`{column}` has no `=`"), help()))?;
            let field = FIELDS.iter().find(|(name, _)| *name == field.trim()).map(|(name, _)| *name);
            let field = field.ok_or_else(|| ("no such field of a job".to_owned(), help()))?;
            let at = names.iter().position(|name| name.trim() == column.trim());
            let place = at.and_then(|at| fields.get_mut(at)).ok_or_else(|| {
                (
                    format!("the table has no column `{}`", column.trim()),
                    format!("its columns are: {}", names.join(", ")),
                )
            })?;
            *place = Some(field);
        }
        for (name, place) in names.iter().zip(0..) {
            let name = name.trim().to_lowercase();
            let known = FIELDS.iter().find(|(field, others)| *field == name || others.contains(&name.as_str()));
            if let Some((field, _)) = known
                && !fields.contains(&Some(field))
                && let Some(place @ None) = fields.get_mut(place)
            {
                *place = Some(field);
            }
        }
        let has = |wanted: &[&str]| fields.iter().flatten().any(|field| wanted.contains(field));
        let missing = |what: &str, field: &str| {
            let help = format!("name it with `--columns {field}=COLUMN`; the columns are: {}", names.join(", "));
            Err((format!("no column of the table is known to be {what}"), help))
        };
        if !has(&["tool"]) && tool.is_none() {
            return missing("the tool", "tool");
        }
        if !has(&["memory_bytes", "memory_gib", "memory"]) {
            return missing("the memory that a job used", "memory_bytes");
        }
        if !has(&["runtime_seconds"]) {
            return missing("the time that a job ran", "runtime_seconds");
        }
        // The header is a line, too.
        Ok(Self { reader, separator, columns: fields, tool: tool.map(str::to_owned), ready: vec![b'\n'], given: 0 })
    }

    /// A row as a line of a job file. One that cannot be read becomes a line that is no job and says why.
    fn line(&self, row: &str) -> String {
        let mut line = String::new();
        match self.job(row, &mut line) {
            Ok(()) => line,
            Err(message) => {
                let mut line = format!("{{\"tool\": {{\"id\": \"{FAULTY}\", \"version\": ");
                escape_into(&mut line, &message);
                line + "}}"
            }
        }
    }

    fn job(&self, row: &str, line: &mut String) -> Result<(), String> {
        let cells = split(row, self.separator).ok_or("a quote is not closed: is the file cut off?")?;
        if cells.len() != self.columns.len() {
            return Err(format!("{} values, and the table has {} columns", cells.len(), self.columns.len()));
        }
        let (mut id, mut tool, mut version, mut extension) = ("", self.tool.as_deref().unwrap_or_default(), "", "");
        let (mut input, mut outcome) = (None, String::new());
        for (cell, field) in cells.iter().zip(&self.columns) {
            let (cell, Some(field)) = (cell.trim(), field) else { continue };
            if cell.is_empty() {
                continue;
            }
            let mut put = |name: &str, value: f64| {
                let _ = write!(outcome, "\"{name}\": {value}, ");
            };
            match *field {
                "id" => id = cell,
                "tool" => tool = if self.tool.is_some() { tool } else { cell },
                "version" => version = cell,
                "extension" => extension = cell,
                "input_bytes" => input = Some(number(cell, field)?),
                "memory_bytes" => put("memory_bytes", number(cell, field)?),
                "memory_gib" => put("memory_bytes", number(cell, field)? * GIB),
                "memory" => put("memory_bytes", with_unit(cell, field)?),
                "allocated" => put("allocated_memory_bytes", with_unit(cell, field)?),
                "runtime_seconds" => put("runtime_seconds", duration(cell)?),
                "slots" | "cpu_seconds" => put(field, number(cell, field)?),
                "end_time" => {
                    outcome.push_str("\"end_time\": ");
                    escape_into(&mut outcome, &cell.replacen(' ', "T", 1));
                    outcome.push_str(", ");
                }
                _ => {
                    let (state, oom) = state(cell);
                    let _ = write!(outcome, "\"state\": \"{state}\", \"oom\": {oom}, ");
                }
            }
        }
        if tool.is_empty() {
            return Err("the tool is missing".to_owned());
        }
        let mut text = |before: &str, value: &str| {
            line.push_str(before);
            escape_into(line, value);
        };
        text("{\"id\": ", id);
        text(", \"tool\": {\"id\": ", tool);
        if !version.is_empty() {
            text(", \"version\": ", version);
        }
        line.push_str("}, ");
        if let Some(bytes) = input {
            let _ = write!(line, "\"job\": {{\"input_datasets\": [{{\"id\": 1, \"size\": {bytes}");
            if !extension.is_empty() {
                line.push_str(", \"extension\": ");
                escape_into(line, extension);
            }
            line.push_str("}]}, ");
        }
        let _ = write!(line, "\"outcome\": {{{}}}}}", outcome.trim_end_matches(", "));
        Ok(())
    }
}

impl<R: Read> Read for Table<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            let Some(row) = read_line(&mut self.reader)? else { return Ok(0) };
            let row = String::from_utf8_lossy(&row);
            let row = row.trim_end_matches(['\r', '\n']);
            self.ready = if row.trim().is_empty() { Vec::new() } else { self.line(row).into_bytes() };
            self.ready.push(b'\n');
            self.given = 0;
        }
        let rest = self.ready.get(self.given..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.given += count;
        Ok(count)
    }
}

fn bad_header(what: &str) -> Wrong {
    (format!("the header of the table cannot be read: {what}"), "the first line names the columns".to_owned())
}

/// The next line with its end; `None` at the end of the file.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    reader.by_ref().take(MOST_ROW as u64).read_until(b'\n', &mut line)?;
    if line.len() == MOST_ROW {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a line of the table has more than 1 MiB"));
    }
    Ok((!line.is_empty()).then_some(line))
}

/// The values of a row, by RFC 4180 but for line ends within quotes; `None` if a quote is not closed.
fn split(row: &str, separator: u8) -> Option<Vec<String>> {
    let separator = char::from(separator);
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = row.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            char if char == separator && !quoted => cells.push(std::mem::take(&mut cell)),
            char => cell.push(char),
        }
    }
    cells.push(cell);
    (!quoted).then_some(cells)
}

fn number(cell: &str, field: &str) -> Result<f64, String> {
    let number = cell.parse::<f64>().ok().filter(|number| number.is_finite());
    let number = number.ok_or_else(|| format!("{field}: `{cell}` is not a number"))?;
    if number < 0.0 { Err(format!("{field}: `{cell}` is negative")) } else { Ok(number) }
}

/// An amount of memory with its unit, as `sacct` writes it: `1234K`, `3.5G`, `16Gn`.
fn with_unit(cell: &str, field: &str) -> Result<f64, String> {
    let text = cell.trim_end_matches(['n', 'c', 'B', 'b', 'i']);
    let units = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];
    let found = text.chars().last().and_then(|last| units.iter().find(|(unit, _)| last.eq_ignore_ascii_case(unit)));
    let Some((_, power)) = found else {
        // `sacct` writes 0 without one.
        return match number(text, field)? {
            0.0 => Ok(0.0),
            _ => Err(format!(
                "{field}: `{cell}` has no unit: write `4096M`, or name the column `memory_bytes` or `memory_gib`"
            )),
        };
    };
    let digits = text.get(..text.len() - 1).unwrap_or_default();
    Ok(number(digits, field)? * f64::from(*power).exp2())
}

/// A time in seconds, or as `sacct` writes it: `[days-]hours:minutes:seconds`.
fn duration(cell: &str) -> Result<f64, String> {
    if !cell.contains(':') {
        return number(cell, "runtime_seconds");
    }
    let wrong = || format!("runtime_seconds: `{cell}` is no time such as 1-02:03:04");
    let (days, rest) = cell.split_once('-').unwrap_or(("0", cell));
    let mut seconds = 0.0;
    for part in rest.split(':') {
        seconds = seconds * 60.0 + number(part, "runtime_seconds").map_err(|_| wrong())?;
    }
    Ok(number(days, "runtime_seconds").map_err(|_| wrong())? * 86_400.0 + seconds)
}

/// Galaxy's state for one of Galaxy, Slurm or a number, and `true` if it says that memory was short.
fn state(cell: &str) -> (&'static str, bool) {
    let word = cell.to_lowercase();
    match word.as_str() {
        "ok" | "completed" | "0" => ("ok", false),
        word if word.contains("out_of_me") || word.contains("oom") || word.contains("memory_limit") => ("error", true),
        _ => ("error", false),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn lines(table: &str, columns: &[&str], tool: Option<&str>) -> Result<String, Wrong> {
        let columns: Vec<String> = columns.iter().map(|text| (*text).to_owned()).collect();
        let mut text = String::new();
        Table::new(table.as_bytes(), &columns, tool)?.read_to_string(&mut text).unwrap();
        Ok(text)
    }

    #[test]
    fn tables_become_job_lines() {
        let sacct = "JobID|JobName|MaxRSS|ReqMem|Elapsed|AllocCPUS|State\n1|bwa|1024K|4Gn|1-00:00:01|2|COMPLETED\n\n2|bwa|4G|4G|00:01:00|2|OUT_OF_MEMORY\n";
        let expected = "\n{\"id\": \"1\", \"tool\": {\"id\": \"bwa\"}, \"outcome\": {\"memory_bytes\": 1048576, \"allocated_memory_bytes\": 4294967296, \"runtime_seconds\": 86401, \"slots\": 2, \"state\": \"ok\", \"oom\": false}}\n\n{\"id\": \"2\", \"tool\": {\"id\": \"bwa\"}, \"outcome\": {\"memory_bytes\": 4294967296, \"allocated_memory_bytes\": 4294967296, \"runtime_seconds\": 60, \"slots\": 2, \"state\": \"error\", \"oom\": true}}\n";
        assert_eq!(lines(sacct, &["runtime_seconds=Elapsed"], None).unwrap(), expected);
        let own = "run,input_bytes,peak,wall_seconds\n\"a\"\"b\",10,2,1.5e1\n";
        let expected = "\n{\"id\": \"a\\\"b\", \"tool\": {\"id\": \"t\"}, \"job\": {\"input_datasets\": [{\"id\": 1, \"size\": 10}]}, \"outcome\": {\"memory_bytes\": 2147483648, \"runtime_seconds\": 15}}\n";
        assert_eq!(lines(own, &["memory_gib=peak"], Some("t")).unwrap(), expected);
    }

    #[test]
    fn faults_are_of_their_line() {
        let of = |row: &str| lines(&format!("tool,maxrss,runtime\n{row}\n"), &[], None).unwrap();
        for (row, fault) in [
            ("a,4096,1", "memory: `4096` has no unit"),
            ("a,-4K,1", "memory: `-4` is negative"),
            ("a,4K", "2 values, and the table has 3 columns"),
            ("a,\"4K", "a quote is not closed: is the file cut off?"),
            ("a,4K,x:1", "runtime_seconds: `x:1` is no time such as 1-02:03:04"),
            (",4K,1", "the tool is missing"),
        ] {
            assert!(of(row).contains(fault), "{}", of(row));
        }
        let header = |columns: &[&str]| lines("tool,x,runtime\n", columns, None).unwrap_err().0;
        assert_eq!(header(&[]), "no column of the table is known to be the memory that a job used");
        assert_eq!(header(&["memory=y"]), "the table has no column `y`");
        assert_eq!(header(&["cost=x"]), "no such field of a job");
        assert_eq!(lines("", &[], None).unwrap_err().0, "no column of the table is known to be the tool");
    }
}
