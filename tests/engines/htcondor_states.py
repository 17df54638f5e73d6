#!/usr/bin/env python3
"""What `tpvc maps` says of components on a real HTCondor when something has happened to them there.

    htcondor_states.py BINARY [--folder DIR]

It ends with 0 where all is as it should be, and with 77 where HTCondor can't be installed.
"""

import subprocess
import time

from engines import HtCondor
from verbs import PATIENCE, Verbs, claim, main

# A name that a shell, a submit description and an event log could each stumble over.
JOBS = "it's 100% \"$HOME\" $$(Memory), $(rules).jsonl"


class States(Verbs):
    def __init__(self, engine, binary):
        super().__init__(engine, binary, JOBS)

    def condor(self, *words):
        return self.engine.run(words, capture_output=True, check=True).stdout.decode()

    def as_root(self, *words):
        subprocess.run(self.engine.script("root", *words), check=True, capture_output=True)

    def whole(self, tag):
        super().whole(tag)
        claim(self.condor("condor_q", "-af", "ProcId") == "", "jobs are left in the queue")

    # What can happen.

    def late_materialization_is_seen(self):
        self.create("late", "--slice-bytes", "20000", "--option", "max_materialize=2")
        claim("UNMATERIALIZED" in self.states("late"), "components have no job yet")
        self.verb("hold", "late")
        # HTCondor held those that have a job, and the making of the others.
        self.wait_for("late", "the hold", lambda rows: all(row["state"] in ("HELD", "COMPLETED") for row in rows))
        claim("via condor_hold" in self.verb("holds", "late")[0], "the reason of the hold is told")
        self.verb("edit", "late", "--memory", "300")
        self.verb("release", "late")
        self.whole("late")

    def a_component_without_a_job_cannot_be_held(self):
        self.create("late", "--slice-bytes", "100000", "--option", "max_materialize=1")
        last = len(self.states("late")) - 1
        claim("has no job of component" in self.refused("hold", "late", "--components", str(last)), "it says why")
        self.whole("late")

    def a_job_that_was_removed_by_hand_is_removed(self):
        self.create("hand", "--slice-bytes", "200000")
        self.verb("hold", "hand")
        self.condor("condor_rm", "-constraint", "ProcId == 1")
        self.wait_for("hand", "REMOVED", lambda rows: rows[1]["state"] == "REMOVED")
        self.verb("release", "hand")
        self.verb("rerun", "hand")
        self.whole("hand")

    def a_schedd_that_is_down_is_told(self):
        self.create("down", "--slice-bytes", "200000")
        self.verb("hold", "down")
        self.as_root("condor_off", "-fast", "-schedd")
        end = time.monotonic() + PATIENCE
        while self.engine.run(["condor_q"], capture_output=True).returncode == 0:
            claim(time.monotonic() < end, "the schedd did not end")
            time.sleep(0.5)
        claim(set(self.states("down")) == {"UNKNOWN"}, "nobody knows their states")
        for words in (["hold", "down"], ["rerun", "down"], ["remove", "down"]):
            claim("`condor_q` must answer" in self.refused(*words), "it says what to do")
        self.as_root("condor_on", "-schedd")
        self.engine.revive()
        claim(set(self.states("down")) == {"HELD"}, "their states are known again")
        self.verb("release", "down")
        self.whole("down")

    def a_cluster_whose_id_was_not_noted_is_found(self):
        self.create("found", "--slice-bytes", "200000")
        self.verb("hold", "found")
        queue = self.condor("condor_q", "-af", "ClusterId", "ProcId")
        identity = (self.path / "clusters/0.id").read_text()
        for log in ("there", "gone"):
            # As a kill after the submission leaves it; without the event log, only the queue knows the token.
            (self.path / "clusters/0.id").unlink()
            if log == "gone":
                (self.path / "events/0.log").unlink()
            claim(set(self.states("found")) == {"UNKNOWN"}, "an interrupted submission is no state of components")
            self.verb("rerun", "found")
            claim((self.path / "clusters/0.id").read_text() == identity, "the id is noted again")
            claim(self.condor("condor_q", "-af", "ClusterId", "ProcId") == queue, "nothing was submitted twice")
        self.verb("release", "found")
        self.whole("found")

    def another_access_point_refuses(self):
        self.create("moved", "--slice-bytes", "200000")
        self.verb("hold", "moved")
        schedd = self.path / "clusters/0.d/schedd"
        name = schedd.read_text()
        schedd.write_text("ap.example.org\n")
        claim("was submitted to the schedd `ap.example.org`" in self.refused("release", "moved"), "it says where to go")
        schedd.write_text(name)
        self.verb("release", "moved")
        self.whole("moved")

    def a_component_past_its_time_is_held(self):
        slow = self.engine.work / "slow"
        slow.write_text("#!/bin/sh\nexec sleep 1000\n")
        slow.chmod(0o755)
        self.create("slow", "--slice-bytes", "10000000", "--program", "slow", "--time", "5")
        self.wait_for("slow", "HELD", lambda rows: rows[0]["state"] == "HELD")
        claim("ran longer than its limit of 5 s" in self.verb("holds", "slow")[0], "the reason is told")
        self.verb("transplant", "slow", "--program", self.binary)
        self.verb("rerun", "components", "slow", "--components", "0")
        self.whole("slow")

    def a_submit_command_that_tpvc_sets_is_refused(self):
        words = ["create", "--tag", "own", "--rules", "rules.bin", "--engine", "htcondor", "--option", "log=/dev/null", JOBS]
        claim("tpvc sets the submit command `log` itself" in self.verb(*words, check=False)[1], "it says so")
        self.verb("remove", "own", check=False)


SCENARIOS = [
    States.late_materialization_is_seen,
    States.a_component_without_a_job_cannot_be_held,
    States.a_job_that_was_removed_by_hand_is_removed,
    States.a_schedd_that_is_down_is_told,
    States.a_cluster_whose_id_was_not_noted_is_found,
    States.another_access_point_refuses,
    States.a_component_past_its_time_is_held,
    States.a_submit_command_that_tpvc_sets_is_refused,
]


if __name__ == "__main__":
    main(__doc__, lambda _engine: States, SCENARIOS, HtCondor)
