"""The reports of verbs, as their `--format json` writes them. A key that is not always there is in a class with `total=False`."""

from __future__ import annotations

from typing import Any, TypedDict, Union

# --- lint and check


class _Finding(TypedDict):
    code: str
    severity: str
    message: str
    notes: list[str]
    help: str | None


class Finding(_Finding, total=False):
    """A finding. Lines and columns count from 1; a finding about no place has none."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    #: The words at the place.
    label: str
    #: The number of like findings that this one stands for.
    more: int


# --- explain


class _CallPlace(TypedDict):
    at: str


_CallIn = TypedDict("_CallIn", {"in": str}, total=False)


class CallPlace(_CallPlace, _CallIn):
    """A call that an exception passed."""


class _MappingError(TypedDict):
    type: str
    message: str


class MappingError(_MappingError, total=False):
    """The exception that a job ended in."""

    at: str
    calls: list[CallPlace]


class Outcome(TypedDict, total=False):
    """The end of the job: one of both."""

    destination: dict[str, Any]
    error: MappingError


class _Entry(TypedDict):
    id: str
    because: str


class Entry(_Entry, total=False):
    """An entity that the job got."""

    at: str


class Lookup(TypedDict):
    """The entities of a section for a name."""

    section: str
    name: str
    found: list[Entry]


class _RuleFacts(TypedDict):
    id: str
    state: str
    gave: str
    read: dict[str, str]


_RuleIf = TypedDict("_RuleIf", {"if": str})


class RuleTried(_RuleFacts, _RuleIf, total=False):
    """A rule whose condition was evaluated."""

    destination: str
    at: str


class _SetBy(TypedDict):
    by: str
    value: str


class SetBy(_SetBy, total=False):
    """Who set a value."""

    at: str


class _Value(TypedDict):
    group: str
    value: str
    history: list[SetBy]


class Value(_Value, total=False):
    """A value of the merged entity, and who set it, in order."""

    name: str
    note: str


class _Candidate(TypedDict):
    id: str
    matched: bool
    reasons: list[str]


class Candidate(_Candidate, total=False):
    """A destination, with the reasons that it did not match."""

    rank: int
    score: int
    at: str


class _RankedBy(TypedDict):
    expression: str


class RankedBy(_RankedBy, total=False):
    """The code that ranked the destinations."""

    at: str


class _TriedDestination(TypedDict):
    id: str
    what: str


class TriedDestination(_TriedDestination, total=False):
    """A destination that was tried, and what came of it."""

    at: str


class _PoolStep(TypedDict):
    what: str


class PoolStep(_PoolStep, total=False):
    """A step of a resource pool."""

    pool: str
    detail: str
    at: str


class _InCpython(TypedDict):
    because: str


class InCpython(_InCpython, total=False):
    """A block that CPython ran."""

    at: str


class _Explanation(TypedDict):
    result: Outcome
    job: dict[str, str]
    configs: list[str]
    entities: list[Lookup]
    rules: list[RuleTried]
    values: list[Value]
    destinations: list[Candidate]
    tried: list[TriedDestination]


class Explanation(_Explanation, total=False):
    """A decision with all that led to it."""

    ranked_by: RankedBy
    pools: list[PoolStep]
    cpython: list[InCpython]
    once_more: str


# --- diff


class Amounts(TypedDict):
    """The totals of some jobs."""

    jobs: int
    errors: int
    cores: float
    mem: float
    gpus: float


class Pair(TypedDict):
    """Totals by the old rules and by the new ones."""

    old: Amounts
    new: Amounts


class NamedPair(Pair):
    """The totals of a destination or a tool."""

    id: str


class _Change(TypedDict):
    kind: str


class Change(_Change, total=False):
    """A change of an entity."""

    rule: str
    field: str
    sets: list[str]
    old: str
    new: str
    old_places: list[str]
    new_places: list[str]


class Group(TypedDict):
    """Entities of a section that changed alike."""

    section: str
    entities: list[str]
    changes: list[Change]


class SectionCount(TypedDict):
    """The numbers of entities of a section."""

    section: str
    old: int
    new: int
    changed: int


class Detail(TypedDict):
    """A value of an answer that differs."""

    field: str
    old: str | None
    new: str | None


class Example(TypedDict):
    """A job whose answers differ."""

    line: int
    id: Any
    tool: str
    differ: list[Detail]


class _Reason(TypedDict):
    because: str
    jobs: int
    direct: int


class Reason(_Reason, total=False):
    """A change that concerns jobs whose answers differ."""

    group: int
    tpv: str


class Cause(Pair):
    """Jobs whose answers differ for one cause."""

    cause: str
    reasons: list[Reason]
    examples: list[Example]


Flow = TypedDict("Flow", {"from": str, "to": str, "jobs": int})
Ratio = TypedDict("Ratio", {"from": Union[float, None], "below": Union[float, None], "jobs": int})


class _JobChanges(TypedDict):
    made: bool
    invalid: int
    fail_now: int
    fail_no_longer: int
    fail_still: int
    all: Pair
    apart: Pair
    differing: Pair
    causes: list[Cause]
    destinations: list[NamedPair]
    flows: list[Flow]
    tools: list[NamedPair]
    cores_ratios: list[Ratio]
    mem_ratios: list[Ratio]


class JobChanges(_JobChanges, total=False):
    """The changes for jobs."""

    other_causes: Pair


class _Diff(TypedDict):
    old: str
    new: str
    counts: list[SectionCount]
    groups: list[Group]


class Diff(_Diff, total=False):
    """The changes from one rule set to another; `jobs` if jobs were mapped."""

    jobs: JobChanges


# --- fit


class Assumed(TypedDict):
    """The attempts that are assumed."""

    attempts: int
    factor: float


class Trial(TypedDict):
    """Jobs of the history by today's rules, then by the proposal."""

    jobs: int
    unmapped: list[int]
    lost: list[int]
    again: list[int]
    more_memory: list[int]
    finished: int
    memory_time: list[float]
    core_time: list[float]


class Usage(TypedDict):
    """The memory and cores that the jobs of a tool asked for and used. Memory is in GiB, sums are in GiB·h."""

    jobs: int
    period: list[str] | None
    asked_median: float
    used_median: float | None
    used_95: float | None
    used_most: float | None
    reserved: float
    used: float
    failed: float
    killed: int
    lost: int
    cores_busy: float | None


class Cost(TypedDict):
    """The cost of jobs under a rule."""

    jobs: float
    reserved: float
    failed: float
    again: float
    lost: float
    lost_costs: float


class Evidence(TypedDict):
    """The costs on jobs that a rule was not learnt from."""

    judged_on: int
    blocks: int
    before: Cost
    after: Cost
    saving: float
    interval: list[float]
    trend: float


class _FittedTool(TypedDict):
    tool: str
    place: str | None
    largest_destination: float | None
    attempts: list[float]
    usage: Usage
    #: `change` has `mem`, `by_version` and `trial`; `keep` has `why` and `refused`.
    verdict: str
    evidence: Evidence | None
    unknown: list[str]
    places: int


class FittedTool(_FittedTool, total=False):
    """A tool, what it used, and a better value for its memory or the reason to keep today's."""

    mem: str
    by_version: list[list[str]]
    trial: Trial | None
    why: str
    #: The value that a trial refused, and that trial.
    refused: list[Any] | None


class Fit(TypedDict):
    """The needs of tools, and better values for them."""

    jobs: int
    without_outcome: int
    unmapped: int
    others: int
    repeated: int
    assumed: Assumed | None
    others_changed: int
    trial: Trial | None
    tools: list[FittedTool]


# --- simulate


class Fault(TypedDict):
    """A line of the job file that cannot be used."""

    line: int
    message: str


class _LinesRead(TypedDict):
    lines: int
    without_time: int
    never_ran: int
    guessed_times: int
    without_run: int
    end_before_start: int
    late: int
    faulty: int


class LinesRead(_LinesRead, total=False):
    """The lines that were read, and those that could not be used."""

    faults: list[Fault]


class Row(TypedDict):
    """Some jobs, a seed on average. Waits are in seconds."""

    name: str
    jobs: float
    failed: float
    waited: float
    wait_median: float | None
    wait_95: float | None
    wait_most: float | None
    wait_mean: float | None
    not_ready: float
    deaths: float
    resubmitted: float
    out_of_memory: float
    unmapped: float
    too_large: float
    lost: float
    undecided: float
    core_hours: float
    core_hours_wasted: float
    gib_hours: float
    gib_hours_wasted: float
    gpu_hours: float
    gpu_hours_wasted: float


class Level(TypedDict):
    """A level over time: `steps` are means of `step` seconds each."""

    mean: float
    most: float
    step: float
    steps: list[float]


class Cluster(TypedDict):
    """A cluster, in the first seed."""

    name: str
    cores: float | None
    mem: float | None
    gpus: float | None
    jobs: float | None
    cores_used: Level
    mem_used: Level
    gpus_used: Level
    queue: Level


class Counted(TypedDict):
    """A name with a number of jobs."""

    name: str
    jobs: int


class Calibration(TypedDict):
    """Simulated waits beside recorded ones, in seconds."""

    name: str
    jobs: float
    recorded_mean: float
    recorded_median: float
    simulated_mean: float
    simulated_median: float
    mean_error: float


class Figures(TypedDict):
    """The key figures of one run."""

    failed: float
    wait_mean: float | None
    wait_median: float | None
    wait_95: float | None
    wait_most: float | None
    not_ready: float
    deaths: float
    core_hours: float
    core_hours_wasted: float
    gib_hours: float
    gib_hours_wasted: float
    gpu_hours: float
    gpu_hours_wasted: float


class SimulatedSet(TypedDict):
    """A rule set."""

    name: str
    all: Row
    destinations: list[Row]
    tools: list[Row]
    users: list[Row]
    roles: list[Row]
    clusters: list[Cluster]
    waiting: Level
    running: Level
    without_cluster: list[Counted]
    errors: list[Counted]
    calibration: list[Calibration]
    asked: float
    figures: list[Figures]


class SimulatedChange(TypedDict):
    """A value by the old and the new rules."""

    name: str
    unit: str
    old: float
    new: float
    difference: float
    interval: list[float] | None
    runs: int
    hours: float


class FailedIn(TypedDict):
    """Jobs that fail in a way."""

    name: str
    jobs: float


class Apart(TypedDict):
    """Jobs that a rule set does not finish."""

    fail: str
    jobs: float
    ways: list[FailedIn]
    core_hours: list[float]
    gib_hours: list[float]


class SimulatedChanges(TypedDict):
    """The changes from the old rules to the new ones. Figures and waits are of the jobs that both finish."""

    failures: list[SimulatedChange]
    both_finish: float
    apart: list[Apart]
    figures: list[SimulatedChange]
    users: list[SimulatedChange]
    tools: list[SimulatedChange]
    roles: list[SimulatedChange]


class _Simulation(TypedDict):
    seeds: int
    first_seed: int
    #: The first arrival and the last event, in seconds since 1970 UTC.
    period: list[float]
    jobs: LinesRead
    #: The rule sets, the new one last.
    sets: list[SimulatedSet]


class Simulation(_Simulation, total=False):
    """A history that was simulated; `changes` if there were old rules."""

    changes: SimulatedChanges
