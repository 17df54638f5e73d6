"""The world of a moment: Galaxy's job table as rules that count jobs see it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, BinaryIO

from tpvc.export import statements
from tpvc.export.database import Database, Reader, by_name
from tpvc.export.people import People
from tpvc.export.times import iso

#: The states of a job that is not over.
ACTIVE = ["new", "resubmitted", "upload", "waiting", "queued", "running", "paused", "stop", "deleting"]
#: Those in which it has not been sent to its destination yet.
UNSENT = {"new", "upload", "waiting", "paused"}
CHUNK = 5000


def write_world(database: Database, people: People, moment: datetime, file: BinaryIO) -> int:
    """Writes the jobs that were not over at that moment, and says how many."""
    file.write(f'{{"now": "{iso(moment)}", "jobs": ['.encode())
    count = 0
    with database.reading() as reader:
        for job in jobs_of_moment(reader, moment):
            user = job["user_id"]
            row = {
                "id": job["id"],
                "tool_id": job["tool_id"],
                "user_id": None if user is None else people.id(user),
                "state": job["state"],
                "destination_id": job["destination_id"],
            }
            file.write(("\n" if count == 0 else ",\n").encode() + json.dumps(row, ensure_ascii=False).encode("utf-8", "replace"))
            count += 1
    file.write(b"\n]}\n")
    return count


def jobs_of_moment(reader: Reader, moment: datetime) -> Iterator[Mapping[str, Any]]:
    """The jobs with the state that they had."""
    jobs = reader.rows(statements.WORLD_JOBS, moment=moment, active=ACTIVE)
    while chunk := [by_name(row) for row in islice(jobs, CHUNK)]:
        states = {row.job_id: row.state for row in reader.rows_of([job["id"] for job in chunk], statements.STATES, moment=moment)}
        for job in chunk:
            # A job whose history begins later was made a moment before.
            state = states.get(job["id"], "new")
            if state in ACTIVE:
                yield {**job, "state": state, "destination_id": None if state in UNSENT else job["destination_id"]}
