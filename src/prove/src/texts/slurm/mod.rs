//! Options for Slurm: in one text, which slurm-drmaa reads, or each in a param of its own, which `sbatch` reads.

mod amounts;
mod options;
mod values;

use tpv_text::suggest::{closest, did_you_mean};

use super::fault::{Amounts, Fault};
use super::leftovers::is_none;
use super::readers::Runner;
use amounts::Given;
use options::{Kind, Opt, is_letter_of_drmaa, lettered, named};
use values::{drmaa_takes, help, sbatch_takes, taken};

const SLURM: &str = "Slurm";
const DRMAA: &str = "slurm-drmaa";

/// The beginning of reasons that surprise whoever knows `sbatch`.
const SUBMITTER: &str = "slurm-drmaa, by which Galaxy and Pulsar submit,";

/// The help for line breaks.
const ONE_LINE: &str = "write all options in one line, with blanks between (`>-` in YAML)";

/// Options of slurm-drmaa that do what one of `sbatch` does.
const INSTEAD: [(&str, &str); 7] = [
    ("job-name", "`--job_name=NAME`; Galaxy sets the name itself"),
    ("oversubscribe", "`--share`"),
    ("gpus", "`--gres=gpu:N`"),
    ("gpus-per-node", "`--gres=gpu:N`"),
    ("gpus-per-task", "`--gres=gpu:N`"),
    ("tasks-per-node", "`--ntasks-per-node=N`"),
    ("cluster", "`--clusters=NAME`"),
];

/// Names that people give to options, with Slurm's.
const OTHER_NAMES: [(&str, &str); 10] = [
    ("cores", "cpus-per-task"),
    ("cpu", "cpus-per-task"),
    ("cpus", "cpus-per-task"),
    ("memory", "mem"),
    ("ncpus", "cpus-per-task"),
    ("project", "account"),
    ("queue", "partition"),
    ("tasks", "ntasks"),
    ("threads", "cpus-per-task"),
    ("walltime", "time"),
];

/// Returns `true` if a text of options is for Slurm: its runner says so, or it has a long option of Slurm's. No other scheduler with DRMAA has long options.
pub(super) fn is_for_slurm(text: &str, runner: Runner) -> bool {
    let is_of_slurm = |word: &str| {
        let name = word.strip_prefix("--").unwrap_or_default();
        named(name.split('=').next().unwrap_or(name)).is_some()
    };
    runner.slurm || (!runner.pbs && !runner.grid_engine && text.split_ascii_whitespace().any(is_of_slurm))
}

/// The faults of an option in a param of its own, whose text `sbatch` reads.
pub(super) fn of_sbatch(name: &str, value: &str, amounts: Amounts) -> Vec<Fault> {
    let by_letter = name.chars().next().filter(|_| name.chars().count() == 1).and_then(lettered);
    let Some(option) = named(name).or(by_letter).filter(|option| option.in_sbatch) else { return Vec::new() };
    let part = format!("--{} {value}", option.name);
    if sbatch_takes(option, value) {
        return amounts::judge(&[Given { option, value, part }], amounts);
    }
    vec![Fault::refused(SLURM, part, taken(option, false), "write a whole number: `int(...)`")]
}

/// The faults of options in one text.
pub(super) fn native(text: &str, amounts: Amounts) -> Vec<Fault> {
    let mut reading = Reading { given: Vec::new(), faults: Vec::new() };
    reading.read(text);
    reading.faults.extend(amounts::judge(&reading.given, amounts));
    reading.faults
}

/// A text as `slurmdrmaa_parse_native` reads it, on beyond the first fault.
struct Reading<'a> {
    /// The options that are right.
    given: Vec<Given<'a>>,
    faults: Vec<Fault>,
}

impl<'a> Reading<'a> {
    fn read(&mut self, text: &'a str) {
        let words: Vec<&str> = text.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
        let mut words = words.into_iter().peekable();
        let mut is_first = true;
        while let Some(word) = words.next() {
            let next = words.peek().copied();
            let is_used = if let Some(long) = word.strip_prefix("--") {
                self.long(word, long, next)
            } else if let Some(letter) = word.strip_prefix('-').and_then(only) {
                self.short(word, letter, next, is_first)
            } else {
                self.stray(word);
                false
            };
            if is_used {
                words.next();
            }
            is_first = false;
        }
    }

    /// An option by its name. Returns `true` if it took the next word.
    fn long(&mut self, word: &'a str, long: &'a str, next: Option<&'a str>) -> bool {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long.trim_ascii_end(), None),
        };
        let Some(option) = named(name) else {
            let known = closest(name, options::all().filter(|option| option.in_drmaa).map(|option| option.name));
            let known = OTHER_NAMES.iter().find(|(other, _)| *other == name).map(|(_, known)| *known).or(known);
            let help = known.map_or_else(|| "leave it out".to_owned(), |known| did_you_mean(&format!("--{known}")));
            self.refused(SLURM, word, format!("there is no option `--{name}`"), help);
            return value.is_none() && next.is_some_and(is_value);
        };
        let following = next.filter(|next| value.is_none() && option.kind != Kind::Flag && is_value(next));
        if !option.in_drmaa {
            let instead = INSTEAD.iter().find(|(known, _)| *known == name);
            let help = instead.map_or_else(|| "leave it out".to_owned(), |(_, instead)| format!("write {instead}"));
            let is_right = value.or(following).is_none_or(|value| sbatch_takes(option, value));
            let by = if option.in_sbatch && is_right { DRMAA } else { SLURM };
            self.refused(by, word, format!("{SUBMITTER} has no `--{name}`"), help);
        } else if let Some(value) = value {
            self.value(option, value, word.to_owned());
        } else if let Some(following) = following {
            let by = if sbatch_takes(option, following) { DRMAA } else { SLURM };
            let why = format!("{SUBMITTER} takes `=` between an option and its value, no blank");
            let help =
                if drmaa_takes(option, following) { format!("write `--{name}={following}`") } else { help(option) };
            self.refused(by, &format!("{word} {following}"), why, help);
        } else if option.kind != Kind::Flag {
            self.refused(SLURM, word, format!("`--{name}` needs a value"), help(option));
        }
        following.is_some()
    }

    /// An option by its letter. Returns `true` if it took the next word.
    fn short(&mut self, word: &'a str, letter: char, next: Option<&'a str>, is_first: bool) -> bool {
        let known = lettered(letter);
        let option = match known {
            Some(option) if is_letter_of_drmaa(letter) => option,
            _ => {
                let is_of_sbatch = known.is_some_and(|option| option.in_sbatch);
                let by = if is_of_sbatch { DRMAA } else { SLURM };
                let by_name =
                    known.filter(|option| option.in_drmaa).map(|option| format!("write `--{}=VALUE`", option.name));
                let why = format!("{SUBMITTER} has no `-{letter}`");
                self.refused(by, word, why, by_name.unwrap_or_else(|| "leave it out".to_owned()));
                return known.is_none_or(|option| option.kind != Kind::Flag) && next.is_some_and(is_value);
            }
        };
        let long = if letter == 's' { "share" } else { option.name };
        if option.kind != Kind::Flag {
            match next.filter(|next| is_value(next)) {
                Some(value) => {
                    self.value(option, value, format!("{word} {value}"));
                    return true;
                }
                None => self.refused(SLURM, word, format!("`-{letter}` needs a value"), help(option)),
            }
            return false;
        }
        // A flag without a value takes the next word for one, unless this is another letter.
        match next {
            None if is_first && letter == 's' => false,
            None => {
                let why = format!("slurm-drmaa waits for a word after `-{letter}`");
                self.refused(DRMAA, word, why, format!("write `--{long}`"));
                false
            }
            Some(next) if next.strip_prefix('-').and_then(only).is_some() => false,
            Some(next) => {
                let why = format!("slurm-drmaa takes `{next}` for the value of `-{letter}`, and leaves it out");
                self.faults.push(Fault::misread(DRMAA, format!("{word} {next}"), why, format!("write `--{long}`")));
                true
            }
        }
    }

    /// The value of an option.
    fn value(&mut self, option: Opt, value: &'a str, part: String) {
        // What is after another `=` is left out.
        let value = if option.kind == Kind::Free { value } else { value.split('=').next().unwrap_or(value) };
        if drmaa_takes(option, value) {
            if option.kind == Kind::Account && value.contains('\n') {
                let why = "the line break is a part of the name";
                self.faults.push(Fault::misread(SLURM, part.trim(), why, ONE_LINE));
            } else if option.kind == Kind::Account && super::leftovers::left(value).is_some() {
                let why = format!("`{value}` is taken for the name of one");
                self.faults.push(Fault::misread(SLURM, part, why, super::leftovers::HELP));
            } else if option.kind == Kind::Count && values::whole(value.trim_ascii_end()) == Some(0) {
                let why = format!("`sbatch` refuses a `--{}` of 0, and slurm-drmaa leaves it out", option.name);
                self.faults.push(Fault::misread(
                    SLURM,
                    part,
                    why,
                    format!("write `--{}={{max(1, int(...))}}`", option.name),
                ));
            } else {
                self.given.push(Given { option, value, part });
            }
            return;
        }
        let is_right = sbatch_takes(option, value);
        if value.is_empty() {
            let why = format!("`--{}` needs a value", option.name);
            self.refused(if is_right { DRMAA } else { SLURM }, &part, why, help(option));
        } else if option.kind != Kind::Name && value.trim_ascii().contains('\n')
            || (option.kind == Kind::Name && value.contains('\n'))
        {
            let why = "slurm-drmaa does not take a line break for the end of a value";
            self.refused(DRMAA, &part, why.to_owned(), ONE_LINE.to_owned());
        } else if values::whole(value).is_some_and(|number| number < 0) && option.kind == Kind::Count {
            self.faults.push(Fault::stuck(SLURM, part, taken(option, true), help(option)));
        } else {
            self.refused(if is_right { DRMAA } else { SLURM }, &part, taken(option, true), help(option));
        }
    }

    /// A word that is no option.
    fn stray(&mut self, word: &str) {
        if is_none(word) {
            self.refused(
                SLURM,
                word,
                "an expression gave Python's `None`, which is no option".to_owned(),
                super::leftovers::HELP.to_owned(),
            );
        } else if is_long(word) {
            let why = "an option with a name begins with two plain dashes";
            let long = word.trim_start_matches(['-', '–', '—']);
            self.refused(SLURM, word, why.to_owned(), format!("write `--{long}`"));
        } else if word.starts_with('{') {
            let why = "these are braces of the config, and no option";
            self.refused(SLURM, word, why.to_owned(), super::leftovers::HELP.to_owned());
        } else if let Some(option) = word.strip_prefix('-').and_then(|rest| rest.chars().next()).and_then(lettered) {
            let value = word.trim_start_matches('-').trim_start_matches(option.letter);
            let by = if option.in_sbatch && sbatch_takes(option, value) { DRMAA } else { SLURM };
            let why = format!("{SUBMITTER} takes a blank between a letter and its value");
            self.refused(by, word, why, format!("write `-{} {value}`", option.letter));
        } else if word.starts_with(['\n', '\r']) || word.trim().is_empty() {
            self.line_break(word);
        } else {
            let why = "this is no option: a blank, quoted or not, ends the value before it";
            self.refused(SLURM, word, why.to_owned(), "leave the blank out of the value".to_owned());
        }
    }

    /// Words that begin with a line break; an empty line at the end is one as well.
    fn line_break(&mut self, word: &str) {
        let why = "slurm-drmaa takes blanks between options, no line breaks";
        let part = if word.trim().is_empty() { "\\n" } else { word };
        self.refused(DRMAA, part, why.to_owned(), ONE_LINE.to_owned());
    }

    fn refused(&mut self, by: &'static str, part: &str, why: String, help: String) {
        self.faults.push(Fault::refused(by, part.trim(), why, help));
    }
}

/// The only character of a text.
fn only(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

/// Returns `true` for the name of an option, with a value or without, that has one dash too few.
fn is_long(text: &str) -> bool {
    let long = text.trim_start_matches(['-', '–', '—']);
    let name = long.split('=').next().unwrap_or(long);
    name.len() < text.len() && named(name).is_some()
}

/// Returns `true` if a word may be the value of an option, a number below zero among them.
fn is_value(word: &str) -> bool {
    word.strip_prefix('-').is_none_or(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}
