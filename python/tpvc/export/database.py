"""Galaxy's database, for reading only."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from tpvc.export.errors import ExportError, misuse
from tpvc.export.statements import COLUMNS

if TYPE_CHECKING:
    from sqlalchemy import BindParameter
    from sqlalchemy.engine import Connection, Engine, Row

#: What Galaxy itself takes the URL from.
ENVIRONMENT = "GALAXY_CONFIG_OVERRIDE_DATABASE_CONNECTION"
FORMS = "write `postgresql://galaxy@localhost/galaxy`, `sqlite:////srv/galaxy/universe.sqlite` or the path of the SQLite file"
#: Values in one `IN`: SQLite takes 32,766 in a statement.
CHUNK = 10_000


class Database:
    """A database of Galaxy. Each block of [`reading`] is a transaction of its own, so that a long export never holds
    back the server's vacuum."""

    def __init__(self, engine: Engine, name: str, columns: dict[str, set[str]]) -> None:
        self.engine = engine
        self.name = name
        self.columns = columns

    def has_column(self, table: str, column: str) -> bool:
        """Whether this release of Galaxy has a column that not all have."""
        return column in self.columns[table]

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """A read-only transaction."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            with self.engine.connect() as connection:
                yield Reader(connection)
        except SQLAlchemyError as error:
            raise refused(error, self.name) from None


class Reader:
    """A transaction."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def rows(self, statement: str, **values: object) -> Iterator[Row[Any]]:
        """The rows of a statement, as they come."""
        from sqlalchemy import DateTime, bindparam, text

        special: list[BindParameter[Any]] = []
        for name, value in values.items():
            if isinstance(value, list):
                special.append(bindparam(name, expanding=True))
            elif isinstance(value, datetime):
                # SQLite compares times as texts in SQLAlchemy's own form.
                special.append(bindparam(name, type_=DateTime()))
        prepared = text(statement).bindparams(*special)
        options = {"stream_results": True, "max_row_buffer": 1000}
        return iter(self.connection.execute(prepared, values, execution_options=options))

    def rows_of(self, ids: Iterator[int] | list[int] | set[int], statement: str, **values: object) -> Iterator[Row[Any]]:
        """The rows of a statement for many ids."""
        wanted = sorted(set(ids))
        for start in range(0, len(wanted), CHUNK):
            yield from self.rows(statement, ids=wanted[start : start + CHUNK], **values)


def open_database(url: str | None) -> Database:
    """Opens a database and looks whether it is Galaxy's."""
    text = url or os.environ.get(ENVIRONMENT)
    if not text:
        raise misuse("no database is named", f"{FORMS}; or set {ENVIRONMENT}, as for Galaxy")
    try:
        import sqlalchemy
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError:
        raise ExportError(
            "SQLAlchemy is not installed in this Python",
            "run `tpvc` of Galaxy's own virtual environment, or `pip install sqlalchemy`",
        ) from None
    engine = make_engine(text)
    name = engine.url.render_as_string(hide_password=True)
    try:
        inspector = sqlalchemy.inspect(engine)
        tables = set(inspector.get_table_names()) | set(inspector.get_view_names())
        missing = [table for table in COLUMNS if table not in tables]
        if missing:
            raise not_galaxys(name, "table", missing)
        columns = {table: {column["name"] for column in inspector.get_columns(table)} for table in COLUMNS}
    except SQLAlchemyError as error:
        raise refused(error, name) from None
    absent = [f"{table}.{column}" for table, needed in COLUMNS.items() for column in needed.split() if column not in columns[table]]
    if absent:
        raise not_galaxys(name, "column", absent)
    return Database(engine, name, columns)


def make_engine(text: str) -> Engine:
    """The engine of a URL or of a path to a SQLite file."""
    from sqlalchemy import create_engine
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError
    from sqlalchemy.pool import NullPool

    if "://" not in text:
        return sqlite_engine(text)
    try:
        # Galaxy takes the old name of the scheme, too.
        url = make_url("postgresql" + text.removeprefix("postgres") if text.startswith("postgres://") else text)
    except (ArgumentError, ValueError):
        # The text is not shown: it may hold a password.
        raise misuse("the database's URL cannot be read", FORMS) from None
    kind = url.get_backend_name()
    if kind == "sqlite":
        return sqlite_engine(url.database or "")
    if kind != "postgresql":
        raise misuse(f"`{kind}` is not a kind of database that Galaxy uses", FORMS)
    try:
        engine = create_engine(url, poolclass=NullPool)
    except (ModuleNotFoundError, NoSuchModuleError):
        if url.drivername == "postgresql":
            try:
                engine = create_engine(url.set(drivername="postgresql+psycopg"), poolclass=NullPool)
            except ModuleNotFoundError:
                raise no_driver() from None
        else:
            raise no_driver() from None
    return engine.execution_options(postgresql_readonly=True)


def no_driver() -> ExportError:
    return ExportError(
        "this Python has no driver for PostgreSQL",
        "run `tpvc` of Galaxy's own virtual environment, or `pip install psycopg2-binary`",
    )


def sqlite_engine(path: str) -> Engine:
    """An engine that opens the file for reading only, so that a wrong path makes no file."""
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    if not os.path.isfile(path):
        what = "it is a folder" if os.path.isdir(path) else "no such file"
        raise ExportError(f"`{path}`: {what}", "check the path; that of a URL begins after three slashes: `sqlite:////srv/galaxy.sqlite`")
    if not os.access(path, os.R_OK):
        raise ExportError(f"`{path}`: permission denied", "run this as the owner of the file: `sudo -u galaxy ...`")

    def connect() -> sqlite3.Connection:
        # A server that writes holds the lock for moments.
        return sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True, timeout=60, check_same_thread=False)

    return create_engine(f"sqlite:///{path}", creator=connect, poolclass=NullPool)


def not_galaxys(name: str, what: str, missing: list[str]) -> ExportError:
    """The error where tables or columns are not there."""
    shown = ", ".join(f"`{each}`" for each in missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
    plural = what if len(missing) == 1 else what + "s"
    verb = "is" if len(missing) == 1 else "are"
    return ExportError(
        f"`{name}` is not a database of Galaxy, or of an old one: the {plural} {shown} {verb} not there",
        "name the database of `database_connection` in galaxy.yml, and a user who may see its tables",
    )


#: What the drivers say, in lower case, and what to do about it.
REASONS = [
    ("permission denied", "grant the rights to read: `GRANT SELECT ON ALL TABLES IN SCHEMA public TO …`, or connect as Galaxy's user"),
    ("password authentication failed", "check user and password; PostgreSQL takes the password from ~/.pgpass, too"),
    ("peer authentication failed", "run this as the system user of that name: `sudo -u galaxy ...`"),
    ("no password supplied", "add the password to ~/.pgpass, or write `postgresql://user:password@host/name`"),
    ("does not exist", "check the names of database and user: `psql -l` lists the databases"),
    ("could not translate host name", "check the name of the host"),
    ("connection refused", "check host and port, and that the server runs there"),
    ("no such file or directory", "check that the server runs here, or name its host"),
    ("timeout", "try again when the server is less busy, or ask a replica"),
    ("conflict with recovery", "ask again: each run starts anew; or raise max_standby_streaming_delay of the replica"),
    ("database is locked", "try again when Galaxy writes less, or copy the file"),
    ("file is not a database", "name the SQLite file of Galaxy"),
    ("malformed", "check the file: `sqlite3 … 'PRAGMA integrity_check'`"),
]


def refused(error: Exception, name: str) -> ExportError:
    """An error of the database in its own words, with what to do about it."""
    cause = getattr(error, "orig", None) or error
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    text = " ".join(lines[:1]) or type(cause).__name__
    lower = str(cause).lower()
    help = next((help for part, help in REASONS if part in lower), "the message is the database's own; its log may say more")
    return ExportError(f"the database `{name}` refuses: {text}", help)


def by_name(row: Row[Any]) -> Mapping[str, Any]:
    """A row by the names of its columns."""
    return cast("Mapping[str, Any]", row._mapping)
