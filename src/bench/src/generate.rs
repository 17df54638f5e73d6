//! Generated configs and jobs of any size; the same shape and seed give the same set.

use std::fmt::Write;
use std::io;
use std::path::Path;

use tpv_galaxy::world::World;

use super::workload::{Workload, WorkloadError};

/// The size of a generated set.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Tools, each with a pattern of its own.
    pub tools: usize,
    /// Destinations.
    pub destinations: usize,
    /// Rules of each tool, beside those of the default tool.
    pub rules: usize,
    /// Jobs.
    pub jobs: usize,
    /// Another seed gives other sizes, tags and jobs.
    pub seed: u64,
}

impl Default for Shape {
    fn default() -> Self {
        Self { tools: 1000, destinations: 20, rules: 1, jobs: 2000, seed: 1 }
    }
}

/// A generated set: the text of its config and of its jobs.
pub struct Generated {
    /// One config file.
    pub config: String,
    /// Jobs, one a line.
    pub jobs: String,
}

/// The random numbers: splitmix64.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        let word = usize::try_from(self.next() >> 16).unwrap_or_default();
        word.checked_rem(bound).unwrap_or_default()
    }

    fn choose<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items.get(self.below(items.len())).copied().unwrap_or_default()
    }
}

const OWNERS: [&str; 5] = ["iuc", "devteam", "bgruening", "galaxyp", "ebi-gxa"];
const TAGS: [&str; 6] = ["pulsar", "slurm", "highmem", "gpu", "training", "offline"];

impl Shape {
    /// Makes the set.
    pub fn generate(&self) -> Generated {
        let mut draws = Draws(self.seed);
        let mut config = String::from(HEAD);
        for number in 0..self.tools {
            self.tool(&mut config, &mut draws, number);
        }
        config.push_str(PEOPLE);
        config.push_str("destinations:\n");
        for number in 0..self.destinations {
            destination(&mut config, &mut draws, number);
        }
        let mut jobs = String::new();
        for number in 0..self.jobs {
            self.job(&mut jobs, &mut draws, number);
        }
        Generated { config, jobs }
    }

    fn tool(&self, out: &mut String, draws: &mut Draws, number: usize) {
        let owner = tool_owner(number);
        let cores = 1 << draws.below(5);
        // Writing to a String never fails.
        let _ = write!(
            out,
            "  toolshed.g2.bx.psu.edu/repos/{owner}/tool_{number}/tool_{number}/.*:\n    cores: {cores}\n    mem: cores * {}\n",
            2 + draws.below(6),
        );
        if draws.below(4) == 0 {
            let _ = write!(
                out,
                "    scheduling:\n      {}:\n      - {}\n",
                draws.choose(&["prefer", "accept"]),
                draws.choose(&TAGS)
            );
        }
        if draws.below(8) == 0 {
            let _ = write!(
                out,
                "    params:\n      docker_enabled: true\n    env:\n      TOOL_MEMORY: '{{int(mem * 1024)}}'\n"
            );
        }
        for rule in 0..self.rules {
            let header = if rule == 0 { "    rules:\n" } else { "" };
            let _ = write!(
                out,
                "{header}    - if: input_size >= {}\n      cores: {}\n",
                1 + draws.below(20) + rule,
                cores * (rule + 2),
            );
        }
    }

    fn job(&self, out: &mut String, draws: &mut Draws, number: usize) {
        let tool = draws.below(self.tools);
        let owner = tool_owner(tool);
        let size = (draws.below(1 << 20)) << draws.below(16);
        let user = draws.below(400);
        let roles = draws.choose(&["[]", "[\"training-rna\"]", "[\"editor\", \"highmem\"]"]);
        let _ = writeln!(
            out,
            "{{\"id\": \"job-{number}\", \"seed\": {number}, \"tool\": {{\"id\": \
             \"toolshed.g2.bx.psu.edu/repos/{owner}/tool_{tool}/tool_{tool}/1.{}+galaxy0\", \"version\": \"1.0\"}}, \
             \"user\": {{\"id\": {user}, \"username\": \"user{user}\", \"email\": \"user{user}@example.org\", \"roles\": {roles}}}, \
             \"job\": {{\"id\": {number}, \"param_values\": {{\"mode\": {{\"select\": \"fast\"}}, \"input\": {{\"src\": \"hda\", \
             \"id\": 1}}}}, \"input_datasets\": [{{\"name\": \"input\", \"id\": 1, \"size\": {size}, \"extension\": \
             \"fastqsanger\"}}], \"history\": {{\"tags\": []}}}}}}",
            draws.below(4),
        );
    }
}

fn tool_owner(number: usize) -> &'static str {
    OWNERS.get(number % OWNERS.len()).copied().unwrap_or_default()
}

const HEAD: &str = "\
global:
  default_inherits: default
  context:
    base_mem: 3.8
tools:
  default:
    abstract: true
    cores: 1
    mem: cores * base_mem
    params:
      native_specification: '--nodes=1 --ntasks={cores} --mem={round(mem * 1024)}'
      tmp_dir: true
    env:
      GALAXY_SLOTS: '{cores}'
    scheduling:
      reject:
      - offline
    rules:
    - id: too_large
      if: input_size > 500
      fail: The inputs of this job have {input_size} GB, which is too much
    - id: people_in_training
      if: user and any(role.name.startswith('training') for role in user.roles)
      max_cores: 4
      scheduling:
        prefer:
        - training
";

const PEOPLE: &str = "\
roles:
  training.*:
    max_cores: 8
  highmem:
    scheduling:
      prefer:
      - highmem
users:
  default:
    abstract: true
  user1.@example.org:
    max_mem: 64
";

fn destination(out: &mut String, draws: &mut Draws, number: usize) {
    let cores = 8 << draws.below(5);
    let _ = write!(
        out,
        "  destination_{number}:\n    runner: {}\n    max_accepted_cores: {cores}\n    max_accepted_mem: {}\n    \
         scheduling:\n      accept:\n      - {}\n",
        draws.choose(&["slurm", "pulsar_mq", "kubernetes"]),
        cores * 8,
        draws.choose(&TAGS),
    );
    if draws.below(3) == 0 {
        out.push_str("    context:\n      destination_total_mem: 512\n");
    }
    if draws.below(4) == 0 {
        out.push_str("    params:\n      singularity_enabled: true\n      partition: 'p{1 if cores < 8 else 2}'\n");
    }
}

impl Generated {
    /// Writes the config beside others in `folder`, compiles it and reads the jobs.
    ///
    /// # Errors
    /// An error if the folder cannot be written; the generated config itself compiles.
    pub fn workload(self, folder: &Path) -> Result<Workload, WorkloadError> {
        let path = folder.join("generated.yml");
        let written: io::Result<()> = std::fs::write(&path, &self.config);
        written.map_err(|error| WorkloadError(format!("{}: {error}", path.display())))?;
        Workload::new(vec![path.to_string_lossy().into_owned()], self.jobs, World::default())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn sets_compile_map_and_depend_on_nothing_but_their_numbers() {
        let shape = Shape { tools: 40, destinations: 5, rules: 2, jobs: 60, seed: 7 };
        let (first, second) = (shape.generate(), shape.generate());
        assert!(first.config == second.config && first.jobs == second.jobs);
        let folder = tempfile::tempdir().unwrap();
        let workload = first.workload(folder.path()).unwrap();
        let answers = workload.answers(&workload.mapper());
        assert_eq!(answers.lines().count(), 60);
        let mapped = answers.lines().filter(|line| line.contains("\"destination\"")).count();
        assert!(mapped > 30, "{answers}");
    }
}
