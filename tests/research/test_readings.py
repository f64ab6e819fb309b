"""What judges and blind readers said of SORTS and CenterBench: complete, and what the tables say
and the cards tell of it."""

from collections import Counter
from dataclasses import dataclass
from math import isnan
from typing import Literal

import pytest

from builders.centerbench.relations import KnowledgeBase
from builders.sorts.lexicon import read_lexicon
from ground.tables import read_table
from metrics.subject_object_las.inputs import UNDECIDED
from research.readings import DATA
from research.readings import sorts_decisions as decisions
from research.readings.agreement import cohen_kappa
from tests.conftest import ROOT
from tests.support.cases import cases

CARDS = ROOT / "cards" / "datasets"


@pytest.mark.parametrize(*cases("sorts_decisions/kappa"))
def test_kappa(first, second, expected):
    assert cohen_kappa(first, second) == pytest.approx(expected)


def test_kappa_of_one_answer_only_is_undefined():
    assert isnan(cohen_kappa([False, False], [False, False]))


# --- German verbs and triples, by three judges
WEAKER = {"excluded": 0, "implausible": 1, "open": 2}


def test_a_verb_takes_both_classes_wherever_one_judge_lets_it():
    verbs = read_lexicon().verbs
    assert set(verbs) - {row.infinitive for row in decisions.verb_readings()} == {"haben", "werden"}
    for row in decisions.verb_readings():
        verb = verbs[row.infinitive]
        for decided, *answers in (
            (verb.subject_class, row.author_subject, row.first_subject, row.second_subject),
            (verb.object_class, row.author_object, row.first_object, row.second_object),
        ):
            assert decided == (answers[0] if len(set(answers)) == 1 else "any"), row.infinitive


def test_the_reverse_is_excluded_only_where_all_three_exclude_it():
    read = {(row.family, row.number): row for row in decisions.triple_readings()}
    triples = [triple for triple in read_lexicon().triples if triple.reverse is not None]
    decided = {(triple.family, triple.number): triple.reverse for triple in triples}
    assert set(decided) == set(read)
    for key, row in read.items():
        readers = {row.first_reverse, row.second_reverse}
        is_excluded = readers == {"impossible"} and row.author_reverse == "excluded"
        assert (decided[key] == "excluded") == is_excluded, key
        assert is_excluded or (decided[key] == "open") == (readers == {"expected"}), key


def test_readers_find_the_given_order_natural():
    """A triple whose own order two readers doubt would be a slip of the tables."""
    read = [row for row in decisions.triple_readings() if row.is_read]
    doubted = [row for row in read if "expected" not in (row.first_given, row.second_given)]
    assert len(doubted) <= 2  # a squire and a princess, a parachute and its pilot


def test_changes_are_those_of_the_tables():
    found = decisions.changes()
    assert (found["verbs"], found["triples"]) == (610, 544)
    read = decisions.triple_readings()
    decided = [WEAKER[row.decided] - WEAKER[row.author_reverse] for row in read]
    assert found["no_longer_excluded"] == sum(step > 0 for step in decided)
    assert found["no_longer_open"] == sum(step < 0 for step in decided)


def test_the_two_readers_agree():
    kappas = {row.question: row.kappa for row in decisions.agreements()}
    assert min(kappas.values()) > 0.7
    assert kappas["the reverse of the triple is impossible"] > 0.9


# --- fresh German clauses, fixed before they were read
@pytest.mark.parametrize("reader", sorted(decisions.reviewed_clauses()))
def test_every_reader_read_the_same_clauses_and_little_is_wrong(reader):
    read, author = decisions.reviewed_clauses()[reader], decisions.reviewed_clauses()["author"]
    assert len(read) == decisions.N_CLAUSES == 400
    assert sorted(one.id for one in read) == sorted(one.id for one in author)
    for row in read:
        assert {row.subject, row.gold} <= set(row.sentence.split(" ")), row.id
    counts = decisions.review_counts()[reader]
    assert counts["read"] == decisions.N_CLAUSES
    assert counts["wrong"] <= 0.01 * decisions.N_CLAUSES
    assert counts["nonsense"] + counts["ungrammatical"] <= 0.02 * decisions.N_CLAUSES


def answers(*others: str) -> list[decisions.ReviewedClause]:
    return [
        decisions.ReviewedClause("first", str(i), "x", "case", "x", "good", "x", other, None)
        for i, other in enumerate(others)
    ]


def test_kappa_of_clauses_goes_by_their_ids():
    """Of four, three agree; by chance 1/2 * 1/4 + 1/2 * 3/4 = 1/2."""
    first = answers("impossible", "impossible", "open", "open")
    second = answers("impossible", "open", "open", "possible")
    assert decisions.kappa(first, second[::-1]) == pytest.approx(0.5)


# --- Dutch clauses, by two language models
DUTCH = (CARDS / "sorts.md").read_text(encoding="utf-8")
DUTCH = DUTCH.split("**Models' readings of version 2.**")[1].split("No native speaker")[0]


@dataclass(frozen=True)
class DutchReading:
    """One row of review.tsv, whose notes say what the columns hold."""

    round: int
    reader: str
    id: str
    sentence: str
    resolved_by: str
    gold: str
    subject: str
    reverse: str
    grammatical: str
    natural: int


def readings(round: int) -> list[list[DutchReading]]:
    rows = read_table(DATA / "sorts" / "dutch" / "review.tsv", DutchReading)
    rows = [row for row in rows if row.round == round]
    return [[row for row in rows if row.reader == reader] for reader in ("first", "second")]


def settled(rows: list[DutchReading]) -> list[DutchReading]:
    return [row for row in rows if row.resolved_by not in UNDECIDED]


def contradicted(rows: list[DutchReading]) -> list[DutchReading]:
    """Another subject than the gold's, or a settled clause that could be reversed."""
    reversible = [row for row in settled(rows) if row.reverse == "yes"]
    return [row for row in rows if row.subject != row.gold or row in reversible]


@pytest.mark.parametrize("round", [1, 2])
def test_both_read_the_same_dutch_clauses(round):
    first, second = readings(round)
    assert [(row.id, row.gold) for row in first] == [(row.id, row.gold) for row in second]
    for rows in (first, second):
        assert len(rows) == len({row.sentence for row in rows}) == 300
        assert len(settled(rows)) == 242
        assert all(row.grammatical == "yes" for row in rows)
    other = {row.sentence for row in readings(3 - round)[0]}
    assert other.isdisjoint(row.sentence for row in first)


def test_the_card_says_what_the_readers_of_dutch_answered():
    counts = [[len(contradicted(rows)) for rows in readings(round)] for round in (1, 2)]
    both = readings(2)
    same = [sum(row.subject == row.gold for row in rows) for rows in both]
    low = [sum(row.natural <= 3 for row in rows) for rows in both]
    agreed = cohen_kappa(*([row.reverse == "yes" for row in rows] for rows in both))
    for said in (
        f"disagreed with the suite in {counts[0][0]} and {counts[0][1]} clauses",
        f"is {counts[1][0]} and {counts[1][1]} (2.0 % and 1.7 %)",
        f"in {same[0]} and {same[1]}",
        f"kappa {agreed:.2f}.",
        f"{low[0]} and {low[1]} got 3 or less",
    ):
        assert said in DUTCH
    assert max(counts[1]) <= 0.02 * 300
    for rows in both:  # the settled clause that they contradict
        (row,) = contradicted(settled(rows))
        assert row.sentence == "Fotografes betoveren de camera's na een poos."
        assert f"*{row.sentence.removesuffix('.')} .*" in DUTCH


# --- CenterBench: how many events and chains lie on the intended side
@dataclass(frozen=True)
class ReviewEntry:
    id: str
    text: str
    domain: Literal["animals", "people", "vehicles"]
    condition: Literal["plausible", "implausible"]
    answer: str
    remark: str | None

    @property
    def is_as_intended(self) -> bool:
        return set(self.answer) == {self.condition[0]}


ENTRIES = read_table(DATA / "centerbench" / "review.tsv", ReviewEntry)
LISTS = ((1,), (2,), (3, 4))  # the last list had two readers
READERS = tuple(sorted({int(entry.id[0]) for entry in ENTRIES}))


def entries(reading: int, kind: str) -> list[ReviewEntry]:
    return [entry for entry in ENTRIES if entry.id.startswith(f"{reading}-{kind}-")]


@pytest.mark.parametrize("reading", READERS)
def test_readings_of_centerbench_are_complete_and_those_of_the_card(reading):
    events, chains = entries(reading, "event"), entries(reading, "sentence")
    assert set(Counter((e.condition, e.domain) for e in events).values()) == {100}
    assert len(events) == len({e.text for e in events}) == 600
    assert Counter(len(e.answer) - 1 for e in chains) == dict.fromkeys(range(1, 7), 20)
    assert all(len(e.answer) == e.text.count("; ") + 1 for e in chains)
    assert all(set(e.answer) <= {"p", "i"} for e in events + chains)
    counts = Counter(e.condition for e in events if e.is_as_intended)
    said = (
        f"{counts['plausible']} of 300 plausible and {counts['implausible']} of 300 implausible"
        f" events and {sum(e.is_as_intended for e in chains)} of 120 sentences"
    )
    assert said in centerbench_card()


def test_readings_find_what_the_tables_of_centerbench_intend():
    for readers in LISTS:
        events = [e for reading in readers for e in entries(reading, "event")]
        for condition in ("plausible", "implausible"):
            read = [e.is_as_intended for e in events if e.condition == condition]
            assert sum(read) >= 0.95 * len(read)
        chains = [e for reading in readers for e in entries(reading, "sentence")]
        assert sum(e.is_as_intended for e in chains) >= 0.9 * len(chains)
    knowledge = KnowledgeBase()
    said = f"{len(knowledge.nouns)} nouns and {len(knowledge.verbs)} verbs"
    assert said in centerbench_card()


def centerbench_card() -> str:
    return " ".join((CARDS / "centerbench.md").read_text(encoding="utf-8").split())
