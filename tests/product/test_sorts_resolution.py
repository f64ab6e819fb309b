"""What settles a clause: golden cases, both directions of every verb, the order of the cues."""

from collections import Counter

import pytest

from builders.sorts.design import blocks, families
from builders.sorts.lexicon import GermanVerb, Triple, read_lexicon
from builders.sorts.morphology import finite_form
from builders.sorts.phrases import build_phrase, parse_phrase
from builders.sorts.realizer import is_marked_order
from builders.sorts.resolution import resolved_by
from builders.sorts.variations import build_clause, vary
from metrics.subject_object_las.inputs import OVS, SVO, UNDECIDED
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.sorts_draw import default_suite, four_times_the_size, lite_suite

ARTICLES = frozenset(["der", "die", "das", "den", "dem", "ein", "eine", "einen", "einem", "einer"])


def without_articles(clause: str) -> str:
    """Which of the two phrases is definite goes by the triple's number, and settles nothing."""
    return " ".join(word for word in clause.split() if word not in ARTICLES)


def settled(split: str, name: str, number: int) -> tuple[str, str]:
    """The clause of a triple under a block, and what settles it."""
    (block,) = [block for block in blocks() if (block.split, block.name) == (split, name)]
    family = families()[block.family]
    (triple,) = [
        t for t in read_lexicon().triples if (t.family, t.number) == (family.source, number)
    ]
    clause = build_clause(vary(triple, block, 0))
    finite = finite_form(clause.verb, clause.subject.person, clause.subject.number)
    subject, object_ = (
        " ".join(word.form for word in phrase.words) for phrase in (clause.subject, clause.object)
    )
    return f"{subject} {finite} {object_}", resolved_by(clause, family, triple.reverse)


@pytest.mark.parametrize(*cases("sorts_resolution/golden_clauses"))
def test_golden_clauses(split, block, number, clause, expected):
    text, found = settled(split, block, number)
    assert (without_articles(text), found) == (without_articles(clause), expected)


def clashes(animacy: str, selected: str) -> bool:
    classes = ("animate", "inanimate")
    return animacy in classes and selected in classes and animacy != selected


def frames() -> list[tuple[Triple, GermanVerb, str, str, bool]]:
    """Triples with each of their verbs: animacy of the nouns, whether the reverse is excluded."""
    lexicon, found = read_lexicon(), []
    for family in families().values():
        if family.settled_by == "lexicalised":
            continue
        for triple in (t for t in lexicon.triples if t.family == family.source):
            syncretic = "_syncretic" * (triple.subject_syncretic is not None)
            cells = [triple.cell(name + syncretic) for name in (family.subject, family.object)]
            phrases = [parse_phrase(cell, "definite") for cell in cells]
            nouns = [build_phrase(phrase, "nominative") for phrase in phrases]
            for column in filter(None, (family.verb, family.synonym)):
                if (name := triple.cell(column)) is not None:
                    is_excluded = family.settled_by == "triple" and triple.reverse == "excluded"
                    animacy = nouns[0].animacy, nouns[1].animacy
                    found.append((triple, lexicon.verbs[name], *animacy, is_excluded))
    return found


def test_every_verb_whose_reverse_is_possible_has_a_counterexample():
    """None where the verb's classes exclude it; analysieren has one, though no defeat analyses."""
    is_open = [
        (verb.infinitive, is_excluded)
        for _, verb, subject, object_, is_excluded in frames()
        if not clashes(object_, verb.subject_class) and not clashes(subject, verb.object_class)
    ]
    verbs = read_lexicon().verbs
    has_one = {name for name, verb in verbs.items() if verb.counterexample is not None}
    assert {name for name, is_excluded in is_open if not is_excluded} <= has_one
    assert has_one <= {name for name, _ in is_open}


def test_counterexamples_are_clauses_of_their_verb():
    for verb in read_lexicon().verbs.values():
        if verb.counterexample is None:
            continue
        words = verb.counterexample.removesuffix(".").split(" ")
        assert verb.counterexample.endswith(".")
        assert {verb.third_singular, verb.third_plural} & set(words), verb.counterexample
        assert words[0] in ("Der", "Die", "Das")


def test_classes_allow_what_the_triples_say():
    for triple, verb, subject, object_, _ in frames():
        assert not clashes(subject, verb.subject_class), (triple.family, triple.number)
        assert not clashes(object_, verb.object_class), (triple.family, triple.number)


@pytest.mark.parametrize(*cases("sorts_resolution/marked_orders"))
def test_marked_orders(subject, object_, word_order, expected):
    assert is_marked_order(subject, object_, word_order) is expected


def test_the_figures_in_the_prose_of_the_card():
    suite, lite, marked = default_suite(), lite_suite(), Counter()
    for columns in suite.values():
        rows = zip(columns["is_marked_order"], columns["properties"], strict=True)
        marked.update("opron" in tags for is_marked, tags in rows if is_marked)
    n_decided = sum(status not in UNDECIDED for status in suite["amb"]["resolved_by"])
    n_triples = {split: len(set(columns["triple_id"])) for split, columns in lite.items()}
    card = (ROOT / "cards" / "datasets" / "sorts.md").read_text(encoding="utf-8")
    for text in (
        f"in {marked[True]} clauses a full subject stands",
        f"in {marked[False]} a full object before a subject pronoun",
        f"which leaves {n_decided:,} of the 7,663 clauses of `amb`",
        f"clauses of {n_triples['amb']} triples in `amb`",
        f"of {n_triples['part_amb']} in `part_amb`",
        f"where one draw has {len(set(suite['amb']['triple_id']))}",
    ):
        assert text in card


# --- The lite subset
@pytest.fixture(scope="module")
def lite():
    return lite_suite()


@pytest.mark.parametrize(
    ("split", "n_triples", "n_blocks"), [("part_amb", 305, 128), ("amb", 588, 95)]
)
def test_lite_has_five_clauses_of_one_item_per_triple_and_every_block(
    lite, split, n_triples, n_blocks
):
    columns = lite[split]
    assert set(Counter(columns["triple_id"]).values()) == {5}
    assert len(set(columns["triple_id"])) == len(set(columns["item_id"])) == n_triples
    assert len({item.split("/")[1] for item in columns["item_id"]}) == n_blocks
    orders = Counter(columns["word_order"])
    assert orders[SVO] == orders[OVS] == n_triples  # what svo_ovs_score needs
    assert len(orders) == 8
    assert min(orders.values()) >= 40


def test_lite_of_amb_has_every_triple_of_the_tables(lite):
    whole = four_times_the_size()["amb"]
    assert set(lite["amb"]["triple_id"]) == set(whole["triple_id"])
    assert set(lite["amb"]["id"]) <= set(whole["id"])
