"""`map_tool_to_destination` with TPV's answers, each compared with tpvc's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpvc.galaxy import shadow

if TYPE_CHECKING:
    from galaxy.jobs import JobDestination

    from tpvc.galaxy.active import Configs


def map_tool_to_destination(
    app: Any,
    job: Any,
    tool: Any,
    user: Any,
    referrer: JobDestination | None = None,
    tpv_config_files: Configs | None = None,
    tpv_configs: Configs | None = None,
    job_wrapper: Any = None,
    resource_params: dict[str, Any] | None = None,
    workflow_invocation_uuid: str | None = None,
    explain_collector: Any = None,
) -> JobDestination:
    """Maps a job with TPV, and compares TPV's answer with that of tpvc.

    Raises what TPV raises, and `ImportError` if TPV is not installed. What tpvc raises is logged and counted.
    """
    return shadow.map_twice(
        shadow.Call(
            app=app,
            job=job,
            tool=tool,
            user=user,
            job_wrapper=job_wrapper,
            resource_params=resource_params,
            workflow_invocation_uuid=workflow_invocation_uuid,
            referrer=(referrer.id if referrer else None) or "tpv_dispatcher",
            # TPV refuses both.
            dispatcher=referrer,
            configs=None if tpv_configs and tpv_config_files else tpv_configs or tpv_config_files,
        ),
        lambda tpv: tpv.map_tool_to_destination(
            app,
            job,
            tool,
            user,
            referrer=referrer,
            tpv_config_files=tpv_config_files,
            tpv_configs=tpv_configs,
            job_wrapper=job_wrapper,
            resource_params=resource_params,
            workflow_invocation_uuid=workflow_invocation_uuid,
            explain_collector=explain_collector,
        ),
    )
