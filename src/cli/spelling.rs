//! Earlier spellings of options: they work as before, and a note says what to write now.
//!
//! Spellings of `tpv` stay beside ours without a note: clap's own aliases have them.

use std::ffi::OsString;

/// An earlier spelling of a verb's option.
struct Earlier {
    /// The verb, in its words.
    verb: &'static [&'static str],
    /// The earlier spelling.
    old: &'static str,
    /// The spelling of today.
    new: &'static str,
    /// `true` if the earlier spelling means something else today, unless its value is a number.
    is_number: bool,
}

const fn earlier(verb: &'static [&'static str], old: &'static str, new: &'static str) -> Earlier {
    Earlier { verb, old, new, is_number: false }
}

/// All of them.
const EARLIER: [Earlier; 6] = [
    earlier(&["bench"], "--jobs-file", "--jobs"),
    Earlier { verb: &["bench"], old: "--jobs", new: "--count", is_number: true },
    earlier(&["bench"], "--json", "--format=json"),
    earlier(&["man"], "--out", "--output"),
    earlier(&["maps", "create"], "-o", "--option"),
    earlier(&["sweep"], "--log", "--log-scale"),
];

/// A command line, of which the first argument is the program's name, in the spellings of today, with what to say of the earlier ones.
pub(super) fn modern(args: Vec<OsString>) -> (Vec<OsString>, Vec<String>) {
    let words: Vec<&str> =
        args.iter().skip(1).filter_map(|arg| arg.to_str()).filter(|arg| !arg.starts_with('-')).collect();
    let known: Vec<&Earlier> = EARLIER.iter().filter(|earlier| words.starts_with(earlier.verb)).collect();
    if known.is_empty() {
        return (args, Vec::new());
    }
    let mut told: Vec<String> = Vec::new();
    let mut out: Vec<OsString> = Vec::with_capacity(args.len());
    let mut rest = args.into_iter().peekable();
    while let Some(arg) = rest.next() {
        if arg == "--" {
            out.push(arg);
            out.extend(rest);
            break;
        }
        let next = rest.peek().and_then(|next| next.to_str());
        match arg.to_str().and_then(|text| known.iter().find_map(|earlier| earlier.now(text, next))) {
            Some((new, note)) => {
                told.push(note);
                out.push(new.into());
            }
            None => out.push(arg),
        }
    }
    told.dedup();
    (out, told)
}

impl Earlier {
    /// An argument in the spelling of today, and what to say; `next` is the argument after it. `None` if it is another one.
    fn now(&self, arg: &str, next: Option<&str>) -> Option<(String, String)> {
        let value = if arg == self.old {
            None
        } else if self.old.starts_with("--") {
            Some(arg.strip_prefix(self.old)?.strip_prefix('=')?)
        } else {
            Some(arg.strip_prefix(self.old)?)
        };
        let is_number = || value.or(next).is_some_and(|value| value.parse::<u64>().is_ok());
        if self.is_number && !is_number() {
            return None;
        }
        let new = value.map_or_else(|| self.new.to_owned(), |value| format!("{}={value}", self.new));
        Some((new, format!("`{}` is now `{}`", self.old, self.new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now(line: &str) -> (String, Vec<String>) {
        let (args, told) = modern(line.split(' ').map(OsString::from).collect());
        (args.iter().map(|arg| arg.to_string_lossy()).collect::<Vec<_>>().join(" "), told)
    }

    #[test]
    fn earlier_spellings_are_those_of_today() {
        for (old, new) in [
            ("tpvc bench a.yml --jobs-file j.jsonl --json", "tpvc bench a.yml --jobs j.jsonl --format=json"),
            ("tpvc bench --jobs 400", "tpvc bench --count 400"),
            ("tpvc bench --jobs=400", "tpvc bench --count=400"),
            ("tpvc --quiet man --out=man1", "tpvc --quiet man --output=man1"),
            ("tpvc maps create -t a -o a=b -ob=c", "tpvc maps create -t a --option a=b --option=b=c"),
        ] {
            let (args, told) = now(old);
            assert_eq!(args, new);
            assert!(!told.is_empty(), "{old}");
        }
    }

    #[test]
    fn other_arguments_are_as_they_were() {
        for line in [
            "tpvc bench a.yml --jobs j.jsonl",
            "tpvc maps results a -o out.jsonl",
            "tpvc lint bench --json",
            "tpvc man -- --out",
            "tpvc",
        ] {
            assert_eq!(now(line), (line.to_owned(), Vec::new()));
        }
    }
}
