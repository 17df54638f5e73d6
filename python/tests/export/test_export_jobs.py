"""What is exported is what Galaxy's own functions say of the same jobs, on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("galaxy.app_unittest_utils")

from galaxy import model  # noqa: E402
from galaxy_history import START, Server  # noqa: E402

from tpvc.export.people import People  # noqa: E402

JOBS = 400
ALL = ["--since", "2026-01-01"]


class Exported:
    """A server and how to export from it."""

    def __init__(self, server: Server, url: str, folder: Path) -> None:
        self.server = server
        self.url = url
        self.folder = folder
        self.jobs: list[model.Job] = server.session.query(model.Job).order_by(model.Job.id).all()

    def export(self, *options: str, since: list[str] = ALL) -> list[dict[str, Any]]:
        path = self.folder / "jobs.jsonl"
        done = tpvc("export-jobs", self.url, *since, "-o", str(path), *options)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in path.read_text().splitlines()]


def tpvc(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "tpvc", *arguments], capture_output=True, text=True, timeout=300, **options)


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def history(request: pytest.FixtureRequest, seed: int, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    folder = tmp_path_factory.mktemp("history")
    url = f"sqlite:///{folder}/galaxy.sqlite" if request.param == "sqlite" else request.getfixturevalue("postgresql")
    server = Server(url, folder, seed)
    server.people(12)
    server.jobs(JOBS)
    server.session.expire_all()
    return Exported(server, url, folder)


def plain(value: Any, keep_numbers: bool = True) -> Any:
    """What Galaxy gives for a parameter, in the forms of the job file."""
    if isinstance(value, dict):
        return {key: plain(each, keep_numbers or key == "__index__" or key == "__current_case__") for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each, keep_numbers) for each in value]
    if isinstance(value, model.HistoryDatasetAssociation):
        return {"src": "hda", "id": value.dataset.id}
    if isinstance(value, (model.HistoryDatasetCollectionAssociation, model.DatasetCollectionElement)):
        return {"src": "hdca", "ids": [each.dataset.id for each in value.dataset_instances]}
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not keep_numbers:
        return str(value)
    return value


def test_one_job_is_exported_by_its_id(history: Exported) -> None:
    lines = history.export("--with-users")
    one = lines[len(lines) // 2]
    assert history.export("--with-users", "--job", str(one["id"]), since=[]) == [one]
    missing = tpvc("export-jobs", history.url, "--job", "999999999")
    assert missing.returncode == 1 and "the job 999999999 is not in the database" in missing.stderr
    both = tpvc("export-jobs", history.url, "--job", "1", *ALL)
    assert both.returncode == 2 and "leave out `--since`" in both.stderr


def test_jobs_are_what_galaxy_says(history: Exported) -> None:
    lines = history.export("--with-users")
    assert [line["id"] for line in lines] == [job.id for job in history.jobs]
    for line, job in zip(lines, history.jobs):
        record, user = line["job"], line["user"]
        assert line["tool"]["id"] == job.tool_id and line["tool"]["version"] == job.tool_version
        assert line["tool"].get("dynamic_tool_uuid") == (str(job.dynamic_tool.uuid) if job.dynamic_tool else None)
        # Without the typed state the database does not tell a number from a text.
        values = plain(job.get_param_values(history.server.app), keep_numbers=job.tool_state is not None)
        assert record["param_values"] == values
        assert record["parameters"] == {name: text for name, text in job.raw_param_dict().items() if text is not None}
        inputs = [
            (each.name, each.dataset.dataset.id, each.dataset.dataset.file_size or 0, each.dataset.extension, each.dataset.dataset.object_store_id)
            for each in sorted(job.input_datasets, key=lambda each: each.id)
        ]
        assert [(each["name"], each["id"], each["size"], each["extension"], each["object_store_id"]) for each in record["input_datasets"]] == inputs
        assert (user and (user["id"], user["email"], user["username"])) == (job.user and (job.user.id, job.user.email, job.user.username))
        if job.user:
            roles = [(each, False) if isinstance(each, str) else (each["name"], each["deleted"]) for each in user["roles"]]
            assert sorted(roles) == sorted((role.name, role.deleted) for role in job.user.all_roles())
            tags = [(each, None) if isinstance(each, str) else (each["name"], each["value"]) for each in record["history"]["tags"]]
            assert sorted(tags, key=str) == sorted(((tag.user_tname, tag.user_value) for tag in job.history.tags), key=str)
            assert (record["history"]["id"], record["history"]["name"]) == (job.history.id, job.history.name)
        else:
            assert user is None and record["history"] is None
        assert datetime.fromisoformat(record["create_time"]) == job.create_time
        assert line["workflow_invocation_uuid"] == job.raw_param_dict().get("__workflow_invocation_uuid__")
        resubmitted = any(entry.state == "resubmitted" for entry in job.state_history)
        assert record["destination_params"] == (job.destination_params if resubmitted else None)
        assert record["state"] == ("resubmitted" if resubmitted else "new")
        happened = line["outcome"]
        assert (happened["state"], happened.get("destination_id"), happened.get("exit_code")) == (job.state, job.destination_id, job.exit_code)
        assert happened.get("destination_params") == job.destination_params
        times = {each.state: each.create_time for each in sorted(job.state_history, key=lambda each: each.id)}
        waits = job.state in ("running", "ok", "error")
        assert happened.get("queue_seconds") == ((times["running"] - times["queued"]).total_seconds() if waits else None)
        metrics = {(each.plugin, each.metric_name): each.metric_value for each in job.numeric_metrics}
        assert happened.get("runtime_seconds") == metrics.get(("core", "runtime_seconds"))
        assert happened.get("memory_bytes") == metrics.get(("cgroup", "memory.peak"))


def test_resource_parameters_are_galaxys(history: Exported) -> None:
    """As `JobWrapper.get_resource_parameters` gives them."""
    from galaxy.jobs import MinimalJobWrapper

    seen = 0
    for line, job in zip(history.export(), history.jobs):
        wrapper = MinimalJobWrapper.__new__(MinimalJobWrapper)
        wrapper.tool = history.server.tools[job.tool_id]
        expected = wrapper.get_resource_parameters(job)
        assert line["resource_params"] == expected
        seen += bool(expected)
    assert seen > JOBS // 20


def test_people_are_not_in_the_file(history: Exported) -> None:
    text = json.dumps(history.export("--metadata", "--preference", "remote|site"), ensure_ascii=False).lower()
    for user in history.server.users:
        assert user.email.lower() not in text and user.username not in text
    assert "thesis" not in text and "hush" not in text and "user-1@users.invalid" in text
    assert '"extra_preferences": {"remote|site": "here"}' in text and '"dbkey": "hg38"' in text


def test_hashed_people_are_the_same_by_the_same_salt(history: Exported, tmp_path: Path) -> None:
    salt = tmp_path / "salt"
    salt.write_text("0123456789abcdef0123456789abcdef\n")
    world = tmp_path / "world.json"
    first, second = (history.export("--hash-users", str(salt), "--world", str(world)) for _ in range(2))
    assert first == second
    salt.write_text("another salt that is long enough")
    third = history.export("--hash-users", str(salt))
    known = {user.id for user in history.server.users}
    for line, other, job in zip(first, third, history.jobs):
        if job.user:
            assert line["user"]["id"] != other["user"]["id"] and line["user"]["id"] not in known
            assert line["user"]["email"] != other["user"]["email"] and line["user"]["email"].endswith("@users.invalid")
    of_lines = {line["user"]["id"] for line in first if line["user"]}
    assert {job["user_id"] for job in json.loads(world.read_text())["jobs"]} - {None} <= of_lines


def test_a_world_has_the_jobs_of_its_moment(history: Exported, tmp_path: Path) -> None:
    world = tmp_path / "world.json"
    for moment in [START + timedelta(hours=5), START + timedelta(hours=20), None]:
        until = ["--until", moment.isoformat()] if moment else []
        history.export("--world", str(world), *until)
        expected = []
        for job in history.jobs:
            entries = [each for each in sorted(job.state_history, key=lambda each: each.id) if not moment or each.create_time <= moment]
            if (moment and job.create_time > moment) or not entries or entries[-1].state in ("ok", "error"):
                continue
            state = entries[-1].state
            expected.append({"id": job.id, "tool_id": job.tool_id, "user_id": job.user_id, "state": state, "destination_id": None if state == "new" else job.destination_id})
        found = json.loads(world.read_text())
        assert found["jobs"] == expected and expected
        assert moment is None or datetime.fromisoformat(found["now"]) == moment


@pytest.mark.parametrize("page", [1, 7, 500])
def test_pages_make_no_difference(history: Exported, page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from tpvc.export import main, run

    whole = history.export()
    monkeypatch.setattr(run, "PAGE", page)
    path = history.folder / "paged.jsonl"
    assert main([history.url, *ALL, "-q", "-o", str(path)]) == 0
    assert [json.loads(line) for line in path.read_text().splitlines()] == whole


def test_since_and_until_cut_by_the_time_of_creation(history: Exported) -> None:
    middle = history.jobs[JOBS // 2].create_time
    before = history.export("--until", middle.isoformat())
    after = history.export(since=["--since", middle.isoformat() + "Z"])
    assert [line["id"] for line in before + after] == [job.id for job in history.jobs]
    assert after[0]["id"] == history.jobs[JOBS // 2].id
    assert history.export(since=[]) == before + after


RULES = """
global: {default_inherits: default}
tools:
  default:
    cores: 2
    params:
      size: "{input_size}"
      inputs: "{[(i.name, i.dataset.dataset.id, i.dataset.ext, i.dataset.dataset.object_store_id) for i in job.input_datasets]}"
      roles: "{sorted(r.name for r in user.all_roles() if not r.deleted) if user else None}"
      tags: "{sorted(t.user_tname for t in job.history.tags) if job.history else None}"
      who: "{user.email if user else None}"
      flags: "{[job.get_param_values(app)[name] for name in ('fast', 'mode', 'title', 'which')]}"
      many: "{[d.dataset.id for d in job.get_param_values(app)['many'] or []]}"
      read: "{getattr(job.get_param_values(app)['reads'], 'ext', None)}"
      list: "{[d.dataset.id for d in getattr(job.get_param_values(app)['list'], 'dataset_instances', [])]}"
      old: "{job.destination_params}"
      made: "{job.create_time}"
    rules:
      - if: input_size > 100
        cores: 8
      - if: helpers.tag_values_match(entity, match_tag_values=['training'])
        mem: 99
  .*bwa.*: {mem: cores * 4}
roles: {training.*: {mem: 7, scheduling: {require: [train]}}}
users: {user1.*: {cores: 3}}
destinations:
  train: {runner: slurm, scheduling: {accept: [train]}}
  slurm: {runner: slurm, max_accepted_cores: 4}
  big: {runner: slurm}
"""


def test_what_is_exported_replays_as_tpv_maps_the_live_jobs(history: Exported, tmp_path: Path) -> None:
    gateway = pytest.importorskip("tpv.rules.gateway")
    from galaxy.jobs.mapper import JobMappingException

    rules = tmp_path / "rules.yml"
    rules.write_text(RULES)
    history.export("--with-users")
    answers = tmp_path / "answers.jsonl"
    done = tpvc("map", "--config", str(rules), str(history.folder / "jobs.jsonl"), "-o", str(answers))
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in answers.read_text().splitlines()]
    assert len(lines) == JOBS
    errors = 0
    for line, job in zip(lines, history.jobs):
        # The database has lost what a job had before it was mapped; the file gives it back, and so does this.
        if not any(entry.state == "resubmitted" for entry in job.state_history):
            job.destination_params = None
        tool = history.server.tools[job.tool_id]
        # Galaxy asks for no order, and PostgreSQL gives any; the file has that of the ids.
        job.input_datasets.sort(key=lambda each: each.id)
        try:
            expected = gateway.map_tool_to_destination(history.server.app, job, tool, job.user, tpv_config_files=[str(rules)])
        except JobMappingException as error:
            errors += 1
            assert line["error"] == {"type": "JobMappingException", "message": error.failure_message or str(error)}
        else:
            assert "destination" in line, (line, expected.params)
            assert (line["destination"]["id"], line["destination"]["params"]) == (expected.id, expected.params)
    history.server.session.rollback()
    assert errors < JOBS / 2


def test_the_database_is_read_only(history: Exported) -> None:
    from sqlalchemy import text

    from tpvc.export.database import ExportError, open_database

    with pytest.raises(ExportError, match="read-only|readonly"):
        with open_database(history.url).reading() as reader:
            reader.connection.execute(text("UPDATE job SET state = 'ok'"))


def test_rights_are_asked_for_in_words(postgresql: str, history: Exported) -> None:
    if history.url != postgresql:
        pytest.skip("SQLite has no users")
    from sqlalchemy import create_engine, text

    with create_engine(postgresql).begin() as connection:
        connection.execute(text("CREATE ROLE stranger LOGIN"))
    done = tpvc("export-jobs", postgresql.replace("galaxy@", "stranger:secret@"), *ALL)
    assert done.returncode == 1 and "permission denied for table job" in done.stderr and "GRANT SELECT" in done.stderr
    assert "secret" not in done.stderr
    done = tpvc("export-jobs", postgresql.replace("/postgres", "/nothing"), *ALL)
    assert done.returncode == 1 and '"nothing" does not exist' in done.stderr and "help:" in done.stderr


def sqlite(path: Path, *statements: str) -> str:
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    return str(path)


def no_rights(folder: Path) -> str:
    path = sqlite(folder / "mine.sqlite", "CREATE TABLE job (id INTEGER)")
    os.chmod(path, 0)
    return path


@pytest.mark.parametrize(
    ("url", "arguments", "status", "message"),
    [
        (lambda folder: str(folder / "no.sqlite"), ALL, 1, "no.sqlite`: no such file"),
        (lambda folder: f"sqlite:///{folder}", ALL, 1, "it is a folder"),
        (lambda folder: sqlite(folder / "other.sqlite", "CREATE TABLE job (id INTEGER)"), ALL, 1, "is not a database of Galaxy, or of an old one: the tables `job_parameter`"),
        (lambda folder: str((folder / "text").write_text("no database at all, " * 99) and folder / "text"), ALL, 1, "file is not a database"),
        (lambda folder: "mysql://galaxy:secret@localhost/galaxy", ALL, 2, "`mysql` is not a kind of database that Galaxy uses"),
        (lambda folder: "postgresql://galaxy:secret@localhost:notaport/galaxy", ALL, 2, "the database's URL cannot be read"),
        (lambda folder: "postgresql://galaxy:secret@localhost:1/galaxy", ALL, 1, "refused"),
        (lambda folder: "x.sqlite", ["--since", "yesterday"], 2, "`--since yesterday` is not a time"),
        (lambda folder: "x.sqlite", ["--since", "2026-01-02", "--until", "2026-01-01"], 2, "`--since` is not before `--until`"),
        (lambda folder: "x.sqlite", [*ALL, "--with-users", "--hash-users", "x"], 2, "not allowed with argument"),
        (lambda folder: "x.sqlite", [*ALL, "--hash-users", "/nowhere/salt"], 1, "the salt cannot be read from `/nowhere/salt`"),
        (lambda folder: "x.sqlite", [*ALL, "-o", "a", "--world", "a"], 2, "name the same file"),
        # What an argument holds is text to the terminal and to a CI server.
        (lambda folder: "x.sqlite", ["--since", "a\x1b[31m\u202e\n::error::b"], 2, "a\\x1b[31m\\u{202e}\\n::error::b"),
        (lambda folder: "x.sqlite", [*ALL, "--job-conf", "/nowhere/job_conf.yml"], 1, "the job configuration `/nowhere/job_conf.yml` cannot be read"),
        (lambda folder: "x.sqlite", [*ALL, "--job-conf", __file__], 1, "is not a job configuration"),
        (lambda folder: "x.sqlite", [*ALL, "--tools", __file__], 1, "is not JSON"),
    ],
)
def test_errors_say_what_to_do(url: Callable[[Path], str], arguments: list[str], status: int, message: str, tmp_path: Path) -> None:
    done = tpvc("export-jobs", url(tmp_path), *arguments)
    assert done.returncode == status, done.stderr
    assert message in done.stderr and done.stderr.startswith("error: ") and "= help: " in done.stderr
    assert "secret" not in done.stderr and "Traceback" not in done.stderr and done.stdout == ""


def test_no_file_is_left_where_the_export_fails(history: Exported, tmp_path: Path) -> None:
    kept = tmp_path / "jobs.jsonl"
    kept.write_text("before\n")
    broken = sqlite(tmp_path / "broken.sqlite", "CREATE TABLE job (id INTEGER)")
    assert tpvc("export-jobs", broken, *ALL, "-o", str(kept)).returncode == 1
    assert kept.read_text() == "before\n"
    done = tpvc("export-jobs", history.url, *ALL, "-o", str(tmp_path / "no" / "jobs.jsonl"))
    assert done.returncode == 1 and "no such file or directory" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.sqlite", "jobs.jsonl"]


def test_a_reader_that_goes_away_is_no_failure(history: Exported) -> None:
    command = f"{sys.executable} -m tpvc export-jobs '{history.url}' --since 2026-01-01 -q | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 141) and done.stderr == "" and json.loads(done.stdout)["id"] == history.jobs[0].id


def test_a_compressed_file_is_the_same(history: Exported, tmp_path: Path) -> None:
    import gzip

    plain_lines = history.export()
    path = tmp_path / "jobs.jsonl.gz"
    assert tpvc("export-jobs", history.url, *ALL, "-o", str(path)).returncode == 0
    assert [json.loads(line) for line in gzip.open(path, "rt")] == plain_lines


def test_addresses_have_stand_ins_wherever_they_stand() -> None:
    people = People()
    own = people.person(1, "a@example.org", "a")
    text = json.dumps({"role": "Sharing role: A@example.org, b@example.org", "text": json.dumps("line\na@example.org\\c@example.org 1@2")}, ensure_ascii=False)
    found = json.loads(people.scrub(text, "a@example.org", own))
    assert found["role"] == "Sharing role: user-1@users.invalid, someone@users.invalid"
    assert json.loads(found["text"]) == "line\nuser-1@users.invalid\\someone@users.invalid 1@2"
    own = people.person(2, "jörg@example.org", "j")
    text = json.dumps({"text": json.dumps("jörg@example.org")}, ensure_ascii=False)
    assert people.scrub(text, "jörg@example.org", own) == json.dumps({"text": json.dumps("user-2@users.invalid")})


def multiplied(source: Path, target: Path, times: int) -> str:
    """A copy of a SQLite database in which each job is there many times, with all that belongs to it."""
    target.write_bytes(source.read_bytes())
    with sqlite3.connect(target) as connection:
        most = connection.execute("SELECT max(id) FROM job").fetchone()[0]
        for table in ("job", "job_parameter", "job_to_input_dataset", "job_state_history", "job_metric_numeric"):
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != "id"]
            key = "id" if table == "job" else "job_id"
            names = ", ".join(columns if table != "job" else ["id", *columns])
            for copy in range(1, times):
                values = [f"job_id + {copy * most}" if name == "job_id" else name for name in columns]
                values = values if table != "job" else [f"id + {copy * most}", *values]
                connection.execute(f"INSERT INTO {table} ({names}) SELECT {', '.join(values)} FROM {table} WHERE {key} <= {most}")
    return str(target)


def test_twenty_thousand_jobs_take_no_more_memory(history: Exported, tmp_path: Path) -> None:
    if not history.url.startswith("sqlite") or not Path("/proc/self/status").exists():
        pytest.skip("measured once, on Linux")
    program = """
import sys, time
from tpvc.export import main

started = time.process_time()
status = main([sys.argv[1], "--since", "2026-01-01", "-q", "-o", sys.argv[2]])
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(status, time.process_time() - started, int(peak) // 1024)
"""
    source = Path(history.url.removeprefix("sqlite:///"))
    peaks = []
    for times in (5, 50):
        out = tmp_path / f"{times}.jsonl"
        url = multiplied(source, tmp_path / f"{times}.sqlite", times)
        done = subprocess.run([sys.executable, "-c", program, url, str(out)], capture_output=True, text=True, timeout=300)
        status, seconds, peak = done.stdout.split()
        assert status == "0", done.stderr
        with out.open() as lines:
            assert sum(1 for _ in lines) == times * JOBS
        print(f"{times * JOBS} jobs: {float(seconds):.1f} s of CPU, {peak} MB at most, {out.stat().st_size // (times * JOBS)} bytes a job")
        peaks.append(int(peak))
    assert peaks[1] - peaks[0] < 10
