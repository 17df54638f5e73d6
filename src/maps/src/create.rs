//! Creates maps: inputs are kept, jobs are cut into slices, and the components are submitted.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::Hooks;
use tpv_simulate::grid::{GridRun, Scenario};

use super::cluster::MOST;
use super::component::SCRIPT;
use super::engine::{self, Kind};
use super::history::{self, Commit, Site};
use super::item::Item;
use super::resources::{Limits, Resources};
use super::slice_size::{Sizes, SliceSize};
use super::slices::{CutError, Cutter};
use super::store::{Draft, MapDir, Root};
use super::submit::{Budget, Output, Submit};
use super::{Error, Map, words};
use crate::clock;
use tpv_analysis::job_file::JobFile;

/// A rule set.
pub struct RuleSet {
    /// The name given by the user.
    pub name: String,
    /// The artifact.
    pub bytes: Vec<u8>,
}

/// A config in a git repository, of which each commit gives a rule set: the arguments of [`history::compile`].
pub struct Versions {
    /// A folder of the repository.
    pub repository: PathBuf,
    /// A commit or a date.
    pub since: Option<String>,
    /// Pathspecs and URLs; none if the site names them.
    pub configs: Vec<String>,
}

/// The runs of a grid.
pub struct Simulation {
    /// The part that they share.
    pub scenario: Scenario,
    /// The points.
    pub points: Vec<Vec<f64>>,
}

/// A step in the creation of a map.
pub enum Step {
    /// Of `all` commits with different files, `done` are compiled.
    Compiled {
        /// The number so far.
        done: usize,
        /// The number in the end.
        all: usize,
    },
    /// So many more bytes of text were cut.
    Cut(u64),
}

/// The parts of a map.
pub struct Plan {
    /// The tag; a random one without.
    pub tag: Option<String>,
    /// The rule sets, each of which maps all jobs.
    pub rules: Vec<RuleSet>,
    /// The source of further rule sets.
    pub versions: Option<Versions>,
    /// The artifact that answers are compared with.
    pub against: Option<RuleSet>,
    /// The job files, `-` being stdin.
    pub jobs: Vec<PathBuf>,
    /// The world file.
    pub world: Option<Vec<u8>>,
    /// The runs of a simulation, which components do in place of mapping: each over all jobs of a file.
    pub simulation: Option<Simulation>,
    /// `true` if answers have candidates.
    pub detail: bool,
    /// The policy for compiling numeric code to machine code: `off`, `lazy` or `eager`.
    pub jit: String,
    /// The budgets of a job's code.
    pub budget: Budget,
    /// The way that the components run.
    pub execution: Execution,
    /// The size of a component's work.
    pub slices: SliceSize,
}

/// The way that the components of a map run.
pub struct Execution {
    /// The engine that runs them.
    pub engine: Kind,
    /// The memory, disk and time that a component may use.
    pub resources: Resources,
    /// Options specific to the engine.
    pub options: BTreeMap<String, String>,
    /// The program that is shipped.
    pub program: Vec<u8>,
}

/// Makes a map and submits it, and tells `progress` how that goes. `site` is what commits are read with, if the plan has any.
///
/// # Errors
/// The plan cannot be carried out; nothing is left then. Where only submitting fails, the map is there, and the error says so.
pub fn create(
    root: &Root,
    plan: &Plan,
    site: &mut dyn Site,
    hooks: &Hooks,
    progress: &mut dyn FnMut(Step),
) -> Result<Map, Error> {
    check(plan)?;
    let draft = begin(root, plan.tag.as_deref())?;
    let dir = draft.map();
    let mut kept = Vec::new();
    for rules in &plan.rules {
        kept.push((rules.name.clone(), String::from(dir.put_input(&rules.bytes)?)));
    }
    if let Some(versions) = &plan.versions {
        kept.extend(compile_versions(dir, versions, site, progress)?);
    }
    let against = plan.against.as_ref().map(|rules| dir.put_input(&rules.bytes)).transpose()?;
    let world = plan.world.as_ref().map(|world| dir.put_input(world)).transpose()?;
    let scenario = plan.simulation.as_ref().map(|simulation| put_scenario(dir, &simulation.scenario)).transpose()?;
    let runs: Vec<Option<GridRun>> = match &plan.simulation {
        None => vec![None],
        Some(simulation) => simulation.scenario.runs(&simulation.points).into_iter().map(Some).collect(),
    };
    let program = dir.put_program(&plan.execution.program)?;
    dir.write_script(SCRIPT)?;
    let sizes = Sizes::of(plan, dir, &kept, hooks)?;
    let slices = cut(dir, plan, sizes, progress)?;
    if let (true, Some(path), Some(_)) = (slices.is_empty(), plan.jobs.first(), &plan.simulation) {
        return Err(Error::new(
            format!("`{}` has no jobs", path.display()),
            "name a job file that `tpvc export-jobs` wrote",
        ));
    }
    check_number(kept.len() as u64 * slices.len() as u64 * runs.len() as u64)?;
    let mut items = Vec::new();
    for (name, rules) in &kept {
        for (slice, run) in slices.iter().flat_map(|slice| runs.iter().map(move |run| (slice, run))) {
            items.push(Item {
                component: u32::try_from(items.len()).unwrap_or(u32::MAX),
                rules: rules.clone(),
                rules_name: name.clone(),
                against: against.as_ref().map(|digest| digest.as_str().to_owned()),
                run: run.clone(),
                ..slice.clone()
            });
        }
    }
    let output = match (&scenario, &against) {
        (Some(_), _) => Output::Runs,
        (None, Some(_)) => Output::Differences,
        (None, None) => Output::Answers,
    };
    let submit = Submit {
        engine: plan.execution.engine,
        output,
        detail: plan.detail,
        world: world.map(String::from),
        scenario,
        now: clock::microseconds(),
        program: program.into(),
        platform: platform(&plan.execution.program),
        jit: plan.jit.clone(),
        budget: plan.budget,
        limits: Limits::of_all(plan.execution.resources),
        options: plan.execution.options.clone(),
    };
    dir.write_submit(&submit)?;
    let tag = draft.tag().to_owned();
    let (dir, lock) = draft.finish(&items)?;
    let map = Map::of(root, &tag, dir, submit);
    let all = (0..).take(items.len()).collect();
    map.submit_components(all, &items, &lock).map_err(|error| {
        let help = format!(
            "{}; the map is there: `tpvc maps rerun {tag}` submits it, and another `create` with its tag replaces it",
            error.help
        );
        Error::new(format!("the map `{tag}` cannot be submitted: {}", error.message), help)
    })?;
    Ok(map)
}

fn begin(root: &Root, tag: Option<&str>) -> Result<Draft, Error> {
    if let Some(tag) = tag {
        Map::remove_refused(root, tag)?;
        return root.begin(tag, false);
    }
    loop {
        let tag = words::tag()?;
        if root.find(&tag)?.is_none() {
            // Another process may choose the same words this moment: then it is that one's error to hear of.
            return root.begin(&tag, true);
        }
    }
}

fn check(plan: &Plan) -> Result<(), Error> {
    if plan.rules.is_empty() && plan.versions.is_none() {
        return Err(Error::new("the map has no rules", "name an artifact with `--rules`"));
    }
    if plan.jobs.is_empty() {
        return Err(Error::new("the map has no jobs", "name one or more job files"));
    }
    engine::check_options(plan.execution.engine, &plan.execution.options)?;
    if plan.simulation.is_some() {
        // Each run has all jobs, in their order.
        return Ok(());
    }
    for rules in plan.rules.iter().chain(&plan.against) {
        if !load(rules)?.tables().pools.is_empty() {
            return Err(Error::new(
                format!("`{}` has resource pools, which admit jobs in the order of all of them", rules.name),
                "slices are mapped independently: map these rules with `tpvc map`",
            ));
        }
    }
    Ok(())
}

/// Refuses a map with more components than there may be.
pub(super) fn check_number(components: u64) -> Result<(), Error> {
    if components <= MOST {
        return Ok(());
    }
    Err(Error::new(
        format!("the map would have {components} components, and the most is {MOST}"),
        "make slices larger: `--slice-seconds`",
    ))
}

fn put_scenario(dir: &MapDir, scenario: &Scenario) -> Result<String, Error> {
    let text = serde_json::to_vec(scenario).map_err(|error| Error::bug("the scenario", &error))?;
    dir.put_input(&text).map(String::from)
}

pub(super) fn load(rules: &RuleSet) -> Result<Rules, Error> {
    Rules::load(&rules.bytes).map_err(|error| {
        Error::new(
            format!("`{}` cannot be used: {error}", rules.name),
            "name an artifact that this tpvc wrote: `tpvc compile CONFIG... -o RULES`",
        )
    })
}

pub(super) fn open(path: &Path) -> Result<(JobFile, Option<u64>), Error> {
    JobFile::open(path).map_err(|error| Error::new(error.message, error.help))
}

/// Compiles and keeps the commits of a history: the name and digest of each rule set. The map notes which commits they are of.
fn compile_versions(
    dir: &MapDir,
    versions: &Versions,
    site: &mut dyn Site,
    progress: &mut dyn FnMut(Step),
) -> Result<Vec<(String, String)>, Error> {
    let history = history::compile(
        &versions.repository,
        versions.since.as_deref(),
        &versions.configs,
        site,
        |artifact| dir.put_input(artifact).map(String::from),
        |done, all| progress(Step::Compiled { done, all }),
    )?;
    if let (true, Some(broken)) = (history.rule_sets.is_empty(), history.broken.last()) {
        return Err(Error::new(
            format!("no commit compiles; the last, {}, does not because of {}", broken.commit.name(), broken.error),
            "check that the files after `--` are the whole config and nothing else",
        ));
    }
    dir.write_history(&history)?;
    let name = |commits: &[Commit]| commits.first().map(Commit::name).unwrap_or_default();
    Ok(history.rule_sets.into_iter().map(|set| (name(&set.commits), set.digest)).collect())
}

/// Cuts all job files. The items lack what only a rule set gives them.
fn cut(dir: &MapDir, plan: &Plan, mut sizes: Sizes, progress: &mut dyn FnMut(Step)) -> Result<Vec<Item>, Error> {
    let mut slices = Vec::new();
    for path in &plan.jobs {
        let (text, _) = open(path)?;
        let fault = text.fault();
        let unreadable = |error: &io::Error| {
            fault.get().map_or_else(|| Error::io("read", path, error), |fault| Error::new(fault.message, fault.help))
        };
        let mut cutter = Cutter::new(text).map_err(|error| unreadable(&error))?;
        loop {
            let mut stored = dir.new_input()?;
            let cut = cutter.cut(sizes.next(), &mut stored).map_err(|error| match error {
                CutError::Read(error) => unreadable(&error),
                CutError::Write(error) => Error::io("written", dir.path(), &error),
            })?;
            let Some(slice) = cut else { break };
            dir.keep_input(stored, &slice.digest)?;
            sizes.cut(slice.length);
            progress(Step::Cut(slice.length));
            slices.push(Item {
                component: 0,
                rules: String::new(),
                rules_name: String::new(),
                against: None,
                run: None,
                jobs: slice.digest,
                file: path.display().to_string(),
                start: slice.start,
                length: slice.length,
                first_line: slice.first_line,
                lines: slice.lines,
            });
        }
    }
    Ok(slices)
}

/// The platform of a program, by its ELF header: `x86_64-linux`, with `-dynamic` if it needs libraries of the node.
pub fn platform(program: &[u8]) -> String {
    let machine = match (program.get(..4), program.get(18..20)) {
        (Some(b"\x7fELF"), Some([0x3e, 0])) => "x86_64",
        (Some(b"\x7fELF"), Some([0xb7, 0])) => "aarch64",
        (Some(b"\x7fELF"), _) => "other",
        _ if program.starts_with(b"#!") => return "script".to_owned(),
        _ => return "unknown".to_owned(),
    };
    // The name of the loader stands in the first page of a program that needs one.
    let head = program.get(..4096).unwrap_or(program);
    let dynamic = memchr::memmem::find(head, b"/ld-").is_some();
    format!("{machine}-linux{}", if dynamic { "-dynamic" } else { "" })
}
