"""The training views of SORTS: clauses whose triples the published suite lacks, in two formats.

A triple is subject, verb and object by lemma. `items`: triples beyond those of the published
configs; `test` is the published lite subset. `words`: the verbs divided so that families and
splits keep their shares, verbs that lie one inside the other together (schreiben, beschreiben);
nouns and function words are shared.
`constructions`: verb-second clauses to learn from, questions to validate, verb-final ones to test.
Dutch has the same three kinds, whose configs begin with `dutch_`.
"""

import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from builders import views
from builders.sorts.columns import (
    DEPRELS,
    PARSING_VIEW_SCHEMA,
    ROLES,
    ROLES_VIEW_SCHEMA,
    UPOS,
    Columns,
    clause_table,
)
from builders.sorts.design import SPLITS
from builders.sorts.draw import DrawnItem, capacity, draw, draw_items, item_columns, lite_items
from builders.sorts.lexicon import DUTCH, GERMAN
from builders.views import PARTS, Kind, Part, Promise, View, ViewKind

SALT = "sorts views"
SHORTEST_VERB = 4  # letters of a verb that is looked for inside others
ITEMS: Mapping[Part, int] = {"train": 6, "validation": 1, "test": 2}  # of each block, where it can
ORDERS: Mapping[Part, tuple[str, ...]] = {
    "train": ("VF[S]LK[V]MF[O]", "VF[O]LK[V]MF[S]", "VF[ADV]LK[V]MF[SO]", "VF[ADV]LK[V]MF[OS]"),
    "validation": ("LK[V]MF[SO]", "LK[V]MF[OS]"),
    "test": ("MF[SO]VC[V]", "MF[OS]VC[V]"),
}
PUBLISHED = ("conll", "conll_lite", "dutch", "dutch_lite")


@functools.cache
def view_columns(kind: Kind, tables: Path = GERMAN) -> Mapping[Part, Columns]:
    """The clauses of a kind of view, in the columns of config `conll`."""
    return KINDS[kind].divide(tables)


def triple(item: DrawnItem) -> tuple[str, str, str]:
    """Subject, verb and object of an item, by lemma."""
    subject, verb, object_, *_ = item.clause
    return (subject.words[subject.head].lemma, verb.infinitive, object_.words[object_.head].lemma)


@functools.cache
def _new_items(tables: Path) -> tuple[DrawnItem, ...]:
    """The items of all draws whose triple no published config has, in a hashed order."""
    known = {triple(item) for items in draw_items(tables=tables).values() for item in items}
    for items in draw_items(0, capacity(tables), tables).values():
        known |= {triple(item) for item, _ in lite_items(items, tables)}
    items = [item for item in _all_items(tables) if triple(item) not in known]
    return tuple(sorted(items, key=lambda item: views.hashed_share(item.item_id, SALT)))


def _all_items(tables: Path) -> Iterator[DrawnItem]:
    drawn = draw_items(0, capacity(tables), tables)
    return (item for split in SPLITS for item in drawn[split])


def _of_each_block(items: Sequence[DrawnItem], part: Part) -> list[DrawnItem]:
    """The first items of each block, as many as the part takes."""
    taken: Counter[tuple[str, int]] = Counter()
    found = []
    for item in items:
        key = (item.block.split, item.block.block)
        if taken[key] < ITEMS[part]:
            taken[key] += 1
            found.append(item)
    return found


def _divide_items(tables: Path) -> dict[Part, Columns]:
    by_part: dict[Part, list[DrawnItem]] = {part: [] for part in PARTS}
    for item in _new_items(tables):
        by_part[views.hashed_part(" ".join(triple(item)), SALT, (0.85, 0.15))].append(item)
    learnt: tuple[Part, Part] = ("train", "validation")
    found = {
        part: item_columns(_of_each_block(by_part[part], part), tables=tables) for part in learnt
    }
    splits = list(draw(lite=True, tables=tables).values())  # the published lite subset, of both
    lite = {name: [value for split in splits for value in split[name]] for name in splits[0]}
    return {**found, "test": lite}


def _divide_words(tables: Path) -> dict[Part, Columns]:
    parts = verb_parts(tables)
    every = sorted(_all_items(tables), key=lambda item: views.hashed_share(item.item_id, SALT))
    new = _new_items(tables)
    sources = {"train": new, "validation": new, "test": every}
    found = {}
    for part in PARTS:
        items = [item for item in sources[part] if parts[item.clause.verb.infinitive] == part]
        found[part] = item_columns(_of_each_block(items, part), tables=tables)
    return found


def _divide_constructions(tables: Path) -> dict[Part, Columns]:
    found: dict[Part, Columns] = {}
    for part, columns in view_columns("items", tables).items():
        kept = [i for i, order in enumerate(columns["word_order"]) if order in ORDERS[part]]
        found[part] = {name: [values[i] for i in kept] for name, values in columns.items()}
    return found


@functools.cache
def verb_parts(tables: Path = GERMAN) -> Mapping[str, Part]:
    """The part of each verb: of a family and split, each part has nearly its share of items."""
    weights: dict[str, dict[str, float]] = {}
    for item in _all_items(tables):
        features = weights.setdefault(item.clause.verb.infinitive, {})
        feature = f"{item.block.split}/{item.block.family}"
        features[feature] = features.get(feature, 0) + 1
    return views.divide(weights, SALT, SHORTEST_VERB)


def _roles(columns: Columns) -> pa.Table:
    places = zip(*(columns[name] for name in ("tokens", *ROLES[:3])), strict=True)
    tags = [
        [next((k for k, place in enumerate(of_roles) if place == i), 3) for i in range(len(tokens))]
        for tokens, *of_roles in places
    ]
    return clause_table({**columns, "tags": tags}, ROLES_VIEW_SCHEMA)


def parsing_table(columns: Mapping[str, Sequence[Any]]) -> pa.Table:
    """A part of a view `parsing`: tags and relations as numbers."""
    upos = [[UPOS.index(tag) for tag in tags] for tags in columns["upos"]]
    deprels = [[DEPRELS.index(label) for label in labels] for labels in columns["deprels"]]
    return clause_table({**columns, "upos": upos, "deprels": deprels}, PARSING_VIEW_SCHEMA)


KINDS: Mapping[Kind, ViewKind] = {
    "items": ViewKind(
        "no subject, verb and object of the published test",
        Promise(("triple",), ("triple",)),
        _divide_items,
    ),
    "words": ViewKind(
        "no verb in two parts",
        Promise(
            ("triple", "verb"),
            ("triple",),
            contained=("verb",),
            least_length=SHORTEST_VERB,
            listed=("argument", "other_word"),
        ),
        _divide_words,
    ),
    "constructions": ViewKind(
        "whole word orders held out", Promise(("order",), ("triple",)), _divide_constructions
    ),
}


def _views_of(language: str, prefix: str, tables: Path) -> tuple[View, ...]:
    trees = (f"{language}tokens and their dependency trees", PARSING_VIEW_SCHEMA, parsing_table)
    roles = (f"{language}tokens and their roles", ROLES_VIEW_SCHEMA, _roles)
    clauses = functools.partial(view_columns, tables=tables)
    return views.make_views({"roles": roles, "parsing": trees}, KINDS, clauses, prefix)


VIEWS: tuple[View, ...] = (*_views_of("", "", GERMAN), *_views_of("Dutch ", "dutch_", DUTCH))


def facts(table: pa.Table) -> dict[str, set[str]]:
    """What clauses are made of: triples, verbs, arguments and other words by lemma, and orders."""
    kept = ("triple", "verb", "both_arguments", "argument", "other_word", "order")
    found: dict[str, set[str]] = {name: set() for name in kept}
    columns = table.to_pydict()
    places = [_places(columns, i) for i in range(table.num_rows)]
    rows = zip(columns["lemmas"], places, columns["id"], strict=True)
    for lemmas, (subject, verb, object_), identifier in rows:
        found["triple"].add(" ".join((lemmas[subject], lemmas[verb], lemmas[object_])))
        found["verb"].add(lemmas[verb])
        found["both_arguments"].add(f"{lemmas[subject]} {lemmas[object_]}")
        found["argument"] |= {lemmas[subject], lemmas[object_]}
        found["other_word"] |= {*lemmas} - {lemmas[i] for i in (subject, verb, object_)}
        found["order"].add(identifier.rpartition("/")[2])
    return found


def _places(columns: Mapping[str, Sequence[Any]], row: int) -> tuple[int, int, int]:
    """Places of subject, verb and object, told from a row's roles or tree."""
    if "subject" in columns:
        return columns["subject"][row], columns["verb"][row], columns["object"][row]
    if "tags" in columns:
        tags = columns["tags"][row]
        return tags.index(0), tags.index(2), tags.index(1)
    labels = [DEPRELS[label] for label in columns["deprels"][row]]
    verb = columns["heads"][row].index(0)
    return labels.index("nsubj"), verb, labels.index("obj")
