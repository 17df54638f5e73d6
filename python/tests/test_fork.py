"""Processes that Galaxy forks: what the parent's threads held is free in the child, which loads rules of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import galaxy_objects as objects
import tpvc
from tpvc.galaxy import active

RULES = "tools: {.*: {cores: CORES, params: {spec: '{cores}'}}}\ndestinations: {local: {runner: local}}\n"


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "tpv.yml"
    path.write_text(RULES.replace("CORES", "2"))
    return path


def in_child(act: Any, seconds: int = 60) -> Any:
    """The result of a function in a forked process, as text. The assertion fails if the process does not end."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        # The alarm's default ends the process, whatever it waits for.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        try:
            os.write(write, repr(act()).encode())
        except BaseException as error:
            os.write(write, f"raised {error!r}".encode())
        os._exit(0)
    os.close(write)
    _, status = os.waitpid(pid, 0)
    with os.fdopen(read, "rb") as answer:
        text = answer.read().decode()
    assert status == 0, f"the child ended with {status}, which is by signal {status & 127}"
    return text


def mapped(gateway: Any, config: str) -> Any:
    return gateway.map_tool_to_destination(
        objects.app(watch="true"), objects.job(), objects.tool(), objects.user(), tpv_config_files=[config]
    ).params


class Silent:
    """A server that takes requests and answers none."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/tools.yml"
        self.asked = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        self.connection, _ = self.socket.accept()
        self.connection.recv(1000)
        self.asked.set()

    def end(self) -> None:
        self.connection.close()
        self.socket.close()


def test_a_fork_while_a_thread_loads(gateway: Any, rules: Path) -> None:
    server = Silent()
    raised: list[BaseException] = []

    def load() -> None:
        try:
            mapped(gateway, server.url)
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=load)
    thread.start()
    assert server.asked.wait(60)
    assert active.lock_of("tpv_dispatcher").locked()
    assert in_child(lambda: (mapped(gateway, str(rules)), active.lock_of("tpv_dispatcher").locked())) == "({'spec': '2'}, False)"
    # The parent's thread has the lock as before.
    assert active.lock_of("tpv_dispatcher").locked()
    server.end()
    thread.join(60)
    assert not thread.is_alive() and isinstance(raised[0], tpvc.CompileError)
    assert not active.lock_of("tpv_dispatcher").locked()
    assert mapped(gateway, str(rules)) == {"spec": "2"}


def test_a_fork_waits_for_rules_that_are_loaded_soon(gateway: Any, rules: Path) -> None:
    assert active.lock_of("tpv_dispatcher").acquire()
    threading.Timer(0.2, active.lock_of("tpv_dispatcher").release).start()
    assert in_child(lambda: mapped(gateway, str(rules))) == "{'spec': '2'}"
    assert not active.lock_of("tpv_dispatcher").locked()


def test_a_child_loads_and_watches_its_own(gateway: Any, rules: Path) -> None:
    assert mapped(gateway, str(rules)) == {"spec": "2"}
    parents = dict(gateway.WATCHERS_BY_CONFIG_FILE)
    assert len(parents) == 1

    def child() -> Any:
        # The watcher's thread is not in this process, so that no change would ever be seen.
        first = (dict(gateway.ACTIVE_DESTINATION_MAPPERS), dict(gateway.WATCHERS_BY_CONFIG_FILE))
        rules.write_text(RULES.replace("CORES", "3"))
        return first, mapped(gateway, str(rules)), len(gateway.WATCHERS_BY_CONFIG_FILE)

    assert in_child(child) == "(({}, {}), {'spec': '3'}, 1)"
    assert gateway.WATCHERS_BY_CONFIG_FILE == parents


DRAWS = """
import os, signal, sys, threading, tpvc
config = '''
tools:
  waits:
    cores: "__import__('random').random() and __import__('sys').modules['__main__'].wait()"
  draws:
    cores: "3 if __import__('random').random() < __import__('sys').modules['__main__'].two else 4"
destinations: {local: {runner: local}}
'''
two, begun = 2, threading.Event()

def wait():
    begun.set()
    threading.Event().wait()

mapper = tpvc.Mapper(tpvc.compile([("rules.yml", config)]))
threading.Thread(target=mapper.map, args=({"tool": {"id": "waits"}},), daemon=True).start()
assert begun.wait(60)
pid = os.fork()
if pid == 0:
    signal.alarm(20)
    os._exit(tpvc.Mapper(tpvc.compile([("rules.yml", config)])).map({"tool": {"id": "draws"}}).get("cores", 9))
os._exit(0 if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3 else 1)
"""


def test_a_fork_while_a_thread_draws_random_numbers() -> None:
    # In a process of its own because the thread never ends.
    done = subprocess.run([sys.executable, "-c", DRAWS], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
