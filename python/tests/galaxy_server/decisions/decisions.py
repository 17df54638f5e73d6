"""The log of decisions of a real Galaxy: rotated, on a full disk, and of a killed server."""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from server import Server, Shared  # noqa: E402

NAME = "tpvc_main.jsonl"


class Log:
    """The folder of the log, on a disk that can be full."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
        self.is_small = subprocess.run(mount, capture_output=True).returncode == 0
        self.file = folder / NAME

    def fill(self) -> None:
        with open(self.folder / "filler", "wb", buffering=0) as filler:
            for size in (4096, 1):
                try:
                    while True:
                        filler.write(b"x" * size)
                except OSError:
                    pass

    def free(self) -> None:
        (self.folder / "filler").unlink()

    def lines(self) -> list[dict[str, Any]]:
        """All lines in order, of rotated files too. Half lines are `None`."""
        found = []
        for path in sorted(self.folder.glob(NAME + "*"), key=lambda path: path.stat().st_mtime):
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            for line in data.decode().splitlines():
                try:
                    found.append(json.loads(line))
                except ValueError:
                    found.append({"half": line})
        return found

    def end(self) -> None:
        if self.is_small:
            subprocess.run(["umount", str(self.folder)], check=True)


def jobs(server: Server) -> dict[int, dict[str, Any]]:
    """The jobs as Galaxy's database has them."""
    with sqlite3.connect(f"file:{server.folder}/database/universe.sqlite?mode=ro", uri=True) as base:
        rows = base.execute("select id, tool_id, state, destination_id from job").fetchall()
    return {id: {"tool": tool, "state": state, "destination": destination} for id, tool, state, destination in rows}


def mapped(server: Server) -> collections.Counter[int]:
    """How often Galaxy's own log says that a job was mapped."""
    found = re.findall(r"\((\d+)\) Mapped job to destination id", server.log_text())
    return collections.Counter(map(int, found))


def done(server: Server) -> bool:
    return all(job["state"] in ("ok", "error") for job in jobs(server).values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=15, help="jobs of each part")
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    problems: list[str] = []
    folder = Path(tempfile.mkdtemp(prefix="galaxy-"))
    log = Log(folder.with_suffix(".log.d"))
    server = Server(folder, "tpvc.rules", Shared())
    conf = folder / "job_conf.yml"
    options = f"tpvc_decision_log: {log.folder}/tpvc_{{server_name}}.jsonl\n      tpv_explain_on_failure: true\n      tpvc_time_limit"
    conf.write_text(conf.read_text().replace("tpvc_time_limit", options))

    def check(what: str, holds: bool, found: Any = "") -> None:
        print(f"  {'ok' if holds else 'FAILED'}: {what} {found}", flush=True)
        if not holds:
            problems.append(what)

    def stream(count: int) -> None:
        for _ in range(count):
            server.submit("hello")

    def ended() -> None:
        server.wait("all jobs end", lambda: done(server), 300)

    try:
        with server:
            print("jobs, one that is refused and one that waits", flush=True)
            stream(arguments.jobs)
            server.submit("refused")
            server.submit("waits")
            time.sleep(8)
            (folder / "go").write_text("now")
            ended()
            by_job = collections.defaultdict(list)
            for line in log.lines():
                by_job[line["job"]].append(line)
            known = jobs(server)
            once = [id for id, job in known.items() if job["tool"] == "hello"]
            check("each job is one line", all(len(by_job[id]) == 1 for id in once), len(once))
            same = all(by_job[id][0].get("destination") == known[id]["destination"] for id in once)
            check("with Galaxy's destination", same)
            [refused] = [id for id, job in known.items() if job["tool"] == "refused"]
            asked = [line.get("again", 0) for line in by_job[refused]]
            check("the refused job is a line for each time that Galaxy asked", asked == list(range(len(asked))), asked)
            explained = server.log_text().count(f"Job {refused}: mapping failed. TPV scheduling trace")
            check("and explained once", explained == 1, explained)
            [waits] = [id for id, job in known.items() if job["tool"] == "waits"]
            begins, ends = by_job[waits]
            check("the wait begins and ends", begins["wait"] == "begins" and ends["wait"]["mappings"] >= 3, ends.get("wait"))
            why = subprocess.run(
                [sys.executable, "-m", "tpvc", "why", str(refused), "--log", str(log.folder)], capture_output=True, text=True
            )
            check("tpvc why", why.returncode == 0 and "rule `refuse` ended it" in why.stdout, why.stdout.partition("\n")[0] + why.stderr)

            print("the log is rotated while jobs are mapped", flush=True)
            stream(arguments.jobs // 2)
            rotated = log.folder / (NAME + ".1")
            log.file.rename(rotated)
            stream(arguments.jobs - arguments.jobs // 2)
            ended()
            with gzip.open(log.folder / (NAME + ".2.gz"), "wb") as packed:
                packed.write(rotated.read_bytes())
            rotated.unlink()
            lines = collections.Counter(line["job"] for line in log.lines())
            once = [id for id, job in jobs(server).items() if job["tool"] == "hello"]
            check("each job is one line, in both files", all(lines[id] == 1 for id in once), len(once))

            if log.is_small:
                print("the disk is full", flush=True)
                before = len(log.lines())
                log.fill()
                stream(arguments.jobs)
                ended()
                during = [line for line in log.lines()[before:] if "half" not in line]
                log.free()
                time.sleep(11)
                stream(1)
                ended()
                last = log.lines()[-1]
                counted = last.get("dropped", 0) + len(during)
                check("jobs are mapped, and lines dropped and counted", counted == arguments.jobs, f"{len(during)} written, {last.get('dropped')} dropped")
                check("the log says so once", server.log_text().count("Decisions cannot be written") == 1)
            else:
                print("SKIPPED: no tmpfs can be mounted", flush=True)

            print("the server is killed while jobs are mapped", flush=True)
            first = max(jobs(server))
            stream(arguments.jobs)
            assert server.process is not None
            os.kill(server.process.pid, signal.SIGKILL)
            server.process.wait()
            server.start()
            before = len(log.lines())
            stream(3)
            ended()
            time.sleep(11)
            stream(1)
            ended()
            found = log.lines()
            lines = collections.Counter(line.get("job") for line in found)
            after = [id for id in jobs(server) if id > first]
            # Galaxy maps jobs again that it had not stored as running. At the moment of the kill, a line may be there without Galaxy's own.
            often = mapped(server)
            missing = sum(max(often[id] - lines[id], 0) for id in after)
            dropped = sum(line.get("dropped", 0) for line in found[before:])
            check("each mapping is in the log, or counted as dropped", missing == dropped, f"{missing} of {sum(often[id] for id in after)}")
            more = {id: (lines[id], often[id]) for id in after if lines[id] > often[id]}
            check("once, but for the moment of the kill", len(more) <= 1, more)
            print(f"  mapped more than once: {sum(lines[id] > 1 for id in after)} of {len(after)}", flush=True)
            totals = subprocess.run([sys.executable, "-m", "tpvc", "log", "--log", str(log.folder), "--totals"], capture_output=True, text=True)
            check("tpvc log", totals.returncode == 0, totals.stdout.partition("\n")[0] + totals.stderr)
        halves = [line["half"] for line in log.lines() if "half" in line]
        check("no line is torn, but by the full disk", len(halves) <= 1, len(halves))
        check("no error of the log", "is not in the log" not in server.log_text())
        texts = list((log.folder / "tpvc_rules").iterdir())
        check("the texts of the rules are kept", len(texts) == 1, [path.name for path in texts])
    finally:
        if arguments.keep:
            print(f"kept {folder}, {folder.with_suffix('.log')}, {log.folder}")
        else:
            log.end()
            shutil.rmtree(log.folder, ignore_errors=True)
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(folder.with_suffix(".site"), ignore_errors=True)
            folder.with_suffix(".log").unlink(missing_ok=True)
    print("passed" if not problems else f"FAILED: {'; '.join(problems)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
