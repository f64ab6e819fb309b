"""What three judges say of both directions of verbs and triples, and what follows for the tables.

The judges are the model that wrote the tables (`author`) and two language models that saw verbs,
nouns and nothing else (`first`, `second`), independent of each other. A claim needs all three: a
verb takes one class of nouns only where none of them lets it take the other, and the reverse of a
triple is excluded only where none finds it possible. Where they disagree it is possible, and
implausible: the rule is always the weaker claim.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from builders.sorts.resolution import Reverse
from ground.tables import read_table
from research.readings import DATA
from research.readings.agreement import Agreement, agreement

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
    for answer, question in (
        ("impossible", "the reverse of the triple is impossible"),
        ("expected", "the reverse of the triple is as good"),
    ):
        found.append(
            agreement(
                question,
                [triple.first_reverse == answer for triple in triples],
                [triple.second_reverse == answer for triple in triples],
            )
        )
    return found


def changes(tables: Path = GERMAN) -> Mapping[str, int]:
    """What the readings changed of the author's decisions.

    Returns:
        `verbs` and `triples` read; `widened`, verbs that may now take both classes in a role;
        `no_longer_excluded` and `no_longer_open`, triples; `unread`, triples without nouns;
        `doubted`, triples that both readers exclude and the author does not.
    """
    verbs, triples = verb_readings(tables), triple_readings(tables)
    return {
        "verbs": len(verbs),
        "widened": sum(
            any(verb.decided(role) != verb.of("author", role) for role in ROLES) for verb in verbs
        ),
        "triples": len(triples),
        "unread": sum(not triple.is_read for triple in triples),
        "no_longer_excluded": _n_given_up(triples, "excluded"),
        "no_longer_open": _n_given_up(triples, "open"),
        "doubted": sum(
            t.author_reverse != "excluded" and t.first_reverse == t.second_reverse == "impossible"
            for t in triples
        ),
    }


def _n_given_up(triples: Sequence[TripleReading], status: Reverse) -> int:
    return sum(t.author_reverse == status and t.decided != status for t in triples)
