#!/usr/bin/env python3
"""Why components wait, are held, were removed or ended, and what they may use and have used: the same on each engine.

    reasons.py BINARY [--engine local|slurm|htcondor] [--only TEXT] [--folder DIR]

It ends with 0 where all is as it should be, and with 77 where the engine can't be installed.
"""

import json
import os
import subprocess
import time

from verbs import PATIENCE, Verbs, claim, main

# A program that takes its time as a component. The pipe that ties it to the runner of this machine ends it.
SLOW = """#!/bin/sh
[ "$2" != run ] || exec {tpvc} "$@"
[ ! -p /dev/stdin ] || exec cat > /dev/null
exec sleep 1000
"""
# In bytes: a few components, and one.
SOME, ONE = "200000", "10000000"


class Reasons(Verbs):
    # The state of a component past its time, and the verb that lets it run again.
    past_time = ("ERRORED", "rerun")
    held = "held by its user"

    def prepare(self):
        super().prepare()
        slow = self.engine.work / "slow"
        slow.write_text(SLOW.format(tpvc=self.binary))
        slow.chmod(0o755)

    def row(self, tag, state):
        """The first component, once it is in a state."""
        return self.wait_for(tag, state, lambda rows: rows[0]["state"] == state)[0]

    def explained(self, tag, state, note, remedy):
        """A state with its reason and its remedy: in the list, beside the counts, in what `wait` says, and in the map's folder."""
        row = self.row(tag, state)
        claim(note in row["note"] and remedy in row["help"], f"{state}: {row}")
        beside = self.verb("status", tag)[1]
        claim(note in beside and remedy in beside, f"beside the counts: {beside}")
        return row

    def written(self, tag):
        return [reason for path in sorted((self.path / "clusters").glob("*.why.json")) for reason in json.loads(path.read_text())]

    # What can happen.

    def a_hold_is_explained(self):
        self.create("held", "--slice-bytes", SOME, "--program", "slow")
        self.verb("hold", "held")
        self.explained("held", "HELD", self.held, "tpvc maps release")
        claim(self.held in self.verb("holds", "held")[0] and "release" in self.verb("holds", "held")[0], "holds shows both")
        [reason] = self.written("held")
        claim(reason["state"] == "HELD" and reason["components"] == f"0-{len(self.rows('held')) - 1}", reason)
        error = self.verb("wait", "held", check=False)[1]
        claim(self.held in error and "tpvc maps release" in error, error)
        self.verb("transplant", "held", "--program", self.binary)
        self.verb("rerun", "map", "held")
        self.whole("held")

    def memory_is_resident_memory(self):
        """The program takes more than 4 MiB, and much less than 1 GiB, whatever addresses it asks for."""
        self.create("memory", "--slice-bytes", SOME, "--memory", "4M")
        self.verb("wait", "memory", "--timeout", PATIENCE, check=False)
        self.explained("memory", "ERRORED", "it used more memory than its limit of 4 MiB", "tpvc maps edit --memory")
        report = json.loads(self.verb("errors", "memory", "--format", "json")[0])[0]
        claim(report["memory_limit_mib"] == 4 and report["memory_kib"] >= 4096, report)
        used = report["memory_kib"] // 1024 + 1
        claim(used < 400, report)
        self.verb("edit", "memory", "--memory", "1G")
        self.verb("rerun", "memory")
        self.verb("wait", "memory", "--timeout", PATIENCE)
        rows = self.rows("memory")
        claim(all(0 < row["memory_mib"] < 1024 and 0 < row["seconds"] and 0 < row["disk_bytes"] for row in rows), rows)
        self.whole("memory")

    def chosen_components_have_limits_of_their_own(self):
        self.create("chosen", "--slice-bytes", SOME, "--memory", "1G")
        self.verb("wait", "chosen", "--timeout", PATIENCE)
        self.verb("edit", "chosen", "--components", "1", "--memory", "4")
        self.verb("rerun", "map", "chosen")
        self.verb("wait", "chosen", "--timeout", PATIENCE, check=False)
        states = self.states("chosen")
        claim(states[1] == "ERRORED" and set(states[:1] + states[2:]) == {"COMPLETED"}, states)
        claim("limit of 4 MiB" in self.rows("chosen")[1]["note"], "it says which limit")
        self.verb("edit", "chosen", "--memory", "1G")
        self.verb("rerun", "chosen")
        self.whole("chosen")

    def queued_components_are_edited(self):
        """Their limits are those of the moment when they start."""
        self.create("queued", "--slice-bytes", SOME, "--memory", "1G")
        self.verb("hold", "queued")
        self.verb("edit", "queued", "--memory", "4M", "--components", "0")
        self.verb("release", "queued")
        self.verb("wait", "queued", "--timeout", PATIENCE, check=False)
        rows = self.rows("queued")
        if rows[0]["state"] == "COMPLETED":
            # It had run before it could be held.
            self.verb("rerun", "components", "queued", "--components", "0")
            self.verb("wait", "queued", "--timeout", PATIENCE, check=False)
            rows = self.rows("queued")
        claim("limit of 4 MiB" in rows[0]["note"] and rows[1]["state"] == "COMPLETED", rows)
        self.verb("edit", "queued", "--memory", "1G")
        self.verb("rerun", "queued")
        self.whole("queued")

    def disk_is_the_room_of_a_component(self):
        self.create("disk", "--slice-bytes", SOME, "--disk", "1M")
        self.verb("wait", "disk", "--timeout", PATIENCE, check=False)
        self.explained("disk", "ERRORED", "more disk than its limit of 1 MiB", "tpvc maps edit --disk")
        self.verb("edit", "disk", "--disk", "1G")
        self.verb("rerun", "disk")
        self.whole("disk")

    def a_limit_of_time_is_explained(self):
        self.create("slow", "--slice-bytes", ONE, "--program", "slow", "--time", "5")
        state, verb = self.past_time
        self.explained("slow", state, "ran longer than its limit of", "tpvc maps edit --time")
        error = self.verb("wait", "slow", check=False)[1]
        claim("tpvc maps edit --time" in error, error)
        self.verb("transplant", "slow", "--program", self.binary)
        self.verb("edit", "slow", "--time", "600")
        self.verb("rerun", "components", "slow", "--components", "0")
        self.whole("slow")

    def verbs_that_an_engine_lacks_say_what_does_the_same(self):
        self.create("verbs", "--slice-bytes", SOME, "--program", "slow")
        for verb, other in (("pause", "hold"), ("resume", "release"), ("vacate", "rerun")):
            error = self.refused(verb, "verbs")
            claim(f"`tpvc maps {other}" in error, error)
        self.verb("remove", "verbs")

    def what_is_no_tpvc_is_not_shipped(self):
        self.create("shipped", "--slice-bytes", ONE)
        (self.engine.work / "prog.txt").write_text("hello\n")
        claim("is not a tpvc" in self.refused("transplant", "shipped", "--program", "prog.txt"), "it is refused")
        self.whole("shipped")

    COMMON = [
        a_hold_is_explained,
        memory_is_resident_memory,
        chosen_components_have_limits_of_their_own,
        queued_components_are_edited,
        disk_is_the_room_of_a_component,
        a_limit_of_time_is_explained,
        what_is_no_tpvc_is_not_shipped,
    ]


class Local(Reasons):
    def what_waits_for_a_place_says_so(self):
        self.create("places", "--slice-bytes", SOME, "--program", "slow", "--option", "slots=1")
        rows = self.wait_for("places", "RUNNING", lambda rows: rows[0]["state"] == "RUNNING")
        claim(rows[1]["state"] == "IDLE" and "places: 1" in rows[1]["note"] and "slots" in rows[1]["help"], rows)
        self.verb("remove", "places")

    def maps_share_the_program(self):
        for tag in ("one", "other"):
            self.create(tag, "--slice-bytes", ONE)
            program = self.path / "inputs" / json.loads((self.path / "submit.json").read_text())["program"]
        claim(program.stat().st_nlink > 1, "the program is on the disk once")
        self.whole("one")
        self.path = program.parent.parent
        self.whole("other")

    SCENARIOS = [
        *Reasons.COMMON,
        Reasons.verbs_that_an_engine_lacks_say_what_does_the_same,
        what_waits_for_a_place_says_so,
        maps_share_the_program,
    ]


class Slurm(Reasons):
    # Slurm requeues what runs.
    held = "held"

    def slurm(self, *words):
        return self.engine.run(words, capture_output=True, check=True).stdout.decode()

    def forgotten(self):
        """Waits until Slurm has forgotten what has ended."""
        end = time.monotonic() + PATIENCE
        while left := self.slurm("squeue", "--me", "--array", "--noheader", "--states=all").strip():
            claim(time.monotonic() < end, f"Slurm does not forget {left}")
            time.sleep(1)

    def nodes_that_are_drained_are_named(self):
        self.slurm("scontrol", "update", "nodename=localhost", "state=drain", "reason=test")
        try:
            self.create("drained", "--slice-bytes", SOME)
            self.explained("drained", "IDLE", "the nodes that it needs are", "sinfo -R")
            error = self.verb("wait", "drained", "--timeout", "75", check=False)[1]
            claim("IDLE for a minute: the nodes that it needs" in error and "timed out" in error, error)
        finally:
            self.slurm("scontrol", "update", "nodename=localhost", "state=resume")
        self.whole("drained")

    def cancelled_tasks_stay_removed(self):
        self.create("hand", "--slice-bytes", SOME, "--program", "slow")
        self.wait_for("hand", "RUNNING", lambda rows: rows[0]["state"] == "RUNNING")
        self.slurm("scancel", f"{(self.path / 'clusters/0.id').read_text().strip()}_0")
        self.explained("hand", "REMOVED", "taken from the queue", "tpvc maps rerun")
        self.slurm("scancel", (self.path / "clusters/0.id").read_text().strip())
        self.wait_for("hand", "REMOVED", lambda rows: {row["state"] for row in rows} == {"REMOVED"})
        self.forgotten()
        self.explained("hand", "REMOVED", "taken from the queue", "tpvc maps rerun")
        self.verb("transplant", "hand", "--program", self.binary)
        self.verb("rerun", "hand")
        self.whole("hand")

    def an_end_that_was_seen_is_not_forgotten(self):
        self.create("late", "--slice-bytes", ONE, "--program", "slow", "--time", "5")
        self.row("late", "ERRORED")
        self.forgotten()
        self.explained("late", "ERRORED", "ran longer than its limit of", "tpvc maps edit --time")
        self.verb("remove", "late")

    def what_sbatch_refused_can_be_created_again(self):
        words = ["create", "--quiet", "--tag", "again", "--rules", "rules.bin", "--engine", "slurm", self.jobs]
        error = self.verb(*words, "--memory", "99999G", check=False)[1]
        claim("Memory specification can not be satisfied" in error, error)
        self.create("again")
        self.whole("again")

    def a_full_disk_is_named(self):
        disk = self.engine.work / "disk"
        disk.mkdir()
        if os.getuid() != 0:
            return
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300m", "tmpfs", disk], check=True)
        usual = self.maps
        try:
            self.maps = disk / "maps"
            late = self.engine.work / "late"
            late.write_text(f'#!/bin/sh\nwhile [ ! -e {self.engine.work}/go ]; do sleep 0.1; done\nexec {self.binary} "$@"\n')
            late.chmod(0o755)
            self.create("full", "--slice-bytes", ONE, "--program", "late")
            self.row("full", "RUNNING")
            with open(disk / "filler", "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(1 << 16))
                except OSError:
                    pass
            (self.engine.work / "go").touch()
            row = self.row("full", "ERRORED")
            claim("disk is full" in row["note"] and "make room" in row["help"], row)
            (disk / "filler").unlink()
            self.verb("rerun", "full")
            self.whole("full")
        finally:
            self.maps = usual
            subprocess.run(["umount", "--lazy", disk])

    SCENARIOS = [
        *Reasons.COMMON,
        Reasons.verbs_that_an_engine_lacks_say_what_does_the_same,
        nodes_that_are_drained_are_named,
        cancelled_tasks_stay_removed,
        an_end_that_was_seen_is_not_forgotten,
        what_sbatch_refused_can_be_created_again,
        a_full_disk_is_named,
    ]


class HtCondor(Reasons):
    past_time = ("HELD", "release")
    held = "via condor_hold"

    def condor(self, *words):
        return self.engine.run(words, capture_output=True, check=True).stdout.decode()

    def memory_that_no_machine_has_is_named(self):
        self.create("much", "--slice-bytes", SOME, "--memory", "999999")
        self.wait_for("much", "the reason", lambda rows: "RequestMemory" in rows[0]["note"])
        row = self.explained("much", "IDLE", "which asks for 999999 (mb)", "tpvc maps edit --memory")
        claim(row["note"].startswith("no machine of the pool meets"), row)
        error = self.verb("wait", "much", "--timeout", "75", check=False)[1]
        claim("IDLE for a minute: no machine of the pool meets" in error, error)
        self.verb("edit", "much", "--memory", "500M")
        self.whole("much")

    def a_busy_pool_is_no_pool_without_machines(self):
        self.create("busy", "--slice-bytes", ONE, "--program", "slow", "--memory", "3G")
        self.row("busy", "RUNNING")
        self.create("next", "--slice-bytes", ONE, "--memory", "2G")
        self.wait_for("next", "the reason", lambda rows: "HTCondor has not looked" not in rows[0]["note"])
        self.explained("next", "IDLE", "busy", "wait")
        self.verb("remove", "busy")
        self.whole("next")

    def a_hold_without_an_event_has_the_queue_s_reason(self):
        self.create("event", "--slice-bytes", ONE, "--program", "slow")
        self.verb("hold", "event")
        self.row("event", "HELD")
        log = self.path / "events/0.log"
        self.wait_for("event", "the event of the hold", lambda _: "\n012 (" in log.read_text())
        text = log.read_text()
        log.write_text(text[: text.rindex("012 (")])
        (self.path / "clusters/0.why.json").unlink()
        self.explained("event", "HELD", "via condor_hold", "tpvc maps release")
        self.verb("remove", "event")

    def components_are_paused_and_vacated(self):
        self.create("pause", "--slice-bytes", ONE, "--program", "slow")
        self.row("pause", "RUNNING")
        self.verb("pause", "pause")
        self.explained("pause", "SUSPENDED", "suspended", "tpvc maps resume")
        self.verb("resume", "pause")
        self.row("pause", "RUNNING")
        self.verb("vacate", "pause")
        self.wait_for("pause", "another start", lambda _: (self.path / "events/0.log").read_text().count("\n001 (") > 1)
        self.verb("transplant", "pause", "--program", self.binary)
        self.verb("rerun", "map", "pause")
        self.whole("pause")

    def components_of_killed_daemons_run_again_at_once(self):
        self.create("killed", "--slice-bytes", SOME, "--program", "slow")
        self.wait_for("killed", "RUNNING", lambda rows: rows[0]["state"] == "RUNNING")
        for process in self.engine.processes_called("condor_startd", "condor_starter"):
            process.kill()
        self.verb("transplant", "killed", "--program", self.binary)
        started = time.monotonic()
        self.verb("rerun", "components", "killed", "--components", f"0-{len(self.states('killed')) - 1}")
        seconds = time.monotonic() - started
        print(f"  `rerun components` took {seconds:.0f} s", flush=True)
        claim(seconds < 30, "a removed job whose node does not answer is forced out")
        self.whole("killed")

    SCENARIOS = [
        *Reasons.COMMON,
        memory_that_no_machine_has_is_named,
        a_busy_pool_is_no_pool_without_machines,
        a_hold_without_an_event_has_the_queue_s_reason,
        components_are_paused_and_vacated,
        components_of_killed_daemons_run_again_at_once,
    ]


KINDS = {"local": Local, "slurm": Slurm, "htcondor": HtCondor}

if __name__ == "__main__":
    main(__doc__, KINDS.get, lambda name: KINDS[name].SCENARIOS)
