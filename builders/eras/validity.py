"""Rules that every pair keeps: nothing here knows how the rows were made.

Each check is one vectorised comparison over the rows of a paradigm; a problem names the first row
that has it.
"""

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

    Args:
        table: Pair rows in either script and any order, as `assembly.pair_table` returns them
            or as read back from Parquet; or the rows of the paradigms, which are their own source.
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
    inexact = {
        paradigm.row.paradigm_id for paradigm in read_paradigms() if not paradigm.row.is_exact_pair
    }
    table = table.take(pc.sort_indices(table["paradigm_id"]))
    runs, start = pc.run_end_encode(table["paradigm_id"].combine_chunks()), 0
    for end in runs.run_ends.to_pylist():
        rows = table.slice(start, end - start)
        paradigm_id = rows["paradigm_id"][0].as_py()
        rules = _rules(
            rows, is_exact_pair=paradigm_id not in inexact, is_turned=paradigm_id >= FIRST_ID
        )
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
    test, control = rows["test"], rows["control"]
    n_chars, site = pc.utf8_length(test), rows["test_site"][0].as_py()
    is_left = rows["branching"][0].as_py() == "left"
    masked, true_start = (start + 2, start) if is_left else (start, start + 1)
    names = ("true_word", "canary_word") if is_left else ("canary_word", "true_word")
    first, last = (rows[name] for name in names)
    rest = pc.utf8_slice_codeunits(last, 1, 2)
    return _control_rules(rows, start, end, is_turned=is_turned) | {
        "one site_start for the paradigm": pc.equal(rows["site_start"], start),
        "as many characters in test and control": pc.equal(n_chars, pc.utf8_length(control)),
        "n_chars, the length of test": pc.equal(n_chars, rows["n_chars"]),
        "the test site at site_start": pc.equal(
            pc.utf8_slice_codeunits(test, start, start + SITE_LENGTH), rows["test_site"]
        ),
        "the control site at site_start": pc.equal(
            pc.utf8_slice_codeunits(control, start, start + SITE_LENGTH), rows["control_site"]
        ),
        "the site once in the test sentence": pc.equal(pc.count_substring(test, pattern=site), 1),
        "true and canary word in the site": pc.equal(
            pc.binary_join_element_wise(first, rest, ""), rows["test_site"]
        ),
        "the true word as a word of the test sentence": _is_word_at(
            rows["test_words"], rows["true_word"], true_start
        ),
        "words that make up the test sentence": pc.equal(
            pc.binary_join(rows["test_words"], ""), test
        ),
        "words that make up the control sentence": pc.equal(
            pc.binary_join(rows["control_words"], ""), control
        ),
        "the masked test sentence": pc.equal(
            pc.utf8_replace_slice(test, masked, masked + 1, MASK), rows["occluded_test"]
        ),
        "the masked control sentence": pc.equal(
            pc.utf8_replace_slice(control, masked, masked + 1, MASK), rows["occluded_control"]
        ),
        "no word in two slots": _has_distinct_words(rows),
    }


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
    before = (
        pc.binary_join(pc.list_slice(words, 0, place), "")
        if place
        else pa.nulls(len(words), pa.string()).fill_null("")
    )
    return pc.and_(
        pc.equal(pc.list_element(words, place), word), pc.equal(pc.utf8_length(before), start)
    )
