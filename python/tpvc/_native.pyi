"""The native half of the package."""

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, final

from typing_extensions import disjoint_base

__version__: str

@final
class Diagnostic:
    """One problem of a config: what is wrong, where, and what to write."""

    @property
    def code(self) -> str | None: ...
    @property
    def severity(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def file(self) -> str | None: ...
    @property
    def line(self) -> int | None: ...
    @property
    def column(self) -> int | None: ...
    @property
    def help(self) -> str | None: ...
    @property
    def raises(self) -> tuple[str, str] | None: ...

class CompileError(ValueError):
    """A config that does not compile. `diagnostics` lists what is wrong, `text` shows it with excerpts."""

    diagnostics: list[Diagnostic]
    text: str

@final
class Rules:
    """Compiled rules."""

    @staticmethod
    def load(artifact: bytes | str | PathLike[str]) -> Rules: ...
    def to_bytes(self) -> bytes: ...
    @property
    def tpv(self) -> str: ...
    @property
    def files(self) -> list[str]: ...
    @property
    def urls(self) -> list[tuple[str, str]]: ...
    @property
    def pool_store(self) -> tuple[str, dict[str, Any]] | None: ...
    @property
    def warnings(self) -> list[Diagnostic]: ...
    @property
    def digest(self) -> str | None: ...
    def texts(self) -> str | None: ...

@final
class Decision:
    """What the mapper decided about a job, for a line of the log of decisions."""

    @staticmethod
    def failed(kind: str, message: str) -> Decision: ...
    @property
    def destination(self) -> str | None: ...
    @property
    def error(self) -> str | None: ...
    def line(
        self,
        *,
        time: str,
        job: int | None,
        tool: str,
        dispatcher: str | None = None,
        attempt: int = 1,
        again: int = 0,
        rules: str | None = None,
        version: str | None = None,
        user: int | None = None,
        read: str | None = None,
        ms: float | None = None,
        begins: bool = False,
        waited: tuple[int, str] | None = None,
        dropped: int = 0,
        is_open: bool = False,
    ) -> str: ...

class StoreUnavailable(Exception):
    """A store of resource pools cannot be reached: a job that a pool governs waits, unless the pool fails open."""

@final
class PoolStore:
    """A native store of allocations: in this process, or in Valkey or Redis."""

    @staticmethod
    def memory() -> PoolStore: ...
    @staticmethod
    def valkey(**options: Any) -> PoolStore: ...
    def read(self, pool: str, user_id: int) -> dict[int, tuple[tuple[float, float, float], str]]: ...
    def admit_many(self, user_id: int, job_id: int, admissions: Sequence[tuple[Any, ...]]) -> bool: ...

ADMIT_SCRIPT: str

@final
class Mapper:
    """Maps jobs by compiled rules."""

    def __new__(
        cls, rules: Rules, *, jit: str = "lazy", seed: int | None = None, pool_store: Any = None
    ) -> Mapper: ...
    @property
    def rules(self) -> Rules: ...
    def map(
        self, job: dict[str, Any] | str, world: dict[str, Any] | str | None = None, *, detail: bool = False
    ) -> dict[str, Any]: ...
    def map_galaxy(
        self,
        app: Any,
        tool: Any,
        user: Any,
        job: Any,
        job_wrapper: Any = None,
        resource_params: Any = None,
        workflow_invocation_uuid: str | None = None,
        *,
        explain: Callable[[str], object] | None = None,
        decide: Callable[[Decision], object] | None = None,
        seed: int | None = None,
        time_limit: float | None = None,
    ) -> Any: ...
    def map_file(
        self,
        jobs: str | PathLike[str],
        output: str | PathLike[str],
        world: str | PathLike[str] | None = None,
        threads: int | None = None,
        *,
        detail: bool = False,
    ) -> int: ...

class MapError(Exception):
    """A map cannot do what was asked of it. `help` says what to do about that."""

    help: str

@final
class Maps:
    """The maps of a folder: what `tpvc.maps` is made of."""

    def __new__(cls, folder: str | PathLike[str] | None = None) -> Maps: ...
    @property
    def folder(self) -> Path: ...
    def tags(self) -> list[str]: ...
    def create(
        self,
        jobs: Sequence[str | PathLike[str]],
        rules: Sequence[tuple[str, bytes]],
        *,
        program: str | PathLike[str] | None = None,
        tag: str | None = None,
        against: tuple[str, bytes] | None = None,
        git: tuple[str | PathLike[str], str | None, Sequence[str]] | None = None,
        world: str | None = None,
        detail: bool = False,
        engine: str | None = None,
        memory: int | None = None,
        time: int | None = None,
        options: dict[str, str] = ...,
        slice_seconds: float | None = None,
        slice_bytes: int | None = None,
        jit: str = "lazy",
    ) -> str: ...
    def path(self, tag: str) -> Path: ...
    def components(self, tag: str) -> int: ...
    def itemdata(self, tag: str) -> str: ...
    def status(self, tag: str) -> tuple[list[str], dict[int, str], str | None]: ...
    def revive(self, tag: str) -> None: ...
    def errors(self, tag: str) -> str: ...
    def missing(self, tag: str, components: Sequence[int]) -> list[int]: ...
    def answers(self, tag: str, component: int) -> AnswerLines | None: ...
    def summary(self, tag: str, components: Sequence[int]) -> str: ...
    def hold(self, tag: str, components: Sequence[int] | None = None) -> None: ...
    def release(self, tag: str, components: Sequence[int] | None = None) -> None: ...
    def rerun(self, tag: str, components: Sequence[int] | None = None) -> int: ...
    def edit(self, tag: str, memory: int | None = None, time: int | None = None) -> None: ...
    def retag(self, tag: str, new: str) -> None: ...
    def remove(self, tag: str, force: bool = False) -> list[str]: ...

@final
class AnswerLines:
    """The lines of a component's answers."""

    def __iter__(self) -> AnswerLines: ...
    def __next__(self) -> str: ...

class HostUnavailable(Exception):
    """What the world of a job file does not tell."""

@disjoint_base
class NativeObject:
    """An object of the mapper, such as an entity. It belongs to the thread that maps the job."""

    def __getattribute__(self, name: str, /) -> Any: ...
    def __copy__(self) -> Any: ...
    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Any: ...
    def __enter__(self) -> Any: ...
    def __exit__(self, *exception: Any) -> Any: ...

@final
class NativeFunction(NativeObject):
    """A function, method or class of the mapper."""

    def __call__(self, *args: Any, **keywords: Any) -> Any: ...

@final
class NativeIterator(NativeObject):
    """An iterator of the mapper."""

    def __iter__(self) -> NativeIterator: ...
    def __next__(self) -> Any: ...

def is_mapping() -> bool: ...
def forget_after_mapping(name: str) -> None: ...
def call_tags(tags: Any, method: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any: ...
def check_tags(**lists: Any) -> None: ...
def evaluate(source: str, context: dict[str, Any], *, tier: str = "native", kind: str = "block") -> Any: ...
def native_module(name: str) -> Any: ...
def compile(
    sources: Sequence[str | PathLike[str] | tuple[str, str]], *, tpv: str | None = None, url_timeout: float | None = None
) -> Rules: ...
def known_tpv(version: str) -> tuple[str, str | None] | None: ...
def main(argv: Sequence[str]) -> int: ...
def printable(text: str) -> str: ...
