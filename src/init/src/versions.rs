//! The version of TPV that a server has, by what its repository says: a variable, a pinned package, or Galaxy's release.

use std::fmt;
use std::str::FromStr;

use tpv_config::template::{PLACEHOLDER, Templates};
use tpv_model::{Asked, UnknownVersion, Version, releases};
use tpv_text::source::Fill;
use tpv_yaml::value::ValueKind;

use super::environment::{Chosen, Environment, site};
use super::folders::join;
use super::marks::{Mark, PACKAGES, is_list_of_packages};
use super::plays::patterns;
use super::scan::Repository;

/// The words for a repository that names no version.
pub(super) const UNNAMED: &str = "no version of TPV or Galaxy is named";

/// The variable with the version of TPV.
const OF_TPV: &str = "tpv_version";

/// The variables with the release of Galaxy.
const OF_GALAXY: [&str; 4] = ["galaxy_commit_id", "galaxy_version", "galaxy_release", "galaxy_changeset_id"];

/// The first release of Galaxy that asks for these versions of TPV in `conditional-requirements.txt`.
const GALAXY: [(Number, &str); 5] = [
    (Number(22, 5, 0), "<2"),
    (Number(23, 0, 0), ">=2.2.4,<3"),
    (Number(23, 1, 0), ">=2.3.2,<3"),
    (Number(25, 1, 0), ">=3.1.2,<4"),
    (Number(26, 1, 0), ">=3.2.1,<4"),
];

/// The versions of TPV's package that the files of a repository ask for.
pub(super) fn pins(repository: &Repository) -> Vec<Pin> {
    repository.marked(Mark::Versions).flat_map(|(file, text)| of_text(file, &text)).collect()
}

/// The version of an environment. `None` if nothing says which.
pub(super) fn chosen(environment: &Environment, pins: &[Pin], repository: &Repository) -> Option<Chosen> {
    let variable = |name: &str| variable(name, environment, repository);
    // Those that count first at the beginning.
    let mut said: Vec<(String, String)> = Vec::new();
    said.extend(variable(OF_TPV).map(|(value, from)| (value, format!("`{OF_TPV}` in {from}"))));
    let mut counting: Vec<&Pin> = pins.iter().filter(|pin| pin.is_of(environment, repository)).collect();
    // Tasks and variables come before lists of packages, which may be of other programs.
    counting.sort_by_key(|pin| is_list_of_packages(pin.file.rsplit('/').next().unwrap_or("")));
    said.extend(counting.iter().filter_map(|pin| {
        let (wanted, of) = pin.resolved(environment, repository)?;
        Some((newest(&wanted)?, format!("`{wanted}` in {}:{}{of}", pin.file, pin.line)))
    }));
    let galaxy = OF_GALAXY.iter().find_map(|name| {
        let (value, from) = variable(name)?;
        Some((Number::within(&value)?, value, from))
    });
    let galaxy = galaxy.or_else(|| of_chart(environment, repository));
    let asked = galaxy.as_ref().and_then(|(release, value, from)| {
        let (_, asked) = GALAXY.iter().rev().find(|(first, _)| first <= release)?;
        Some((*asked, format!("Galaxy `{value}` in {from} asks for {}{asked}", PACKAGES[0])))
    });
    let mut notes = Vec::new();
    let is_of_galaxy = said.is_empty();
    let (number, from) = match (said.split_first(), &asked) {
        (Some(((number, from), others)), asked) => {
            let mut known = vec![number];
            for (other, from) in others {
                if !known.contains(&other) {
                    notes.push(format!("{from} says TPV {other}"));
                    known.push(other);
                }
            }
            let fits = |asked: &str| number.parse().is_ok_and(|number: Number| number.fits(asked));
            notes.extend(asked.iter().filter(|(asked, _)| !fits(asked)).map(|(_, from)| from.clone()));
            (number.clone(), from.clone())
        }
        (None, Some((asked, from))) => (newest(asked)?, format!("{from}, of which it is the newest")),
        (None, None) => return None,
    };
    let (version, written) = match number.parse::<Asked>() {
        Ok(asked) => {
            notes.extend(asked.differs());
            (asked.version, number.clone())
        }
        Err(UnknownVersion { nearest }) => {
            let nearest = nearest?;
            notes.insert(0, format!("tpvc does not know TPV {number}: {nearest} is the nearest"));
            (nearest, nearest.name().to_owned())
        }
    };
    Some(Chosen { version, number: written, said: format!("TPV {number}: {from}"), notes, is_of_galaxy })
}

/// A version that loads files which the expected one refuses. Servers have other versions than their release of Galaxy asks for. `fault` is the first fault of the
/// expected version, as `file: words`.
pub(super) fn instead(environment: &Environment, version: Version, fault: &str) -> Chosen {
    let number = version.name().to_owned();
    let (reason, older) = match &environment.tpv {
        Some(expected) => (&*expected.said, &*expected.number),
        None => (environment.unreleased.as_deref().unwrap_or(UNNAMED), Version::default().name()),
    };
    let said = format!("TPV {number}: the files load with it, not with {older}: {fault}");
    Chosen { version, number, said, notes: vec![reason.to_owned()], is_of_galaxy: true }
}

/// The number of a release in a variable of a server, and the place of the file that has it. `None` if it has none. Of a commit, the comment behind it counts.
fn variable(name: &str, environment: &Environment, repository: &Repository) -> Option<(String, String)> {
    let (value, comment, from) = value(name, environment, repository)?;
    let is_number = |value: &String| Number::within(value).is_some();
    Some((value.filter(is_number).or_else(|| comment.filter(is_number))?, from))
}

/// The words for a variable of a server that names a branch or a commit in the place of a release. `None` if none does.
pub(super) fn unreleased(environment: &Environment, repository: &Repository) -> Option<String> {
    let names = [(OF_TPV, "TPV")].into_iter().chain(OF_GALAXY.map(|name| (name, "Galaxy")));
    names.into_iter().find_map(|(name, program)| {
        let (value, comment, from) = value(name, environment, repository)?;
        let value = value.filter(|value| !value.trim().is_empty() && !value.contains('\n'))?;
        // A number is here that of a release before all that are known.
        let has_number = |text: &String| Number::within(text).is_some();
        if has_number(&value) || comment.as_ref().is_some_and(has_number) {
            return None;
        }
        Some(format!("{program} `{}` in {from} has no number of a release", value.trim()))
    })
}

/// A variable of a server: its value unless that is made of others that have none, the comment behind it, and the place of the file.
fn value(
    name: &str,
    environment: &Environment,
    repository: &Repository,
) -> Option<(Option<String>, Option<String>, String)> {
    let of_file = |file: &String| {
        let text = repository.plain(file)?;
        let is_it = |line: &str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
        let (at, line) = text.lines().enumerate().find(|(_, line)| is_it(line))?;
        Some((format!("{file}:{}", at + 1), line.split_once('#').map(|(_, comment)| comment.trim().to_owned())))
    };
    let (from, comment) = environment.vars.iter().rev().find_map(|file| of_file(&file.value))?;
    let templates = Templates::new(site(repository, environment)).ok()?;
    let value = templates.fill("version.j2", &format!("{{{{ {name} }}}}"))?.ok()?.text;
    Some((Some(value).filter(|value| !value.contains(PLACEHOLDER)), comment, from))
}

/// The release of Galaxy in the values among the files of an environment, or in their chart.
fn of_chart(environment: &Environment, repository: &Repository) -> Option<(Number, String, String)> {
    let values = environment.files.iter().find(|file| repository.has(file, Mark::Values))?;
    let chart = join(values.rsplit_once('/').map_or("", |(folder, _)| folder), "Chart.yaml");
    let of_app = || {
        let text = repository.text(&chart)?;
        let (at, line) = text.lines().enumerate().find(|(_, line)| line.starts_with("appVersion:"))?;
        let value = line.split_once(':')?.1.trim().trim_matches(['"', '\'']).to_owned();
        Some((Number::within(&value)?, value, format!("{chart}:{}", at + 1)))
    };
    // The values of the site name another image than that of the chart.
    of_image(values, repository).or_else(of_app)
}

/// The release of Galaxy in the tag of its image.
fn of_image(values: &str, repository: &Repository) -> Option<(Number, String, String)> {
    let yaml = repository.yaml(values)?;
    let mut found = None;
    yaml.maps(&mut |key, map| {
        let is_of_galaxy =
            || map.get("repository").and_then(|name| name.as_str()).is_some_and(|name| name.contains("galaxy"));
        let tag = map.get("tag").filter(|_| key == "image" && is_of_galaxy());
        let release = tag.and_then(|tag| Some((Number::within(tag.as_str()?)?, tag)));
        if let Some((number, tag)) = release.filter(|_| found.is_none()) {
            found = Some((number, tag.python_str(), format!("{values}:{}", yaml.line(tag))));
        }
    });
    found
}

/// A version of TPV's package that a file asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pin {
    file: String,
    /// Its line, from 1.
    line: usize,
    /// The requirement, as pip has it: `==3.1.3`.
    wanted: String,
}

impl Pin {
    /// The requirement with the value of its variable, and the place of that. `None` if the variable has none.
    fn resolved(&self, environment: &Environment, repository: &Repository) -> Option<(String, String)> {
        let Some(inner) = self.wanted.strip_prefix("=={{").and_then(|rest| rest.strip_suffix("}}")) else {
            return Some((self.wanted.clone(), String::new()));
        };
        let name = inner.trim();
        let (value, from) = variable(name, environment, repository).or_else(|| self.of_role(name, repository))?;
        Some((format!("=={value}"), format!(", with `{name}` in {from}")))
    }

    /// The default of a variable in the role whose task this is.
    fn of_role(&self, name: &str, repository: &Repository) -> Option<(String, String)> {
        let (role, _) = self.file.split_once("/tasks/")?;
        let files = ["vars", "defaults"]
            .into_iter()
            .flat_map(|part| ["yml", "yaml"].map(|end| format!("{role}/{part}/main.{end}")));
        files.into_iter().find_map(|file| {
            let text = repository.plain(&file)?;
            let (at, line) = text.lines().enumerate().find(|(_, line)| line.starts_with(&format!("{name}:")))?;
            let value = line.split_once(':')?.1.split(" #").next()?.trim().trim_matches(['"', '\'']).to_owned();
            Number::within(&value).map(|_| (value, format!("{file}:{}", at + 1)))
        })
    }

    /// Returns `true` if the server of an environment gets the package from this place.
    fn is_of(&self, environment: &Environment, repository: &Repository) -> bool {
        if ["group_vars/", "host_vars/"].iter().any(|part| self.file.contains(part)) {
            return environment.vars.iter().any(|file| file.value == self.file);
        }
        let server = &environment.server;
        if server.hosts.is_empty() || !repository.has(&self.file, Mark::Plays) {
            return true;
        }
        // Of a playbook, the play that the line is in counts.
        let Some(yaml) = repository.yaml(&self.file) else { return true };
        let ValueKind::List(plays) = &yaml.root.kind else { return true };
        let play = plays.iter().rev().filter_map(|play| play.as_map()).find(|play| {
            let first = play.entries.first().map(|entry| yaml.line(&entry.key));
            first.is_some_and(|line| line <= self.line)
        });
        let Some(hosts) = play.and_then(|play| play.get("hosts")) else { return true };
        let hosts = patterns(hosts);
        let known = |name: &String| {
            name == "all" || *name == server.group || server.hosts.contains(name) || server.groups.contains(name)
        };
        hosts.iter().any(known)
    }
}

/// The versions that a text asks for.
fn of_text(file: &str, text: &str) -> Vec<Pin> {
    let lines: Vec<&str> = text.lines().collect();
    let mut pins = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let code = line.split(" #").next().unwrap_or(line);
        if code.trim_start().starts_with('#') {
            continue;
        }
        let Some(rest) = PACKAGES.iter().find_map(|package| Some(code.split_once(package)?.1)) else { continue };
        let own = wanted(rest);
        // `name: total-perspective-vortex`, and below it `version: 3.1.3`.
        let below = || {
            lines.iter().skip(at + 1).take(3).find_map(|line| {
                let line = line.trim_start().trim_matches(['"', '\'']);
                let value =
                    line.strip_prefix("version")?.trim_start_matches(['"', '\'', ' ']).strip_prefix([':', '='])?;
                let value = value.trim().trim_matches(['"', '\'', ',']);
                value.parse::<Number>().ok().map(|_| format!("=={value}")).or_else(|| wanted(value))
            })
        };
        pins.extend(own.or_else(below).map(|wanted| Pin { file: file.to_owned(), line: at + 1, wanted }));
    }
    pins
}

/// The requirement at the beginning of what follows a package's name. `None` if it asks for no version.
fn wanted(rest: &str) -> Option<String> {
    let rest = rest.strip_prefix('[').and_then(|extras| Some(extras.split_once(']')?.1)).unwrap_or(rest);
    // `total-perspective-vortex=={{ version }}`: the variable counts.
    if let Some(inner) = rest.strip_prefix("==").and_then(|rest| rest.trim_start().strip_prefix("{{")) {
        return inner.split_once("}}").map(|(inner, _)| format!("=={{{{{inner}}}}}"));
    }
    // `total-perspective-vortex = "^3.1"` of a `pyproject.toml`, `total-perspective-vortex.git@v3.1.3`.
    let rest = rest.trim_start_matches(".git").trim_start_matches(['"', '\'', ' ']);
    if let Some(tag) = rest.strip_prefix('@') {
        let number = tag.trim_start().trim_start_matches('v');
        let number: String = number.chars().take_while(|char| char.is_ascii_digit() || *char == '.').collect();
        return number.parse::<Number>().ok().filter(|_| number.contains('.')).map(|_| format!("=={number}"));
    }
    let rest = rest.strip_prefix("= ").map_or(rest, |rest| rest.trim_start_matches(['"', '\'']));
    let is_part = |char: &char| char.is_ascii_digit() || "=<>~!^.,* ".contains(*char);
    let text: String = rest.chars().take_while(is_part).filter(|char| *char != ' ').collect();
    let text = text.trim_end_matches(',').to_owned();
    (text.starts_with(['=', '<', '>', '~', '^']) && text.contains(|char: char| char.is_ascii_digit())).then_some(text)
}

/// The newest release of TPV that a requirement allows, or the one that it names.
fn newest(wanted: &str) -> Option<String> {
    if let Some(exact) = wanted.trim_start_matches('=').strip_suffix(".*").or_else(|| wanted.strip_prefix("==")) {
        let number: Number = exact.trim_start_matches('=').parse().ok()?;
        return Some(number.to_string());
    }
    let mut numbers = releases().rev().map(|[major, minor, patch]| Number(major.into(), minor.into(), patch.into()));
    numbers.find(|number| number.fits(wanted)).map(|number| number.to_string())
}

/// The number of a release: its first three parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Number(u32, u32, u32);

impl Number {
    /// The number in the name of a branch or tag: `release_25.1_europe`, `v25.0.2`.
    fn within(text: &str) -> Option<Self> {
        let words = text.split(|char: char| !char.is_ascii_digit() && char != '.');
        let words = words.map(|word| word.trim_matches('.')).filter(|word| word.contains('.'));
        words.filter_map(|word| word.parse().ok()).next()
    }

    /// Returns `true` if a requirement of pip allows the release.
    fn fits(self, wanted: &str) -> bool {
        wanted.split(',').all(|part| {
            let number = part.trim_start_matches(|char: char| !char.is_ascii_digit());
            let operator = part.get(..part.len() - number.len()).unwrap_or("");
            let Ok(bound) = number.trim_end_matches(".*").parse::<Self>() else { return true };
            match operator {
                ">=" => self >= bound,
                ">" => self > bound,
                "<=" => self <= bound,
                "<" => self < bound,
                "!=" => self != bound,
                "~=" if number.matches('.').count() > 1 => self >= bound && (self.0, self.1) == (bound.0, bound.1),
                "~=" | "^" => self >= bound && self.0 == bound.0,
                _ => self == bound,
            }
        })
    }
}

impl FromStr for Number {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.trim().trim_start_matches('v').split('.');
        let mut next = || parts.next().map_or(Ok(0), str::parse);
        Ok(Self(next()?, next()?, next()?))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_read_in_all_their_forms() {
        let pinned = |text: &str| of_text("a", text).into_iter().map(|pin| (pin.line, pin.wanted)).collect::<Vec<_>>();
        for (text, line, expected) in [
            ("total-perspective-vortex==3.1.3\n", 1, "==3.1.3"),
            ("  - total-perspective-vortex[cli] >= 2.3.2, < 3 # why\n", 1, ">=2.3.2,<3"),
            ("name: \"total-perspective-vortex==3.2.1\"\n", 1, "==3.2.1"),
            ("- pip:\n    name: total-perspective-vortex\n    version: 2.5.0\n", 2, "==2.5.0"),
            ("[[package]]\nname = \"total-perspective-vortex\"\nversion = \"3.0.1\"\n", 2, "==3.0.1"),
            ("git+https://github.com/galaxyproject/total-perspective-vortex.git@v3.1.0\n", 1, "==3.1.0"),
            ("total-perspective-vortex = \"^3.1\"\n", 1, "^3.1"),
            ("        \"total-perspective-vortex\": {\n            \"version\": \"==2.4.0\"\n", 1, "==2.4.0"),
        ] {
            assert_eq!(pinned(text), [(line, expected.to_owned())], "{text}");
        }
        assert!(pinned("# total-perspective-vortex==3.1.3\ntotal-perspective-vortex\n").is_empty());
        assert_eq!(pinned("name: total-perspective-vortex=={{ v }}\n"), [(1, "=={{ v }}".to_owned())]);
    }

    #[test]
    fn the_newest_that_is_allowed_is_taken() {
        for (wanted, expected) in [
            ("==3.1", "3.1.0"),
            (">=2.3.2,<3", "2.5.0"),
            ("~=3.1.0", "3.1.3"),
            ("~=2.3", "2.5.0"),
            ("^3.1", "3.3.0"),
            ("<=3.1.3,!=3.1.3", "3.1.2"),
        ] {
            assert_eq!(newest(wanted).as_deref(), Some(expected), "{wanted}");
        }
        assert_eq!(newest(">=9"), None);
    }

    #[test]
    fn releases_of_galaxy_are_found_in_names_of_branches() {
        let within = |text: &str| Number::within(text).map(|number| (number.0, number.1));
        assert_eq!(within("release_25.1_europe"), Some((25, 1)));
        assert_eq!((within("v22.05"), within("usegalaxy_26.1"), within("dev")), (Some((22, 5)), Some((26, 1)), None));
        assert_eq!(within("19a4426abb8e304bab22e8559c6dfaf57f59ad90"), None);
    }
}
