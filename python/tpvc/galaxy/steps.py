"""An explanation of tpvc as the steps of TPV's collector."""

from __future__ import annotations

from typing import Any

from tpvc.core.explain import ExplainCollector, ExplainPhase


def add_steps(collector: ExplainCollector, explanation: dict[str, Any]) -> None:
    """Adds the steps of a decision. `explanation` is what `tpvc dry-run --explain --format json` prints."""
    add = collector.add_step
    _entities(collector, explanation)
    _combined(collector, explanation)
    for rule in explanation["rules"]:
        if rule.get("destination") is None:
            _rule(collector, rule)
    values = {value["group"]: value["value"] for value in explanation["values"] if "name" not in value}
    add(
        ExplainPhase.RESOURCE_EVALUATION,
        "Evaluated resource expressions",
        ", ".join(f"{name}={values.get(name)}" for name in ("cores", "mem", "gpus")),
    )
    for destination in explanation["destinations"]:
        _match(collector, destination)
    ranked = (one for one in explanation["destinations"] if one.get("rank") is not None)
    for destination in sorted(ranked, key=lambda one: int(one["rank"])):
        add(
            ExplainPhase.DESTINATION_RANKING,
            f"#{destination['rank']} {destination['id']} (score: {destination.get('score')})",
        )
    for tried in explanation["tried"]:
        _tried(collector, tried)
        for rule in explanation["rules"]:
            if rule.get("destination") == tried["id"]:
                _rule(collector, rule)
    for pool in explanation.get("pools", []):
        add(ExplainPhase.RESOURCE_POOLS, pool["what"], pool.get("detail"))
    _result(collector, explanation["result"])


def _at(place: str | None) -> str:
    return f" ({place})" if place else ""


def _entities(collector: ExplainCollector, explanation: dict[str, Any]) -> None:
    phase = ExplainPhase.ENTITY_MATCHING
    has_role = False
    for lookup in explanation["entities"]:
        section, name, found = lookup["section"], lookup["name"], lookup["found"]
        ids = [one["id"] for one in found if one["id"] != "-"]
        detail = "\n".join(f"{one['id']}: {one['because']}{_at(one.get('at'))}" for one in found) or None
        if section == "tools":
            if ids:
                collector.add_step(phase, f"Tool '{name}': matched entity '{ids[-1]}'", detail)
            else:
                collector.add_step(phase, f"Tool '{name}': no explicit match, using default", detail)
        elif section == "roles":
            if ids and not has_role:
                has_role = True
                collector.add_step(phase, f"Role: matched entity '{ids[-1]}'", detail)
        else:
            if not has_role:
                collector.add_step(phase, "No role entities matched")
            if ids:
                collector.add_step(phase, f"User '{name}': matched entity '{ids[-1]}'", detail)
            else:
                collector.add_step(phase, f"User '{name}': no matching entity")
    if not any(lookup["section"] == "users" for lookup in explanation["entities"]):
        collector.add_step(phase, "No user specified")


def _combined(collector: ExplainCollector, explanation: dict[str, Any]) -> None:
    details = []
    for value in explanation["values"]:
        if value["group"] in ("tags", "runner"):
            continue
        name = value["group"] if "name" not in value else f"{value['group']} {value['name']}"
        history = value["history"]
        if history:
            last = history[-1]
            details.append(f"{name}: {last['value']}, by {last['by']}{_at(last.get('at'))}")
    tags: dict[str, list[str]] = {"require": [], "prefer": [], "accept": [], "reject": []}
    for value in explanation["values"]:
        if value["group"] == "tags":
            tags.setdefault(value["value"], []).append(value["name"])
    details.append("scheduling: " + ", ".join(f"{kind}={names}" for kind, names in tags.items()))
    collector.add_step(ExplainPhase.ENTITY_COMBINING, "Combined the entities", "\n".join(details))


def _rule(collector: ExplainCollector, rule: dict[str, Any]) -> None:
    outcome = "not matched" if rule["state"] == "no" else "MATCHED"
    reads = [f"{name} is {value}" for name, value in rule["read"].items()]
    if rule["state"] not in ("no", "fired"):
        reads.insert(0, rule["state"])
    collector.add_step(
        ExplainPhase.RULE_EVALUATION,
        f"Rule '{rule['id']}' (if: {rule['if'][:80]}) -> {outcome}",
        "\n".join([*reads, *([rule["at"]] if rule.get("at") else [])]) or None,
    )


def _match(collector: ExplainCollector, destination: dict[str, Any]) -> None:
    phase, name, reasons = ExplainPhase.DESTINATION_MATCHING, destination["id"], destination["reasons"]
    if destination["matched"]:
        collector.add_step(phase, f"{name}: MATCHED")
    elif "it is abstract" in reasons:
        collector.add_step(phase, f"{name}: REJECTED", "destination is abstract")
    else:
        details = [f"tag mismatch: {reason}" if " tag `" in reason else reason for reason in reasons]
        collector.add_step(phase, f"{name}: REJECTED", "\n".join(details))


def _tried(collector: ExplainCollector, tried: dict[str, Any]) -> None:
    phase, name, what = ExplainPhase.DESTINATION_EVALUATION, tried["id"], tried["what"]
    collector.add_step(phase, f"Evaluating destination '{name}'")
    if "TryNextDestinationOrWait" in what:
        collector.add_step(phase, f"Destination '{name}' deferred: {what}, trying next...", tried.get("at"))
    elif "TryNextDestinationOrFail" in what:
        collector.add_step(phase, f"Destination '{name}' failed: {what}, trying next...", tried.get("at"))


def _result(collector: ExplainCollector, result: dict[str, Any] | None) -> None:
    phase = ExplainPhase.FINAL_RESULT
    if result is None:
        collector.add_step(phase, "The job was not mapped")
    elif "destination" in result:
        fields = dict(result["destination"])
        name = fields.pop("id", None)
        collector.add_step(phase, f"Destination: {name}", "\n".join(f"{key}: {value}" for key, value in fields.items()))
    else:
        error = result["error"]
        if error["type"] == "JobNotReadyException" and not error["message"]:
            message = "All matching destinations deferred (job not ready)"
        elif error["type"] == "JobMappingException":
            message = error["message"]
        else:
            message = f"{error['type']}: {error['message']}"
        collector.add_step(phase, message, error.get("at"))
