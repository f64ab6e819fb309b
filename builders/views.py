"""Training views: what suites share where they divide rows into parts that have nothing in common.

A view is a config with the splits `train`, `validation` and `test` and the columns that a training
script expects. Its kind says what the parts do not share: `items` (combinations), `words` (entries
of the tables) or `constructions` (families, word orders, levels, languages). A suite's `views.py`
has VIEWS, `facts(table)`, which tells from the rows themselves what they are made of, and
PUBLISHED, the configs that training must not have met.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import pyarrow as pa

Kind = Literal["items", "words", "constructions"]
Part = Literal["train", "validation", "test"]
Facts = Mapping[str, set[str]]
"""What rows are made of, by the name of the fact: words, pairs, families."""
PARTS: tuple[Part, ...] = ("train", "validation", "test")
PUBLISHED = "published"
LEAST_TRAINING_ROWS = 500
SHARES = (0.60, 0.15, 0.25)
"""Shares of the tables' entries in the three parts."""
MOST_SWEEPS = 20
LABEL = pa.int64()  # how a class label is stored


class Promise(NamedTuple):
    """What a kind of view promises, by names of facts."""

    of_parts: tuple[str, ...]  # no two parts share any
    of_published: tuple[str, ...]  # train and validation share none with the published test
    contained: tuple[str, ...] = ()  # no part has one that lies inside one of another part
    least_length: int = 1  # letters of the shortest one that is looked for inside others
    listed: tuple[str, ...] = ()  # parts may share some, and the card names them


class View(NamedTuple):
    """One training view; `rows` has those of a kind in parts, of which `write` makes its columns.

    `pattern` names the views that have the same rows, such as `*_items`.
    """

    name: str
    kind: Kind
    description: str
    schema: pa.Schema
    promise: Promise
    rows: Callable[[Any], Mapping[Part, Any]]
    write: Callable[[Any], pa.Table]
    pattern: str
    version: str


class ViewKind(NamedTuple):
    """A kind of view of a suite: what its parts do not share, and what divides rows into them."""

    apart: str
    promise: Promise
    divide: Callable[..., Mapping[Part, Any]]


class Overlap(NamedTuple):
    """How much two parts share of one fact: `n_shared` of the `n_second` of the second part."""

    fact: str
    first: str
    second: str
    n_shared: int
    n_second: int
    is_promised: bool


def labelled(fields: Sequence[tuple[str, pa.DataType]], **names: Sequence[str]) -> pa.Schema:
    """A schema whose columns of LABEL, or lists of it, have names in what `datasets` reads."""
    features: dict[str, object] = {}
    schema = pa.schema(list(fields))
    for column, labels in names.items():
        feature: dict[str, object] = {"names": list(labels), "_type": "ClassLabel"}
        is_list = pa.types.is_list(schema.field(column).type)
        features[column] = {"feature": feature, "_type": "List"} if is_list else feature
    info = json.dumps({"info": {"features": features}})
    return schema.with_metadata({"huggingface": info})


def make_views(
    formats: Mapping[str, tuple[str, pa.Schema, Callable[[Any], pa.Table]]],
    kinds: Mapping[Kind, ViewKind],
    rows: Callable[[Any], Mapping[Part, Any]],
    language: str = "",
    version: str = "",
) -> tuple[View, ...]:
    """One view for each format and kind, named `<language><format>_<kind>`.

    A format is a text about it, its schema, and what writes it.
    """
    found = []
    for name, (text, schema, write) in formats.items():
        for kind, (apart, promise, _) in kinds.items():
            told, pattern = f"Training: {text}; {apart}.", f"{language}*_{kind}"
            made = (told, schema, promise, rows, write, pattern, version)
            found.append(View(f"{language}{name}_{kind}", kind, *made))
    return tuple(found)


def view_tables(view: View, source: object = None) -> dict[str, pa.Table]:
    """The three parts of a view; `source` is the folder of the files that some are read from."""
    parts = view.rows(view.kind if source is None else source).items()
    return {part: view.write(rows).cast(view.schema) for part, rows in parts}


def hashed_share(key: str, salt: str) -> float:
    """A number in [0, 1) that key and salt decide, the same on any machine."""
    digest = hashlib.sha256(f"{salt}|{key}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def hashed_part(key: str, salt: str, shares: Sequence[float] = SHARES) -> Part:
    """The part that a key falls into by its hash.

    Example:
        >>> [hashed_part(word, "example") for word in ("cat", "dog", "owl")]
        ['train', 'validation', 'test']
    """
    place = hashed_share(key, salt)
    if place < shares[0]:
        return "train"
    return "validation" if place < shares[0] + shares[1] else "test"


def components(links: Iterable[Sequence[str]]) -> dict[str, str]:
    """Connected components: each key with the least key of its component.

    Example:
        >>> components([("a", "b"), ("c",), ("b", "d")])
        {'a': 'a', 'b': 'a', 'c': 'c', 'd': 'a'}
    """
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while parent.setdefault(key, key) != key:
            key = parent[key]
        return key

    for first, *others in links:
        for other in (first, *others):
            low, high = sorted((root(first), root(other)))
            parent[high] = low
    return {key: root(key) for key in sorted(parent)}


def together(keys: Iterable[str], least_length: int) -> dict[str, str]:
    """The group of each key: those that lie one inside the other are in one."""
    known = list(keys)
    return components([*((key,) for key in known), *containments(known, least_length)])


def containments(keys: Iterable[str], least_length: int = 2) -> list[tuple[str, str]]:
    """Pairs of keys of which the first lies inside the second, such as 护士 and 护士服."""
    known, found = set(keys), []
    for whole in sorted(known):
        ends = range(1, len(whole) + 1)
        parts = {whole[i:j] for j in ends for i in range(j - least_length + 1)}
        found += [(part, whole) for part in parts & known - {whole}]
    return found


def assign(weights: Mapping[str, Mapping[str, float]], salt: str) -> dict[str, Part]:
    """Assigns groups to parts so that every feature's weight is divided nearly by SHARES.

    The heaviest group goes first, to the part where its features lack most; then single moves are
    made as long as one brings the parts nearer. The salt decides between groups of one weight.
    """
    totals = summed(weights.values())
    order = sorted(weights, key=lambda g: (-sum(weights[g].values()), hashed_share(g, salt)))
    filled: dict[Part, dict[str, float]] = {part: dict.fromkeys(totals, 0.0) for part in PARTS}
    chosen: dict[str, Part] = {}

    def add(group: str, part: Part, sign: int = 1) -> None:
        for feature, weight in weights[group].items():
            filled[part][feature] += sign * weight

    def cost(group: str, part: Part) -> float:
        share = SHARES[PARTS.index(part)]
        return sum(
            w * (2 * filled[part][f] + w) / (share * totals[f]) for f, w in weights[group].items()
        )

    for turn in range(MOST_SWEEPS):
        before = dict(chosen)
        for group in order:
            if turn:
                add(group, chosen[group], -1)
            chosen[group] = min(PARTS, key=lambda part: cost(group, part))
            add(group, chosen[group])
        if chosen == before:
            break
    return chosen


def divide(
    weights: Mapping[str, Mapping[str, float]], salt: str, least_length: int
) -> dict[str, Part]:
    """The part of each key by `assign`; keys that lie one inside the other are in one part."""
    groups = together(weights, least_length)
    members: dict[str, list[Mapping[str, float]]] = {}
    for key, features in weights.items():
        members.setdefault(groups[key], []).append(features)
    parts = assign({group: summed(own) for group, own in members.items()}, salt)
    return {key: parts[groups[key]] for key in weights}


def summed(every: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The sum of each feature's weights."""
    totals: dict[str, float] = {}
    for features in every:
        for feature, weight in features.items():
            totals[feature] = totals.get(feature, 0) + weight
    return totals


def too_small(name: str, n_rows: int) -> str:
    """Why a view is dropped, "" where it has training rows enough."""
    if n_rows >= LEAST_TRAINING_ROWS:
        return ""
    return f"{name}: training rows, got {n_rows}; expected at least {LEAST_TRAINING_ROWS}"


def overlaps(parts: Mapping[str, Facts], promise: Promise) -> list[Overlap]:
    """What the parts of a view share with each other and with the published test."""
    pairs = [("train", "validation"), ("train", "test"), ("validation", "test")]
    pairs += [("train", PUBLISHED), ("validation", PUBLISHED)]
    found = []
    for first, second in pairs:
        promised = promise.of_published if second == PUBLISHED else promise.of_parts
        for fact in parts[first]:
            if fact in parts[second]:
                shared = parts[first][fact] & parts[second][fact]
                n_second = len(parts[second][fact])
                found.append(Overlap(fact, first, second, len(shared), n_second, fact in promised))
    return found


def shared_with_train(parts: Mapping[str, Facts], fact: str) -> list[str]:
    """What validation or test have of a fact that train has too, sorted."""
    return sorted(parts["train"][fact] & (parts["validation"][fact] | parts["test"][fact]))


def broken_promises(parts: Mapping[str, Facts], promise: Promise) -> list[str]:
    """One line for each fact that two parts share against the promise, or that lies in another."""
    lines = [
        f"{one.fact}: shared by {one.first} and {one.second}, got {one.n_shared}, such as "
        f"{min(parts[one.first][one.fact] & parts[one.second][one.fact])!r}; expected none"
        for one in overlaps(parts, promise)
        if one.is_promised and one.n_shared
    ]
    for fact in promise.contained:
        owners: dict[str, str] = {key: part for part in PARTS for key in parts[part][fact]}
        lines += [
            f"{fact}: {inner!r} of {owners[inner]} lies in {whole!r} of {owners[whole]}; "
            "expected both in one part"
            for inner, whole in containments(owners, promise.least_length)
            if owners[inner] != owners[whole]
        ]
    return lines
