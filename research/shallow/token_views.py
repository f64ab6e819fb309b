"""Training views whose rows have a tag or a head for each token."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from research.shallow.cues import with_options
from research.shallow.cutters import VOWELS
from research.shallow.decisions import OptionChoice, Problem
from research.studies.study import Rows

MOST_TAGS = 12_000
WINDOW = 4
NEAR = 2  # of the smaller window
WIDE = 8  # of the one whose characters are numbers
MOST_HEADS = 3000
FAMILIES = ("parts of speech of both", "parts of speech around both", "words and endings of both")


def tag_view(column: str) -> Callable[[str, Rows], Iterator[Problem]]:
    """Makes the problem of a view: a token's tag, a number in a column, from tokens around it."""

    def problems(name: str, rows: Rows) -> Iterator[Problem]:
        n_tags = 1 + max(tag for row in rows for tag in row[column])
        options = [str(tag) for tag in range(n_tags)]
        made: list[OptionChoice] = []
        for row in rows:
            if len(made) >= MOST_TAGS:
                break
            made += _tags(row, column, options)
        yield Problem(name, "tags", made, "share", "training")

    return problems


def _tags(row: Mapping[str, Any], column: str, options: Sequence[str]) -> Iterator[OptionChoice]:
    cluster = row["id"].rpartition("/")[0] or row["id"]
    padded = ["^"] * WINDOW + [token.lower() for token in row["tokens"]] + ["$"] * WINDOW
    n = len(row["tokens"])
    for at, tag in enumerate(row[column]):
        window = padded[at : at + 2 * WINDOW + 1]
        around = _numbered(window)
        near = _numbered(window[WINDOW - NEAR : WINDOW + NEAR + 1])
        shared = {"words before": float(at), "words behind": float(n - at)}
        shared |= _characters(row["tokens"], at)
        cues = [{"tag": float(k), **shared} for k in range(len(options))]
        own = window[WINDOW]
        ends = [f"{at} from the start", f"{n - at} from the end"]
        endings = [f"{i}-{token[-2:]}" for i, token in enumerate(window)]
        told = {
            "its token": [own, *(f"-{own[-m:]}" for m in (1, 2, 3))],
            "two tokens to each side": near,
            "four tokens to each side": around,
            "four tokens to each side, their endings and places": [*around, *endings, *ends],
        }
        symbols = with_options(told, options)
        yield OptionChoice(options, tag, cluster, f"{row['id']} {at}", cues, symbols)


def _characters(tokens: Sequence[str], at: int) -> dict[str, float]:
    """Numbers of the characters around one, vowels apart; none where tokens are words."""
    if max(map(len, tokens)) > 1:
        return {}
    places = [(k, at + k) for k in range(-WIDE, WIDE + 1)]
    near = [(k, tokens[i].lower() if 0 <= i < len(tokens) else "\0") for k, i in places]
    return {f"character {k}": float(ord(one[0]) + 10_000 * (one in VOWELS)) for k, one in near}


def _numbered(window: Sequence[str]) -> list[str]:
    """Tokens and pairs of neighbours with their places."""
    two = [f"{i}{a}{b}" for i, (a, b) in enumerate(itertools.pairwise(window))]
    return [*(f"{i}{token}" for i, token in enumerate(window)), *two]


def head_view(name: str, rows: Rows) -> Iterator[Problem]:
    """The head of a token, of all tokens and none: which parts of speech are how far apart."""
    made: list[OptionChoice] = []
    for row in rows:
        if len(made) >= MOST_HEADS:
            break
        made += _heads(row)
    yield Problem(name, "uas", made, "share", "training")


def _heads(row: Mapping[str, Any]) -> Iterator[OptionChoice]:
    words = ["ROOT", *(token.lower() for token in row["tokens"])]
    tags = ["^", *map(str, row["upos"]), "$"]
    n, cluster = len(words), row["id"].rpartition("/")[0] or row["id"]
    for at in range(1, n):
        places = [place for place in range(n) if place != at]
        cues = [
            {
                "distance": float(place - at),
                "words between": float(abs(place - at)),
                "place": float(place),
                "place from the end": float(n - place),
                "is none": float(place == 0),
                "same parts of speech between": float(_between(tags, at, place)),
            }
            for place in places
        ]
        told = [_symbols(words, tags, at, place) for place in places]
        symbols = {family: [one[i] for one in told] for i, family in enumerate(FAMILIES)}
        options = [words[place] for place in places]
        gold, unit = places.index(row["heads"][at - 1]), f"{row['id']} {at}"
        yield OptionChoice(options, gold, cluster, unit, cues, symbols)


def _between(tags: list[str], at: int, place: int) -> int:
    """How many words of the head's own part of speech stand between it and the token."""
    return tags[min(at, place) + 1 : max(at, place)].count(tags[place])


def _symbols(words: list[str], tags: list[str], at: int, place: int) -> tuple[list[str], ...]:
    """Strings of a token and a head by family."""
    both, far = f"{tags[at]} {tags[place]}", f"{max(-4, min(4, place - at))}"
    between = " ".join(sorted(set(tags[min(at, place) + 1 : max(at, place)])))
    kinds = [both, f"{both} {far}", f"{both} {_between(tags, at, place)}", f"{both} {between}"]
    sides = [f"{tags[at - 1]} {tags[at + 1]}", f"{tags[place - 1]} {tags[place + 1]}"]
    around = [*kinds, *(f"{both} {side}" for side in sides), f"{both} {' '.join(sides)}"]
    ends = f"-{words[at][-2:]} -{words[place][-2:]}"
    spoken = [f"{words[at]} {words[place]}", f"{words[at]} {tags[place]} {far}", f"{ends} {far}"]
    return kinds, around, [*around, *spoken, f"{both} {ends}"]
