"""Roles, histories and parameters: Galaxy is asked once a mapping, with few statements, and gives the same objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from galaxy import model
from galaxy.model import mapping
from sqlalchemy import event

import galaxy_objects as objects
from tpvc.galaxy import loading

RULES = """
global: {default_inherits: default}
tools:
  default:
    cores: len(user.all_roles())
    mem: sum(1 for role in user.all_roles() if role.name.startswith('of group'))
    params:
      names: "{' '.join(role.name for role in user.all_roles())}"
      tags: "{' '.join(tag.user_tname for tag in job.history.tags)} {job.history.name}"
    rules:
      - if: any(role.name == 'own 1' for role in user.all_roles())
        params: {seen: "yes"}
roles:
  own.*: {params: {by_role: "yes"}}
destinations:
  local: {runner: local}
"""


class Base:
    """A database, and the statements that it gets."""

    def __init__(self, folder: Path) -> None:
        self.models = mapping.init(str(folder), f"sqlite:///{folder}/galaxy.sqlite", create_tables=True)
        self.session = self.models.context
        self.statements: list[str] = []
        event.listen(self.models.engine, "before_cursor_execute", lambda *args: self.statements.append(args[2]))

    def add(self, own: int, groups: int, of_each: int) -> int:
        """Stores a job of a user with roles, and gives its id."""
        add = self.session.add
        user = model.User(email="a@b.org", username="a", password="x" * 20)
        shared = model.Role(name="shared", description="", type=model.Role.types.ADMIN)
        add(user)
        for number in range(own):
            role = model.Role(name=f"own {number}", description="", type=model.Role.types.ADMIN)
            add(model.UserRoleAssociation(user, role))
        for number in range(groups):
            group = model.Group(name=f"group {number}")
            add(model.UserGroupAssociation(user, group))
            add(model.GroupRoleAssociation(group, shared))
            for index in range(of_each):
                role = model.Role(name=f"of group {number} {index}", description="", type=model.Role.types.ADMIN)
                add(model.GroupRoleAssociation(group, role))
        history = model.History(name="h", user=user)
        for name in ("z", "a", "m"):
            tag = model.HistoryTagAssociation()
            tag.user_tname = name
            history.tags.append(tag)
        job = model.Job()
        job.user, job.history, job.tool_id = user, history, "bwa"
        job.add_parameter("depth", json.dumps("3"))
        add(job)
        self.session.commit()
        return int(job.id)

    def load(self, job: int) -> Any:
        self.session.expunge_all()
        found = self.session.get(model.Job, job)
        assert found is not None and found.user is not None
        self.statements.clear()
        return found


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Base]:
    made = Base(tmp_path)
    yield made
    made.session.remove()


@pytest.mark.parametrize("sizes", [(0, 0, 0), (3, 0, 0), (0, 2, 2), (3, 2, 2), (2, 1, 0), (5, 4, 3)])
def test_roles_are_those_that_galaxy_gives(base: Base, sizes: tuple[int, int, int]) -> None:
    job = base.add(*sizes)
    expected = base.load(job).user.all_roles()
    names = [role.name for role in expected]
    user = base.load(job).user
    found = loading.all_roles(user)
    assert [role.name for role in found] == names and len(base.statements) == 1
    # The very objects of the session, and nothing is left to load.
    assert all(one is other for one, other in zip(found, user.all_roles(), strict=True)) and len(base.statements) == 1
    assert [role.name for role in user.all_roles()] == names and len(base.statements) == 1
    assert not base.session.dirty and not base.session.new


def test_what_is_loaded_or_changed_stays(base: Base) -> None:
    job = base.add(2, 1, 1)
    user = base.load(job).user
    del user.roles[0]
    assert [role.name for role in loading.all_roles(user)] == [role.name for role in user.all_roles()]
    assert "own 0" not in [role.name for role in loading.all_roles(user)]
    base.session.rollback()
    # Without a session, as in a test of Galaxy, or of a job that is not stored.
    alone = model.User(email="c@d.org", username="c", password="x" * 20)
    model.UserRoleAssociation(alone, model.Role(name="alone"))
    assert [role.name for role in loading.all_roles(alone)] == ["alone"]


def test_a_method_of_the_site_is_called(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    user = base.load(base.add(2, 0, 0)).user
    monkeypatch.setattr(model.User, "all_roles", lambda self: ["theirs"])
    assert loading.all_roles(user) == ["theirs"]


def test_another_model_is_loaded_as_galaxy_does(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    user = base.load(base.add(2, 1, 1)).user
    names = [role.name for role in user.all_roles()]
    monkeypatch.setattr(loading, "_roles", loading._if_known(lambda: model.User.no_such_field))
    user = base.load(1).user
    assert [role.name for role in loading.all_roles(user)] == names


def test_a_history_comes_with_its_tags(base: Base) -> None:
    id = base.add(0, 0, 0)
    job = base.load(id)
    names = [tag.user_tname for tag in job.history.tags]
    job = base.load(id)
    history = loading.history(job)
    assert history is job.history and [tag.user_tname for tag in history.tags] == names == ["z", "a", "m"]
    assert len(base.statements) == 1
    without = model.Job()
    assert loading.history(without) is None


def test_a_mapping_asks_once(base: Base, gateway: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tmp_path / "tpv.yml"
    id = base.add(2, 2, 1)
    asked: list[str] = []
    original = loading.all_roles

    def roles(user: Any) -> Any:
        asked.append("roles")
        return original(user)

    monkeypatch.setattr(loading, "all_roles", roles)

    def values(_job: Any, _app: Any) -> Any:
        asked.append("params")
        return {"depth": 3, "nested": [{"a": 1}]}

    monkeypatch.setattr(model.Job, "get_param_values", values)

    def mapped(text: str) -> Any:
        rules.write_text(text)
        gateway.ACTIVE_DESTINATION_MAPPERS = {}
        job = base.load(id)
        asked.clear()
        app = SimpleNamespace(config=SimpleNamespace(watch_job_rules="false"), model=base.models)
        return gateway.map_tool_to_destination(app, job, objects.tool(), job.user, tpv_config_files=[str(rules)])

    found = mapped(RULES)
    assert found.params["names"] == "own 0 own 1 shared of group 0 0 of group 1 0"
    assert found.params["tags"] == "z a m h"
    assert (found.params["seen"], found.params["by_role"]) == ("yes", "yes")
    assert asked == ["roles"] and len(base.statements) == 2

    # Each call gives lists and dicts of its own, as Galaxy does.
    changing = RULES.replace(
        "    rules:\n",
        """    rules:
      - id: changes
        if: True
        execute: |
          roles = user.all_roles()
          del roles[0]
          one = job.get_param_values(app)
          one['nested'][0]['a'] = 2
          one['more'] = 1
          two = job.get_param_values(app)
          entity.params['left'] = str([len(roles), len(user.all_roles()), two, one]).replace('{', '(').replace('}', ')')
""",
    )
    found = mapped(changing)
    assert found.params["left"] == "[4, 5, ('depth': 3, 'nested': [('a': 1)]), ('depth': 3, 'nested': [('a': 2)], 'more': 1)]"
    assert asked == ["roles", "params"]

    # Code that may have changed them: an assignment, a call, a block in CPython.
    for code in ("user.username = 'b'", "user.set_disk_usage(1)", "import heapq"):
        written = changing.replace("          del roles[0]\n", f"          del roles[0]\n          {code}\n")
        found = mapped(written)
        assert found.params["left"].startswith("[4, 5, "), code
        base.session.rollback()
        assert asked.count("roles") >= 2 or code == "import heapq", (code, asked)
