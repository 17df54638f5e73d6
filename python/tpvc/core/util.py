"""TPV's `tpv.core.util`."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlparse


def load_yaml_from_url_or_path(url_or_path: str) -> Any:
    """The data of a YAML file or URL, read with `ruamel.yaml` and fetched with `requests`, as TPV does."""
    from ruamel.yaml import YAML

    yaml = YAML(typ="rt")
    if urlparse(url_or_path).scheme in ("http", "https"):
        import requests

        with requests.get(url_or_path) as answer:
            return yaml.load(answer.content)
    with open(url_or_path) as file:
        return yaml.load(file)
