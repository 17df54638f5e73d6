#!/usr/bin/env python3
"""Writes src/compiler/src/checker/stubs/names.txt: the names that types, modules and Galaxy's and TPV's classes have.

    record_names.py > src/compiler/src/checker/stubs/names.txt

Run it with the Python of a virtualenv that has total-perspective-vortex and Galaxy. Attributes that an `__init__` sets
are found in the source, since an instance of a Galaxy class cannot be made without a server.
"""

import ast
import builtins
import functools
import importlib
import importlib.metadata
import inspect
import logging
import pkgutil
import sys
import textwrap

import sqlalchemy.orm
from galaxy import model
from galaxy.app import UniverseApplication
from galaxy.jobs import JobWrapper
from galaxy.model.mapping import GalaxyModelMapping
from galaxy.jobs.rule_helper import RuleHelper
from galaxy.tool_util.deps.requirements import ResourceRequirement
from galaxy.tools import Tool
from tpv.core import entities, loader, mapper

BUILTINS = [str, int, float, bool, list, dict, tuple, set, frozenset, bytes, BaseException]
MODEL = (
    "Job User Role History Dataset HistoryDatasetAssociation JobToInputDatasetAssociation "
    "HistoryDatasetCollectionAssociation JobParameter HistoryTagAssociation DynamicTool UserRoleAssociation"
).split()
# What code gets as `entity` always has rules.
ENTITIES = {"Entity": "EntityWithRules", "Destination": "Destination", "SchedulingTags": "SchedulingTags", "Tag": "Tag"}
MODULES = (
    "math random re os os.path json functools itertools logging collections operator datetime time copy string sys "
    "numbers typing ast hashlib fnmatch pathlib packaging packaging.version galaxy galaxy.app galaxy.jobs "
    "galaxy.jobs.mapper galaxy.jobs.rule_helper galaxy.model galaxy.tools galaxy.tool_util galaxy.tool_util.version tpv tpv.core "
    "tpv.core.entities tpv.core.helpers tpv.core.loader tpv.core.util tpv.core.mapper tpv.core.resource_requirements "
    "sqlalchemy sqlalchemy.sql sqlalchemy.sql.expression sqlalchemy.exc sqlalchemy.orm sqlalchemy.orm.exc"
).split()


# The packages whose modules are listed.
PACKAGES = (
    "galaxy galaxy.jobs galaxy.model galaxy.tools galaxy.tool_util galaxy.util tpv tpv.core packaging sqlalchemy sqlalchemy.orm "
    "sqlalchemy.sql"
).split()

# What versions of Python after 3.11 have besides, by module or class: Galaxy runs on them, too.
LATER = {
    "int": "is_integer from_number",
    "float": "from_number",
    "builtins": "PythonFinalizationError",
    "stdlib": "annotationlib compression",
    "copy": "replace",
    "datetime.date": "strptime",
    "datetime.time": "strptime",
    "functools": "Placeholder",
    "itertools": "batched",
    "logging": "getHandlerByName getHandlerNames",
    "math": "fma sumprod",
    "operator": "is_none is_not_none",
    "os": "listdrives listmounts listvolumes process_cpu_count",
    "os.path": "ALLOW_MISSING isjunction isreserved splitroot",
    "pathlib.Path": "copy copy_into from_uri full_match is_junction move move_into walk",
    "random": "binomialvariate",
    "random.Random": "binomialvariate",
    "re": "PatternError",
    "string": "templatelib",
    "sys": "activate_stack_trampoline monitoring",
    "typing": "NoDefault ReadOnly TypeAliasType TypeIs get_protocol_members is_protocol override",
}


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


def show(head, names, private=False):
    names = set(names) | set(LATER.get(head.split(" ")[1], "").split())
    print(f"{head}:", " ".join(sorted(name for name in names if private or not name.startswith("_"))))


# Modules that sites install beside Galaxy, to tell a slip by.
OTHERS = "MySQLdb boto3 httpx influxdb influxdb_client ldap ldap3 pandas pymysql redis scipy toml"


def generator():
    yield sys.exc_info()


def machinery():
    """The attributes of what CPython itself is made of."""

    def function():
        pass

    try:
        raise ValueError
    except ValueError as error:
        trace = error.__traceback__
    iterators = [iter([]), iter(()), iter(""), iter({}), iter(set()), iter(range(0)), map(str, ""), zip(), filter(str, "")]
    objects = [function, function.__code__, trace, trace.tb_frame, generator(), type, "".join, iter, property(), object(), *iterators]
    # What `super()` gives, or the code's own classes have, is no machinery.
    others = set(dir(object)) | {f"__{name}__" for name in "call get set delete del iter next or ror set_name prepare".split()}
    return {name for thing in objects for name in dir(thing) if "_" in name} - others | {"__weakref__"}


def installed():
    """The modules that come with Galaxy."""
    names = set()
    for distribution in importlib.metadata.distributions():
        for file in distribution.files or []:
            parts = file.parts
            if len(parts) > 1 and file.suffix == ".py":
                names.add(parts[0])
            elif len(parts) == 1 and file.suffix == ".py":
                names.add(file.stem)
    return {name for name in names if name.isidentifier() and name not in ("test", "examples")}


def main():
    logging.disable(logging.CRITICAL)
    sqlalchemy.orm.configure_mappers()
    print("# The names that CPython 3.11's types and modules, Galaxy 26's classes and TPV 3.3.0's have, private ones aside:")
    print("# `tests/record/record_names.py` writes this file.")
    for cls in BUILTINS:
        show(f"class {cls.__name__}", dir(cls), private=True)
    for name in MODEL:
        show(f"class {name}", names_of(getattr(model, name)))
    show("class Tool", names_of(Tool))
    show("class App", names_of(UniverseApplication))
    show("class Model", names_of(GalaxyModelMapping))
    show("class Session", names_of(sqlalchemy.orm.scoped_session))
    show("class JobWrapper", names_of(JobWrapper))
    show("class ResourceRequirement", names_of(ResourceRequirement))
    show("class RuleHelper", names_of(RuleHelper))
    for name, cls in ENTITIES.items():
        show(f"class {name}", names_of(getattr(entities, cls)))
    show("class Mapper", names_of(mapper.EntityToDestinationMapper))
    common = set(dir(object))
    for name in MODULES:
        module = importlib.import_module(name)
        show(f"module {name}", dir(module))
        if name.split(".")[0] in ("typing", "ast", "galaxy", "tpv", "sqlalchemy", "logging"):
            continue
        for public, cls in sorted(vars(module).items()):
            owner = getattr(cls, "__module__", None)
            is_own = owner == name or owner in ("_" + name, "posixpath", "_collections_abc") or owner == "builtins"
            if inspect.isclass(cls) and is_own and not public.startswith("_") and not issubclass(cls, BaseException):
                show(f"class {name}.{public}", set(dir(cls)) - common)
    # Of a function that it makes.
    show("class functools._lru_cache_wrapper", {name for name in dir(functools.lru_cache(len)) if name.startswith("cache_")})
    show("class logging.Logger", names_of(logging.Logger))
    show("names builtins", dir(builtins))
    show("names loader", vars(loader))
    show("names dunders", {name for name in [*vars(loader), "__annotations__", "__build_class__", "__import__"] if name.startswith("__")}, private=True)
    show("names machinery", machinery(), private=True)
    show("class function", dir(lambda: None), private=True)
    show("class method", dir("".join), private=True)
    show("class generator", dir(generator()), private=True)
    show("class type", dir(type) + dir(type("Object", (), {})), private=True)
    show("class object", dir(type("Object", (), {})()), private=True)
    show("names stdlib", sys.stdlib_module_names)
    show("names installed", installed())
    show("names others", OTHERS.split())
    for package in PACKAGES:
        path = importlib.import_module(package).__path__
        show(f"names {package}", {module.name for module in pkgutil.iter_modules(path)})


if __name__ == "__main__":
    main()
