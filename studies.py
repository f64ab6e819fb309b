"""Where `python -m research` went."""

import sys

sys.exit("python -m studies: it is `python -m research` now, with the same arguments")
