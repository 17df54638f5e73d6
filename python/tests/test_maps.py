"""Maps from Python: made, waited for, their answers, and what goes wrong. All run on this machine's cores, through this Python."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import tpvc
from tpvc import maps

CONFIG = """
global: {default_inherits: default}
tools:
  default:
    cores: 2
    mem: cores * 4
  bwa:
    cores: CORES
  fails:
    rules:
      - if: "True"
        fail: not here
destinations:
  slurm:
    runner: slurm
"""

JOBS = 300


def compiled(cores: str) -> tpvc.Rules:
    return tpvc.compile([("rules.yml", CONFIG.replace("CORES", cores))])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in list(os.environ):
        if name.startswith("TPVC_MAPS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TPVC_MAPS_DIR", str(tmp_path / "maps"))
    monkeypatch.chdir(tmp_path)
    tools = ["bwa", "other", "fails"]
    lines = [json.dumps({"id": number, "tool": {"id": tools[number % 3]}}) for number in range(JOBS)]
    (tmp_path / "jobs.jsonl").write_text("\n".join(lines) + "\n")
    yield tmp_path
    for tag in maps.tags():
        maps.Map(tag).remove(force=True)


def mapped(rules: tpvc.Rules, folder: Path) -> str:
    tpvc.Mapper(rules).map_file(folder / "jobs.jsonl", folder / "answers.jsonl")
    return (folder / "answers.jsonl").read_text()


def test_a_map_gives_the_answers_of_its_rules(folder: Path) -> None:
    one, two = compiled("3"), compiled("4")
    made = maps.create("jobs.jsonl", [one, two], tag="q3", slice_bytes=4000)
    assert (made.tag, maps.tags(), made.path.parent) == ("q3", ["q3"], folder / "maps")
    made.wait(timeout=120)
    count = len(made)
    assert count > 4 and made.status() == {"COMPLETED": count}
    assert made.components_by_status() == {"COMPLETED": list(range(count))}
    expected = mapped(one, folder) + mapped(two, folder)
    assert "".join(made.lines()) == expected
    answers = list(maps.Map("q3"))
    assert answers == [json.loads(line) for line in expected.splitlines()]
    assert (answers[0]["cores"], answers[JOBS]["cores"], answers[2]["error"]["message"]) == (3, 4, "not here")
    half = range(count // 2)
    assert "".join(made.lines(half)) == mapped(one, folder)

    summary = made.summary(half)
    cores = JOBS // 3 * (3 + 2)
    assert summary["total"] == {
        "jobs": JOBS, "errors": JOBS // 3, "millicores": 1000 * cores, "memory": 4 * cores << 30
    }
    assert summary["destinations"]["rows"]["slurm"]["jobs"] == JOBS // 3 * 2
    assert summary["tools"]["rows"]["fails"] == {"jobs": JOBS // 3, "errors": JOBS // 3}
    assert [item["first_line"] for item in made.itemdata()][:2] == [1, made.itemdata()[0]["lines"] + 1]


def test_what_needs_cpython_runs_in_it(folder: Path) -> None:
    # `textwrap` is not native.
    rules = compiled("|\n      import textwrap\n      len(textwrap.dedent('   abc'))")
    made = maps.create("jobs.jsonl", rules)
    made.wait(timeout=120)
    assert "".join(made.lines()) == mapped(rules, folder)
    assert next(made.answers())["cores"] == 3


def test_the_command_makes_the_same_maps(folder: Path) -> None:
    rules = compiled("3")
    (folder / "rules.bin").write_bytes(rules.to_bytes())
    command = [sys.executable, "-m", "tpvc", "maps"]
    subprocess.run([*command, "create", "--tag", "q3", "--rules", "rules.bin", "jobs.jsonl"], check=True)
    subprocess.run([*command, "wait", "q3"], check=True)
    results = subprocess.run([*command, "results", "q3"], check=True, capture_output=True, text=True).stdout
    assert results == mapped(rules, folder) == "".join(maps.Map("q3").lines())


def test_differences_are_those_of_the_answers(folder: Path) -> None:
    (folder / "old.bin").write_bytes(compiled("3").to_bytes())
    made = maps.create([folder / "jobs.jsonl"], compiled("4"), against=folder / "old.bin", world={"jobs": []})
    differences = list(made)
    assert {difference["cause"] for difference in differences} == {"cores: 3 -> 4; mem: more"}
    assert [difference["line"] for difference in differences] == list(range(1, JOBS, 3))
    causes = made.summary()["differences"]["causes"]["rows"]
    assert causes["cores: 3 -> 4; mem: more"]["old"]["millicores"] == JOBS // 3 * 3000


def test_what_is_missing_is_told_and_runs_again(folder: Path) -> None:
    made = maps.create("jobs.jsonl", compiled("3"), tag="q3", slice_bytes=4000)
    made.wait(timeout=120)
    expected = "".join(made.lines())
    (made.path / "outputs" / "1.jsonl.zst").unlink()
    with pytest.raises(maps.MapError, match="1 of . components of `q3` have no answers: 1$"):
        made.lines()
    assert 0 < len("".join(made.lines(partial=True))) < len(expected)
    assert made.components_by_status()["ERRORED"] == [1]
    [report] = made.errors()
    assert (report.component, report.line) == (1, None) and "rerun" in report.help
    with pytest.raises(maps.MapError, match="the map `q3` is not complete: ") as caught:
        made.wait(timeout=60)
    assert "errors()" in caught.value.help
    assert made.rerun() == 1
    made.wait(timeout=120)
    assert made.rerun_components([2, 0]) == 2
    made.wait(timeout=120)
    assert "".join(made.lines()) == expected
    output = made.path / "outputs" / "0.jsonl.zst"
    output.write_bytes(bytes(reversed(output.read_bytes())))
    with pytest.raises(maps.MapError, match="the answers of component 0 of `q3` are damaged"):
        list(made)
    with pytest.raises(IndexError, match="no component 99"):
        made.lines([99])


def test_components_are_held_and_released(folder: Path) -> None:
    made = maps.create("jobs.jsonl", compiled("3"), slice_bytes=2000)
    made.hold()
    held = made.components_by_status().get("HELD", [])
    assert sorted(made.holds()) == held
    assert set(made.status()) <= {"HELD", "COMPLETED"}
    made.release()
    made.wait(timeout=120)
    made.edit(memory=3000, time=600)
    assert json.loads((made.path / "submit.json").read_text())["memory_mib"] == 3000
    before, path = made.tag, made.path
    made.retag("kept")
    assert (maps.tags(), made.tag, made.path, repr(made)) == (["kept"], "kept", path, "<tpvc.maps.Map 'kept'>")
    with pytest.raises(maps.MapError, match=f"no map `{before}`"):
        maps.Map(before)
    assert made.remove() == []
    assert maps.tags() == [] and not path.exists()


def test_components_are_looked_at_one_by_one(folder: Path) -> None:
    rules = compiled("3")
    made = maps.create("jobs.jsonl", rules, tag="q3", slice_bytes=4000, memory="1G", disk="1T")
    assert made.exists
    expected = mapped(rules, folder).splitlines()
    first = made.get(0, timeout=120)
    assert first == [json.loads(line) for line in expected[: len(first)]] == made[0]
    by_component = dict(made.iter_as_available(timeout=120))
    assert sorted(by_component) == list(range(len(made))) and made.is_done and not made.is_active
    assert [answer for component in sorted(by_component) for answer in by_component[component]] == list(made)
    inputs = list(made.iter_with_inputs(timeout=120))
    assert [len(answers) for _, answers in inputs] == [item["lines"] for item, _ in inputs]
    assert all(memory is not None and 1 < memory < 1024 for memory in made.memory_usage)
    assert all(time is not None and 0 < time.total_seconds() < 100 for time in made.runtime)
    assert 0 < sum(made.disk_usage) < made.local_data
    assert (made.stdout(0), made.stderr(0), made.reasons()) == ("", "", {})
    with pytest.raises(IndexError, match="no component 99"):
        made.get(99)
    for act, other in [(made.pause, "hold"), (made.resume, "release"), (made.vacate, "rerun components")]:
        with pytest.raises(maps.MapError, match="the engine `local` cannot") as caught:
            act()
        assert f"`tpvc maps {other}" in caught.value.help
    with pytest.raises(ValueError, match="`2X` is no amount"):
        made.edit(memory="2X")
    # Python itself takes more than that.
    made.edit(memory=2, components=[1])
    made.rerun_components([0, 1])
    assert made.get(0, timeout=120) == first
    with pytest.raises(maps.MapError, match="component 1 of `q3` is ERRORED: it used more memory than its limit of 2 MiB") as caught:
        made.get(1, timeout=120)
    assert "edit --memory" in caught.value.help and made.reasons()[1].help == caught.value.help
    with pytest.raises(maps.MapError, match="not complete"):
        list(made.iter_as_available(timeout=120))
    made.remove()
    assert not made.exists


def test_settings_have_their_sources(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TPVC_MAPS_MEMORY", "3000")
    found = {setting.name: (setting.value, setting.source) for setting in maps.settings()}
    assert found["dir"] == (str(folder / "maps"), "variable TPVC_MAPS_DIR")
    assert found["memory"] == ("3000", "variable TPVC_MAPS_MEMORY")
    assert (found["engine"], found["time"]) == (("local", "default"), (None, "the engine's"))


def test_commits_of_a_repository_are_rule_sets(folder: Path) -> None:
    repository = folder / "playbook"
    repository.mkdir()

    def git(*arguments: str) -> None:
        person = ["-c", "user.name=jo", "-c", "user.email=jo@example.org"]
        settings = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}
        subprocess.run(["git", *person, *arguments], cwd=repository, check=True, env=settings)

    git("init", "-q")
    for cores in ["3", "4"]:
        (repository / "tpv.yml").write_text(CONFIG.replace("CORES", cores))
        git("add", "-A")
        git("commit", "-q", "-m", f"{cores} cores")
    made = maps.create("jobs.jsonl", git=repository, configs=["*.yml"])
    cores = [answer["cores"] for answer in made if answer["id"] == 0]
    assert cores == [3, 4]
    names = dict.fromkeys(item["rules_name"] for item in made.itemdata())
    assert [name.split(" ", 2)[2] for name in names] == ["3 cores", "4 cores"]


def test_what_is_asked_wrongly_is_told(folder: Path) -> None:
    rules = compiled("3")
    with pytest.raises(maps.MapError, match="the jobs cannot be read from `none.jsonl`: no such file") as caught:
        maps.create("none.jsonl", rules)
    assert caught.value.help == "check the path; relative paths start in the current folder"
    with pytest.raises(ValueError, match="this is not a world"):
        maps.create("jobs.jsonl", rules, world={"jobs": 7})
    with pytest.raises(maps.MapError, match="unknown engine `pbs`"):
        maps.create("jobs.jsonl", rules, engine="pbs")
    with pytest.raises(ValueError, match="are for `git`"):
        maps.create("jobs.jsonl", rules, since="2025-01-01")
    with pytest.raises(FileNotFoundError):
        maps.create("jobs.jsonl", "none.bin")
    with pytest.raises(maps.MapError, match="the map has no rules"):
        maps.create("jobs.jsonl")
    with pytest.raises(maps.MapError, match="no map `q3`"):
        maps.Map("q3")
    assert maps.tags() == []
    made = maps.create("jobs.jsonl", rules, tag="q3", maps_dir=folder / "elsewhere")
    assert maps.tags() == [] and maps.tags(folder / "elsewhere") == ["q3"]
    with pytest.raises(TimeoutError, match="goes on after 0 s"):
        made.wait(timeout=0)
    made.wait(timeout=120)
    made.remove()
