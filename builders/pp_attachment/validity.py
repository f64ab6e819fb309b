"""Checks rows of the suite against what they claim: head, what decides, trees, pairs.

The checks see rows only, as the data set has them; what the draw meant is derived again from words
and tables (`readings`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

import pyarrow as pa

from builders.pp_attachment.readings import NOUNS, read_row
from builders.sorts.validity import row_problems

OUTSIDE = ("plausibility", "none")
PER_WORD = ("lemmas", "upos", "xpos", "feats", "heads", "deprels", "fields")
LABELS = {True: ("obl", "obl:arg"), False: ("nmod",)}
SAME_WORDS = ("topology", "position")
CHANGED_AT_MOST = {  # words of the first member that the second lacks
    "verb": 2,  # finite verb, or infinitive
    "noun": 2,  # noun and article
    "filler": 2,
    "preposition": 4,  # preposition, and the case of article, adjective and noun
    "definiteness": 2,  # the article, and the preposition that has drawn it in
    "pronoun": 4,
}


def problems(table: pa.Table) -> list[str]:
    """Checks rows of config `conll` or `lite`: a line for each problem, with the row's id."""
    rows = table.to_pylist()
    ambiguous = "sentence, got it with another head elsewhere; expected one"
    rules = (_tree_problems, _reading_problems)
    found = row_problems(rows, rules, itemgetter("head"), ambiguous)
    return [*found, *_pair_problems(rows)]


def _tree_problems(row: Mapping[str, Any]) -> Iterator[str]:
    n_words = len(row["tokens"])
    if lengths := [name for name in PER_WORD if len(row[name]) != n_words]:
        got = len(row[lengths[0]])
        yield f"{lengths[0]}, got {got}; expected one per token, {n_words}"
        return
    roots = [i for i, head in enumerate(row["heads"]) if head == 0]
    if roots != [row["verb"]]:
        yield f"roots, got {roots}; expected the main verb alone, {row['verb']}"
    tags = enumerate(row["upos"])
    expected = [i for i, tag in tags if i == row["verb"] or (tag in NOUNS and i != row["pp"])]
    if list(row["candidates"]) != expected or row["n_candidates"] != len(expected):
        yield f"candidates, got {row['candidates']}; expected verb and nouns, {expected}"
    if row["heads"][row["pp"]] - 1 != row["head"] or row["head"] not in expected:
        yield f"head, got {row['head']}; expected that of the phrase, {row['heads'][row['pp']] - 1}"
    governor = (row["heads"][row["adposition"]] - 1, row["deprels"][row["adposition"]])
    if governor != (row["pp"], "case"):
        yield f"adposition, got {row['adposition']}; expected the case of {row['pp']}"
    labels = LABELS[row["head"] == row["verb"]]
    if row["deprels"][row["pp"]] != row["dependent"] or row["dependent"] not in labels:
        yield f"dependent, got {row['dependent']}; expected {' or '.join(labels)}"
    if row["distance"] != abs(row["head"] - row["adposition"]) - 1:
        yield f"distance, got {row['distance']}; expected the words between phrase and head"


def _reading_problems(row: Mapping[str, Any]) -> Iterator[str]:
    reading = read_row(row)
    if reading.resolved_by != row["resolved_by"]:
        yield f"resolved_by, got {row['resolved_by']}; expected {reading.resolved_by}"
    elif row["head"] not in reading.heads:
        yield f"head, got {row['head']}; expected one of {list(reading.heads)}"
    elif (len(reading.heads) == 1) == (row["resolved_by"] in OUTSIDE):
        yield f"readings, got {len(reading.heads)} under {row['resolved_by']}"


def _pair_problems(rows: list[dict[str, Any]]) -> Iterator[str]:
    for first, second in zip(rows[::2], rows[1::2], strict=False):
        place, factor = first["pair_id"], first["pair_factor"]
        if second["pair_id"] != place or second["pair_factor"] != factor:
            yield f"{place}: pair, got {second['pair_id']} after it; expected its other member"
            continue
        has_adverb = factor != "position"  # which fills the place before the verb in one member
        words, others = _bag(first, has_adverb), _bag(second, has_adverb)
        if factor in SAME_WORDS and words != others:
            yield f"{place}: words, got others in its second member; expected the same"
        of_verb = [row["head"] == row["verb"] for row in (first, second)]
        if factor == "topology" and of_verb[0] == of_verb[1]:
            yield f"{place}: heads, got one kind; expected a verb and a noun"
        n_changed, most = (words - others).total(), CHANGED_AT_MOST.get(factor)
        if most and not 0 < n_changed <= most:
            yield f"{place}: changed words, got {n_changed}; expected 1 to {most}"
    if len(rows) % 2:
        yield f"{rows[-1]['pair_id']}: pair, got one member; expected two"


def _bag(row: Mapping[str, Any], has_adverbs: bool) -> Counter[str]:
    words = zip(row["tokens"], row["upos"], strict=True)
    ignored = {"SCONJ", "CCONJ", "PUNCT"} | (set() if has_adverbs else {"ADV"})
    return Counter(token.lower() for token, tag in words if tag not in ignored)
