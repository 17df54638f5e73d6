"""`tpvc.lock` in Galaxy: the texts of URLs that somebody looked at, in the place of those that the URLs give now (docs/lock.md)."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tpvc._native import fetch, shown_url
from tpvc.galaxy.unreachable import Refused

log = logging.getLogger(__name__)

#: The version of the form that is read.
VERSION = 1
#: The folder of the texts, beside the lock, unless the lock names one.
CACHE = ".tpvc/remote"


class LockError(Refused):
    """A lock, or a locked text, that cannot be used."""


def locked_texts(lock: Path, urls: Iterable[str], seconds: float) -> dict[str, str]:
    """The texts of the URLs that the lock has, from its cache; what is missing there is fetched. Raises `LockError`."""
    remotes, cache = _read(lock)
    texts, free = {}, []
    for url in urls:
        shown = shown_url(url)
        digest = remotes.get(shown)
        if digest is None:
            free.append(shown)
            continue
        texts[url] = _text(url, digest, cache / f"{digest}.yml", lock, seconds)
    if free:
        log.info("Not in %s, and fetched as ever: %s", lock, ", ".join(free))
    return texts


def _read(lock: Path) -> tuple[dict[str, str], Path]:
    """The digests by URL, and the folder of the texts."""
    try:
        record: Any = json.loads(lock.read_text(encoding="utf-8"))
        version = record["tpvc"]
        if version != VERSION:
            raise LockError(f"`{lock}` has the form {version!r}, which another version of tpvc wrote", "run `tpvc update` with this version")
        remotes = {str(entry["url"]): str(entry["sha256"]) for entry in record["remotes"]}
        cache = lock.parent / str(record.get("cache") or CACHE)
    except OSError as error:
        raise LockError(f"cannot read `{lock}`: {error.strerror}", "`tpvc_lock` names the file that `tpvc update` writes") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, LockError):
            raise
        raise LockError(f"`{lock}` is no lock: {error}", "restore it from the repository, or run `tpvc update`") from None
    for url, digest in remotes.items():
        if len(digest) != 64 or digest.strip("0123456789abcdef"):
            raise LockError(f"the digest of `{url}` in `{lock}` is not 64 hexadecimal digits", "run `tpvc update`")
    return remotes, cache


def _text(url: str, digest: str, path: Path, lock: Path, seconds: float) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return _decoded(_fetched(url, digest, path, lock, seconds), url)
    except OSError as error:
        raise LockError(f"cannot read `{path}`: {error.strerror}", "Galaxy's user must be able to read it") from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise LockError(f"`{path}` was edited or damaged: its digest is not its name", "restore it from the repository, or remove it")
    return _decoded(data, url)


def _fetched(url: str, digest: str, path: Path, lock: Path, seconds: float) -> bytes:
    remedy = f"put `{path.parent}` beside the lock, or run `tpvc update`"
    try:
        data = fetch(url, seconds)
    except OSError as error:
        raise LockError(f"`{path}` is missing, and the URL does not help: {error}", remedy) from None
    found = hashlib.sha256(data).hexdigest()
    if found != digest:
        raise LockError(f"`{shown_url(url)}` gives a text of the digest {found}, but `{lock}` has {digest}", remedy)
    return data


def _decoded(data: bytes, url: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LockError(f"the locked text of `{shown_url(url)}` is not UTF-8: {error.reason}", "run `tpvc update`") from None
