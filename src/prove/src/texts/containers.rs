//! Settings of containers: volumes, and amounts for Docker.
//!
//! Sources: `galaxy/tool_util/deps/container_classes.py` (`Volume.parse_volume_str`, `preprocess_volumes`), `container_volumes.py` and `docker_util.py` of Galaxy
//! 26.1.1, and 22.1 to 25.0 for empty volumes; Docker's `docker run` reads sizes by `RAMInBytes` of docker/go-units, and takes no less than 6 MB.

use tpv_analysis::lint::{params, volumes};

use super::fault::Fault;
use super::leftovers::{HELP, is_none, left};
use super::memory::split_number;

const DOCKER: &str = "Docker";

/// Docker takes no less memory, in bytes.
const LEAST: f64 = 6.0 * 1024.0 * 1024.0;

/// Options of `docker run` with a size.
const SIZES: [&str; 5] = ["-m", "--memory", "--memory-swap", "--memory-reservation", "--shm-size"];

/// Settings whose value is the name of something.
const NAMES: [&str; 9] = [
    "docker_set_user",
    "docker_net",
    "docker_host",
    "docker_cmd",
    "docker_default_container_id",
    "docker_container_id_override",
    "singularity_cmd",
    "singularity_default_container_id",
    "singularity_container_id_override",
];

/// The faults of a setting.
pub(super) fn setting(name: &str, value: &str) -> Vec<Fault> {
    match name {
        "docker_volumes" | "singularity_volumes" => of_volumes(value),
        "docker_memory" => size("docker_memory", value, true).into_iter().collect(),
        "docker_run_extra_arguments" => arguments(value),
        _ if NAMES.contains(&name) => {
            let who = if name.starts_with("docker") { DOCKER } else { "Singularity" };
            let left = left(value).map(|left| Fault::refused(who, left, format!("code left this in `{name}`"), HELP));
            left.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn of_volumes(text: &str) -> Vec<Fault> {
    let all: Vec<&str> = text.split(',').collect();
    let mut faults = Vec::new();
    for (index, volume) in all.iter().enumerate() {
        let path = volume.split(':').next().unwrap_or_default().trim();
        if volume.trim().is_empty() {
            faults.extend(empty(volume, index == 0, index + 1 == all.len()));
        } else if let Some(left) =
            volume.split(':').find(|part| is_none(part)).or_else(|| super::leftovers::placeholder(volume))
        {
            faults.push(Fault::refused(
                "the container",
                volume.trim(),
                format!("code left `{}` in the volume", left.trim()),
                HELP,
            ));
        } else if path.is_empty() {
            let why = "there is no path before the colon";
            faults.push(Fault::refused("the container", volume.trim(), why, HELP));
        } else if let Some((why, help)) = volumes::fault(volume.trim()) {
            faults.push(Fault::refused("the container", volume.trim(), why, help));
        }
    }
    faults
}

/// A volume without text. At an end of the list it is only a comma too many.
fn empty(volume: &str, is_first: bool, is_last: bool) -> Option<Fault> {
    const WRITE: &str = "leave the comma out where there is no volume: `{', ' + volume if volume else ''}`";
    if !volume.is_empty() {
        return Some(Fault::refused(
            "Galaxy",
            format!(",{volume}"),
            "there is a blank in the place of a volume",
            WRITE,
        ));
    }
    let why = "there is no volume between two commas: Galaxy up to 24.2 fails the job, later versions leave it out";
    (!is_first && !is_last).then(|| Fault::misread("Galaxy", ",,", why, WRITE))
}

/// The faults of options for `docker run`.
fn arguments(text: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    if let Some(quote) = params::unclosed(text) {
        let why = format!("there is one {quote} too few or too many");
        faults.push(Fault::refused("the shell", text.trim(), why, "close the quote, or leave it out"));
    }
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word, words.peek().copied().filter(|next| !next.starts_with('-'))),
        };
        if !option.starts_with('-') {
            continue;
        }
        let value = value.unwrap_or_default();
        let left = left(value).filter(|left| is_none(left) && !option.starts_with("--env") && option != "-e");
        if let Some(left) = left {
            faults.push(Fault::refused(DOCKER, format!("{option} {left}"), "code left this in the options", HELP));
        } else if SIZES.contains(&option) {
            faults.extend(size(option, value, option != "--shm-size"));
        } else if option == "--cpus" && !value.contains('$') && value.parse::<f64>().is_err() {
            faults.push(Fault::refused(
                DOCKER,
                format!("{option} {value}"),
                "`--cpus` takes a number",
                "write `--cpus={cores}`",
            ));
        }
    }
    faults
}

/// The fault of a size: a number, decimal or not, with a unit of at most `b`, `k`, `kb` or `kib`.
fn size(option: &str, value: &str, is_memory: bool) -> Option<Fault> {
    if value.contains('$') || value == "-1" {
        return None;
    }
    let (number, unit) = split_number(value);
    let unit = unit.trim_start().to_ascii_lowercase();
    let letter = unit.strip_suffix("ib").or_else(|| unit.strip_suffix('b')).unwrap_or(&unit);
    let power = match letter {
        "" => Some(0),
        "k" => Some(1),
        "m" => Some(2),
        "g" => Some(3),
        "t" => Some(4),
        "p" => Some(5),
        _ => None,
    };
    let bytes = number.parse::<f64>().ok().zip(power).map(|(number, power)| number * 1024_f64.powi(power));
    let part = format!("{option} {value}");
    match bytes {
        None => {
            Some(Fault::refused(DOCKER, part, "this is no size: a number, and a unit such as `g`", "write `{mem}g`"))
        }
        Some(bytes) if is_memory && bytes > 0.0 && bytes < LEAST => {
            let why = format!("Docker takes this for {bytes} bytes, and needs 6 MB");
            Some(Fault::refused(DOCKER, part, why, "write `{mem}g`: `mem` is in GiB"))
        }
        Some(_) => None,
    }
}
