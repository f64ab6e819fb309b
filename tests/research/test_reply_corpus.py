"""The one reader of replies over all families and forms, and the figures of the card."""

import json
import re
from collections import Counter

import pytest

from ground.paths import RESULTS
from metrics._shared.replies import said
from research.studies.centerbench import replies as study


@pytest.mark.parametrize("family", study.read_families(), ids=lambda family: family.name)
def test_a_family_leaves_nothing_in_its_answer(family):
    assert family.source
    for name, form in study.family_forms(family):
        reply = form.replace("{reply}", "der Hund").replace("{other}", "die Katze")
        assert said(reply) == "der Hund", (name, reply)


@pytest.fixture(scope="module")
def formed() -> list[study.Formed]:
    return list(study.corpus())


def test_the_corpus_is_decided(formed):
    """No false accept, and less than 2 % of false rejects in all and 12 % in any family."""
    assert len({(one.item.suite, one.item.text, one.reply) for one in formed}) > 10_000
    missed = study.errors(formed)
    assert [one.reply for one in missed if not one.is_right] == []
    asked = Counter(one.family for one in formed if one.is_right)
    refused = Counter(one.family for one in missed)
    assert refused.total() < 0.02 * asked.total()
    assert [name for name in asked if refused[name] > 0.12 * asked[name]] == []


@pytest.mark.slow
def test_the_committed_figures_are_those_of_the_corpus(formed):
    committed = json.loads((RESULTS / "centerbench" / "replies.json").read_text(encoding="utf-8"))
    (shown,) = study.show(study.score(formed, None), None)  # type: ignore[arg-type]
    assert committed["figures"] == shown.figures
    text = (RESULTS / "centerbench" / "replies.md").read_text(encoding="utf-8")
    assert text.rstrip() == shown.text.rstrip()
    card = RESULTS.parent / "metrics" / "matched_pair_accuracy.md"
    told = re.search(r"(\d+) families of models", card.read_text(encoding="utf-8"))
    assert told
    assert int(told[1]) == len(study.read_families())
