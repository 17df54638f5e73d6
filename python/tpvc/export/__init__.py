"""`tpvc export-jobs`: the job history of a Galaxy database as a job file, and its running jobs as a world.

From the command line down: `command` reads it, `run` does the work, `database` opens the database, `statements` asks it,
`jobs` makes a line of a job, with `parameters` and `people`; `world` makes the world, `output` writes.
"""

from tpvc.export.command import main

__all__ = ["main"]
