"""The table of what rules do with a module of the site: equal with TPV, with tpvc beside TPV, and with tpvc where TPV is not installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "site_module"
sys.path.insert(0, str(FOLDER))

from scenarios import TABLE  # noqa: E402


def run(which: str, *options: str, path: str = "") -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": path} if path else None
    done = subprocess.run(
        [sys.executable, *options, str(FOLDER / "scenarios.py"), which], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def of_tpv() -> Any:
    return run("tpv")


@pytest.fixture(scope="session")
def beside_tpv() -> Any:
    return run("tpvc")


@pytest.fixture(scope="session")
def without_tpv(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """tpvc in an environment that has everything but TPV."""
    import tpvc

    packages = tmp_path_factory.mktemp("packages")
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if entry.name != "tpv" and not entry.name.startswith("total_perspective_vortex") and entry.suffix != ".pth":
            (packages / entry.name).symlink_to(entry)
    if not (packages / "tpvc").exists():
        (packages / "tpvc").symlink_to(Path(tpvc.__file__).parent)
    # `-S`: the environment's own packages are not on the path.
    return run("tpvc", "-S", path=str(packages))


@pytest.mark.parametrize("name", TABLE)
def test_the_three_columns_are_equal(name: str, of_tpv: Any, beside_tpv: Any, without_tpv: Any) -> None:
    expected = of_tpv["seen"][name]
    assert beside_tpv["seen"][name] == expected
    assert without_tpv["seen"][name] == expected


def test_nobody_else_is_told_that_there_is_a_tpv(beside_tpv: Any, without_tpv: Any) -> None:
    assert without_tpv["checks"] == {"modules": [], "find_spec": False, "imports": [False, False, False], "version": ""}
    assert beside_tpv["checks"]["imports"] == [True, True, True]


def test_tpv_comes_first_once_it_is_there(tmp_path: Path) -> None:
    # A package of the name that is on the path is found, whatever it has, and gets no modules of tpvc.
    (tmp_path / "tpv").mkdir()
    (tmp_path / "tpv" / "__init__.py").write_text("")
    (tmp_path / "uses.py").write_text(
        "def has(name):\n    import importlib\n    try:\n        return importlib.import_module(name).__file__\n"
        "    except ModuleNotFoundError as error:\n        return str(error)\n"
    )
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tpvc import _native\n"
        "source = 'import uses\\n[uses.has(\"tpv\"), uses.has(\"tpv.core\"), uses.has(\"tpv.core.entities\")]'\n"
        "print(*_native.evaluate(source, {}, tier='cpython'), sep='\\n')\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        str(tmp_path / "tpv" / "__init__.py"),
        "No module named 'tpv.core'",
        "No module named 'tpv.core'",
    ], done.stderr


def test_a_tpv_that_is_broken_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "tpv" / "core").mkdir(parents=True)
    (tmp_path / "tpv" / "__init__.py").write_text("")
    (tmp_path / "tpv" / "core" / "__init__.py").write_text("")
    (tmp_path / "tpv" / "core" / "entities.py").write_text("import pydantic_of_another_year")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tpvc.core import entities\nprint(entities.Tag.__module__)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout.strip() == "tpvc.core.own_entities"
    assert "TPV is installed and cannot be imported" in done.stderr and "pydantic_of_another_year" in done.stderr
