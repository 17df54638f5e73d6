"""`python -m tpvc` is the command `tpvc`."""

import sys

from tpvc.cli import main

sys.exit(main())
