"""Configs as TPV's `tpv.core.loader` loads them: compiled rules, under TPV's names."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from types import MappingProxyType
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

    #: When the URLs gave the texts that were compiled, if they are not those that the URLs give now.
    kept_since: str | None = None

    def __init__(self, tpv_config: dict[Any, Any], parent: TPVConfigLoader | None = None) -> None:
        self._compile([*(parent.configs if parent else ()), tpv_config])

    @staticmethod
    def from_url_or_path(url_or_path: str, parent: TPVConfigLoader | None = None) -> TPVConfigLoader:
        """Loads a file or URL, over what `parent` holds."""
        return TPVConfigLoader.from_configs([*(parent.configs if parent else ()), url_or_path])

    @staticmethod
    def from_configs(
        configs: Sequence[str | dict[Any, Any]],
        texts: Mapping[str, str] | None = None,
        *,
        tpv: str | None = None,
        url_timeout: float | None = None,
        lock: _native.Lock | None = None,
    ) -> TPVConfigLoader:
        """Loads files, URLs and dicts, each over those before it. `texts` has the texts of URLs that are not fetched, and so does `lock`; `tpv` is
        the version of TPV whose answers the rules give, `url_timeout` the number of seconds that a URL may take."""
        loader = TPVConfigLoader.__new__(TPVConfigLoader)
        loader._compile(list(configs), texts or {}, tpv, url_timeout, lock)
        return loader

    @staticmethod
    def from_texts(
        texts: Sequence[tuple[str, str]], configs: Sequence[str | dict[Any, Any]], *, tpv: str | None = None
    ) -> TPVConfigLoader:
        """Loads texts under their names, as what these configs gave once."""
        loader = TPVConfigLoader.__new__(TPVConfigLoader)
        loader.configs = list(configs)
        loader._load(list(texts), tpv)
        return loader

    def _compile(
        self,
        configs: list[str | dict[Any, Any]],
        texts: Mapping[str, str] = MappingProxyType({}),
        tpv: str | None = None,
        url_timeout: float | None = None,
        lock: _native.Lock | None = None,
    ) -> None:
        self.configs = configs

        def source(config: str | dict[Any, Any]) -> str | tuple[str, str]:
            if not isinstance(config, str):
                return "<inline config>", yaml_text(config)
            return (config, texts[config]) if config in texts else config

        self._load([source(config) for config in configs], tpv, url_timeout, lock)

    def _load(
        self,
        sources: Sequence[str | tuple[str, str]],
        tpv: str | None,
        url_timeout: float | None = None,
        lock: _native.Lock | None = None,
    ) -> None:
        try:
            self.rules: Rules = _native.compile(sources, tpv=tpv, url_timeout=url_timeout, lock=lock)
        except CompileError as error:
            raise as_tpv_raises(error) from None
