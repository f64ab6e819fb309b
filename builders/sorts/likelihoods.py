"""Twins for language models: clauses of equal length, one grammatical and one violated.

    Der Leser liest den Roman.     Der Leser liest der Roman.      two nominatives
                                   Den Leser liest den Roman.      two accusatives
                                   Der Leser lesen den Roman.      the verb in the other number
                                   Der Leser den Roman liest.      the verb not second

Every triple of masculine nouns whose form is the same in both cases has them all, in both orders of
subject and object, so that each pair of words that a violation exchanges is exchanged the other way
in another twin: who knows no more than how frequent words are is right in exactly half. Roles or
orders that change places leave a clause grammatical; how much one is preferred has no right answer.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from builders.likelihoods import Measures, all_of
from builders.sorts import VERSION
from builders.sorts.columns import LIKELIHOOD_SCHEMA, PREFERENCE_SCHEMA
from builders.sorts.design import families
from builders.sorts.lexicon import GERMAN, Noun, Number, Triple, Verb, read_lexicon, split_phrase
from builders.sorts.morphology import finite_form
from builders.sorts.phrases import NounPhrase, build_phrase, determiner_of_kind
from builders.sorts.readings import clause_readings
from builders.sorts.realizer import Clause, Row, realize
from builders.sorts.variations import PlannedItem, build_clause
from metrics.subject_object_las.inventory import OVS, SVO

TWIN_FAMILIES = ("invan", "oan", "plain", "semas", "sinan", "sinan_oan")
N_TRIPLES = 100
ADVERB_FIRST = ("VF[ADV]LK[V]MF[SO]", "VF[ADV]LK[V]MF[OS]")
OTHER: dict[Number, Number] = {"singular": "plural", "plural": "singular"}
NUMBERS: tuple[Number, ...] = ("singular", "plural")


class Twin(NamedTuple):
    """A grammatical clause and the words of its violated partner."""

    triple_id: str
    construction: str
    grammatical: Row
    violated: list[str]


class Base(NamedTuple):
    """A triple whose words make twins: two strong masculine nouns with definite articles."""

    triple: Triple
    subject: NounPhrase
    verb: Verb
    object: NounPhrase

    @property
    def triple_id(self) -> str:
        """Family and number, as in config `conll`."""
        return f"{self.triple.family}/{self.triple.number:02d}"

    def clause(self, number: Number = "singular", tables: Path = GERMAN) -> Clause:
        """Its clause, with a subject in one number."""
        subject = self.subject._replace(number=number)
        return build_clause(PlannedItem(subject, self.verb, self.object), tables)


def likelihood_table(seed: int = 0, tables: Path = GERMAN) -> pa.Table:
    """Rows of `LIKELIHOOD_SCHEMA`: the twins of `N_TRIPLES` triples, drawn by the seed."""
    rows = [
        {
            "id": f"{twin.triple_id}/{twin.construction}/{twin.grammatical.word_order}",
            "construction": twin.construction,
            "cluster": twin.triple_id,
            "word_order": twin.grammatical.word_order,
            "grammatical": sentence(twin.grammatical.tokens),
            "violated": sentence(twin.violated),
        }
        for twin in twins(drawn_bases(seed, tables), tables)
    ]
    return pa.Table.from_pylist(rows, schema=LIKELIHOOD_SCHEMA)


def preference_table(seed: int = 0, tables: Path = GERMAN) -> pa.Table:
    """Rows of `PREFERENCE_SCHEMA`: clauses that are both grammatical, roles or order changed.

    Of the same triples as the twins.
    """
    rows = [
        {
            "id": f"{base.triple_id}/{contrast}/{first.word_order}",
            "construction": contrast,
            "cluster": base.triple_id,
            "reverse": base.triple.reverse or "settled",
            "first": sentence(first.tokens),
            "second": sentence(second.tokens),
        }
        for base in drawn_bases(seed, tables)
        for contrast, first, second in _preferences(base, tables)
    ]
    return pa.Table.from_pylist(rows, schema=PREFERENCE_SCHEMA)


def drawn_bases(seed: int, tables: Path = GERMAN) -> list["Base"]:
    """`N_TRIPLES` triples that have twins, in the tables' order."""
    found = list(bases(tables))
    return draw_some(found, N_TRIPLES, f"sorts/{VERSION}/twins/{seed}")


def draw_some(found: Sequence["Base"], n: int, seed: str) -> list["Base"]:
    """At most so many of the triples, drawn by a seed, in their own order."""
    places = random.Random(seed).sample(range(len(found)), min(n, len(found)))
    return [found[place] for place in sorted(places)]


def bases(tables: Path = GERMAN) -> Iterator[Base]:
    """Triples whose subject and object exchange the same words between the cases."""
    lexicon, article = read_lexicon(tables), determiner_of_kind("definite", tables)
    for triple in lexicon.triples:
        if triple.family not in TWIN_FAMILIES:
            continue
        family = families(tables)[triple.family]
        subject, object_ = (str(triple.cell(name)) for name in (family.subject, family.object))
        verb = lexicon.verbs[triple.verb]
        if verb.object_case == "acc" and all(
            _is_plain(cell, tables) for cell in (subject, object_)
        ):
            phrases = (NounPhrase(article, (), noun, "singular") for noun in (subject, object_))
            base = Base(triple, next(phrases), verb, next(phrases))
            if not any(_read_otherwise(*twin[1:], tables) for twin in _of_number(base, tables)):
                yield base


def _is_plain(cell: str, tables: Path) -> bool:
    words, lemma, mark = split_phrase(cell)
    noun = read_lexicon(tables).nouns[lemma]
    if not isinstance(noun, Noun):  # another language has no such twins
        return False
    is_same = noun.accusative == noun.lemma and noun.declension == "strong"
    return not words and not mark and noun.gender == "masc" and is_same and noun.plural is not None


def _read_otherwise(row: Row, violated: Sequence[str], tables: Path) -> bool:
    """Whether a violated clause is one of other words: die Bauten of the workers, die Baute."""
    verb = read_lexicon(tables).verbs[row.lemmas[row.verb]]
    return bool(_readings(violated[:-1], verb, tables))


def twins(found: Iterable[Base], tables: Path = GERMAN) -> Iterator[Twin]:
    """All twins of some triples, one triple after the other."""
    for base in found:
        for construction, row, violated in (
            *_of_case(base, tables),
            *_of_number(base, tables),
            *_of_verb_place(base, tables),
        ):
            yield Twin(base.triple_id, construction, row, violated)


def _of_case(base: Base, tables: Path) -> Iterator[tuple[str, Row, list[str]]]:
    clause = base.clause(tables=tables)
    twice = {
        "two_nominatives": (clause.subject, build_phrase(base.object, "nominative", tables)),
        "two_accusatives": (build_phrase(base.subject, "accusative", tables), clause.object),
    }
    for construction, (subject, object_) in twice.items():
        wrong = clause._replace(subject=subject, object=object_)
        for right, violated in zip(
            realize(clause, (SVO, OVS), tables=tables),
            realize(wrong, (SVO, OVS), tables=tables),
            strict=True,
        ):
            yield construction, right, violated.tokens


def _of_number(base: Base, tables: Path) -> Iterator[tuple[str, Row, list[str]]]:
    for number in NUMBERS:
        for row in realize(base.clause(number, tables), (SVO, OVS), tables=tables):
            violated = list(row.tokens)
            violated[row.verb] = finite_form(base.verb, 3, OTHER[number])
            yield f"number_of_{number}", row, violated


def _of_verb_place(base: Base, tables: Path) -> Iterator[tuple[str, Row, list[str]]]:
    for row in realize(base.clause(tables=tables), (SVO, OVS, *ADVERB_FIRST), tables=tables):
        # Der Leser | liest | den Roman .     Deshalb | liest | der Leser | den Roman .
        third = row.verb + 3  # behind the article and the noun that follow the verb
        before, (verb, *passed) = row.tokens[: row.verb], row.tokens[row.verb : third]
        yield "verb_not_second", row, [*before, *passed, verb, *row.tokens[third:]]


def _preferences(base: Base, tables: Path) -> Iterator[tuple[str, Row, Row]]:
    turned = base._replace(subject=base.object, object=base.subject).clause(tables=tables)
    orders = (SVO, OVS, *ADVERB_FIRST)
    own = {
        row.word_order: row for row in realize(base.clause(tables=tables), orders, tables=tables)
    }
    for row in realize(turned, (SVO, OVS), tables=tables):
        yield "roles", own[row.word_order], row
    yield "order_of_fields", own[SVO], own[OVS]
    yield "order_in_middle_field", own[ADVERB_FIRST[0]], own[ADVERB_FIRST[1]]


def sentence(tokens: Sequence[str]) -> str:
    """Words as a person writes them, the full stop without a blank before it."""
    return f"{' '.join(tokens[:-1])}{tokens[-1]}"


def measures(row: Mapping[str, Any]) -> Measures:
    """The two members of a twin, whole, or the two clauses of a preference."""
    names = ("grammatical", "violated") if "violated" in row else ("first", "second")
    return {"whole": [all_of(row[name]) for name in names]}


def twin_problems(columns: Mapping[str, Sequence[Any]], tables: Path = GERMAN) -> Iterator[str]:
    """Twins of unequal length, equal twins, a violation of case or number that has a reading."""
    names = ("id", "construction", "grammatical", "violated")
    verbs = {
        base.triple_id: base.verb for base in bases(tables)
    }  # the readings of a clause hang on the case its verb governs
    for identifier, construction, *texts in zip(*(columns[n] for n in names), strict=True):
        right, wrong = (text.removesuffix(".").split(" ") for text in texts)
        if len(right) != len(wrong) or right == wrong:
            yield f"{identifier}: members, got {texts}; expected as many words, one other at least"
        elif construction != "verb_not_second":
            verb = verbs["/".join(identifier.split("/")[:2])]
            found = [len(_readings(words, verb, tables)) for words in (right, wrong)]
            if found != [1, 0]:
                yield f"{identifier}: readings, got {found}; expected one, and none where violated"


def same_word_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Preferences whose members are one clause, or differ in more than place and case."""
    for identifier, *texts in zip(columns["id"], columns["first"], columns["second"], strict=True):
        bags = [sorted(text.lower().removesuffix(".").split(" ")) for text in texts]
        if texts[0] == texts[1] or bags[0] != bags[1]:
            yield f"{identifier}: members, got {texts}; expected two orders of the same words"


def _readings(words: Sequence[str], verb: Verb, tables: Path) -> list[Any]:
    """Readings of article, noun, verb, article, noun."""
    return list(clause_readings((words[:2], words[3:]), verb, words[2], tables=tables))
