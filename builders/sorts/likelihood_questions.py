"""Who ... whom? A clause, a question about one of its two roles, two answers to choose between.

    Der Arzt besucht den Patienten. Wer besucht jemanden, der Arzt oder der Patient? Der Arzt.
    Der Arzt besucht den Patienten. Wen besucht jemand, den Patienten oder den Arzt? Den Patienten.

Four cells, both roles asked for and both orders of the choices, for every order of a clause that
states something; a clause whose verb comes last stands behind "Das ist gut,", one whose verb comes
first asks itself. Asked about are clauses of two animate nouns that case settles, so that wer, wen
and wem tell what is asked: "was" has one form for both roles.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from builders.likelihoods import Measures, behind
from builders.sorts import VERSION
from builders.sorts.columns import CHOICE_SCHEMA
from builders.sorts.lexicon import GERMAN, Case, read_lexicon, split_phrase
from builders.sorts.likelihoods import ADVERB_FIRST, Base, draw_some, sentence
from builders.sorts.phrases import NounPhrase, build_phrase, determiner_of_kind
from builders.sorts.placement import capitalized
from builders.sorts.readings import clause_readings
from builders.sorts.realizer import Row, realize
from builders.sorts.variations import governed_case
from metrics.subject_object_las.inventory import OVS, SVO

ASKED_FAMILIES = ("dat_oan", "dat_semas", "oan", "semas")
VERB_LAST = ("MF[SO]VC[V]", "MF[OS]VC[V]")
ORDERS = (SVO, OVS, *ADVERB_FIRST, *VERB_LAST)
MATRIX = "Das ist gut,"
N_TRIPLES = 30
# Question word and indefinite pronoun of each case: closed classes of German.
QUESTION_WORD: dict[Case, str] = {"nominative": "Wer", "accusative": "Wen", "dative": "Wem"}
SOMEBODY: dict[Case, str] = {"nominative": "jemand", "accusative": "jemanden", "dative": "jemandem"}


def question_table(seed: int = 0, tables: Path = GERMAN) -> pa.Table:
    """Rows of `CHOICE_SCHEMA`: the questions about `N_TRIPLES` triples, drawn by the seed."""
    found = list(askable(tables))
    chosen = draw_some(found, N_TRIPLES, f"sorts/{VERSION}/questions/{seed}")
    rows = [row for base in chosen for row in _rows(base, tables)]
    return pa.Table.from_pylist(rows, schema=CHOICE_SCHEMA)


def askable(tables: Path = GERMAN) -> Iterator[Base]:
    """Triples of two animate nouns of their own, each clause of which has one reading."""
    lexicon, article = read_lexicon(tables), determiner_of_kind("definite", tables)
    for triple in lexicon.triples:
        cells = (str(triple.subject), str(triple.object))
        if triple.family in ASKED_FAMILIES and all(_is_animate(cell, tables) for cell in cells):
            phrases = [NounPhrase(article, (), cell, "singular") for cell in cells]
            base = Base(triple, phrases[0], lexicon.verbs[triple.verb], phrases[1])
            if cells[0] != cells[1] and _is_settled(base, tables):
                yield base


def _is_animate(cell: str, tables: Path) -> bool:
    words, lemma, mark = split_phrase(cell)
    noun = read_lexicon(tables).nouns.get(lemma)
    return not words and not mark and noun is not None and noun.animacy == "animate"


def _is_settled(base: Base, tables: Path) -> bool:
    clause = base.clause(tables=tables)
    phrases = ([w.form for w in clause.subject.words], [w.form for w in clause.object.words])
    return len(clause_readings(phrases, base.verb, base.verb.third_singular, tables=tables)) == 1


def _rows(base: Base, tables: Path) -> Iterator[dict[str, Any]]:
    for row in realize(base.clause(tables=tables), ORDERS, tables=tables):
        for role in ("subject", "object"):
            for is_right_first in (True, False):
                question, choices, answer = _question(base, role, is_right_first, tables)
                cell = f"{role}-{'right' if is_right_first else 'wrong'}_first"
                yield {
                    "id": f"{base.triple_id}/{row.word_order}/{cell}",
                    "construction": QUESTION_WORD[_case(base, role)].lower(),
                    "cluster": base.triple_id,
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


def _question(
    base: Base, role: str, is_right_first: bool, tables: Path
) -> tuple[str, list[str], str]:
    case = _case(base, role)
    other = governed_case(base.verb) if role == "subject" else "nominative"
    right, wrong = (
        " ".join(word.form for word in build_phrase(spec, case, tables).words)
        for spec in (base.subject, base.object)[:: 1 if role == "subject" else -1]
    )
    shown = [right, wrong] if is_right_first else [wrong, right]
    asked = f"{QUESTION_WORD[case]} {base.verb.third_singular} {SOMEBODY[other]}"
    choices = [f"{capitalized(text)}." for text in shown]
    return f"{asked}, {shown[0]} oder {shown[1]}?", choices, f"{capitalized(right)}."


def measures(row: Mapping[str, Any]) -> Measures:
    """The choices behind clause and question, the right one first."""
    context = f"{row['sentence']} {row['question']}"
    ordered = sorted(row["choices"], key=lambda choice: choice != row["answer"])
    return {"choice": [behind(context, f" {choice}") for choice in ordered]}


def question_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Rows whose answer is no choice or at another place than they say, and cells that lack one."""
    cells: dict[tuple[str, str], set[tuple[str, bool]]] = {}
    names = ("id", "cluster", "word_order", "role", "is_right_first", "choices", "answer")
    for identifier, cluster, order, role, is_first, choices, answer in zip(
        *(columns[name] for name in names), strict=True
    ):
        if len(set(choices)) != 2 or choices[0 if is_first else 1] != answer:
            yield f"{identifier}: answer, got {answer!r} of {choices}; expected it at its place"
        cells.setdefault((cluster, order), set()).add((role, is_first))
    for (cluster, order), found in cells.items():
        if len(found) != 4:
            yield f"{cluster}/{order}: cells, got {len(found)}; expected 4"
