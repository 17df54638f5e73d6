"""A Galaxy database with random jobs, made by Galaxy's own model, tools and functions."""

from __future__ import annotations

import random
import uuid
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from galaxy import model
from galaxy.app_unittest_utils import galaxy_mock
from galaxy.tool_util.parser import get_tool_source
from galaxy.tools import create_tool_from_source

START = datetime(2026, 1, 1)
TOOL = """
<tool id="{id}" name="{id}" version="{version}">
  <command>true</command>
  <inputs>
    <param name="count" type="integer" value="1"/>
    <param name="share" type="float" value="0.5"/>
    <param name="fast" type="boolean"/>
    <param name="title" type="text" optional="true"/>
    <param name="mode" type="select"><option value="a">a</option><option value="5">5</option><option value="true">true</option></param>
    <param name="which" type="select" multiple="true"><option value="x">x</option><option value="y">y</option></param>
    <param name="reads" type="data" format="data" optional="true"/>
    <param name="many" type="data" format="data" multiple="true" optional="true"/>
    <param name="list" type="data_collection" optional="true"/>
    <conditional name="kind">
      <param name="chosen" type="select"><option value="one">one</option><option value="two">two</option></param>
      <when value="one"><param name="genome" type="data" format="data" optional="true"/></when>
      <when value="two"><param name="threads" type="integer" value="4"/></when>
    </conditional>
    <repeat name="part" title="part">
      <param name="size" type="integer" value="2"/>
      <param name="file" type="data" format="data" optional="true"/>
    </repeat>
    <section name="more" title="more"><param name="limit" type="float" value="1.5"/><param name="on" type="boolean"/></section>
  </inputs>
  <outputs/>
</tool>
"""
TOOLS = {"cat1": "1.0", "bwa": "0.7.17", "toolshed.g2.bx.psu.edu/repos/devteam/bwa/bwa_mem/0.7.18": "0.7.18"}
TEXTS = ["", "plain", "true", "7", "null", "naïve ☃ 𝄞", 'quo"te\\', "line\nbreak", "[1, 2]", '{"a": 1}', "user3@example.org wrote"]


class Server:
    """Galaxy's model over a database, with tools."""

    def __init__(self, url: str, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.app = galaxy_mock.MockApp(database_connection=url)
        self.session = self.app.model.context
        self.tools = {id: self.tool(folder, id, version) for id, version in TOOLS.items()}
        self.app._toolbox = self.app.toolbox = self
        self.users: list[model.User] = []
        self.histories: list[model.History] = []
        self.datasets: list[model.HistoryDatasetAssociation] = []
        self.collections: list[Any] = []
        self.time = START

    def tool(self, folder: Path, id: str, version: str) -> Any:
        path = folder / f"{id.split('/')[-2] if '/' in id else id}.xml"
        path.write_text(TOOL.format(id=id, version=version))
        return create_tool_from_source(self.app, get_tool_source(str(path)), config_file=str(path))

    def get_tool(self, tool_id: str, **_: Any) -> Any:
        """What `job.get_param_values` asks of the toolbox."""
        return self.tools[tool_id]

    def people(self, count: int) -> None:
        """Users with roles of their own and by groups, some deleted, histories with tags, datasets and collections."""
        pick, session = self.random, self.session
        roles = [model.Role(name=name, type="admin", deleted=deleted) for name, deleted in (("training", False), ("gpu", False), ("old", True))]
        groups = [model.Group(name=name) for name in ("lab", "course")]
        session.add_all([*roles, *groups])
        for group in groups:
            for role in pick.sample(roles, 2):
                session.add(model.GroupRoleAssociation(group, role))
        for index in range(count):
            user = model.User(email=f"User{index}@example.org", password="x", username=f"person-{index}")
            private = model.Role(name=user.email, type="private")
            session.add_all([user, private, model.UserRoleAssociation(user, private)])
            for role in pick.sample(roles, pick.randrange(3)):
                session.add(model.UserRoleAssociation(user, role))
            for group in pick.sample(groups, pick.randrange(3)):
                session.add(model.UserGroupAssociation(user, group))
            if pick.random() < 0.5:
                user.preferences["extra_user_preferences"] = '{"remote|site": "here", "secret|token": "hush"}'
            self.users.append(user)
            history = model.History(name=f"thesis {index}", user=user)
            session.add(history)
            self.histories.append(history)
            for tag, value in pick.sample([("name", "alpha"), ("training", None), ("group", "b c"), ("x", "")], pick.randrange(4)):
                association = model.HistoryTagAssociation(user_tname=tag, user_value=value)
                association.tag = model.Tag(name=f"{tag}{index}")
                history.tags.append(association)
        session.commit()
        for _ in range(count * 4):
            self.datasets.append(self.dataset(pick.choice(self.histories)))
        for copied in pick.sample(self.datasets, count):
            copy = model.HistoryDatasetAssociation(dataset=copied.dataset, history=copied.history, extension=copied.extension, name="copy", sa_session=session)
            session.add(copy)
            self.datasets.append(copy)
        session.commit()
        for _ in range(count):
            inner = self.collection("paired", [self.element(hda=each) for each in pick.sample(self.datasets, 2)])
            outer = self.collection("list:paired", [self.element(child=inner), self.element(child=self.collection("paired", [self.element(hda=pick.choice(self.datasets))]))])
            for collection in (inner, outer):
                instance = model.HistoryDatasetCollectionAssociation(collection=collection, history=pick.choice(self.histories), name="c")
                session.add(instance)
                self.collections.append(instance)
            self.collections.extend(outer.elements)
        session.commit()

    def dataset(self, history: model.History) -> model.HistoryDatasetAssociation:
        pick = self.random
        hda = model.HistoryDatasetAssociation(extension=pick.choice(["fastq", "bam", "txt"]), history=history, create_dataset=True, sa_session=self.session, name="d")
        hda.dataset.file_size = pick.choice([None, 0, 5, pick.randrange(10**12)])
        hda.dataset.object_store_id = pick.choice([None, "disk1", "s3"])
        hda.metadata.dbkey = pick.choice(["hg38", "?"])
        self.session.add(hda)
        return hda

    def collection(self, kind: str, elements: list[model.DatasetCollectionElement]) -> model.DatasetCollection:
        collection = model.DatasetCollection(collection_type=kind, populated=True)
        for index, element in enumerate(elements):
            element.element_index = index
            element.element_identifier = f"e{index}"
            element.collection = collection
        self.session.add_all([collection, *elements])
        return collection

    def element(self, hda: Any = None, child: Any = None) -> model.DatasetCollectionElement:
        made = model.DatasetCollectionElement(id=None, collection=None, element=hda or child)
        return made

    def jobs(self, count: int) -> list[model.Job]:
        """Random jobs, minutes apart."""
        made = [self.job() for _ in range(count)]
        self.session.commit()
        return made

    def job(self) -> model.Job:
        pick, session = self.random, self.session
        self.time += timedelta(seconds=pick.randrange(1, 600))
        job = model.Job()
        job.create_time = self.time
        job.update_time = self.time + timedelta(minutes=pick.randrange(1, 300))
        job.tool_id = pick.choice(list(TOOLS))
        job.tool_version = TOOLS[job.tool_id]
        if pick.random() < 0.9:
            job.user = pick.choice(self.users)
            job.history = pick.choice([history for history in self.histories if history.user is job.user])
        if pick.random() < 0.1:
            job.dynamic_tool = model.DynamicTool(uuid=uuid.UUID(int=pick.getrandbits(128)), tool_id="x", value={})
        job.handler = "handler0"
        final = pick.choice(["ok", "ok", "error", "running", "queued", "new"])
        states = {"new": ["new"], "queued": ["new", "queued"], "running": ["new", "queued", "running"]}
        passed = states.get(final, ["new", "queued", "running", final])
        if pick.random() < 0.1 and final != "new":
            passed = ["new", "queued", "running", "resubmitted", *passed[1:]]
        job.state_history.clear()
        for step, state in enumerate(passed):
            entry = model.JobStateHistory(job)
            entry.state, entry.create_time = state, self.time + timedelta(minutes=step)
            job.state_history.append(entry)
        job.state = final
        job.update_time = max(job.update_time, self.time + timedelta(minutes=len(passed)))
        if final != "new":
            job.destination_id = pick.choice(["slurm", "pulsar"])
            owner = job.user.username if job.user else "nobody"
            job.destination_params = {"native_spec": f"--mem={pick.randrange(99)} --account={owner}", "ü": [1, {"a": None}], "FACTOR": "2"}
            job.job_runner_name = "slurm"
        if final in ("ok", "error"):
            job.exit_code = int(final == "error")
            job.add_metric("core", "runtime_seconds", pick.randrange(1, 9999))
            job.add_metric("core", "galaxy_slots", pick.randrange(1, 9))
            job.add_metric("cgroup", "memory.peak", pick.randrange(10**10))
            job.add_metric("cpuinfo", "load", 0.25)
        session.add(job)
        self.parameters(job)
        return job

    def parameters(self, job: model.Job) -> None:
        """Values for the tool, written as Galaxy writes them, with the inputs that it records for them."""
        pick, tool = self.random, self.tools[job.tool_id]

        def single(path: str) -> Any:
            if pick.random() < 0.3:
                return None
            hda = pick.choice(self.datasets)
            job.add_input_dataset(path, hda)
            return hda

        def several(path: str) -> Any:
            chosen: list[Any] = pick.sample(self.datasets, pick.randrange(4))
            if not chosen:
                return None
            for index, hda in enumerate(chosen):
                if index == 0:
                    job.add_input_dataset(path, hda)
                job.add_input_dataset(f"{path}{index + 1}", hda)
            return chosen

        def collection(path: str) -> Any:
            if pick.random() < 0.4:
                return None
            chosen = pick.choice(self.collections)
            for index, hda in enumerate(chosen.dataset_instances):
                job.add_input_dataset(f"{path}{index + 1}", hda)
            return chosen

        case = pick.randrange(2)
        values: dict[str, Any] = {
            "count": pick.randrange(-5, 10**pick.randrange(1, 20)),
            "share": pick.choice([0.0, 1.5, 1e-9, 1e22, 7.0]),
            "fast": pick.random() < 0.5,
            "title": pick.choice(TEXTS),
            "mode": pick.choice(["a", "5", "true"]),
            "which": pick.choice([None, ["x"], ["x", "y"]]),
            "reads": single("reads"),
            "many": several("many"),
            "list": collection("list"),
            "kind": {"chosen": "one", "__current_case__": 0, "genome": single("kind|genome")} if case == 0 else {"chosen": "two", "__current_case__": 1, "threads": pick.randrange(64)},
            "part": [{"__index__": index, "size": pick.randrange(9), "file": single(f"part_{index}|file")} for index in range(pick.randrange(3))],
            "more": {"limit": pick.choice([0.25, 3.0]), "on": pick.random() < 0.5},
        }
        extra: dict[str, Any] = {"__input_ext": "txt", "dbkey": "hg38", "__use_cached_job__": False}
        if pick.random() < 0.3:
            extra["__workflow_invocation_uuid__"] = uuid.UUID(int=pick.getrandbits(128)).hex
        if pick.random() < 0.3:
            extra["__job_resource"] = {"__job_resource__select": pick.choice(["yes", "no"]), "cores": "8"}
        self.session.flush()
        for name, text in {**tool.params_to_strings(values, self.app), **tool.params_to_strings(extra, self.app)}.items():
            job.add_parameter(name, text)
        if pick.random() < 0.5:
            job.tool_state = typed_state(values)


def typed_state(value: Any) -> Any:
    """As newer releases keep the values beside the texts: numbers as numbers, datasets as references."""
    if isinstance(value, dict):
        return {key: typed_state(each) for key, each in value.items() if key not in ("__index__", "__current_case__")}
    if isinstance(value, list):
        return [typed_state(each) for each in value]
    return {"src": "hda", "id": value.id} if hasattr(value, "id") else value
