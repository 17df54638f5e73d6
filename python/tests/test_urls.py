"""A server of a config that dies, lies, truncates, redirects or hangs, at a start and at a change: jobs go on, and those of others do not wait."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import galaxy_objects as objects
import tpvc
from tpvc.galaxy import active, unreachable

SHARED = b"global: {default_inherits: default}\ntools: {default: {cores: 2, params: {spec: '{cores} {mem}'}, mem: 4}}\n"
LOCAL = "tools: {default: {mem: 5}}\ndestinations: {local: {runner: local}}\n"
TIMEOUT = 1.0


def answer(status: str, body: bytes, *headers: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", "Connection: close", *headers, "", ""]).encode() + body


GOOD = answer("200 OK", SHARED, f"Content-Length: {len(SHARED)}")
# What the server sends before it closes the connection; `None` sends nothing and keeps it open.
FAULTS: dict[str, bytes | None] = {
    "dies before an answer": b"",
    "dies in its headers": b"HTTP/1.1 200 OK\r\nContent-Le",
    "speaks no HTTP": b"220 ready for mail\r\n",
    "fails": answer("503 Service Unavailable", b"tools: {}"),
    "lies with a page": answer("200 OK", b"<!DOCTYPE html><html><body>Please log in: you</body></html>"),
    "lies with no YAML": answer("200 OK", b"tools: ["),
    "gives nothing that is a config": answer("200 OK", b"- 1\n- 2\n"),
    "gives bytes": answer("200 OK", b"\xff\xfe\x00\x80" * 9),
    "truncates": answer("200 OK", SHARED[:60], f"Content-Length: {len(SHARED)}"),
    "gives a part": answer("206 Partial Content", SHARED),
    "redirects to a file": answer("302 Found", b"", "Location: file:///etc/passwd"),
    "redirects for good": answer("302 Found", b"", "Location: /tools.yml"),
    "redirects nowhere": answer("302 Found", b""),
    "hangs": None,
}


class Server:
    """A server whose answer to each request is set."""

    def __init__(self) -> None:
        self.answer: bytes | None = GOOD
        self.asked = 0
        self.open: list[socket.socket] = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/tools.yml"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                connection.recv(65536)
                self.asked += 1
                if self.answer is None:
                    self.open.append(connection)
                    continue
                with contextlib.suppress(OSError):
                    connection.sendall(self.answer)
                    connection.close()

    def close(self) -> None:
        self.socket.close()
        for connection in self.open:
            connection.close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    unreachable.forget()
    yield made
    made.close()
    active._retries.clear()
    unreachable.forget()


@pytest.fixture
def mapped(gateway: Any, server: Server, tmp_path: Path) -> Callable[..., str]:
    (tmp_path / "local.yml").write_text(LOCAL)
    app = objects.app()
    app.config.data_dir = str(tmp_path / "database")

    def call(name: str = "shared", url: str | None = None) -> str:
        to = SimpleNamespace(id=name, params={"tpvc_url_timeout": TIMEOUT})
        configs = [url or server.url, str(tmp_path / "local.yml")]
        found = gateway.map_tool_to_destination(
            app, objects.job(), objects.tool(), objects.user(), referrer=to, tpv_config_files=configs
        )
        return str(found.params["spec"])

    return call


@pytest.mark.parametrize("fault", FAULTS)
def test_at_a_start_without_texts_jobs_fail_soon(mapped: Any, server: Server, fault: str) -> None:
    server.answer = FAULTS[fault]
    started = time.monotonic()
    for _ in range(8):
        with pytest.raises(tpvc.CompileError):
            mapped()
    # One time-out at most, for all jobs.
    assert time.monotonic() - started < TIMEOUT + 2
    assert server.asked == 1 or "redirects for good" in fault
    # The server is well again, which is seen after a while.
    server.answer = GOOD
    active._failures.clear()
    unreachable.forget()
    assert mapped() == "2 5"


@pytest.mark.parametrize("fault", FAULTS)
def test_at_a_start_with_texts_jobs_are_mapped(mapped: Any, server: Server, gateway: Any, fault: str, caplog: Any) -> None:
    assert mapped() == "2 5"
    server.answer = FAULTS[fault]
    gateway.ACTIVE_DESTINATION_MAPPERS = {}
    started = time.monotonic()
    assert [mapped() for _ in range(5)] == ["2 5"] * 5
    assert time.monotonic() - started < TIMEOUT + 2
    assert "do not load" in caplog.text and "as they were at" in caplog.text


@pytest.mark.parametrize("fault", FAULTS)
def test_at_a_change_jobs_go_on(mapped: Any, server: Server, tmp_path: Path, fault: str) -> None:
    assert mapped() == "2 5"
    server.answer = FAULTS[fault]
    local = tmp_path / "local.yml"
    local.write_text(LOCAL.replace("5", "7"))
    loading = threading.Thread(target=active.reload, args=(str(local.resolve()),))
    loading.start()
    times = []
    while loading.is_alive():
        started = time.monotonic()
        assert mapped() in ("2 5", "2 7")
        times.append(time.monotonic() - started)
    loading.join()
    assert not times or max(times) < 0.5
    # What changed here counts, with the texts of before.
    assert mapped() == "2 7"


def test_others_do_not_wait(mapped: Any, gateway: Any, server: Server, tmp_path: Path) -> None:
    server.answer = None
    others = tmp_path / "others.yml"
    others.write_text(LOCAL.replace("tools:", "global: {default_inherits: default}\ntools:").replace("mem: 5", "mem: 5, cores: 1, params: {spec: '1 {mem}'}"))

    def fails() -> None:
        with contextlib.suppress(tpvc.CompileError):
            mapped()

    waiting = threading.Thread(target=fails)
    waiting.start()
    while not server.asked:
        time.sleep(0.01)
    started = time.monotonic()
    to = SimpleNamespace(id="others", params={})
    found = gateway.map_tool_to_destination(
        objects.app(), objects.job(), objects.tool(), objects.user(), referrer=to, tpv_config_files=[str(others)]
    )
    assert (found.params["spec"], waiting.is_alive()) == ("1 5", True)
    assert time.monotonic() - started < 1
    waiting.join()
    # Another dispatcher that names the URL, too, does not wait for it once more.
    started = time.monotonic()
    with pytest.raises(tpvc.CompileError):
        mapped("third")
    assert time.monotonic() - started < TIMEOUT / 2 and server.asked == 1
