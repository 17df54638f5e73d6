"""`tpv.core` for the modules that rules import, where TPV is not installed.

A finder at the end of `sys.meta_path`: TPV itself, once it is installed, is found first. The finder answers only on a thread that maps a
job, and what it gave leaves `sys.modules` when no thread maps one: elsewhere in the process, `import tpv` and `find_spec("tpv")` still
say that there is no TPV. `pip` and `importlib.metadata` never see one.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType

from tpvc import _native

_MODULES = (
    "entities",
    "explain",
    "helpers",
    "loader",
    "mapper",
    "resource_pool",
    "resource_requirements",
    "util",
)
# Packages without a path, so that no other finder looks for their modules.
_PACKAGES = ("tpv", "tpv.core")
_NAMES = {*_PACKAGES, *(f"tpv.core.{name}" for name in _MODULES)}


class _Loader(importlib.abc.Loader):
    """Makes the packages empty, and gives tpvc's modules of the same names."""

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        _native.forget_after_mapping(name)
        if name not in _PACKAGES:
            sys.modules[name] = importlib.import_module(f"tpvc{name.removeprefix('tpv')}")


_loader = _Loader()


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in _NAMES or not _native.is_mapping():
            return None
        if fullname != "tpv":
            spec = getattr(sys.modules.get("tpv"), "__spec__", None)
            if spec is None or spec.loader is not _loader:
                # A part that TPV itself does not have.
                return None
        return importlib.machinery.ModuleSpec(fullname, _loader, origin="tpvc", is_package=fullname in _PACKAGES)


def install() -> None:
    """Adds the finder, once."""
    # What it gives must be there before.
    importlib.import_module("tpvc.core.entities")
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
