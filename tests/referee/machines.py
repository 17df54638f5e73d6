"""The two machines that answer a program: CPython in a process of its own, and tpvc's evaluator.

An answer is `{"value": repr, "type": class}`, `{"exception": class, "message": text}` or, from tpvc only, `{"panic": text}`. With
`"lacking": reason` tpvc met at run time what the native language lacks: where CPython is at hand, that answer counts.
"""

import json
import os
import pathlib
import re
import select
import subprocess
import sys
import time

now = time.monotonic
ADDRESS = re.compile(r"\bat 0x[0-9a-f]+")
# One order of sets that hold strings, so that a seed gives the same programs and answers each time.
ENVIRONMENT = {**os.environ, "PYTHONHASHSEED": "0"}
# What no program of the referee should need; a machine that takes longer is started again.
SECONDS = 5
# Of a value that is longer, the time that it takes to send it would be measured.
LONGEST = 10_000_000


class Machine:
    """A process that answers a line with a line."""

    def __init__(self, command, **environment):
        self.command = command
        self.environment = {**ENVIRONMENT, **environment}
        self.process = None

    def ask(self, line):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, env=self.environment)
        try:
            self.process.stdin.write(line.encode("utf-8", "surrogatepass") + b"\n")
            answer = b""
            while not answer.endswith(b"\n"):
                if not select.select([self.process.stdout], [], [], SECONDS)[0]:
                    return self.stop()
                part = self.process.stdout.read(1 << 16)
                if not part:
                    return self.stop()
                answer += part
        except BrokenPipeError:
            return self.stop()
        return json.loads(answer)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process = None


class CPython(Machine):
    def __init__(self, **environment):
        super().__init__([sys.executable, str(pathlib.Path(__file__).with_name("cpython.py"))], **environment)

    def answer(self, case):
        """None where CPython takes too long, or more memory than it may."""
        answer = self.ask(json.dumps({"kind": case[0], "source": case[1]}))
        if answer is None or answer.get("exception") == "MemoryError" or len(answer.get("value", "")) > LONGEST:
            return None
        return answer


class Tpvc(Machine):
    def __init__(self, evaluator):
        super().__init__([evaluator])

    def answer(self, case):
        answer = self.ask(json.dumps({"kind": case[0], "source": case[1]}))
        return answer if answer is not None else {"panic": "no answer: the evaluator died or took too long"}

    def findings(self, case):
        """What compiling tells of a program that CPython can run and tpvc cannot."""
        answer = self.ask(json.dumps({"kind": case[0], "source": case[1], "findings": True}))
        return [] if answer is None else answer["findings"]


def same(expected, actual):
    return normal(expected) == normal(actual)


def normal(answer):
    # The module that raised is for `known.py`; tpvc does not tell it.
    return {key: ADDRESS.sub("at 0x", text) for key, text in answer.items() if key not in ("module", "lacking")}


def text(answer):
    if "value" in answer:
        return f"{answer['value']} ({answer['type']})" + (f" [lacking: {answer['lacking']}]" if "lacking" in answer else "")
    if "panic" in answer:
        return f"PANIC {answer['panic']}"
    lacking = f" [lacking: {answer['lacking']}]" if "lacking" in answer else ""
    return f"{answer['exception']}: {answer['message']}{lacking}"
