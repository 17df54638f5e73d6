"""Plain objects with what mapping asks of Galaxy's."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

_ids = itertools.count(1)


def app(watch: str = "false") -> Any:
    return SimpleNamespace(config=SimpleNamespace(watch_job_rules=watch))


def tool(name: str = "bwa", version: str = "1.0") -> Any:
    return SimpleNamespace(
        id=name, old_id=name, version=version, dynamic_tool=None, tool_type="default", resource_requirements=[]
    )


def user(email: str = "ford@vortex.org", roles: tuple[str, ...] = ()) -> Any:
    listed = [SimpleNamespace(name=name, deleted=False) for name in roles]
    return SimpleNamespace(id=7, username=email.split("@")[0], email=email, all_roles=lambda: listed)


def dataset(gib: float, name: str = "input", extension: str = "txt") -> Any:
    size = int(gib * 1024**3)
    inner = SimpleNamespace(
        id=next(_ids), file_size=size, object_store_id="files", get_size=lambda nice_size, calculate_size: size
    )
    return SimpleNamespace(name=name, dataset=SimpleNamespace(name=name, extension=extension, dataset=inner))


def job(*datasets: Any, **params: Any) -> Any:
    return SimpleNamespace(
        id=next(_ids),
        state="new",
        input_datasets=list(datasets),
        input_library_datasets=[],
        history=SimpleNamespace(name="history", tags=[]),
        destination_params=None,
        get_param_values=lambda app: params,
    )
