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
    /// The part of a config that a finding depends on.
    pub scope: Scope,
    /// The page of `docs/lint/`.
    pub page: &'static str,
}

/// The part of a config that a finding depends on: if it is missing because of an error, the finding may be false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The place it points to.
    Place,
    /// The entities that it points to, as all files and their parents make them.
    Entity,
    /// These, and everything that the names in its message occur in.
    Words,
    /// The whole config.
    Config,
}

macro_rules! codes {
    ($($code:literal $severity:ident $scope:ident $title:literal),* $(,)?) => {
        /// All kinds, in order.
        pub const CODES: &[Code] = &[$(Code {
            code: $code,
            title: $title,
            severity: Severity::$severity,
            scope: Scope::$scope,
            page: include_str!(concat!("../../../../docs/lint/", $code, ".md")),
        }),*];
    };
}

codes! {
    "T001" Error Place "the config does not load",
    "T002" Error Entity "an id is not a valid pattern",
    "T003" Error Entity "a destination without a runner",
    "T004" Error Entity "cores, mem or gpus on a destination",
    "T101" Warning Entity "the default entity is not abstract",
    "T102" Warning Entity "cores without mem",
    "T103" Warning Words "a name, attribute or argument that does not exist",
    "T104" Warning Place "a field that TPV does not know",
    "T105" Warning Words "a name that is not set yet, or not for all",
    "T106" Warning Words "a variable that may not be set",
    "T107" Warning Place "user or history may be None",
    "T108" Warning Words "a value of the wrong type",
    "T109" Warning Place "two rules with the same id",
    "T110" Warning Place "a zero that does something else",
    "T111" Warning Words "code that always raises",
    "T112" Warning Place "an attribute that only Galaxy or the job file provides",
    "T113" Warning Config "a memory or a size that is not in GiB",
    "T114" Warning Words "a required tag that no destination has",
    "T115" Warning Words "a destination that no job can reach",
    "T116" Warning Place "fields of a rule that have no effect",
    "T117" Warning Words "default_inherits names nothing",
    "T118" Warning Entity "a rule that sets nothing",
    "T119" Warning Words "a variable in place of a field",
    "T120" Warning Place "an f-string that needs Python 3.12",
    "T121" Warning Words "a minimum above its maximum",
    "T122" Warning Config "resources that no destination accepts",
    "T123" Warning Words "an id of another section",
    "T124" Warning Place "braces that YAML takes for a mapping",
    "T125" Warning Place "entries under another field",
    "T126" Warning Entity "an env item without name or value",
    "T127" Warning Place "a context name that TPV gives itself",
    "T128" Warning Entity "a rule that has no effect",
    "T130" Warning Place "code that needs CPython",
    "T131" Warning Place "code that asks a live server",
    "T132" Warning Words "a comparison that is never true",
    "T133" Warning Place "a function that is not called",
    "T134" Warning Entity "another meaning in another version of TPV",
    "T135" Warning Place "a text in parentheses taken for a tuple",
    "T136" Warning Words "an id that no tool has",
    "T137" Warning Entity "a gap between size rules",
    "T138" Warning Place "a misspelt param",
    "T139" Warning Entity "a param that its reader takes otherwise",
    "T140" Warning Entity "a parent that is not the abstract one",
    "T141" Warning Words "a tag that only a misspelling explains",
    "T142" Warning Entity "a runner that job_conf does not have",
    "T143" Warning Entity "an environment that job_conf does not have",
    "T144" Warning Config "a param that its runner does not read",
    "T145" Warning Entity "a user or role that the server does not have",
    "T146" Warning Entity "an asterisk as in a shell",
    "T147" Warning Words "a rejected tag that nothing has",
    "T148" Warning Config "a param that its runner needs",
    "T149" Warning Config "tools in use that only the default is for",
    "T150" Warning Config "a limit that limits nothing",
    "T201" Warning Config "a tool that no destination accepts",
    "T202" Warning Config "an unreachable destination",
    "T203" Warning Config "a rule that never applies",
    "T204" Warning Config "a rule that always applies",
    "T205" Warning Config "user-defined tools on destinations that don't expect them",
    "T206" Warning Config "input sizes that no destination accepts",
    "T211" Warning Config "a pattern that never matches",
    "T212" Warning Config "fields that a later pattern always overrides",
    "T213" Warning Config "an id that an abstract entry also matches",
    "T214" Warning Config "a pattern that doesn't match its own text",
    "T215" Warning Config "an id that takes the jobs of another",
    "T216" Warning Config "rules with the same id in two entities",
    "T217" Warning Config "a parent that a later file changes without effect",
    "T218" Warning Config "a parent defined only in another file",
    "T219" Warning Config "two destinations with the same name",
    "T220" Warning Config "a `resubmit` that Galaxy cannot use",
    "T221" Warning Config "a job that is resubmitted without end",
    "T222" Warning Config "a job that is resubmitted for nothing",
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
