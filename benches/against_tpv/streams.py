"""TPV and tpvc on streams of jobs like a server's, new ones and repeated ones, in turn on the same lines. See README.md."""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from both import PROJECT, answers, build_app, build_call, compare, load, map_job, refuse_errors, stated, timed, whole

sys.path.insert(0, str(PROJECT / "benches" / "workload"))

from generate import STREAMS, Pool  # noqa: E402

USERS, SEED = 2000, 1
"""As the generator has them."""

def run(args, configs, world, jobs):
    """Measures and prints; ends with an error where an answer differs."""
    with tempfile.TemporaryDirectory() as folder:
        Streams(args, configs, world, jobs, Path(folder)).run()


class Streams:
    """The figures of one case."""

    def __init__(self, args, configs, world, jobs, folder):
        self.args, self.configs, self.folder = args, configs, folder
        self.with_world = ["--world", world] if world else []
        self.world = json.load(open(world)) if world else {}
        self.app = build_app(self.world)
        self.rules = folder / "rules.bin"
        subprocess.run([args.tpvc, "compile", "--quiet", *configs, "-o", self.rules], check=True)
        self.files, self.first = {}, {}
        for name, stream in STREAMS.items():
            rng = random.Random(SEED)
            with open(jobs, encoding="utf-8") as file:
                pool = Pool([line for line in file if line.strip()], USERS, rng)
            lines = list(stream(pool, args.lines, rng))
            self.files[name], self.first[name] = folder / f"{name}.jsonl", lines[: args.limit]
            self.files[name].write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        self.one = folder / "one.jsonl"
        self.one.write_text(self.first["server-like"][0] + "\n", encoding="utf-8")
        self.benches = {name: self.bench(name) for name in ("lines", "map_api") if not args.whole}
        self.figures = {}

    def bench(self, name):
        """The program of one of tpvc's own benches."""
        build = ["cargo", "bench", "--locked", "--bench", name, "--no-run", "--message-format", "json"]
        out = subprocess.run(build, check=True, cwd=PROJECT, capture_output=True, text=True).stdout
        built = [json.loads(line) for line in out.splitlines()]
        return [line["executable"] for line in built if line.get("executable") and line["target"]["name"] == name][-1]

    def note(self, name, seconds):
        self.figures.setdefault(name, []).append(seconds)

    def tpv(self, mapper, name):
        """TPV from lines to lines; gives its answers."""

        def lines_in_and_out():
            return [json.dumps(mapper.answer(json.loads(line), self.app), default=repr) for line in self.first[name]]

        with stated(self.world):
            started = time.process_time()
            seconds, lines = timed(lines_in_and_out)
            processor = time.process_time() - started
        self.note(f"TPV: {name}", seconds / len(lines))
        self.note(f"TPV: {name}, processor time", processor / len(lines))
        return [json.loads(line) for line in lines]

    def tpvc(self, figure, name, *options):
        command = [self.args.tpvc, "map", "--quiet", *options, self.rules, self.files[name], "-o", os.devnull]
        seconds, processor = whole([*command, *self.with_world])
        self.note(f"tpvc: {figure}", seconds / self.args.lines)
        self.note(f"tpvc: {figure}, processor time", processor / self.args.lines)

    def rows_of_bench(self, name, **variables):
        """What one of tpvc's own benches says, in seconds."""
        server_like = {"TPVC_BENCH_JOBS": self.files["server-like"], "TPVC_BENCH_JSON": "1", "TPVC_BENCH_RUNS": "5"}
        env = os.environ | {key: str(value) for key, value in (server_like | variables).items()}
        out = subprocess.run([self.benches[name]], check=True, capture_output=True, text=True, env=env, cwd=PROJECT).stdout
        return {row: micros / 1e6 for row, micros in json.loads(out.splitlines()[-1]).items()}

    def check(self, name, expected):
        """Whether tpvc gives TPV's answers to the lines that TPV maps, and maps most of the stream."""
        part = self.folder / "part.jsonl"
        part.write_text("".join(line + "\n" for line in self.first[name]), encoding="utf-8")
        compare(name, expected, answers(self.args.tpvc, self.rules, part, self.with_world))
        refuse_errors(name, self.args, self.rules, self.files[name], self.with_world)

    def run(self):
        mapper = load(self.configs)
        for name in STREAMS:
            self.check(name, self.tpv(mapper, name))
        self.figures.clear()
        for _ in range(self.args.runs):
            self.run_once()
        self.print()

    def run_once(self):
        """All figures once, TPV's and tpvc's in turn."""
        seconds, mapper = timed(lambda: load(self.configs))
        self.note("TPV: load", seconds)
        self.note("tpvc: load and one job", whole([self.args.tpvc, "map", "--quiet", self.rules, self.one, *self.with_world])[0])
        for name in STREAMS:
            self.tpv(mapper, name)
            self.tpvc(f"{name}, one thread", name, "--threads", "1")
        self.tpvc("server-like, two threads", "server-like", "--threads", "2")
        self.tpvc("server-like, --jit off", "server-like", "--threads", "1", "--jit", "off")
        if self.args.whole:
            return
        for row, seconds in self.rows_of_bench("lines").items():
            self.note(f"tpvc: server-like, {row}", seconds)
        with stated(self.world):
            records = [json.loads(line) for line in self.first["server-like"]]
            calls = [(build_call(record, self.app), record.get("seed")) for record in records]
            seconds, _ = timed(lambda: [map_job(mapper, call, seed) for call, seed in calls])
        self.note("TPV: map by API", seconds / len(calls))
        variables = {"TPVC_BENCH_CONFIG": ":".join(self.configs)}
        if self.with_world:
            variables["TPVC_BENCH_WORLD"] = self.with_world[1]
        for row, seconds in self.rows_of_bench("map_api", **variables).items():
            self.note(f"tpvc: {row}", seconds)

    def print(self):
        print()
        for name, values in self.figures.items():
            median, least, most = (value * 1e6 for value in (statistics.median(values), min(values), max(values)))
            print(f"{name:<52} {median:>14.2f} us  (least {least:.2f}, most {most:.2f})")
        print()
        one = "tpvc: server-like, one thread"
        for name, slow, fast in [
            ("server-like lines, one thread", "TPV: server-like", one),
            ("new lines, one thread", "TPV: new", "tpvc: new, one thread"),
            ("repeated lines, one thread", "TPV: repeated", "tpvc: repeated, one thread"),
            ("server-like lines, processor time", "TPV: server-like, processor time", f"{one}, processor time"),
            ("new lines, processor time", "TPV: new, processor time", "tpvc: new, one thread, processor time"),
            ("repeated lines, processor time", "TPV: repeated, processor time", "tpvc: repeated, one thread, processor time"),
            ("server-like lines against rewriting them", one, "tpvc: server-like, read and write by serde_json"),
            ("two threads, server-like, against one", one, "tpvc: server-like, two threads"),
            ("server-like, --jit off against the default", "tpvc: server-like, --jit off", one),
            ("map by API, distinct jobs", "TPV: map by API", "tpvc: map by API, distinct jobs"),
            ("load and one job, a process, against TPV's load", "TPV: load", "tpvc: load and one job"),
        ]:
            pairs = [a / b for a, b in zip(self.figures.get(slow, []), self.figures.get(fast, []))]
            if not pairs:
                continue
            print(f"{name:<52} {statistics.median(pairs):>14.2f} times  (least {min(pairs):.2f}, most {max(pairs):.2f})")
