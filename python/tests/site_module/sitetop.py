"""A module of a site that takes TPV's names when it is imported, and keeps tags for all jobs."""

from __future__ import annotations

import functools
from typing import Any

from tpv.core.entities import Destination, Entity, SchedulingTags, Tag, TagType

BIG = SchedulingTags(require=["big"])
KINDS = {TagType.REQUIRE: "must", TagType.PREFER: "should"}
LARGE = Tag("large", TagType.REQUIRE)


def big(entity: Entity) -> None:
    entity.tpv_tags = entity.tpv_tags.combine(BIG)


def shared(entity: Entity) -> None:
    """Gives the entity the constant itself, which the next job gets as well."""
    entity.tpv_tags = BIG
    entity.params["said"] = str(BIG) + str(entity.tpv_tags is BIG)


def words(entity: Entity) -> str:
    return f"{[KINDS.get(tag.tag_type) for tag in entity.tpv_tags.tags]} {LARGE in entity.tpv_tags.tags} {LARGE in set(entity.tpv_tags.tags)}"


@functools.singledispatch
def describe(entity: Any) -> str:
    return "something"


@describe.register
def _(entity: Entity) -> str:
    return "an entity"


@describe.register
def _(entity: Destination) -> str:
    return "a destination"


def match_it(entity: Any) -> str:
    match entity.tpv_tags:
        case SchedulingTags(require=["large"]):
            found = "large"
        case _:
            found = "other"
    match next(iter(entity.tpv_tags.tags)):
        case Tag(value=name, tag_type=TagType.REQUIRE):
            return f"{found} {name}"
    return found
