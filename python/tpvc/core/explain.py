"""The steps of a decision, as TPV's `tpv.core.explain` lists and shows them."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import json
import operator
from typing import TYPE_CHECKING, Any


class ExplainPhase(enum.Enum):
    """The parts of a decision, in their order."""

    CONFIG_LOADING = "Configuration Loading"
    ENTITY_MATCHING = "Entity Matching"
    ENTITY_COMBINING = "Entity Combining"
    RULE_EVALUATION = "Rule Evaluation"
    RESOURCE_EVALUATION = "Resource Evaluation"
    DESTINATION_MATCHING = "Destination Matching"
    DESTINATION_RANKING = "Destination Ranking"
    DESTINATION_EVALUATION = "Destination Evaluation"
    RESOURCE_POOLS = "Resource Pools"
    FINAL_RESULT = "Final Result"


if not TYPE_CHECKING:
    # TPV's own where TPV is installed: its tests, and a site's, ask for the phases of the steps.
    with contextlib.suppress(ImportError):
        from tpv.core.explain import ExplainPhase


@dataclasses.dataclass
class ExplainStep:
    """One step: its phase, what happened, and what there is to say of it."""

    phase: ExplainPhase
    message: str
    detail: str | None = None


_ABSTRACT = "destination is abstract"
_REJECTED = ": REJECTED"
_LINE = "=" * 72


class ExplainCollector:
    """Takes the steps of a decision and shows them."""

    CONTEXT_KEY = "__explain"

    def __init__(self) -> None:
        self.steps: list[ExplainStep] = []

    def add_step(self, phase: ExplainPhase, message: str, detail: str | None = None) -> None:
        """Adds a step."""
        self.steps.append(ExplainStep(phase, message, detail))

    @staticmethod
    def from_context(context: dict[str, Any]) -> ExplainCollector | None:
        """The collector of an evaluation context, if it has one."""
        return context.get(ExplainCollector.CONTEXT_KEY)

    def _shown(self) -> list[ExplainStep]:
        """The steps, with one in the place of all abstract destinations."""

        def is_abstract(step: ExplainStep) -> bool:
            is_match = step.phase is ExplainPhase.DESTINATION_MATCHING
            return is_match and step.detail == _ABSTRACT and _REJECTED in step.message

        ids = [step.message.split(_REJECTED, 1)[0] for step in self.steps if is_abstract(step)]
        if not ids:
            return self.steps
        more = f", ... ({len(ids) - 5} more)" if len(ids) > 5 else ""
        summary = ExplainStep(
            ExplainPhase.DESTINATION_MATCHING,
            f"Skipped {len(ids)} abstract {'destination' if len(ids) == 1 else 'destinations'}",
            f"ids: {', '.join(ids[:5])}{more}",
        )
        first = next(i for i, step in enumerate(self.steps) if is_abstract(step))
        rest = [step for step in self.steps[first:] if not is_abstract(step)]
        return [*self.steps[:first], summary, *rest]

    def render(self) -> str:
        """The steps as text, under a heading for each phase."""
        lines = [_LINE, "TPV SCHEDULING DECISION TRACE", _LINE, ""]
        phase = None
        for number, step in enumerate(self._shown(), 1):
            if step.phase is not phase:
                phase = step.phase
                lines.append(f"--- {phase.value} ---")
            lines.append(f"  [{number}] {step.message}")
            if step.detail:
                lines.extend(f"        {line}" for line in step.detail.strip().splitlines())
            lines.append("")
        lines.append(_LINE)
        return "\n".join(lines) + "\n"

    def render_yaml(self) -> str:
        """The steps as YAML: `phases`, with a list of steps for each."""
        phases: dict[str, list[dict[str, str]]] = {}
        phase = None
        for step in self._shown():
            if step.phase is not phase:
                # A phase that comes again takes the place of its first part, as in TPV.
                phase = step.phase
                phases[phase.value] = []
            entry = {"message": step.message}
            if step.detail:
                entry["detail"] = step.detail
            phases[phase.value].append(entry)
        if not phases:
            return "phases: {}\n"
        lines = ["phases:"]
        for name, steps in phases.items():
            lines.append(f"  {name}:")
            for entry in steps:
                # A JSON text is a YAML text, whatever is in it.
                parts = [f"{key}: {json.dumps(value)}" for key, value in entry.items()]
                lines.extend(f"  {'- ' if i == 0 else '  '}{part}" for i, part in enumerate(parts))
        return "\n".join(lines) + "\n"

    @staticmethod
    def match_failure_reason(dest: Any, entity: Any) -> str:
        """Why a destination cannot take an entity, as the first reason that TPV looks for."""
        if dest.abstract:
            return _ABSTRACT
        for bound, words, is_beyond in (("max", "exceeds", operator.lt), ("min", "below", operator.gt)):
            for resource in ("cores", "mem", "gpus"):
                limit = getattr(dest, f"{bound}_accepted_{resource}")
                asked = getattr(entity, resource)
                if limit is not None and asked is not None and is_beyond(limit, float(asked)):
                    return f"{resource} {asked} {words} {bound}_accepted_{resource} {limit}"
        if not entity.tpv_tags.match(dest.tpv_dest_tags):
            return f"tag mismatch - entity tags: {entity.tpv_tags}\ndest tags: {dest.tpv_dest_tags}"
        return "unknown reason"
