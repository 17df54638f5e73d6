"""A Galaxy server of one process in a folder of its own: its files, its start and end, and its API."""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

FILES = Path(__file__).parent / "files"
SITE_MODULE = Path(__file__).parent.parent / "site_module" / "sitemod.py"
ADMIN_KEY = "an-admin-key-for-tests"
ENDED = ("ok", "error", "deleted", "failed")


class Shared:
    """A config behind a URL that can be down."""

    def __init__(self) -> None:
        self.is_up = True
        shared = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200 if shared.is_up else 503)
                self.end_headers()
                if shared.is_up:
                    self.wfile.write((FILES / "shared.yml").read_bytes())

            def log_message(self, *_: Any) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}/shared.yml"


class Server:
    """Galaxy in a folder, with a rules module."""

    def __init__(self, folder: Path, rules_module: str, shared: Shared) -> None:
        self.folder = folder
        self.shared = shared
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        shutil.copytree(FILES, folder, dirs_exist_ok=True)
        (folder / "database").mkdir(exist_ok=True)
        self.rules_module = rules_module
        # A folder of the site's own modules.
        self.site = folder.with_suffix(".site")
        self.site.mkdir(exist_ok=True)
        shutil.copy(SITE_MODULE, self.site)
        for name in ("galaxy.yml", "job_conf.yml", "tpv_rules.yml"):
            text = (folder / name).read_text()
            text = text.replace("$FOLDER", str(folder)).replace("$SHARED", shared.url)
            (folder / name).write_text(text.replace("$RULES_MODULE", rules_module))
        # Not in the folder, which Galaxy watches for changes of the rules, and logs what it sees.
        self.log = folder.with_suffix(".log")
        self.process: subprocess.Popen[bytes] | None = None
        self.key = ADMIN_KEY

    def __enter__(self) -> Server:
        self.start()
        user = {"username": "trillian", "email": "trillian@vortex.org", "password": "a-long-password"}
        made = self.post("users", user)
        key = self.post(f"users/{made['id']}/api_key", {})
        self.key = key
        self.history = self.post("histories", {"name": "tests"})["id"]
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Starts the process and waits until it answers."""
        started = time.monotonic()
        path = os.pathsep.join(filter(None, [str(self.site), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "GALAXY_CONFIG_FILE": str(self.folder / "galaxy.yml"), "PYTHONPATH": path}
        factory = "galaxy.webapps.galaxy.fast_factory:factory"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "uvicorn", "--factory", factory, "--host", "127.0.0.1"]
                + ["--port", str(self.port), "--log-level", "warning"],
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=environment,
            )
        try:
            self.wait("Galaxy answers", self._answers, float(os.environ.get("GALAXY_START_SECONDS", "600")))
        except BaseException:
            self.stop()
            raise
        print(f"  Galaxy answers after {time.monotonic() - started:.0f} s, {self.memory_mb():.0f} MB", flush=True)

    def stop(self) -> None:
        """Ends the process."""
        assert self.process is not None
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _answers(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            raise SystemExit(f"Galaxy ended while starting:\n{self.log_text()[-4000:]}")
        try:
            self.get("version")
        except OSError:
            return False
        return True

    def _call(self, method: str, path: str, data: Any = None, key: str | None = None) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/{path}",
            method=method,
            data=None if data is None else json.dumps(data).encode(),
            headers={"x-api-key": key or self.key, "content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            if error.code < 500:
                raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()[:500]}") from None
            raise

    def get(self, path: str, key: str | None = None) -> Any:
        return self._call("GET", path, key=key)

    def post(self, path: str, data: Any) -> Any:
        return self._call("POST", path, data)

    def wait(self, what: str, is_so: Any, seconds: float = 120) -> Any:
        """Waits until something is so, and gives what it found."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = is_so()
            if found:
                return found
            time.sleep(0.5)
        raise SystemExit(f"waited {seconds} s, but not so: {what}\n{self.log_text()[-6000:]}")

    def submit(self, tool: str, **inputs: Any) -> tuple[str, str]:
        """Submits a job: its id and that of its output."""
        answer = self.post("tools", {"tool_id": tool, "history_id": self.history, "inputs": inputs})
        return answer["jobs"][0]["id"], answer["outputs"][0]["id"]

    def state(self, job: str) -> str:
        return str(self.get(f"jobs/{job}")["state"])

    def result(self, job: str, output: str) -> dict[str, Any]:
        """Waits for the end of a job, and says where it went and what it wrote."""
        self.wait(f"job {job} ends", lambda: self.state(job) in ENDED)
        dataset = self.get(f"histories/{self.history}/contents/datasets/{output}")
        params = self.get(f"jobs/{job}/destination_params", key=ADMIN_KEY)
        words = re.sub(r"<[^>]*>", " ", dataset.get("peek") or "")
        return {
            "state": self.state(job),
            # The number of a process is another each time.
            "destination": {key: value for key, value in params.items() if key != "Runner Job ID"},
            "output": " ".join(words.split()),
            "told": (dataset.get("misc_info") or "").strip(),
        }

    def run(self, tool: str, **inputs: Any) -> dict[str, Any]:
        return self.result(*self.submit(tool, **inputs))

    def rules(self, before: str, after: str) -> None:
        """Edits the rules, as an editor does that writes a file in place."""
        path = self.folder / "tpv_rules.yml"
        text = path.read_text()
        assert before in text, before
        path.write_text(text.replace(before, after))

    def log_text(self) -> str:
        return self.log.read_text(errors="replace")

    def memory_mb(self) -> float:
        """What the server holds in memory (RSS)."""
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) / 1024 if found else 0.0
