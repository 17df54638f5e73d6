"""The classes of TPV's `tpv.core.entities`, for where TPV is not installed. The mapper's own classes do the work."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable
from typing import Any, ClassVar

from tpvc import _native


class TryNextDestinationOrFail(Exception):
    """Raised by a rule of a destination: try the next one, and fail the job if there is none."""


class TryNextDestinationOrWait(Exception):
    """Raised by a rule of a destination: try the next one, and have the job wait if there is none."""


class IncompatibleTagsException(Exception):
    """One of two entities requires a tag that the other rejects."""

    def __init__(self, first_set: Any, second_set: Any = None) -> None:
        if second_set is None:
            # The mapper has put the text together.
            super().__init__(first_set)
        else:
            super().__init__(
                "Cannot combine tag sets because require and reject tags mismatch. First"
                f" tag set requires: {first_set.require} and rejects: {first_set.reject}."
                f" Second tag set requires: {second_set.require} and rejects:"
                f" {second_set.reject}."
            )


class TagType(enum.IntEnum):
    """The kinds of scheduling tags, with their weights."""

    REQUIRE = 3
    PREFER = 2
    ACCEPT = 1
    REJECT = -1


@dataclasses.dataclass(frozen=True)
class Tag:
    """A scheduling tag."""

    value: str
    tag_type: TagType


class SchedulingTags:
    """Scheduling tags: a list of names for each kind."""

    require: list[str] | None
    prefer: list[str] | None
    accept: list[str] | None
    reject: list[str] | None

    def __init__(self, **data: Any) -> None:
        self.require, self.prefer, self.accept, self.reject = [], [], [], []
        if data:
            _native.check_tags(**{kind: tags for kind, tags in data.items() if kind in vars(self)})
        for name, value in data.items():
            setattr(self, name, list(value) if isinstance(value, (list, tuple)) else value)

    def _ask(self, method: str, *args: Any, **keywords: Any) -> Any:
        return _native.call_tags(self, method, args, keywords)

    @property
    def tags(self) -> Iterable[Tag]:
        """All tags."""
        return self.filter()

    def all_tag_values(self) -> Iterable[str]:
        """The names of all tags."""
        found: list[str] = self._ask("all_tag_values")
        return iter(found)

    def filter(
        self, tag_type: TagType | list[TagType] | None = None, tag_value: str | None = None
    ) -> Iterable[Tag]:
        """The tags of one or several kinds, or of a name."""
        found: list[Tag] = self._ask("filter", tag_type=tag_type, tag_value=tag_value)
        return iter(found)

    def add_tag_override(self, tag_type: TagType, tag_value: str) -> None:
        """Adds a tag, and removes it from the other kinds."""
        self._ask("add_tag_override", tag_type, tag_value)

    def inherit(self, other: SchedulingTags) -> SchedulingTags:
        """These tags over those of `other`."""
        return self._ask("inherit", other)  # type: ignore[no-any-return]

    def can_combine(self, other: SchedulingTags) -> bool:
        """`False` if one requires what the other rejects."""
        return self._ask("can_combine", other)  # type: ignore[no-any-return]

    def combine(self, other: SchedulingTags) -> SchedulingTags:
        """The tags of both. Raises `IncompatibleTagsException` if one requires what the other rejects."""
        return self._ask("combine", other)  # type: ignore[no-any-return]

    def match(self, other: SchedulingTags) -> bool:
        """`True` if each has what the other requires, and nothing that it rejects."""
        return self._ask("match", other)  # type: ignore[no-any-return]

    def score(self, other: SchedulingTags) -> int:
        """How well a destination's tags suit these."""
        return self._ask("score", other)  # type: ignore[no-any-return]

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The lists by kind."""
        return self._ask("model_dump", **options)  # type: ignore[no-any-return]

    def dict(self, **options: Any) -> dict[str, Any]:
        """The lists by kind."""
        return self._ask("dict", **options)  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if isinstance(other, SchedulingTags) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _fields(self) -> list[str]:
        return [f"{name}={value!r}" for name, value in vars(self).items()]

    def __repr__(self) -> str:
        return f"SchedulingTags({', '.join(self._fields())})"

    def __str__(self) -> str:
        return " ".join(self._fields())


class Entity:
    """An entity of a config. Only the mapper makes them: the classes are there to be asked for."""

    merge_order: ClassVar[int] = 0

    def __init__(self, **data: Any) -> None:
        raise TypeError(f"tpvc makes no `{type(self).__name__}` of a rule's: that takes TPV itself")


class EntityWithRules(Entity):
    """An entity that has rules."""

    merge_order: ClassVar[int] = 1


class Tool(EntityWithRules):
    """A tool of a config."""

    merge_order: ClassVar[int] = 2


class Role(EntityWithRules):
    """A role of a config."""

    merge_order: ClassVar[int] = 3


class User(EntityWithRules):
    """A user of a config."""

    merge_order: ClassVar[int] = 4


class Destination(EntityWithRules):
    """A destination of a config."""

    merge_order: ClassVar[int] = 5


class PoolEntity(EntityWithRules):
    """A resource pool of a config."""


class Rule(Entity):
    """A rule of a config."""
