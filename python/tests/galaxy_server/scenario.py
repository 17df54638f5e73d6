"""Jobs of a real Galaxy, with tpvc, with TPV, and with both: the same destinations, states and texts."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from server import Server, Shared

MODULES = ["tpvc.rules", "tpv.rules", "tpvc.shadow"]


# What only tpvc has: it is not compared.
OF_TPVC = "with tpvc "


def in_log(server: Server) -> dict[str, bool]:
    """What the log says of rules that fail or take long."""
    text, rules = server.log_text(), server.folder / "tpv_rules.yml"
    lines = rules.read_text().splitlines()

    def frame(code: str, name: str) -> bool:
        number = 1 + next(index for index, line in enumerate(lines) if code in line)
        shown = f'File "{rules}", line {number}, in {name}\n    {lines[number - 1].strip()}\n'
        return shown in text

    warnings = [line for line in text.splitlines() if "WARNING" in line and "tpvc.galaxy.budget" in line]
    return {
        "the line of what native code raised": frame("{}['nokey']", "tool nokey: cores"),
        "the line of what CPython's code raised": frame("nokey of CPython", "tool nokey_outside, rule outside: if"),
        "a warning for each rule that spent its budget": [
            name for line in warnings for name in ("tool spins, rule slow: if", "tool endless, rule for_ever: if") if name in line
        ]
        == ["tool spins, rule slow: if", "tool endless, rule for_ever: if"],
        "the end of the endless loop": f"TimeoutError: {rules}: tool endless, rule for_ever: if has run in CPython for more than 10 s"
        in text,
    }


def scenario(server: Server) -> dict[str, Any]:
    """Runs all jobs and says what came of each."""
    seen: dict[str, Any] = {}

    def note(name: str, what: Any) -> None:
        seen[name] = what
        print(f"  {name}: {json.dumps(what)}", flush=True)

    note("a job", server.run("hello"))
    note("a job whose rule asks the database", server.run("counted"))
    note("a job whose rule imports what only CPython has", server.run("outside"))
    note("a job that a rule refuses", server.run("refused"))
    note("a job that runs out of memory and comes back with more", server.run("oom"))

    note("a job whose rules ask a module of the site", server.run("sited"))
    note("a job whose rule raises", server.run("nokey"))
    note("a job whose rule raises in CPython", server.run("nokey_outside"))
    note("a job whose rule takes many steps", server.run("spins"))
    if server.rules_module == "tpvc.rules":
        # With TPV it stops the handler.
        note(OF_TPVC + "a job whose rule does not end", server.run("endless"))
        note(OF_TPVC + "a job after it", server.run("hello"))
        note(OF_TPVC + "the log", in_log(server))

    job, output = server.submit("waits")
    time.sleep(6)
    note("a job that is not ready", server.state(job))
    (server.folder / "go").write_text("now")
    note("the same job, once it is", server.result(job, output))

    server.rules("cores: 2 # hello", "cores: 3 # hello")
    server.wait("the edited rules are used", lambda: "slots=3" in server.run("hello")["output"], 60)
    note("a job after the rules were edited", server.run("hello"))

    server.rules("cores: 3 # hello", "cores: [3 # hello")
    server.wait("the broken rules are told of", lambda: "tpv_rules.yml" in _warnings(server), 60)
    note("a job after the rules were broken", server.run("hello"))

    server.rules("cores: [3 # hello", "cores: 4 # hello")
    server.wait("the mended rules are used", lambda: "slots=4" in server.run("hello")["output"], 60)
    note("a job after the rules were mended", server.run("hello"))
    return seen


def without_the_url(server: Server) -> dict[str, Any]:
    """Starts Galaxy again while the shared config cannot be fetched, and runs a job."""
    server.stop()
    server.shared.is_up = False
    try:
        server.start()
        found = server.run("hello")
        told = [line for line in _warnings(server).splitlines() if "do not load; in use are the texts of" in line]
        return {**found, "warnings": len(told)}
    finally:
        server.shared.is_up = True


def shadowed(server: Server) -> list[str]:
    """The problems with what the shadow counted, once its server has ended."""
    files = list((server.folder / "database" / "tpvc").glob("shadow-*.json"))
    if len(files) != 1:
        return [f"the shadow wrote {len(files)} files"]
    counts = json.loads(files[0].read_text())
    shown = {key: value for key, value in counts.items() if key != "differences"}
    print(f"  the shadow: {json.dumps(shown)}", flush=True)
    problems = [f"the shadow found a difference: {each}" for each in counts["differences"]]
    if counts["equal"] < 10 or counts["unloaded"]:
        problems.append(f"the shadow did not compare: {shown}")
    command = subprocess.run([sys.executable, "-m", "tpvc", "shadow", str(server.folder / "database")], capture_output=True, text=True)
    if (command.returncode != 0) != bool(counts["different"]) or "answers equal" not in command.stdout:
        problems.append(f"`tpvc shadow`: {command.returncode} {command.stdout}{command.stderr}")
    return problems


def _warnings(server: Server) -> str:
    lines = server.log_text().splitlines()
    return "\n".join(line for line in lines if "WARNING" in line and "tpv" in line)


def expected(seen: dict[str, Any]) -> list[str]:
    """What has to be so whoever maps."""
    hello = seen["a job"]
    oom = seen["a job that runs out of memory and comes back with more"]
    refused = seen["a job that a rule refuses"]
    checks = {
        "a job is ok": hello["state"] == "ok" and "slots=2 env=2-6" in hello["output"],
        "and went where it should": hello["destination"].get("tpv_cores") == "2",
        "the database was asked": seen["a job whose rule asks the database"]["state"] == "ok",
        "CPython was asked": seen["a job whose rule imports what only CPython has"]["state"] == "ok",
        "a refused job is told why": refused["state"] == "error" and "Not for trillian" in refused["told"],
        "a job comes back with more memory": oom["state"] == "ok" and "memory 8" in oom["output"],
        "a module of the site is asked": seen["a job whose rules ask a module of the site"]["destination"].get("asked")
        == "True True",
        "a rule that raises ends the job": seen["a job whose rule raises"]["state"] == "error",
        "in CPython as well": seen["a job whose rule raises in CPython"]["state"] == "error",
        "many steps are taken": seen["a job whose rule takes many steps"]["destination"].get("tpv_cores") == "2",
        "a job that is not ready waits": seen["a job that is not ready"] == "new",
        "until it is": seen["the same job, once it is"]["state"] == "ok",
        "edited rules are used": "slots=3" in seen["a job after the rules were edited"]["output"],
        "broken rules are not": "slots=3" in seen["a job after the rules were broken"]["output"],
        "mended rules are": "slots=4" in seen["a job after the rules were mended"]["output"],
    }
    if OF_TPVC + "the log" in seen:
        checks |= {f"the log has {what}": is_there for what, is_there in seen[OF_TPVC + "the log"].items()}
        checks["a rule that does not end is ended"] = seen[OF_TPVC + "a job whose rule does not end"]["state"] == "error"
        checks["and the handler goes on"] = seen[OF_TPVC + "a job after it"]["state"] == "ok"
    return [name for name, holds in checks.items() if not holds]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=MODULES)
    parser.add_argument("--keep", action="store_true", help="keep the servers' folders")
    arguments = parser.parse_args()
    results: dict[str, Any] = {}
    problems: list[str] = []
    shared = Shared()
    for module in [arguments.only] if arguments.only else MODULES:
        print(f"rules_module: {module}", flush=True)
        folder = Path(tempfile.mkdtemp(prefix="galaxy-"))
        started = time.monotonic()
        try:
            with Server(folder, module, shared) as server:
                results[module] = scenario(server)
                if module == "tpvc.rules":
                    found = without_the_url(server)
                    print(f"  a job after a start without the URL: {json.dumps(found)}", flush=True)
                    if found["state"] != "ok" or "slots=4" not in found["output"] or found["warnings"] != 1:
                        problems.append(f"a job after a start without the URL: {found}")
                print(f"  all jobs after {time.monotonic() - started:.0f} s, {server.memory_mb():.0f} MB", flush=True)
            if module == "tpvc.shadow":
                problems += shadowed(server)
        finally:
            if arguments.keep:
                print(f"  kept {folder} and {folder.with_suffix('.log')}")
            else:
                shutil.rmtree(folder, ignore_errors=True)
                shutil.rmtree(folder.with_suffix(".site"), ignore_errors=True)
                folder.with_suffix(".log").unlink(missing_ok=True)
        problems += [f"with {module} it does not hold that {name}" for name in expected(results[module])]
    for module in set(results) - {"tpv.rules"}:
        for name, found in results[module].items():
            if name.startswith(OF_TPVC):
                continue
            expected_one = results.get("tpv.rules", results[module])[name]
            if found != expected_one:
                problems.append(f"{name}: {found} with {module}, {expected_one} with TPV")
    for problem in problems:
        print(f"FAILED {problem}")
    if not problems:
        print(f"passed: {sum(map(len, results.values()))} jobs and states, {len(results)} servers, the same destinations")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
