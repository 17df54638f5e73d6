"""`tpvc shadow`: how the answers of TPV and tpvc compare, from the files that `rules_module: tpvc.shadow` writes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tpvc.galaxy.compared import shown
from tpvc.galaxy.tally import Counts, count, read

DESCRIPTION = """\
Show how the answers of TPV and tpvc compare for live jobs, as `rules_module: tpvc.shadow` counted them.

FOLDER is `data_dir` of galaxy.yml (mostly Galaxy's database/); each job handler has a file of its own in FOLDER/tpvc."""

EPILOG = "exit status: 0 all answers are equal; 1 answers differ, or some or all were not compared; 2 the command line is wrong."


def main(argv: list[str]) -> int:
    """Runs `tpvc shadow` with the arguments after it, and gives the exit status."""
    parser = argparse.ArgumentParser(
        prog="tpvc shadow",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="Galaxy's data folder, or one of the files")
    parser.add_argument("--last", metavar="N", type=int, default=20, help="differences of each handler to show [default: 20]")
    options = parser.parse_args(argv)
    folder: Path = options.folder
    files = [folder] if folder.is_file() else sorted({*folder.glob("shadow-*.json"), *folder.glob("tpvc/shadow-*.json")})
    found = [(file, counts) for file in files if (counts := read(file)) is not None]
    if not found:
        print(f"error: no counts of this version of tpvc are in `{folder}`", file=sys.stderr)
        print("  help: name `data_dir` of galaxy.yml; the files appear with the first jobs that `tpvc.shadow` maps", file=sys.stderr)
        return 1
    for file, counts in found:
        print(f"{file.stem.removeprefix('shadow-')}: {counts.sentence()}")
        if len(counts.dispatchers) > 1 or counts.uncompared:
            for name, (equal, differing, missed) in sorted(counts.dispatchers.items()):
                print(f"  {shown(name)}: {count(equal, 'answer')} equal, {differing:,} different, {missed:,} not compared")
        for line in lines(counts, options.last):
            print(line)
    answers = sum(counts.answers for _, counts in found)
    different = sum(counts.different for _, counts in found)
    uncompared = sorted({name for _, counts in found for name in counts.uncompared})
    print(f"in all: {count(answers, 'answer')}, {different:,} different")
    if uncompared:
        print(f"not all answers of {', '.join(map(shown, uncompared))} were compared: the log of the handler says why")
    return 1 if different or uncompared or not answers else 0


def lines(counts: Counts, most: int) -> list[str]:
    """The latest differences of a handler."""
    made = []
    for each in counts.differences[-most:] if most > 0 else []:
        made.append(f"  {each['time']}  job {each['job']}  {shown(each['tool'])}")
        for field, tpv, tpvc in each["fields"]:
            made.append(f"    {shown(field)}: TPV {shown(tpv)}, tpvc {shown(tpvc)}")
    return made
