"""`map_tool_to_destination`, under the names and with the signature of `tpv.rules.gateway`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from galaxy.jobs.mapper import JobMappingException, JobNotReadyException

from tpvc.core.explain import ExplainCollector, ExplainPhase
from tpvc.core.mapper import EntityToDestinationMapper
from tpvc.galaxy import active, decisions, metrics
from tpvc.galaxy.active import Configs, listed, load_destination_mapper, shown
from tpvc.galaxy.decisions import ATTEMPTS, Entry
from tpvc.galaxy.options import options_of, seconds

if TYPE_CHECKING:
    from galaxy.jobs import JobDestination

__all__ = [
    "ACTIVE_DESTINATION_MAPPERS",
    "DESTINATION_MAPPER_LOCK",
    "REFERRERS_BY_CONFIG_FILE",
    "WATCHERS_BY_CONFIG_FILE",
    "load_destination_mapper",
    "map_tool_to_destination",
]

log = logging.getLogger(__name__)

# Whoever puts another dict in the place of the first, such as an empty one, drops the mappers of before.
ACTIVE_DESTINATION_MAPPERS: dict[str, EntityToDestinationMapper] = active.mappers()
DESTINATION_MAPPER_LOCK = active.LOCK
WATCHERS_BY_CONFIG_FILE = active.WATCHERS
REFERRERS_BY_CONFIG_FILE = active.REFERRERS


def map_tool_to_destination(
    app: Any,
    job: Any,
    tool: Any,
    user: Any,
    # The destination of `job_conf.yml` that leads here, mostly called `tpv_dispatcher`.
    referrer: JobDestination | None = None,
    tpv_config_files: Configs | None = None,
    tpv_configs: Configs | None = None,
    job_wrapper: Any = None,
    resource_params: dict[str, Any] | None = None,
    workflow_invocation_uuid: str | None = None,
    explain_collector: ExplainCollector | None = None,
) -> JobDestination:
    """Maps a job. Galaxy calls it and picks the arguments by their names.

    Raises Galaxy's `JobMappingException` where the job cannot run anywhere and `JobNotReadyException` where it has to wait,
    `ValueError` where the configs are missing or given twice or `tpvc_tpv` is no known version, `tpvc.CompileError` where they do not compile, `TimeoutError` for a
    block that runs longer than `tpvc_time_limit`, and whatever the rules raise.
    """
    if tpv_configs and tpv_config_files:
        raise ValueError("Only one of tpv_configs or tpv_config_files can be specified in execution environment.")
    configs = tpv_configs or tpv_config_files
    if not configs:
        raise ValueError("One of tpv_configs or tpv_config_files must be specified in execution environment.")
    name = (referrer.id if referrer else None) or "tpv_dispatcher"
    # The seconds that a block may run in CPython.
    time_limit = seconds("tpvc_time_limit", referrer.params.get("tpvc_time_limit") if referrer else None)
    explains = explain_collector is None and bool(referrer and referrer.params.get("tpv_explain_on_failure", False))
    target, sender = decisions.log_for(app, referrer), metrics.of(app)
    attempt = ATTEMPTS.of(job) if explains or target is not None or sender is not None else None
    entry = None
    if attempt is not None and (target is not None or sender is not None):
        entry = Entry(target, sender, name, referrer, job, tool, user, attempt)
    try:
        mapper = active.mapper_for(ACTIVE_DESTINATION_MAPPERS, app, name, configs, lambda: options_of(app, referrer))
    except Exception as error:
        if entry is not None:
            entry.failed(error)
        if attempt is not None:
            attempt.ended += 1
        raise

    collector = explain_collector
    if attempt is not None and explains and not attempt.is_explained:
        collector = ExplainCollector()
    if collector is not None:
        for config in listed(configs):
            collector.add_step(ExplainPhase.CONFIG_LOADING, f"Loaded config: {shown(config)}")
    if entry is not None:
        entry.use(mapper.loader.rules)
    try:
        destination = mapper.map_to_destination(
            app,
            tool,
            user,
            job,
            job_wrapper,
            resource_params,
            workflow_invocation_uuid,
            explain_collector=collector,
            decide=None if entry is None else entry.decided,
            time_limit=time_limit,
        )
    except JobNotReadyException:
        raise
    except Exception as error:
        if attempt is not None:
            attempt.ended += 1
            if explains and collector is not None and isinstance(error, JobMappingException):
                attempt.is_explained = True
                log.warning("Job %s: mapping failed. TPV scheduling trace:\n%s", getattr(job, "id", None), collector.render())
        raise
    if attempt is not None:
        attempt.ended += 1
    return destination
