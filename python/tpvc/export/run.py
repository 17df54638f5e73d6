"""The export: pages of jobs, each in a transaction of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import BinaryIO

from tpvc.export import statements
from tpvc.export.database import Database, by_name
from tpvc.export.jobs import Choice, Jobs
from tpvc.export.times import utc_now

#: Jobs that are in memory at a time.
PAGE = 500


@dataclass
class Count:
    """What was exported."""

    jobs: int = 0
    #: Jobs of an imported history or without a tool, which this server never mapped.
    left_out: int = 0


@dataclass(frozen=True)
class Span:
    """The jobs that were created in a time, by their ids."""

    since: datetime
    until: datetime
    first: int
    last: int
    jobs: int


def find_span(database: Database, since: datetime | None, until: datetime | None) -> Span:
    """Looks which jobs there are."""
    start, end = since or datetime(1970, 1, 1), until or utc_now() + timedelta(days=1)
    slack = timedelta(days=1) if start > datetime(1970, 1, 2) else timedelta()
    with database.reading() as reader:
        row = next(reader.rows(statements.RANGE, updated_since=start - slack, since=start, until=end))
    return Span(start, end, row.first or 0, row.last or 0, row.jobs or 0)


def one_job(id: int) -> Span:
    """The one job with an id, if it is there."""
    return Span(datetime(1970, 1, 1), utc_now() + timedelta(days=1), id, id, 1)


def write_jobs(database: Database, choice: Choice, span: Span, file: BinaryIO, progress: Callable[[int], None]) -> Count:
    """Writes the lines of a span's jobs, in the order of their ids."""
    jobs = Jobs(database, choice)
    count = Count()
    after = span.first - 1
    while span.jobs:
        with database.reading() as reader:
            found = reader.rows(jobs.statement, after=after, last=span.last, since=span.since, until=span.until, limit=PAGE)
            page = [by_name(row) for row in found]
            if not page:
                break
            after = page[-1]["id"]
            mapped = [job for job in page if job["tool_id"] and not job["imported"]]
            for line in jobs.lines(reader, mapped):
                # Half of a surrogate pair, which JSON can name and UTF-8 cannot hold, becomes a question mark.
                file.write(line.encode("utf-8", "replace") + b"\n")
        count.jobs += len(mapped)
        count.left_out += len(page) - len(mapped)
        progress(count.jobs + count.left_out)
    return count
