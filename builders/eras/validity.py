"""Rules that every pair keeps: nothing here knows how the rows were made."""

from itertools import combinations

import pyarrow as pa
import pyarrow.compute as pc

from builders.eras.assembly import MASK
from builders.eras.columns import SLOT_NAMES
from builders.eras.likelihoods import likelihood_problems
from builders.eras.natural_rows import natural_problems
from builders.eras.paradigms import SITE_LENGTH, read_paradigms
from builders.eras.two_readings import FIRST_ID


def problems(table: pa.Table) -> list[str]:
    """One line per broken rule, with the id of the first row that breaks it; [] for a valid suite.

    The table has pair rows in either script and any order, or is that of another config.
    """
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
    table = table.take(pc.sort_indices(table["paradigm_id"]))
    runs, start = pc.run_end_encode(table["paradigm_id"].combine_chunks()), 0
    for end in runs.run_ends.to_pylist():
        rows = table.slice(start, end - start)
        paradigm_id = rows["paradigm_id"][0].as_py()
        is_exact_pair, is_turned = paradigm_id not in inexact, paradigm_id >= FIRST_ID
        rules = _rules(rows, is_exact_pair=is_exact_pair, is_turned=is_turned)
        for expected, holds in rules.items():
            if not pc.all(holds).as_py():
                row = pc.index(holds, False).as_py()
                got = f"{rows['test'][row]} / {rows['control'][row]}"
                found.append(f"{rows['id'][row]}: got {got}; expected {expected}")
        start = end
    return found


def _rules(rows: pa.Table, *, is_exact_pair: bool, is_turned: bool) -> dict[str, pa.ChunkedArray]:
    """What is expected of the rows of a paradigm, and which of them have it.

    `is_turned`: the control has the site of the test, and cuts it the other way.
    """
    start = rows["site_start"][0].as_py()
    end = start + SITE_LENGTH + (0 if is_exact_pair else 1)
    n_chars, site = pc.utf8_length(rows["test"]), rows["test_site"][0].as_py()
    is_left = rows["branching"][0].as_py() == "left"
    masked, true_start = (start + 2, start) if is_left else (start, start + 1)
    first, last = (rows[name] for name in ("true_word", "canary_word")[:: 1 if is_left else -1])
    rest = pc.utf8_slice_codeunits(last, 1, 2)
    rules = _control_rules(rows, start, end, is_turned=is_turned) | {
        "one site_start for the paradigm": pc.equal(rows["site_start"], start),
        "as many characters in test and control": pc.equal(
            n_chars, pc.utf8_length(rows["control"])
        ),
        "n_chars, the length of test": pc.equal(n_chars, rows["n_chars"]),
        "the site once in the test sentence": pc.equal(
            pc.count_substring(rows["test"], pattern=site), 1
        ),
        "true and canary word in the site": pc.equal(
            pc.binary_join_element_wise(first, rest, ""), rows["test_site"]
        ),
        "the true word as a word of the test sentence": _is_word_at(
            rows["test_words"], rows["true_word"], true_start
        ),
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
        canary = _is_word_at(rows["control_words"], rows["canary_word"], canary_start)
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


def _is_word_at(words: pa.ChunkedArray, word: pa.ChunkedArray, start: int) -> pa.ChunkedArray:
    """Whether a word starts at a character; words before it have fixed lengths in a paradigm."""
    first = words[0].as_py()
    place = next((i for i in range(len(first)) if len("".join(first[:i])) == start), len(first) - 1)
    is_word = pc.equal(pc.list_element(words, place), word)
    if not place:
        return is_word if start == 0 else pc.and_(is_word, False)
    before = pc.binary_join(pc.list_slice(words, 0, place), "")
    return pc.and_(is_word, pc.equal(pc.utf8_length(before), start))
