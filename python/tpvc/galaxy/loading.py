"""Loading of Galaxy's objects with few SQL statements, for native code: the objects, and their order, are those that Galaxy gives."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from typing import Any

from galaxy import model
from sqlalchemy import bindparam, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import aliased, contains_eager, joinedload, load_only

log = logging.getLogger(__name__)


def all_roles(user: Any) -> Any:
    """The roles that `user.all_roles()` gives. In one SELECT, if none of them is loaded."""
    if not _asks_in_vain():
        return user.all_roles()
    fields = user.__dict__
    if "roles" not in fields and "groups" not in fields and _is_stored(user):
        _one(user, _roles(), user.id)
    return user.all_roles_exploiting_cache()


def history(job: Any) -> Any:
    """The history of a job. It is loaded with its tags, which most rules that ask for it want."""
    fields = job.__dict__
    if "history" not in fields and _is_stored(job) and job.history_id is not None:
        found = _one(job, _history(), job.history_id)
        # The session holds what it loads weakly: until the job has it, this function must.
        return job.history or found
    return job.history


def _is_stored(instance: Any) -> bool:
    state = instance._sa_instance_state
    return state.persistent and not state.expired


def _one(instance: Any, statement: Any, id: int) -> Any:
    """The object of a statement, loaded into the session of another. What the session holds already stays as it is."""
    if statement is None:
        return None
    session = instance._sa_instance_state.session
    return session.execute(statement, {"id": id}).unique().scalar_one_or_none()


@cache
def _fails() -> bool:
    """`True` if the SELECT in `User.all_roles` fails before it is sent, as its options do with SQLAlchemy 2; Galaxy then goes on with lazy
    loads."""
    try:
        model.User.roles.role
    except AttributeError:
        return hasattr(model.User, "all_roles_exploiting_cache")
    return False


def _asks_in_vain() -> bool:
    # A site may have put a method of its own in its place.
    return model.User.all_roles.__module__ == model.__name__ and _fails()


def _if_known(make: Callable[[], Any]) -> Callable[[], Any]:
    """A statement, made once; `None` if Galaxy's model has other names: then Galaxy loads as it does."""

    @cache
    def statement() -> Any:
        try:
            return make()
        except (AttributeError, SQLAlchemyError) as error:
            log.info("Galaxy's own statements load what rules read: %s", error)
            return None

    return statement


@_if_known
def _roles() -> Any:
    user_role, group_role = aliased(model.Role), aliased(model.Role)
    own, member, of_group = model.UserRoleAssociation, model.UserGroupAssociation, model.GroupRoleAssociation
    return (
        select(model.User)
        .where(model.User.id == bindparam("id"))
        .outerjoin(own, own.user_id == model.User.id)
        .outerjoin(user_role, user_role.id == own.role_id)
        .outerjoin(member, member.user_id == model.User.id)
        .outerjoin(model.Group, model.Group.id == member.group_id)
        .outerjoin(of_group, of_group.group_id == model.Group.id)
        .outerjoin(group_role, group_role.id == of_group.role_id)
        .options(
            load_only(model.User.id),
            contains_eager(model.User.roles).contains_eager(own.role.of_type(user_role)),
            contains_eager(model.User.groups)
            .contains_eager(member.group)
            .contains_eager(model.Group.roles)
            .contains_eager(of_group.role.of_type(group_role)),
        )
        .order_by(own.id, member.id, of_group.id)
    )


@_if_known
def _history() -> Any:
    return select(model.History).where(model.History.id == bindparam("id")).options(joinedload(model.History.tags))
