//! The process that runs the components of a map on this machine.

use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::journal::{Event, Journal, Stage};
use crate::Error;
use crate::clock::seconds;
use crate::cluster::Cluster;
use crate::component::error_report::ErrorReport;
use crate::component::run::node;
use crate::component::{self, Places};
use crate::engine::Kind;
use crate::item::Item;
use crate::map::NEVER;
use crate::remedy;
use crate::store::{Lock, MapDir, RunnerNote};

/// The interval between two looks at children and event logs.
const TICK: Duration = Duration::from_millis(20);

/// Runs what waits in a map, and ends when nothing does.
///
/// # Errors
/// The map's files cannot be read or written. Components that run are stopped then.
pub fn run(map: &MapDir) -> Result<(), Error> {
    // A terminal that closes ends its session, and this process is of another.
    let _ = rustix::process::setsid();
    let path = map.runner_lock();
    let _lock = Lock::wait(&path).map_err(|error| Error::io("locked", &path, &error))?;
    let ended = Runner::new(map).and_then(|mut runner| runner.run());
    // Noted while the lock is held: whoever sees it free sees why.
    let noted = map.write_runner_note(&RunnerNote { starts: 0, fault: ended.as_ref().err().cloned() }, false);
    ended.and(noted)
}

struct Runner<'a> {
    map: &'a MapDir,
    items: Vec<Item>,
    /// The number of components that run at once.
    slots: usize,
    clusters: Vec<Known>,
    children: Vec<Running>,
    /// A component has ended: this program can run here.
    is_proven: bool,
}

/// A cluster that the runner knows.
struct Known {
    cluster: Cluster,
    journal: Journal,
    /// Its submission has succeeded.
    is_submitted: bool,
}

/// A component that runs.
struct Running {
    component: u32,
    /// The place of its cluster.
    place: usize,
    /// Its standard input is a pipe: the program ends when this end of it is closed, as it is when this process is killed.
    child: Child,
    started: Instant,
    limit: Option<Duration>,
    /// Held as long as it runs.
    _slot: Lock,
}

impl<'a> Runner<'a> {
    fn new(map: &'a MapDir) -> Result<Self, Error> {
        // Options stay as they were when the map was created.
        let slots = super::slots(&map.submit()?.options)?;
        Ok(Self { map, items: map.items()?, slots, clusters: Vec::new(), children: Vec::new(), is_proven: false })
    }

    /// Runs components until none waits.
    fn run(&mut self) -> Result<(), Error> {
        loop {
            self.look_for_clusters()?;
            let waiting = self.waiting()?;
            if waiting.is_empty() {
                return Ok(());
            }
            self.run_all(waiting)?;
        }
    }

    fn look_for_clusters(&mut self) -> Result<(), Error> {
        for (place, (cluster, id)) in self.map.clusters()?.into_iter().enumerate() {
            let is_submitted = id.is_some_and(|id| id != NEVER);
            match self.clusters.get_mut(place) {
                Some(known) => known.is_submitted = is_submitted,
                None => {
                    let mut journal = Journal::new(self.map, cluster.number);
                    self.settle(&mut journal)?;
                    self.clusters.push(Known { cluster, journal, is_submitted });
                }
            }
        }
        Ok(())
    }

    /// Notes the end of what ran when the runner before was killed: nobody else will.
    fn settle(&self, journal: &mut Journal) -> Result<(), Error> {
        for component in journal.running()?.clone() {
            // It may have been killed between the end of it and the note of that.
            let event = if self.map.done(component)?.is_some() { Event::Ended } else { Event::Stopped };
            journal.append(&[(Some(component), event)])?;
        }
        Ok(())
    }

    /// The components that are to run, each with the place of its cluster: of those in several, the last counts.
    fn waiting(&mut self) -> Result<VecDeque<(u32, usize)>, Error> {
        let mut latest: Vec<Option<usize>> = vec![None; self.items.len()];
        for (place, Known { cluster, is_submitted, .. }) in self.clusters.iter().enumerate() {
            for &component in &cluster.components.0 {
                if let Some(latest) = latest.get_mut(component as usize) {
                    *latest = (cluster.engine == Kind::Local && *is_submitted).then_some(place);
                }
            }
        }
        let mut waiting = VecDeque::new();
        for (component, place) in (0..).zip(latest).filter_map(|(component, place)| Some((component, place?))) {
            if self.stage(component, place)? == Stage::Waiting {
                waiting.push_back((component, place));
            }
        }
        Ok(waiting)
    }

    fn stage(&mut self, component: u32, place: usize) -> Result<Stage, Error> {
        let Some(known) = self.clusters.get_mut(place) else { return Ok(Stage::Removed) };
        Ok(known.journal.stages()?.get(&component).copied().unwrap_or_default())
    }

    fn note(&mut self, component: u32, place: usize, event: Event) -> Result<(), Error> {
        let Some(known) = self.clusters.get_mut(place) else { return Ok(()) };
        known.journal.append(&[(Some(component), event)])?;
        if event == Event::Ended && !self.is_proven {
            self.map.write_runner_note(&RunnerNote::default(), false)?;
            self.is_proven = true;
        }
        Ok(())
    }

    fn number(&self, place: usize) -> Option<u32> {
        self.clusters.get(place).map(|known| known.cluster.number)
    }

    fn run_all(&mut self, mut waiting: VecDeque<(u32, usize)>) -> Result<(), Error> {
        while !(waiting.is_empty() && self.children.is_empty()) {
            if !self.map.exists() {
                // Dropping the children closes their pipes.
                return Err(Error::new("the map was removed", "nothing is left to do"));
            }
            self.look_after_children()?;
            while let Some(&(component, place)) = waiting.front() {
                if self.stage(component, place)? != Stage::Waiting {
                    waiting.pop_front();
                    continue;
                }
                let Some(slot) = self.slot()? else { break };
                waiting.pop_front();
                self.start(component, place, slot)?;
            }
            sleep(TICK);
        }
        Ok(())
    }

    /// A place to run on this machine, which all maps of the folder share.
    fn slot(&self) -> Result<Option<Lock>, Error> {
        if self.children.len() >= self.slots {
            return Ok(None);
        }
        for number in 0..self.slots {
            let path = self.map.slots().join(number.to_string());
            if let Some(lock) = Lock::take(&path).map_err(|error| Error::io("locked", &path, &error))? {
                return Ok(Some(lock));
            }
        }
        Ok(None)
    }

    fn start(&mut self, component: u32, place: usize, slot: Lock) -> Result<(), Error> {
        let Some(number) = self.number(place) else { return Ok(()) };
        let Some(item) = self.items.get(component as usize) else { return Ok(()) };
        let submit = self.map.submit()?;
        let places = Places::in_directory(self.map, &submit, item);
        let arguments = component::arguments(item, &submit, number, &places);
        self.note(component, place, Event::Started)?;
        let stdout = self.map.stdout(component);
        let output = File::create(&stdout).map_err(|error| Error::io("written", &stdout, &error))?;
        let child = Command::new("/bin/sh")
            .arg(self.map.script())
            .args(arguments)
            .arg("--tether")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(output)
            .spawn();
        match child {
            Ok(child) => {
                let limit = submit.limits.of(component).time_s.map(Duration::from_secs);
                self.children.push(Running { component, place, child, started: Instant::now(), limit, _slot: slot });
                Ok(())
            }
            Err(error) => {
                let message = format!("`/bin/sh` cannot be started: {}", error.to_string().to_lowercase());
                self.report(component, place, message, "check the limits of processes on this machine")
            }
        }
    }

    fn look_after_children(&mut self) -> Result<(), Error> {
        let mut at = 0;
        while let Some(running) = self.children.get_mut(at) {
            let (component, place) = (running.component, running.place);
            let limit = running.limit;
            let late = limit.is_some_and(|limit| running.started.elapsed() > limit);
            let ended = running.child.try_wait().map_err(|error| Error::io("waited for", self.map.path(), &error))?;
            if let Some(status) = ended {
                drop(self.children.swap_remove(at));
                self.ended(component, place, status)?;
            } else if late || !matches!(self.stage(component, place)?, Stage::Waiting | Stage::Running) {
                stop(self.children.swap_remove(at));
                if late {
                    let seconds = limit.unwrap_or_default().as_secs();
                    let message = format!("it ran longer than its limit of {seconds} s");
                    self.report(component, place, message, remedy::TIME)?;
                } else {
                    self.note(component, place, Event::Stopped)?;
                }
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// A component's script ended: where it left nothing, what is known of its end is its report.
    fn ended(&mut self, component: u32, place: usize, status: ExitStatus) -> Result<(), Error> {
        let stdout = self.map.stdout(component);
        if stdout.metadata().is_ok_and(|metadata| metadata.len() == 0) {
            self.map.remove(&stdout)?;
        }
        let number = self.number(place);
        let reported = || -> Result<bool, Error> {
            Ok(self.map.error_report(component)?.is_some_and(|report| Some(report.cluster) == number))
        };
        if self.map.done(component)?.is_some() || reported()? {
            return self.note(component, place, Event::Ended);
        }
        let message = match (status.signal(), status.code()) {
            (Some(signal), _) => format!("its script was killed by signal {signal}"),
            (None, Some(code)) => format!("its script ended with the status {code} and left nothing"),
            (None, None) => "its script ended and left nothing".to_owned(),
        };
        self.report(component, place, message, remedy::RERUN)
    }

    fn report(&mut self, component: u32, place: usize, message: String, help: &str) -> Result<(), Error> {
        let submit = self.map.submit()?;
        self.map.write_error(&ErrorReport {
            component,
            cluster: self.number(place).unwrap_or_default(),
            message,
            help: help.to_owned(),
            node: node(),
            time: seconds(),
            command: format!("/bin/sh {}", self.map.script().display()),
            line: None,
            memory_kib: None,
            memory_limit_mib: submit.limits.of(component).memory_mib,
            stderr: String::new(),
        })?;
        self.note(component, place, Event::Ended)
    }
}

/// Stops a component: its program ends when the pipe is closed, and its script is killed, which would report that as an error.
fn stop(mut running: Running) {
    let _ = running.child.kill();
    drop(running.child.stdin.take());
    let _ = running.child.wait();
}
