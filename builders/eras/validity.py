"""Rules that every pair keeps: nothing here knows how the rows were made."""

from collections.abc import Iterator, Mapping
from itertools import accumulate, combinations
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from builders.eras.assembly import MASK
from builders.eras.columns import SLOT_NAMES
from builders.eras.likelihoods import likelihood_problems
from builders.eras.natural_rows import natural_problems
from builders.eras.paradigms import SITE_LENGTH, read_paradigms
from builders.eras.two_readings import FIRST_ID

PLACE = ("paradigm_id", "site_start")


def problems(table: pa.Table) -> list[str]:
    """One line per broken rule with the id of the first row that breaks it; [] for none."""
    if "occluder" in table.column_names:
        return list(likelihood_problems(table.to_pydict()))
    if "exclusion" in table.column_names:
        return list(natural_problems(table.to_pylist()))
    if "test" not in table.column_names:
        return []
    found = []
    for column in ("id", "test"):
        distinct = pc.count_distinct(table[column]).as_py()
        if distinct != table.num_rows:
            expected = f"one for each of {table.num_rows} rows"
            found.append(f"{column}: got {distinct} distinct values; expected {expected}")
    inexact = {one.row.paradigm_id for one in read_paradigms() if not one.row.is_exact_pair}
    starts: dict[int, int] = {}
    of_first = [starts.setdefault(*row) == row[1] for row in _values(table, *PLACE)]
    of_one = pa.array(of_first, pa.bool_())
    found += _broken(table, {"one site_start for the paradigm": of_one})
    for rows, is_exact_pair, is_turned in _alike(table, pa.array(sorted(inexact), pa.int32())):
        found += _broken(rows, _rules(rows, is_exact_pair=is_exact_pair, is_turned=is_turned))
    return found


def _broken(rows: pa.Table, rules: Mapping[str, pa.Array | pa.ChunkedArray]) -> Iterator[str]:
    """A line per rule that not all rows have, with the first that has it not."""
    for expected, holds in rules.items():
        if not pc.all(holds, min_count=0).as_py():  # true of no rows
            row = pc.index(holds, False).as_py()
            got = f"{rows['test'][row]} / {rows['control'][row]}"
            yield f"{rows['id'][row]}: got {got}; expected {expected}"


def _alike(table: pa.Table, inexact: pa.Array) -> Iterator[tuple[pa.Table, bool, bool]]:
    """Rows with one place of the site, and whether they are exact and turned, by such places."""
    ids = table["paradigm_id"].cast(pa.int32())
    keys = pa.table(
        {
            "start": table["site_start"],
            "branching": table["branching"],
            "is_exact_pair": pc.invert(pc.is_in(ids, value_set=inexact)),
            "is_turned": pc.greater_equal(ids, FIRST_ID),
            "row": pa.array(range(table.num_rows)),
        }
    )
    names = keys.column_names[:-1]
    for group in keys.group_by(names, use_threads=False).aggregate([("row", "list")]).to_pylist():
        rows = table.take(pa.array(group["row_list"]))
        yield rows, group["is_exact_pair"], group["is_turned"]


def _rules(rows: pa.Table, *, is_exact_pair: bool, is_turned: bool) -> dict[str, pa.ChunkedArray]:
    """What is expected of rows whose site starts at one place, and which have it; see `_alike`."""
    start = rows["site_start"][0].as_py()
    end = start + SITE_LENGTH + (0 if is_exact_pair else 1)
    n_chars, n_control = (pc.utf8_length(rows[side]) for side in ("test", "control"))
    is_left = rows["branching"][0].as_py() == "left"
    masked, true_start = (start + 2, start) if is_left else (start, start + 1)
    first, last = (rows[name] for name in ("true_word", "canary_word")[:: 1 if is_left else -1])
    joined = pc.binary_join_element_wise(first, pc.utf8_slice_codeunits(last, 1, 2), "")
    is_word = _is_word_at(rows, "test_words", "true_word", true_start)
    is_once = [text.count(site) == 1 for text, site in _values(rows, "test", "test_site")]
    rules = _control_rules(rows, start, end, is_turned=is_turned) | {
        "as many characters in test and control": pc.equal(n_chars, n_control),
        "n_chars, the length of test": pc.equal(n_chars, rows["n_chars"]),
        "the site once in the test sentence": pa.array(is_once),
        "true and canary word in the site": pc.equal(joined, rows["test_site"]),
        "the true word as a word of the test sentence": is_word,
        "no word in two slots": _has_distinct_words(rows),
    }
    for side in ("test", "control"):
        text, words = rows[side], pc.binary_join(rows[f"{side}_words"], "")
        own_site = pc.utf8_slice_codeunits(text, start, start + SITE_LENGTH)
        occluded = pc.utf8_replace_slice(text, masked, masked + 1, MASK)
        rules[f"the {side} site at site_start"] = pc.equal(own_site, rows[f"{side}_site"])
        rules[f"words that make up the {side} sentence"] = pc.equal(words, text)
        rules[f"the masked {side} sentence"] = pc.equal(occluded, rows[f"occluded_{side}"])
    return rules


def _control_rules(
    rows: pa.Table, start: int, end: int, *, is_turned: bool
) -> dict[str, pa.ChunkedArray]:
    """What is expected of the control beside the test: another site, or the same, cut otherwise."""
    same_site = pc.equal(rows["test_site"], rows["control_site"])
    if is_turned:
        canary_start = start + (1 if rows["branching"][0].as_py() == "left" else 0)
        canary = _is_word_at(rows, "control_words", "canary_word", canary_start)
        return {
            "the test site in the control": same_site,
            "the canary word as a word of the control sentence": canary,
        }
    outside = [pc.utf8_replace_slice(rows[side], start, end, "") for side in ("test", "control")]
    return {
        "the test sentence outside the site": pc.equal(*outside),
        "another control site": pc.invert(same_site),
    }


def _has_distinct_words(rows: pa.Table) -> pa.ChunkedArray:
    words = [pc.struct_field(rows[name], "word") for name in SLOT_NAMES]
    holds = pc.not_equal(words[0], "")
    for one, other in combinations(words, 2):
        holds = pc.and_(holds, pc.fill_null(pc.not_equal(one, other), True))
    return holds


def _is_word_at(rows: pa.Table, words: str, word: str, start: int) -> pa.Array:
    """Whether a word starts at a character."""
    return pa.array(
        (start, own) in zip(accumulate(map(len, found), initial=0), found, strict=False)
        for found, own in _values(rows, words, word)
    )


def _values(rows: pa.Table, *names: str) -> Iterator[tuple[Any, ...]]:
    return zip(*(rows[name].to_pylist() for name in names), strict=True)
