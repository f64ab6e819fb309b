"""The strict scorer on the ways in which models answer: real wrappings, real hedges, taken back."""

import random
from collections import Counter

import pytest

from metrics.matched_pair_accuracy.inputs import QUESTION_TYPES
from metrics.matched_pair_accuracy.reading import Sentence
from tests.support.answer_styles import Style, answers, read_styles
from tests.support.centerbench_draw import question_rows
from tests.support.strict_decisions import is_correct

N_ROWS = 12  # of each question type and condition
MOST_FALSE_REJECTS, MOST_FALSE_ACCEPTS = 0.02, 0.005
Counts = dict[tuple[str, str], tuple[Counter[Style], Counter[Style]]]


@pytest.fixture(scope="module")
def counts() -> Counts:
    """By condition and verdict: answers of each style, and those that are decided wrongly."""
    styles, generator = read_styles(), random.Random(1)
    asked: dict[tuple[str, str], Counter[Style]] = {}
    missed: dict[tuple[str, str], Counter[Style]] = {}
    for condition in ("plausible", "implausible"):
        for kind in QUESTION_TYPES:
            of_kind = (condition, kind)
            rows = [r for r in question_rows() if (r["condition"], r["question_type"]) == of_kind]
            for row in generator.sample(rows, N_ROWS):
                sentence = Sentence(row["events"])
                for style, answer in answers(row, styles):
                    key = (condition, style.verdict)
                    is_right = is_correct(answer, sentence, row["depth"], kind)
                    asked.setdefault(key, Counter())[style] += 1
                    if is_right != (style.verdict == "right"):
                        missed.setdefault(key, Counter())[style] += 1
    return {key: (total, missed.get(key, Counter())) for key, total in asked.items()}


@pytest.mark.parametrize("condition", ["plausible", "implausible"])
@pytest.mark.parametrize(
    ("verdict", "most"), [("right", MOST_FALSE_REJECTS), ("wrong", MOST_FALSE_ACCEPTS)]
)
def test_styles_are_decided(counts, condition, verdict, most):
    asked, missed = counts[condition, verdict]
    worst = [(style.style, n, asked[style]) for style, n in missed.most_common(10)]
    assert missed.total() <= most * asked.total(), worst


def test_right_answers_that_readers_found_refused_still_are(counts):
    """Whoever mends one writes `right` before it, and raises the metric's VERSION."""
    for condition in ("plausible", "implausible"):
        refused, accepted = counts[condition, "refused"]
        assert refused
        assert not accepted


def test_every_style_is_used(counts):
    used = {style for asked, _ in counts.values() for style in asked}
    assert [style for style in read_styles() if style not in used] == []


def test_no_style_is_lost_altogether(counts):
    for asked, missed in counts.values():
        assert [style.style for style in asked if missed[style] > 0.5 * asked[style]] == []
