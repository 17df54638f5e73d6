"""An explanation as the steps of TPV's collector."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tpvc.core.explain import ExplainCollector, ExplainPhase

yaml = pytest.importorskip("ruamel.yaml")


def test_random_steps_show_as_tpvs() -> None:
    reference: Any = pytest.importorskip("tpv.core.explain", reason="TPV is not installed")
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    source = random.Random(seed)
    phases = list(ExplainPhase)
    for _ in range(500):
        ours, theirs = ExplainCollector(), reference.ExplainCollector()
        for _ in range(source.randrange(12)):
            phase = source.choice(phases)
            message = source.choice(["a", "local: REJECTED", "x: y\n'z'", "d1: REJECTED", "- é \u2028"])
            detail = source.choice([None, "", "destination is abstract", "one\n  two\n", "\n"])
            ours.add_step(phase, message, detail)
            theirs.add_step(reference.ExplainPhase[phase.name], message, detail)
        assert ours.render() == theirs.render()
        read = yaml.YAML(typ="safe", pure=True)
        assert read.load(ours.render_yaml()) == read.load(theirs.render_yaml())
