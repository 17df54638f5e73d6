"""Two handlers on PostgreSQL: every mapping is TPV's, and in the log of decisions exactly once, or counted as dropped."""

from __future__ import annotations

import argparse
import collections
import contextlib
import gzip
import http.server
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1])]

from postgresql import initdb, postgresql  # noqa: E402

FILES = HERE.parent / "files"
NAMES = ("handler_0", "handler_1")

RULES = """
global: {default_inherits: default}
tools:
  default:
    cores: 1
    params: {tpv_cores: "{cores}", tpv_mem: "{mem}"}
    rules:
      - id: nine
        if: job.id % 10 == 9
        fail: Not for this one
  hello:
    cores: 2 # edited
    mem: cores * 3
    rules:
      - id: trained
        if: any(role.name == 'training' for role in user.all_roles())
        params: {trained: "yes"}
destinations:
  noting: {runner: noting}
"""

SHARED = "tools: {default: {params: {shared: 'by {user.id}'}}}\n"

JOB_CONF = """
runners:
  noting: {load: "noting_runner:NotingRunner", workers: 2}
handling:
  assign: [db-skip-locked]
  max_grab: 20
execution:
  default: tpv_dispatcher
  environments:
    tpv_dispatcher:
      runner: dynamic
      type: python
      function: map_tool_to_destination
      rules_module: tpvc.rules
      tpvc_decision_log: $LOG/decisions.jsonl
      tpvc_url_timeout: 2
      tpv_config_files: [$SHARED, $FOLDER/tpv_rules.yml]
"""


class Shared:
    """A config behind a URL whose server may be `down`, `hang`, or `lie`."""

    def __init__(self) -> None:
        self.fault = ""
        shared = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                fault = shared.fault
                if fault == "hang":
                    time.sleep(20)
                # A handler that waited long enough is gone.
                with contextlib.suppress(OSError):
                    self.send_response(503 if fault == "down" else 200)
                    self.end_headers()
                    self.wfile.write(b"<!DOCTYPE html><p>Please log in</p>" if fault == "lie" else SHARED.encode())

            def log_message(self, *_: Any) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}/shared.yml"


class Site:
    """A Galaxy of two handlers."""

    def __init__(self, folder: Path, database: str, statsd: int, shared: Shared) -> None:
        self.folder, self.database = folder, database
        self.log, self.archive = folder.with_suffix(".log.d"), folder.with_suffix(".archive")
        self.log.mkdir()
        self.archive.mkdir()
        # A disk that is soon full.
        self.is_small = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tpvc-test", str(self.log)], stderr=subprocess.DEVNULL).returncode == 0
        self.file = self.log / "decisions.jsonl"
        shutil.copytree(FILES, folder, dirs_exist_ok=True)
        shutil.copy(HERE / "noting_runner.py", folder)
        (folder / "database").mkdir()
        settings = (folder / "galaxy.yml").read_text().replace("$FOLDER", str(folder))
        settings = re.sub(r"database_connection: .*", f'database_connection: "{database}"', settings)
        more = f"  database_auto_migrate: true\n  statsd_host: 127.0.0.1\n  statsd_port: {statsd}\n  statsd_prefix: galaxy\n"
        (folder / "galaxy.yml").write_text(settings + more)
        (folder / "job_conf.yml").write_text(JOB_CONF.replace("$FOLDER", str(folder)).replace("$LOG", str(self.log)).replace("$SHARED", shared.url))
        self.rules = folder / "tpv_rules.yml"
        self.rules.write_text(RULES)
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.starts: collections.Counter[str] = collections.Counter()

    def output(self, name: str) -> str:
        path = self.folder.with_suffix(f".{name}.log")
        return path.read_text(errors="replace") if path.exists() else ""

    def start(self, name: str) -> None:
        """Starts a handler."""
        self.starts[name] += 1
        path = os.pathsep.join(filter(None, [str(self.folder), os.environ.get("PYTHONPATH")]))
        command = [sys.executable, str(Path(sys.executable).with_name("galaxy-main")), "-c", str(self.folder / "galaxy.yml")]
        with open(self.folder.with_suffix(f".{name}.log"), "ab") as output:
            self.running[name] = subprocess.Popen(
                [*command, "--server-name", name, "--attach-to-pool", "job-handlers"],
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": path},
            )

    def wait_started(self, name: str) -> None:
        """Waits until a handler takes jobs."""
        wait(f"{name} starts", lambda: self.output(name).count("job handler queue started") >= self.starts[name], 600, lambda: self.output(name)[-3000:])

    def kill(self, name: str) -> None:
        self.running[name].send_signal(signal.SIGKILL)
        self.running[name].wait()

    def stop(self) -> None:
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self.is_small:
            subprocess.run(["umount", "--lazy", str(self.log)])

    def mapped(self) -> collections.Counter[int]:
        """How often Galaxy's own logs say that a rule gave a job a destination."""
        found = [re.findall(r"\((\d+)\) Mapped job to destination id", self.output(name)) for name in NAMES]
        return collections.Counter(int(id) for ids in found for id in ids)

    def lines(self) -> list[dict[str, Any]]:
        found = []
        for path in (*sorted(self.archive.iterdir()), self.file):
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            for line in data.decode().splitlines():
                try:
                    found.append(json.loads(line))
                except ValueError:
                    # A full disk cut it: it is counted as dropped.
                    pass
        return found

    def fill(self) -> None:
        """Leaves some bytes on the disk of the log."""
        if self.is_small:
            free = os.statvfs(self.log)
            (self.log / "filler").write_bytes(b"x" * max(free.f_bavail * free.f_frsize - 16384, 0))

    def rotate(self) -> None:
        """As logrotate does with `compress` and `olddir`."""
        number = len(list(self.archive.iterdir())) + 1
        rotated = self.log / f"decisions.jsonl.{number}"
        self.file.rename(rotated)
        (self.log / "filler").unlink(missing_ok=True)
        # A handler may be between opening the file and writing its line.
        time.sleep(0.5)
        (self.archive / f"decisions.jsonl.{number}.gz").write_bytes(gzip.compress(rotated.read_bytes()))
        rotated.unlink()

    def why(self, job: int) -> dict[str, Any]:
        """The answer of `tpvc why`."""
        command = [sys.executable, "-m", "tpvc", "why", str(job), "--log", str(self.file), "--log", str(self.archive), "--format", "json"]
        return dict(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


class Galaxy:
    """The jobs of the database, through Galaxy's model."""

    def __init__(self, database: str, folder: Path) -> None:
        from galaxy.model import mapping

        self.folder = folder
        self.models = mapping.init(str(folder), database, create_tables=False)
        self.session = self.models.context

    def submit(self, count: int) -> None:
        """Adds jobs that any handler may take."""
        from galaxy import model

        if not hasattr(self, "users"):
            role = model.Role(name="training", description="", type=model.Role.types.ADMIN)
            self.users = [model.User(email=f"u{n}@vortex.org", username=f"u{n}", password="x" * 20) for n in range(5)]
            self.session.add_all([role, *self.users])
            for user in self.users[:2]:
                self.session.add(model.UserRoleAssociation(user, role))
            self.session.commit()
        for _ in range(count):
            user = random.choice(self.users)
            job = model.Job()
            job.user, job.history = user, model.History(name="h", user=user)
            job.tool_id, job.tool_version, job.handler = "hello", "1.0", "_default_"
            job.add_parameter("secs", '"0"')
            self.session.add(job)
        self.session.commit()

    def jobs(self) -> dict[int, dict[str, Any]]:
        from sqlalchemy import text

        with self.models.engine.connect() as connection:
            rows = connection.execute(text("select id, state, destination_id, destination_params, handler from job")).all()
        params = {row.id: bytes(row.destination_params).decode() if row.destination_params else "{}" for row in rows}
        return {
            row.id: {"state": row.state, "to": row.destination_id, "params": json.loads(params[row.id]), "handler": row.handler} for row in rows
        }

    def done(self) -> bool:
        return all(job["state"] in ("ok", "error") for job in self.jobs().values())

    def by_tpv(self, texts: Path, rules: dict[int, str]) -> dict[int, tuple[str, dict[str, Any]] | None]:
        """The destination and the params that TPV gives each job by the rules of a digest; `None` if it fails the job."""
        import galaxy_objects
        from galaxy import model
        from galaxy.jobs.mapper import JobMappingException
        from tpv.rules import gateway

        app = galaxy_objects.app()
        app.model = self.models
        found: dict[int, tuple[str, dict[str, Any]] | None] = {}
        for digest in set(rules.values()):
            files = []
            for config in json.loads((texts / f"{digest}.json").read_text())["configs"]:
                files.append(str(self.folder / f"{digest}-{len(files)}.yml"))
                Path(files[-1]).write_text(config["text"])
            mapper = gateway.load_destination_mapper(files)
            for id in (id for id, of in rules.items() if of == digest):
                job = self.session.get(model.Job, id)
                try:
                    to = mapper.map_to_destination(app, galaxy_objects.tool("hello"), job.user, job)
                    found[id] = (to.id, to.params)
                except JobMappingException:
                    found[id] = None
        return found


def wait(what: str, is_so: Any, seconds: float, tell: Any = lambda: "") -> None:
    """Waits until something is so."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise SystemExit(f"waited {seconds} s, but not so: {what}\n{tell()}")
        time.sleep(0.3)


def statsd() -> tuple[int, collections.Counter[str]]:
    """A server that counts what it gets by path, and its port."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    server.bind(("127.0.0.1", 0))
    counts: collections.Counter[str] = collections.Counter()

    def serve() -> None:
        while True:
            for line in server.recv(65536).decode().splitlines():
                path, _, value = line.partition(":")
                if ".tpvc." in path:
                    counts[path] += int(value.partition("|")[0]) if value.endswith("|c") else 1

    threading.Thread(target=serve, daemon=True).start()
    return server.getsockname()[1], counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    program = initdb()
    if program is None:
        print("SKIPPED: PostgreSQL is not installed")
        return 0
    problems: list[str] = []

    def check(what: str, holds: bool, found: Any = "") -> None:
        print(f"  {'ok' if holds else 'FAILED'}: {what} {found}", flush=True)
        if not holds:
            problems.append(what)

    base = Path(tempfile.mkdtemp(prefix="galaxy-"))
    (base / "pg").mkdir()
    port, sent = statsd()
    shared = Shared()
    with postgresql(program, base / "pg") as database:
        site = Site(base / "site", database, port, shared)
        try:
            site.start(NAMES[0])
            site.wait_started(NAMES[0])
            site.start(NAMES[1])
            site.wait_started(NAMES[1])
            print("two handlers take jobs", flush=True)
            galaxy = Galaxy(database, base)
            part, kills = max(arguments.jobs // 10, 1), 0
            for step in range(10):
                galaxy.submit(part)
                if step in (3, 6, 8):
                    time.sleep(0.5)
                    site.rotate()
                if step in (1, 3, 4):
                    # In place, while jobs are mapped. The URL hangs at one of these changes.
                    shared.fault = "hang" if step == 3 else ""
                    site.rules.write_text(RULES.replace("2 # edited", f"{step + 2} # edited"))
                elif step in (2, 5):
                    site.rules.write_text("tools: [\n")
                    site.fill()
                elif step == 6:
                    shared.fault = "lie"
                    site.rules.write_text(RULES.replace("2 # edited", "7 # edited"))
                elif step in (7, 8):
                    # Broken rules at a start: the last that compiled. Then a URL that is down, or hangs.
                    if step == 7:
                        site.rules.write_text("tools: [\n")
                    for name in NAMES:
                        shared.fault = "hang" if name == NAMES[0] else "down"
                        time.sleep(random.uniform(0.2, 1.0))
                        site.kill(name)
                        kills += 1
                        site.start(name)
                        site.wait_started(name)
                    if step == 7:
                        site.rules.write_text(RULES.replace("2 # edited", "8 # edited"))
                elif step == 9:
                    shared.fault = ""
                    site.rules.write_text(RULES.replace("2 # edited", "9 # edited"))
                wait(f"the jobs of part {step} end", galaxy.done, 600, lambda: site.output(NAMES[0])[-2000:])
                print(f"  {(step + 1) * part} jobs", flush=True)
            time.sleep(2)
            jobs, lines, often = galaxy.jobs(), site.lines(), site.mapped()
            by_job = collections.defaultdict(list)
            for line in lines:
                by_job[line["job"]].append(line)
            good = {id for id in jobs if id % 10 != 9}
            check("no job is lost", len(jobs) == 10 * part and all(job["state"] in ("ok", "error") for job in jobs.values()), len(jobs))
            check("each failed that the rules fail, and no other", {id for id, job in jobs.items() if job["state"] == "error"} == set(jobs) - good)
            handlers = collections.Counter(job["handler"] for job in jobs.values())
            check("both handlers mapped", set(handlers) == set(NAMES), dict(handlers))
            dropped = sum(line.get("dropped", 0) for line in lines)
            mapped = {id: sum("destination" in line for line in by_job[id]) for id in good}
            # Galaxy asks four times about a job that fails.
            missing = sum(max(often[id] - mapped[id], 0) for id in good) + sum(max(4 - len(by_job[id]), 0) for id in set(jobs) - good)
            check("each mapping is in the log, or counted as dropped", missing == dropped, f"{sum(often.values())} mappings, {missing} missing, {dropped} dropped")
            more = {id: (mapped[id], often[id]) for id in good if mapped[id] > often[id]}
            check("once, but for the moments of the kills", len(more) <= kills, more)
            # The last of the lines that were not dropped.
            last = {id: found[-1:] for id in good if (found := [line for line in by_job[id] if "destination" in line]) and len(found) == often[id]}
            same = all(
                line and line[0]["destination"] == jobs[id]["to"] and int(line[0]["cores"]["got"]) == int(jobs[id]["params"]["tpv_cores"])
                for id, line in last.items()
            )
            check("what Galaxy stored is what the log says", same)
            cores = collections.Counter(int(line["cores"]["got"]) for line in lines if "cores" in line and "destination" in line)
            check("edits count, broken ones do not", {2, 3, 5, 6, 7, 9} <= set(cores) <= {2, 3, 5, 6, 7, 8, 9}, dict(cores))
            whole = {**{id: by_job[id][-1] for id in set(jobs) - good if by_job[id]}, **{id: line for id, [line] in last.items()}}
            by_tpv = galaxy.by_tpv(site.log / "tpvc_rules", {id: line["rules"] for id, line in whole.items()})
            differ = {
                id: (jobs[id]["to"], jobs[id]["params"], tpv)
                for id, tpv in by_tpv.items()
                if (tpv is None) != (id not in good) or (tpv and (tpv[0] != jobs[id]["to"] or tpv[1].items() - jobs[id]["params"].items()))
            }
            check("TPV gives the same", not differ and len(by_tpv) >= len(jobs) - dropped, f"{len(by_tpv)} jobs, {list(differ.items())[:3]}")
            answers = {id: site.why(id) for id in random.sample(sorted(by_tpv), min(20, len(by_tpv)))}
            wrong = {
                id: answer
                for id, answer in answers.items()
                if ("went to `noting`" if id in good else "Not for this one") not in answer["sentence"]
                or (id in good and str(int(answer["decision"]["cores"]["got"])) != jobs[id]["params"]["tpv_cores"])
                or any("do not give this" in guess for guess in answer["guessed"])
                or not answer["explanation"]
            }
            check("`why` explains twenty jobs", not wrong, list(wrong.items())[:1])
            asked = [[line.get("again", 0) for line in by_job[id]] for id in set(jobs) - good]
            check("a failing job is a line for each time that Galaxy asked", sum(0 not in each for each in asked) <= dropped, asked[:3])
            output = "".join(map(site.output, NAMES))
            check("no error of the log", "is not in the log" not in output)
            check("broken rules at a start are told", "when they compiled last" in output)
            if site.is_small:
                check("the full disk dropped lines", dropped > 0, dropped)
            else:
                print("  SKIPPED: a full disk, for which a tmpfs must be mounted")
            got = {path: n for path, n in sent.items() if "tpvc.mapped." in path or "tpvc.failed." in path}
            expected = {"galaxy.tpvc.mapped.noting": len(good), "galaxy.tpvc.failed.JobMappingException": len(jobs) - len(good)}
            # A job whose handler was killed may be mapped once more.
            near = got.keys() == expected.keys() and all(expected[path] <= got[path] <= expected[path] + kills for path in got)
            check("statsd got them", near, f"{got} {expected}")
            check("and changes of the rules", sent["galaxy.tpvc.rules_changed"] >= 4, sent["galaxy.tpvc.rules_changed"])
            milliseconds = sorted(line["ms"] for line in lines if "ms" in line)
            print(f"  {len(lines)} lines, {milliseconds[len(milliseconds) // 2]} ms in the median, at most {milliseconds[-1]}", flush=True)
            print(f"  sent: {dict(sent)}")
        finally:
            site.stop()
            if arguments.keep:
                print(f"kept {base}")
            else:
                shutil.rmtree(site.folder, ignore_errors=True)
    if not arguments.keep:
        shutil.rmtree(base, ignore_errors=True)
    print("passed" if not problems else f"FAILED: {'; '.join(problems)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
