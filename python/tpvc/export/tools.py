"""The names of tools, which the database does not have: from the answer of Galaxy's API."""

from __future__ import annotations

import json

from tpvc.export.errors import ExportError

HELP = "fetch it: `curl 'https://galaxy.example.org/api/tools?in_panel=false' > tools.json`"


def read_tool_names(path: str) -> dict[str, str]:
    """The names by the ids of tools, from a file with the answer of `/api/tools?in_panel=false`."""
    try:
        with open(path, encoding="utf-8") as file:
            listed = json.load(file)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ExportError(f"the list of tools `{path}` cannot be read: {reason}", HELP) from None
    except ValueError as error:
        raise ExportError(f"the list of tools `{path}` is not JSON: {error}", HELP) from None
    if not isinstance(listed, list):
        raise ExportError(f"`{path}` is not a list of tools", HELP)
    named = (tool for tool in listed if isinstance(tool, dict))
    return {tool["id"]: tool["name"] for tool in named if isinstance(tool.get("id"), str) and isinstance(tool.get("name"), str)}
