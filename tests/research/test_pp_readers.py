"""Readers of prepositional phrases: by hand, and what they are worth on topology pairs."""

from typing import Any

import pytest

from metrics.pp_attachment_accuracy.options import read_options
from metrics.pp_attachment_accuracy.scoring import score
from research.systems.parsers import pp_readers
from research.systems.preposition_counts import main, table_text
from research.systems.registry import load
from tests.product.test_pp_attachment_accuracy import pair_rows
from tests.support.cases import cases


def rows() -> dict[str, list[Any]]:
    """Mit dem Fernglas sieht ...; Die Frau mit ...; ... vermutlich mit ...; Die Frau dort ..."""
    gold = pair_rows()
    return {name: [row[name] for row in gold] for name in gold[0]}


@pytest.mark.parametrize(*cases("pp_readers/heads_and_labels_by_hand"))
def test_heads_and_labels_by_hand(name, heads):
    given = rows()
    trees = load("parser", name).predict(given)
    assert [t[p] - 1 for t, p in zip(trees["heads"], given["pp"], strict=True)] == heads
    labels = [labels[p] for labels, p in zip(trees["deprels"], given["pp"], strict=True)]
    expected = ["obl" if h == v else "nmod" for h, v in zip(heads, given["verb"], strict=True)]
    assert labels == expected
    # all else is the gold tree, which stays as it was
    assert trees["tokens"] == given["tokens"]
    assert given == rows()
    for found, gold, pp in zip(trees["heads"], given["heads"], given["pp"], strict=True):
        assert [*found[:pp], *found[pp + 1 :]] == [*gold[:pp], *gold[pp + 1 :]]


def test_nulls_are_not_above_the_chance_that_the_metric_states():
    given = rows()
    results = {}
    for name in pp_readers.PHRASE_READERS:
        trees = load("parser", name).predict(given)
        inputs = {"predictions": trees, "references": given}
        results[name] = score(inputs, read_options(confidence=None))
    (chance,) = {result["topology_pair_accuracy_chance"] for result in results.values()}
    assert chance == 0.5
    assert results.pop("topology-first")["topology_pair_accuracy"] == 1.0
    results.pop("random-candidate")  # of two pairs it may have both
    assert all(result["topology_pair_accuracy"] <= chance for result in results.values())


def test_a_preposition_that_nobody_counted_is_as_all_of_them():
    given = rows()
    assert pp_readers.preposition_counts()["von"] < (100, 200) < pp_readers.preposition_counts()[""]
    for preposition, heads in (("von", [5, 1, 5, 1]), ("namens", [3, 5, 1, 6])):
        asked = given | {"preposition": [preposition] * 4}
        trees = pp_readers.read_phrases(asked, pp_readers.PHRASE_READERS["preposition-majority"])
        assert [t[p] - 1 for t, p in zip(trees["heads"], given["pp"], strict=True)] == heads


def test_a_random_candidate_is_one_and_the_same_in_any_order():
    given = {name: column * 30 for name, column in rows().items()}
    given["tokens"] = [[*words, str(i)] for i, words in enumerate(given["tokens"])]
    draw = load("parser", "random-candidate").predict
    heads = [t[p] - 1 for t, p in zip(draw(given)["heads"], given["pp"], strict=True)]
    assert all(h in c for h, c in zip(heads, given["candidates"], strict=True))
    back = {name: column[::-1] for name, column in given.items()}
    assert draw(back)["heads"] == draw(given)["heads"][::-1]
    n_verbs = sum(h == v for h, v in zip(heads, given["verb"], strict=True))
    assert 20 < n_verbs < 60  # a third of 120


def test_rows_of_another_suite_are_refused():
    with pytest.raises(ValueError, match="columns, got none named adposition, pp, verb, candidat"):
        load("parser", "nearest-noun").predict({"tokens": [], "heads": [], "deprels": []})


def test_the_committed_counts_are_those_of_the_treebanks(sources):
    names = ("de_gsd-ud-dev", "de_gsd-ud-test", "de_pud-ud-test")
    places = [str(sources / "treebanks" / "de" / f"{name}.conllu.gz") for name in names]
    assert pp_readers.PREPOSITIONS.read_text(encoding="utf-8") == table_text(places)


def test_counting_nothing_is_refused(capsys):
    assert main([]) == 1
    assert "got no file; expected CoNLL-U files" in capsys.readouterr().err
