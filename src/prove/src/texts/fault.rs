//! A fault of a text: who refuses or misreads which part of it.

/// The amounts that a job got.
#[derive(Clone, Copy, Debug, Default)]
pub struct Amounts {
    /// Cores.
    pub cores: Option<f64>,
    /// Memory in GiB.
    pub mem: Option<f64>,
}

/// The effect of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// The job is refused, and fails.
    Refused,
    /// The job is taken, and waits for ever.
    Stuck,
    /// The job is taken with another meaning.
    Misread,
}

/// A fault of a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fault {
    /// The name of the param, or of the variable.
    pub param: String,
    /// The whole text.
    pub text: String,
    /// The part of the text that is wrong.
    pub part: String,
    /// The reader: `Slurm`, `HTCondor`.
    pub by: &'static str,
    /// The effect on the job.
    pub effect: Effect,
    /// The reason, for a label or a note.
    pub why: String,
    /// The text to write instead.
    pub help: String,
}

impl Fault {
    pub(super) fn new(
        effect: Effect,
        by: &'static str,
        part: impl Into<String>,
        why: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let (part, why, help) = (part.into(), why.into(), help.into());
        Self { param: String::new(), text: String::new(), part, by, effect, why, help }
    }

    pub(super) fn refused(
        by: &'static str,
        part: impl Into<String>,
        why: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self::new(Effect::Refused, by, part, why, help)
    }

    pub(super) fn stuck(
        by: &'static str,
        part: impl Into<String>,
        why: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self::new(Effect::Stuck, by, part, why, help)
    }

    pub(super) fn misread(
        by: &'static str,
        part: impl Into<String>,
        why: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self::new(Effect::Misread, by, part, why, help)
    }

    /// The sentence of a message: ``Slurm refuses `--mem=3.8G` ``.
    pub fn message(&self) -> String {
        let Self { part, by, effect, .. } = self;
        match effect {
            Effect::Refused => format!("{by} refuses `{part}`"),
            Effect::Stuck => format!("{by} never starts a job with `{part}`"),
            Effect::Misread => format!("{by} misreads `{part}`"),
        }
    }
}
