"""The blind readings of CenterBench: how many events and chains lie on the intended side."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from builders.centerbench.relations import KnowledgeBase
from ground.tables import read_table
from research.readings import DATA as READINGS
from tests.conftest import ROOT


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


ENTRIES = read_table(READINGS / "centerbench" / "review.tsv", ReviewEntry)

LISTS = ((1,), (2,), (3, 4))  # the last list had two readers
READINGS = tuple(sorted({int(entry.id[0]) for entry in ENTRIES}))


def entries(reading: int, kind: str) -> list[ReviewEntry]:
    return [entry for entry in ENTRIES if entry.id.startswith(f"{reading}-{kind}-")]


def test_readings_are_complete():
    for reading in READINGS:
        events, chains = entries(reading, "event"), entries(reading, "sentence")
        assert set(Counter((e.condition, e.domain) for e in events).values()) == {100}
        assert len(events) == len({e.text for e in events}) == 600
        assert Counter(len(e.answer) - 1 for e in chains) == dict.fromkeys(range(1, 7), 20)
        assert all(len(e.answer) == e.text.count("; ") + 1 for e in chains)
        assert all(set(e.answer) <= {"p", "i"} for e in events + chains)


def test_readings_find_what_the_tables_intend():
    for readings in LISTS:
        events = [e for reading in readings for e in entries(reading, "event")]
        for condition in ("plausible", "implausible"):
            read = [e.is_as_intended for e in events if e.condition == condition]
            assert sum(read) >= 0.95 * len(read)
        chains = [e for reading in readings for e in entries(reading, "sentence")]
        assert sum(e.is_as_intended for e in chains) >= 0.9 * len(chains)


def test_card_says_what_the_readings_found():
    text = (ROOT / "cards" / "datasets" / "centerbench.md").read_text(encoding="utf-8")
    card = " ".join(text.split())
    for reading in READINGS:
        counts = Counter(e.condition for e in entries(reading, "event") if e.is_as_intended)
        chains = sum(e.is_as_intended for e in entries(reading, "sentence"))
        assert (
            f"{counts['plausible']} of 300 plausible and {counts['implausible']} of 300 "
            f"implausible events and {chains} of 120 sentences" in card
        )


def test_card_says_what_the_tables_hold():
    text = (ROOT / "cards" / "datasets" / "centerbench.md").read_text(encoding="utf-8")
    knowledge = KnowledgeBase()
    assert f"{len(knowledge.nouns)} nouns and {len(knowledge.verbs)} verbs" in " ".join(
        text.split()
    )
