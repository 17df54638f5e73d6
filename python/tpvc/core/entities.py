"""TPV's `tpv.core.entities`: TPV's own classes where TPV is installed, so that a site's modules and tpvc raise, make and ask for the same.

An entity of a rule is the mapper's; `isinstance` knows it by these classes.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

__all__ = [
    "Destination",
    "Entity",
    "EntityWithRules",
    "IncompatibleTagsException",
    "PoolEntity",
    "Role",
    "Rule",
    "SchedulingTags",
    "Tag",
    "TagType",
    "Tool",
    "TryNextDestinationOrFail",
    "TryNextDestinationOrWait",
    "User",
    "log",
]

log = logging.getLogger("tpv.core.entities")

if TYPE_CHECKING:
    from tpvc.core.own_entities import (
        Destination,
        Entity,
        EntityWithRules,
        IncompatibleTagsException,
        PoolEntity,
        Role,
        Rule,
        SchedulingTags,
        Tag,
        TagType,
        Tool,
        TryNextDestinationOrFail,
        TryNextDestinationOrWait,
        User,
    )
else:
    from tpvc.core import own_entities as _classes

    try:
        from tpv.core import entities as _of_tpv

        if all(hasattr(_of_tpv, name) for name in __all__):
            _classes = _of_tpv
    except ModuleNotFoundError as error:
        if error.name != "tpv":
            log.warning("TPV is installed and cannot be imported, so tpvc uses classes of its own: %s", error)
    except Exception as error:
        log.warning("TPV is installed and cannot be imported, so tpvc uses classes of its own: %r", error)
    globals().update((name, getattr(_classes, name)) for name in __all__ if name != "log")
