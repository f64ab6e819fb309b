"""PP attachment accuracy: sentences made by hand, pairs, schemes, intervals, refusals."""

import math
import re
from typing import Any

import pytest

from metrics.pp_attachment_accuracy.inputs import ORDER_READERS, PrepositionalPhrase
from metrics.pp_attachment_accuracy.options import read_options
from metrics.pp_attachment_accuracy.scoring import score
from tests.support.cases import cases, golden
from tests.support.results import picked

Row = dict[str, Any]


# AWAY and BEHIND have both adverbs between: no reader of word order has both. TIGER and Alpino hang
# the preposition of the last on auxiliary or infinitive.
FRONT, INSIDE, AWAY, BEHIND, WITH_WERDEN = golden("pp_attachment_accuracy/clauses").values()
DUTCH = WITH_WERDEN | {"tokens": ["De", "man", "zal", "de", "vrouw", "met", "de", "kijker", "zien"]}


def parse(gold: Row, head: int, label: str = "") -> Row:
    """The gold tree but for the phrase, which hangs on a 0-based word."""
    heads, deprels = list(gold["heads"]), list(gold["deprels"])
    heads[gold["pp"]] = head + 1
    deprels[gold["pp"]] = label or ("obl" if head == gold["verb"] else "nmod")
    return {"heads": heads, "deprels": deprels}


def scored(predictions: list[Row], references: list[Row], **options: Any) -> dict[str, Any]:
    chosen = read_options(**{"confidence": None, **options})
    return score({"predictions": predictions, "references": references}, chosen)


NAMES = ("accuracy", "labelled_accuracy", "labelled_accuracy_strict", "outside_rate", "verb_rate")


@pytest.mark.parametrize(*cases("pp_attachment_accuracy/one_sentence"))
def test_one_sentence(head, label, expected):
    result = scored([parse(FRONT, head, label)], [FRONT])
    assert picked(result, *NAMES) == expected
    assert result["verb_rate_gold"] == 1.0
    assert result["accuracy_chance"] == pytest.approx(1 / 3)
    # a lone sentence is no pair
    names = ("topology_pair_accuracy", "topology_pair_accuracy_chance")
    assert all(map(math.isnan, picked(result, *names)))


def test_nothing_but_the_phrase_counts():
    tree = {"heads": [5, 1, 4, 1, 0, 1, 1, 1], "deprels": [*("x" * 2), "obl", *("x" * 5)]}
    assert scored([tree], [FRONT])["labelled_accuracy"] == 1.0


def pair_rows() -> list[Row]:
    """Two topology pairs: one that word order decides, and one that it does not."""
    common = {"pair_factor": "topology", "group": "topology", "family": "mit_sehen"}
    return [
        gold | common | {"id": str(i), "pair_id": f"p{i // 2}", "item_id": f"topology/{i // 2}"}
        for i, gold in enumerate((FRONT, INSIDE, AWAY, BEHIND))
    ]


@pytest.mark.parametrize(*cases("pp_attachment_accuracy/both_members_of_a_pair"))
def test_both_members_of_a_pair(case):
    heads, *expected, _ = case
    gold = pair_rows()
    result = scored([parse(*both) for both in zip(gold, heads, strict=True)], gold)
    names = ("topology_pair_accuracy", "topology_pair_accuracy_chance", "contrast_pair_accuracy")
    assert picked(result, *names) == expected
    counts = ("n_topology_pairs", "n_contrast_pairs", "n_beyond_order_pairs")
    assert picked(result, *counts) == [2, 2, 0]
    assert math.isnan(result["beyond_order_pair_accuracy"])


def test_what_tells_the_heads_apart_counts_the_same_however_often():
    """Two pairs of nouns, one of verbs that a reader of verbs has: a half. Order counts not."""
    away, behind = pair_rows()[2:]
    factors = (("a", "noun"), ("b", "noun"), ("c", "verb"), ("d", "topology"))
    gold = [
        row | {"id": f"{name}{row['id']}", "pair_id": name, "pair_factor": factor}
        for name, factor in factors
        for row in (away, behind)
    ]
    right = [row["heads"][row["pp"]] - 1 for row in (away, behind)]
    result = scored(
        [parse(*both) for both in zip(gold, [1, 6, 1, 6, *right * 2], strict=True)], gold
    )
    assert result["beyond_order_pair_accuracy"] == pytest.approx(0.5)
    assert result["contrast_pair_accuracy"] == pytest.approx(1 / 2)
    assert result["n_beyond_order_pairs"] == 3


def test_pairs_that_do_not_say_what_differs_are_not_of_the_headline():
    gold = [row | {"pair_factor": None} for row in pair_rows()]
    result = scored([parse(row, row["heads"][row["pp"]] - 1) for row in gold], gold)
    assert (result["contrast_pair_accuracy"], result["n_beyond_order_pairs"]) == (1.0, 0)


def test_the_headline_s_chance_weighs_as_the_headline_does():
    gold = [row | {"pair_factor": "verb"} for row in pair_rows()[2:]]
    result = scored([parse(row, 1) for row in gold], gold)
    drawn = math.prod(1 / len(row["candidates"]) for row in gold)
    assert result["beyond_order_pair_accuracy_chance"] == pytest.approx(drawn)


def test_a_pair_needs_both_labels_too_and_both_members_decided():
    gold = pair_rows()
    result = scored([parse(FRONT, 3), parse(INSIDE, 1, "obl")], gold[:2])
    assert picked(result, "topology_pair_accuracy", "topology_pair_head_accuracy") == [0.0, 1.0]
    gold[1] |= {"resolved_by": "plausibility"}
    result = scored([parse(g, g["heads"][g["pp"]] - 1) for g in gold], gold)
    assert (result["n_topology_pairs"], result["n_undecided_pairs"]) == (1, 1)
    assert (result["n"], result["n_undecided"]) == (3, 1)


def test_pairs_that_share_their_head_are_no_contrast():
    # the same head in both orders: a control for bias, in its row of the table only
    gold = [row | {"pair_id": "p", "pair_factor": "position"} for row in (FRONT, AWAY)]
    result = scored([parse(FRONT, 3), parse(AWAY, 1)], gold)
    assert result["n_contrast_pairs"] == 0
    assert math.isnan(result["contrast_pair_accuracy"])
    (shown,) = result["by_pair_factor"]
    shares = dict.fromkeys(("chance", "accuracy", "head_accuracy"), 1.0)  # always the verb
    assert shown == {"pair_factor": "position", "n": 1, "n_contrasts": 0} | shares
    # a row without its partner is in no pair
    result = scored([parse(FRONT, 3)], pair_rows()[:1])
    assert picked(result, "n", "n_topology_pairs", "by_pair_factor") == [1, 0, []]


def test_undecided_sentences_stand_apart():
    gold = [FRONT, INSIDE | {"resolved_by": "none"}, AWAY | {"resolved_by": "plausibility"}]
    result = scored([parse(FRONT, 5), parse(INSIDE, 5), parse(AWAY, 1)], gold)
    assert (result["n"], result["n_undecided"], result["accuracy"]) == (1, 2, 0.0)
    assert (result["accuracy_undecided"], result["verb_rate_undecided"]) == (0.5, 1.0)
    table = [(shown["resolved_by"], shown["n"]) for shown in result["by_resolved_by"]]
    assert table == [("topology", 1), ("plausibility", 1), ("none", 1)]
    assert [shown["position"] for shown in result["by_position"]] == ["before_verb"]


def test_tables():
    gold = [FRONT, INSIDE, AWAY]
    result = scored([parse(FRONT, 5), parse(INSIDE, 1), parse(AWAY, 1)], gold)

    def shown(name: str) -> list[tuple[Any, ...]]:
        return [(line[name], line["n"], line["accuracy"]) for line in result[f"by_{name}"]]

    positions = ("before_verb", "inside_np", "away_from_noun")
    assert shown("position") == list(zip(positions, (1, 1, 1), (0.0, 1.0, 1.0), strict=True))
    assert shown("dependent") == [("obl", 2, 0.5), ("nmod", 1, 1.0)]
    assert shown("n_candidates") == [(3, 3, pytest.approx(2 / 3))]
    # sieht | mit: five words between; Fernglas | sieht and Frau | mit: none
    assert shown("distance") == [(0, 2, 0.5), (5, 1, 1.0)]
    assert shown("preposition") == [("mit", 3, pytest.approx(2 / 3))]
    assert result["by_definiteness"] == []  # what references do not say has no rows


def test_per_item_gives_a_row_for_every_sentence():
    gold = pair_rows()[:2]
    first, second = scored([parse(FRONT, 6), parse(INSIDE, 1)], gold, per_item=True)["per_item"]
    names = ("id", "item_id", "family", "pair_id", "pair_factor", "position", "resolved_by")
    belongs = dict(zip(names, picked(gold[0], *names), strict=True))
    is_wrong = dict.fromkeys(("is_head_right", "is_right", "is_beyond_order"), False)
    assert first == belongs | is_wrong | {"head": 3, "chosen": None}
    assert (second["head"], second["chosen"], second["is_right"]) == (1, 1, True)


LABELS = {  # of a clause with an auxiliary, around the label of the preposition
    "tiger": (["nk", "sb", "ROOT", "nk", "oa"], ["nk", "nk", "oc"]),
    "alpino": (["det", "su", "ROOT", "det", "obj1"], ["det", "obj1", "vc"]),
}


@pytest.mark.parametrize(*cases("pp_attachment_accuracy/the_preposition_is_the_head"))
def test_the_preposition_is_the_head_in_other_schemes(scheme, head, label, expected):
    before, behind = LABELS[scheme]
    tree = {"heads": [2, 3, 0, 5, 9, head, 8, 6, 3], "deprels": [*before, label, *behind]}
    result = scored([tree], [WITH_WERDEN if scheme == "tiger" else DUTCH], scheme=scheme)
    assert picked(result, *NAMES[:3]) == expected


def test_in_ud_an_auxiliary_is_no_head():
    assert scored([parse(WITH_WERDEN, 2, "obl")], [WITH_WERDEN])["outside_rate"] == 1.0


def test_a_noun_in_tiger_may_have_a_prepositional_object():
    # Das Interesse an der Frau sieht der Mann: op on a noun is nmod
    gold = INSIDE | {"tokens": ["Das", "Interesse", "an", "der", "Frau", "sieht", "der", "Mann"]}
    tree = {"heads": [2, 6, 2, 5, 3, 0, 8, 6]}
    tree |= {"deprels": ["nk", "oa", "op", "nk", "nk", "ROOT", "nk", "sb"]}
    assert scored([tree], [gold], scheme="tiger")["labelled_accuracy_strict"] == 1.0


def test_other_cuts_of_the_same_text():
    # Fern|glas in two words, of which the second heads the first
    tokens = ["Mit", "dem", "Fern", "glas", "sieht", "der", "Mann", "die", "Frau"]
    tree = {"tokens": tokens, "heads": [4, 4, 4, 5, 0, 7, 5, 9, 5]}
    tree |= {"deprels": ["case", "det", "compound", "obl", "root", "det", "nsubj", "det", "obj"]}
    assert scored([tree], [FRONT], alignment="text")["labelled_accuracy"] == 1.0
    with pytest.raises(ValueError, match=r"predictions\[0\]: tokens, got 'Mit dem Fern glas"):
        scored([tree], [FRONT])
    # verb and noun in one word: the parser did not tell them apart
    joined: Row = {"tokens": ["Mit", "dem", "Fernglas", "siehtder", "Mann", "die", "Frau"]}
    joined["deprels"] = ["case", "det", "obl", "root", "nsubj", "det", "obj"]
    joined["heads"] = [3, 3, 4, 0, 4, 7, 4]
    assert scored([joined], [FRONT], alignment="text")["accuracy"] == 1.0


def test_readers_of_order_by_hand():
    names = PrepositionalPhrase._fields
    phrases = [PrepositionalPhrase(*picked(gold, *names)) for gold in pair_rows()]
    found = {name: [read(p) for p in phrases] for name, read in ORDER_READERS.items()}
    assert found == {
        "verb": [3, 5, 1, 6],
        "nearest-noun": [5, 1, 5, 1],
        "adjacent": [3, 1, 1, 6],
        "nearest-preceding": [3, 1, 5, 1],
    }


def many_items(n: int) -> tuple[list[Row], list[Row]]:
    """n items of two frames, each a topology pair; those of the second frame come out wrong."""
    gold, predicted = [], []
    for i in range(n):
        for member in (AWAY, BEHIND):
            frame = {"family": f"f{i % 2}", "group": "topology", "item_id": f"f{i % 2}/{i}"}
            gold.append(member | frame | {"pair_id": str(i), "pair_factor": "topology"})
            is_right = i % 2 == 0 or i % 5 == 0
            predicted.append(parse(member, member["heads"][member["pp"]] - 1 if is_right else 3))
    return predicted, gold


def test_intervals_over_items_within_frames_or_over_frames():
    predicted, gold = many_items(20)
    inputs = {"predictions": predicted, "references": gold}
    items = score(inputs, read_options(n_resamples=500))
    families = score(inputs, read_options(n_resamples=500, clusters="family"))
    assert (items["n_clusters"], families["n_clusters"]) == (20, 2)
    name = "topology_pair_accuracy"
    assert items[f"{name}_low"] < items[name] < items[f"{name}_high"]
    widths = [r[f"{name}_high"] - r[f"{name}_low"] for r in (items, families)]
    assert widths[0] < widths[1]  # the frames differ more than the items within one
    for table in ("position", "n_candidates", "pair_factor"):
        assert {"accuracy_low", "accuracy_high"} <= items[f"by_{table}"][0].keys()
    assert "accuracy_low" not in items["by_distance"][0]  # too many rows
    assert "clusters=family" in families["signature"]


def test_without_items_intervals_are_undefined():
    result = scored([parse(FRONT, 3)], [FRONT], confidence=0.95)
    assert math.isnan(result["accuracy_low"])
    assert result["accuracy_interval"] == "undefined: not every row has an item_id"


@pytest.mark.parametrize(*cases("pp_attachment_accuracy/a_bad_reference_is_named"))
def test_a_bad_reference_is_named(change, message):
    with pytest.raises(ValueError, match=f"pp_attachment_accuracy: references.*{message}"):
        scored([parse(FRONT, 3)], [FRONT | change])


def test_a_pair_of_three_or_of_two_factors_is_named():
    rows = [FRONT | {"pair_id": "p", "pair_factor": "topology"}] * 3
    with pytest.raises(ValueError, match=r"\[0\]: pair_id, got 'p' in 3 rows; expected at most"):
        scored([parse(FRONT, 3)] * 3, rows)
    rows = [rows[0], rows[1] | {"pair_factor": "verb"}]
    message = r"references\[1\]: pair_factor, got 'verb'; expected 'top"
    with pytest.raises(ValueError, match=message):
        scored([parse(FRONT, 3)] * 2, rows)


@pytest.mark.parametrize(*cases("pp_attachment_accuracy/a_bad_prediction_is_named"))
def test_a_bad_prediction_is_named(tree, message):
    with pytest.raises(ValueError, match=message):
        scored([tree], [FRONT])


def test_numbers_must_be_equal():
    message = "pp_attachment_accuracy: got 1 predictions but 2 references"
    with pytest.raises(ValueError, match=re.escape(message)):
        scored([parse(FRONT, 3)], [FRONT, INSIDE])
