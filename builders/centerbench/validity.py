"""What holds of every minimal pair: the same words and, but for the nouns, the same questions.

A built table in, one line per problem out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from builders.centerbench.columns import CONDITIONS

Columns = Mapping[str, Sequence[Any]]


def problems(table: pa.Table) -> list[str]:
    """Problems of a table of sentences or of questions, one line each; a sound table has none."""
    check = question_problems if "question" in table.column_names else sentence_problems
    return check(table.to_pydict())


def sentence_problems(columns: Columns) -> list[str]:
    """Pairs that lack a member, differ in a word, or have an event on the wrong side."""
    found = []
    for pair_id, members in _pairs(columns).items():
        if sorted(columns["condition"][row] for row in members) != sorted(CONDITIONS):
            found.append(
                f"{pair_id}: members, got {len(members)}; "
                "expected one plausible and one implausible"
            )
            continue
        bags = {
            tuple(sorted(columns["sentence"][row].lower().removesuffix(".").split()))
            for row in members
        }
        if len(bags) > 1:
            found.append(f"{pair_id}: words, got two bags; expected one")
        found += [problem for row in members for problem in _violation_problems(columns, row)]
    return found


def question_problems(columns: Columns) -> list[str]:
    """Pairs whose members are not asked the same questions, noun for noun."""
    found = []
    for pair_id, rows in _pairs(columns).items():
        skeletons = {
            condition: sorted(_skeletons(columns, rows, condition)) for condition in CONDITIONS
        }
        if skeletons["plausible"] != skeletons["implausible"]:
            found.append(
                f"{pair_id}: questions, got different ones for the two members; "
                "expected the same but for the nouns"
            )
    return found


def _pairs(columns: Columns) -> dict[str, list[int]]:
    pairs: dict[str, list[int]] = {}
    for row, pair_id in enumerate(columns["pair_id"]):
        pairs.setdefault(pair_id, []).append(row)
    return pairs


def _violation_problems(columns: Columns, row: int) -> Iterator[str]:
    is_plausible = columns["condition"][row] == "plausible"
    for event, violated in zip(columns["events"][row], columns["violated"][row], strict=True):
        if is_plausible == bool(violated):
            expected = "no violation" if is_plausible else "a violated restriction"
            where = f"{columns['id'][row]}: event of {event['subject']!r}"
            yield f"{where}, got {violated or 'none'!r}; expected {expected}"


def _skeletons(
    columns: Columns, rows: Sequence[int], condition: str
) -> Iterator[tuple[int, str, str, str]]:
    for row in rows:
        if columns["condition"][row] == condition:
            nouns = [event["subject"] for event in columns["events"][row]]
            question, answer = (_mask(columns[name][row], nouns) for name in ("question", "answer"))
            yield columns["depth"][row], columns["question_type"][row], question, answer


def _mask(text: str, nouns: Sequence[str]) -> str:
    names = "|".join(re.escape(noun) for noun in sorted(nouns, key=len, reverse=True))
    return re.sub(rf"\bthe ({names})\b", "the N", text)
