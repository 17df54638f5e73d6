"""What rules do with the site's module: for each name the tool's rule, mapped once or several times, and what comes of it, as JSON.

    python scenarios.py tpv|tpvc

The folder that has `sitemod.py` is on the path of the process, as a site's folder is.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

import galaxy_objects as objects  # noqa: E402

HEAD = "import sitemod\n"


def execute(code: str) -> dict[str, Any]:
    return {"rules": [{"id": "r", "if": True, "execute": HEAD + code}]}


def when(code: str) -> dict[str, Any]:
    return {"rules": [{"id": "r", "if": HEAD + code, "params": {"fired": "yes"}}]}


def param(code: str) -> dict[str, Any]:
    return {"params": {"said": "{__import__('sitemod')." + code + "}"}}


def top(code: str) -> dict[str, Any]:
    return {"params": {"said": "{__import__('sitetop')." + code + "}"}}


# By name: the fields of a tool; `on` are the fields of the destination `first` instead, `jobs` how often it is mapped.
TABLE: dict[str, dict[str, Any]] = {
    "next_fail on a destination": {"on": execute("sitemod.next_fail('full')")},
    "next_wait on a destination": {"on": execute("sitemod.next_wait('full')")},
    "a subclass of next_wait": {"on": execute("sitemod.busy('full')")},
    "next_fail on all": {"on": execute("sitemod.next_fail('full')"), "all": True},
    "next_wait on all": {"on": execute("sitemod.next_wait('full')"), "all": True},
    "next_fail in an if": {"on": when("sitemod.next_fail('full')")},
    "next_fail in cores of a tool": {"cores": HEAD + "sitemod.next_fail('full')"},
    "next_wait in rank": {"rank": HEAD + "sitemod.next_wait('full')"},
    "next_fail in params": {"on": param("next_fail('full')")},
    "next_fail that is caught": param("caught(entity)"),
    "next_wait that the rule catches": {
        "on": execute(
            "from tpv.core.entities import TryNextDestinationOrWait\n"
            "try:\n    sitemod.next_wait('x')\nexcept TryNextDestinationOrWait as e:\n    entity.params['said'] = str(e)"
        )
    },
    "add_tag": execute("sitemod.add_tag(entity)"),
    "require": execute("sitemod.require(entity, 'big')"),
    "require what there is not": execute("sitemod.require(entity, 'moon')"),
    "require on a destination": {"on": execute("sitemod.require(entity, 'big')")},
    "enum_filter in params": param("enum_filter(entity)"),
    "enum_filter in if": when("sitemod.enum_filter(entity) == ['large']"),
    "enum_filter in rank": {"rank": HEAD + "[d for d in candidate_destinations if sitemod.enum_filter(entity)]"},
    "is_entity in params": param("is_entity(entity)"),
    "is_entity of a destination": {"on": param("is_entity(entity)")},
    "is_entity in if": when("sitemod.is_entity(entity) == 'True True'"),
    "is_entity of a candidate": {"rank": HEAD + "[d for d in candidate_destinations if sitemod.is_entity(d) == 'True False']"},
    "is_entity of no entity": param("is_entity(tool)"),
    "kinds": param("kinds(entity)"),
    "tag_objects": param("tag_objects(entity)"),
    "algebra": param("algebra(entity)"),
    "duplicate": param("duplicate(entity)"),
    "alias": execute("sitemod.alias(entity)"),
    "hlp in cores": {"cores": HEAD + "sitemod.hlp(job)"},
    "hlp in if": when("sitemod.hlp(job) == 1"),
    "size in mem": {"mem": HEAD + "sitemod.size(job)"},
    "size in params": param("size(job)"),
    "sched": execute("sitemod.sched(entity)"),
    "sched, then asked": execute("sitemod.sched(entity)\nentity.params['said'] = str(entity.tpv_tags) + str(sitemod.enum_filter(entity))"),
    "plain_import": param("plain_import(entity)"),
    "annotated": param("annotated(entity)"),
    "remember in cores": {"cores": HEAD + "sitemod.remember(tool, entity)", "jobs": 3},
    "remember in env": {"env": {"N": "{__import__('sitemod').remember(tool, entity)}"}, "jobs": 2},
    "mutate": execute("sitemod.mutate(entity.params)"),
    "mutate, kept by one job": execute("sitemod.mutate(entity.params)") | {"jobs": 2, "params": {"own": "1"}},
    "keep in gpus": {"gpus": HEAD + "sitemod.keep(entity) and 0", "cores": 2},
    "last of it": param("last()"),
    "last tags of it": param("last_tags()"),
    "log_name": param("log_name()"),
    "a module that imports at its top": execute("import sitetop\nsitetop.big(entity)") | {"jobs": 2},
    "a constant that jobs share": execute("import sitetop\nsitetop.shared(entity)") | {"jobs": 2},
    "kinds as keys": top("words(entity)"),
    "dispatch by class": top("describe(entity) + str(entity.tpv_tags)"),
    "dispatch by class of a destination": {"on": top("describe(entity)")},
    "match by class": top("match_it(entity)"),
    "tags of the entity in the rule": execute(
        "from tpv.core.entities import SchedulingTags, TagType\n"
        "sitemod.sched(entity)\n"
        "entity.params['said'] = str([isinstance(entity.tpv_tags, SchedulingTags), TagType.REQUIRE in"
        " [t.tag_type for t in entity.tpv_tags.tags]])"
    ),
}


def config(fields: dict[str, Any]) -> dict[str, Any]:
    fields = dict(fields)
    on, is_all = fields.pop("on", {}), fields.pop("all", False)
    fields.pop("jobs", None)
    params = {"first": "1"}
    first = {"runner": "local", "max_accepted_cores": 8, "scheduling": {"accept": ["large", "big"], "prefer": ["c"]}}
    first["params"] = {**params, "cores": "{cores}", "mem": "{mem}", **on.get("params", {})}
    first.update({key: value for key, value in on.items() if key != "params"})
    second = {"runner": "slurm", "scheduling": {"accept": ["large"]}, "params": {"cores": "{cores}"}}
    if is_all:
        second.update(on)
    return {
        "global": {"default_inherits": "default"},
        "tools": {
            "default": {"abstract": True, "cores": 1, "mem": 1, "scheduling": {"require": ["large"], "prefer": ["c"]}},
            "bwa": fields,
        },
        "destinations": {"first": first, "second": second},
    }


def outcome(gateway: Any, name: str, fields: dict[str, Any]) -> Any:
    gateway.ACTIVE_DESTINATION_MAPPERS = {}
    made = config(fields)
    found = []
    for _ in range(fields.get("jobs", 1)):
        try:
            destination = gateway.map_tool_to_destination(
                objects.app(), objects.job(objects.dataset(3)), objects.tool(), objects.user(), tpv_configs=made
            )
        except Exception as error:
            text = getattr(error, "failure_message", None) or getattr(error, "message", None) or str(error)
            found.append([[kind.__name__ for kind in type(error).__mro__][:1], str(text)])
        else:
            found.append([destination.id, destination.runner, destination.params, destination.env])
    return found if len(found) > 1 else found[0]


def feature_checks() -> dict[str, Any]:
    """What other users of the process see of TPV once rules have run."""
    import importlib.metadata
    import importlib.util

    def is_there(name: str) -> bool:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            return False
        return True

    try:
        version = importlib.metadata.version("total-perspective-vortex")
    except importlib.metadata.PackageNotFoundError:
        version = ""
    return {
        "modules": sorted(name for name in sys.modules if name.partition(".")[0] == "tpv"),
        "find_spec": importlib.util.find_spec("tpv") is not None,
        "imports": [is_there("tpv"), is_there("tpv.core.entities"), is_there("tpv.rules")],
        "version": version,
    }


def main() -> None:
    gateway: Any = importlib.import_module(f"{sys.argv[1]}.rules.gateway")
    seen = {name: outcome(gateway, name, fields) for name, fields in TABLE.items()}
    json.dump(SimpleNamespace(seen=seen, checks=feature_checks()).__dict__, sys.stdout)


if __name__ == "__main__":
    main()
