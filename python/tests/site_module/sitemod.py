"""A module of a site, as rules import them: it takes TPV's names from TPV, and keeps state of its own."""

from __future__ import annotations

from typing import Any

_seen: dict[str, int] = {}
_keep: list[Any] = []
_kept_tags: list[Any] = []


def next_fail(msg: str) -> None:
    from tpv.core.entities import TryNextDestinationOrFail

    raise TryNextDestinationOrFail(msg)


def next_wait(msg: str) -> None:
    from tpv.core.entities import TryNextDestinationOrWait

    raise TryNextDestinationOrWait(msg)


def caught(entity: Any) -> str:
    """Catches what it raises through another function."""
    from tpv.core import entities

    try:
        next_fail("caught")
    except entities.TryNextDestinationOrFail as error:
        return f"{type(error).__name__} {error}"
    return "not caught"


def add_tag(entity: Any) -> None:
    # A mistake: it takes the kind and the name.
    from tpv.core.entities import Tag, TagType

    entity.tpv_tags.add_tag_override(Tag("big", TagType.REQUIRE))


def require(entity: Any, name: str) -> None:
    from tpv.core.entities import TagType

    entity.tpv_tags.add_tag_override(TagType.REQUIRE, name)


def enum_filter(entity: Any) -> list[str]:
    from tpv.core.entities import TagType

    return sorted(t.value for t in entity.tpv_tags.filter(tag_type=TagType.REQUIRE))


def is_entity(e: Any) -> str:
    from tpv.core.entities import Entity, Tool

    return f"{isinstance(e, Entity)} {isinstance(e, Tool)}"


def kinds(e: Any) -> str:
    from tpv.core.entities import Destination, EntityWithRules, SchedulingTags, User

    known = (Destination, EntityWithRules, SchedulingTags, User)
    tags = e.tpv_tags
    return (
        f"{[isinstance(e, kind) for kind in known]} {[isinstance(tags, kind) for kind in known]}"
        f" {e.__class__.__name__} {type(tags).__name__}"
    )


def tag_objects(entity: Any) -> str:
    from tpv.core.entities import Tag, TagType

    tags = list(entity.tpv_tags.tags)
    first = tags[0]
    return (
        f"{first == Tag(first.value, first.tag_type)} {first.tag_type is TagType[first.tag_type.name]}"
        f" {isinstance(first, Tag)} {hash(first) == hash(Tag(first.value, first.tag_type))} {first} {tags}"
    )


def algebra(entity: Any) -> str:
    from tpv.core.entities import IncompatibleTagsException, SchedulingTags

    tags, other = entity.tpv_tags, SchedulingTags(require=["a"], reject=["b"], prefer=["c"])
    try:
        tags.combine(SchedulingTags(reject=["large"]))
        clash = "none"
    except IncompatibleTagsException as error:
        clash = str(error)
    return (
        f"{tags.combine(other)} | {other.inherit(tags)} | {other.match(tags)} {tags.can_combine(other)} {other.score(tags)}"
        f" | {clash} | {other == SchedulingTags(require=['a'], reject=['b'], prefer=['c'])} {other == tags}"
        f" | {sorted(other.all_tag_values())} | {other!r} | {other.model_dump()}"
    )


def duplicate(entity: Any) -> str:
    from tpv.core.entities import SchedulingTags

    try:
        SchedulingTags(require=["x"], reject=["x"])
    except ValueError as error:
        return str("Duplicate tags found: 'x' in ['require', 'reject']" in str(error))
    return "taken"


def alias(entity: Any) -> None:
    """Changes tags after the entity has them, in both ways."""
    from tpv.core.entities import SchedulingTags, TagType

    tags = SchedulingTags(prefer=["large"])
    entity.tpv_tags = tags
    tags.require.append("big")  # type: ignore[union-attr]
    tags.add_tag_override(TagType.ACCEPT, "large")


def hlp(job: Any) -> Any:
    from tpv.core import helpers

    return helpers.get_input_size(job) if hasattr(helpers, "get_input_size") else 1


def size(job: Any) -> Any:
    from tpv.core.helpers import input_size

    return input_size(job)


def sched(entity: Any) -> None:
    from tpv.core.entities import SchedulingTags

    entity.tpv_tags = (
        entity.tpv_tags.combine(SchedulingTags(require=["big"])) if False else SchedulingTags(require=["big"])
    )


def plain_import(entity: Any) -> str:
    import tpv.core.entities as entities
    import tpv.core.helpers

    return f"{isinstance(entity, entities.Entity)} {tpv.core.helpers.__name__.rpartition('.')[2]}"


def annotated(entity: Any) -> str:
    """Uses the classes as classes: in annotations, as bases, in `match`."""
    from tpv.core.entities import Entity, SchedulingTags, Tag, TryNextDestinationOrWait

    def inner(entity: Entity | None, tags: list[Tag] | None = None) -> SchedulingTags | None:
        return entity.tpv_tags if entity else None

    class Busy(TryNextDestinationOrWait):
        pass

    return f"{isinstance(inner(entity), SchedulingTags)} {issubclass(Busy, Exception)}"


def busy(msg: str) -> None:
    """An exception of the site's own that derives from TPV's."""
    from tpv.core.entities import TryNextDestinationOrWait

    class Busy(TryNextDestinationOrWait):
        pass

    raise Busy(msg)


def remember(tool: Any, entity: Any) -> int:
    _seen[tool.id] = _seen.get(tool.id, 0) + 1
    return _seen[tool.id]


def mutate(params: Any) -> Any:
    params["added"] = ["x"]
    return params


def keep(entity: Any) -> int:
    _keep.append(entity)
    _kept_tags.append(entity.tpv_tags)
    return len(_keep)


def last() -> str:
    return str(_keep[-1].cores)


def last_tags() -> str:
    return str(_kept_tags[-1])


def log_name() -> str:
    from tpv.core.entities import log

    return log.name
