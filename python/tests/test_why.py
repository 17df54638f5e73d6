"""`tpvc why` beside a Galaxy: encoded ids, and jobs that only the database has."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from galaxy import model
from galaxy.model import mapping
from galaxy.security.idencoding import IdEncodingHelper

import galaxy_objects as objects
from test_gateway import RULES
from tpvc import why
from tpvc.export.errors import ExportError

SECRET = "a secret of this server"


def test_ids_are_decoded_as_galaxy_encodes_them() -> None:
    for secret in (SECRET, why.DEFAULT_SECRET, "x" * 56, "naïve ☃"):
        helper = IdEncodingHelper(id_secret=secret)
        for number in [1, 7, 99, 12345678, 123456789, *(random.randrange(10**12) for _ in range(200))]:
            assert why.decoded(helper.encode_id(number), secret) == number
    for wrong in ("0" * 16, "f2db41e1fa331b3e", "a" * 32):
        with pytest.raises(ExportError, match="is not an id of this Galaxy"):
            why.decoded(wrong, "another secret")


class Site:
    """The files of a Galaxy: its database with two jobs, of which one is in the log of decisions."""

    def __init__(self, gateway: Any, folder: Path) -> None:
        self.folder, self.log = folder, folder / "log.jsonl"
        models = mapping.init(str(folder), f"sqlite:///{folder}/galaxy.sqlite", create_tables=True)
        self.jobs = []
        for destination in ("local", "elsewhere"):
            job = model.Job()
            job.user = model.User(email=f"{destination}@vortex.org", username=destination, password="x" * 20)
            job.history = model.History(name="h", user=job.user)
            job.tool_id, job.tool_version, job.state, job.destination_id = "bwa", "1.0", "ok", destination
            job.add_parameter("depth", '"3"')
            models.context.add(job)
            models.context.commit()
            self.jobs.append(int(job.id))
        rules = folder / "tpv.yml"
        rules.write_text(RULES)
        to = SimpleNamespace(id="tpv_dispatcher", params={"tpvc_decision_log": str(self.log)})
        logged = objects.job()
        logged.id = self.jobs[0]
        gateway.map_tool_to_destination(objects.app(), logged, objects.tool(), objects.user(), referrer=to, tpv_config_files=[str(rules)])
        models.context.remove()
        environment = f"runner: dynamic, type: python, function: map_tool_to_destination, rules_module: tpvc.rules, tpv_config_files: ['{rules}']"
        (folder / "job_conf.yml").write_text(f"execution:\n  default: tpv_dispatcher\n  environments:\n    tpv_dispatcher: {{{environment}}}\n")
        self.settings = folder / "galaxy.yml"
        self.settings.write_text(
            f"galaxy:\n  id_secret: {SECRET}\n  database_connection: sqlite:///{folder}/galaxy.sqlite\n"
            "  job_config_file: job_conf.yml\n  admin_users: !vault x\n"
        )

    def encoded(self, job: int) -> str:
        return str(IdEncodingHelper(id_secret=SECRET).encode_id(job))

    def why(self, *arguments: str, **environment: str) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "tpvc", "why", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, env={**os.environ, **environment}, timeout=120)
        return done.returncode, done.stdout, done.stderr


@pytest.fixture
def site(gateway: Any, tmp_path: Path) -> Site:
    return Site(gateway, tmp_path)


def test_an_encoded_id(site: Site) -> None:
    job = site.jobs[0]
    for found in (
        site.why(site.encoded(job), "--log", str(site.log), "--galaxy", str(site.settings)),
        site.why(site.encoded(job), "--log", str(site.log), GALAXY_CONFIG_FILE=str(site.settings)),
        site.why(str(job), "--log", str(site.log), "--galaxy", str(site.settings)),
    ):
        assert found[0] == 0 and found[1].startswith(f"job {job} went to `local`"), found
        # The parameters are those of the database.
        assert "parameters" not in found[1].partition("GUESSED")[2].partition("\n\n")[0], found
    status, _, error = site.why(IdEncodingHelper(id_secret="other").encode_id(job), "--log", str(site.log), "--galaxy", str(site.settings))
    assert status == 1 and "is not an id of this Galaxy" in error and "id_secret" in error


def test_a_job_that_only_the_database_has(site: Site) -> None:
    job = site.jobs[1]
    for arguments in (["--log", str(site.log)], []):
        status, out, error = site.why(site.encoded(job), *arguments, "--galaxy", str(site.settings))
        first, _, rest = out.partition("\n")
        assert status == 0, error
        assert first == f"job {job} went to `elsewhere`, says Galaxy's database; no log of decisions has it. The rules of today decide:"
        assert "local" in rest and "Destination" in rest


def test_a_job_that_nothing_has(site: Site) -> None:
    status, out, error = site.why("999", "--log", str(site.log), "--galaxy", str(site.settings))
    assert status == 1 and not out and "without what the database has" in error and "is not in the" in error


def test_mistakes_of_the_command_line(site: Site) -> None:
    assert site.why("--log", str(site.log), "--galaxy", str(site.settings))[0] == 2
    status, _, error = site.why("1", "--galaxy", str(site.folder / "missing.yml"))
    assert status == 1 and "cannot be read" in error
    status, out, _ = site.why("--help")
    assert status == 0 and "--attempt" in out and "--galaxy <FILE>" in out
