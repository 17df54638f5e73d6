"""The pages to test: each made by a command line of tpvc, of a small config."""

CONFIG = """\
global:
  default_inherits: default
tools:
  default:
    abstract: true
    cores: 2
    mem: cores * 3.8
    context:
      note: "a < b & c > d: </script> stays text"
  bwa_mem:
    cores: 4 if input_size < 5 else 16
    scheduling:
      prefer: [fast]
    params:
      native: "--mem {int(mem * 1024)} --cores {cores}"
    rules:
      - id: too_big
        if: input_size > 200
        fail: "{tool.id}: too much"
      - id: trained
        if: user and 'training' in [role.name for role in user.roles]
        scheduling:
          require: [training]
destinations:
  slurm:
    runner: slurm
    max_accepted_cores: 8
    scheduling:
      accept: [fast]
  bigmem-with-a-rather-long-name-for-a-destination:
    runner: slurm
  training:
    runner: slurm
    scheduling:
      require: [training]
"""

TESTS = """\
config: config.yml
tests:
  - name: large inputs go to bigmem
    job: {tool: bwa_mem, input_size: 20}
    expect: {cores: 16}
"""

CHANGED = CONFIG.replace("cores: 4 if", "cores: 12 if").replace("note:", "remark:")

JOBS = "".join(
    '{"id": %d, "tool": {"id": "%s"}, "job": {"input_datasets": [{"name": "a", "id": 1, "size": %d}]}}\n' % (number, tool, number << 29)
    for number in range(30)
    for tool in ("bwa_mem", "other")
)

# Jobs that used what their inputs ask for, some of them killed, and of another tool too few to say anything.
FINISHED = "".join(
    '{"tool": {"id": "shed.example.org/repos/owner/%s/%s/1.0"}, "job": {"input_datasets": [{"id": 1, "size": %d}]}, "outcome": {"end_time": '
    '"2026-03-%02dT00:00:00", "runtime_seconds": 7200, "memory_bytes": %d, "oom": %s, "allocated_memory_bytes": %d}}\n'
    % (tool, tool, size << 20, 1 + number // 10, min(need, given) << 20, "true" if need > given else "false", given << 20)
    for number in range(240)
    for tool, given in (("assembler", 16 << 10), ("tiny-tool-with-quite-a-long-name", 8 << 10))
    if tool == "assembler" or number < 12
    for size in [8 << number * 7 % 11]
    for need in [300 + (2 * size + 40) * (90 + number * 13 % 21) // 100]
)


CAPACITY = "clusters: {all: {destinations: ['*'], cores: 24}}\n"

# Jobs that arrive, one a minute, and run for up to an hour.
HISTORY = "".join(
    '{"tool": {"id": "%s"}, "user": {"email": "%s@example.org"}, "job": {"create_time": "2026-03-02T%02d:%02d:00", "input_datasets": [{"id": 1, "size": %d}]}, '
    '"outcome": {"runtime_seconds": %d}}\n'
    % (("bwa_mem", "other")[number % 2], ("ada", "bo")[number % 3 == 0], number // 60, number % 60, (1 + number % 9) << 30, 60 + number * 997 % 3600)
    for number in range(200)
)


def make(tpvc, folder):
    """Writes the pages, and gives their paths. What a command says on stderr is shown where it makes no page."""
    (folder / "config.yml").write_text(CONFIG)
    (folder / "tests.yml").write_text(TESTS)
    (folder / "changed.yml").write_text(CHANGED)
    (folder / "jobs.jsonl").write_text(JOBS)
    (folder / "finished.jsonl").write_text(FINISHED)
    (folder / "capacity.yml").write_text(CAPACITY)
    (folder / "history.jsonl").write_text(HISTORY)
    pages = []

    def page(name, *args, status=0, stdout=False, flag="-o"):
        path = folder / f"{name}.html"
        run = tpvc(*args) if stdout else tpvc(*args, f"{flag}={path}")
        assert run.returncode == status, f"{args}: {run.returncode}\n{run.stderr}"
        if stdout:
            path.write_text(run.stdout)
        pages.append(path)

    job = ("--tool", "bwa_mem", "--user", "ada@example.org")
    page("explanation", "dry-run", "config.yml", *job, "--input-size", "7", "--explain", "--output-format", "html", stdout=True)
    page("sweep", "sweep", "config.yml", *job, "--over", "input_size=0..300", "--format", "html")
    page("sweep-log", "sweep", "config.yml", *job, "--over", "input_size=0..1T", "--log-scale", "--format", "html")
    page("sweep-list", "sweep", "config.yml", *job, "--over", "user.roles=training,guest", "--format", "html")
    page("coverage", "test", "tests.yml", flag="--coverage")
    page("diff", "diff", "config.yml", "changed.yml", "--jobs", "jobs.jsonl", "--format", "html")
    page("matrix", "check", "config.yml", flag="--matrix")
    page("fit", "fit", "config.yml", "--jobs", "finished.jsonl", "--format", "html")
    simulate = ("simulate", "config.yml", "--jobs", "history.jsonl", "--capacity", "capacity.yml", "--format", "html")
    page("simulation", *simulate, "--seeds", "2")
    page("grid", *simulate, "--vary", "all.cores=16..48", "--vary", "all.jobs=4,8,16")
    return pages
