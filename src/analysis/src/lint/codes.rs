//! The kinds of findings.

use tpv_compiler::diagnostic::Severity;

/// The code of load errors.
pub const LOAD: &str = "T001";

/// A kind of finding.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// The code. T0xx are errors, which TPV's linter reports without codes; T101 to T104 are TPV's own.
    pub code: &'static str,
    /// The subject, in a few words.
    pub title: &'static str,
    /// The severity: an error makes the config unusable.
    pub severity: Severity,
    /// The page of `docs/lint/`.
    pub page: &'static str,
}

macro_rules! codes {
    ($($code:literal $severity:ident $title:literal),* $(,)?) => {
        /// All kinds, in order.
        pub const CODES: &[Code] = &[$(Code {
            code: $code,
            title: $title,
            severity: Severity::$severity,
            page: include_str!(concat!("../../../../docs/lint/", $code, ".md")),
        }),*];
    };
}

codes! {
    "T001" Error "the config does not load",
    "T002" Error "an id is not a valid pattern",
    "T003" Error "a destination without a runner",
    "T004" Error "cores, mem or gpus on a destination",
    "T101" Warning "the default entity is not abstract",
    "T102" Warning "cores without mem",
    "T103" Warning "a name, attribute or argument that does not exist",
    "T104" Warning "a field that TPV does not know",
    "T105" Warning "a name that is not set yet, or not for all",
    "T106" Warning "a variable that may not be set",
    "T107" Warning "user may be None",
    "T108" Warning "a value of the wrong type",
    "T109" Warning "two rules with the same id",
    "T110" Warning "a zero that does something else",
    "T111" Warning "code that always raises",
    "T112" Warning "an attribute that only Galaxy or the job file provides",
    "T113" Warning "a memory or a size that is not in GiB",
    "T114" Warning "a required tag that no destination has",
    "T115" Warning "a destination that no job can reach",
    "T116" Warning "fields of a rule that have no effect",
    "T117" Warning "default_inherits names nothing",
    "T118" Warning "a rule that sets nothing",
    "T119" Warning "a variable in place of a field",
    "T120" Warning "an f-string that needs Python 3.12",
    "T121" Warning "a minimum above its maximum",
    "T122" Warning "resources that no destination accepts",
    "T123" Warning "an id of another section",
    "T124" Warning "braces that YAML takes for a mapping",
    "T125" Warning "entries under another field",
    "T126" Warning "an env item without name or value",
    "T127" Warning "a context name that TPV gives itself",
    "T128" Warning "a rule that has no effect",
    "T130" Warning "code that needs CPython",
    "T131" Warning "code that asks a live server",
    "T132" Warning "a comparison that is never true",
    "T133" Warning "a function that is not called",
    "T134" Warning "another meaning in another version of TPV",
    "T135" Warning "a text in parentheses taken for a tuple",
    "T136" Warning "an id that no tool has",
    "T137" Warning "a gap between size rules",
    "T138" Warning "a misspelt param",
    "T139" Warning "a param that its reader takes otherwise",
    "T140" Warning "a parent that is not the abstract one",
    "T141" Warning "a tag that only a misspelling explains",
    "T142" Warning "a runner that job_conf does not have",
    "T201" Warning "a tool that no destination accepts",
    "T202" Warning "an unreachable destination",
    "T203" Warning "a rule that never applies",
    "T204" Warning "a rule that always applies",
    "T205" Warning "user-defined tools on destinations that don't expect them",
    "T211" Warning "a pattern that never matches",
    "T212" Warning "fields that a later pattern always overrides",
    "T213" Warning "an id that an abstract entry also matches",
    "T214" Warning "a pattern that doesn't match its own text",
    "T215" Warning "an id that takes the jobs of another",
    "T216" Warning "rules with the same id in two entities",
    "T217" Warning "a parent that a later file changes without effect",
    "T218" Warning "a parent defined only in another file",
    "T219" Warning "two destinations with the same name",
}

/// The codes for features that work under TPV inside Galaxy but not in compiled rules. The config is not at fault: linting
/// shows them only with `--limits`, compiling always.
pub const LIMITS: [&str; 3] = ["T112", "T130", "T131"];

/// Returns `true` if the code belongs to `tpvc check` rather than to `tpvc lint`.
pub fn is_of_check(code: &str) -> bool {
    code.starts_with("T2")
}

/// The kind with this code, in any case.
pub fn find(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|known| known.code.eq_ignore_ascii_case(code))
}
