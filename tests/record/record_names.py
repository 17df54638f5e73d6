#!/usr/bin/env python3
"""Writes src/lint/model/names.txt: the names that types, modules and Galaxy's and TPV's classes have.

    record_names.py > src/lint/model/names.txt

Run it with the Python of a virtualenv that has total-perspective-vortex and Galaxy. Attributes that an `__init__` sets
are found in the source, since an instance of a Galaxy class cannot be made without a server.
"""

import ast
import builtins
import importlib
import inspect
import logging
import textwrap

import sqlalchemy.orm
from galaxy import model
from galaxy.app import UniverseApplication
from galaxy.jobs import JobWrapper
from galaxy.tools import Tool
from tpv.core import entities, loader, mapper

BUILTINS = [str, int, float, bool, list, dict, tuple, set, bytes, BaseException]
MODEL = (
    "Job User Role History Dataset HistoryDatasetAssociation JobToInputDatasetAssociation "
    "HistoryDatasetCollectionAssociation JobParameter HistoryTagAssociation DynamicTool"
).split()
# What code gets as `entity` always has rules.
ENTITIES = {"Entity": "EntityWithRules", "Destination": "Destination", "SchedulingTags": "SchedulingTags", "Tag": "Tag"}
MODULES = (
    "math random re os os.path json functools itertools logging collections operator datetime time copy string sys "
    "statistics decimal fractions numbers typing ast hashlib base64 binascii uuid enum dataclasses types heapq bisect "
    "urllib.parse shlex html textwrap contextlib packaging.version packaging.specifiers galaxy.util galaxy.jobs.mapper galaxy.model tpv.core.entities "
    "tpv.core.helpers sqlalchemy"
).split()


def names_of(cls):
    names = set(dir(cls)) | set(getattr(cls, "model_fields", {}) or {})
    for base in cls.__mro__:
        names |= set(getattr(base, "__annotations__", {}) or {})
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError, SyntaxError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                if isinstance(node.value, ast.Name) and node.value.id == "self":
                    names.add(node.attr)
    return names


def show(head, names):
    print(f"{head}:", " ".join(sorted(name for name in names if not name.startswith("_"))))


def main():
    logging.disable(logging.CRITICAL)
    sqlalchemy.orm.configure_mappers()
    print("# The names that CPython 3.11's types and modules, Galaxy 26's classes and TPV 3.3.0's have, private ones aside:")
    print("# `tests/record/record_names.py` writes this file.")
    for cls in BUILTINS:
        show(f"class {cls.__name__}", dir(cls))
    for name in MODEL:
        show(f"class {name}", names_of(getattr(model, name)))
    show("class Tool", names_of(Tool))
    show("class App", names_of(UniverseApplication))
    show("class JobWrapper", names_of(JobWrapper))
    for name, cls in ENTITIES.items():
        show(f"class {name}", names_of(getattr(entities, cls)))
    show("class Mapper", names_of(mapper.EntityToDestinationMapper))
    for name in MODULES:
        show(f"module {name}", dir(importlib.import_module(name)))
    show("names builtins", dir(builtins))
    show("names loader", vars(loader))


if __name__ == "__main__":
    main()
