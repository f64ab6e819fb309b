"""What holds of every minimal pair: its members have the same words, the same length and, but for the nouns, the same questions.

Built columns in, one line per problem out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from builders.centerbench.columns import CONDITIONS

Columns = Mapping[str, Sequence[Any]]


def sentence_problems(columns: Columns) -> list[str]:
    """Checks rows of config `sentences`: both members are there, have the same words, and are right or wrong in every event."""
    problems = []
    for pair_id, members in _pairs(columns).items():
        if sorted(columns["condition"][row] for row in members) != sorted(CONDITIONS):
            problems.append(
                f"{pair_id}: members, got {len(members)}; expected one plausible and one implausible"
            )
            continue
        bags = {
            tuple(sorted(columns["sentence"][row].lower().removesuffix(".").split()))
            for row in members
        }
        if len(bags) > 1:
            problems.append(f"{pair_id}: words, got two bags; expected one")
        problems += [problem for row in members for problem in _violation_problems(columns, row)]
    return problems


def question_problems(columns: Columns) -> list[str]:
    """Checks rows of config `questions`: the same questions about both members of each pair, noun for noun."""
    problems = []
    for pair_id, rows in _pairs(columns).items():
        skeletons = {
            condition: sorted(_skeletons(columns, rows, condition)) for condition in CONDITIONS
        }
        if skeletons["plausible"] != skeletons["implausible"]:
            problems.append(
                f"{pair_id}: questions, got different ones for the two members; expected the same but for the nouns"
            )
    return problems


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
            yield f"{columns['id'][row]}: event of {event['subject']!r}, got {violated or 'none'!r}; expected {expected}"


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
