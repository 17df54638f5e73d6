#!/usr/bin/env python3
"""Records what code sees of Galaxy in the reference implementation, and what TPV's helpers answer it.

    python record.py FOLDER_OF_TPV_ORACLE > cases.json

Each case is a block, the job and world it runs with, and the repr of its value or its exception. Addresses are left out.
"""
import ast
import copy
import json
import random
import re
import sys

sys.path.insert(0, sys.argv[1])
sys.argv = sys.argv[:1]

import tpv_oracle as oracle  # noqa: E402
from tpv.core import helpers  # noqa: E402

SHED = "toolshed.g2.bx.psu.edu/repos/iuc/bwa_mem/bwa_mem/"

WORLD = {
    "jobs": [
        {"tool_id": tool, "user_id": user, "state": state}
        for tool in [SHED + "1.0", SHED.upper() + "2.0+galaxy1", SHED.replace("_", "x") + "3", "upload1", "UPLOAD1", None]
        for user in [1, 2, None]
        for state in ["queued", "running", "new", "ok", None]
    ]
    + [{"tool_id": "a%b/c/1", "state": "queued"}, {"tool_id": "axxxb/c/1", "state": "queued"}, {"state": "running"}, {}],
    "tool_data_tables": {
        "genomes": [{"value": "hg19", "size": 3, "path": "/g/hg19"}, {"value": "hg38", "size": 4.5}, {"value": None, "n": [1]}],
        "empty": [],
    },
    "config": {"name": "main", "limits": {"a": [1, 2.5]}, "flag": True, "nothing": None},
    "queries": [{"sql": "select  id\n from job", "rows": [[1, "a"], [None, 2.5]]}, {"sql": "select ':x'", "rows": []}],
}

FULL = {
    "id": 1,
    "tool": {
        "id": SHED + "1.2+galaxy3",
        "version": "1.2+galaxy3",
        "old_id": "bwa_mem",
        "tool_type": "data_source",
        "requires_galaxy_python_environment": True,
        "resource_requirements": {
            "ram_min": 2048,
            "cores_min": "4",
            "cores_max": "$(inputs.n)",
            "ram_max": 1000.5,
            "tmpdir_min": 1,
            "cuda_device_count_min": " 1_0 ",
            "cuda_device_count_max": "inf",
            "timelimit": "x",
        },
        "dynamic_tool_uuid": "abc-def",
    },
    "user": {
        "id": 2,
        "username": "ann",
        "email": "ann@example.org",
        "roles": ["staff", {"name": "old", "deleted": True}, {"name": "new"}],
        "extra_preferences": {"distributed_compute|remote_resources": "slurm", "n": {"a": [1, None, 1.5, "\u00e9"]}},
    },
    "job": {
        "id": 77,
        "state": "queued",
        "param_values": {
            "reads": {"src": "hda", "id": 10},
            "unknown": {"src": "hda", "id": 99},
            "many": {"src": "hdca", "ids": [11, 10, 10]},
            "none": {"src": "hdca", "ids": []},
            "mode": {"mode_selector": "fast", "deep": {"level": 3, "on": True}},
            "list": [1, {"a": {"src": "hda", "id": "x"}}, {"src": "hda", "id": 12}],
            "n": 123456789012345678901234567890,
            "f": 1e300,
            "__job_resource": {"__job_resource__select": "yes", "cores": "8"},
        },
        "parameters": {"advanced": "{\"kcov\": 40, \"x\": [1, 2.0, null]}", "plain": "\"text\"", "bad": "{"},
        "input_datasets": [
            {"name": "reads", "id": 10, "size": 3 * 1024**3, "extension": "fastq.gz", "object_store_id": "s3"},
            {"name": "reads1", "id": 10, "size": 1024**3, "extension": "fastq.gz"},
            {"name": "reads2", "id": 11, "size": 12345.5, "extension": "bam", "metadata": {"sequences": 5, "dbkey": "?"}},
            {"name": "reads_x", "id": 12, "size": 1, "extension": "vcf.bz2"},
            {"name": "cond|in", "id": "x", "size": 10**9},
        ],
        "history": {"id": 5, "name": "h", "tags": ["a", {"name": "group", "value": "slurm"}, {"name": "b", "value": None}]},
    },
    "job_wrapper": {"working_directory": "/tmp/1", "n": {"a": 1}},
    "resource_params": {"cores": "4", "x": [1]},
    "workflow_invocation_uuid": "1234",
}

BARE = {"tool": {"id": "upload1"}}
UNKNOWN_SIZE = {
    "tool": {"id": "a%b/c/1"},
    "user": {"email": "bob@x"},
    "job": {"input_datasets": [{"id": 1}, {"id": 2, "size": 5}], "history": {}},
    "job_wrapper": {},
}

OBJECTS = r"""
[tool.id, tool.old_id, tool.version, tool.tool_type, tool.requires_galaxy_python_environment]
[tool.installed_tool_dependencies, type(tool).__name__]
tool.dynamic_tool.uuid
tool.foo
tool.__class__.__name__
[(r.resource_type, r.value_or_expression, r.runtime_required) for r in tool.resource_requirements]
[r.get_value() for r in tool.resource_requirements if not r.runtime_required]
[r.get_value() for r in tool.resource_requirements]
tool.resource_requirements[0].to_dict()
tool.resource_requirements is tool.resource_requirements
[user.id, user.username, user.email, user.extra_preferences]
user.extra_preferences.get('distributed_compute|remote_resources')
[(r.name, r.deleted) for r in user.all_roles()]
[r.name for r in user.roles if not r.deleted]
user.all_roles(1)
user.all_roles() is user.roles
user.preferences
user.roles[0].id
[job.id, job.state, job.input_library_datasets]
[(p.name, p.value) for p in job.parameters]
tool.params_from_strings({p.name: p.value for p in job.parameters if p.name != 'bad'}, app)
tool.params_from_strings({p.name: p.value for p in job.parameters}, app, ignore_errors=True)
tool.params_from_strings({'a': '[1, NaN]', 'b': 5, 'c': None}, app)
tool.params_from_strings({'a': '1'})
tool.params_from_strings(5, app)
[(d.name, d.dataset.name, d.dataset.ext, d.dataset.extension) for d in job.input_datasets]
[(d.dataset.dataset.id, d.dataset.dataset.file_size, d.dataset.dataset.object_store_id, d.dataset.dataset.file_name) for d in job.input_datasets]
[d.dataset.get_size() for d in job.input_datasets]
[d.dataset.dataset.get_size(nice_size=False, calculate_size=False) for d in job.input_datasets]
job.input_datasets[0].dataset.get_size(1, 2, 3)
job.input_datasets[0].dataset.get_size(calculate=1)
job.input_datasets[2].dataset.metadata.sequences
job.input_datasets[0].dataset.metadata.sequences
[d.dataset.metadata.get('sequences', 'none') for d in job.input_datasets]
[d.dataset.metadata.get('dbkey') for d in job.input_datasets]
['dbkey' in d.dataset.metadata for d in job.input_datasets]
1 in job.input_datasets[2].dataset.metadata
[] in job.input_datasets[2].dataset.metadata
job.input_datasets[2].dataset.metadata.get([])
job.input_datasets[2].dataset.metadata.get()
job.input_datasets[2].dataset.metadata['sequences']
job.input_datasets is job.input_datasets
[d.dataset is d.dataset for d in job.input_datasets]
job.get_param_values(app)['mode']
job.get_param_values(app)['reads'] is job.input_datasets[0].dataset
job.get_param_values(app)['reads'] is job.input_datasets[1].dataset
job.get_param_values(app)['reads'].dataset.file_size
job.get_param_values(app) is job.param_values
job.get_param_values(app)['unknown']
[d.name for d in job.get_param_values(app)['many'].dataset_instances]
job.get_param_values(app)['many'].first_dataset_instance().ext
job.get_param_values(app)['none'].first_dataset_instance()
job.get_param_values(app)['many'].first_dataset_instance(1)
job.get_param_values(app)['many'].elements
[job.get_param_values(app)['n'], job.get_param_values(app)['f'], job.get_param_values(app)['__job_resource']]
job.get_param_values(app)['list'][1]['a'] is job.input_datasets[4].dataset
job.get_param_values(app)['list'][2].ext
list(job.get_param_values(app))
job.get_param_values()
job.get_param_values(app, 1)
job.get_param_values(app=1)['mode']['deep']['level']
job.get_param_values(trans=1)
[job.history.id, job.history.name]
[(t.user_tname, t.user_value, t.value) for t in job.history.tags]
[t.user_tname for t in job.history.tags if t.value]
job.history.foo
job.user
job.foo
hasattr(job, 'foo'), getattr(job, 'foo', 5), hasattr(job, 'get_param_values')
job == job, job != job, job in [job], job is job, job == tool
job < tool
job + 1
job()
job['id']
len(job)
[x for x in job]
bool(job)
str(job)
repr(tool)
type(user)
f'{user}'
job.foo = 5\njob.foo
job.id = 'x'\njob.id
job.param_values['mode'] = 1\njob.get_param_values(app)['mode']
del job.state\njob.state
del job.state\ndel job.state\nNone
job.get_param_values = lambda app: {'x': app}\njob.get_param_values(3)
job.input_datasets = []\nhelpers.input_size(job)
job.input_datasets.pop(0)\nhelpers.input_size(job)
tool.version = '2.0'\nhelpers.tool_version_gt(tool, '1.9')
{job: 1}[job]
job_wrapper.working_directory, job_wrapper.n
job_wrapper.foo
job_wrapper is None, resource_params, workflow_invocation_uuid
app.config.name, app.config.limits, app.config.flag, app.config.nothing
app.config.foo
app.foo
app.model.foo
getattr(app.config, 'foo', 1)
list(app.tool_data_tables)
app.tool_data_tables.get('x')
app.tool_data_tables.get('x').get_entry('value', 'hg19', 'path')
app.tool_data_tables['genomes'].get_entry('value', 'hg19', 'path')
app.tool_data_tables['genomes'].get_entry('value', 'hg38', 'path')
app.tool_data_tables['genomes'].get_entry('value', 'hg38', 'path', 'none')
app.tool_data_tables['genomes'].get_entry('value', 'zz', 'path', default=5)
app.tool_data_tables['genomes'].get_entry('size', 4.5, 'value')
app.tool_data_tables['genomes'].get_entry('size', 3.0, 'value')
app.tool_data_tables['genomes'].get_entry('value', None, 'n')
app.tool_data_tables['genomes'].get_entry('foo', None, 'value')
app.tool_data_tables['genomes'].get_entry([], None, 'value')
app.tool_data_tables['genomes'].get_entry(1, None, 'value')
app.tool_data_tables['genomes'].get_entry('value', 'hg19')
app.tool_data_tables['empty'].get_entry('value', 'hg19', 'path')
app.tool_data_tables['genomes'].rows.insert(0, {'value': 'mm10'})\napp.tool_data_tables['genomes'].get_entry('value', 'mm10', 'value')
app.model.context.execute('select id from job')
from sqlalchemy import text\napp.model.context.execute(text(' select id\x0a\x09from  job '))
from sqlalchemy import text\n[a for a, b in app.model.context.execute(text('select id from job'))]
from sqlalchemy import text\napp.model.context.execute(text("select '\\:x'"))
from sqlalchemy.sql import text\nstr(text('a :b \\:c ::d')), text('x').text, type(text('x')).__name__
from sqlalchemy import text\ntext()
from sqlalchemy import text\ntext(5)
from sqlalchemy import text\ntext('a') == text('a')
app.model.context.execute('select nothing')
try:\n    x = app.model.context.execute('select nothing')\nexcept Exception as e:\n    x = [type(e).__name__, str(e)]\nx
app.model.context.execute('select nothing', {})
app.model.context.foo
from galaxy.jobs.mapper import JobMappingException\nraise JobMappingException('no')\nNone
from galaxy.jobs.mapper import JobMappingException\nraise JobMappingException(failure_message='no')\nNone
from galaxy.jobs.mapper import JobMappingException\nraise JobMappingException()\nNone
from galaxy.jobs.mapper import JobMappingException\nJobMappingException('a', 'b')
from galaxy.jobs.mapper import JobMappingException\nJobMappingException(x=1)
from galaxy.jobs.mapper import JobMappingException\nJobMappingException('a', failure_message=1)
from galaxy.jobs.mapper import JobMappingException\ne = JobMappingException('a')\n[repr(e), str(e), e.args, e.failure_message]
from galaxy.jobs.mapper import JobMappingException\ne = JobMappingException(failure_message='a')\n[repr(e), str(e), e.args, e.failure_message]
from galaxy.jobs.mapper import JobNotReadyException\nraise JobNotReadyException(message='later')\nNone
from galaxy.jobs.mapper import JobNotReadyException\nraise JobNotReadyException()\nNone
from galaxy.jobs.mapper import JobNotReadyException\ne = JobNotReadyException('queued', 'later')\n[repr(e), str(e), e.args, e.job_state, e.message]
from galaxy.jobs.mapper import JobNotReadyException\ne = JobNotReadyException(message='later')\n[repr(e), str(e), e.args, e.job_state, e.message]
from galaxy.jobs.mapper import JobNotReadyException\nJobNotReadyException(1, 2, 3)
from galaxy.jobs.mapper import JobNotReadyException as N\ntry:\n    raise N('x')\nexcept Exception as e:\n    y = isinstance(e, N)\ny
from galaxy import model\nmodel.Job.__name__, model.User.__name__, isinstance(job, model.Job)
from galaxy.model import HistoryDatasetAssociation as H\nisinstance(job.input_datasets[0].dataset, H)
from galaxy.tool_util.version import parse_version\nparse_version('1.0+galaxy1') < parse_version('1.0+galaxy2')
from galaxy.tool_util.version import parse_version as p\n[p('1.0').release, p('1.2.3').major, p('1.2.3').minor, p('1.2').micro, str(p('1!2a1.post2.dev3+X_1'))]
from galaxy.tool_util.version import parse_version as p\nv = p('1!02.0a1.post2.dev3+X_1')\n[str(v), v.release]
from galaxy.tool_util.version import parse_version as p\nv = p('x.1')\nstr(v)
from galaxy.tool_util.version import parse_version as p\np('1') < '2'
from galaxy.tool_util.version import parse_version as p\n[p(1), p(None), p(1.5), p(['1']), p('1') == 1, p('1') == p('1.0'), p('1') != p('a')]
from galaxy.tool_util.version import parse_version as p\np('1').foo
from galaxy.tool_util.version import parse_version as p\nlen({p('1.0'), p('1'), p('1.0.0'), p('1.0+a'), p('a'), p('a')})
from galaxy.tool_util.version import parse_version as p\n[str(v) for v in sorted([p('2'), p('x'), p('1.0rc1'), p('1.0')])]
"""

HELPERS = r"""
helpers.input_size(job)
helpers.input_size(job=job)
helpers.input_size()
helpers.input_size(5)
helpers.input_size(job, 1)
helpers.calculate_dataset_total(job.input_datasets)
[helpers.calculate_dataset_total(x) for x in [None, [], ()]]
helpers.calculate_dataset_total([1])
helpers.get_dataset_size(job.input_datasets[0].dataset)
helpers.get_dataset_size(5)
helpers.sum_total(1, 2.5)
[d.name for d in helpers.get_input_datasets(job)]
[d.name for d in helpers.get_input_datasets(job, 'reads')]
[d.name for d in helpers.get_input_datasets(job, param_name='cond|in')]
helpers.get_input_datasets(job, 'zz')
helpers.get_input_datasets(job, 5)
helpers.get_input_dataset(job, 'reads').ext
helpers.get_input_dataset(job, 'read')
helpers.get_input_dataset(job)
helpers.get_input_size(job)
helpers.get_input_size(job, 'reads')
helpers.get_input_size(job, estimate_uncompressed_size=False)
helpers.get_input_size(job, compression_factor=2)
helpers.get_input_size(job, 'reads_x', True, 10)
helpers.get_input_size(job, compression_factor='a')
helpers.get_input_size(job, factor=2)
helpers.get_dataset_attributes(job.input_datasets)
[helpers.get_dataset_attributes(x) for x in [None, [], 0]]
helpers.get_dataset_attributes(5)
helpers.GIGABYTES, helpers.COMPRESSED_EXTENSION_SUFFIXES, helpers.DEFAULT_COMPRESSION_FACTOR
helpers.foo
helpers.job_args_match(job, app, {'mode': {'mode_selector': 'fast'}})
helpers.job_args_match(job, app, {'mode': {'mode_selector': 'slow'}})
helpers.job_args_match(job, app, {'mode': {'deep': {'level': 3}}})
helpers.job_args_match(job, app, {'mode': {'deep': {'level': 3.0}}, 'f': 1e300})
helpers.job_args_match(job, app, {'mode': {'deep': {'nothing': 3}}})
helpers.job_args_match(job, app, {'nothing': 1, 'mode': {'mode_selector': 'fast'}})
helpers.job_args_match(job, app, {'mode': {'mode_selector': 'fast', 'deep': {'level': 3}}})
helpers.job_args_match(job, app, {'mode': {'mode_selector': {'x': 3}}})
helpers.job_args_match(job, app, {'list': [{'a': 1}]})
helpers.job_args_match(job, app, {'n': 123456789012345678901234567890})
[helpers.job_args_match(job, app, x) for x in [None, {}, [], [1], 'a', 5]]
helpers.job_args_match(job, app)
helpers.job_args_match(5, app, {'a': 1})
helpers.concurrent_job_count_for_tool(app, tool)
helpers.concurrent_job_count_for_tool(app, tool, user)
helpers.concurrent_job_count_for_tool(app, tool, user=None)
helpers.concurrent_job_count_for_tool(app)
helpers.concurrent_job_count_for_tool(5, tool)
helpers.concurrent_job_count_for_tool(app, 5)
helpers.tag_values_match(5, ['a'])
helpers.tag_values_match(5)
helpers.tag_values_match(5, match_tag_values=None, exclude_tag_values=['x'])
[f(tool, x) for f in [helpers.tool_version_eq, helpers.tool_version_lt, helpers.tool_version_lte, helpers.tool_version_gt, helpers.tool_version_gte] for x in ['1.2', '1.2+galaxy3', '1.2+galaxy10', '2', 'abc', None, 1.2]]
helpers.tool_version_eq(tool)
helpers.tool_version_gte(tool=tool, version='1.0')
helpers.tool_version_gte(5, '1.0')
[helpers.get_tool_resource_field(tool, x) for x in ['cores', 'max_cores', 'mem', 'max_mem', 'gpus', 'max_gpus', 'x', None]]
helpers.get_tool_resource_field(5, 'cores')
helpers.get_tool_resource_field(tool, [])
helpers.extract_resource_requirements_from_tool(tool)
from tpv.core.resource_requirements import extract_resource_requirements_from_tool as x, VALID_RESOURCE_TYPES, MEBIBYTES_PER_GIB\n[x(tool), VALID_RESOURCE_TYPES, MEBIBYTES_PER_GIB]
from tpv.core.helpers import input_size\ninput_size(job)
from tpv.core import helpers as h\nh.GIGABYTES
import tpv.core.helpers\ntpv.core.helpers.GIGABYTES
helpers.weighted_random_sampling([1])
helpers.random.seed(11)\n[helpers.weighted_choice([{'value': i, 'weight': w} for i, w in enumerate(ws)])['value'] for ws in [[1, 1, 1], [5, 1, 1], [0, 0], [0, 1, 0], [-1, 2.5, 3], [1]] for _ in range(4)]
helpers.random.seed(3)\nhelpers.weighted_choice([{'value': 'a'}, {'value': 'b'}])
helpers.weighted_choice([])
helpers.weighted_choice([1])
helpers.weighted_choice({'a': 1})
helpers.weighted_choice([{'weight': 'a'}])
helpers._weighted_draw([1, 2, 3], [1, 0, 0], 2)
helpers.random.seed(4)\nhelpers._weighted_draw(['a', 'b', 'c'], [1, 2, 3], k=5)
helpers.reduce(lambda a, b: a + b, [1, 2, 3])
helpers.re.match('a', 'ab').group()
helpers.parse_version('1.0') > helpers.parse_version('0.9')
"""


def evaluate(source, names):
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<tpv>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<tpv>", "eval"), names) if last else None


# Creating Galaxy's tables takes a second: all cases share them. No case changes a row.
DATABASE = oracle.galaxy_mapping.init("/tmp", "sqlite:///:memory:", create_tables=True)
oracle.galaxy_mapping.init = lambda *_, **__: DATABASE
oracle.build_world(WORLD)


def answer(source, record):
    app = oracle.build_world(copy.deepcopy({**WORLD, "jobs": []}))
    random.seed(1)
    names = dict(oracle.build_call(record, app), helpers=helpers)
    try:
        text = repr(evaluate(source, names))
    except Exception as e:
        text = f"{type(e).__name__}: {getattr(e, 'failure_message', None) or str(e)}"
    return re.sub(r"0x[0-9a-f]+", "0x", text)


def main():
    jobs = {"full": FULL, "bare": BARE, "unknown_size": UNKNOWN_SIZE}
    # A line is a case; within it, \n stands for a new line.
    sources = [line.replace(r"\n", "\n") for line in (OBJECTS + HELPERS).split("\n") if line]
    cases = [
        {"job": name, "source": source, "answer": answer(source, job)} for name, job in jobs.items() for source in sources
    ]
    lines = {name: json.dumps(job) for name, job in jobs.items()}
    print(json.dumps({"world": json.dumps(WORLD), "jobs": lines, "cases": cases}, indent=1))


main()
