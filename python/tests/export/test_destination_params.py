"""Which params of destinations are in a file that names no user."""

from __future__ import annotations

import pytest

from tpvc.export.destination_params import without_names


@pytest.mark.parametrize("value", [4, 2.5, True, None, "2", "16 GiB", "512M", "02:00:00", "true", ["1", 2], "4,8"])
def test_amounts_are_kept(value: object) -> None:
    assert without_names({"a": value}, "jo") == {"a": value}


@pytest.mark.parametrize("value", ["--account=jo", "jo", "Jo's thesis", "4jo", "m", {"a": 1}, ["1", "jo"], "2026", 2026, "/home/2026/x"])
def test_what_can_be_a_name_is_left_out(value: object) -> None:
    assert without_names({"a": value, "b": 1}, "2026") == {"b": 1}


def test_nothing_left_is_nothing() -> None:
    assert without_names({"a": "jo"}, None) is None and without_names(None, None) is None
