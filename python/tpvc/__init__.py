"""Maps Galaxy jobs by TPV (Total Perspective Vortex) rules, compiled, with TPV 3.3.0's answers."""

from tpvc._native import CompileError, Diagnostic, Mapper, Rules, __version__, compile

__all__ = [
    "Answer",
    "CommandError",
    "CompileError",
    "Diagnostic",
    "JobFailed",
    "Mapper",
    "Rules",
    "__version__",
    "check",
    "compile",
    "diff",
    "explain",
    "fit",
    "lint",
    "maps",
    "simulate",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tpvc import maps as maps
    from tpvc.answers import Answer, JobFailed
    from tpvc.verbs import CommandError, check, diff, explain, fit, lint, simulate
else:

    def __getattr__(name: str) -> object:
        # Importing these takes ten times as long as all else, and Galaxy does not need them.
        import importlib

        if name == "maps":
            return importlib.import_module("tpvc.maps")
        if name in ("Answer", "JobFailed"):
            return getattr(importlib.import_module("tpvc.answers"), name)
        if name in __all__:
            return getattr(importlib.import_module("tpvc.verbs"), name)
        raise AttributeError(f"module 'tpvc' has no attribute {name!r}")
