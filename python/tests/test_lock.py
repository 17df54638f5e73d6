"""`tpvc_lock`: URLs whose texts a repository fixes."""

from __future__ import annotations

import hashlib
import http.server
import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import galaxy_objects as objects
import tpvc
from tpvc.galaxy import active, unreachable

SHARED = "global: {default_inherits: default}\ntools: {default: {cores: 2, params: {spec: '{cores} {mem}'}, mem: 4}}\n"
LOCAL = "tools: {default: {mem: 5}}\ndestinations: {local: {runner: local}}\n"


class Locked:
    """A repository with a lock, and a Galaxy that uses it."""

    def __init__(self, gateway: Any, folder: Path) -> None:
        self.gateway, self.folder = gateway, folder
        self.asked: list[str] = []
        self.text = "tools: [lies"
        locked = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                locked.asked.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(locked.text.encode())

            def log_message(self, *_: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        host = f"127.0.0.1:{self.server.server_port}/tools.yml"
        self.url = f"http://user:secret@{host}?private_token=abc"
        self.shown = f"http://***@{host}?private_token=***"
        self.local, self.path = folder / "local.yml", folder / "tpvc.lock"
        self.local.write_text(LOCAL)
        self.write(SHARED)

    def write(self, text: str, **changes: Any) -> Path:
        """Writes the lock for a text, and the text into the cache."""
        digest = hashlib.sha256(text.encode()).hexdigest()
        entry = {"url": self.shown, "sha256": digest, "bytes": len(text), "fetched": "2026-11-27T15:20:00Z", "more": 1}
        cache = self.folder / "texts"
        cache.mkdir(exist_ok=True)
        file = cache / f"{digest}.yml"
        file.write_text(text)
        self.path.write_text(json.dumps({"tpvc": 1, "cache": "texts", "remotes": [entry], **changes}))
        return file

    def spec(self) -> str:
        to = SimpleNamespace(id="tpv_dispatcher", params={"tpvc_lock": str(self.path)})
        found = self.gateway.map_tool_to_destination(
            objects.app(), objects.job(), objects.tool(), objects.user(), referrer=to, tpv_config_files=[self.url, str(self.local)]
        )
        return str(found.params["spec"])

    def fails(self) -> str:
        self.gateway.ACTIVE_DESTINATION_MAPPERS = {}
        with pytest.raises(tpvc.CompileError) as error:
            self.spec()
        assert "secret" not in str(error.value) and "abc" not in str(error.value)
        return str(error.value)


@pytest.fixture
def locked(gateway: Any, tmp_path: Path) -> Iterator[Locked]:
    unreachable.forget()
    made = Locked(gateway, tmp_path)
    yield made
    made.server.shutdown()
    made.server.server_close()
    active._retries.clear()


def test_the_locked_text_counts(locked: Locked) -> None:
    assert locked.spec() == "2 5" and not locked.asked
    # A lock that changes is read again, as a config is.
    locked.write(SHARED.replace("2", "3"))
    active.reload(str(locked.path.resolve()))
    assert locked.spec() == "3 5" and not locked.asked


def test_a_text_that_the_cache_lacks_is_fetched(locked: Locked) -> None:
    locked.text = SHARED.replace("2", "4")
    locked.write(locked.text).unlink()
    assert locked.spec() == "4 5" and len(locked.asked) == 1
    locked.text += "# changed\n"
    assert "the URL gives another text now" in locked.fails()
    locked.server.shutdown()
    locked.server.server_close()
    assert "which the cache `texts` lacks" in locked.fails()


def test_a_url_without_an_entry_is_fetched(locked: Locked, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="tpvc.galaxy.active")
    locked.text = SHARED
    locked.write(SHARED, remotes=[])
    assert locked.spec() == "2 5" and len(locked.asked) == 1
    assert locked.shown in caplog.text and "secret" not in caplog.text


def test_what_is_no_lock_is_an_error(locked: Locked) -> None:
    file = locked.write(SHARED)
    file.write_text(SHARED + "#")
    assert "the text in the cache was changed" in locked.fails()
    for text, reason in {
        "{": "it is not JSON",
        "[]": "`tpvc` is missing",
        '{"tpvc": 2}': "another version of tpvc",
        '{"tpvc": 1, "remotes": [{"url": "http://a"}]}': "is no digest of 64 hexadecimal digits",
        '{"tpvc": 1, "remotes": [{"url": "http://a", "sha256": "../../etc"}]}': "is no digest of 64 hexadecimal digits",
    }.items():
        locked.path.write_text(text)
        assert reason in locked.fails(), text
        assert "tpvc.lock:1:" in locked.fails()
    locked.path.unlink()
    assert "is missing" in locked.fails()


def test_a_url_without_an_entry_has_the_pause_and_the_texts_of_others(locked: Locked, tmp_path: Path) -> None:
    to = SimpleNamespace(id="tpv_dispatcher", params={"tpvc_lock": str(locked.path), "tpvc_state_dir": str(tmp_path / "state")})
    free = locked.url.replace("tools.yml", "free.yml")

    def spec(referrer: Any = to) -> str:
        locked.gateway.ACTIVE_DESTINATION_MAPPERS.pop(referrer.id, None)
        found = locked.gateway.map_tool_to_destination(
            objects.app(), objects.job(), objects.tool(), objects.user(), referrer=referrer, tpv_config_files=[locked.url, free, str(locked.local)]
        )
        return str(found.params["spec"])

    locked.text = "tools: {default: {cores: 3}}\n"
    assert spec() == "3 5" and locked.asked == ["/free.yml?private_token=abc"]
    # Its text of before counts, with the local file of now, and it is not asked again within a minute.
    locked.text = "tools: [lies"
    locked.local.write_text(LOCAL.replace("5", "6"))
    assert spec() == "3 6" and len(locked.asked) == 2
    locked.server.shutdown()
    locked.server.server_close()
    assert spec() == "3 6" and spec() == "3 6"
    failure = unreachable.known_failure([free])
    assert failure is not None and "secret" not in str(failure) and "is asked again in" in str(failure)
    # Nor by a dispatcher without a lock and without texts.
    with pytest.raises(tpvc.CompileError, match="is asked again in"):
        spec(SimpleNamespace(id="other", params={}))


def test_a_damaged_lock_at_a_start_keeps_the_last_good_rules(locked: Locked, tmp_path: Path) -> None:
    to = SimpleNamespace(id="tpv_dispatcher", params={"tpvc_lock": str(locked.path), "tpvc_state_dir": str(tmp_path / "state")})

    def spec() -> str:
        return str(
            locked.gateway.map_tool_to_destination(
                objects.app(), objects.job(), objects.tool(), objects.user(), referrer=to, tpv_config_files=[locked.url, str(locked.local)]
            ).params["spec"]
        )

    assert spec() == "2 5"
    locked.path.write_text("{")
    locked.gateway.ACTIVE_DESTINATION_MAPPERS = {}
    assert spec() == "2 5"
