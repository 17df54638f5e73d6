"""Maps of job files in parts, on this machine's cores, on HTCondor or on Slurm: `tpvc maps` for Python.

A map is known by its tag. All of it is on disk, so that it outlives this process and can be used from another one, or from the command line.
"""

from __future__ import annotations

import json
import time as clock
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Union

from tpvc._native import MapError, Maps, Rules
from tpvc.answers import Answer

__all__ = ["ErrorReport", "Map", "MapError", "Reason", "Setting", "create", "settings", "tags"]

AnyPath = Union[str, "PathLike[str]"]
AnyRules = Union[Rules, str, "PathLike[str]"]

# The states in which a component comes to an end by itself.
_GOING_ON = frozenset({"UNMATERIALIZED", "IDLE", "RUNNING", "SUSPENDED"})


@dataclass(frozen=True)
class Reason:
    """Why a component is in its state."""

    message: str
    help: str


@dataclass(frozen=True)
class Setting:
    """A setting of new maps as it counts."""

    name: str
    #: `None` where the engine decides.
    value: str | None
    #: A variable, a file or the default.
    source: str


@dataclass(frozen=True)
class ErrorReport:
    """Why a component ended without answers."""

    component: int
    #: The number of the submission that it ran in.
    cluster: int
    message: str
    help: str
    #: The name of the execute node.
    node: str
    #: In seconds from 1970-01-01 UTC.
    time: int
    command: str
    #: The line of the job file that was worked on last.
    line: int | None = None
    #: The most memory that was in use, in KiB.
    memory_kib: int | None = None
    #: The memory that was granted, in MiB.
    memory_limit_mib: int | None = None
    #: The end of what was written to standard error.
    stderr: str = ""


def tags(maps_dir: AnyPath | None = None) -> list[str]:
    """The tags of all maps."""
    return Maps(maps_dir).tags()


def settings(maps_dir: AnyPath | None = None) -> list[Setting]:
    """The settings that count for new maps, and where each comes from."""
    return [Setting(*setting) for setting in Maps(maps_dir).settings()]


def create(
    jobs: AnyPath | Sequence[AnyPath],
    rules: AnyRules | Sequence[AnyRules] = (),
    *,
    tag: str | None = None,
    against: AnyRules | None = None,
    git: AnyPath | None = None,
    since: str | None = None,
    configs: Sequence[str] = (),
    world: AnyPath | Mapping[str, Any] | None = None,
    detail: bool = False,
    engine: str | None = None,
    memory: int | str | None = None,
    time: int | None = None,
    disk: int | str | None = None,
    options: Mapping[str, str] | None = None,
    program: AnyPath | None = None,
    slice_seconds: float | None = None,
    slice_bytes: int | None = None,
    jit: str = "lazy",
    maps_dir: AnyPath | None = None,
) -> Map:
    """Makes a map and submits it: each rule set maps each slice of the job files, which may be compressed.

    Rules are compiled ones or paths of artifacts. With `git`, each commit of that repository which touches `configs` (since a date, or after a
    commit) gives a rule set, too. With `against` the map has differences from the answers of that rule set in the place of answers. `memory` and
    `disk` are in MiB or texts such as `"2G"`, and `time` is in seconds, for a component.

    The program that is shipped with the map is `program`, or that of the settings, or else a script that runs this Python: then execute nodes need
    the package at the same place.

    Raises `MapError`.
    """
    maps = Maps(maps_dir)
    if git is None and (since is not None or configs):
        raise ValueError("`since` and `configs` are for `git`")
    made = maps.create(
        [jobs] if isinstance(jobs, (str, PathLike)) else list(jobs),
        [_rule_set(one) for one in ([rules] if isinstance(rules, (Rules, str, PathLike)) else rules)],
        program=program,
        tag=tag,
        against=None if against is None else _rule_set(against),
        git=None if git is None else (git, since, list(configs)),
        world=_text_of(world),
        detail=detail,
        engine=engine,
        memory=memory,
        time=time,
        disk=disk,
        options=dict(options or {}),
        slice_seconds=slice_seconds,
        slice_bytes=slice_bytes,
        jit=jit,
    )
    return Map(made, maps_dir=maps_dir)


def _rule_set(rules: AnyRules) -> tuple[str, bytes]:
    """The name and the artifact of a rule set."""
    if isinstance(rules, Rules):
        return ", ".join(rules.files) or "rules", rules.to_bytes()
    return fspath(rules), Path(rules).read_bytes()


def _text_of(world: AnyPath | Mapping[str, Any] | None) -> str | None:
    if world is None or isinstance(world, Mapping):
        return None if world is None else json.dumps(world)
    return Path(world).read_text(encoding="utf-8")


class Map:
    """A map, by its tag. Nothing is kept here but the tag: each call looks at the disk, and asks the engine where that does not tell."""

    def __init__(self, tag: str, *, maps_dir: AnyPath | None = None) -> None:
        self._maps = Maps(maps_dir)
        self._tag = tag
        self._maps.components(tag)

    @property
    def tag(self) -> str:
        return self._tag

    @property
    def path(self) -> Path:
        """Where its files are."""
        return Path(self._maps.path(self._tag))

    def __repr__(self) -> str:
        return f"<tpvc.maps.Map {self._tag!r}>"

    def __len__(self) -> int:
        """The number of components."""
        return self._maps.components(self._tag)

    def itemdata(self) -> list[dict[str, Any]]:
        """What each component works on: `rules_name`, `file`, `first_line`, `lines` and more."""
        items: list[dict[str, Any]] = json.loads(self._maps.itemdata(self._tag))
        return items

    def statuses(self) -> list[str]:
        """The state of each component: `COMPLETED`, `RUNNING`, ..."""
        return list(self._maps.status(self._tag)[0])

    def status(self) -> dict[str, int]:
        """How many components are in each state that occurs."""
        return dict(Counter(self.statuses()))

    def components_by_status(self) -> dict[str, list[int]]:
        """The components in each state that occurs."""
        components: dict[str, list[int]] = {}
        for component, state in enumerate(self.statuses()):
            components.setdefault(state, []).append(component)
        return components

    def reasons(self) -> dict[int, Reason]:
        """Why components are in their states, as far as that is known: why they wait, are held, were removed or ended without answers."""
        return {component: Reason(*why) for component, why in self._maps.status(self._tag)[1].items()}

    def holds(self) -> dict[int, str]:
        """Why components are HELD."""
        states, reasons, _ = self._maps.status(self._tag)
        held = (component for component, state in enumerate(states) if state == "HELD")
        return {component: reasons[component][0] if component in reasons else "" for component in held}

    @property
    def is_done(self) -> bool:
        """Whether each component has its answers."""
        return set(self.statuses()) <= {"COMPLETED"}

    @property
    def is_active(self) -> bool:
        """Whether a component comes to an end by itself."""
        return not _GOING_ON.isdisjoint(self.statuses())

    @property
    def exists(self) -> bool:
        """Whether the map has not been removed."""
        return self._maps.exists(self._tag)

    @property
    def memory_usage(self) -> list[float | None]:
        """The most memory that each component had in use, in MiB, where that is known."""
        return [None if kib is None else kib / 1024 for _, kib, _ in self._maps.usage(self._tag)]

    @property
    def runtime(self) -> list[timedelta | None]:
        """How long each component ran that is COMPLETED."""
        times = (milliseconds for milliseconds, _, _ in self._maps.usage(self._tag))
        return [None if time is None else timedelta(milliseconds=time) for time in times]

    @property
    def disk_usage(self) -> list[int]:
        """The bytes that the files of each component take on disk, without its inputs."""
        return [size for _, _, size in self._maps.usage(self._tag)]

    @property
    def local_data(self) -> int:
        """The bytes that all files of the map take on disk. Maps of one folder share the program, which counts for each."""
        return sum(path.lstat().st_size for path in self.path.rglob("*") if path.is_file())

    def stdout(self, component: int) -> str:
        """What a component wrote to standard output."""
        return self._printed(component, error=False)

    def stderr(self, component: int) -> str:
        """What a component wrote to standard error."""
        return self._printed(component, error=True)

    def _printed(self, component: int, *, error: bool) -> str:
        self._chosen([component])
        return self._maps.printed(self._tag, component, error) or ""

    def errors(self) -> list[ErrorReport]:
        """Why components are ERRORED."""
        return [ErrorReport(**report) for report in json.loads(self._maps.errors(self._tag))]

    def wait(self, timeout: float | None = None) -> None:
        """Waits until no component goes on.

        Raises `TimeoutError` after `timeout` seconds, and `MapError` where not all components have answers then.
        """
        states: list[str] = []
        for states, reasons in self._looks(timeout):
            if not _GOING_ON.intersection(states):
                break
        if any(state != "COMPLETED" for state in states):
            why = next((f": {message}" for message, _ in reasons.values()), "")
            message = f"the map `{self._tag}` is not complete: {_counted(states)}{why}"
            raise _error(message, "see `errors()` and `reasons()`, then `rerun()`")

    def _looks(self, timeout: float | None) -> Iterator[tuple[list[str], dict[int, tuple[str, str]]]]:
        """States and reasons, again and again. Raises `TimeoutError` after `timeout` seconds."""
        deadline = None if timeout is None else clock.monotonic() + timeout
        pause = 0.1
        while True:
            started = clock.monotonic()
            states, reasons, unreachable = self._maps.status(self._tag)
            looked = clock.monotonic() - started
            if unreachable is None:
                yield states, reasons
            if deadline is not None and clock.monotonic() >= deadline:
                why = next((f": {message}" for message, _ in reasons.values()), "")
                raise TimeoutError(f"the map `{self._tag}` goes on after {timeout} s: {_counted(states)}{why}")
            self._maps.revive(self._tag)
            # Looking must not be what this machine is busy with.
            rest = max(pause, 20 * looked)
            clock.sleep(rest if deadline is None else max(0.0, min(rest, deadline - clock.monotonic())))
            pause = min(pause * 1.5, 2.0)

    def get(self, component: int, timeout: float | None = None) -> list[Answer]:
        """Waits for a component, and gives its answers.

        Raises `TimeoutError` after `timeout` seconds, and `MapError` where it comes to no answers.
        """
        self._chosen([component])
        for states, reasons in self._looks(timeout):
            if states[component] not in _GOING_ON:
                break
        if states[component] != "COMPLETED":
            message, help = reasons.get(component, ("", "`rerun_components()` runs it again"))
            raise _error(f"component {component} of `{self._tag}` is {states[component]}: {message}", help)
        return list(self.answers([component]))

    def __getitem__(self, component: int) -> list[Answer]:
        """The answers of a component that has them.

        Raises `MapError` where it has none.
        """
        return list(self.answers([component]))

    def iter_as_available(self, timeout: float | None = None) -> Iterator[tuple[int, list[Answer]]]:
        """Each component with its answers, as soon as they are there.

        Raises `TimeoutError` after `timeout` seconds, and `MapError` in the end where components come to no answers.
        """
        given: set[int] = set()
        for states, _ in self._looks(timeout):
            for component, state in enumerate(states):
                if state == "COMPLETED" and component not in given:
                    given.add(component)
                    yield component, self[component]
            if not _GOING_ON.intersection(states):
                break
        if len(given) < len(states):
            self.wait(timeout=0)

    def iter_with_inputs(self, timeout: float | None = None) -> Iterator[tuple[dict[str, Any], list[Answer]]]:
        """What each component works on, as `itemdata` has it, with its answers, in order. Waits for each.

        Raises `TimeoutError` where one takes longer than `timeout` seconds, and `MapError` where it comes to no answers.
        """
        for component, item in enumerate(self.itemdata()):
            yield item, self.get(component, timeout)

    def lines(self, components: Iterable[int] | None = None, *, partial: bool = False) -> Iterator[str]:
        """The lines of the answers, or differences, in order, each with its line feed: rule set by rule set, and of each file by file.

        Raises `MapError` where components have no answers, unless `partial` is true, or where answers are damaged.
        """
        chosen = self._chosen(components)
        missing = [] if partial else self._maps.missing(self._tag, chosen)
        if missing:
            first = ", ".join(map(str, missing[:10])) + (", ..." if len(missing) > 10 else "")
            raise _error(
                f"{len(missing)} of {len(chosen)} components of `{self._tag}` have no answers: {first}",
                "`wait()` waits for them, `errors()` shows why they failed, `rerun()` runs them again",
            )
        return self._lines(chosen)

    def _lines(self, components: list[int]) -> Iterator[str]:
        for component in components:
            yield from self._maps.answers(self._tag, component) or ()

    def answers(self, components: Iterable[int] | None = None, *, partial: bool = False) -> Iterator[Answer]:
        """The answers, or differences, in order, as `lines` has them."""
        return (Answer(json.loads(line)) for line in self.lines(components, partial=partial))

    def __iter__(self) -> Iterator[Answer]:
        """Waits until the map is complete, and gives its answers."""
        self.wait()
        return self.answers()

    def summary(self, components: Iterable[int] | None = None) -> dict[str, Any]:
        """What the answers come to: exact sums in `total`, and by name in `rows` of `destinations`, `tools` and `errors`, with those of names
        that are too many in `others`. Cores and GPUs are in thousandths, memory in bytes. No answer is read."""
        summary: dict[str, Any] = json.loads(self._maps.summary(self._tag, self._chosen(components)))
        return summary

    def rerun(self) -> int:
        """Runs again what ended without answers, was removed or never submitted, and gives the number of components."""
        return self._maps.rerun(self._tag)

    def rerun_components(self, components: Iterable[int]) -> int:
        """Runs components again, whatever their states, and gives their number."""
        return self._maps.rerun(self._tag, self._chosen(components))

    def hold(self, components: Iterable[int] | None = None) -> None:
        """Keeps components from running, or all; those that run are stopped."""
        self._maps.hold(self._tag, None if components is None else self._chosen(components))

    def release(self, components: Iterable[int] | None = None) -> None:
        """Lets components go on that are HELD, or all of them."""
        self._maps.release(self._tag, None if components is None else self._chosen(components))

    def pause(self, components: Iterable[int] | None = None) -> None:
        """Pauses components that run, or all, to go on where they are. Only HTCondor can.

        Raises `MapError`, which names what does the same on another engine.
        """
        self._maps.pause(self._tag, None if components is None else self._chosen(components))

    def resume(self, components: Iterable[int] | None = None) -> None:
        """Lets components go on that are SUSPENDED, or all of them. Only HTCondor can."""
        self._maps.resume(self._tag, None if components is None else self._chosen(components))

    def vacate(self, components: Iterable[int] | None = None) -> None:
        """Takes components from their machines, or all; they start anew. Only HTCondor can."""
        self._maps.vacate(self._tag, None if components is None else self._chosen(components))

    def edit(
        self,
        *,
        memory: int | str | None = None,
        time: int | None = None,
        disk: int | str | None = None,
        components: Iterable[int] | None = None,
    ) -> None:
        """Changes what components may use, or all: those that are queued or run later. `memory` and `disk` are in MiB or texts such as `"2G"`,
        `time` is in seconds."""
        chosen = None if components is None else self._chosen(components)
        self._maps.edit(self._tag, memory, time, disk, chosen)

    def retag(self, tag: str) -> None:
        """Gives the map another tag, which keeps it from `tpvc maps clean`."""
        self._maps.retag(self._tag, tag)
        self._tag = tag

    def remove(self, *, force: bool = False) -> list[str]:
        """Removes the map from the engine's queue and from the disk. With `force` also where the engine cannot be asked: what it may still have is
        given."""
        return self._maps.remove(self._tag, force)

    def _chosen(self, components: Iterable[int] | None) -> list[int]:
        count = len(self)
        if components is None:
            return list(range(count))
        chosen = list(components)
        for component in chosen:
            if not 0 <= component < count:
                raise IndexError(f"the map `{self._tag}` has no component {component}: they are 0 to {count - 1}")
        return chosen


def _counted(states: Iterable[str]) -> str:
    return ", ".join(f"{count} {state}" for state, count in Counter(states).items())


def _error(message: str, help: str) -> MapError:
    error = MapError(message)
    error.help = help
    return error
