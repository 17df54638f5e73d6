#!/usr/bin/env python3
"""What one mapping takes in Galaxy, by TPV and by tpvc, in processor time, with jobs, users and datasets that stand in a database.

    per_call.py FOLDER [--jobs N] [--postgresql] [--profile]

FOLDER is a case: `case.json`, `jobs.jsonl`, maybe `world.json`. Each job is loaded from the database before it is mapped, as in a
job handler, so that what a rule reads of it is a query; then again with the objects as the first mapping left them. "Galaxy" is its own way to a
rule, `JobRunnerMapper`, whose floor is a rule that does nothing. --profile says where the time of the first kind goes. Also: the memory that tpvc adds to
the process.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import logging
import random
import re
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import MethodType, SimpleNamespace
from typing import Any

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

import live_galaxy  # noqa: E402
from galaxy import model  # noqa: E402
from galaxy.jobs import JobDestination, JobWrapper  # noqa: E402
from galaxy.jobs.mapper import JobRunnerMapper  # noqa: E402
from galaxy.model import mapping  # noqa: E402
from postgresql import initdb, postgresql  # noqa: E402
from sqlalchemy import text  # noqa: E402


def resident_mb() -> float:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


class Stored(live_galaxy.World):
    """A world whose jobs stand in a file."""

    def __init__(self, world: dict[str, Any], tool: Any, folder: str, database: str | None = None) -> None:
        super().__init__({}, tool)
        self.app.model = mapping.init(folder, database or f"sqlite:///{folder}/galaxy.sqlite", create_tables=True)
        self.app.config.__dict__.update(world.get("config", {}))
        self.app.tool_data_tables = {
            name: live_galaxy.Table(rows) for name, rows in world.get("tool_data_tables", {}).items()
        }
        self.roles: dict[str, Any] = {}
        self.users: dict[str, Any] = {}
        session = self.app.model.context
        if database is not None:
            # The users of a world's jobs are not stored.
            session.execute(text("SET LOCAL session_replication_role = replica"))
        for row in world.get("jobs", []):
            job = model.Job()
            for key in ("tool_id", "user_id", "state", "destination_id"):
                setattr(job, key, row.get(key))
            session.add(job)
        session.commit()

    def store(self, record: dict[str, Any]) -> dict[str, Any]:
        """Puts the job of a line into the database. Gives the call, without what is loaded for each mapping."""
        session = self.app.model.context
        call = self.call({**record, "user": None})
        job = call["job"]
        job.id = None
        for association in job.input_datasets:
            association.dataset.dataset.id = None
        fields = record.get("user")
        if fields:
            job.user = self._stored_user(fields)
            if job.history is not None:
                job.history.user = job.user
        session.add(job)
        session.commit()
        return {**call, "job": job.id, "user": None}

    def _stored_user(self, fields: dict[str, Any]) -> Any:
        email = fields["email"]
        if email not in self.users:
            user = model.User(email=email, username=f"user{len(self.users)}", password="x" * 20)
            for name in dict.fromkeys(role if isinstance(role, str) else role["name"] for role in fields.get("roles", [])):
                if name not in self.roles:
                    self.roles[name] = model.Role(name=name, description="", type=model.Role.types.ADMIN)
                model.UserRoleAssociation(user, self.roles[name])
            if fields.get("extra_preferences"):
                user.preferences["extra_user_preferences"] = json.dumps(fields["extra_preferences"])
            self.users[email] = user
        return self.users[email]

    def load(self, call: dict[str, Any]) -> dict[str, Any]:
        """The call with the job as a handler loads it."""
        session = self.app.model.context
        session.expunge_all()
        job = session.get(model.Job, call["job"])
        self.toolbox_tool = call["tool"]
        return {**call, "job": job, "user": job.user}


def timed(map_job: Any, call: dict[str, Any]) -> float:
    """The processor time of a mapping, which other processes disturb less."""
    started = time.thread_time()
    try:
        map_job(**call)
    except Exception:
        pass
    return time.thread_time() - started


FLOOR = """
from galaxy.jobs import JobDestination

def map_tool_to_destination(app, job, tool, user, referrer=None, tpv_config_files=None, tpv_configs=None, job_wrapper=None, resource_params=None, workflow_invocation_uuid=None):
    return JobDestination(id="floor", runner="local")
"""


def through_galaxy(rules_module: str, configs: list[str], options: dict[str, Any] | None = None, dispatcher: str = "") -> Any:
    """Maps a job as Galaxy does, by the rules of a package, with options of its dispatcher."""
    to = JobDestination(
        id=dispatcher or f"by_{rules_module}",
        runner="dynamic",
        params={"rules_module": rules_module, "function": "map_tool_to_destination", "tpv_config_files": configs, **(options or {})},
    )

    def map_job(app: Any, job: Any, tool: Any, **_: Any) -> Any:
        tool.get_job_destination = lambda params: to
        wrapper: Any = SimpleNamespace(app=app, tool=tool, job_id=job.id, get_job=lambda: job)
        wrapper.get_resource_parameters = MethodType(JobWrapper.get_resource_parameters, wrapper)
        return JobRunnerMapper(wrapper, lambda url: to, SimpleNamespace(dynamic_params=None)).get_job_destination({})  # type: ignore[arg-type]

    return map_job


@contextlib.contextmanager
def case_in(postgres: bool) -> Iterator[tuple[str, str | None]]:
    """A folder, with the URL of a PostgreSQL server if one is asked for."""
    with tempfile.TemporaryDirectory() as place:
        if not postgres:
            yield place, None
            return
        program = initdb()
        if program is None:
            raise SystemExit("PostgreSQL is not installed here")
        server = Path(place) / "pg"
        server.mkdir()
        with postgresql(program, server) as url:
            yield place, url


def read_case(folder: Path, most: int) -> tuple[list[str], dict[str, Any], list[dict[str, Any]]]:
    """The config files, the world and the first jobs of a folder with a `case.json`."""
    case = json.loads((folder / "case.json").read_text())
    configs = [str((folder / config).resolve()) for config in case["configs"]]
    world_file = folder / "world.json"
    world = json.loads(world_file.read_text()) if world_file.is_file() else {}
    lines = (folder / "jobs.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines if line.strip()][:most]
    return configs, world, records


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=300)
    parser.add_argument("--postgresql", action="store_true", help="a PostgreSQL server in the place of SQLite")
    parser.add_argument("--profile", action="store_true", help="say where Python's part of the time goes")
    arguments = parser.parse_args()
    configs, world, records = read_case(arguments.folder, arguments.jobs)

    tool = live_galaxy.first_tool()
    with case_in(arguments.postgresql) as (place, database):
        stored = Stored(world, tool, place, database)
        stored.app.config.watch_job_rules = "false"
        calls = [stored.store(record) for record in records]
        floor = Path(place) / "floor_rules"
        floor.mkdir()
        (floor / "__init__.py").touch()
        (floor / "gateway.py").write_text(FLOOR)
        sys.path.append(place)

        gc.collect()
        before = resident_mb()
        import tpvc

        started = time.perf_counter()
        mapper = tpvc.Mapper(tpvc.compile(configs))
        print(f"tpvc compiles in {time.perf_counter() - started:.3f} s")
        for call in calls:
            timed(mapper.map_galaxy, stored.load(call))
        gc.collect()
        # The mapping reads what Galaxy's classes load when they are first used; that is not of tpvc.
        print(f"tpvc adds {resident_mb() - before:.1f} MB, with what {len(calls)} mappings made Galaxy load")

        from tpv.rules import gateway

        started = time.perf_counter()
        tpv = gateway.load_destination_mapper(configs)
        print(f"TPV loads in {time.perf_counter() - started:.3f} s")

        engines = [("TPV", tpv.map_to_destination), ("tpvc", mapper.map_galaxy)]
        engines += [(f"{name} in Galaxy", through_galaxy(module, configs)) for name, module in (("TPV", "tpv.rules"), ("tpvc", "tpvc.rules"), ("floor", "floor_rules"))]
        for _, map_job in engines:
            # Loads the rules, and what Galaxy's classes load when they are first used.
            timed(map_job, stored.load(calls[0]))
        seconds: dict[str, list[float]] = {}
        for call in calls:
            random.shuffle(engines)
            for name, map_job in engines:
                loaded = stored.load(call)
                seconds.setdefault(f"{name}, objects just loaded", []).append(timed(map_job, loaded))
                seconds.setdefault(f"{name}, objects at hand", []).append(timed(map_job, loaded))
        for name, each in sorted(seconds.items()):
            print(
                f"{name:36} mean {statistics.fmean(each) * 1e6:9.1f} us, median {statistics.median(each) * 1e6:9.1f} us, "
                f"fastest {min(each) * 1e6:9.1f} us"
            )
        for way in ("", " in Galaxy"):
            for when in ("just loaded", "at hand"):
                ratio = statistics.fmean(seconds[f"TPV{way}, objects {when}"]) / statistics.fmean(seconds[f"tpvc{way}, objects {when}"])
                print(f"objects {when}{way}: tpvc is {ratio:.1f} times as fast")
        if arguments.profile:
            import cProfile
            import pstats

            profile = cProfile.Profile()
            for call in calls:
                loaded = stored.load(call)
                profile.enable()
                timed(mapper.map_galaxy, loaded)
                profile.disable()
            stats: Any = pstats.Stats(profile).sort_stats("tottime")
            [(own, whole)] = [row[2:4] for name, row in stats.stats.items() if "map_galaxy" in name[2]]
            print(
                f"of {whole / len(calls) * 1e6:.0f} us a mapping, profiled, {own / len(calls) * 1e6:.0f} us are tpvc's own; the rest is what "
                "the objects and the blocks in CPython take"
            )
            stats.print_stats(15)
    return 0


if __name__ == "__main__":
    sys.exit(main())
