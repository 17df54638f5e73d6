//! The registry of codes: each kind of finding has a row.

use std::fmt;

use crate::diagnostic::Severity;
use crate::suggest::closest;

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

/// The command that looks for findings of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `tpvc lint`, and each command that reads configs.
    Lint,
    /// `tpvc check`.
    Check,
}

macro_rules! codes {
    ($($kind:ident $code:literal $severity:ident $scope:ident $title:literal),* $(,)?) => {
        /// A kind of finding. Users know it by its code: T0xx are errors, which TPV's linter reports without codes; T101 to T104 are TPV's own; T2xx
        /// belong to `tpvc check`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = concat!($code, ": ", $title, ".")] $kind,)*
        }

        impl Code {
            /// All kinds, in the order of their codes.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// The code, such as `T103`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$kind => $code,)* }
            }

            /// The subject, in a few words.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$kind => $title,)* }
            }

            /// The severity without settings: an error makes the config unusable.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$kind => Severity::$severity,)* }
            }

            /// The part of a config that a finding depends on.
            pub const fn scope(self) -> Scope {
                match self { $(Self::$kind => Scope::$scope,)* }
            }

            /// The page of `docs/lint/`, which `lint` beside `src` links to, so that a source distribution has it.
            pub const fn page(self) -> &'static str {
                match self { $(Self::$kind => include_str!(concat!("../lint/", $code, ".md")),)* }
            }
        }
    };
}

codes! {
    Unloadable "T001" Error Place "the config does not load",
    InvalidPattern "T002" Error Entity "an id is not a valid pattern",
    MissingRunner "T003" Error Entity "a destination without a runner",
    AmountsOnDestination "T004" Error Entity "cores, mem or gpus on a destination",
    ConcreteDefault "T101" Warning Entity "the default entity is not abstract",
    CoresWithoutMem "T102" Warning Entity "cores without mem",
    UnknownName "T103" Warning Words "a name, attribute or argument that does not exist",
    UnknownField "T104" Warning Place "a field that TPV does not know",
    UnsetName "T105" Warning Words "a name that is not set yet, or not for all",
    MaybeUnset "T106" Warning Words "a variable that may not be set",
    MaybeNone "T107" Warning Place "user or history may be None",
    WrongType "T108" Warning Words "a value of the wrong type",
    DuplicateRule "T109" Warning Place "two rules with the same id",
    MisleadingZero "T110" Warning Place "a zero that does something else",
    AlwaysRaises "T111" Warning Words "code that always raises",
    LiveAttribute "T112" Warning Place "an attribute that only Galaxy or the job file provides",
    WrongUnit "T113" Warning Config "a memory or a size that is not in GiB",
    UnofferedTag "T114" Warning Words "a required tag that no destination has",
    UnmatchedDestination "T115" Warning Words "a destination that no job can reach",
    UselessFields "T116" Warning Place "fields of a rule that have no effect",
    MissingDefault "T117" Warning Words "default_inherits names nothing",
    EmptyRule "T118" Warning Entity "a rule that sets nothing",
    VariableForField "T119" Warning Words "a variable in place of a field",
    NewFString "T120" Warning Place "an f-string that needs Python 3.12",
    MinimumAboveMaximum "T121" Warning Words "a minimum above its maximum",
    UnacceptedAmount "T122" Warning Config "resources that no destination accepts",
    IdOfOtherSection "T123" Warning Words "an id of another section",
    BracesAsMapping "T124" Warning Place "braces that YAML takes for a mapping",
    MisplacedEntries "T125" Warning Place "entries under another field",
    IncompleteEnv "T126" Warning Entity "an env item without name or value",
    ReservedContextName "T127" Warning Place "a context name that TPV gives itself",
    UselessRule "T128" Warning Entity "a rule that has no effect",
    NeedsCPython "T130" Warning Place "code that needs CPython",
    AsksLiveServer "T131" Warning Place "code that asks a live server",
    NeverEqual "T132" Warning Words "a comparison that is never true",
    UncalledFunction "T133" Warning Place "a function that is not called",
    ChangedMeaning "T134" Warning Entity "another meaning in another version of TPV",
    TextAsTuple "T135" Warning Place "a text in parentheses taken for a tuple",
    UnknownTool "T136" Warning Words "an id that no tool has",
    SizeGap "T137" Warning Entity "a gap between size rules",
    MisspeltParam "T138" Warning Place "a misspelt param",
    MisreadParam "T139" Warning Entity "a param that its reader takes otherwise",
    ConcreteParent "T140" Warning Entity "a parent that is not the abstract one",
    MisspeltTag "T141" Warning Words "a tag that only a misspelling explains",
    UnknownRunner "T142" Warning Entity "a runner that job_conf does not have",
    UnknownEnvironment "T143" Warning Entity "an environment that job_conf does not have",
    UnreadParam "T144" Warning Config "a param that its runner does not read",
    UnknownPerson "T145" Warning Entity "a user or role that the server does not have",
    ShellAsterisk "T146" Warning Entity "an asterisk as in a shell",
    UselessReject "T147" Warning Words "a rejected tag that nothing has",
    MissingParam "T148" Warning Config "a param that its runner needs",
    OnlyDefault "T149" Warning Config "tools in use that only the default is for",
    UselessLimit "T150" Warning Config "a limit that limits nothing",
    VersionAsText "T151" Warning Words "a version compared as text or as a number",
    PatternAsText "T152" Warning Place "a pattern where plain text is looked for",
    Unevaluated "T154" Warning Words "code that is never evaluated",
    MisspeltContext "T155" Warning Config "a context name that only a misspelling explains",
    FallingSteps "T156" Warning Entity "size rules that give less than they seem to",
    EndsAtDestination "T157" Warning Config "a rule of a destination that ends the job",
    NeverSeen "T158" Warning Config "jobs and settings of job_conf that TPV never sees",
    NeverReported "T159" Warning Config "a `resubmit` for what the runner never reports",
    ToolWithoutDestination "T201" Warning Config "a tool that no destination accepts",
    UnreachableDestination "T202" Warning Config "an unreachable destination",
    NeverApplies "T203" Warning Config "a rule that never applies",
    AlwaysApplies "T204" Warning Config "a rule that always applies",
    UnexpectedUserTools "T205" Warning Config "user-defined tools on destinations that don't expect them",
    UnacceptedSizes "T206" Warning Config "input sizes that no destination accepts",
    EmptyPattern "T211" Warning Config "a pattern that never matches",
    OverriddenFields "T212" Warning Config "fields that a later pattern always overrides",
    AlsoAbstract "T213" Warning Config "an id that an abstract entry also matches",
    PatternWithoutItself "T214" Warning Config "a pattern that doesn't match its own text",
    TakenId "T215" Warning Config "an id that takes the jobs of another",
    RepeatedRule "T216" Warning Config "rules with the same id in two entities",
    UselessChange "T217" Warning Config "a parent that a later file changes without effect",
    ForeignParent "T218" Warning Config "a parent defined only in another file",
    SharedDestinationName "T219" Warning Config "two destinations with the same name",
    InvalidResubmit "T220" Warning Config "a `resubmit` that Galaxy cannot use",
    EndlessResubmit "T221" Warning Config "a job that is resubmitted without end",
    UselessResubmit "T222" Warning Config "a job that is resubmitted for nothing",
    NoDestination "T301" Warning Config "ordinary jobs without a destination",
    RaisesForOrdinary "T302" Warning Config "code that fails for ordinary jobs",
    FallsAsInputsGrow "T303" Warning Config "cores or memory that fall as inputs grow",
    RefusedText "T304" Warning Config "a text that the scheduler refuses",
    GpusWithoutGpus "T305" Warning Config "jobs with GPUs where there are none",
    ReplacedByDestination "T306" Warning Config "params of a tool that the destination replaces",
    AlwaysAtLimit "T307" Warning Config "memory that is its limit for nearly all inputs",
    GrowsWithoutEnd "T308" Warning Config "memory that grows without end, or jumps",
}

impl Code {
    /// The kinds for features that work under TPV inside Galaxy but not in compiled rules. The config is not at fault: linting shows them only with
    /// `--limits`, compiling always.
    pub const LIMITS: [Self; 3] = [Self::LiveAttribute, Self::NeedsCPython, Self::AsksLiveServer];

    /// The kind with exactly this code.
    pub fn named(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str() == code)
    }

    /// The kind with this code, in large or small letters.
    pub fn find(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str().eq_ignore_ascii_case(code))
    }

    /// The code that a text that is none may have meant.
    pub fn near(text: &str) -> Option<&'static str> {
        closest(&text.to_uppercase(), Self::ALL.iter().map(|known| known.as_str()))
    }

    /// The command that looks for it.
    pub const fn verb(self) -> Verb {
        if self as usize >= Self::ToolWithoutDestination as usize { Verb::Check } else { Verb::Lint }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
