//! Slurm: a cluster is a job array, or several where the site's arrays are smaller. Execute nodes see the map's directory.

mod queue;
mod reason;
mod script;

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::Error;
use crate::cluster::Indices;
use crate::item::Item;
use crate::remedy;
use crate::resources::Resources;
use crate::state::State;
use crate::store::{Lock, MapDir};
use crate::why::Why;

use super::interface::{lacking, slots};
use super::program::{self, Finished};
use super::{Action, Engine, EngineState, Kind, Options, Submission};
use queue::{Stage, Task};

/// The time limit of a question. Slurm's programs try for half a minute to reach a controller that is down.
const ASKING: Duration = Duration::from_secs(60);
/// The time limit of a submission: `sbatch` tries again for some minutes if the controller has no room.
const SUBMITTING: Duration = Duration::from_secs(300);
/// The number of attempts on tasks that change their state meanwhile.
const ROUNDS: usize = 4;
/// The longest list of tasks of one command, in bytes.
const LIST: usize = 16_000;
/// The most tasks that one `scancel` is told of one by one: it refuses ranges of more than 65,536.
const CANCELLED: usize = 10_000;
/// The number of tasks of an array where the site does not say another.
const MAX_ARRAY_SIZE: u32 = 1001;

const DOWN: &str = "the controller of Slurm may be down: see `scontrol ping` and `sinfo`";

/// The engine.
#[derive(Clone, Copy, Debug)]
pub struct Slurm;

impl Engine for Slurm {
    fn check_options(&self, options: &Options) -> Result<(), Error> {
        for (name, value) in options {
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            if name == "slots" {
                slots(value)?;
            } else if name.is_empty() || name.starts_with('-') || !name.bytes().all(plain) {
                return Err(Error::new(
                    format!("`{name}` cannot be an option of `sbatch`"),
                    "write its long name without dashes before it, such as `partition` or `mail-type`",
                ));
            }
        }
        Ok(())
    }

    fn submit(&self, submission: Submission<'_>, items: &[&Item], lock: &Lock) -> Result<String, Error> {
        let script = script::write(submission, items)?;
        let options = options(submission);
        let total = u32::try_from(items.len()).unwrap_or(u32::MAX);
        let mut ids: Vec<String> = Vec::new();
        for (first, count) in arrays(total, max_array_size()?) {
            let mut command = program("sbatch");
            command.args(&options).arg("--parsable").arg(array_option(submission, count));
            command.arg(format!("--comment={}", queue::comment(&submission.cluster.token, first)));
            command.arg(&script).arg(first.to_string());
            let stdin = lock.for_child().map_err(|error| Error::io("locked", submission.map.path(), &error))?;
            let submitted = program::run(Kind::Slurm, &mut command, stdin, SUBMITTING).and_then(|submitted| {
                let id = submitted.output(
                    "the site may not allow these limits or this partition, or so many jobs (`MaxJobCount`): \
                     see `scontrol show config` and `sinfo`",
                )?;
                // `ID`, or `ID;CLUSTER`.
                Ok(id.trim().split(';').next().unwrap_or_default().to_owned())
            });
            match submitted {
                Ok(id) => ids.push(id),
                Err(error) => {
                    // All or nothing: half a cluster would have to be found out.
                    if !ids.is_empty() {
                        self.act(submission, "", Action::Remove, None)?;
                    }
                    return Err(error);
                }
            }
        }
        Ok(ids.join(" "))
    }

    fn find(&self, submission: Submission<'_>) -> Result<Option<String>, Error> {
        // What has ended is not looked for: it has left what it leaves, or runs again with the next cluster.
        let live = tasks(submission)?.into_iter().filter(|task| task.stage != Stage::Ended);
        let ids: BTreeSet<u32> = live.map(|task| task.array).collect();
        let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
        Ok((!ids.is_empty()).then(|| ids.join(" ")))
    }

    fn states(&self, submission: Submission<'_>, _id: &str) -> Result<Vec<EngineState>, Error> {
        let mut states = vec![EngineState::Gone(String::new()); submission.cluster.components.0.len()];
        for position in removed(submission)?.0 {
            if let Some(state) = states.get_mut(position as usize) {
                *state = EngineState::Removed(queue::CANCELLED.to_owned());
            }
        }
        let tasks = tasks(submission)?;
        let has_status = |task: &Task| matches!(&task.state, EngineState::Gone(said) if said.contains(queue::STATUS));
        let statuses = if tasks.iter().any(has_status) { statuses()? } else { BTreeMap::new() };
        for task in tasks {
            if let Some(state) = states.get_mut(task.position as usize) {
                let status = statuses.get(&(task.array, task.number)).filter(|_| has_status(&task));
                *state = match status.and_then(|status| remedy::of_status(*status)) {
                    Some(meaning) => EngineState::Gone(meaning.to_owned()),
                    None => task.state,
                };
            }
        }
        Ok(states)
    }

    fn explain(&self, _: Submission<'_>, _id: &str, _position: u32, state: State, reason: &str) -> Why {
        reason::explain(state, reason)
    }

    fn act(
        &self,
        submission: Submission<'_>,
        _id: &str,
        action: Action,
        positions: Option<&[u32]>,
    ) -> Result<(), Error> {
        if let Some(lacking) = lacking(Kind::Slurm, action) {
            return Err(lacking);
        }
        if matches!(action, Action::Edit(_)) {
            // Tasks look their arguments up when they start.
            script::write_arguments(submission, &submission.items()?)?;
        }
        let mut failure = None;
        for _ in 0..ROUNDS {
            let tasks = tasks(submission)?;
            let mut live: BTreeMap<u32, usize> = BTreeMap::new();
            for task in tasks.iter().filter(|task| task.stage != Stage::Ended) {
                *live.entry(task.array).or_default() += 1;
            }
            let concerned =
                |task: &Task| positions.is_none_or(|positions| positions.binary_search(&task.position).is_ok());
            let chosen: Vec<(Task, Operation)> = tasks
                .into_iter()
                .filter(concerned)
                .filter_map(|task| operation(action, task.stage).map(|operation| (task, operation)))
                .collect();
            if chosen.is_empty() {
                return Ok(());
            }
            if action == Action::Remove {
                note_removed(submission, chosen.iter().map(|(task, _)| task.position))?;
            }
            if matches!(action, Action::Edit(Resources { memory_mib: None, time_s: None, .. })) {
                return Ok(());
            }
            failure = run(action, &chosen, &live)?;
            if matches!(action, Action::Edit(_)) {
                break;
            }
        }
        // Each round leaves fewer tasks, or there is a reason.
        failure.map_or(Ok(()), |finished| Err(finished.failure(DOWN)))
    }

    fn version(&self) -> Result<String, Error> {
        let finished = program::run(Kind::Slurm, program("sbatch").arg("--version"), Stdio::null(), ASKING)?;
        Ok(finished.output(DOWN)?.trim().to_owned())
    }
}

/// A program of Slurm, without what the user's environment says of its filters: a task that is filtered away would seem to have ended.
fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    for (variable, _) in std::env::vars_os() {
        let text = variable.to_string_lossy();
        if ["SQUEUE_", "SCANCEL_", "SCONTROL_"].iter().any(|prefix| text.starts_with(prefix)) || text == "SBATCH_WAIT" {
            command.env_remove(&variable);
        }
    }
    command
}

/// Seconds in Slurm's unit of time.
fn minutes(seconds: u64) -> u64 {
    seconds.div_ceil(60).max(1)
}

/// The options of `sbatch` that all arrays of a cluster share. The user's come first: of two that contradict each other, the last counts.
fn options(submission: Submission<'_>) -> Vec<String> {
    let submit = submission.submit;
    let mut options = Vec::new();
    for (name, value) in submit.options.iter().filter(|(name, _)| *name != "slots") {
        // `exclusive = true` in the settings is an option without a value.
        match value.as_str() {
            "false" => {}
            "" | "true" => options.push(format!("--{name}")),
            value => options.push(format!("--{name}={value}")),
        }
    }
    let resources = submission.resources();
    options.extend(resources.memory_mib.map(|mib| format!("--mem={mib}M")));
    options.extend(resources.time_s.map(|seconds| format!("--time={}", minutes(seconds))));
    // Its disk is the map's, which Slurm knows nothing of.
    options.extend(["--nodes=1", "--ntasks=1", "--cpus-per-task=1", "--requeue"].map(str::to_owned));
    // The script keeps what the program says. An empty file a component would be left otherwise.
    options.extend(["--output=/dev/null", "--error=/dev/null"].map(str::to_owned));
    options.push(format!("--chdir={}", submission.map.path().display()));
    options.push(format!("--job-name=tpvc-{}", submission.tag));
    options
}

/// The option that makes an array of this many tasks, of which as many run at once as the option `slots` says.
fn array_option(submission: Submission<'_>, count: u32) -> String {
    let slots = submission.submit.options.get("slots").map(|slots| format!("%{slots}")).unwrap_or_default();
    format!("--array=0-{}{slots}", count.saturating_sub(1))
}

/// The arrays that hold this many tasks: the position of the first of each, and its size.
fn arrays(total: u32, most: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..total).step_by(most.max(1) as usize).map(move |first| (first, most.max(1).min(total - first)))
}

/// The most tasks of an array at this site.
fn max_array_size() -> Result<u32, Error> {
    let finished = program::run(Kind::Slurm, program("scontrol").args(["show", "config"]), Stdio::null(), ASKING)?;
    let config = finished.output(DOWN)?;
    let value = config.lines().find_map(|line| line.trim().strip_prefix("MaxArraySize")?.trim().strip_prefix('='));
    Ok(value.and_then(|value| value.trim().parse().ok()).unwrap_or(MAX_ARRAY_SIZE))
}

/// The cluster's tasks that Slurm knows. All of the user's jobs are asked for, since to ask for a job that Slurm has forgotten is an error.
fn tasks(submission: Submission<'_>) -> Result<Vec<Task>, Error> {
    let mut command = program("squeue");
    command.args(["--me", "--array", "--noheader", "--states=all"]).arg(format!("--format={}", queue::FORMAT));
    let lines = program::run(Kind::Slurm, &mut command, Stdio::null(), ASKING)?.output(DOWN)?;
    Ok(queue::tasks(&lines, &submission.cluster.token))
}

/// The exit statuses of the tasks that failed, by array and number.
fn statuses() -> Result<BTreeMap<(u32, u32), u32>, Error> {
    let mut command = program("squeue");
    command.args(["--me", "--array", "--noheader", "--states=FAILED"]).arg(format!("--Format={}", queue::STATUSES));
    let lines = program::run(Kind::Slurm, &mut command, Stdio::null(), ASKING)?.output(DOWN)?;
    Ok(queue::statuses(&lines))
}

/// An operation on a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operation {
    Hold,
    RequeueHold,
    Release,
    Cancel,
    Update,
}

/// The operation required for a task of this stage; `None` if it is as it should be.
fn operation(action: Action, stage: Stage) -> Option<Operation> {
    match (action, stage) {
        (Action::Hold, Stage::Waiting) => Some(Operation::Hold),
        (Action::Hold, Stage::Running) => Some(Operation::RequeueHold),
        (Action::Release, Stage::Held) => Some(Operation::Release),
        (Action::Remove, Stage::Waiting | Stage::Held | Stage::Running) => Some(Operation::Cancel),
        // Slurm changes the limits of what runs for its administrators only.
        (Action::Edit(_), Stage::Waiting | Stage::Held) => Some(Operation::Update),
        _ => None,
    }
}

/// Does what there is to do, and gives the last command that failed, perhaps since a task changed its state meanwhile. `live` counts the
/// tasks of each array that have not ended.
fn run(action: Action, chosen: &[(Task, Operation)], live: &BTreeMap<u32, usize>) -> Result<Option<Finished>, Error> {
    let mut groups: BTreeMap<(Operation, u32), Vec<u32>> = BTreeMap::new();
    for (task, operation) in chosen {
        groups.entry((*operation, task.array)).or_default().push(task.number);
    }
    let mut failure = None;
    for ((operation, array), mut numbers) in groups {
        numbers.sort_unstable();
        let targets = match operation {
            // The controller does with one job what it would do with each task.
            Operation::Cancel if live.get(&array) == Some(&numbers.len()) => vec![array.to_string()],
            Operation::Cancel => lists(array, &numbers, CANCELLED),
            _ => lists(array, &numbers, usize::MAX),
        };
        for tasks in targets {
            let mut command = match operation {
                Operation::Cancel => program("scancel"),
                _ => program("scontrol"),
            };
            match (operation, action) {
                (Operation::Hold, _) => command.args(["hold", &tasks]),
                (Operation::RequeueHold, _) => command.args(["requeuehold", &tasks]),
                (Operation::Release, _) => command.args(["release", &tasks]),
                (Operation::Update, Action::Edit(Resources { memory_mib, time_s, .. })) => {
                    command.arg("update").arg(format!("JobId={tasks}"));
                    command.args(memory_mib.map(|mib| format!("MinMemoryNode={mib}")));
                    command.args(time_s.map(|seconds| format!("TimeLimit={}", minutes(seconds))))
                }
                (Operation::Cancel | Operation::Update, _) => command.arg(&tasks),
            };
            let finished = program::run(Kind::Slurm, &mut command, Stdio::null(), ASKING)?;
            if !finished.success() {
                failure = Some(finished);
            }
        }
    }
    Ok(failure)
}

/// Tasks of an array as Slurm's programs take them, each list of at most so many tasks and short enough for a command line.
fn lists(array: u32, numbers: &[u32], most: usize) -> Vec<String> {
    let text = Indices(numbers.to_vec()).to_text();
    if text.len() <= LIST && numbers.len() <= most || numbers.len() < 2 {
        return vec![format!("{array}_[{text}]")];
    }
    let (left, right) = numbers.split_at(numbers.len() / 2);
    let mut all = lists(array, left, most);
    all.extend(lists(array, right, most));
    all
}

fn removed_path(map: &MapDir, number: u32) -> Result<std::path::PathBuf, Error> {
    Ok(map.engine_folder(number)?.join("removed"))
}

/// The positions that were taken from the queue. Slurm tells it for some minutes only.
fn removed(submission: Submission<'_>) -> Result<Indices, Error> {
    let path = removed_path(submission.map, submission.cluster.number)?;
    let text = submission.map.optional_text(&path)?.unwrap_or_default();
    Ok(Indices::parse(text.trim()).unwrap_or_default())
}

fn note_removed(submission: Submission<'_>, positions: impl Iterator<Item = u32>) -> Result<(), Error> {
    let mut all: BTreeSet<u32> = removed(submission)?.0.into_iter().collect();
    all.extend(positions);
    let path = removed_path(submission.map, submission.cluster.number)?;
    submission.map.write(&path, (Indices(all.into_iter().collect()).to_text() + "\n").as_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn a_cluster_is_as_many_arrays_as_the_site_needs() {
        let all = |total, most| arrays(total, most).collect::<Vec<_>>();
        assert_eq!(all(10, 1001), [(0, 10)]);
        assert_eq!(all(10, 10), [(0, 10)]);
        assert_eq!(all(10, 4), [(0, 4), (4, 4), (8, 2)]);
        assert_eq!(all(2, 0), [(0, 1), (1, 1)]);
        assert_eq!(all(0, 5), []);
    }

    #[test]
    fn a_list_of_tasks_fits_a_command_line() {
        assert_eq!(lists(5, &[1, 2, 3, 7], usize::MAX), ["5_[1-3,7]"]);
        assert_eq!(lists(5, &[1, 2, 3, 7], 3), ["5_[1-2]", "5_[3,7]"]);
        let odd: Vec<u32> = (0..100_000).map(|number| number * 2 + 1).collect();
        let lists = lists(5, &odd, usize::MAX);
        assert!(lists.iter().all(|list| list.len() <= LIST + 4));
        let numbers = |list: &String| Indices::parse(list.strip_prefix("5_[")?.strip_suffix(']')?);
        let all: Vec<u32> = lists.iter().flat_map(|list| numbers(list).unwrap().0).collect();
        assert_eq!(all, odd);
    }

    #[test]
    fn what_is_as_it_should_be_is_left_alone() {
        for (action, stages) in [
            (Action::Hold, vec![Stage::Held, Stage::Leaving, Stage::Ended]),
            (Action::Release, vec![Stage::Waiting, Stage::Running, Stage::Leaving, Stage::Ended]),
            (Action::Remove, vec![Stage::Leaving, Stage::Ended]),
        ] {
            assert!(stages.into_iter().all(|stage| operation(action, stage).is_none()), "{action:?}");
        }
        assert_eq!(operation(Action::Hold, Stage::Running), Some(Operation::RequeueHold));
        assert_eq!(operation(Action::Remove, Stage::Held), Some(Operation::Cancel));
    }
}
