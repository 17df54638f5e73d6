"""URLs that could not be fetched: none is asked again within a minute, whatever dispatchers name it, so that a server that hangs costs one time-out."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from tpvc import CompileError
from tpvc._native import is_url, shown_url

#: Seconds for which a URL that failed is not fetched again.
PAUSE = 60.0

# By URL: the time by `time.monotonic` until which it is not fetched, and what was wrong, with the remedy.
_failed: dict[str, tuple[float, str, str]] = {}


class Refused(CompileError):
    """A text that is not taken, before anything is compiled."""

    def __init__(self, message: str, help: str) -> None:
        self.text = f"error: {message}\n |\n = help: {help}"
        self.diagnostics = []
        super().__init__(self.text)


def refuse_pages(fetched: Iterable[tuple[str, str]]) -> None:
    """Raises `Refused` if a URL gave a page of HTML: it may be YAML by chance, as a mapping that is no rule.

    DIFFERENCE: TPV goes on with the rules of the other configs.
    """
    for url, text in fetched:
        if text.lstrip("\ufeff \t\r\n")[:14].lower().startswith(("<!doctype html", "<html")):
            raise Refused(f"`{shown_url(url)}` gives a page of HTML", "the server may ask to log in, or the text may have moved: open the URL")


def urls_of(configs: Iterable[str | dict[str, Any]]) -> list[str]:
    """The URLs among configs."""
    return [config for config in configs if isinstance(config, str) and is_url(config)]


def known_failure(urls: Iterable[str]) -> Refused | None:
    """An error for a URL that could not be fetched a moment ago; `None` if there is none."""
    now = time.monotonic()
    for url in urls:
        until, message, help = _failed.get(url, (now, "", ""))
        if now < until:
            return Refused(message, f"{help}; it is asked again in {until - now:.0f} s")
    return None


def note(urls: Iterable[str], error: CompileError) -> int:
    """Remembers which of the URLs could not be fetched, by the error of a compilation, and gives their number."""
    wanted, until = set(urls), time.monotonic() + PAUSE
    found = {problem.unread: problem for problem in error.diagnostics if problem.unread in wanted}
    for url, problem in found.items():
        if url is not None:
            _failed[url] = (until, problem.message, problem.help or "")
    return len(found)


def forget() -> None:
    """Forgets all failures."""
    _failed.clear()
