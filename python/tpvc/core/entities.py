"""TPV's `tpv.core.entities`: its classes are the mapper's own, its exceptions are Python's."""

from __future__ import annotations

from typing import Any

from tpvc import _native


class TryNextDestinationOrFail(Exception):
    """Raised by a rule of a destination: try the next one, and fail the job where there is none."""


class TryNextDestinationOrWait(Exception):
    """Raised by a rule of a destination: try the next one, and have the job wait where there is none."""


class IncompatibleTagsException(Exception):
    """What one of two entities requires, the other rejects."""

    def __init__(self, first_set: Any, second_set: Any = None) -> None:
        if second_set is None:
            # From the mapper, which has put the text together.
            super().__init__(first_set)
        else:
            super().__init__(
                "Cannot combine tag sets because require and reject tags mismatch. First"
                f" tag set requires: {first_set.require} and rejects: {first_set.reject}."
                f" Second tag set requires: {second_set.require} and rejects:"
                f" {second_set.reject}."
            )


def __getattr__(name: str) -> Any:
    # `Entity`, `Tag`, `TagType` and all the others.
    return getattr(_native.native_module("tpv.core.entities"), name)
