//! `tpvc.toml`, which serde reads: `tests/analysis/schema/` compares what both know.

use tpv_galaxy::shape::Shape::{Any, Count, List, Map, Pattern, Text, Words};
use tpv_galaxy::shape::{Object, Others, Shape, field};

/// Versions of TPV: `3.2`, a release such as `3.2.1`, or `next`. `tpv_model::Asked` reads them.
const VERSION: Shape = Pattern(r"^((1\.[0-4]|2\.[0-5]|3\.[0-3])(\.(0|[1-9][0-9]{0,3}))?|next)$");

/// The settings.
pub static SETTINGS: Object = Object {
    name: "settings",
    doc: "The config files of a site, and how tpvc treats them. Paths are relative to the folder of the file.",
    fields: &[&[
        field(
            "files",
            List(&Text),
            "The config files in the order of merging, later over earlier: paths, patterns, folders, URLs.",
        ),
        field("tpv", VERSION, "The version of TPV that the config is for. Default: 3.3."),
        field(
            "remotes",
            Map(&Text),
            "URLs to files that are read in their place; of a URL that ends in `/`, to a folder with all that is below it.",
        ),
        field("world", Text, "The world file: what Galaxy knows, for the verbs that map."),
        field("jobs", Text, "The job file, for the verbs that map."),
        field("vars", List(&Text), VARS),
        field("variables", Map(&Any), VARIABLES),
        field("placeholders", List(&Text), PLACEHOLDERS),
        field("templates", List(&Text), TEMPLATES),
        field(
            "environments",
            Map(&Shape::Object(&ENVIRONMENT)),
            "Environments by name: `--environment` chooses one. Default: the first.",
        ),
        field(
            "severity",
            Map(&Words(&["off", "warning", "error"])),
            "Codes of findings to what they count as: `T102 = \"off\"`.",
        ),
        field("lock", Shape::Object(&LOCK), "Settings of `tpvc update`, which locks what URLs give."),
        field("lint", Shape::Object(&LINT), "Settings of `tpvc lint`."),
        field("test", Shape::Object(&TEST), "Settings of `tpvc test`."),
        field("server", Shape::Object(&SERVER), "The files of a Galaxy server that say what it has."),
        field("maps", Shape::Object(&MAPS), "Settings of maps."),
    ]],
    others: Others::Refused,
};

const VARS: &str = "Files and folders with the variables of Jinja templates, later over earlier.";
const VARIABLES: &str = "Variables of Jinja templates, over those of files.";
const PLACEHOLDERS: &str = "Names of variables that may have no value, with `*` for any part of a name.";
const TEMPLATES: &str = "The files that are templates, besides those named `.j2`: paths and patterns. Default: all files, if there are variables.";

static ENVIRONMENT: Object = Object {
    name: "settings_environment",
    doc: "The settings of an environment: `files`, `tpv`, `world`, `jobs` and `server` in the place of the general ones, the others after them.",
    fields: &[&[
        field("files", List(&Text), "The config files in the order of merging, later over earlier."),
        field("tpv", VERSION, "The version of TPV that the config is for."),
        field("world", Text, "The world file."),
        field("jobs", Text, "The job file."),
        field("vars", List(&Text), VARS),
        field("variables", Map(&Any), VARIABLES),
        field("placeholders", List(&Text), PLACEHOLDERS),
        field("templates", List(&Text), TEMPLATES),
        field("server", Shape::Object(&SERVER), "The files of a Galaxy server that say what it has."),
    ]],
    others: Others::Refused,
};

static LOCK: Object = Object {
    name: "settings_lock",
    doc: "Settings of `tpvc update`.",
    fields: &[&[field("cache", Text, "The folder of the locked texts. Default: `.tpvc/remote`.")]],
    others: Others::Refused,
};

static LINT: Object = Object {
    name: "settings_lint",
    doc: "Settings of `tpvc lint`.",
    fields: &[&[field("baseline", Text, "The baseline: findings that are known and not reported again.")]],
    others: Others::Refused,
};

static TEST: Object = Object {
    name: "settings_test",
    doc: "Settings of `tpvc test`.",
    fields: &[&[field("files", List(&Text), "The files of test cases: paths, patterns and folders.")]],
    others: Others::Refused,
};

static SERVER: Object = Object {
    name: "settings_server",
    doc: "The files of a Galaxy server that say what it has. Findings of `tpvc lint` depend on those that are named.",
    fields: &[&[
        field(
            "tools",
            List(&Text),
            "The installed tools: `/api/tools` as JSON, `shed_tool_conf.xml`, `integrated_tool_panel.xml`, lists of ephemeris.",
        ),
        field("job_conf", Text, "`job_conf.yml` or `job_conf.xml`: the runners and environments."),
        field("users", List(&Text), "The users: `/api/users` as JSON, or lists of addresses and names."),
        field("roles", List(&Text), "The roles and groups: `/api/roles` and `/api/groups` as JSON, or lists of names."),
        field("history", List(&Text), "The jobs that were run: job files, as `tpvc export-jobs` writes them."),
    ]],
    others: Others::Refused,
};

static MAPS: Object = Object {
    name: "settings_maps",
    doc: "Settings of maps: of years of jobs on a cluster.",
    fields: &[&[
        field("dir", Text, "The folder of all maps. Default: `~/.tpvc/maps`."),
        field("engine", Words(&["local", "htcondor", "slurm"]), "Where components run. Default: `local`."),
        field("memory", Count, "The memory of a component, in MiB."),
        field("time", Count, "The time of a component, in seconds."),
        field("disk", Count, "The disk of a component, in MiB."),
        field("program", Text, "The program that is shipped with maps. Default: the one that runs."),
        field("local", Map(&Any), "What only the engine `local` knows."),
        field("htcondor", Map(&Any), "What only HTCondor knows: commands of a submit file."),
        field("slurm", Map(&Any), "What only Slurm knows: options of `sbatch`."),
    ]],
    others: Others::Refused,
};
