"""What holds of every minimal pair: the same words and, but for the nouns, the same questions."""

import re
from collections.abc import Iterator, Sequence

import pyarrow as pa

from builders.centerbench.columns import CONDITIONS
from builders.centerbench.draw import Implausible, default_drawer
from builders.centerbench.likelihoods import choice_problems, crossed_problems
from builders.centerbench.parser import CenterLexicon
from builders.columns import Columns


def problems(table: pa.Table, implausible: Implausible = "reversed-nouns") -> list[str]:
    """Problems of a table of sentences or of questions, one line each; a sound table has none."""
    columns = _with_nouns(table).to_pydict()
    is_swapped = implausible == "circular-swap"
    if "probe" in columns:
        return list(crossed_problems(columns))
    if "choices" in columns:
        knowledge = default_drawer().knowledge
        lexicon = CenterLexicon(knowledge.nouns, knowledge.verbs)
        return list(choice_problems(columns, lexicon, knowledge))
    if "violated" in columns:
        return sentence_problems(columns, has_same_verbs=not is_swapped)
    if is_swapped:
        return _order_problems(columns)
    return _order_problems(columns) + question_problems(columns)


def _with_nouns(table: pa.Table) -> pa.Table:
    """Question rows with the nouns of their events, innermost first, in place of the events.

    As Python values these take a tenth of the memory; sentences keep their events.
    """
    if "events" not in table.column_names or "violated" in table.column_names:
        return table
    nouns = [
        pa.ListArray.from_arrays(part.offsets, part.values.field("subject"))
        for part in table["events"].chunks
    ]
    column = pa.chunked_array(nouns, pa.list_(pa.string()))
    return table.drop_columns("events").append_column("nouns", column)


def sentence_problems(columns: Columns, *, has_same_verbs: bool = True) -> list[str]:
    """Pairs that lack a member, differ in a word, or have an event on the wrong side.

    Pairs of a circular swap have the same nouns, but not the same verbs.
    """
    found = []
    for pair_id, members in _pairs(columns).items():
        if sorted(columns["condition"][row] for row in members) != sorted(CONDITIONS):
            expected = "one plausible and one implausible"
            found.append(f"{pair_id}: members, got {len(members)}; expected {expected}")
            continue
        texts = (columns["sentence"][row].lower().removesuffix(".") for row in members)
        bags = {tuple(sorted(text.split())) for text in texts}
        if not has_same_verbs:
            bags = {tuple(columns["nouns"][row]) for row in members}
        if len(bags) > 1:
            found.append(f"{pair_id}: words, got two bags; expected one")
        found += [problem for row in members for problem in _violation_problems(columns, row)]
    return found


def _order_problems(columns: Columns) -> list[str]:
    """Rows that do not stand beside the same question about the other member of their pair."""
    keys = ("pair_id", "depth", "question_type", "construction")
    rows = list(zip(*(columns[name] for name in keys if name in columns), strict=True))
    return [
        f"{columns['id'][i]}: next row, got {rows[i + 1 : i + 2]}; expected the other member's"
        for i in range(0, len(rows), 2)
        if rows[i : i + 2] != [rows[i]] * 2 or tuple(columns["condition"][i : i + 2]) != CONDITIONS
    ]


def question_problems(columns: Columns) -> list[str]:
    """Pairs whose members are not asked the same questions, noun for noun."""
    got, expected = "different ones for the two members", "the same but for the nouns"
    return [
        f"{pair_id}: questions, got {got}; expected {expected}"
        for pair_id, rows in _pairs(columns, "construction").items()
        if len({tuple(sorted(_skeletons(columns, rows, one))) for one in CONDITIONS}) > 1
    ]


def _pairs(columns: Columns, *within: str) -> dict[str, list[int]]:
    """Rows by pair, and by those of some further columns that the table has."""
    pairs: dict[str, list[int]] = {}
    further = [columns[name] for name in within if name in columns]
    for row, pair_id in enumerate(columns["pair_id"]):
        name = " ".join((pair_id, *(values[row] for values in further)))
        pairs.setdefault(name, []).append(row)
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
    for row in (row for row in rows if columns["condition"][row] == condition):
        nouns = sorted(columns["nouns"][row], key=len, reverse=True)
        named = re.compile(rf"\bthe ({'|'.join(map(re.escape, nouns))})\b")
        texts = (named.sub("the N", columns[name][row]) for name in ("question", "answer"))
        yield columns["depth"][row], columns["question_type"][row], *texts
