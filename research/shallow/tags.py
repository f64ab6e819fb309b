"""Training views whose rows have a tag for each token."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from research.shallow.decisions import OptionChoice, Problem
from research.studies.study import Rows

MOST_TOKENS = 12_000
WINDOW = 4
NEAR = 2  # of the smaller window


def tag_view(column: str) -> Callable[[str, Rows], Iterator[Problem]]:
    """Makes the problem of a view: the tag of a token, from the tokens around it.

    Args:
        column: Of the tags, as numbers.
    """

    def problems(name: str, rows: Rows) -> Iterator[Problem]:
        n_tags = 1 + max(tag for row in rows for tag in row[column])
        options = [str(tag) for tag in range(n_tags)]
        made: list[OptionChoice] = []
        for row in rows:
            if len(made) >= MOST_TOKENS:
                break
            made += _row(row, column, options)
        yield Problem(name, "tags", made, "share", "training")

    return problems


def _row(row: Mapping[str, Any], column: str, options: Sequence[str]) -> Iterator[OptionChoice]:
    cluster = row["id"].rpartition("/")[0] or row["id"]
    padded = ["^"] * WINDOW + [token.lower() for token in row["tokens"]] + ["$"] * WINDOW
    n = len(row["tokens"])
    for at, tag in enumerate(row[column]):
        window = padded[at : at + 2 * WINDOW + 1]
        around = _numbered(window)
        near = _numbered(window[WINDOW - NEAR : WINDOW + NEAR + 1])
        cues = [
            {"tag": float(k), "words before": float(at), "words behind": float(n - at)}
            for k in range(len(options))
        ]
        own = window[WINDOW]
        ends = [f"{at} from the start", f"{n - at} from the end"]
        symbols = {
            "its token": [
                [f"{k} {own}", *(f"{k} -{own[-m:]}" for m in (1, 2, 3))] for k in options
            ],
            "two tokens to each side": [[f"{k} {one}" for one in near] for k in options],
            "four tokens to each side": [[f"{k} {one}" for one in around] for k in options],
            "four tokens to each side, their endings and places": [
                [f"{k} {one}" for one in (*around, *_endings(window), *ends)] for k in options
            ],
        }
        yield OptionChoice(options, tag, cluster, f"{row['id']} {at}", cues, symbols)


def _endings(window: Sequence[str]) -> list[str]:
    return [f"{i}-{token[-2:]}" for i, token in enumerate(window)]


def _numbered(window: Sequence[str]) -> list[str]:
    """Tokens and pairs of neighbours with their places."""
    two = [f"{i}{a}{b}" for i, (a, b) in enumerate(itertools.pairwise(window))]
    return [*(f"{i}{token}" for i, token in enumerate(window)), *two]
