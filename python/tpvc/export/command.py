"""The command line of `tpvc export-jobs`."""

from __future__ import annotations

import argparse
import signal
import sys
from types import FrameType
from typing import NoReturn

from tpvc._native import printable
from tpvc.export.database import ENVIRONMENT, open_database
from tpvc.export.errors import ExportError, misuse
from tpvc.export.job_conf import read_job_conf
from tpvc.export.jobs import Choice
from tpvc.export.output import Progress, writing
from tpvc.export.people import People, RealPeople, hashed_people
from tpvc.export.run import Count, find_span, one_job, write_jobs
from tpvc.export.times import point_in_time, utc_now
from tpvc.export.tools import read_tool_names
from tpvc.export.world import write_world

DESCRIPTION = """\
Write the job history of a Galaxy database as a job file for `tpvc map`.

DATABASE_URL is what `database_connection` in galaxy.yml says, or the path of a SQLite file. It is read only: every page
of jobs is a read-only transaction of its own. Users appear as user-12@users.invalid unless you ask for more."""

EXAMPLES = """\
examples:
  tpvc export-jobs postgresql:///galaxy --since 7d -o jobs.jsonl
  tpvc export-jobs universe.sqlite --since 2026-01-01 --until 2026-02-01 | gzip > january.jsonl.gz
  tpvc export-jobs postgresql://reader@db/galaxy --since 1d --job-conf job_conf.yml -o jobs.jsonl --world world.json
  tpvc map rules.bin jobs.jsonl --dispatcher tpv_dispatcher --world world.json -o answers.jsonl

Parameters and tags of histories are written as the database has them, but for the address of the job's user, and params of
destinations without the texts that rules wrote there, unless --destination-params or --with-users asks for them: look
through the file before you give it away.

exit status: 0 done; 1 the database cannot be read or a file not be written; 2 the command line is wrong."""


class Parser(argparse.ArgumentParser):
    """Reports in the form of the other verbs."""

    def error(self, message: str) -> NoReturn:
        raise misuse(message, f"`{self.prog} --help` shows the options")


def parser() -> Parser:
    """The options."""
    made = Parser(
        prog="tpvc export-jobs",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = made.add_argument
    add("database", metavar="DATABASE_URL", nargs="?", help=f"the database; without it that of {ENVIRONMENT}")
    add("--since", metavar="TIME", help="jobs created from then on: a date, a time in UTC, or 30m, 12h, 7d, 2w ago; without it all")
    add("--until", metavar="TIME", help="jobs created before then; without it all until now")
    add("--job", metavar="ID", type=int, help="only the job with this id in the database")
    add("-o", "--output", metavar="OUT", default="-", help="the job file; .gz is compressed, - is stdout [default: -]")
    add("--world", metavar="WORLD", help="write the jobs that were not over at --until (or now) to this file")
    add("--job-conf", metavar="FILE", help="Galaxy's job_conf.yml or .xml: name each job's dispatcher, for `tpvc map --dispatcher`")
    add("--tools", metavar="FILE", help="the answer of Galaxy's /api/tools?in_panel=false: the names of tools")
    who = made.add_mutually_exclusive_group()
    who.add_argument("--hash-users", metavar="SALT_FILE", help="users by a hash of their address and id, keyed by the salt in this file")
    who.add_argument("--with-users", action="store_true", help="addresses and names of users, and names of histories, as they are")
    add("--preference", metavar="KEY", action="append", default=[], help="this key of the users' extra preferences; repeat it for more")
    add("--destination-params", action="store_true", help="the params of destinations as rules wrote them; default: numbers and amounts only")
    add("--metadata", action="store_true", help="the metadata of input datasets")
    add("-q", "--quiet", action="store_true", help="print errors only")
    return made


def main(argv: list[str]) -> int:
    """Runs `tpvc export-jobs` with the arguments after it, and gives the exit status."""
    signal.signal(signal.SIGTERM, stop)
    try:
        run(parser().parse_args(argv))
    except ExportError as error:
        return report(error)
    except KeyboardInterrupt:
        print("interrupted: nothing was written", file=sys.stderr)
        return 130
    return 0


def report(error: ExportError) -> int:
    """Prints an error in the form of the other verbs, and gives the exit status."""
    red, cyan, end = ("\033[1;31m", "\033[36m", "\033[0m") if sys.stderr.isatty() else ("", "", "")
    message, help = printable(error.message), printable(error.help)
    print(f"{red}error{end}: {message}\n {cyan}|{end}\n {cyan}={end} help: {help}", file=sys.stderr)
    return error.status


def stop(_number: int, _frame: FrameType | None) -> None:
    """Ends the process as an exception, so that unfinished files are removed."""
    raise SystemExit(143)


def run(options: argparse.Namespace) -> None:
    """Does what the options say."""
    now = utc_now()
    since = point_in_time("--since", options.since, now) if options.since else None
    until = point_in_time("--until", options.until, now) if options.until else None
    if since is not None and since >= (until or now):
        raise misuse("`--since` is not before `--until`" if until else "`--since` is in the future", "times are in UTC")
    if options.job is not None and (since or until):
        raise misuse("`--job` names one job, whenever it was created", "leave out `--since` and `--until`")
    if options.world and options.output == options.world:
        raise misuse("`--output` and `--world` name the same file", "name two files")
    people: People = RealPeople() if options.with_users else hashed_people(options.hash_users) if options.hash_users else People()
    choice = Choice(
        people,
        frozenset(options.preference),
        options.metadata,
        options.destination_params or options.with_users,
        read_job_conf(options.job_conf) if options.job_conf else None,
        read_tool_names(options.tools) if options.tools else {},
    )
    database = open_database(options.database)
    span = find_span(database, since, until) if options.job is None else one_job(options.job)
    progress = Progress(span.jobs, options.quiet)
    try:
        with writing(options.output) as file:
            count = write_jobs(database, choice, span, file, progress.show)
            if options.job is not None and not count.jobs:
                what = "is of an imported history, or has no tool" if count.left_out else "is not in the database"
                raise ExportError(f"the job {options.job} {what}", "name the id in the database, which administrators see")
    finally:
        progress.clear()
    if not options.quiet:
        print(summary(count), file=sys.stderr)
    if options.world:
        moment = min(until or now, now)
        with writing(options.world) as file:
            active = write_world(database, people, moment, file)
        if not options.quiet:
            at = moment.isoformat(sep=" ", timespec="seconds")
            print(f"world: {active:,} {plural(active, 'job')} that {plural(active, 'was', 'were')} not over at {at} UTC", file=sys.stderr)


def summary(count: Count) -> str:
    """What was done."""
    text = f"exported {count.jobs:,} {plural(count.jobs, 'job')}"
    if count.left_out:
        text += f"; left out {count.left_out:,} that this server never mapped: of imported histories, or without a tool"
    return text


def plural(count: int, one: str, many: str | None = None) -> str:
    """The word for so many."""
    return one if count == 1 else many or one + "s"
