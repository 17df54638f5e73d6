"""Statements of tpvc in the shadow leave Galaxy's transaction as it was: on a real PostgreSQL."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("tpv.rules")

from sqlalchemy import create_engine, text  # noqa: E402
from sqlalchemy.exc import DBAPIError  # noqa: E402
from sqlalchemy.orm import scoped_session, sessionmaker  # noqa: E402

from tpvc.galaxy.shadow import _undone  # noqa: E402


def test_a_failed_statement_and_a_written_row_are_undone(postgresql: str) -> None:
    engine = create_engine(postgresql)
    session = scoped_session(sessionmaker(engine))
    app = SimpleNamespace(model=SimpleNamespace(session=session))
    session.execute(text("CREATE TABLE seen (id INTEGER)"))
    session.execute(text("INSERT INTO seen VALUES (1)"))
    with pytest.raises(DBAPIError), _undone(app):
        session.execute(text("SELECT nothing FROM nowhere"))
    with _undone(app):
        session.execute(text("INSERT INTO seen VALUES (2)"))
    assert session.execute(text("SELECT count(*) FROM seen")).scalar() == 1
    session.commit()
    # A rule that ends the transaction itself.
    session.execute(text("SELECT 1"))
    with _undone(app):
        session.execute(text("INSERT INTO seen VALUES (3)"))
        session.commit()
    session.execute(text("INSERT INTO seen VALUES (4)"))
    session.commit()
    assert session.execute(text("SELECT array_agg(id ORDER BY id) FROM seen")).scalar() == [1, 3, 4]
    session.remove()
    engine.dispose()
