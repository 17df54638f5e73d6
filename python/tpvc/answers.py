"""Answers to jobs: the objects of answer files, with types."""

from __future__ import annotations

from typing import Any, TypedDict, Union, cast

__all__ = ["Answer", "Destination", "Failure", "JobFailed"]


class Destination(TypedDict):
    """The destination of a job, as the rules made it for this job."""

    id: str
    runner: str | None
    tags: list[str]
    params: dict[str, Any]
    env: list[dict[str, Any]]
    resubmit: list[dict[str, Any]]


class Failure(TypedDict):
    """The exception that a job ended in: its Python class and its message."""

    type: str
    message: str


class JobFailed(Exception):
    """The answer has no destination, because mapping the job ended in an exception."""

    def __init__(self, type: str, message: str) -> None:
        super().__init__(type, message)
        #: The class of the exception that TPV raises, such as `JobMappingException`.
        self.type = type
        #: Its message.
        self.message = message

    def __str__(self) -> str:
        return f"{self.type}: {self.message}"


class Answer(dict[str, Any]):
    """The answer to a job: a dict with the keys of a line of an answer file, and typed attributes.

    An attribute that the answer does not have is `None`. To subscribe the destination or a resource of a job that failed raises `JobFailed`.
    """

    __slots__ = ()

    def __missing__(self, key: str) -> Any:
        error = self.error
        if error is not None:
            raise JobFailed(error["type"], error["message"])
        raise KeyError(key)

    @property
    def id(self) -> Any:
        """The job's id: any scalar, or `None`."""
        return self.get("id")

    @property
    def destination(self) -> Destination | None:
        """The destination; `None` if the job failed."""
        return cast("Union[Destination, None]", self.get("destination"))

    @property
    def error(self) -> Failure | None:
        """The error; `None` if the job was mapped."""
        return cast("Union[Failure, None]", self.get("error"))

    @property
    def cores(self) -> int | float | None:
        """The cores; `None` if the job failed, or the rules set none."""
        return cast("Union[int, float, None]", self.get("cores"))

    @property
    def mem(self) -> int | float | None:
        """The memory in GiB."""
        return cast("Union[int, float, None]", self.get("mem"))

    @property
    def gpus(self) -> int | float | None:
        """The GPUs."""
        return cast("Union[int, float, None]", self.get("gpus"))

    @property
    def candidates(self) -> list[str | None] | None:
        """The ids of the destinations that matched, best first, if they were asked for."""
        return cast("Union[list[Union[str, None]], None]", self.get("candidates"))
