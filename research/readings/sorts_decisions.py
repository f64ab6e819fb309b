"""What three judges say of both directions of verbs and triples, and what follows for the tables.

The judges are the model that wrote the tables (`author`) and two language models that saw verbs,
nouns and nothing else. A claim needs all three; where they disagree the weaker one stands. And what
a second reading says of fresh clauses of version 2.0.0, whose list was fixed before they were read.
No people have read them, and a judgement is no rating.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from builders.sorts.resolution import Reverse
from ground.tables import read_table
from metrics.subject_object_las.inputs import UNDECIDED
from research.readings import DATA
from research.readings.agreement import Agreement, agreement, cohen_kappa

GERMAN = DATA / "sorts" / "german"

Selected = Literal["animate", "inanimate", "any"]
Answer = Literal["expected", "possible", "impossible"]
ROLES = ("subject", "object")
CLASSES = ("animate", "inanimate")


@dataclass(frozen=True)
class VerbReading:
    """What each judge lets a verb take, in the sense of its triples."""

    infinitive: str
    author_subject: Selected
    author_object: Selected
    first_subject: Selected
    first_object: Selected
    second_subject: Selected
    second_object: Selected

    def of(self, judge: str, role: str) -> Selected:
        """The class that a judge lets it take in a role, subject or object."""
        answer: Selected = getattr(self, f"{judge}_{role}")
        return answer

    def decided(self, role: str) -> Selected:
        """The class on which all three agree, else any."""
        answers = {self.of(judge, role) for judge in ("author", "first", "second")}
        return answers.pop() if len(answers) == 1 else "any"


@dataclass(frozen=True)
class TripleReading:
    """What each judge says of a triple as given and with its nouns changed about; None: unasked."""

    family: str
    number: int
    author_reverse: Reverse
    first_given: Answer | None
    first_reverse: Answer | None
    second_given: Answer | None
    second_reverse: Answer | None

    @property
    def is_read(self) -> bool:
        """Whether the readers were given the nouns."""
        return self.first_reverse is not None and self.second_reverse is not None

    @property
    def decided(self) -> Reverse:
        """The reverse: excluded where all three say so, open where both readers expect it."""
        answers = {self.first_reverse, self.second_reverse}
        if answers == {"impossible"} and self.author_reverse == "excluded":
            return "excluded"
        return "open" if answers == {"expected"} else "implausible"


def verb_readings(tables: Path = GERMAN) -> list[VerbReading]:
    """Answers of the three judges for every verb but the auxiliaries."""
    return read_table(tables / "verb_readings.tsv", VerbReading)


def triple_readings(tables: Path = GERMAN) -> list[TripleReading]:
    """Answers of the three judges for every triple whose nouns its verb takes either way."""
    return read_table(tables / "triple_readings.tsv", TripleReading)


def agreements(tables: Path = GERMAN) -> list[Agreement]:
    """How the two readers agree: four questions of every verb, two of every triple."""
    verbs = verb_readings(tables)
    found = [
        agreement(
            f"the verb takes an {kind} {role}",
            [verb.of("first", role) in (kind, "any") for verb in verbs],
            [verb.of("second", role) in (kind, "any") for verb in verbs],
        )
        for role in ROLES
        for kind in CLASSES
    ]
    triples = [triple for triple in triple_readings(tables) if triple.is_read]
    for answer, text in (("impossible", "impossible"), ("expected", "as good")):
        first = [triple.first_reverse == answer for triple in triples]
        second = [triple.second_reverse == answer for triple in triples]
        found.append(agreement(f"the reverse of the triple is {text}", first, second))
    return found


def changes(tables: Path = GERMAN) -> Mapping[str, int]:
    """What the readings changed of the author's decisions.

    `widened` are verbs that may now take both classes in a role, `unread` triples without nouns,
    `doubted` triples that both readers exclude and the author does not.
    """
    verbs, triples = verb_readings(tables), triple_readings(tables)
    widened = [v for v in verbs if any(v.decided(role) != v.of("author", role) for role in ROLES)]
    given_up = [t.author_reverse for t in triples if t.author_reverse != t.decided]
    excluded = [t for t in triples if t.first_reverse == t.second_reverse == "impossible"]
    return {
        "verbs": len(verbs),
        "widened": len(widened),
        "triples": len(triples),
        "unread": sum(not triple.is_read for triple in triples),
        "no_longer_excluded": given_up.count("excluded"),
        "no_longer_open": given_up.count("open"),
        "doubted": sum(triple.author_reverse != "excluded" for triple in excluded),
    }


N_CLAUSES = 400
COUNTED = ("read", "wrong", "nonsense", "ungrammatical", "marked", "cautious")


@dataclass(frozen=True)
class ReviewedClause:
    """A clause and what was said of it.

    Marked is what is grammatical, but in need of stress or context; the other reading is possible
    where one would not take it so.
    """

    reader: Literal["author", "first", "second"]  # who wrote the tables, or who did not
    id: str  # in a draw of version 2.0.0
    sentence: str  # all that was given
    resolved_by: str  # what settled it in that version
    gold: str  # head word of its subject
    judgement: Literal["good", "marked", "nonsense", "ungrammatical"]
    subject: str  # head word of the subject as it was read
    other: Literal["impossible", "possible", "open"]
    remark: str | None


def reviewed_clauses(tables: Path = GERMAN) -> dict[str, list[ReviewedClause]]:
    """All judgements, by reader."""
    readings: dict[str, list[ReviewedClause]] = {}
    for row in read_table(tables / "review.tsv", ReviewedClause):
        readings.setdefault(row.reader, []).append(row)
    return readings


def review_counts(tables: Path = GERMAN) -> dict[str, dict[str, int]]:
    """What each reading found, in clauses.

    A clause is `wrong` where a status that excludes the other reading stands beside another subject
    or a possible reading, `cautious` where the suite leaves open what the reader does not.
    """
    return {reader: _counts(readings) for reader, readings in reviewed_clauses(tables).items()}


def _counts(readings: Sequence[ReviewedClause]) -> dict[str, int]:
    counts = dict.fromkeys(COUNTED, 0)
    for read in readings:
        is_decided = read.resolved_by not in UNDECIDED
        is_settled = read.other == "impossible"
        is_same = read.gold == read.subject
        counts["read"] += 1
        counts["wrong"] += is_decided and not (is_settled and is_same)
        counts["cautious"] += is_settled and not is_decided
        for name in ("marked", "nonsense", "ungrammatical"):
            counts[name] += read.judgement == name
    return counts


def kappa(first: Sequence[ReviewedClause], second: Sequence[ReviewedClause]) -> float:
    """Cohen's kappa of two readings of the same clauses: is the other reading impossible?"""
    other = {read.id: read.other == "impossible" for read in second}
    own = [read.other == "impossible" for read in first]
    return cohen_kappa(own, [other[read.id] for read in first])
