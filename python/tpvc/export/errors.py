"""What ends an export early."""

from __future__ import annotations


class ExportError(Exception):
    """What is wrong and what to do about it, with the exit status: 1 bad input, 2 a wrong command line."""

    def __init__(self, message: str, help: str, status: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.help = help
        self.status = status


def misuse(message: str, help: str) -> ExportError:
    """The command line is wrong."""
    return ExportError(message, help, status=2)
