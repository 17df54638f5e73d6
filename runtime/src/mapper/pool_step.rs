//! The steps of resource pools in an explanation, with TPV's words for them.

use crate::artifact::tables::OversizeRow;
use crate::pools::{Admission, Kind, Usage};
use tpv_literal::float_text;

/// A job's outcome in resource pools.
#[derive(Clone, Copy)]
pub enum PoolStep<'a> {
    /// The pool governs the job.
    Governs {
        /// Normal if the request by itself fits the budget.
        kind: Kind,
        /// The job's request.
        usage: &'a Usage,
        /// The budget for cores, memory and GPUs, as Python writes it.
        budget: &'a [String; 3],
        /// The pool's policy for requests beyond it.
        policy: &'a OversizeRow,
    },
    /// The request can never be admitted.
    Refused {
        /// TPV's message.
        message: &'a str,
    },
    /// The store cannot be reached.
    StoreAway {
        /// `true` if the job is admitted all the same.
        admitted: bool,
    },
    /// No pool governs the job.
    NoPool,
    /// The job was recorded.
    Admitted {
        /// In these pools.
        admissions: &'a [Admission],
    },
    /// The user's running jobs leave no room.
    Deferred {
        /// In one of these pools.
        admissions: &'a [Admission],
    },
}

impl PoolStep<'_> {
    /// The message of TPV's explanation; `pool` is the name of the pool.
    pub fn message(&self, pool: Option<&str>) -> String {
        let pool = pool.unwrap_or_default();
        let outcome = |admitted: bool| if admitted { "fail_open -> admitted" } else { "fail-closed -> deferred" };
        match self {
            Self::Governs { kind, .. } => format!("Pool '{pool}' governs this job: request is {}", kind.name()),
            Self::Refused { .. } => format!("Pool '{pool}': REJECTED"),
            Self::StoreAway { admitted } if !pool.is_empty() => {
                format!("Pool '{pool}': store unavailable, {}", outcome(*admitted))
            }
            Self::StoreAway { admitted: true } => "Store unavailable; every pool is fail_open -> admitted".to_owned(),
            Self::StoreAway { admitted: false } => "Store unavailable; fail-closed -> deferred".to_owned(),
            Self::NoPool => "No resource pools govern this job".to_owned(),
            Self::Admitted { admissions } => format!("Admitted and recorded in: {}", names(admissions)),
            Self::Deferred { admissions } => {
                format!("DEFERRED: user's current usage leaves no room in: {}", names(admissions))
            }
        }
    }

    /// The detail of TPV's explanation, in lines.
    pub fn detail(&self) -> Option<String> {
        match self {
            Self::Governs { kind, usage, budget: [cores, mem, gpus], policy } => {
                let mut text = format!("request: {usage}\nbudget:  cores={cores}, mem={mem}, gpus={gpus}");
                if *kind == Kind::Oversize {
                    let most = |most: Option<f64>| most.map_or_else(|| "None".to_owned(), float_text::repr);
                    let [cores, mem, gpus] = policy.hard_max.map(most);
                    text.push_str(&format!(
                        "\noversize: max_jobs={}, hard_max cores={cores}, mem={mem}, gpus={gpus}",
                        policy.max_concurrent
                    ));
                }
                Some(text)
            }
            Self::Refused { message } => Some((*message).to_owned()),
            _ => None,
        }
    }
}

fn names(admissions: &[Admission]) -> String {
    admissions.iter().map(|admission| &*admission.pool).collect::<Vec<_>>().join(", ")
}
