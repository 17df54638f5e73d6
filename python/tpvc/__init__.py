"""Maps Galaxy jobs by TPV (Total Perspective Vortex) rules, compiled, with TPV 3.3.0's answers."""

from tpvc._native import CompileError, Diagnostic, Mapper, Rules, __version__, compile

__all__ = ["CompileError", "Diagnostic", "Mapper", "Rules", "__version__", "compile", "maps"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tpvc import maps as maps
else:

    def __getattr__(name: str) -> object:
        # Importing it takes ten times as long as all else, and Galaxy does not need it.
        if name == "maps":
            import importlib

            return importlib.import_module("tpvc.maps")
        raise AttributeError(f"module 'tpvc' has no attribute {name!r}")
