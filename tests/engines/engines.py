"""The engines of `tpvc maps` as tests see them: how to start and stop them, and which processes are theirs."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
# What a script in this folder ends with where an engine can't be installed.
SKIPPED = 77


class Process:
    """A process of this machine: its arguments and its folder, as far as they can be read."""

    def __init__(self, pid):
        self.pid = pid
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            self.arguments = file.read().decode(errors="replace").split("\0")[:-1]
        try:
            self.folder = os.readlink(f"/proc/{pid}/cwd")
        except OSError:
            self.folder = ""

    def concerns(self, folder):
        return str(folder) in self.folder or any(str(folder) in argument for argument in self.arguments)

    def verb(self):
        """The verb of a process of `tpvc maps`."""
        return self.arguments[2] if self.arguments[1:2] == ["maps"] and len(self.arguments) > 2 else None

    def is_wrapper(self):
        return self.verb() is None and any(
            argument.endswith(("/component.sh", "condor_exec.exe")) for argument in self.arguments[:2]
        )

    def kill(self):
        """Whether there was something to kill."""
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True


def processes(folder):
    """The processes that work in a folder or on files in it, except this one."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                process = Process(int(name))
            except OSError:
                continue
            if process.arguments and process.concerns(folder):
                found.append(process)
    return found


class Engine:
    """An engine that works in a folder. `work` is the folder of the tests' own files, which components see under the same path."""

    name = "local"
    # Whether the engine's daemons start again by themselves.
    revives = False

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.work = self.folder / "work"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("TPVC_MAPS")}

    def setup(self):
        self.work.mkdir(parents=True, exist_ok=True)

    def start(self):
        pass

    def stop(self):
        pass

    def client(self, command):
        """The command that runs a command where jobs are submitted."""
        return command

    def owner(self):
        """Who runs the client."""
        return os.getuid(), os.getgid()

    def run(self, command, **options):
        options.setdefault("timeout", 600)
        return subprocess.run(
            self.client([str(word) for word in command]), env=self.environment, stdin=subprocess.DEVNULL, **options
        )

    def spawn(self, command, **options):
        return subprocess.Popen(
            self.client([str(word) for word in command]), env=self.environment, stdin=subprocess.DEVNULL, **options
        )

    def daemons(self):
        """The processes without which nothing runs."""
        return [process for process in processes(self.work) if process.verb() == "run"]

    def revive(self):
        """Starts the daemons again where nobody else does."""

    def look_again(self):
        """Makes the engine compare what it believes with what its nodes do, where it would do that in an hour."""

    def queued(self):
        """How many jobs the engine still has."""
        return 0

    def take_away(self, random):
        """Takes jobs from the queue behind the program's back. How many."""
        return 0

    def is_own(self, process):
        """Whether a process is no component's and no client's, but the engine's."""
        return False


class Local(Engine):
    pass


class Slurm(Engine):
    name = "slurm"

    def __init__(self, folder):
        super().__init__(folder)
        self.daemon_folder = self.folder / "slurm"
        self.environment["SLURM_CONF"] = str(self.daemon_folder / "slurm.conf")

    def script(self, verb):
        code = subprocess.run([HERE / "slurm.sh", verb, self.daemon_folder], timeout=300).returncode
        if code != 0:
            sys.exit(code if code == SKIPPED else f"`slurm.sh {verb}` failed")

    def setup(self):
        super().setup()
        self.script("setup")

    def start(self):
        self.script("start")

    revive = start

    def look_again(self):
        # A controller that was killed may take jobs for running that have ended meanwhile. And it gives ids again, after which a node that
        # still has a job of that id takes no more until an administrator says so.
        self.run(["scontrol", "reconfigure"], capture_output=True)
        state = self.run(["sinfo", "--noheader", "--format=%T"], capture_output=True).stdout.decode().strip()
        if state.rstrip("*") not in ("idle", "mixed", "allocated") or state.endswith("*"):
            # A node of whose killed daemon the controller still waits for an end.
            self.run(["scontrol", "update", "nodename=localhost", "state=down", "reason=chaos"], capture_output=True)
        self.run(["scontrol", "update", "nodename=localhost", "state=resume"], capture_output=True)

    def stop(self):
        self.script("stop")

    def daemons(self):
        found = []
        # The controller keeps the state: it matters more than the node's daemon.
        for name in ["slurmctld", "slurmctld", "slurmd"]:
            pid = int((self.daemon_folder / "run" / f"{name}.pid").read_text())
            try:
                found.append(Process(pid))
            except OSError:
                pass
        return found

    def queued(self):
        lines = self.run(["squeue", "--noheader", "--array"], capture_output=True, check=True).stdout
        return len(lines.splitlines())

    def take_away(self, random):
        ids = self.run(["squeue", "--noheader", "--array", "--format=%i"], capture_output=True).stdout.decode().split()
        chosen = random.sample(ids, min(3, len(ids)))
        for job in chosen:
            self.run(["scancel", job], capture_output=True)
        return len(chosen)

    def is_own(self, process):
        return process.concerns(self.daemon_folder) and not process.concerns(self.work)


class HtCondor(Engine):
    name = "htcondor"
    revives = True

    def script(self, *words):
        return [str(HERE / "htcondor.sh"), words[0], str(self.folder), *words[1:]]

    def checked(self, verb):
        code = subprocess.run(self.script(verb), timeout=1800).returncode
        if code != 0:
            sys.exit(code if code == SKIPPED else f"`htcondor.sh {verb}` failed")

    def setup(self):
        self.checked("setup")
        super().setup()

    def start(self):
        self.checked("start")

    def stop(self):
        self.checked("stop")

    def client(self, command):
        return self.script("run", *command)

    def owner(self):
        return 5000, 5000

    def daemons(self):
        return self.processes_called("condor_schedd", "condor_shadow", "condor_starter")

    def processes_called(self, *names):
        found = []
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    process = Process(int(name))
                except OSError:
                    continue
                if process.arguments and os.path.basename(process.arguments[0]) in names:
                    found.append(process)
        return found

    def revive(self):
        deadline = time.monotonic() + 120
        while self.run(["condor_q", "-totals"], capture_output=True).returncode != 0:
            if time.monotonic() > deadline:
                sys.exit("the schedd did not come back within two minutes")
            time.sleep(1)

    def queued(self):
        return len(self.run(["condor_q", "-af", "ProcId"], capture_output=True, check=True).stdout.splitlines())

    def take_away(self, random):
        lines = self.run(["condor_q", "-af", "ClusterId", "ProcId"], capture_output=True).stdout.decode().splitlines()
        ids = [line.replace(" ", ".") for line in lines]
        chosen = random.sample(ids, min(3, len(ids)))
        for job in chosen:
            self.run(["condor_rm", job], capture_output=True)
        return len(chosen)

    def is_own(self, process):
        return "/condor_" in process.arguments[0] or process.arguments[0].startswith("condor_") or not process.concerns(
            self.work
        )


ENGINES = {engine.name: engine for engine in (Local, Slurm, HtCondor)}


def binary_for_tests(binary, work, owner):
    """A copy of the program where components see it, without what only a debugger needs: each map ships it."""
    copy = work / "tpvc"
    if shutil.which("strip"):
        subprocess.run(["strip", "-o", copy, binary], check=True)
    else:
        shutil.copy(binary, copy)
    os.chown(copy, *owner)
    return copy


def end_on_signals():
    """Makes a signal to end an exception, so that what was started is stopped."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


@contextlib.contextmanager
def running(kind, folder=None):
    """An engine of a kind that runs in a folder, which must not be there yet and is removed in the end."""
    folder = folder or pathlib.Path(tempfile.mkdtemp(prefix="tpvc-engine-"))
    engine = kind(folder)
    engine.setup()
    end_on_signals()
    try:
        engine.start()
        yield engine
    finally:
        engine.stop()
        shutil.rmtree(folder, ignore_errors=True)
