"""Twins: a clause and the same nouns with their roles exchanged, where form decides both.

    Den Tierpfleger zähmt der Wolf .      case        plausible: Den Wolf zähmt der Tierpfleger .
    Die Äcker pflügen die Bäuerin .       agreement   plausible: Die Äcker pflügt die Bäuerin .

What the words mean speaks for one member as much as it speaks against the other: whoever reads
meaning alone has all plausible clauses and no implausible one, the gap between them is 1, and
informedness over the two is 0. Both articles are definite, so that the members of a twin that case
decides have the same words. Dutch nouns have no case, so that agreement decides all of its twins.

Source: the gap between a plausible clause and its implausible twin is that of CenterBench.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from builders.sorts import DRAW
from builders.sorts.columns import Columns
from builders.sorts.design import ITEM_ORDERS, OBJECT_FIRST_IN_MIDDLE_FIELD, families
from builders.sorts.lexicon import (
    GERMAN,
    PLURAL,
    AnyNoun,
    Noun,
    Number,
    Triple,
    Verb,
    grammar_of,
    read_lexicon,
    split_phrase,
)
from builders.sorts.phrases import NounPhrase, Spec, determiner_of_kind
from builders.sorts.realizer import Clause, Row, realize
from builders.sorts.resolution import resolved_by
from builders.sorts.variations import PlannedItem, build_clause
from metrics.subject_object_las.inputs import NO_PROPERTY, OVS, SVO

Kind = Literal["case", "agreement"]
KINDS: tuple[Kind, Kind] = ("case", "agreement")
CONDITIONS: tuple[str, str] = ("plausible", "implausible")
N_TRIPLES = 100  # of each kind
FAMILIES = ("invan", "oan", "plain", "semas", "sinan", "sinan_oan")
NUMBERS: tuple[Number, Number] = ("singular", "plural")


class Base(NamedTuple):
    """A triple as a clause: its phrases, and its verb."""

    triple: Triple
    subject: Spec
    verb: Verb
    object: Spec

    def turned(self) -> "Base":
        """The same with its roles exchanged."""
        return self._replace(subject=self.object, object=self.subject)

    def clause(self, tables: Path, *, has_auxiliary: bool = False) -> Clause:
        """Its features, for the realizer."""
        item = PlannedItem(self.subject, self.verb, self.object, has_auxiliary)
        return build_clause(item, tables)

    def rows(self, orders: Sequence[str], tables: Path) -> list[Row]:
        """Its clause in some orders."""
        return list(realize(self.clause(tables), orders, tables=tables))


def base_of(triple: Triple, nouns: Iterable[AnyNoun], tables: Path, *numbers: Number) -> Base:
    """A triple with two nouns behind a definite article, singular where nothing else is said."""
    article = determiner_of_kind("definite", tables)
    first, second = (
        NounPhrase(article, (), noun.lemma, number)
        for noun, number in zip(nouns, numbers or NUMBERS[:1] * 2, strict=True)
    )
    return Base(triple, first, read_lexicon(tables).verbs[triple.verb], second)


def twin_columns(seed: int = 0, tables: Path = GERMAN) -> Columns:
    """Columns of `TWIN_SCHEMA`: the clauses of `N_TRIPLES` twins of each kind, in all orders.

    Those that case decides are first. Every second one is in the future tense.
    """
    rows: list[dict[str, Any]] = []
    every = list(all_twins(tables))
    for kind in KINDS:
        some = [base for settled, base in every if settled == kind]
        generator = random.Random(f"sorts/{DRAW}/twins/{kind}/{seed}")
        places = sorted(generator.sample(range(len(some)), min(N_TRIPLES, len(some))))
        for i, place in enumerate(places):
            rows += _rows(kind, some[place], has_auxiliary=i % 2 == 1, tables=tables)
    return {name: [row[name] for row in rows] for name in rows[0]}


def all_twins(tables: Path = GERMAN) -> Iterator[tuple[Kind, Base]]:
    """Every twin of the tables, its plausible member with the form that settles both.

    Their triples are those whose reverse a reader would not expect.
    """
    for triple in read_lexicon(tables).triples:
        if triple.family not in FAMILIES or triple.reverse not in ("excluded", "implausible"):
            continue
        family = families(tables)[triple.family]
        for kind, numbers, nouns in all_kinds(triple, tables):
            base = base_of(triple, nouns, tables, *numbers)
            clauses = (one.clause(tables) for one in (base, base.turned()))
            if all(resolved_by(one, family, triple.reverse, tables) == kind for one in clauses):
                yield kind, base


def all_kinds(
    triple: Triple, tables: Path
) -> Iterator[tuple[Kind, tuple[Number, Number], Sequence[AnyNoun]]]:
    """What may decide a triple's twin, with the numbers of subject and object, and the nouns."""
    nouns = nouns_of(triple, "", tables)
    if nouns and all(
        isinstance(noun, Noun) and noun.gender == "masc" and noun.accusative == noun.lemma
        for noun in nouns  # only the article tells the cases
    ):
        yield "case", ("singular", "singular"), nouns
    # a singular that case does not tell, beside a plural:  die Bäuerin , die Äcker
    for suffix in ("_syncretic", ""):
        nouns = nouns_of(triple, suffix, tables)
        shown = [isinstance(noun, Noun) and noun.gender == "masc" for noun in nouns]
        fit = [i for i, is_shown in enumerate(shown) if not is_shown]
        if fit:
            singular = fit[triple.number % len(fit)]
            yield "agreement", (NUMBERS[singular != 0], NUMBERS[singular != 1]), nouns
            return


def nouns_of(triple: Triple, suffix: str, tables: Path) -> list[AnyNoun]:
    """Subject and object where both have two numbers and stand alone; [] where one does not."""
    family, found = families(tables)[triple.family], list[AnyNoun]()
    for column in (family.subject, family.object):
        words, lemma, mark = split_phrase(triple.cell(f"{column}{suffix}") or "")
        noun = read_lexicon(tables).nouns.get(lemma)
        if words or mark not in ("", PLURAL) or noun is None or not noun.plural:
            return []
        if isinstance(noun, Noun) and (noun.declension == "adjectival" or noun.gender is None):
            return []
        found.append(noun)
    return found if found[0] != found[1] else []


def _rows(kind: Kind, base: Base, *, has_auxiliary: bool, tables: Path) -> Iterator[dict[str, Any]]:
    twin_id = f"twins/{kind}/{base.triple.triple_id}"
    for condition, one in zip(CONDITIONS, (base, base.turned()), strict=True):
        clause = one.clause(tables, has_auxiliary=has_auxiliary)
        for row in realize(clause, word_orders(tables), tables=tables):
            yield {
                "id": f"{twin_id}/{condition}/{row.word_order}",
                "item_id": f"{twin_id}/{condition}",
                "base_item_id": f"{twin_id}/{CONDITIONS[0]}",
                "triple_id": base.triple.triple_id,
                "properties": ["aux" if has_auxiliary else NO_PROPERTY, "acc"],
                "resolved_by": kind,
                "is_marked_order": False,
                **row._asdict(),
                **clause.frequencies(),
                "twin_id": twin_id,
                "condition": condition,
            }


def word_orders(tables: Path = GERMAN) -> list[str]:
    """Orders of a twin: all eight; in Dutch no object stands before its subject in a field."""
    is_dutch = grammar_of(tables) == "dutch"
    return [o for o in ITEM_ORDERS if not is_dutch or OBJECT_FIRST_IN_MIDDLE_FIELD not in o]


def twin_problems(columns: Columns) -> Iterator[str]:
    """Twins that lack a member, or whose members have the same roles."""
    members: dict[tuple[str, str], dict[str, tuple[str, str]]] = {}
    names = ("twin_id", "word_order", "condition", "lemmas", "subject", "object")
    for twin, order, condition, lemmas, *places in zip(*(columns[n] for n in names), strict=True):
        first, second = (lemmas[place] for place in places)
        members.setdefault((twin, order), {})[condition] = (first, second)
    for (twin, order), found in members.items():
        pair = [found.get(condition) for condition in CONDITIONS]
        if None in pair or pair[0] != (pair[1] or ())[::-1]:
            yield f"{twin}/{order}: roles, got {pair}; expected two members that exchange them"
    if not {SVO, OVS} <= {order for _, order in members}:
        yield f"twins: orders, got no {SVO} or no {OVS}; expected both"
