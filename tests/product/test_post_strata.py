"""Post-strata: sums by hand, what divides, and the intervals of readers whom the design decides."""

import math

import numpy as np
import pytest

from metrics._shared.cluster_tables import PostStrata, divided
from metrics.subject_object_las.inputs import INPUTS, OVS, SVO, read_clauses
from metrics.subject_object_las.scoring import design_cells
from tests.support.scored_clauses import score_rows

ONE_GROUP = np.zeros(4, int)
TREES = {"heads": [2, 0, 2], "deprels": ["nsubj", "root", "obj"], "subject": 0, "object": 2}
OBJECT_FIRST = {"heads": [2, 0, 2], "deprels": ["obj", "root", "nsubj"], "subject": 2, "object": 0}


def clause(order: str, triple: int, **fields: object) -> dict[str, object]:
    tree = TREES if order == SVO else OBJECT_FIRST
    return tree | {"word_order": order, "triple_id": f"plain/{triple:02d}"} | fields


def test_what_kinds_of_units_explain_is_taken_out_of_the_sums():
    # a has one of each kind, b one of the first, c one of the second; all of the first are right
    strata = PostStrata(np.array([0, 0, 1, 2]), np.zeros(3, int), np.array([0, 1, 0, 1]))
    hits = strata.adjusted(np.arange(4), ONE_GROUP, np.array([1.0, 0.0, 1.0, 0.0]), 1)
    assert hits.tolist() == [pytest.approx([2 / 3] * 3)]
    counts = strata.adjusted(np.arange(4), ONE_GROUP, np.ones(4), 1)
    assert counts.tolist() == [pytest.approx([4 / 3] * 3)]

    # b is wrong: residuals of 1/2, grown by sqrt(2 / 1) for two of a kind over sqrt(3 / 2) for all
    (found,) = strata.adjusted(np.arange(4), ONE_GROUP, np.array([1.0, 0.0, 0.0, 0.0]), 1)
    half = 0.5 * math.sqrt(2 / 1.5)
    assert found.tolist() == pytest.approx([1 / 3 + half, 1 / 3 - half, 1 / 3])


def test_units_that_a_group_lacks_count_as_none_and_strata_keep_their_sums():
    generator = np.random.default_rng(1)
    strata = np.repeat([0, 1], [4, 6])
    clusters = np.append(generator.integers(0, 10, 200), -1)  # the last unit is in no cluster
    cells = np.append(strata, 0)[clusters] * 3 + generator.integers(0, 3, 201)
    units = np.flatnonzero(generator.random(201) < 0.7)
    groups, values = generator.integers(0, 2, len(units)), generator.random(len(units))
    found = PostStrata(clusters, strata, cells).adjusted(units, groups, values, 2)
    assert found.shape == (2, 10)
    for group in (0, 1):
        for stratum in (0, 1):
            chosen = (groups == group) & (np.append(strata, -1)[clusters[units]] == stratum)
            assert found[group, strata == stratum].sum() == pytest.approx(values[chosen].sum())


def test_a_part_of_few_clusters_keeps_the_whole_together():
    clusters = np.arange(6).repeat(2)
    first = np.array([0, 1] * 6)
    second = np.array([0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])  # one cluster has another kind
    levels = (np.zeros(12, int), first, second)
    assert divided(levels[:2], clusters, fewest=6).tolist() == first.tolist()
    assert len(set(divided(levels, clusters, fewest=2).tolist())) == 2  # as before
    assert len(set(divided(levels, clusters, fewest=1).tolist())) == 3
    assert set(divided(levels, clusters, fewest=7).tolist()) == {0}


def test_clauses_are_divided_by_order_properties_and_person():
    words = ("Ich", "Er", "Du", "Wir")  # "ihr" could be of the third person
    rows = [
        clause(order, triple, properties=tags, tokens=[words[triple % 4 * (tags[-1] == "spron")]])
        for triple in range(20)
        for order in (SVO, OVS)
        for tags in (["base", "spron"], ["base", "pp"])
    ]
    for row in rows:
        own = [str(row["tokens"][0]), "sieht", "ihn"]  # type: ignore[index]
        row["tokens"] = own if row["word_order"] == SVO else [own[2], own[1], own[0].lower()]
    found = INPUTS.read({"predictions": rows, "references": rows})["references"]
    clauses = read_clauses("test", found)
    cells = design_cells(clauses, np.zeros(20, int))
    # of spron two in each order; the words of pp are all of one kind
    assert len(set(cells.tolist())) == 6


def ordered_rows() -> list[dict[str, object]]:
    """20 triples, of which some have more clauses with the object first; two are undecided."""
    rows = [clause(SVO, i, resolved_by="case") for i in range(20) for _ in range(6)]
    rows += [clause(OVS, i, resolved_by="case") for i in range(20) for _ in range(1 + i % 5)]
    rows += [clause(OVS, i, resolved_by="none") for i in (3, 9)]
    return rows


def without_orders(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{k: v for k, v in row.items() if k != "word_order"} for row in rows]


def width(result: dict[str, float]) -> float:
    return result["las_high"] - result["las_low"]


def test_a_reader_of_order_varies_by_what_is_decided_alone():
    rows = ordered_rows()
    predicted = [TREES] * len(rows)
    bare = without_orders(rows)
    found, other = score_rows(predicted, rows), score_rows(predicted, bare)
    assert found["las"] == other["las"] == 2 / 3
    assert 0 < width(found) < 0.6 * width(other)
    # a parser whose errors lie in triples keeps its interval
    by_triple = [row | {"deprels": ["dep"] * 3} if i % 4 == 0 else row for i, row in index(rows)]
    found, other = score_rows(by_triple, rows), score_rows(by_triple, bare)
    assert found["las"] == other["las"]
    assert 0.8 < width(found) / width(other) < 1.1


def index(rows: list[dict[str, object]]) -> list[tuple[int, dict[str, object]]]:
    return [(int(str(row["triple_id"])[-2:]), row) for row in rows]


def test_an_interval_does_not_depend_on_the_order_of_rows():
    rows = [row | {"item_id": f"{i // 2}"} for i, row in enumerate(ordered_rows())]
    right = [row if i % 7 else row | {"deprels": ["dep"] * 3} for i, row in enumerate(rows)]
    places = np.random.default_rng(0).permutation(len(rows)).tolist()
    found = score_rows(right, rows)
    moved = score_rows([right[i] for i in places], [rows[i] for i in places])
    assert math.isclose(found["item_score"], moved["item_score"])
    # families of one stratum are resampled in the order of first appearance: about the same
    assert width(found) == pytest.approx(width(moved), rel=0.1)


def test_near_an_end_the_few_that_stand_apart_decide():
    rows = ordered_rows()
    predicted = [row | {"deprels": ["dep"] * 3} if i == 7 else row for i, row in index(rows)]
    found, other = score_rows(predicted, rows), score_rows(predicted, without_orders(rows))
    assert 0.9 < found["las"] < 1
    names = ("las_low", "las_high", "las_interval")
    assert [found[name] for name in names] == [other[name] for name in names]


def test_no_spread_but_the_designs_leaves_the_wider_interval():
    rows = [row for row in ordered_rows() if row["resolved_by"] == "case"]
    predicted = [TREES] * len(rows)
    found, other = score_rows(predicted, rows), score_rows(predicted, without_orders(rows))
    assert width(found) == pytest.approx(width(other), rel=0.1)
