//! The fields that entities and rules share, and how those of one are put over those of another.
//!
//! TPV's `Entity.override` and `inherit`. What a value is differs: text with a place in the compiler, a Python value in the
//! mapper, all that a value may be over many jobs in the checks. The [`Values`] say what each field is made of, and [`Merge`]
//! how two of a kind become one.

/// What the fields of an entity are made of.
pub trait Values: Sized {
    /// `abstract`.
    type Flag;
    /// `inherits`.
    type Word;
    /// Resources and limits.
    type Amounts;
    /// The fields besides amounts that are one value each: [`Field::singles`](crate::Field::singles).
    type Singles;
    /// `env`.
    type Env;
    /// `params`.
    type Params;
    /// `resubmit`.
    type Resubmit;
    /// `context`.
    type Context;
    /// Scheduling tags.
    type Tags;
    /// `no_qa_codes`.
    type NoQaCodes: Clone;
    /// Fields that TPV does not know.
    type Extras: Clone;

    /// The fields of an entity that sets none.
    fn unset() -> Common<Self>;
}

/// The fields of TPV's class `Entity`, which tools, roles, users, destinations, pools and rules have.
#[derive(Clone, Debug)]
pub struct Common<V: Values> {
    /// `abstract`: whether the entity is there to be inherited from only.
    pub is_abstract: V::Flag,
    /// `inherits`: the id of the parent.
    pub inherits: V::Word,
    /// `cores` to `max_concurrent_gpus`, and of a destination `max_accepted_cores` to `min_accepted_gpus`.
    pub amounts: V::Amounts,
    /// `rank`, and what one class has: `if` to `fail` of a rule, `runner` to `tags` of a destination, `fail_open` of a pool.
    pub singles: V::Singles,
    /// `env`: variables and files of the job's environment.
    pub env: V::Env,
    /// `params`: parameters of the destination.
    pub params: V::Params,
    /// `resubmit`: what becomes of a job that failed.
    pub resubmit: V::Resubmit,
    /// `context`: names for code.
    pub context: V::Context,
    /// `scheduling`, of a destination `tpv_tags`: what the entity asks of a destination.
    pub tags: V::Tags,
    /// `no_qa_codes`: the lint codes that a `# noqa` comment or the field itself turns off. Not inherited.
    pub no_qa_codes: V::NoQaCodes,
    /// Fields that TPV does not know, which it keeps. Not inherited.
    pub extras: V::Extras,
}

impl<V: Values> Default for Common<V> {
    fn default() -> Self {
        V::unset()
    }
}

/// How two values of a field become one: each method puts the first over the second.
pub trait Merge<V: Values> {
    /// The error of merging two values.
    type Error;

    /// `abstract`.
    ///
    /// # Errors
    /// Those of merging the two; so for all methods.
    fn flag(&mut self, upper: &V::Flag, lower: &mut V::Flag) -> Result<(), Self::Error>;

    /// `inherits`.
    ///
    /// # Errors
    /// As [`Merge::flag`].
    fn word(&mut self, upper: &V::Word, lower: &mut V::Word) -> Result<(), Self::Error>;

    /// Resources and limits.
    ///
    /// # Errors
    /// As [`Merge::flag`].
    fn amounts(&mut self, upper: &V::Amounts, lower: &mut V::Amounts) -> Result<(), Self::Error>;

    /// The fields that are one value each.
    ///
    /// # Errors
    /// As [`Merge::flag`].
    fn singles(&mut self, upper: &V::Singles, lower: &mut V::Singles) -> Result<(), Self::Error>;

    /// `params`.
    ///
    /// # Errors
    /// As [`Merge::flag`].
    fn params(&mut self, upper: &V::Params, lower: &mut V::Params) -> Result<(), Self::Error>;

    /// `resubmit`.
    ///
    /// # Errors
    /// As [`Merge::flag`].
    fn resubmit(&mut self, upper: &V::Resubmit, lower: &mut V::Resubmit) -> Result<(), Self::Error>;

    /// `context`.
    ///
    /// # Errors
    /// As [`Merge::flag`].
    fn context(&mut self, upper: &V::Context, lower: &mut V::Context) -> Result<(), Self::Error>;

    /// `env`.
    ///
    /// # Errors
    /// As [`Merge::flag`].
    fn env(&mut self, upper: &V::Env, lower: &mut V::Env) -> Result<(), Self::Error>;

    /// Scheduling tags, as a child inherits them.
    ///
    /// # Errors
    /// As [`Merge::flag`].
    fn tags(&mut self, child: &V::Tags, parent: &mut V::Tags) -> Result<(), Self::Error>;
}

impl<V: Values> Common<V> {
    /// TPV's `inherit`: puts the fields of a child over those of `parent`, which become the child's.
    ///
    /// # Errors
    /// Those of merging two values.
    pub fn inherit<M: Merge<V>>(&self, parent: &mut Self, merge: &mut M) -> Result<(), M::Error> {
        self.override_fields(parent, merge)?;
        parent.no_qa_codes = self.no_qa_codes.clone();
        parent.extras = self.extras.clone();
        merge.tags(&self.tags, &mut parent.tags)
    }

    /// TPV's `override`: puts these fields over those of `lower`. Tags, `no_qa_codes` and unknown fields
    /// stay as they are in `lower`.
    ///
    /// # Errors
    /// Those of merging two values.
    pub fn override_fields<M: Merge<V>>(&self, lower: &mut Self, merge: &mut M) -> Result<(), M::Error> {
        merge.flag(&self.is_abstract, &mut lower.is_abstract)?;
        merge.word(&self.inherits, &mut lower.inherits)?;
        merge.amounts(&self.amounts, &mut lower.amounts)?;
        merge.params(&self.params, &mut lower.params)?;
        merge.resubmit(&self.resubmit, &mut lower.resubmit)?;
        merge.context(&self.context, &mut lower.context)?;
        merge.env(&self.env, &mut lower.env)?;
        merge.singles(&self.singles, &mut lower.singles)
    }
}
