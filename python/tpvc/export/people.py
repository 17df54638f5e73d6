"""Who a user is in the exported file: themselves only where that was asked for."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from dataclasses import dataclass
from pathlib import Path

from tpvc.export.errors import ExportError

# What stands before and after the `@` of an address in JSON, or in JSON inside of JSON: an escape before it is no part of it.
LOCAL_PART = re.compile(r"(?:\\[bfnrt]|\\u[0-9a-fA-F]{4})?([\w.%+-]+)$")
MAIL_DOMAIN = re.compile(r"[\w-]+(?:\.[\w-]+)+")
#: More than the part before the `@` can have.
LONGEST = 80
#: Reserved by RFC 2606: no mail ever goes there.
DOMAIN = "users.invalid"


@dataclass(frozen=True)
class Person:
    """A user as the file has them."""

    id: int
    email: str | None
    username: str | None


class People:
    """Stand-ins by the user's id, `user-12@users.invalid`: no name or address of a user is in the file."""

    #: Whether names that people gave to things are exported, too.
    names = False

    def id(self, id: int) -> int:
        """The user's id in the file."""
        return id

    def stand_in(self, id: int, email: str) -> str:
        """What stands for the user."""
        return f"user-{id}"

    def person(self, id: int, email: str | None, username: str | None) -> Person:
        """A user, by the row of `galaxy_user`."""
        name = self.stand_in(id, email or "")
        return Person(self.id(id), f"{name}@{DOMAIN}", name)

    def scrub(self, line: str, email: str | None, person: Person | None) -> str:
        """A line of the job file without addresses, wherever they stand: roles that Galaxy names after users, parameters.
        `email` is that of the job's user."""
        mine = str(person.email) if person else f"someone@{DOMAIN}"
        if email and not email.isascii():
            # Galaxy writes the parameters' JSON in ASCII.
            line = line.replace(json.dumps(json.dumps(email))[3:-3], mine)
        parts: list[str] = []
        done = 0
        at = line.find("@")
        while at >= 0:
            before = LOCAL_PART.search(line[max(done, at - LONGEST) : at])
            after = MAIL_DOMAIN.match(line, at + 1)
            if before and after:
                address = f"{before[1]}@{after[0]}"
                if after[0] != DOMAIN:
                    own = email is not None and address.lower() == email.lower()
                    parts += [line[done : at - len(before[1])], mine if own else f"someone@{DOMAIN}"]
                    done = after.end()
            at = line.find("@", at + 1)
        return "".join([*parts, line[done:]])


class HashedPeople(People):
    """Stand-ins by a keyed hash of the address, and of the id: the same in every export with the same salt."""

    def __init__(self, salt: bytes) -> None:
        self.salt = salt

    def digest(self, text: str) -> str:
        return hmac.new(self.salt, text.encode(), hashlib.sha256).hexdigest()

    def id(self, id: int) -> int:
        return int(self.digest(f"id {id}")[:12], 16)

    def stand_in(self, id: int, email: str) -> str:
        return "user-" + self.digest(f"email {email.lower()}")[:16]


class RealPeople(People):
    """Users as they are."""

    names = True

    def person(self, id: int, email: str | None, username: str | None) -> Person:
        return Person(id, email, username)

    def scrub(self, line: str, email: str | None, person: Person | None) -> str:
        return line


def hashed_people(path: str) -> HashedPeople:
    """Takes the salt from a file."""
    try:
        salt = Path(path).read_bytes().strip()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ExportError(
            f"the salt cannot be read from `{path}`: {reason}", f"make one: `openssl rand -hex 32 > {path}`"
        ) from None
    if len(salt) < 16:
        raise ExportError(
            f"the salt in `{path}` is shorter than 16 bytes, so that addresses could be guessed",
            f"make one: `openssl rand -hex 32 > {path}`",
        )
    return HashedPeople(salt)
