"""The small API of the package: compiling, mapping jobs and job files, artifacts, and errors with their places."""

import gzip
import json
from pathlib import Path

import pytest
import tpvc

CONFIG = """
tools:
  default:
    cores: 2
    mem: cores * 4
  bwa:
    cores: 8
destinations:
  slurm:
    runner: slurm
    params:
      native: "-c {cores} --mem {mem}"
"""

BWA = {"id": "one", "tool": {"id": "bwa"}}


@pytest.fixture
def mapper() -> tpvc.Mapper:
    return tpvc.Mapper(tpvc.compile([("rules.yml", "global: {default_inherits: default}\n" + CONFIG)]))


def test_a_job_is_mapped_as_an_object_or_as_text(mapper: tpvc.Mapper) -> None:
    answer = mapper.map(BWA)
    assert answer["destination"]["params"] == {"native": "-c 8 --mem 32"}
    assert (answer["id"], answer["cores"], answer["mem"]) == ("one", 8, 32)
    assert mapper.map(json.dumps(BWA)) == answer


def test_what_is_no_job_or_no_world_is_a_value_error(mapper: tpvc.Mapper) -> None:
    with pytest.raises(ValueError, match="this is not a job: .*tool"):
        mapper.map({"id": 1})
    with pytest.raises(ValueError, match="this is not a world"):
        mapper.map(BWA, {"jobs": 7})


def test_a_config_that_does_not_compile_tells_all_errors_with_their_places(tmp_path: Path) -> None:
    path = tmp_path / "broken.yml"
    path.write_text("tools:\n  bwa:\n    cores: 2 *\n    mem: (\n")
    with pytest.raises(tpvc.CompileError) as caught:
        tpvc.compile([str(path)])
    found = [(one.severity, one.file, one.line) for one in caught.value.diagnostics]
    assert ("error", str(path), 3) in found and ("error", str(path), 4) in found
    assert "broken.yml:3" in caught.value.text and "^" in caught.value.text


def test_rules_are_the_same_from_an_artifact(mapper: tpvc.Mapper, tmp_path: Path) -> None:
    artifact = tmp_path / "rules.bin"
    artifact.write_bytes(mapper.rules.to_bytes())
    for loaded in (tpvc.Rules.load(artifact), tpvc.Rules.load(artifact.read_bytes())):
        assert tpvc.Mapper(loaded).map(BWA) == mapper.map(BWA)
    with pytest.raises(ValueError):
        tpvc.Rules.load(b"no artifact")
    with pytest.raises(FileNotFoundError):
        tpvc.Rules.load(tmp_path / "missing.bin")


def test_a_job_file_is_mapped_in_its_order(mapper: tpvc.Mapper, tmp_path: Path) -> None:
    jobs, answers = tmp_path / "jobs.jsonl", tmp_path / "answers.jsonl"
    lines = [json.dumps({"id": number, "tool": {"id": "bwa" if number % 2 else "other"}}) for number in range(500)]
    jobs.write_text("\n".join([*lines, "no job"]) + "\n")
    assert mapper.map_file(jobs, answers, threads=2) == 501
    found = [json.loads(line) for line in answers.read_text().splitlines()]
    assert found[:-1] == [mapper.map(line) for line in lines]
    assert found[-1]["error"]["type"] == "InvalidJob"
    compressed = tmp_path / "compressed"
    compressed.write_bytes(gzip.compress(jobs.read_bytes()))
    assert mapper.map_file(compressed, tmp_path / "same.jsonl") == 501
    assert (tmp_path / "same.jsonl").read_text() == answers.read_text()
    compressed.write_bytes(compressed.read_bytes()[:-1])
    with pytest.raises(OSError, match="its gzip data are cut off at byte "):
        mapper.map_file(compressed, tmp_path / "same.jsonl")
    # The file may replace the one that it is made of.
    assert mapper.map_file(jobs, jobs) == 501
    assert jobs.read_text() == answers.read_text()


def test_an_answer_file_appears_whole_or_not_at_all(mapper: tpvc.Mapper, tmp_path: Path) -> None:
    jobs, answers, world = tmp_path / "jobs.jsonl", tmp_path / "answers.jsonl", tmp_path / "world.json"
    jobs.write_text(json.dumps(BWA) + "\n")
    answers.write_text("of an earlier run\n")
    world.write_text('{"jobs": 7}')
    with pytest.raises(ValueError, match="is not a world"):
        mapper.map_file(jobs, answers, world=world)
    with pytest.raises(FileNotFoundError):
        mapper.map_file(tmp_path / "missing.jsonl", answers)
    with pytest.raises(FileNotFoundError):
        mapper.map_file(jobs, tmp_path / "missing" / "answers.jsonl")
    assert answers.read_text() == "of an earlier run\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.jsonl", "jobs.jsonl", "world.json"]


def test_rules_give_the_answers_of_a_version_of_tpv() -> None:
    config = ("rules.yml", CONFIG + "    max_accepted_cores: 8\nusers:\n  a@b.org: {cores: 16}\n")
    job = {**BWA, "user": {"email": "a@b.org"}, "tool": {"id": "bwa"}}

    def cores(tpv: str | None) -> object:
        rules = tpvc.compile([config], tpv=tpv)
        # An artifact keeps its version.
        return tpvc.Mapper(tpvc.Rules.load(rules.to_bytes())).map(job).get("cores")

    # In TPV 1 the lower amount counts and `max_accepted_cores` is unknown; later the user's is above the limit.
    assert cores("1.4") == 8
    assert cores("3.2.1") is cores("3.3") is cores(None) is None
    for unknown in ("3", "9.9", "x"):
        with pytest.raises(ValueError, match="expected a version of TPV: 1.4, .* or next.*, not "):
            tpvc.compile([config], tpv=unknown)


def test_code_in_cpython_gives_the_answers_of_a_version_of_tpv() -> None:
    # `fractions` is not native. The answers are those of TPV 1.4.1, 2.5.0 and 3.0.1.
    config = """
tools:
  early:
    cores: |
      import fractions
      int(fractions.Fraction(8))
    mem: |
      import fractions
      float(cores * fractions.Fraction(2))
    params: {n: "{cores}c{mem}g"}
  negative: {mem: "import fractions\\nfloat(fractions.Fraction(input_size) - 4)"}
  dumped:
    rules:
      - if: "True"
        execute: |
          import fractions
          entity.params = {'half': str(fractions.Fraction(1, 2)), 'named': str('scheduling' in entity.dict())}
  tags: {rank: "import fractions\\n[d for d in candidate_destinations if d.tags is not fractions]"}
users:
  small@example.org: {cores: "import fractions\\nint(fractions.Fraction(3))"}
destinations:
  a: {runner: slurm}
"""

    def answer(tpv: str, tool: str, **more: object) -> object:
        rules = tpvc.compile([("rules.yml", config)], tpv=tpv)
        assert rules.tpv == tpvc.Rules.load(rules.to_bytes()).tpv == tpv
        given = tpvc.Mapper(rules).map({"id": 1, "tool": {"id": tool}, **more})
        return given["error"]["type"] if "error" in given else (given["destination"]["params"], given["mem"])

    user = {"user": {"email": "small@example.org"}}
    job = {"job": {"input_datasets": [{"name": "i", "id": 1, "size": 2**30}]}}
    dumped = {"half": "1/2", "named": "True"}
    # Early, the tool's own cores make its mem; later, those of the user do.
    assert answer("1.4", "early", **user) == ({"n": "3c16.0g"}, 16.0)
    assert answer("2.5", "early", **user) == answer("3.0", "early", **user) == ({"n": "3c6.0g"}, 6.0)
    assert [answer(tpv, "negative", **job) for tpv in ("1.4", "2.5", "3.0")] == [({}, -3.0), ({}, 0), ({}, 0)]
    assert [answer(tpv, "dumped") for tpv in ("1.4", "2.5", "3.0")] == ["AttributeError", "AttributeError", (dumped, None)]
    assert [answer(tpv, "tags") for tpv in ("1.4", "2.5", "3.0")] == [({}, None), "AttributeError", "AttributeError"]
