"""URLs that are down when Galaxy starts: the texts of before map the jobs."""

from __future__ import annotations

import contextlib
import http.server
import logging
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import galaxy_objects as objects
import tpvc
from tpvc.galaxy import active, kept, unreachable

SHARED = "global: {default_inherits: default}\ntools: {default: {cores: 2, params: {spec: '{cores} {mem}'}, mem: 4}}\n"
LOCAL = "tools: {default: {mem: 5}}\ndestinations: {local: {runner: local}}\n"


class Served:
    """A server of one text, which can be down."""

    def __init__(self) -> None:
        self.text = SHARED
        self.is_up = True
        served = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200 if served.is_up else 503)
                self.end_headers()
                self.wfile.write(served.text.encode() if served.is_up else b"<html>")

            def log_message(self, *_: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://user:secret@127.0.0.1:{self.server.server_port}/tools.yml"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def served() -> Iterator[Served]:
    server = Served()
    yield server
    server.server.shutdown()
    server.server.server_close()


class Site:
    """A Galaxy with a shared config and one of its own."""

    def __init__(self, gateway: Any, folder: Path, url: str) -> None:
        self.gateway, self.local, self.data = gateway, folder / "local.yml", folder / "database"
        self.local.write_text(LOCAL)
        self.app = objects.app()
        self.app.config.data_dir = str(self.data)
        self.configs = [url, str(self.local)]

    def start(self) -> None:
        self.gateway.ACTIVE_DESTINATION_MAPPERS = {}

    def spec(self, referrer: Any = None) -> str:
        found = self.gateway.map_tool_to_destination(
            self.app, objects.job(), objects.tool(), objects.user(), referrer=referrer, tpv_config_files=self.configs
        )
        return str(found.params["spec"])


@pytest.fixture
def site(gateway: Any, tmp_path: Path, served: Served) -> Iterator[Site]:
    active._retries.clear()
    unreachable.forget()
    yield Site(gateway, tmp_path, served.url)
    active._retries.clear()
    unreachable.forget()


def test_a_url_that_is_down_at_a_start(site: Site, served: Served, caplog: pytest.LogCaptureFixture) -> None:
    assert site.spec() == "2 5"
    served.is_up = False
    site.start()
    assert site.spec() == "2 5"
    [told] = [record for record in caplog.records if "do not load" in record.getMessage()]
    assert told.levelname == "WARNING" and told.name == "tpvc.galaxy.active"
    assert "secret" not in told.getMessage()
    assert "503" in told.getMessage() and "as they were at 20" in told.getMessage()
    # One that was never reached fails each job, as with TPV.
    site.configs = [served.url.replace("tools", "others"), str(site.local)]
    site.start()
    with pytest.raises(tpvc.CompileError, match="503"):
        site.spec()


def test_local_files_count_as_they_are_now(site: Site, served: Served) -> None:
    assert site.spec() == "2 5"
    served.is_up = False
    site.local.write_text(LOCAL.replace("5", "7"))
    site.start()
    assert site.spec() == "2 7"


def test_a_local_file_that_does_not_compile_at_a_start(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    assert site.spec() == "2 5"
    site.local.write_text(LOCAL.replace("5", "cores +"))
    site.start()
    assert site.spec() == "2 5"
    [told] = [record for record in caplog.records if "when they compiled last" in record.getMessage()]
    assert told.levelname == "WARNING" and "local.yml:1" in told.getMessage() and "secret" not in told.getMessage()
    # As is said when the file is mended.
    site.local.write_text(LOCAL.replace("5", "7"))
    active.reload(str(site.local.resolve()))
    site.start()
    assert site.spec() == "2 7"
    site.local.unlink()
    site.start()
    assert site.spec() == "2 7"
    strict = SimpleNamespace(id="tpv_dispatcher", params={"tpvc_strict_start": True})
    site.start()
    with pytest.raises(FileNotFoundError):
        site.spec(strict)


def test_rules_are_kept_where_the_site_says(site: Site, tmp_path: Path) -> None:
    to = SimpleNamespace(id="tpv_dispatcher", params={"tpvc_state_dir": str(tmp_path / "state")})
    assert site.spec(to) == "2 5"
    assert not (site.data / "tpvc").exists()
    names = sorted(path.name.partition("-")[0] for path in (tmp_path / "state").iterdir())
    assert names == ["rules", "urls"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "state").iterdir())
    [rules] = (tmp_path / "state").glob("rules-*")
    rules.write_text(rules.read_text().replace("cores", "Cores"))
    site.local.write_text("tools: [")
    site.start()
    with pytest.raises(tpvc.CompileError):
        site.spec(to)


def test_a_url_that_hangs_costs_others_nothing(gateway: Any, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/tools.yml"
        local = tmp_path / "local.yml"
        local.write_text(LOCAL)

        def mapped(name: str, configs: list[str]) -> float:
            started = time.monotonic()
            to = SimpleNamespace(id=name, params={"tpvc_url_timeout": 2})
            with contextlib.suppress(tpvc.CompileError):
                gateway.map_tool_to_destination(
                    objects.app(), objects.job(), objects.tool(), objects.user(), referrer=to, tpv_config_files=configs
                )
            return time.monotonic() - started

        thread = threading.Thread(target=mapped, args=("hangs", [url]))
        thread.start()
        time.sleep(0.2)
        assert mapped("other", [str(local)]) < 1
        thread.join()
        # The next jobs of the same dispatcher do not wait for it again.
        assert mapped("hangs", [url]) < 1
        # Nor do those of others that name the URL.
        assert mapped("another", [str(local), url]) < 1
        active._failures.clear()
        unreachable.forget()
        assert 1.5 < mapped("hangs", [url]) < 10


def test_a_text_that_does_not_compile(site: Site, served: Served, caplog: pytest.LogCaptureFixture) -> None:
    assert site.spec() == "2 5"
    served.text = "tools: ["
    site.start()
    assert site.spec() == "2 5"
    assert "tools.yml:1:" in caplog.text


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "form", "folder"])
def test_a_damaged_file_is_ignored_with_a_word(
    site: Site, served: Served, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    assert site.spec() == "2 5"
    [path] = (site.data / "tpvc").glob("urls-*")
    [rules] = (site.data / "tpvc").glob("rules-*")
    rules.unlink()
    data = path.read_bytes()
    if damage == "folder":
        path.unlink()
        path.mkdir()
    else:
        middle = len(data) // 2
        flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
        other = data.partition(b"\n")[2].replace(b'"format": 1', b'"format": 9').strip().decode()
        path.write_bytes(
            {
                "flip": flipped,
                "cut": data[:middle],
                "empty": b"",
                "form": f"{kept._digest(other)}\n{other}\n".encode(),
            }[damage]
        )
    served.is_up = False
    site.start()
    with pytest.raises(tpvc.CompileError, match="503"):
        site.spec()
    assert "are ignored" in caplog.text and str(path) in caplog.text


def test_a_folder_that_cannot_be_written(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    site.data.write_text("a file in its place")
    assert site.spec() == "2 5"
    assert "cannot be kept" in caplog.text


def test_what_is_kept(site: Site, served: Served) -> None:
    assert site.spec() == "2 5"
    [path] = (site.data / "tpvc").glob("urls-*")
    assert path.stat().st_mode & 0o077 == 0
    assert "mem: 5" not in path.read_text()
    served.text = SHARED.replace("2", "3")
    site.start()
    assert site.spec() == "3 5"
    assert list((site.data / "tpvc").glob("urls-*")) == [path]
    # Local files alone leave no texts of URLs.
    path.unlink()
    site.configs = [str(site.local)]
    site.local.write_text(SHARED + LOCAL.partition("\n")[2])
    site.start()
    assert site.spec() == "2 4"
    assert list((site.data / "tpvc").glob("urls-*")) == []


def test_the_url_is_tried_again(
    site: Site, served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="tpvc")
    monkeypatch.setattr(active, "FIRST_RETRY", 0.05)
    monkeypatch.setattr(unreachable, "PAUSE", 0.01)
    assert site.spec() == "2 5"
    served.is_up = False
    site.start()
    assert site.spec() == "2 5"
    time.sleep(0.1)
    assert site.spec() == "2 5"
    served.is_up, served.text = True, SHARED.replace("2", "3")
    end = time.monotonic() + 20
    while site.spec() != "3 5":
        assert time.monotonic() < end
        time.sleep(0.05)
    assert "load again" in caplog.text and not active._retries
