"""Maps Galaxy jobs by TPV (Total Perspective Vortex) rules, compiled, with TPV 3.3.0's answers."""

from tpvc._native import CompileError, Diagnostic, Mapper, Rules, __version__, compile

__all__ = ["CompileError", "Diagnostic", "Mapper", "Rules", "__version__", "compile"]
