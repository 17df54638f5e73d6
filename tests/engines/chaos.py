#!/usr/bin/env python3
"""Kills whatever can be killed while maps run, and sees whether `rerun` makes them whole.

    chaos.py BINARY [--engine local|slurm|htcondor] [--kills N] [--seed S] [--moves] [--folder DIR] [--keep]

Round after round it makes a map, and meanwhile kills (-9) the client at a random moment of any verb, components, their wrappers and the
engine's daemons; it deletes outputs, cuts summaries short, holds components, and fills the disk. It takes jobs from the queue behind the
program's back, lets `sbatch` lie, turns the clock of a verb, and moves the folder of maps if asked to. Then it reruns the map until it is complete, and claims: the answers are byte for byte those of `tpvc map`, the summaries count each job once, no folder and no file is left
half made, the engine has no job and this machine no process of it; and after `remove` there is nothing of it at all.
It ends with 0 where all that held, and with 77 where the engine can't be installed. Filling the disk needs root, for a small file system,
and turning the clock `faketime`.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from engines import ENGINES, HERE, binary_for_tests, end_on_signals, processes

FIXTURE = HERE.parent.parent / "fixtures" / "production"
# How large the file system of the maps is, where one is made for them, in MiB.
DISK = 600
# How long a map may take to become whole, and an engine to forget a job, in seconds.
PATIENCE = 300


# What an `sbatch` does that does not tell the truth. $1 is the true one.
LIES = {
    "submits and fails": '"$true" "$@" > /dev/null; echo "sbatch: error: Batch job submission failed: Socket timed out" >&2; exit 1',
    "submits and says nothing": '"$true" "$@" > /dev/null',
    "submits and says another thing": '"$true" "$@" > /dev/null; echo "Thank you"',
    "says an id and submits nothing": "echo 4000000",
    "fails": 'echo "sbatch: error: Unable to contact slurm controller" >&2; exit 1',
    "is killed": '"$true" "$@" > /dev/null; kill -9 $$',
}


class Failure(Exception):
    """Something that must hold does not."""


class Chaos:
    def __init__(self, engine, binary, options):
        self.engine, self.options = engine, options
        self.random = random.Random(options.seed)
        self.kills = collections.Counter()
        self.faults = collections.Counter()
        self.messages = collections.Counter()
        self.binary = binary
        self.work = engine.work
        self.disk = self.work / "disk"
        self.maps = self.disk / "maps"
        self.has_own_disk = False
        self.create_seconds = 2.0

    # The verbs.

    def tpvc(self, *words):
        return [self.binary, "maps", "--maps-dir", self.maps, *words]

    def verb(self, *words, check=False):
        done = self.engine.run(self.tpvc(*words), capture_output=True)
        self.note_message(done.stderr)
        if check and done.returncode != 0:
            raise Failure(f"`tpvc maps {' '.join(map(str, words))}` failed: {done.stderr.decode()}")
        return done

    def note_message(self, stderr):
        text = stderr.decode(errors="replace")
        # A word of the program's inside is never for its users.
        for fault in ("panicked", "RUST_BACKTRACE", "Os {", "report this as a bug"):
            if fault in text:
                raise Failure(f"a message that no user should see: {text}")
        for line in text.splitlines():
            if line.startswith("error"):
                self.messages[line.split("`")[0].strip()] += 1

    def states(self, tag):
        """The states by component; nothing where there is no such map."""
        done = self.verb("status", tag, "--components", f"0-{self.components - 1}", "--format", "json")
        if done.returncode != 0:
            return None
        return {row["component"]: (row["state"], row["note"], row.get("help")) for row in json.loads(done.stdout)}

    def exists(self, tag):
        return (self.maps / "tags" / tag).exists() and tag in self.verb("list", "--format", "text", check=True).stdout.decode().split()

    def create(self, tag):
        return self.tpvc(
            *("create", "--tag", tag, "--rules", self.rules, "--world", self.work / "world.json"),
            *("--engine", self.engine.name, "--slice-bytes", self.slice_bytes, self.jobs),
        )

    # What is prepared once.

    def prepare(self):
        for name in ("1-shared.yml", "2-site.yml", "3-people.yml", "world.json"):
            shutil.copy(FIXTURE / name, self.work)
        self.rules, self.jobs = self.work / "rules.bin", self.work / "jobs.jsonl"
        configs = [self.work / name for name in ("1-shared.yml", "2-site.yml", "3-people.yml")]
        subprocess.run([self.binary, "compile", "--quiet", *configs, "-o", self.rules], check=True)
        lines = (FIXTURE / "jobs.jsonl").read_text().splitlines()
        # The speed of one core, so that a component takes about a second.
        self.write_jobs(lines, 5)
        started = time.monotonic()
        self.map_jobs("--threads", "1")
        seconds = time.monotonic() - started
        times = max(1, round(5 * self.options.seconds * self.options.components / seconds))
        self.write_jobs(lines, times)
        self.expected = self.map_jobs()
        self.count = len(lines) * times
        self.slice_bytes = self.jobs.stat().st_size // self.options.components + 1
        for path in self.work.iterdir():
            os.chown(path, *self.engine.owner())
        print(f"{self.count} jobs; alone, a core maps {5 * len(lines) / seconds:.0f} of them a second", flush=True)
        # Undisturbed: what the summary has to be, how many components there are, and how long `create` takes.
        started = time.monotonic()
        self.engine.run(self.create("calm"), check=True, capture_output=True)
        self.create_seconds = time.monotonic() - started
        status = json.loads(self.verb("status", "calm", "--format", "json", check=True).stdout)[0]
        self.components = status["components"]
        started = time.monotonic()
        self.verb("wait", "calm", "--timeout", PATIENCE, check=True)
        print(f"{self.components} components; undisturbed {time.monotonic() - started:.1f} s", flush=True)
        self.summary = None
        self.summary = self.whole("calm")
        self.remove("calm")

    def write_jobs(self, lines, times):
        """The jobs of the fixture several times over, each with an id of its own."""
        with open(self.jobs, "w") as file:
            for turn in range(times):
                for line in lines:
                    job = json.loads(line)
                    job["id"] = f"{job['id']}-{turn}"
                    job["job"]["id"] += turn * len(lines)
                    file.write(json.dumps(job) + "\n")

    def map_jobs(self, *options):
        command = [self.binary, "map", "--quiet", *options, self.rules, self.jobs]
        return subprocess.run([*command, "--world", self.work / "world.json"], check=True, capture_output=True).stdout

    def make_disk(self):
        self.disk.mkdir()
        if os.getuid() == 0:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}m", "tmpfs", self.disk], check=True)
            self.has_own_disk = True
        else:
            print("the disk is not filled: that needs root", flush=True)
        self.maps.mkdir()
        for folder in (self.disk, self.maps):
            os.chown(folder, *self.engine.owner())

    def clear(self):
        if self.has_own_disk:
            subprocess.run(["umount", "--lazy", self.disk])

    # What must hold.

    def whole(self, tag):
        """Claims that a map's results are right, and gives its summary."""
        done = self.verb("results", tag, check=True)
        if done.stdout != self.expected:
            raise Failure(f"the answers of `{tag}` are not those of `tpvc map`")
        summary = [
            json.loads(self.verb("results", tag, "--by", what, "--format", "json", check=True).stdout)
            for what in ("tool", "destination", "error")
        ]
        if self.summary is not None and summary != self.summary:
            raise Failure(f"the summary of `{tag}` is {summary}, and not {self.summary}")
        counted = sum(row["jobs"] for row in summary[0])
        if counted != self.count:
            raise Failure(f"the summary of `{tag}` counts {counted} jobs of {self.count}")
        return summary

    def clean(self, maps):
        """Claims that there is nothing in the folder of maps but these."""
        names = {name for name in os.listdir(self.maps) if name not in ("tags", "slots")}
        leftovers = sorted(name for name in names if name.startswith("."))
        if leftovers or len(names) != maps or len(os.listdir(self.maps / "tags")) != maps:
            raise Failure(f"{maps} maps, but {sorted(names)} with the tags {os.listdir(self.maps / 'tags')}")
        parts = [str(path) for path in self.maps.rglob(".part-*")]
        if parts:
            raise Failure(f"files that nobody writes any more: {parts}")

    def idle(self):
        """Claims that neither the engine nor this machine has anything of a map left."""
        deadline = time.monotonic() + PATIENCE / 3
        while True:
            queued = self.engine.queued()
            left = [process.arguments for process in processes(self.work) if not self.engine.is_own(process)]
            if not queued and not left:
                return
            if time.monotonic() > deadline:
                raise Failure(f"{queued} jobs are left in the queue, and the processes {left}")
            self.engine.look_again()
            time.sleep(1)

    # What goes wrong.

    def pause(self, most):
        time.sleep(self.random.uniform(0, most))

    def kill(self, kind, candidates):
        if candidates and self.random.choice(candidates).kill():
            self.kills[kind] += 1

    def kill_program(self, _tag):
        self.kill("component", [process for process in processes(self.engine.folder) if process.verb() == "component"])

    def kill_wrapper(self, _tag):
        self.kill("wrapper", [process for process in processes(self.engine.folder) if process.is_wrapper()])

    def kill_daemon(self, _tag):
        before = self.kills["daemon"]
        self.kill("daemon", self.engine.daemons())
        if self.kills["daemon"] > before:
            self.pause(2)
            self.engine.revive()

    def kill_client(self, tag):
        low = self.random.randrange(self.components)
        some = ("--components", f"{low}-{min(low + 5, self.components - 1)}")
        words = self.random.choice([
            ("rerun", tag), ("rerun", "components", tag, *some), ("hold", tag, *some), ("release", tag), ("status", tag),
            ("edit", tag, "--time", self.random.randrange(600, 6000)), ("wait", tag), ("results", tag),
        ])
        self.killed_at_random(self.tpvc(*words), words[0], self.random.choice([0.02, 0.1, 0.5]))

    def killed_at_random(self, command, verb, seconds):
        """Runs a verb and kills it at some moment. Whether it was killed, and did not end before."""
        client = self.engine.spawn(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pause(seconds)
        killed = client.poll() is None
        if client.args[0] == str(self.binary):
            client.kill()
        else:
            # It runs somewhere below what was started.
            clients = [process for process in processes(self.work) if process.arguments[0] == str(self.binary)]
            killed = any([process.kill() for process in clients if verb in process.arguments])
        client.wait(timeout=PATIENCE)
        self.kills[f"client: {verb}"] += killed
        return killed

    def hold(self, tag):
        chosen = sorted(self.random.sample(range(self.components), min(5, self.components)))
        self.verb("hold", tag, "--components", ",".join(map(str, chosen)))
        self.faults["hold"] += 1
        if self.random.random() < 0.5:
            self.pause(1)
            self.verb("release", tag)

    def spoil(self, tag, folder, how):
        path = self.maps / (self.maps / "tags" / tag).read_text().strip() / folder
        files = [file for file in sorted(path.iterdir()) if not file.name.startswith(".")] if path.exists() else []
        if files:
            try:
                how(self.random.choice(files))
            except FileNotFoundError:
                return
            self.faults[f"{folder} spoilt"] += 1

    def delete_output(self, tag):
        self.spoil(tag, "outputs", lambda path: path.unlink())

    def cut_output(self, tag):
        self.spoil(tag, "outputs", lambda path: os.truncate(path, path.stat().st_size // 2))

    def flip_output(self, tag):
        def flip(path):
            with open(path, "r+b") as file:
                data = file.read()
                middle = len(data) // 2
                file.seek(middle)
                file.write(bytes(byte ^ 1 for byte in data[middle : middle + 1]))

        self.spoil(tag, "outputs", flip)

    def cut_summary(self, tag):
        self.spoil(tag, "summaries", lambda path: os.truncate(path, path.stat().st_size // 2))

    def fill_disk(self, _tag):
        if not self.has_own_disk:
            return
        filler = self.disk / "filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
            except OSError:
                # Some room, or none.
                file.truncate(max(0, file.tell() - self.random.choice([0, 0, 4096, 65536, 1 << 20])))
        self.faults["full disk"] += 1
        self.pause(3)
        filler.unlink()

    def take_from_queue(self, _tag):
        self.faults["taken from the queue"] += self.engine.take_away(self.random)

    def lie(self, tag):
        """A `rerun` whose `sbatch` lies."""
        true = shutil.which("sbatch")
        if self.engine.name != "slurm" or not true:
            return
        lie = self.random.choice(sorted(LIES))
        folder = self.work / "lies"
        folder.mkdir(exist_ok=True)
        (folder / "sbatch").write_text(f"#!/bin/sh\ntrue={true}\n{LIES[lie]}\n")
        (folder / "sbatch").chmod(0o755)
        usual = self.engine.environment["PATH"]
        self.engine.environment["PATH"] = f"{folder}:{usual}"
        try:
            self.verb("rerun", tag)
        finally:
            self.engine.environment["PATH"] = usual
        self.faults[f"sbatch {lie}"] += 1

    def move_store(self, tag):
        """Moves the folder of maps while components run, for good or for a moment."""
        usual, moved = self.maps, self.disk / f"maps-{self.faults['moved store']}"
        usual.rename(moved)
        self.maps = moved
        self.verb("status", tag)
        self.verb("rerun", tag)
        self.faults["moved store"] += 1
        if self.random.random() < 0.5:
            # What still wrote there may have made the folder again.
            shutil.rmtree(usual, ignore_errors=True)
            moved.rename(usual)
            self.maps = usual

    def turn_clock(self, tag):
        """A verb, and what it starts, to which it is long ago, or much later."""
        if not shutil.which("faketime") or self.engine.name == "htcondor":
            return
        verb = self.random.choice(["status", "rerun", "wait", "holds"])
        words = [verb, tag, *(["--timeout", "2"] if verb == "wait" else [])]
        turned = self.engine.run(["faketime", "-f", self.random.choice(["+40d", "-40d", "-30s"]), *self.tpvc(*words)], capture_output=True)
        self.note_message(turned.stderr)
        self.faults["turned clock"] += 1

    EVENTS = [
        (take_from_queue, 2), (lie, 2), (move_store, 1), (turn_clock, 1),
        (kill_program, 5), (kill_wrapper, 4), (kill_daemon, 3), (kill_client, 4), (hold, 2),
        (delete_output, 1), (cut_output, 1), (flip_output, 1), (cut_summary, 1), (fill_disk, 1),
    ]

    # Rounds.

    def round(self, number):
        tag = f"round-{number}"
        if self.random.random() < 0.7:
            self.killed_at_random(self.create(tag), "create", self.create_seconds * 1.1)
        if not self.exists(tag):
            # The tag is free again, whatever the kill has left.
            done = self.engine.run(self.create(tag), capture_output=True)
            self.note_message(done.stderr)
            if done.returncode != 0 and not self.exists(tag):
                raise Failure(f"`create` failed: {done.stderr.decode()}")
        else:
            self.verb("rerun", tag)
        spared = {Chaos.kill_daemon} if self.options.spare_daemons else set()
        if not self.options.moves:
            spared.add(Chaos.move_store)
        events, weights = zip(*[event for event in self.EVENTS if event[0] not in spared])
        for _ in range(self.random.randrange(8, 16)):
            self.pause(1.5)
            self.random.choices(events, weights)[0](self, tag)
        if self.random.random() < 0.25:
            # Taken away in the middle of it.
            self.remove(tag)
            return
        self.settle(tag)
        self.whole(tag)
        self.clean(1)
        self.idle()
        self.remove(tag)

    def settle(self, tag):
        """Reruns a map until it is whole."""
        deadline = time.monotonic() + PATIENCE
        while True:
            self.verb("release", tag)
            self.verb("rerun", tag)
            done = self.verb("wait", tag, "--timeout", 30)
            self.engine.look_again()
            if done.returncode == 0:
                # The engine may have ended a component that its controller had forgotten, in the middle of a file.
                done = self.verb("wait", tag, "--timeout", 30)
            # A changed byte is found by those who look for it.
            if done.returncode == 0 and self.verb("status", "--verify", tag).returncode == 0:
                return
            # Those that a release does not help say so.
            moved = [str(number) for number, (_, _, help) in (self.states(tag) or {}).items() if "rerun components" in (help or "")]
            if moved:
                self.verb("rerun", "components", tag, "--components", ",".join(moved))
            if time.monotonic() > deadline:
                raise Failure(f"`{tag}` does not become whole: {self.states(tag)}; {done.stderr.decode()}")

    def remove(self, tag):
        if self.random.random() < 0.5:
            self.killed_at_random(self.tpvc("remove", tag), "remove", self.random.choice([0.03, 0.3]))
        if self.exists(tag):
            self.verb("remove", tag, check=True)
        else:
            # Another verb that changes something ends what was begun.
            self.verb("clean")
        self.clean(0)
        self.idle()

    def run(self):
        self.prepare()
        number = 0
        try:
            while sum(self.kills.values()) < self.options.kills:
                number += 1
                started = time.monotonic()
                self.round(number)
                seconds = time.monotonic() - started
                print(f"round {number}: whole after {seconds:.0f} s; {sum(self.kills.values())} kills", flush=True)
        finally:
            print(f"{number} rounds, {sum(self.kills.values())} kills: {dict(sorted(self.kills.items()))}")
            print(f"other faults: {dict(sorted(self.faults.items()))}")
            print(f"errors that verbs told: {dict(sorted(self.messages.items()))}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--engine", choices=sorted(ENGINES), default="local")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--components", type=int, default=24)
    parser.add_argument("--seconds", type=float, default=1.0, help="how long a component takes, about")
    parser.add_argument("--spare-daemons", action="store_true", help="kill no daemon of the engine")
    parser.add_argument("--moves", action="store_true", help="move the folder of maps, too, after which HTCondor may take minutes")
    parser.add_argument("--folder", type=pathlib.Path, help="the folder to work in, which must not be there yet")
    parser.add_argument("--keep", action="store_true", help="keep the folder where something failed")
    options = parser.parse_args()
    print(f"engine {options.engine}, seed {options.seed}", flush=True)
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="tpvc-chaos-"))
    engine = ENGINES[options.engine](folder)
    engine.setup()
    end_on_signals()
    chaos = None
    failed = True
    try:
        binary = binary_for_tests(options.binary.resolve(), engine.work, engine.owner())
        chaos = Chaos(engine, binary, options)
        # Before the engine starts, which may have mounts of its own.
        chaos.make_disk()
        engine.start()
        chaos.run()
        failed = False
    except Failure as failure:
        print(f"seed {options.seed}: {failure}", file=sys.stderr)
    finally:
        engine.stop()
        if not (failed and options.keep):
            if chaos:
                chaos.clear()
            shutil.rmtree(folder, ignore_errors=True)
        else:
            print(f"kept: {folder}", file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
