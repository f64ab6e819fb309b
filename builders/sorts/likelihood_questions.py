"""Who ... whom? A clause, a question about one of its two roles, two nouns to choose between.

    Der Arzt besucht die Nachbarin. Wer besucht jemanden, Arzt oder Nachbarin? Arzt.
    Den Arzt besucht die Nachbarin. Wen besucht jemand, Nachbarin oder Arzt? Arzt.

Both nouns stand in the clause letter for letter, so that copying tells nothing. The cells are
crossed: the roles as a reader would expect them and exchanged, both roles asked for, both orders of
the choices, subject and object first, verb second and last (behind "Das ist gut,"). So whoever
goes by one of these, by meaning or by place, is right in half. Asked about are clauses of two
animate nouns that case settles in both directions, so that wer, wen and wem tell what is asked:
"was" has one form for both roles.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from builders.sorts import DRAW
from builders.sorts.columns import CHOICE_SCHEMA
from builders.sorts.lexicon import GERMAN, Case, Noun, read_lexicon
from builders.sorts.likelihoods import VERB_LAST, Base, draw_some, sentence
from builders.sorts.phrases import NounPhrase, determiner_of_kind
from builders.sorts.readings import clause_readings
from builders.sorts.realizer import Row
from builders.sorts.twins import CONDITIONS, nouns_of
from builders.sorts.variations import governed_case
from metrics.subject_object_las.inputs import OVS, SVO

ASKED_FAMILIES = ("dat_oan", "dat_semas", "oan", "semas")
ORDERS = (SVO, OVS, *VERB_LAST)
MATRIX = "Das ist gut,"
N_TRIPLES = 100
# Question word and indefinite pronoun of each case: closed classes of German.
QUESTION_WORD: dict[Case, str] = {"nominative": "Wer", "accusative": "Wen", "dative": "Wem"}
SOMEBODY: dict[Case, str] = {"nominative": "jemand", "accusative": "jemanden", "dative": "jemandem"}


def question_table(seed: int = 0, tables: Path = GERMAN) -> pa.Table:
    """Rows of `CHOICE_SCHEMA`: the questions about `N_TRIPLES` triples, drawn by the seed."""
    found = list(askable(tables))
    chosen = draw_some(found, N_TRIPLES, f"sorts/{DRAW}/questions/{seed}")
    rows = [row for base in chosen for row in _rows(base, tables)]
    return pa.Table.from_pylist(rows, schema=CHOICE_SCHEMA)


def askable(tables: Path = GERMAN) -> Iterator[Base]:
    """Triples of two animate nouns of one form, whose clauses have one reading both ways."""
    lexicon, article = read_lexicon(tables), determiner_of_kind("definite", tables)
    for triple in lexicon.triples:
        nouns = nouns_of(triple, "", tables) if triple.family in ASKED_FAMILIES else []
        if nouns and all(isinstance(noun, Noun) and _has_one_form(noun) for noun in nouns):
            phrases = [NounPhrase(article, (), noun.lemma, "singular") for noun in nouns]
            base = Base(triple, phrases[0], lexicon.verbs[triple.verb], phrases[1])
            if all(_is_settled(one, tables) for one in (base, base.turned())):
                yield base


def _has_one_form(noun: Noun) -> bool:
    return noun.animacy == "animate" and noun.accusative == noun.dative == noun.lemma


def _is_settled(base: Base, tables: Path) -> bool:
    ((*words, _),) = [row.tokens for row in base.rows((SVO,), tables)]
    finite = base.verb.third_singular
    phrases = (words[:2], words[3:])
    return len(clause_readings(phrases, base.verb, finite, tables=tables)) == 1


def _rows(base: Base, tables: Path) -> Iterator[dict[str, Any]]:
    for condition, one in zip(CONDITIONS, (base, base.turned()), strict=True):
        for row in one.rows(ORDERS, tables):
            for role in ("subject", "object"):
                for is_right_first in (True, False):
                    question, choices, answer = _question(one, role, is_right_first)
                    cell = f"{role}-{'right' if is_right_first else 'wrong'}_first"
                    yield {
                        "id": f"{base.triple_id}/{condition}/{row.word_order}/{cell}",
                        "construction": QUESTION_WORD[_case(base, role)].lower(),
                        "cluster": base.triple_id,
                        "condition": condition,
                        "word_order": row.word_order,
                        "role": role,
                        "is_right_first": is_right_first,
                        "sentence": _statement(row),
                        "question": question,
                        "choices": choices,
                        "answer": answer,
                    }


def _statement(row: Row) -> str:
    if row.word_order not in VERB_LAST:
        return sentence(row.tokens)
    first, *rest = row.tokens
    return f"{MATRIX} {first.lower()} {sentence(rest)}"


def _case(base: Base, role: str) -> Case:
    return "nominative" if role == "subject" else governed_case(base.verb)


def _question(base: Base, role: str, is_right_first: bool) -> tuple[str, list[str], str]:
    case = _case(base, role)
    other = governed_case(base.verb) if role == "subject" else "nominative"
    nouns = [spec.noun for spec in (base.subject, base.object) if isinstance(spec, NounPhrase)]
    right, wrong = nouns if role == "subject" else nouns[::-1]
    shown = [right, wrong] if is_right_first else [wrong, right]
    asked = f"{QUESTION_WORD[case]} {base.verb.third_singular} {SOMEBODY[other]}"
    choices = [f"{noun}." for noun in shown]
    return f"{asked}, {shown[0]} oder {shown[1]}?", choices, f"{right}."


def question_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Lists rows with a wrong answer or choice, and items of which a cell is missing.

    An answer is wrong if it is no choice or elsewhere than the row says; a choice, if the clause
    lacks it.
    """
    cells: dict[tuple[str, str, str], set[tuple[str, bool]]] = {}
    names = ("id", "cluster", "condition", "word_order", "role", "is_right_first", "choices")
    for identifier, *cell, role, is_first, choices, answer, text in zip(
        *(columns[name] for name in (*names, "answer", "sentence")), strict=True
    ):
        if len(set(choices)) != 2 or choices[0 if is_first else 1] != answer:
            yield f"{identifier}: answer, got {answer!r} of {choices}; expected it at its place"
        words = text.rstrip(".").split(" ")
        if any(choice.rstrip(".") not in words for choice in choices):
            yield f"{identifier}: choices, got {choices}; expected two words of {text!r}"
        cells.setdefault((cell[0], cell[1], cell[2]), set()).add((role, is_first))
    for place, found in cells.items():
        if len(found) != 4:
            yield f"{'/'.join(place)}: cells, got {len(found)}; expected 4"
