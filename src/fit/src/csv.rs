//! Tables of other origin as job lines: `sacct`, Nextflow, gxadmin, or any CSV whose columns are named.
//!
//! Slurm has the time and the request of a job on its own row, and the peak memory on those of its steps, which `sacct` writes right after it. They
//! are joined while they are read, so that no more than one job is in memory.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read};

use tpv_galaxy::helpers::GIB;
use tpv_galaxy::job::Job;
use tpv_galaxy::json::escape_into;
use tpv_text::figures::count;

use crate::cells::{self, number};
use crate::columns::Columns;
pub use crate::columns::Wrong;

/// The tool of a row that cannot be read; its version is the message.
const FAULTY: &str = "(a row of the table)";

/// The message of a row that cannot be read.
pub(crate) fn message(job: &Job) -> Option<String> {
    let message = job.tool.version.filter(|_| job.tool_id() == FAULTY)?;
    Some(job.text(message).to_owned())
}

/// The most bytes of a row.
const MOST_ROW: usize = 1 << 20;
/// Reads a table as lines of a job file, one line for each line of the table, so that errors name the table's line.
pub struct Table<R> {
    reader: BufReader<R>,
    separator: u8,
    columns: Columns,
    /// The tool of all rows, if no column has it.
    tool: Option<String>,
    /// The job whose steps may follow.
    pending: Option<Pending>,
    /// Lines that are ready, and how much of them was given.
    ready: Vec<u8>,
    given: usize,
}

/// A job of Slurm, and the lines for the rows after its own.
struct Pending {
    job: Row,
    after: Vec<u8>,
}

/// The most bytes of lines for the rows after a job.
const MOST_AFTER: usize = 1 << 20;

/// A row.
#[derive(Default)]
struct Row {
    id: String,
    tool: String,
    version: String,
    extension: String,
    input_bytes: Option<f64>,
    /// The peak in bytes.
    memory: Option<f64>,
    /// The memory given in bytes, and whether it is for each core.
    allocated: Option<(f64, bool)>,
    runtime_seconds: Option<f64>,
    slots: Option<f64>,
    cpu_seconds: Option<f64>,
    end_time: String,
    /// Galaxy's state, and whether memory was short.
    state: Option<(&'static str, bool)>,
}

impl Row {
    /// Adds what Slurm has on a step.
    fn join(&mut self, step: &Self) {
        self.memory = self.memory.into_iter().chain(step.memory).reduce(f64::max);
        self.runtime_seconds = self.runtime_seconds.or(step.runtime_seconds);
        self.slots = self.slots.or(step.slots);
        // The job of a step that was killed may have another reason; one that succeeded did without the step.
        if let (Some(("error", is_short)), Some((_, true))) = (&mut self.state, step.state) {
            *is_short = true;
        }
    }

    /// The line of a job file.
    fn line(&self) -> String {
        let mut line = String::new();
        let mut text = |before: &str, value: &str| {
            line.push_str(before);
            escape_into(&mut line, value);
        };
        text("{\"id\": ", &self.id);
        text(", \"tool\": {\"id\": ", &self.tool);
        if !self.version.is_empty() {
            text(", \"version\": ", &self.version);
        }
        line.push_str("}, ");
        if let Some(bytes) = self.input_bytes {
            let _ = write!(line, "\"job\": {{\"input_datasets\": [{{\"id\": 1, \"size\": {bytes}");
            if !self.extension.is_empty() {
                line.push_str(", \"extension\": ");
                escape_into(&mut line, &self.extension);
            }
            line.push_str("}]}, ");
        }
        let mut outcome = String::new();
        let cores = |is_per_core: bool| if is_per_core { self.slots.unwrap_or(1.0) } else { 1.0 };
        for (name, value) in [
            ("memory_bytes", self.memory),
            ("allocated_memory_bytes", self.allocated.map(|(bytes, is_per_core)| bytes * cores(is_per_core))),
            ("runtime_seconds", self.runtime_seconds),
            ("slots", self.slots),
            ("cpu_seconds", self.cpu_seconds),
        ] {
            if let Some(value) = value {
                let _ = write!(outcome, "\"{name}\": {value}, ");
            }
        }
        if !self.end_time.is_empty() {
            outcome.push_str("\"end_time\": ");
            escape_into(&mut outcome, &self.end_time);
            outcome.push_str(", ");
        }
        if let Some((state, is_short)) = self.state {
            let _ = write!(outcome, "\"state\": \"{state}\", \"oom\": {is_short}, ");
        }
        let _ = write!(line, "\"outcome\": {{{}}}}}", outcome.trim_end_matches(", "));
        line
    }
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
        let columns = Columns::choose(names, columns, tool.is_some())?;
        let tool = tool.map(str::to_owned);
        // The header is a line, too.
        Ok(Self { reader, separator, columns, tool, pending: None, ready: vec![b'\n'], given: 0 })
    }

    /// The chosen columns in words.
    pub fn columns(&self) -> String {
        self.columns.words()
    }

    /// Takes a row. Lines become ready if no further row can change them.
    fn take(&mut self, text: &str) {
        if text.trim().is_empty() {
            return self.put("");
        }
        let row = match self.row(text) {
            Ok(row) => row,
            Err(message) => return self.put(&fault(&message)),
        };
        if !self.columns.has_steps {
            return self.put(&row.line());
        }
        let Some((job, step)) = row.id.split_once('.') else {
            self.flush();
            self.pending = Some(Pending { job: row, after: vec![b'\n'] });
            return;
        };
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.job.id == job) {
            pending.job.join(&row);
            return self.put("");
        }
        // A table whose rows somebody joined has the tool's name there.
        if self.tool.is_some() || step == "batch" && row.tool != step {
            self.flush();
            return self.put(&row.line());
        }
        let message = format!(
            "the step `{}` does not follow its job `{job}`: keep the rows of a job together, as `sacct` writes them",
            row.id
        );
        self.put(&fault(&message));
    }

    /// Adds a line: to those that are ready, or after the job whose steps may follow.
    fn put(&mut self, line: &str) {
        let lines = self.pending.as_mut().map_or(&mut self.ready, |pending| &mut pending.after);
        lines.extend_from_slice(line.as_bytes());
        lines.push(b'\n');
        if self.pending.as_ref().is_some_and(|pending| pending.after.len() > MOST_AFTER) {
            self.flush();
        }
    }

    /// Ends the job whose steps may follow.
    fn flush(&mut self) {
        if let Some(Pending { job, after }) = self.pending.take() {
            self.ready.extend_from_slice(job.line().as_bytes());
            self.ready.extend_from_slice(&after);
        }
    }

    /// Reads a row.
    fn row(&self, text: &str) -> Result<Row, String> {
        let cells = split(text, self.separator).ok_or("a quote is not closed: is the file cut off?")?;
        let fields = &self.columns.fields;
        if cells.len() != fields.len() {
            let (values, columns) = (count(cells.len() as u64, "value"), count(fields.len() as u64, "column"));
            return Err(format!("{values}, and the table has {columns}"));
        }
        let mut row = Row { tool: self.tool.clone().unwrap_or_default(), ..Row::default() };
        for (cell, field) in cells.iter().zip(fields) {
            let (cell, Some(field)) = (cell.trim(), *field) else { continue };
            // Nextflow writes `-` for a value that it lacks.
            if cell.is_empty() || cell == "-" {
                continue;
            }
            match field {
                "id" => cell.clone_into(&mut row.id),
                "tool" if self.tool.is_some() => {}
                "tool" => cell.clone_into(&mut row.tool),
                "version" => cell.clone_into(&mut row.version),
                "extension" => cell.clone_into(&mut row.extension),
                "input_bytes" => row.input_bytes = Some(number(cell, field)?),
                "memory_bytes" | "memory_gib" | "memory" => {
                    let memory = cells::memory(cell, field)?;
                    row.memory = Some(match field {
                        "memory_gib" if !memory.has_unit => memory.amount * GIB,
                        // `sacct` writes 0 without one.
                        "memory" if !memory.has_unit && memory.amount > 0.0 => {
                            return Err(format!(
                                "{field}: `{cell}` has no unit: write `4096M`, or name the column `memory_bytes` or `memory_gib`"
                            ));
                        }
                        _ => memory.amount,
                    });
                }
                "allocated" => {
                    let memory = cells::memory(cell, field)?;
                    row.allocated = Some((memory.amount, memory.is_per_core));
                }
                "runtime_seconds" => row.runtime_seconds = Some(cells::duration(cell)?),
                // Nextflow writes milliseconds without a unit.
                "realtime" => {
                    let plain = cell.parse::<f64>().is_ok();
                    row.runtime_seconds = Some(cells::duration(cell)? / if plain { 1000.0 } else { 1.0 });
                }
                "slots" => row.slots = Some(number(cell, field)?),
                "cpu_seconds" => row.cpu_seconds = Some(number(cell, field)?),
                "end_time" => row.end_time = cell.replacen(' ', "T", 1),
                _ => row.state = Some(cells::state(cell)),
            }
        }
        if row.tool.is_empty() { Err("the tool is missing".to_owned()) } else { Ok(row) }
    }
}

/// The line of a row that cannot be read: no job, which says why.
fn fault(message: &str) -> String {
    let mut line = format!("{{\"tool\": {{\"id\": \"{FAULTY}\", \"version\": ");
    escape_into(&mut line, message);
    line + "}}"
}

impl<R: Read> Read for Table<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.ready.len() {
            (self.ready, self.given) = (Vec::new(), 0);
            match read_line(&mut self.reader)? {
                Some(row) => self.take(String::from_utf8_lossy(&row).trim_end_matches(['\r', '\n'])),
                None if self.pending.is_some() => self.flush(),
                None => return Ok(0),
            }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
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
            ("a,4X,1", "memory: `4X` has no unit of memory"),
            ("a,4K", "2 values, and the table has 3 columns"),
            ("a,\"4K", "a quote is not closed: is the file cut off?"),
            ("a,4K,x:1", "runtime_seconds: `x:1` is no time such as 1-02:03:04 or 2h 3m 4s"),
            (",4K,1", "the tool is missing"),
        ] {
            assert!(of(row).contains(fault), "{}", of(row));
        }
        let header = |columns: &[&str]| lines("tool,x,runtime\n", columns, None).unwrap_err().0;
        assert_eq!(header(&[]), "no column of the table is known to be the memory that a job used");
        assert_eq!(header(&["memory=y"]), "the table has no column `y`");
        assert_eq!(header(&["cost=x"]), "`cost` is no field of a job");
        assert_eq!(lines("", &[], None).unwrap_err().0, "no column of the table is known to be the tool");
    }

    /// Rows as `sacct --parsable2` writes them; the numbers of lines stay.
    #[test]
    fn steps_of_slurm_are_joined_to_their_jobs() {
        let table = "\
JobID|JobName|MaxRSS|ReqMem|ElapsedRaw|AllocCPUS|State|End
1|bwa||4Gc|600|2|COMPLETED|2026-01-01T00:10:00
1.batch|batch|1000K||600|2|COMPLETED|2026-01-01T00:10:00
1.extern|extern|0||600|2|COMPLETED|2026-01-01T00:10:00
1.0|bwa mem|3000K||590|2|COMPLETED|2026-01-01T00:10:00

2_7|spades||16G|60|4|FAILED|2026-01-01T00:11:00
2_7.batch|batch|15.5G||60|4|OUT_OF_MEMORY|2026-01-01T00:11:00
2_7.extern|extern|x||60|4|COMPLETED|2026-01-01T00:11:00
3|bwa||4G|0|1|CANCELLED by 100|2026-01-01T00:12:00
4.batch|batch|1K||1|1|COMPLETED|2026-01-01T00:12:00
5.batch|joined|1M|4G|1|1|COMPLETED|2026-01-01T00:12:00
6|bwa||4G|1|1|COMPLETED|2026-01-01T00:12:00
";
        let text = lines(table, &[], None).unwrap();
        let all: Vec<&str> = text.lines().collect();
        assert_eq!(all.len(), table.lines().count());
        assert_eq!(
            all[1],
            "{\"id\": \"1\", \"tool\": {\"id\": \"bwa\"}, \"outcome\": {\"memory_bytes\": 3072000, \"allocated_memory_bytes\": 8589934592, \"runtime_seconds\": 600, \"slots\": 2, \"end_time\": \"2026-01-01T00:10:00\", \"state\": \"ok\", \"oom\": false}}"
        );
        assert!(
            all[6].contains("\"2_7\"")
                && all[6].contains("\"memory_bytes\": 16642998272")
                && all[6].contains("\"oom\": true"),
            "{}",
            all[6]
        );
        assert!(all[8].contains("memory: `x` has no unit of memory"), "{}", all[8]);
        assert!(all[9].contains("\"3\"") && !all[9].contains("memory_bytes\": 1"), "{}", all[9]);
        assert!(all[10].contains("the step `4.batch` does not follow its job `4`"), "{}", all[10]);
        assert!(all[11].contains("\"joined\"") && all[11].contains("1048576"), "{}", all[11]);
        assert!(all[12].contains("\"6\""), "{}", all[12]);
        assert!([2, 3, 4, 5, 7].iter().all(|at| all[*at].is_empty()), "{text}");
        // Ids with a dot elsewhere are ids.
        let own = lines("run,tool,memory,runtime\n1,a,1G,1\n1.5,a,2G,1\n", &[], None).unwrap();
        assert_eq!(own.lines().filter(|line| line.contains("outcome")).count(), 2);
    }

    /// A job with more steps than are kept, and a reader that takes a byte at a time.
    #[test]
    fn a_job_of_any_size_is_read() {
        let steps: String = (0..3).map(|step| format!("1.{step}|x|{}K||1\n", step + 1)).collect();
        let blank = "\n".repeat(MOST_AFTER + 10);
        let table = format!("JobID|JobName|MaxRSS|ReqMem|ElapsedRaw\n1|a||1G|1\n{steps}{blank}2|b|1M|1G|1\n");
        let mut all = Vec::new();
        let mut table = Table::new(table.as_bytes(), &[], None).unwrap();
        let mut byte = [0];
        while table.read(&mut byte).unwrap() > 0 {
            all.push(byte[0]);
            assert!(table.pending.as_ref().is_none_or(|pending| pending.after.len() <= MOST_AFTER + 1));
        }
        let text = String::from_utf8(all).unwrap();
        let jobs: Vec<(usize, &str)> = text.lines().enumerate().filter(|(_, line)| !line.is_empty()).collect();
        assert!(jobs.len() == 2 && jobs[0].0 == 1 && jobs[0].1.contains("\"memory_bytes\": 3072"), "{jobs:?}");
        assert_eq!(jobs[1].0, MOST_AFTER + 10 + 5);
    }

    /// A trace of Nextflow as it is written by default, and with `trace.raw`.
    #[test]
    fn traces_of_nextflow_are_read() {
        let trace = "task_id\tprocess\tstatus\trealtime\tcpus\tmemory\tpeak_rss\n1\tFASTQC\tCOMPLETED\t1m 30s\t2\t6 GB\t3.1 GB\n2\tFASTQC\tFAILED\t-\t2\t6 GB\t-\n";
        let raw = "task_id\tprocess\tstatus\trealtime\tcpus\tmemory\tpeak_rss\n1\tFASTQC\tCOMPLETED\t90000\t2\t6442450944\t3328599654\n2\tFASTQC\tFAILED\t-\t2\t6442450944\t-\n";
        let text = lines(trace, &[], None).unwrap();
        assert_eq!(text, lines(raw, &[], None).unwrap());
        assert!(text.contains("{\"memory_bytes\": 3328599654, \"allocated_memory_bytes\": 6442450944, \"runtime_seconds\": 90, \"slots\": 2, \"state\": \"ok\""), "{text}");
    }
}
