"""The verbs of the command line as functions: each gives what the verb's `--format json` writes, as data with types.

They run in this process, one at a time, with the settings in `tpvc.toml` of the current folder, unless configs are named. A verb that cannot do its work
raises `CommandError` with the text that the command line prints.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Union, cast

from tpvc import _native
from tpvc._native import Rules
from tpvc.reports import Diff, Explanation, Finding, Fit, Simulation

__all__ = ["CommandError", "check", "diff", "explain", "fit", "lint", "simulate"]

AnyPath = Union[str, "PathLike[str]"]
#: Config files, URLs, folders or patterns, merged in this order; or one artifact, as a path or compiled.
AnyRules = Union[Rules, AnyPath, Sequence[AnyPath]]
#: A job file, plain or compressed, or jobs as the objects or texts of its lines.
AnyJobs = Union[AnyPath, Iterable[Union[Mapping[str, Any], str]]]
AnyWorld = Union[AnyPath, Mapping[str, Any]]


class CommandError(ValueError):
    """A verb did not do its work."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        #: The text that the command line prints, with excerpts.
        self.text = text
        #: Its exit status: 1 the input is bad, 2 the arguments are wrong.
        self.status = status


def lint(
    configs: AnyPath | Sequence[AnyPath] = (),
    *,
    ignore: Iterable[str] = (),
    limits: bool = False,
    each: bool = False,
    all: bool = False,
    baseline: AnyPath | None = None,
    tpv: str | None = None,
    vars: Iterable[AnyPath] = (),
    environment: str | None = None,
) -> list[Finding]:
    """The findings of `tpvc lint`; without configs about those of `tpvc.toml`. The arguments are its options."""
    arguments = [*_listed("--ignore", ignore), *_flags(limits=limits, each=each, all=all), *_options(baseline=baseline)]
    return _findings("lint", [*arguments, *_common(tpv, vars, environment), "--", *_names(configs)])


def check(
    configs: AnyPath | Sequence[AnyPath] = (),
    *,
    ignore: Iterable[str] = (),
    all: bool = False,
    baseline: AnyPath | None = None,
    world: AnyWorld | None = None,
    tpv: str | None = None,
    vars: Iterable[AnyPath] = (),
    environment: str | None = None,
) -> list[Finding]:
    """The findings of `tpvc check`; without configs about those of `tpvc.toml`. The arguments are its options."""
    with _files() as files:
        arguments = [*_listed("--ignore", ignore), *_flags(all=all), *_options(baseline=baseline, world=files.world(world))]
        return _findings("check", [*arguments, *_common(tpv, vars, environment), "--", *_names(configs)])


def diff(
    old: AnyRules,
    new: AnyRules | None = None,
    *,
    configs: AnyPath | Sequence[AnyPath] = (),
    jobs: AnyJobs | None = None,
    map_jobs: bool = True,
    world: AnyWorld | None = None,
    examples: int | None = None,
    dispatcher: str | None = None,
    with_users: bool = False,
    threads: int | None = None,
    tpv: str | None = None,
    vars: Iterable[AnyPath] = (),
    environment: str | None = None,
) -> Diff:
    """The changes from `old` to `new`, as `tpvc diff` reports them.

    Without `new`, `old` is a revision or range of git, such as `main...`, and `configs` are the files in the repository. Jobs are mapped with both: those of
    `jobs`, or else jobs that are made from both rule sets, unless `map_jobs` is false.
    """
    with _files() as files:
        if new is None:
            if not isinstance(old, str):
                raise TypeError("`new` is missing: without it, `old` is a revision of git")
            sides, behind = [old], ["--", *_names(configs)]
        else:
            if not isinstance(configs, (str, PathLike)) and not configs:
                behind = []
            else:
                raise TypeError("`configs` are those of a revision: leave out `new`")
            sides = [*(f"--old={name}" for name in files.rules(old)), *(f"--new={name}" for name in files.rules(new))]
        options = _options(
            jobs=files.jobs(jobs), world=files.world(world), examples=examples, dispatcher=dispatcher, threads=threads
        )
        flags = _flags(no_jobs=not map_jobs, with_users=with_users)
        return cast(Diff, _data("diff", [*options, *flags, *_common(tpv, vars, environment), *sides, *behind]))


def explain(
    rules: AnyRules,
    job: Mapping[str, Any] | str,
    world: AnyWorld | None = None,
    *,
    job_conf: AnyPath | None = None,
    dispatcher: str | None = None,
    seed: int | None = None,
    tpv: str | None = None,
    vars: Iterable[AnyPath] = (),
    environment: str | None = None,
) -> Explanation:
    """The decision about a job, with all that led to it: that of `tpvc dry-run --explain`. `job` is the object of a line of a job file, or its text."""
    with _files() as files:
        options = _options(
            job=files.jobs([job]), world=files.world(world), job_conf=job_conf, dispatcher=dispatcher, seed=seed
        )
        arguments = ["--explain", *options, *_common(tpv, vars, environment), "--", *files.rules(rules)]
        return cast(Explanation, _data("dry-run", arguments))


def fit(
    rules: AnyRules,
    jobs: AnyJobs,
    *,
    world: AnyWorld | None = None,
    dispatcher: str | None = None,
    tool: str | None = None,
    attempts: int | None = None,
    factor: float | None = None,
    max_lost: float | None = None,
    floor: float | None = None,
    lost_costs: str | None = None,
    least_jobs: int | None = None,
    patch: AnyPath | None = None,
    threads: int | None = None,
    tpv: str | None = None,
    vars: Iterable[AnyPath] = (),
    environment: str | None = None,
) -> Fit:
    """The needs of the tools of finished jobs, and better values for their memory, as `tpvc fit` finds them. The arguments are its options."""
    with _files() as files:
        options = _options(
            jobs=files.jobs(jobs),
            world=files.world(world),
            dispatcher=dispatcher,
            tool=tool,
            attempts=attempts,
            factor=factor,
            max_lost=max_lost,
            floor=floor,
            lost_costs=lost_costs,
            least_jobs=least_jobs,
            patch=patch,
            threads=threads,
        )
        return cast(Fit, _data("fit", [*options, *_common(tpv, vars, environment), "--", *files.rules(rules)]))


def simulate(
    rules: AnyRules,
    jobs: AnyJobs,
    *,
    capacity: AnyPath | None = None,
    old: AnyRules | None = None,
    world: AnyWorld | None = None,
    dispatcher: str | None = None,
    seeds: int | None = None,
    seed: int | None = None,
    jitter: float | None = None,
    rate: float | None = None,
    ask_again: float | None = None,
    calibrate: bool = False,
    with_users: bool = False,
    threads: int | None = None,
    tpv: str | None = None,
    vars: Iterable[AnyPath] = (),
    environment: str | None = None,
) -> Simulation:
    """A history of jobs, simulated over time under the rules, and under `old` ones, as `tpvc simulate` does. The arguments are its options."""
    with _files() as files:
        options = _options(
            jobs=files.jobs(jobs),
            capacity=capacity,
            world=files.world(world),
            dispatcher=dispatcher,
            seeds=seeds,
            seed=seed,
            jitter=jitter,
            rate=rate,
            ask_again=ask_again,
            threads=threads,
        )
        before = [] if old is None else [f"--old={name}" for name in files.rules(old)]
        flags = _flags(calibrate=calibrate, with_users=with_users)
        arguments = [*options, *before, *flags, *_common(tpv, vars, environment), "--", *files.rules(rules)]
        return cast(Simulation, _data("simulate", arguments))


def _findings(verb: str, arguments: Sequence[str]) -> list[Finding]:
    status, printed, told = _run(verb, arguments)
    if not printed:
        raise CommandError(told, status)
    if told:
        # One of the server's files could not be read, which takes nothing from the other findings.
        warnings.warn(told, stacklevel=3)
    return cast("list[Finding]", json.loads(printed))


def _data(verb: str, arguments: Sequence[str]) -> Any:
    status, printed, told = _run(verb, arguments)
    # A job that fails is explained, and has the status 1.
    if not printed:
        raise CommandError(told, status)
    return json.loads(printed)


def _run(verb: str, arguments: Sequence[str]) -> tuple[int, str, str]:
    status, printed, told = _native.run(["tpvc", verb, "--quiet", "--color=never", "--format=json", *arguments])
    return status, printed.strip(), told.strip()


def _options(**options: Any) -> list[str]:
    return [f"--{name.replace('_', '-')}={_text(value)}" for name, value in options.items() if value is not None]


def _text(value: Any) -> str:
    return fspath(value) if isinstance(value, PathLike) else str(value)


def _flags(**flags: bool) -> list[str]:
    return [f"--{name.replace('_', '-')}" for name, is_set in flags.items() if is_set]


def _listed(option: str, values: Iterable[str]) -> list[str]:
    joined = values if isinstance(values, str) else ",".join(values)
    return [f"{option}={joined}"] if joined else []


def _common(tpv: str | None, vars: Iterable[AnyPath], environment: str | None) -> list[str]:
    return [*(f"--vars={fspath(path)}" for path in _names(vars)), *_options(tpv=tpv, environment=environment)]


def _names(paths: AnyPath | Iterable[AnyPath]) -> list[str]:
    return [fspath(path) for path in ([paths] if isinstance(paths, (str, PathLike)) else paths)]


class _Files:
    """Files for what is given as objects, which are removed when the verb has ended."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._count = 0

    def _new(self, ending: str) -> Path:
        self._count += 1
        return self._folder / f"{self._count}{ending}"

    def rules(self, rules: AnyRules) -> list[str]:
        if not isinstance(rules, Rules):
            return _names(rules)
        path = self._new(".bin")
        path.write_bytes(rules.to_bytes())
        return [fspath(path)]

    def jobs(self, jobs: AnyJobs | None) -> str | None:
        if jobs is None or isinstance(jobs, (str, PathLike)):
            return None if jobs is None else fspath(jobs)
        path = self._new(".jsonl")
        with path.open("w", encoding="utf-8") as file:
            for job in jobs:
                # Line ends in a text of JSON are white space.
                text = job.replace("\r", " ").replace("\n", " ") if isinstance(job, str) else json.dumps(job)
                file.write(text + "\n")
        return fspath(path)

    def world(self, world: AnyWorld | None) -> str | None:
        if world is None or not isinstance(world, Mapping):
            return None if world is None else fspath(world)
        path = self._new(".json")
        path.write_text(json.dumps(world), encoding="utf-8")
        return fspath(path)


@contextmanager
def _files() -> Iterator[_Files]:
    with TemporaryDirectory(prefix="tpvc-") as folder:
        yield _Files(folder)
