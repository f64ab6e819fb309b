"""Subject-object LAS: hand-made clauses, published figures, the UD scorer, intervals, errors."""

import io
import math
import random
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from datasets import Dataset
from hypothesis import given, settings
from hypothesis import strategies as st
from udtools.udeval import evaluate as ud_evaluate
from udtools.udeval import load_conllu

from metrics._shared.stratified import stratified_interval
from metrics._shared.treebanks import parse_conll
from metrics._shared.trees import (
    ANNOTATION_SCHEMES,
    check_labels,
    merged_relation,
    read_trees,
    reattach,
    relation,
)
from metrics.subject_object_las.inputs import INPUTS, OVS, PROPERTIES, SVO, WORD_ORDERS
from metrics.subject_object_las.options import read_options
from metrics.subject_object_las.scoring import attachment_scores, score
from tests.conftest import ROOT
from tests.support.cases import cases, golden
from tests.support.published import published
from tests.support.results import picked
from tests.support.scored_clauses import score_rows

# Die Katze sieht die Maus .          Die Maus sieht die Katze .  (object first)
TOKENS = ["Die", "Katze", "sieht", "die", "Maus", "."]
HEADS = [2, 3, 0, 5, 3, 3]
NO_INTERVALS = read_options(confidence=None)


def labels(first: str, second: str) -> list[str]:
    return ["det", first, "root", "det", second, "punct"]


def clause(order: str = SVO, **fields) -> dict:
    roles = ("nsubj", "obj") if order == SVO else ("obj", "nsubj")
    places = dict(zip(roles, (1, 4), strict=True))
    row = {"tokens": TOKENS, "word_order": order} | tree(*roles)
    return row | {"subject": places["nsubj"], "object": places["obj"]} | fields


def tree(first: str = "nsubj", second: str = "obj", **fields) -> dict:
    return {"heads": HEADS, "deprels": labels(first, second)} | fields


# predicted tree of "Die Katze sieht die Maus": its scores by name, in this order
NAMES = ["las", "las_merged", "uas", "label_accuracy", "clause_score", "swap_rate"]
NAMES += ["swap_rate_merged"]


@pytest.mark.parametrize(*cases("subject_object_las/one_clause"))
def test_one_clause(predicted, expected):
    assert picked(score_rows([predicted], [clause()], NO_INTERVALS), *NAMES) == expected


def test_only_subject_and_object_count():
    predicted = {"heads": [3, 3, 6, 2, 3, 0], "deprels": ["x", "nsubj", "x", "x", "obj", "x"]}
    assert score_rows([predicted], [clause()], NO_INTERVALS)["las"] == 1.0


def scored(predicted: list[dict], gold: list[dict], **options) -> list[float]:
    """LAS, as it is and where objects are merged."""
    result = score_rows(predicted, gold, read_options(confidence=None, **options))
    return picked(result, "las", "las_merged")


def test_subtypes_count_if_asked_for():
    assert scored([tree("nsubj:pass", "obl:arg")], [clause()], subtypes=True) == [0.0, 0.5]


def items() -> tuple[list[dict], list[dict]]:
    """Two items of two triples; the parser takes the first phrase for the subject. It knows the
    first item's object-first clause."""
    first = {"item_id": "a", "triple_id": "x", "properties": ["base", "acc"]}
    second = {"item_id": "b", "triple_id": "y", "properties": ["aux", "pp"]}
    gold = [
        clause(SVO, id="1", resolved_by="case", **first),
        clause(OVS, id="2", resolved_by="case", **first),
        clause(SVO, id="3", resolved_by="none", **second),
        clause(OVS, id="4", resolved_by="animacy", **second),
    ]
    return [tree(), tree("obj", "nsubj"), tree(), tree()], gold


def test_items_and_tables():
    result = score_rows(*items(), read_options(confidence=None, unresolved="included"))
    assert picked(result, "n", "n_items", "n_svo_ovs_items", "n_clusters") == [4, 2, 2, 2]
    assert picked(result, "las", "item_score", "svo_ovs_score") == [0.75, 0.5, 0.5]
    tables = {
        "word_order": [[SVO, 2, 1.0], [OVS, 2, 0.5]],
        "property": [["acc", 2, 1.0], ["aux", 2, 0.5], ["pp", 2, 0.5]],
        "role": [["subject", 4, 0.75], ["object", 4, 0.75]],
        "resolved_by": [["case", 2, 1.0], ["animacy", 1, 0.0], ["none", 1, 1.0]],
    }
    for name, rows in tables.items():
        assert [picked(row, name, "n", "las") for row in result[f"by_{name}"]] == rows
    cells = {
        (row["property"], row["word_order"]): (row["n"], row["las"])
        for row in result["by_property_and_word_order"]
    }
    assert cells == {("acc", SVO): (1, 1.0), ("acc", OVS): (1, 1.0)} | {
        (p, o): (1, x) for p in ("aux", "pp") for o, x in ((SVO, 1.0), (OVS, 0.0))
    }


def test_clauses_that_nothing_settles_stand_apart():
    predicted, gold = items()
    result = score_rows(predicted, gold, NO_INTERVALS)
    assert picked(result, "n", "n_unresolved", "las", "las_unresolved") == [3, 1, 2 / 3, 1.0]
    orders = [picked(row, "word_order", "n") for row in result["by_word_order"]]
    assert orders == [[SVO, 1], [OVS, 2]]
    settled = [picked(row, "resolved_by", "n") for row in result["by_resolved_by"]]
    assert settled == [["case", 2], ["animacy", 1], ["none", 1]]
    # items with an undecided clause leave the headline whole
    assert picked(result, "n_items", "n_svo_ovs_items", "svo_ovs_score") == [2, 1, 1.0]
    assert result["n_unresolved_items"] == 1
    # a third order of item a that only plausibility settles: no item is left
    third = gold[1] | {"word_order": "LK[V]MF[SO]", "resolved_by": "plausibility", "id": "5"}
    result = score_rows([*predicted, tree()], [*gold, third], NO_INTERVALS)
    assert (result["n_svo_ovs_items"], result["n_unresolved"]) == (0, 2)
    assert math.isnan(result["svo_ovs_score"])
    assert result["las_unresolved"] == 0.5  # clause 3 right, clause 5 exchanged
    # as published, all clauses of all items count
    paper = read_options(mode="paper", confidence=None)
    result = score_rows([*predicted, tree()], [*gold, third], paper)
    assert picked(result, "n", "n_svo_ovs_items") == [5, 2]
    assert picked(result["options"], "subtypes", "unresolved") == [True, "included"]


def test_per_item_gives_a_row_for_every_clause():
    rows = score_rows(*items(), read_options(confidence=None, per_item=True))["per_item"]
    belongs = {"id": "4", "item_id": "b", "triple_id": "y", "word_order": OVS}
    wrong = [f"is_{role}_right{end}" for role in ("subject", "object") for end in ("", "_merged")]
    is_wrong = dict.fromkeys(wrong, False)
    assert rows[3] == belongs | is_wrong | {"resolved_by": "animacy", "is_swapped": True}
    assert [row["is_swapped"] for row in rows] == [False, False, False, True]


def test_what_references_do_not_say_is_nan_or_empty():
    gold = {name: clause()[name] for name in ("heads", "deprels", "subject", "object")}
    result = score_rows([tree()], [gold])
    assert all(map(math.isnan, picked(result, "item_score", "svo_ovs_score", "las_unresolved")))
    assert result["by_word_order"] == result["by_property"] == result["by_resolved_by"] == []
    assert result["n_clusters"] == 0
    assert result["las_interval"] == "undefined: not every clause has a triple_id"


# Die Katze wird die Maus sehen . TIGER attaches the subject to the auxiliary, the infinitive as oc
# Een kapitein heeft de matroos gered . Omdat de matroos een kapitein redt : in Alpino's trees the
# participle hangs on the auxiliary, the verb of a subordinate clause on its conjunction
TIGER_GOLD, TIGER, ALPINO_GOLD, ALPINO = golden("subject_object_las/auxiliaries").values()


def test_tiger_is_scored_as_fairly_as_ud():
    assert scored([TIGER], [TIGER_GOLD], scheme="tiger") == [1.0, 1.0]
    dative = TIGER | {"deprels": ["nk", "sb", "ROOT", "nk", "da", "oc", "punct"]}
    assert scored([dative], [TIGER_GOLD], scheme="tiger") == [0.5, 1.0]
    # sehen as a full verb with a clause of its own: its subject stays
    gold = TIGER_GOLD | {"tokens": ["Die", "Katze", "sah", "die", "Maus", "sehen", "."]}
    result = score_rows([TIGER], [gold], read_options(scheme="tiger", confidence=None))
    assert picked(result, "las", "uas") == [0.5, 0.5]


def test_alpino_is_scored_as_fairly_as_ud():
    assert scored(ALPINO, ALPINO_GOLD, scheme="alpino") == [1.0, 1.0]
    second = ALPINO[1] | {"deprels": ["ROOT", "det", "su", "det", "obj2", "body"]}
    assert scored([ALPINO[0], second], ALPINO_GOLD, scheme="alpino") == [0.75, 1.0]
    two_subjects = ALPINO[1] | {"deprels": ["ROOT", "det", "su", "det", "su", "body"]}
    assert scored([two_subjects], ALPINO_GOLD[1:], scheme="alpino") == [0.5, 0.5]
    # zien with a clause of its own: its subject stays
    gold = ALPINO_GOLD[0] | {"tokens": ["Een", "kapitein", "ziet", "de", "matroos", "vallen", "."]}
    result = score_rows([ALPINO[0]], [gold], read_options(scheme="alpino", confidence=None))
    assert picked(result, "las", "uas") == [0.5, 0.5]


def test_reattach_takes_the_first_infinitive():
    heads = np.array([1, -1, 1, 1])  # 0 subject, 1 auxiliary and root, 2 and 3 infinitives
    assert reattach(heads, np.arange(4) > 1, np.arange(4) == 1).tolist() == [2, -1, 1, 2]


@pytest.mark.parametrize(*cases("subject_object_las/the_scheme_table"))
def test_the_scheme_table(label, scheme, strict, merged):
    assert relation(label, ANNOTATION_SCHEMES[scheme], with_subtypes=False) == strict
    assert merged_relation(label, ANNOTATION_SCHEMES[scheme], with_subtypes=False) == merged


# --- labels of another scheme are an error that says which one, never a plausible score of 0
@pytest.mark.parametrize(*cases("parser_labels/labels_of_another_scheme_are_told_apart"))
def test_labels_of_another_scheme_are_told_apart(subject, object_, scheme, look):
    with pytest.raises(ValueError, match=re.escape(f"they look like {look}") + "$"):
        scored([tree(subject, object_)], [clause()], scheme=scheme)


def test_labels_of_no_scheme_are_named_up_to_five():
    message = "subject_object_las: predictions: deprels, got 'agent'; expected labels of the scheme"
    with pytest.raises(ValueError, match=f"^{message} 'ud'$"):
        scored([tree("agent")], [clause()])
    with pytest.raises(ValueError, match=r"got 'a1', 'a2', 'a3', 'a4', 'a5' \.\.\.; expected"):
        check_labels("x", "ud", [f"a{i}" for i in range(1, 8)])


@pytest.mark.parametrize(*cases("parser_labels/labels_of_the_scheme_are_scored"))
def test_labels_of_the_scheme_are_scored(subject, object_, las, merged):
    assert scored([tree(subject, object_)], [clause()]) == [las, merged]


def test_strange_labels_elsewhere_do_not_matter():
    strange = tree(deprels=["DT", "nsubj", "main", "DT", "obj", "$."])
    assert scored([strange], [clause()]) == [1.0, 1.0]


@pytest.mark.parametrize(*cases("subject_object_las/other_tokens_are_aligned_by_text"))
def test_other_tokens_are_aligned_by_text(tokens, heads, deprels, las):
    other = {"tokens": tokens, "heads": heads, "deprels": deprels.split()}
    predicted = [tree(tokens=TOKENS), other, tree(tokens=TOKENS)]
    found = scored(predicted, [clause()] * 3, alignment="text")
    assert found[0] == pytest.approx((2 + las) / 3)


def test_selected_and_shuffled_rows_of_a_dataset():
    predicted, gold = items()
    chosen = Dataset.from_list(gold).select([3, 0])
    assert score_rows([predicted[3], predicted[0]], chosen, NO_INTERVALS)["las"] == 0.5
    later = pa.Table.from_pylist(gold * 2).slice(len(gold))  # a slice of an Arrow table
    assert repr(score_rows(predicted, later)) == repr(score_rows(predicted, gold))


def refused(predicted, gold, message, **options):
    with pytest.raises(ValueError, match=f"^subject_object_las: {re.escape(message)}"):
        score_rows(predicted, gold, read_options(**options))


@pytest.mark.parametrize(*cases("subject_object_las/wrong_trees_are_refused"))
def test_wrong_trees_are_refused(changes, message):
    predicted = [tree() | change for change in changes]
    refused(predicted, [clause()] * len(predicted), f"predictions{message}")


def test_trees_without_subject_and_object_are_refused():
    bare = tree() | {"deprels": ["root" if head == 0 else "dep" for head in HEADS]}
    message = "predictions: deprels, got none of nsubj, obj in 3 sentences; expected labels"
    refused([bare] * 3, [clause()] * 3, message)


def test_what_is_no_tree_is_refused():
    message = "predictions[0]: got no field 'deprels'; expected heads, deprels"
    refused([{"heads": HEADS}], [clause()], message)
    refused(["Die Katze"], [clause()], "predictions[0]: got str; expected a row with heads, ")


@pytest.mark.parametrize(*cases("subject_object_las/wrong_clauses_are_refused"))
def test_wrong_clauses_are_refused(changes, message):
    gold = [clause() | change for change in changes]
    refused([tree()] * len(gold), gold, f"references{message}")


@pytest.mark.parametrize(
    *cases("subject_object_las/wrong_options_and_what_they_ask_for_are_refused")
)
def test_wrong_options_and_what_they_ask_for_are_refused(predicted, options, message):
    refused(predicted, [clause()] * len(predicted), message, **options)


def test_columns_that_do_not_fit_are_refused():
    refused([tree()], [clause()] * 2, "got 1 predictions but 2 references; expected equal numbers")
    refused([], [clause()], "predictions: got no rows; expected at least one")
    refused([tree()], [], "references: got no rows; expected at least one")
    gold = {name: value for name, value in clause().items() if name != "tokens"}
    message = "predictions: got no tokens; expected tokens, to tell the auxiliary of a tree of"
    refused([tree("sb", "oa")], [gold], message, scheme="tiger")


def simulate(n_triples: int, n_items: int, seed: int) -> tuple[list[dict], list[dict]]:
    """Clauses whose parser errors come in triples: whole triples are exchanged."""
    generator = random.Random(seed)
    predicted, gold = [], []
    for triple in range(n_triples):
        is_exchanged = generator.random() < 0.3
        for item in range(n_items):
            for order in (SVO, OVS):
                gold.append(clause(order, item_id=f"{triple}-{item}", triple_id=str(triple)))
                is_right = generator.random() < 0.1 or not is_exchanged
                predicted.append(tree() if (order == SVO) == is_right else tree("obj", "nsubj"))
    return predicted, gold


def test_intervals_are_over_triples():
    predicted, gold = simulate(40, 6, seed=1)
    by_triple = score_rows(predicted, gold)
    assert repr(by_triple) == repr(score_rows(predicted, gold))
    by_item = score_rows(predicted, [row | {"triple_id": row["item_id"]} for row in gold])
    assert by_triple["las"] == by_item["las"]
    assert (by_triple["n_clusters"], by_item["n_clusters"]) == (40, 240)
    assert by_triple["las_low"] < by_triple["las"] < by_triple["las_high"]
    assert by_triple["las_interval"] == "studentised bootstrap over 40 clusters within strata"
    # errors shared by the 6 items of a triple: about sqrt(6) times wider
    wide, narrow = (found["las_high"] - found["las_low"] for found in (by_triple, by_item))
    assert 1.8 < wide / narrow < 3


def test_a_perfect_score_has_an_interval_and_one_value_elsewhere_has_none():
    _, gold = simulate(10, 2, seed=0)
    right = [tree() if row["word_order"] == SVO else tree("obj", "nsubj") for row in gold]
    result = score_rows(right, gold)
    assert (result["las"], result["las_high"]) == (1.0, 1.0)
    assert result["las_low"] == pytest.approx(0.7225, abs=1e-4)  # Wilson, 10 of 10 triples
    assert result["las_interval"] == "Wilson over 10 clusters"
    half = score_rows([tree()] * len(gold), gold)  # every triple has one order of two right
    assert half["las"] == 0.5
    assert math.isnan(half["las_low"])
    assert half["las_interval"] == "undefined: no spread between clusters"


def family_data(seed: int) -> tuple[list[dict], list[dict]]:
    """Three families of 12, 9 and 7 triples with 4, 2 and 1 items, whose errors come in triples."""
    generator = random.Random(seed)
    predicted, gold = [], []
    for family, n_triples, n_items in (("plain", 12, 4), ("psy", 9, 2), ("noref", 7, 1)):
        for triple in range(n_triples):
            skill = generator.random()
            for item in range(n_items):
                for order in (SVO, OVS):
                    name = f"{family}/{triple}"
                    gold.append(clause(order, item_id=f"{name}-{item}", triple_id=name))
                    is_right = order == SVO or generator.random() < skill
                    predicted.append(tree() if (order == SVO) == is_right else tree("obj", "nsubj"))
    return predicted, gold


@pytest.mark.parametrize("score", ["las", "svo_ovs_score"])
def test_an_interval_is_that_of_a_ratio_of_triples_within_families(score):
    """As tests of the shared intervals compute it in a plain loop."""
    result = score_rows(*family_data(1), read_options(n_resamples=4000, per_item=True))
    items: dict[tuple[str, ...], list[bool]] = {}
    for row in result["per_item"]:
        place = tuple(picked(row, "triple_id", "item_id"))
        items.setdefault(place, []).extend(picked(row, "is_subject_right", "is_object_right"))
    sums: dict[str, np.ndarray] = {}
    for (triple, _), words in items.items():
        hits_and_n = (sum(words), len(words)) if score == "las" else (all(words), 1)
        sums[triple] = sums.get(triple, np.zeros(2)) + hits_and_n
    hits, n = np.array([*sums.values()]).T
    families = [("plain", "psy", "noref").index(triple.split("/")[0]) for triple in sums]
    low, high, _ = stratified_interval(hits, n, families, n_resamples=4000)
    assert result[f"{score}_low"] == pytest.approx(low, abs=0.012)
    assert result[f"{score}_high"] == pytest.approx(high, abs=0.012)


TRIPLES = st.tuples(st.sampled_from("abc"), st.integers(0, 4), st.booleans(), st.booleans())


@settings(max_examples=40, deadline=None)
@given(st.lists(TRIPLES, min_size=1, max_size=30))
def test_every_score_lies_in_its_interval(clauses):
    gold = [
        clause(order, item_id=f"{i}", triple_id=f"{family}/{number}")
        for i, (family, number, *_) in enumerate(clauses)
        for order in (SVO, OVS)
    ]
    predicted = [
        tree() if (order == SVO) == is_right else tree("obj", "nsubj")
        for _, _, *rights in clauses
        for order, is_right in zip((SVO, OVS), rights, strict=True)
    ]
    result = score_rows(predicted, gold, read_options(n_resamples=100))
    rows = [result, *result["by_word_order"], *result["by_role"]]
    names = [(row, key.removesuffix("_low")) for row in rows for key in row if key.endswith("_low")]
    for row, name in names:
        low, value, high = picked(row, f"{name}_low", name, f"{name}_high")
        assert math.isnan(low) == math.isnan(high), name
        least = -1 if name.startswith(("informedness", "plausibility_gap")) else 0
        assert math.isnan(low) or least <= low <= value <= high <= 1, name


def perturbed(sentences: list[list[list[str]]], generator: random.Random) -> str:
    """A random single-rooted tree per sentence with some gold heads and labels kept."""
    lines = []
    for words in sentences:
        shift = generator.randrange(len(words))
        n = len(words)
        for i, word in enumerate(words):
            nearer = [j + 1 for j in range(n) if (j - shift) % n < (i - shift) % n]
            head = 0 if i == shift else generator.choice(nearer)
            labels = [word[7], "obj", "nsubj", "nsubj:pass", "det"]
            label = "root" if head == 0 else generator.choice(labels)
            lines.append("\t".join([*word[:6], str(head), label, *word[8:]]))
        lines.append("")
    return "\n".join(lines) + "\n"


def ud_scores(gold: str, predicted: str) -> dict[str, float]:
    scores = ud_evaluate(*(load_conllu(io.StringIO(text), "", {}) for text in (gold, predicted)))
    return {"las": scores["LAS"].f1, "uas": scores["UAS"].f1}


def our_scores(gold: str, predicted: str) -> dict[str, float]:
    trees = [
        read_trees(name, parse_conll(text.encode(), name).trees())
        for name, text in (("gold", gold), ("predicted", predicted))
    ]
    return attachment_scores(*trees)


def sentences_of(text: str) -> list[list[list[str]]]:
    return [
        [line.split("\t") for line in sentence.split("\n")]
        for sentence in text.strip("\n").split("\n\n")
    ]


def test_agrees_with_the_ud_scorer_on_random_trees():
    generator = random.Random(0)
    shapes = [
        [[str(i + 1), f"w{i}", "_", "_", "_", "_", "_", "dep", "_", "_"] for i in range(n)]
        for n in (1, 2, 3, 5, 8, 13)
        for _ in range(20)
    ]
    gold = perturbed(shapes, generator)
    predicted = perturbed(sentences_of(gold), generator)
    assert our_scores(gold, predicted) == pytest.approx(ud_scores(gold, predicted))
    assert 0.1 < our_scores(gold, predicted)["las"] < our_scores(gold, predicted)["uas"] < 0.9


def test_full_tree_scores_need_every_head():
    gold, predicted = (
        read_trees(where, INPUTS.read_column("predictions", [rows]))
        for where, rows in (("gold", tree()), ("predicted", tree(heads=[2, 3, 0, None, 3, 3])))
    )
    message = r"predicted\[0\]: heads and deprels, got a word without; expected both for every word"
    with pytest.raises(ValueError, match=message):
        attachment_scores(gold, predicted)


def weighted_mean(released: Path, scores: str, counts: str, system: str) -> float:
    n = {row["class"]: int(row["sentences"]) for row in published(released, counts)}
    n = {order: n[order] for order in n if order in WORD_ORDERS}
    rows = [row for row in published(released, scores) if row["class"] in n]
    return sum(n[row["class"]] * float(row[system]) for row in rows) / sum(n.values())


@pytest.mark.parametrize(
    *cases("subject_object_las/table_6_is_the_mean_of_tables_8_and_10_by_clauses")
)
def test_table_6_is_the_mean_of_tables_8_and_10_by_clauses(released, system, name):
    overall = next(row for row in published(released, "sorts_table6") if row["parser"] == name)
    tables = {
        "amb": ("sorts_table8_las", "sorts_table7_counts"),
        "part_amb": ("sorts_table10_las", "sorts_table9_counts"),
    }
    for column, (scores, counts) in tables.items():
        mean = weighted_mean(released, scores, counts, system)
        # both sides are rounded to 0.01
        assert mean == pytest.approx(float(overall[column]), abs=0.0101)
    table_10 = published(released, "sorts_table10_las")
    amb = next(float(row[system]) for row in table_10 if row["class"] == "amb")
    part = weighted_mean(released, *tables["part_amb"], system)
    no_amb = (part * 10_839 - amb * 1_335) / 9_504
    assert no_amb == pytest.approx(float(overall["no_amb"]), abs=0.0151)


@pytest.mark.parametrize(
    ("scores", "counts"),
    [("sorts_table8_las", "sorts_table7_counts"), ("sorts_table10_las", "sorts_table9_counts")],
)
def test_published_cells_count_two_words_a_clause(released, scores, counts):
    n = {row["class"]: int(row["sentences"]) for row in published(released, counts)}
    impossible_by_clause = 0
    for row in published(released, scores):
        for system in set(row) - {"class"}:
            cell, size = float(row[system]), n[row["class"]]
            assert abs(100 * round(cell / 100 * 2 * size) / (2 * size) - cell) <= 0.0051
            impossible_by_clause += abs(100 * round(cell / 100 * size) / size - cell) > 0.0051
    assert impossible_by_clause > 0


def test_the_inventory_is_that_of_the_tables(released):
    for name in ("sorts_table7_counts", "sorts_table9_counts"):
        names = {row["class"].removeprefix("base-") for row in published(released, name)}
        assert names <= {*WORD_ORDERS, *PROPERTIES}
    assert names == {*WORD_ORDERS, *PROPERTIES}


@pytest.mark.parametrize("name", ["predictions", "references"])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("[{'heads': [2, 0]}]", r'"\[\{.*\}\]": No such file or directory'),
        ("a\0b", r"'a\\x00b': embedded null byte"),
        ("a" * 5000, r"'a{80}': File name too long"),
        (str(ROOT / "tests"), r"'.*': Is a directory"),
    ],
)
def test_a_text_that_is_no_files_path_is_refused(name, given, message):
    tree = {"heads": [2, 0, 2], "deprels": ["nsubj", "root", "obj"]}
    rows = {"predictions": [tree], "references": [{**tree, "subject": 0, "object": 2}]}
    pattern = rf"^subject_object_las: {name}, got {message}; expected rows, or a CoNLL file's path$"
    with pytest.raises(ValueError, match=pattern):
        score({**rows, name: given})
