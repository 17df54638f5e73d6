"""`tpvc why` beside a Galaxy: the ids of its pages, and jobs that only its database has."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tpvc import _native
from tpvc._native import printable
from tpvc.export.command import Parser, report
from tpvc.export.command import run as export
from tpvc.export.command import parser as export_parser
from tpvc.export.errors import ExportError, misuse

#: The secret of a Galaxy whose administrator sets none.
DEFAULT_SECRET = "USING THE DEFAULT IS NOT SECURE!"
#: The variables that Galaxy takes settings from: before those of galaxy.yml, and if it has none.
OVERRIDE, DEFAULT = "GALAXY_CONFIG_OVERRIDE_", "GALAXY_CONFIG_"

OPTIONS = """
Options of the Python package:
      --galaxy <FILE>
          galaxy.yml of the server: JOB may be the encoded id of Galaxy's pages and API (by `id_secret`), and the database (by `database_connection`) has
          the job's parameters and datasets, and jobs that no log has [default: GALAXY_CONFIG_FILE]

      --database <URL>
          The database, as `tpvc export-jobs` takes it [default: that of galaxy.yml]

      --job-conf <FILE>
          Galaxy's job configuration: the rules for a job that no log has [default: that of galaxy.yml]
"""

_ENCODED = re.compile(r"(?:[0-9a-f]{16})+")


def main(arguments: list[str]) -> int:
    """Runs `tpvc why` with the arguments after it, and gives the exit status."""
    if "--help" in arguments or "-h" in arguments:
        status = _native.main(["tpvc", "why", *arguments])
        print(OPTIONS)
        return status
    try:
        return run(arguments)
    except ExportError as error:
        return report(error)


def run(arguments: list[str]) -> int:
    """Does what the arguments say."""
    own = Parser(prog="tpvc why", add_help=False, allow_abbrev=False)
    own.add_argument("--galaxy")
    own.add_argument("--database")
    own.add_argument("--job-conf")
    options, rest = own.parse_known_args(arguments)
    file = options.galaxy or os.environ.get("GALAXY_CONFIG_FILE")
    is_encoded = bool(rest) and _ENCODED.fullmatch(rest[0]) is not None
    if not (options.galaxy or options.database or is_encoded and file):
        return _native.main(["tpvc", "why", *arguments])
    if not rest or rest[0].startswith("-"):
        raise misuse("the job is not named first", "write `tpvc why JOB --log ... --galaxy galaxy.yml`")
    settings = Settings(Path(file)) if file else None
    job = rest.pop(0)
    if is_encoded and settings is not None:
        job = str(decoded(job, settings.secret()))
    database: str | None = options.database or (settings.get("database_connection") if settings else None)
    job_conf: str | None = options.job_conf or (settings.path("job_config_file") if settings else None)
    with tempfile.TemporaryDirectory(prefix="tpvc-") as folder:
        exported = None if database is None else exported_job(job, database, job_conf, Path(folder) / "job.jsonl")
        # `--now` takes any number of configs: what is added stands before it.
        given = {argument.partition("=")[0] for argument in rest}
        added = [] if exported is None or "--jobs" in given else ["--jobs", str(exported)]
        if exported is None:
            return _native.main(["tpvc", "why", job, *rest])
        if "--log" not in given:
            return explained(job, exported, job_conf)
        return _native.main(["tpvc", "why", job, *added, *rest], unlogged=partial(explained, job, exported, job_conf))


def explained(job: str, exported: Path, job_conf: str | None) -> int:
    """Explains a job that only the database has, by the rules of today."""
    line = json.loads(exported.read_text(encoding="utf-8"))
    went_to = (line.get("outcome") or {}).get("destination_id")
    end = f"went to `{printable(str(went_to))}`" if went_to else "has no destination"
    print(f"job {job} {end}, says Galaxy's database; no log of decisions has it. The rules of today decide:\n", flush=True)
    conf = ["--job-conf", job_conf] if job_conf else []
    return _native.main(["tpvc", "dry-run", "--job", str(exported), "--explain", *conf])


def exported_job(job: str, database: str, job_conf: str | None, file: Path) -> Path | None:
    """The job of the database as a job file; `None`, with a warning, if there is none."""
    if not job.isdecimal():
        raise misuse(f"`{job}` is no id of the database", "name `--galaxy galaxy.yml`, whose `id_secret` decodes the ids of Galaxy's pages")
    arguments = [database, "--job", job, "-o", str(file), "--quiet", *(["--job-conf", job_conf] if job_conf else [])]
    try:
        export(export_parser().parse_args(arguments))
        return file
    except ExportError as error:
        print(f"warning: without what the database has: {printable(error.message)}", file=sys.stderr)
        return None


class Settings:
    """The settings of a galaxy.yml."""

    def __init__(self, file: Path) -> None:
        import yaml

        class Loader(yaml.SafeLoader):  # type: ignore[misc]
            """Tags such as `!vault` have no values here."""

        Loader.add_multi_constructor("", lambda *_: None)
        self.file = file
        try:
            with open(file, encoding="utf-8") as text:
                found = yaml.load(text, Loader=Loader)  # noqa: S506
        except OSError as error:
            raise ExportError(f"`{file}` cannot be read: {(error.strerror or '').lower()}", "name galaxy.yml: `--galaxy FILE`") from None
        except (yaml.YAMLError, ValueError) as error:
            raise ExportError(f"`{file}` is no YAML: {error}", "name galaxy.yml: `--galaxy FILE`") from None
        section = found.get("galaxy") if isinstance(found, Mapping) else None
        self.settings: Mapping[str, Any] = section if isinstance(section, Mapping) else {}

    def get(self, name: str) -> str | None:
        """A setting, as Galaxy finds it."""
        environment = os.environ
        value = environment.get(OVERRIDE + name.upper()) or self.settings.get(name) or environment.get(DEFAULT + name.upper())
        return None if value is None else str(value)

    def path(self, name: str) -> str | None:
        """A file that a setting names; a relative one stands in `config_dir`, which is that of galaxy.yml unless it says otherwise."""
        value = self.get(name)
        if value is None:
            return None
        folder = self.get("config_dir") or str(self.file.parent)
        return os.path.join(folder, value)

    def secret(self) -> str:
        """The key of encoded ids."""
        return self.get("id_secret") or DEFAULT_SECRET


def decoded(encoded: str, secret: str) -> int:
    """The id in the database of an id of Galaxy's pages, as Galaxy's `IdEncodingHelper` decodes it."""
    try:
        from Crypto.Cipher import Blowfish
    except ImportError:
        raise ExportError(
            "encoded ids need the package `pycryptodome`", "run `tpvc` in Galaxy's virtual environment, which has it, or take the id that administrators see"
        ) from None
    text = b""
    with contextlib.suppress(ValueError):
        text = Blowfish.new(secret.encode(), mode=Blowfish.MODE_ECB).decrypt(bytes.fromhex(encoded))
    number = text.lstrip(b"!")
    if not (number.isdigit() and number.isascii()):
        raise ExportError(f"`{encoded}` is not an id of this Galaxy", "`--galaxy` names the galaxy.yml of the server, with its `id_secret`")
    return int(number)
