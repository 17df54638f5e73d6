//! Jobs in a world with answers to what the rules ask.

use std::sync::Arc;
use std::time::Instant;

use tpv_galaxy::Error;
use tpv_galaxy::json::{Json, text_of};
use tpv_runtime::World;
use tpv_runtime::artifact::Rules;

use super::{Made, Options, make};
use crate::answers::{Answers, Lacks};

/// An answer leads to the next question: a setting to a table, a table to a row, its cell to a file.
const MOST_ROUNDS: usize = 6;

/// Jobs, and the world in which they are tried.
pub struct Asked {
    /// The world.
    pub world: World,
    /// The same, as a world file has it.
    pub file: Json,
    /// The jobs.
    pub made: Made,
    /// What the rules ask for and no answer is known of, in words.
    pub left: Vec<String>,
}

/// Makes jobs for rules in a world that gets what the rules ask of Galaxy and it lacks, as far as the question shows the shape of an answer. It is `now` if
/// the world has no time.
///
/// # Errors
/// It is no world, or, which is a bug, none with the answers.
pub fn make_answered(
    rules: &Arc<Rules>,
    file: &Json,
    now: Option<i64>,
    given: &[Json],
    options: &Options,
) -> Result<Asked, Error> {
    let (started, mut answers) = (Instant::now(), Answers::new(rules));
    let mut plain = World::parse(&text_of(file))?;
    plain.now = plain.now.or(now);
    let (mut round, mut tried) = (0, 0);
    loop {
        round += 1;
        let (world, lacks) = (answers.over(&plain)?, Lacks::default());
        let noting = Arc::new(World { lacks: Some(lacks.clone()), ..world.clone() });
        let mut file = file.clone();
        answers.add_to(&mut file);
        let rest = Options {
            tries: options.tries.saturating_sub(tried),
            time: options.time.saturating_sub(started.elapsed()),
            ..options.clone()
        };
        let made = make(rules, &noting, given, &rest);
        tried += made.tried;
        let new = lacks.take().iter().filter(|lack| answers.add(lack)).count();
        if new == 0 || round == MOST_ROUNDS || tried >= options.tries || started.elapsed() > options.time {
            return Ok(Asked { world, file, made, left: answers.left() });
        }
    }
}
