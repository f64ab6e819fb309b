"""Training views whose rows have a head for each token."""

from collections.abc import Iterator, Mapping
from typing import Any

from research.shallow.decisions import OptionChoice, Problem
from research.studies.study import Rows

MOST_TOKENS = 3000
FAMILIES = ("parts of speech of both", "parts of speech around both", "words and endings of both")


def head_view(name: str, rows: Rows) -> Iterator[Problem]:
    """The head of a token, of all tokens and none: which parts of speech are how far apart."""
    made: list[OptionChoice] = []
    for row in rows:
        if len(made) >= MOST_TOKENS:
            break
        made += _row(row)
    yield Problem(name, "uas", made, "share", "training")


def _row(row: Mapping[str, Any]) -> Iterator[OptionChoice]:
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
