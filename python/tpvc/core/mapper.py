"""The mapper under the name and with the methods of TPV's `tpv.core.mapper`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tpvc import Mapper
from tpvc.core.explain import ExplainCollector
from tpvc.core.loader import TPVConfigLoader
from tpvc.core.resource_pool import AllocationStore, ResourcePoolManager, StoreConfig

if TYPE_CHECKING:
    from galaxy.jobs import JobDestination

    from tpvc._native import Decision


class EntityToDestinationMapper:
    """Maps jobs by a loader's rules."""

    def __init__(self, loader: TPVConfigLoader, resource_pool_store: AllocationStore | None = None) -> None:
        self.loader = loader
        configured = loader.rules.pool_store
        if resource_pool_store is None and configured is not None:
            store_class, options = configured
            resource_pool_store = StoreConfig(store_class, **options).build_store()
        # The mapper asks the manager, so that another store can take the place of the one that it has.
        self.resource_pools = None if resource_pool_store is None else ResourcePoolManager(resource_pool_store)
        self._mapper = Mapper(loader.rules, pool_store=self.resource_pools)

    def map_to_destination(
        self,
        app: Any,
        tool: Any,
        user: Any,
        job: Any,
        job_wrapper: Any = None,
        resource_params: dict[str, Any] | None = None,
        workflow_invocation_uuid: str | None = None,
        explain_collector: ExplainCollector | None = None,
        *,
        decide: Callable[[Decision], object] | None = None,
        seed: int | None = None,
        time_limit: float | None = None,
    ) -> JobDestination:
        """The destination of a job, whose objects are Galaxy's. Raises what `tpvc.rules.gateway` says of mapping.

        `decide` is called with the decision, however the mapping ends. `seed` is the state of `random` before the job: `random.seed(seed)`. `time_limit` is the number of seconds that a block may run in CPython.
        """
        call = (app, tool, user, job, job_wrapper, resource_params, workflow_invocation_uuid)
        if explain_collector is None:
            return self._mapper.map_galaxy(*call, decide=decide, seed=seed, time_limit=time_limit)

        def explained(data: str) -> None:
            from tpvc.galaxy.steps import add_steps

            add_steps(explain_collector, json.loads(data))

        return self._mapper.map_galaxy(*call, explain=explained, decide=decide, seed=seed, time_limit=time_limit)
