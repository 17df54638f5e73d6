#!/usr/bin/env python3
"""The tables of texts that `tpvc check` judges (T304), tried with a real Slurm and a real HTCondor.

    texts.py BINARY --engine slurm|htcondor [--folder DIR]

Slurm: `sbatch --test-only` gets each text of `src/prove/tests/texts/slurm.txt`, and so does slurm-drmaa, if DRMAA_LIBRARY_PATH names its library.
HTCondor: `condor_submit -dry-run` gets each line of `condor.txt` beside it. `cargo test -p tpv-prove` compares the same tables with the judge.

It ends with 0 where the engines agree with the tables, and with 77 where an engine can't be installed. BINARY is not used.
"""

import argparse
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from engines import HERE, SKIPPED

TABLES = HERE.parent.parent / "src" / "prove" / "tests" / "texts"
# Slurm says so of what this machine hasn't: it has read the text.
TOO_LARGE = "Requested node configuration is not available"
# And this of GPUs, which it hasn't either, before it reads how many.
NO_GPUS = "Invalid generic resource (gres) specification"
# Options of slurm-drmaa alone.
ONLY_DRMAA = ("--job_name", "--share")
SUBMIT = "universe = vanilla\ngetenv = true\nnotification = NEVER\n{}\nexecutable = /bin/true\noutput = o\nerror = e\nlog = l\nqueue\n"


def rows(name):
    for line in (TABLES / name).read_text().splitlines():
        if not line.startswith("#"):
            verdict, _, text = line.split("\t")
            yield verdict, text.replace("\\n", "\n")


def run_script(name, verb, folder):
    done = subprocess.run([HERE / name, verb, folder], check=False)
    if done.returncode == SKIPPED:
        sys.exit(SKIPPED)
    if done.returncode:
        sys.exit(f"texts.py: `{name} {verb}` ended with {done.returncode}")


class Drmaa:
    """slurm-drmaa, by the functions that Python's `drmaa` calls."""

    def __init__(self, library):
        # Slurm's plugins need its own library's names.
        for own in pathlib.Path("/usr/lib").glob("*/slurm-wlm/libslurmfull.so"):
            ctypes.CDLL(str(own), mode=ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
        self.text = ctypes.create_string_buffer(2048)
        self.call("drmaa_init", b"")

    def call(self, name, *arguments):
        if getattr(self.library, name)(*arguments, self.text, ctypes.c_size_t(2048)):
            raise RuntimeError(self.text.value.decode())

    def refusal(self, options):
        """What it says against a job with these options; empty if it takes it."""
        template, job = ctypes.c_void_p(), ctypes.create_string_buffer(128)
        self.call("drmaa_allocate_job_template", ctypes.byref(template))
        attributes = {"remote_command": "/bin/true", "native_specification": options, "wd": "/tmp"}
        attributes |= {"output_path": ":/dev/null", "error_path": ":/dev/null"}
        for name, value in attributes.items():
            self.call("drmaa_set_attribute", template, f"drmaa_{name}".encode(), value.encode())
        try:
            self.call("drmaa_run_job", job, ctypes.c_size_t(128), template)
        except RuntimeError as error:
            return str(error)
        finally:
            self.call("drmaa_delete_job_template", template)
        subprocess.run(["scancel", job.value.decode()], check=False)
        return ""


def of_sbatch(words, script):
    """What `sbatch` says against these words; empty if it takes them."""
    command = ["sbatch", "--test-only", *words, script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return "" if done.returncode == 0 or TOO_LARGE in done.stderr else done.stderr.strip() or "refused"


def slurm(folder):
    """Rows for which Slurm says another thing than the table."""
    run_script("slurm.sh", "setup", folder)
    run_script("slurm.sh", "start", folder)
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    script = folder / "job.sh"
    script.write_text("#!/bin/sh\n")
    try:
        library = os.environ.get("DRMAA_LIBRARY_PATH")
        drmaa = Drmaa(library) if library else None
        if not drmaa:
            print("texts.py: slurm-drmaa is not tried: DRMAA_LIBRARY_PATH names no library")
        for verdict, text in rows("slurm.txt"):
            said = of_sbatch(text.split(), script)
            is_for_both = not any(option in text for option in ONLY_DRMAA)
            if is_for_both and NO_GPUS not in said:
                yield text, verdict in ("slurm", "stuck"), said, "sbatch"
            said = drmaa.refusal(text) if drmaa else TOO_LARGE
            if "--gres" not in text and TOO_LARGE not in said:
                yield text, verdict in ("slurm", "drmaa"), said, "slurm-drmaa"
    finally:
        run_script("slurm.sh", "stop", folder)


def htcondor(folder):
    """Rows for which HTCondor says another thing than the table."""
    run_script("htcondor.sh", "setup", folder)
    run_script("htcondor.sh", "start", folder)
    try:
        for verdict, command in rows("condor.txt"):
            (folder / "work" / "job.sub").write_text(SUBMIT.format(command))
            done = subprocess.run(
                [HERE / "htcondor.sh", "run", folder, "condor_submit", "-dry-run", "/dev/null", "job.sub"],
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
            )
            yield command, verdict == "refused", done.stderr.strip() if done.returncode else "", "condor_submit"
    finally:
        run_script("htcondor.sh", "stop", folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--engine", choices=("slurm", "htcondor"), required=True)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="tpvc-texts-"))
    folder.mkdir(parents=True, exist_ok=True)
    tried, wrong = 0, 0
    try:
        for text, is_refused, said, by in {"slurm": slurm, "htcondor": htcondor}[options.engine](folder.resolve()):
            tried += 1
            if is_refused != bool(said):
                wrong += 1
                print(f"{text!r}: {by} {'refuses' if said else 'takes'} it; {said}", file=sys.stderr)
    finally:
        if not options.folder:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"texts: {options.engine}: {tried} tried, {wrong} unlike the table")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
