"""Readers that are told the rule of a construction: found, printed as such, never a bar."""

import itertools
import random
from dataclasses import replace

import pytest

from builders.shallow import Shallow, shallow_readers
from research.shallow.cues import text_cues
from research.shallow.cutters import bigram_cutter, cut_between
from research.shallow.decisions import OptionChoice, Problem
from research.shallow.nesting import BY_WORDS, Borders, borders_of, mirror_cues, phrase_end
from research.shallow.readers import readings
from research.shallow.search import search
from tests.support.cases import cases

NESTED = "The fox that the cat that the dog chased scolded ran away."


def test_borders_of_nouns_and_verbs():
    """The last noun before a verb, the end of the first verb, the end of the verbs."""
    assert borders_of(NESTED) == Borders(6, 9, 12)
    assert borders_of("The fox that chased the cat ran.") == Borders(0, 4, 4)
    # with what belongs to the verb
    assert phrase_end(["ran", "away", "from", "the", "dog"], 0) == 3


def test_the_mirror_matches_nouns_and_verbs_from_both_ends():
    """The dog chased, the cat scolded, the fox ran away."""
    told = mirror_cues(NESTED, "What did the cat do?", ["chase the cat", "scold the fox"])
    assert told[1][BY_WORDS] > told[0][BY_WORDS]
    told = mirror_cues(NESTED, "Which one chased another entity?", ["the cat", "the dog"])
    assert told[1][BY_WORDS] > told[0][BY_WORDS]
    assert mirror_cues("The fox.", "What did the fox do?", ["run"])[0][BY_WORDS] < -1e5


def ruled(rules: frozenset[str]) -> Problem:
    """Choices that one cue decides, beside cues that say nothing."""
    drawn, made = random.Random(5), []
    for i in range(200):
        options = ["x" * drawn.randint(1, 9), "y" * drawn.randint(1, 9)]
        gold = drawn.randint(0, 1)
        cues = text_cues(options)
        for k in (0, 1):
            cues[k]["the rule"] = float(k == gold)
        made.append(OptionChoice(options, gold, str(i), str(i), cues))
    return Problem("c/test", "accuracy", made, rules=rules)


def test_a_reader_of_the_rule_has_no_bound_and_sets_no_bar():
    found = search(ruled(frozenset(["the rule"])))
    null, rule = found.best
    assert (null.kind, rule.kind) == ("null", "rule")
    assert rule.value == 1.0
    assert (rule.bound, rule.is_over, rule.is_shallow) == (None, False, False)
    assert null.value < 0.6
    clusters = {row.total for row in found.clusters}
    assert clusters != {1.0}  # they are those of the bar, which is NULL here


def test_the_same_cue_without_a_rule_is_over_its_bound():
    (null,) = search(ruled(frozenset())).best
    assert null.is_over


def test_boosted_trees_read_what_trees_of_two_cues_cannot():
    """The sign of three numbers, of which every two say nothing."""
    drawn, made = random.Random(7), []
    for i in range(1500):
        signs = [drawn.choice((-1, 1)) for _ in range(3)]
        gold = int(signs[0] * signs[1] * signs[2] > 0)
        cues = [{f"c{j}": float(s * (2 * k - 1)) for j, s in enumerate(signs)} for k in (0, 1)]
        made.append(OptionChoice(("a", "b"), gold, str(i), str(i), cues))
    problem = Problem("c/test", "accuracy", made)
    best = {one.says: one.right.mean() for one in readings(problem)}
    assert best.pop("boosted trees over all cues") > 0.95
    assert max(best.values()) < 0.6
    real = replace(problem, real=frozenset(["c0"]))
    kinds = {one.kind for one in readings(real) if one.says.startswith("boosted")}
    assert kinds == {"null", "shortcut"}  # without the real cue, and with it


def test_function_words_divide_a_text_before_it_is_cut():
    cut = cut_between("的了", 2)
    assert cut(["我们的老师来了。", "的"]) == [["我们", "的", "老", "师来", "了", "。"], ["的"]]


def test_a_bigram_reader_follows_the_word_before():
    """After 我 only 和 was seen, at the beginning only 和尚."""
    texts = [["我", "和", "尚未", "来"]] * 9 + [["和尚", "未", "来"]] * 9
    cut = bigram_cutter(texts, {"天": 1.0})
    assert cut(["我和尚未来", "和尚未来"]) == [["我", "和", "尚未", "来"], ["和尚", "未", "来"]]
    assert ["".join(words) for words in cut(["天地"])] == ["天地"]  # words that no text has


@pytest.mark.parametrize(*cases("rule_readers/the_suites_print_the_rule"))
def test_the_suites_print_the_rule(suite, config, score):
    """An outsider's readers had 92 %, 91 % and 99 %, and all were told the rule."""
    of_config = [x for x in shallow_readers(suite) if (x.config, x.score) == (config, score)]
    found: dict[str, Shallow] = {one.kind: one for one in of_config}
    assert found["rule"].value > 0.9
    assert all(one.value < found["rule"].value for kind, one in found.items() if kind != "rule")
    order = [found[kind].value for kind in ("null", "shortcut", "rule") if kind in found]
    assert all(a < b for a, b in itertools.pairwise(order))
