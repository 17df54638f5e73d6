//! How a map comes to be: inputs are kept, jobs are cut into slices, and the components are submitted.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tpv_runtime::artifact::Rules;
use tpv_runtime::galaxy::world::World;
use tpv_runtime::mapper::{Hooks, Mapper};

use super::cluster::MOST;
use super::component::SCRIPT;
use super::engine::Kind;
use super::history::{self, Commit};
use super::item::Item;
use super::slices::{CutError, Cutter};
use super::store::{Draft, MapDir, Root};
use super::submit::{Budget, Output, Submit};
use super::{Error, Map, words};
use crate::job_file::JobFile;

/// The work of a component, where nobody asks for another: long enough that starting it costs nothing, short enough to lose.
pub const SLICE: Duration = Duration::from_secs(60);
/// On this machine, a map has at least this many components for each core, so that no core waits long for the last one.
const SHARES: f64 = 32.0;
/// The least work of a component, unless it is asked for.
const LEAST: f64 = 2.0;
/// The size of a slice in bytes, where nothing is known of the jobs before they are cut.
const UNKNOWN: u64 = 64 << 20;
/// How much text is mapped to learn how fast that goes, and for how long.
const SAMPLE: u64 = 4 << 20;
const SAMPLE_TIME: Duration = Duration::from_millis(300);

/// A rule set.
pub struct RuleSet {
    /// What the user calls it.
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
    /// Pathspecs and URLs.
    pub configs: Vec<String>,
}

/// What is going on while a map is made.
pub enum Step {
    /// Of `all` configs that differ, `done` are compiled.
    Compiled {
        /// The number so far.
        done: usize,
        /// The number in the end.
        all: usize,
    },
    /// So many more bytes of text were cut.
    Cut(u64),
}

/// How much a component works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceSize {
    /// About this time, by a sample.
    Time(Duration),
    /// As [`SliceSize::Time`] of [`SLICE`], or less where this machine's cores would wait for each other.
    Fitting,
    /// At least this many bytes of text.
    Bytes(u64),
}

/// What a map is made of.
pub struct Plan {
    /// The tag; a random one without.
    pub tag: Option<String>,
    /// The rule sets, each of which maps all jobs.
    pub rules: Vec<RuleSet>,
    /// Where further rule sets come from.
    pub versions: Option<Versions>,
    /// The artifact that answers are compared with.
    pub against: Option<RuleSet>,
    /// The job files, `-` being stdin.
    pub jobs: Vec<PathBuf>,
    /// The world file.
    pub world: Option<Vec<u8>>,
    /// Whether answers have candidates.
    pub detail: bool,
    /// When numeric code becomes machine code: `off`, `lazy` or `eager`.
    pub jit: String,
    /// The budgets of a job's code.
    pub budget: Budget,
    /// Where components run.
    pub engine: Kind,
    /// The memory of a component in MiB.
    pub memory_mib: Option<u64>,
    /// The time of a component in seconds.
    pub time_s: Option<u64>,
    /// What only the engine knows.
    pub options: BTreeMap<String, String>,
    /// The program that is shipped.
    pub program: Vec<u8>,
    /// How much a component works on.
    pub slices: SliceSize,
}

/// Makes a map and submits it, and tells `progress` how that goes.
///
/// # Errors
/// The plan cannot be carried out; nothing is left then. Where only submitting fails, the map is there, and the error says so.
pub fn create(root: &Root, plan: &Plan, hooks: &Hooks, progress: &mut dyn FnMut(Step)) -> Result<Map, Error> {
    check(plan)?;
    let draft = begin(root, plan.tag.as_deref())?;
    let dir = draft.map();
    let mut kept = Vec::new();
    for rules in &plan.rules {
        kept.push((rules.name.clone(), String::from(dir.put_input(&rules.bytes)?)));
    }
    if let Some(versions) = &plan.versions {
        kept.extend(compile_versions(dir, versions, progress)?);
    }
    let against = plan.against.as_ref().map(|rules| dir.put_input(&rules.bytes)).transpose()?;
    let world = plan.world.as_ref().map(|world| dir.put_input(world)).transpose()?;
    let program = dir.put_program(&plan.program)?;
    dir.write_script(SCRIPT)?;
    let target = target(plan, dir, &kept, hooks)?;
    let slices = cut(dir, plan, target, progress)?;
    let mut items = Vec::new();
    for (name, rules) in &kept {
        for slice in &slices {
            items.push(Item {
                component: u32::try_from(items.len()).unwrap_or(u32::MAX),
                rules: rules.clone(),
                rules_name: name.clone(),
                against: against.as_ref().map(|digest| digest.as_str().to_owned()),
                ..slice.clone()
            });
        }
    }
    if items.len() as u64 > MOST {
        return Err(Error::new(
            format!("the map would have {} components, and the most is {MOST}", items.len()),
            "make slices larger: `--slice-seconds`",
        ));
    }
    let output = if against.is_some() { Output::Differences } else { Output::Answers };
    let submit = Submit {
        engine: plan.engine,
        output,
        detail: plan.detail,
        world: world.map(String::from),
        now: now(),
        program: program.into(),
        platform: platform(&plan.program),
        jit: plan.jit.clone(),
        budget: plan.budget,
        memory_mib: plan.memory_mib,
        time_s: plan.time_s,
        options: plan.options.clone(),
    };
    dir.write_submit(&submit)?;
    let tag = draft.tag().to_owned();
    let (dir, lock) = draft.finish(&items)?;
    let map = Map::of(root, &tag, dir, submit);
    let all = (0..).take(items.len()).collect();
    map.submit_components(all, &items, &lock).map_err(|error| {
        let help = format!(
            "{}; the map is there: `tpvc maps rerun {tag}` submits it, `tpvc maps remove {tag}` removes it",
            error.help
        );
        Error::new(format!("the map `{tag}` cannot be submitted: {}", error.message), help)
    })?;
    Ok(map)
}

fn begin(root: &Root, tag: Option<&str>) -> Result<Draft, Error> {
    if let Some(tag) = tag {
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
    for rules in plan.rules.iter().chain(&plan.against) {
        if !load(rules)?.tables().pools.is_empty() {
            return Err(Error::new(
                format!("`{}` has resource pools, which admit jobs in the order of all of them", rules.name),
                "slices would not know of each other: map such rules with `tpvc map`",
            ));
        }
    }
    Ok(())
}

fn load(rules: &RuleSet) -> Result<Rules, Error> {
    Rules::load(&rules.bytes).map_err(|error| {
        Error::new(
            format!("`{}` cannot be used: {error}", rules.name),
            "name an artifact that this tpvc wrote: `tpvc compile CONFIG... -o RULES`",
        )
    })
}

fn open(path: &Path) -> Result<(JobFile, Option<u64>), Error> {
    JobFile::open(path).map_err(|error| Error::new(error.message, error.help))
}

/// Compiles and keeps the commits of a history: the name and digest of each rule set. The map notes which commits they are of.
fn compile_versions(
    dir: &MapDir,
    versions: &Versions,
    progress: &mut dyn FnMut(Step),
) -> Result<Vec<(String, String)>, Error> {
    let history = history::compile(
        &versions.repository,
        versions.since.as_deref(),
        &versions.configs,
        |artifact| dir.put_input(artifact).map(String::from),
        |done, all| progress(Step::Compiled { done, all }),
    )?;
    if let (true, Some(broken)) = (history.rule_sets.is_empty(), history.broken.last()) {
        return Err(Error::new(
            format!("no commit compiles; the last, {}, does not because of {}", broken.commit.name(), broken.error),
            "check that the files behind `--` are the config, all of it and nothing else",
        ));
    }
    dir.write_history(&history)?;
    let name = |commits: &[Commit]| commits.first().map(Commit::name).unwrap_or_default();
    Ok(history.rule_sets.into_iter().map(|set| (name(&set.commits), set.digest)).collect())
}

/// Cuts all job files. The items lack what only a rule set gives them.
fn cut(dir: &MapDir, plan: &Plan, target: u64, progress: &mut dyn FnMut(Step)) -> Result<Vec<Item>, Error> {
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
            let cut = cutter.cut(target, &mut stored).map_err(|error| match error {
                CutError::Read(error) => unreadable(&error),
                CutError::Write(error) => Error::io("written", dir.path(), &error),
            })?;
            let Some(slice) = cut else { break };
            dir.keep_input(stored, &slice.digest)?;
            progress(Step::Cut(slice.length));
            slices.push(Item {
                component: 0,
                rules: String::new(),
                rules_name: String::new(),
                against: None,
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

/// The bytes of text that make a slice.
fn target(plan: &Plan, dir: &MapDir, kept: &[(String, String)], hooks: &Hooks) -> Result<u64, Error> {
    let wanted = match plan.slices {
        SliceSize::Bytes(bytes) => return Ok(bytes.max(1)),
        SliceSize::Time(time) => time.as_secs_f64(),
        SliceSize::Fitting => SLICE.as_secs_f64(),
    };
    let (Some((name, digest)), Some(first)) = (kept.first(), plan.jobs.first()) else { return Ok(UNKNOWN) };
    let Some(sample) = sample(first)? else { return Ok(UNKNOWN) };
    let path = dir.input(digest);
    let bytes = std::fs::read(&path).map_err(|error| Error::io("read", &path, &error))?;
    let speed = speed(plan, &sample.text, load(&RuleSet { name: name.clone(), bytes })?, hooks)?;
    let mut seconds = wanted;
    if plan.slices == SliceSize::Fitting && plan.engine == Kind::Local {
        let sizes =
            plan.jobs.iter().map(|path| size(path, sample.ratio)).collect::<Result<Option<Vec<f64>>, Error>>()?;
        if let Some(sizes) = sizes {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let all = sizes.iter().sum::<f64>() * float(kept.len() as u64) / speed;
            seconds = (all / (SHARES * float(cores as u64))).clamp(LEAST, wanted);
        }
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size that is about right")]
    Ok(((seconds * speed) as u64).max(1))
}

/// The first jobs of a file.
struct Sample {
    text: Vec<u8>,
    /// The bytes of text for each byte of the file.
    ratio: f64,
}

/// Whether a job file can be read twice: stdin and pipes give what they have once.
fn is_repeatable(path: &Path) -> bool {
    // Where there is no such file, reading it says so.
    path != Path::new("-") && path.metadata().is_ok_and(|metadata| metadata.is_file())
}

/// The first jobs; nothing of what can be read once.
fn sample(path: &Path) -> Result<Option<Sample>, Error> {
    if !is_repeatable(path) {
        return Ok(None);
    }
    let (mut jobs, mut text) = (open(path)?.0, Vec::new());
    jobs.by_ref().take(SAMPLE).read_to_end(&mut text).map_err(|error| match jobs.fault().get() {
        Some(fault) => Error::new(fault.message, fault.help),
        None => Error::io("read", path, &error),
    })?;
    let ratio = float(text.len() as u64) / float(jobs.taken().max(1));
    Ok(Some(Sample { text, ratio }))
}

/// The bytes of a file's text, about, where it is compressed as the sample is; nothing where nobody can know.
fn size(path: &Path, ratio: f64) -> Result<Option<f64>, Error> {
    if !is_repeatable(path) {
        return Ok(None);
    }
    Ok(match open(path)?.1 {
        Some(size) => Some(float(size)),
        None => path.metadata().ok().map(|metadata| float(metadata.len()) * ratio),
    })
}

#[expect(clippy::cast_precision_loss, reason = "sizes that are about right")]
fn float(number: u64) -> f64 {
    number as f64
}

/// How many bytes of text a core maps in a second, by a sample of the first jobs.
fn speed(plan: &Plan, sample: &[u8], rules: Rules, hooks: &Hooks) -> Result<f64, Error> {
    let mapper = Mapper::with_hooks(Arc::new(rules), hooks.clone(), plan.detail);
    let against = match &plan.against {
        Some(old) => Some(Mapper::with_hooks(Arc::new(load(old)?), hooks.clone(), false)),
        None => None,
    };
    let mut world = World::default();
    if let Some(text) = plan.world.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()) {
        world = World::parse(text).map_err(|error| {
            Error::new(format!("the world cannot be used: {error}"), "a world is one JSON object: docs/formats.md")
        })?;
    }
    world.now.get_or_insert(now());
    let world = Arc::new(world);
    // The first jobs are slower: code is not compiled yet, and little is kept.
    let (mut bytes, mut started, mut warm) = (0_u64, Instant::now(), false);
    for line in sample.split(|byte| *byte == b'\n') {
        let (job, _) = mapper.map_line(1, line, &world);
        if let (Some(against), Some(job)) = (&against, &job) {
            against.map(job, &world);
        }
        bytes += line.len() as u64 + 1;
        if started.elapsed() > SAMPLE_TIME {
            break;
        }
        if !warm && bytes > sample.len() as u64 / 4 {
            (bytes, started, warm) = (0, Instant::now(), true);
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    Ok(if bytes == 0 || seconds <= 0.0 { 1e7 } else { float(bytes) / seconds })
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// What a program runs on, by its ELF header: `x86_64-linux`, with `-dynamic` where it asks for libraries of the node.
pub fn platform(program: &[u8]) -> String {
    let machine = match (program.get(..4), program.get(18..20)) {
        (Some(b"\x7fELF"), Some([0x3e, 0])) => "x86_64",
        (Some(b"\x7fELF"), Some([0xb7, 0])) => "aarch64",
        (Some(b"\x7fELF"), _) => "other",
        (Some(b"#!/" | b"#! /"), _) => return "script".to_owned(),
        _ => return "unknown".to_owned(),
    };
    // The name of the loader stands in the first page of a program that needs one.
    let head = program.get(..4096).unwrap_or(program);
    let dynamic = memchr::memmem::find(head, b"/ld-").is_some();
    format!("{machine}-linux{}", if dynamic { "-dynamic" } else { "" })
}
