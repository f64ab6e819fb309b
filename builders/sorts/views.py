"""The training views of SORTS: clauses whose triples the published suite lacks, in two formats.

A triple is subject, verb and object by lemma. `items`: triples beyond those of the published
configs; `test` is the published lite subset. `words`: the verbs divided so that families and
splits keep their shares, verbs that lie one inside the other together (schreiben, beschreiben);
nouns and function words are shared.
`constructions`: verb-second clauses to learn from, questions to validate, verb-final ones to test.
"""

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

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
from builders.sorts.draw import DrawnItem, draw, draw_items, item_columns
from builders.sorts.lite import lite_items
from builders.sorts.triples import capacity
from builders.views import (
    PARTS,
    Kind,
    Part,
    Promise,
    View,
    assign,
    components,
    containments,
    find_view,
    hashed_part,
    hashed_share,
    make_views,
)

SALT = "sorts views"
SHORTEST_VERB = 4  # letters of a verb that is looked for inside others
ITEMS: Mapping[Part, int] = {"train": 6, "validation": 1, "test": 2}  # of each block, where it can
ORDERS: Mapping[Part, tuple[str, ...]] = {
    "train": ("VF[S]LK[V]MF[O]", "VF[O]LK[V]MF[S]", "VF[ADV]LK[V]MF[SO]", "VF[ADV]LK[V]MF[OS]"),
    "validation": ("LK[V]MF[SO]", "LK[V]MF[OS]"),
    "test": ("MF[SO]VC[V]", "MF[OS]VC[V]"),
}
PUBLISHED = ("conll", "conll_lite")
KINDS: Mapping[Kind, tuple[str, Promise]] = {
    "items": (
        "no subject, verb and object of the published test",
        Promise(("triple",), ("triple",)),
    ),
    "words": (
        "no verb in two parts",
        Promise(
            ("triple", "verb"),
            ("triple",),
            contained=("verb",),
            least_length=SHORTEST_VERB,
            listed=("argument", "other_word"),
        ),
    ),
    "constructions": ("whole word orders held out", Promise(("order",), ("triple",))),
}
VIEWS: tuple[View, ...] = make_views(
    {
        "roles": ("tokens and their roles", ROLES_VIEW_SCHEMA),
        "parsing": ("tokens and their dependency trees", PARSING_VIEW_SCHEMA),
    },
    KINDS,
)


def view_tables(name: str) -> dict[str, pa.Table]:
    """The three parts of one view."""
    view, format = find_view(VIEWS, name)
    write = FORMATS[format]
    return {
        part: clause_table(write(columns), view.schema)
        for part, columns in view_columns(view.kind).items()
    }


@functools.cache
def view_columns(kind: Kind) -> Mapping[Part, Columns]:
    """The clauses of a kind of view, in the columns of config `conll`."""
    return DIVISIONS[kind]()


def triple(item: DrawnItem) -> tuple[str, str, str]:
    """Subject, verb and object of an item, by lemma."""
    subject, verb, object_, *_ = item.clause
    return (
        subject.words[subject.head].lemma,
        verb.infinitive,
        object_.words[object_.head].lemma,
    )


@functools.cache
def _lite() -> Columns:
    """The clauses of the published lite subset, of both splits."""
    parts = list(draw(lite=True).values())
    return {name: [value for part in parts for value in part[name]] for name in parts[0]}


@functools.cache
def _new_items() -> tuple[DrawnItem, ...]:
    """The items of all draws whose triple no published config has, in a hashed order."""
    known = {triple(item) for items in draw_items().values() for item in items}
    known |= {
        triple(item)
        for items in draw_items(0, capacity()).values()
        for item, _ in lite_items(items)
    }
    items = [item for item in _all_items() if triple(item) not in known]
    return tuple(sorted(items, key=lambda item: hashed_share(item.item_id, SALT)))


def _all_items() -> Iterator[DrawnItem]:
    drawn = draw_items(0, capacity())
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


def _divide_items() -> dict[Part, Columns]:
    by_part: dict[Part, list[DrawnItem]] = {part: [] for part in PARTS}
    for item in _new_items():
        by_part[hashed_part(" ".join(triple(item)), SALT, (0.85, 0.15))].append(item)
    learnt: tuple[Part, Part] = ("train", "validation")
    found = {part: item_columns(_of_each_block(by_part[part], part)) for part in learnt}
    return {**found, "test": _lite()}


def _divide_words() -> dict[Part, Columns]:
    parts = verb_parts()
    every = sorted(_all_items(), key=lambda item: hashed_share(item.item_id, SALT))
    sources = {"train": _new_items(), "validation": _new_items(), "test": every}
    return {
        part: item_columns(
            _of_each_block(
                [item for item in sources[part] if parts[item.clause.verb.infinitive] == part],
                part,
            )
        )
        for part in PARTS
    }


def _divide_constructions() -> dict[Part, Columns]:
    return {
        part: _of_orders(columns, ORDERS[part]) for part, columns in view_columns("items").items()
    }


@functools.cache
def verb_parts() -> Mapping[str, Part]:
    """The part of each verb: of a family and split, each part has nearly its share of items."""
    weights: dict[str, dict[str, float]] = {}
    verbs = {item.clause.verb.infinitive for item in _all_items()}
    together = components([*((verb,) for verb in verbs), *containments(verbs, SHORTEST_VERB)])
    for item in _all_items():
        features = weights.setdefault(together[item.clause.verb.infinitive], {})
        feature = f"{item.block.split}/{item.block.family}"
        features[feature] = features.get(feature, 0) + 1
    parts = assign(weights, SALT)
    return {verb: parts[together[verb]] for verb in verbs}


def _of_orders(columns: Columns, orders: Sequence[str]) -> Columns:
    kept = [i for i, order in enumerate(columns["word_order"]) if order in orders]
    return {name: [values[i] for i in kept] for name, values in columns.items()}


DIVISIONS: Mapping[Kind, Callable[[], dict[Part, Columns]]] = {
    "items": _divide_items,
    "words": _divide_words,
    "constructions": _divide_constructions,
}


def _roles(columns: Columns) -> Columns:
    places = zip(*(columns[name] for name in ("tokens", *ROLES[:3])), strict=True)
    tags = [
        [next((k for k, place in enumerate(of_roles) if place == i), 3) for i in range(len(tokens))]
        for tokens, *of_roles in places
    ]
    return {**columns, "tags": tags}


def parsing_columns(columns: Columns, names: Sequence[str] = DEPRELS) -> Columns:
    """Columns of a view `parsing`: tags and relations as numbers, the latter in this order."""
    upos = [[UPOS.index(tag) for tag in tags] for tags in columns["upos"]]
    deprels = [[names.index(label) for label in labels] for labels in columns["deprels"]]
    return {**columns, "upos": upos, "deprels": deprels}


FORMATS: Mapping[str, Callable[[Columns], Columns]] = {"roles": _roles, "parsing": parsing_columns}


def facts(config: str, table: pa.Table) -> dict[str, set[str]]:
    """What clauses are made of: triples, verbs, arguments and other words by lemma, and orders."""
    names = ("triple", "verb", "both_arguments", "argument", "other_word", "order")
    found: dict[str, set[str]] = {name: set() for name in names}
    columns = table.to_pydict()
    places = [_places(columns, i) for i in range(table.num_rows)]
    for lemmas, (subject, verb, object_), identifier in zip(
        columns["lemmas"], places, columns["id"], strict=True
    ):
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
