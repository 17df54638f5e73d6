#!/usr/bin/env python3
"""Jobs of a Galaxy database, mapped with the log on, exported and replayed: the same answers, or the log names what was live.

    replayed.py FOLDER [--jobs N] [--keep FOLDER]

FOLDER is a case, as for `per_call.py`; a job file of any length works, such as one by `gen_jobs.py`. Each job goes Galaxy's own way to a rule, with the parameters, datasets,
roles, tags and preferences that the database has, and counts as queued where it was sent from then on, so that counts of jobs change. Then `tpvc export-jobs`
and `tpvc log --replay` run as an administrator runs them. The exit status is theirs. --keep leaves log, jobs and database in a folder.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import live_galaxy
from galaxy import model
from per_call import Stored, read_case, through_galaxy


class Server(Stored):
    """A Galaxy whose jobs can be exported: parameters refer to datasets and collections by their ids in the database."""

    def __init__(self, world: dict[str, Any], tool: Any, folder: str) -> None:
        super().__init__(world, tool, folder)
        self.user_ids: dict[str, int] = {}
        self.role_ids: dict[str, int] = {}

    def store_whole(self, record: dict[str, Any]) -> dict[str, Any]:
        """Puts the job of a line into the database, as `store`, as one that was never mapped."""
        fields = record.get("job") or {}
        call = self.store({**record, "job": {**fields, "state": "new", "destination_params": None}})
        session = self.app.model.context
        job = session.get(model.Job, call["job"])
        if job.user is not None:
            self.user_ids[job.user.email] = job.user.id
            self.role_ids.update((each.role.name, each.role.id) for each in job.user.roles)
        entries = fields.get("input_datasets", [])
        by_id = {entry["id"]: each.dataset for entry, each in zip(entries, job.input_datasets)}
        values = {name: self._stored(value, by_id) for name, value in fields.get("param_values", {}).items()}
        for parameter in job.parameters:
            if parameter.name in values:
                parameter.value = json.dumps(values[parameter.name])
        # As Galaxy keeps them beside the texts, which have no kinds of numbers.
        job.tool_state = values
        session.commit()
        # Each commit looks at all that is loaded.
        session.expunge_all()
        call["tool"].params_from_strings = self._read
        return call

    def _stored_user(self, fields: dict[str, Any]) -> Any:
        session = self.app.model.context
        known = self.user_ids.get(fields["email"])
        if known is not None:
            return session.get(model.User, known)
        self.roles = {name: session.get(model.Role, id) for name, id in self.role_ids.items()}
        return super()._stored_user(fields)

    def _stored(self, value: Any, by_id: dict[int, Any]) -> Any:
        if isinstance(value, list):
            return [self._stored(each, by_id) for each in value]
        if not isinstance(value, dict):
            return value
        if value.get("src") == "hda" and value.get("id") in by_id:
            return {"values": [{"src": "hda", "id": by_id[value["id"]].id}]}
        if value.get("src") == "hdca" and "ids" in value:
            collection = model.DatasetCollection(collection_type="list", populated=True)
            for index, number in enumerate(value["ids"]):
                model.DatasetCollectionElement(collection=collection, element=by_id[number], element_index=index)
            instance = model.HistoryDatasetCollectionAssociation(collection=collection)
            session = self.app.model.context
            session.add(instance)
            session.flush()
            return {"values": [{"src": "hdca", "id": instance.id}]}
        return {key: self._stored(each, by_id) for key, each in value.items()}

    def _read(self, params: dict[str, str], *_: Any, **__: Any) -> dict[str, Any]:
        """The values of parameters, as a tool gives them."""
        return {name: self._live(_decoded(text)) for name, text in params.items()}

    def _live(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._live(each) for each in value]
        if not isinstance(value, dict):
            return value
        if isinstance(value.get("values"), list):
            kinds = {"hda": model.HistoryDatasetAssociation, "hdca": model.HistoryDatasetCollectionAssociation}
            (of,) = value["values"]
            return self.app.model.context.get(kinds[of["src"]], of["id"])
        return {key: self._live(each) for key, each in value.items()}


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = arguments.keep or Path(temporary)
        # A second run would append to the first one's log.
        place.mkdir(exist_ok=arguments.keep is None)
        return replayed(arguments.folder, arguments.jobs, place)


def replayed(folder: Path, most: int, place: Path) -> int:
    """The exit status of the replay of a case's first jobs, with all files in a folder."""
    configs, world, records = read_case(folder, most)
    preferences = sorted({key for record in records for key in (record.get("user") or {}).get("extra_preferences", {})})
    server = Server(world, live_galaxy.first_tool(), str(place))
    server.app.config.watch_job_rules = "false"
    log, jobs = place / "log.jsonl", place / "jobs.jsonl"
    options = {"tpvc_decision_log": str(log), "tpvc_decision_log_preferences": preferences}
    map_job = through_galaxy("tpvc.rules", configs, options)
    calls = [server.store_whole(record) for record in records]
    session = server.app.model.context
    started, failed = time.process_time(), 0
    for call in calls:
        loaded = server.load(call)
        job = loaded["job"]
        try:
            destination = map_job(**loaded)
        except Exception:
            failed += 1
            session.rollback()
            job.state = "error"
        else:
            job.state, job.destination_id = "queued", destination.id
        session.commit()
    print(f"{len(calls)} jobs mapped in {time.process_time() - started:.1f} s of processor time, {failed} of them to an error", flush=True)
    tpvc = [sys.executable, "-m", "tpvc"]
    wanted = [part for key in preferences for part in ("--preference", key)]
    database = f"sqlite:///{place}/galaxy.sqlite"
    subprocess.run([*tpvc, "export-jobs", database, "--since", "2000-01-01", "--with-users", *wanted, "-o", str(jobs)], check=True)
    seen = [argument for file in [folder / "world.json"] if file.is_file() for argument in ("--world", str(file))]
    return subprocess.run([*tpvc, "log", "--log", str(log), "--replay", "--jobs", str(jobs), *seen]).returncode


if __name__ == "__main__":
    sys.exit(main())
