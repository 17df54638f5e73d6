"""Configs as TPV's `tpv.core.loader` loads them: compiled rules, under TPV's names."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from tpvc import CompileError, Rules, _native
from tpvc.core.failure import InvalidParentException, as_tpv_raises
from tpvc.inline import yaml_text

__all__ = ["InvalidParentException", "TPVConfigLoader"]

log = logging.getLogger(__name__)


class TPVConfigLoader:
    """Configs, each over those before it, compiled.

    Raises `tpvc.CompileError` where they do not load; it is `InvalidParentException`, `SyntaxError` or `FileNotFoundError`
    as well where TPV raises that.
    """

    def __init__(self, tpv_config: dict[Any, Any], parent: TPVConfigLoader | None = None) -> None:
        self._compile([*(parent.configs if parent else ()), tpv_config])

    @staticmethod
    def from_url_or_path(url_or_path: str, parent: TPVConfigLoader | None = None) -> TPVConfigLoader:
        """Loads a file or URL, over what `parent` holds."""
        return TPVConfigLoader.from_configs([*(parent.configs if parent else ()), url_or_path])

    @staticmethod
    def from_configs(configs: Sequence[str | dict[Any, Any]]) -> TPVConfigLoader:
        """Loads files, URLs and dicts, each over those before it."""
        loader = TPVConfigLoader.__new__(TPVConfigLoader)
        loader._compile(list(configs))
        return loader

    def _compile(self, configs: list[str | dict[Any, Any]]) -> None:
        self.configs = configs
        try:
            self.rules: Rules = _native.compile(
                [config if isinstance(config, str) else ("<inline config>", yaml_text(config)) for config in configs]
            )
        except CompileError as error:
            raise as_tpv_raises(error) from None
