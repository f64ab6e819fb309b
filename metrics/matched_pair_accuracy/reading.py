"""A small grammar of answers: from the symbols of an answer's words to the events it states.

Comes from `vocabulary`: one symbol per word, a letter of a closed class or a letter and a number
for the nouns and verbs of the sentence. "The cat was chased by the dog" of a sentence whose nouns
are dog (0) and cat (1) and whose first verb is chase is `N1bP0yN0`.
An event is a triple of numbers: subject, verb, object (`NO_OBJECT` where there is none); entities
are numbered as their events are, innermost first.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .vocabulary import NOUN, NUMBERS, UNKNOWN, EventVocabulary

Event = tuple[int, int, int]
NO_OBJECT = -1
_VALUES = {digit: value for value, digit in enumerate(NUMBERS)}

# The classes of words that the patterns below are written in.
_CLASSES = {
    # with a number
    "NOUN": "N.",  # the dog
    "VERB": "[VPG].",  # chased, chases, chase, has chased, chasing: any form but a short passive
    "GERUND": "G.",  # chasing
    "PARTICIPLE": "[PS].",  # chased; (was) assigned homework
    # closed, `wording` lists them
    "AUXILIARY": "x",  # did, had
    "TO": "t",
    "BE": "b",  # was, got
    "BY": "y",
    "WHO": "r",  # who, which, that
    "ADVERB": "a",  # then, finally
    "COMMA": ",",  # and, so
    "ENTITY": "e",
    "UPON": "u",  # acted upon
}


def _pattern(text: str) -> re.Pattern[str]:
    """A regular expression from a pattern in the names of `_CLASSES`; `agent:NOUN` names a part."""

    def symbol(match: re.Match[str]) -> str:
        name, word_class = match.groups()
        return f"(?{f'P<{name}>' if name else ':'}{_CLASSES[word_class]})"

    return re.compile(re.sub(r"(?:([a-z]+):)?([A-Z]+)", symbol, text).replace(" ", ""))


# the cat being chased by the dog; the cat had then been chased by the dog
_PASSIVE_CLAUSE = _pattern(
    "patient:NOUN ADVERB* (AUXILIARY* | TO) BE* ADVERB* verb:PARTICIPLE BY agent:NOUN"
)
# the dog chased the cat; the dog did then chase the cat; the dog was chasing the cat; the dog
# slept; (caused) the dog to sleep; but not: the dog has to sleep
_ACTIVE_CLAUSE = _pattern(
    "subject:NOUN ADVERB* ((AUXILIARY+ | TO) ADVERB*)?"
    " (BE+ ADVERB* progressive:GERUND | verb:VERB) object:NOUN?"
)
# Relative clauses on the noun before them.
# , which was chased by the dog; chased by the dog
_PASSIVE_RELATIVE = _pattern("COMMA? (WHO AUXILIARY* BE+)? verb:PARTICIPLE BY agent:NOUN")
# that chased the cat; who was chasing the cat
_SUBJECT_RELATIVE = _pattern(
    "COMMA? WHO ADVERB* AUXILIARY* (BE+ ADVERB* progressive:GERUND | verb:VERB) object:NOUN?"
)
# that the dog had chased
_OBJECT_RELATIVE = _pattern("COMMA? WHO agent:NOUN AUXILIARY* verb:VERB")
# Descriptions of an entity, which stand for its noun where they fit one entity only.
# the entity that was chased (by the dog); the entity (that was) acted upon by the dog
_OF_PATIENT = _pattern(
    "ENTITY (WHO AUXILIARY* BE+ | BE)? verb:PARTICIPLE (BY agent:NOUN)?"
    " | ENTITY (WHO AUXILIARY* BE+)? UPON BY actor:NOUN"
)
# the one that the dog chased
_OF_OBJECT = _pattern("ENTITY WHO agent:NOUN AUXILIARY* verb:VERB")
# the one that chased the cat; the one that slept; the entity chasing the cat
_OF_SUBJECT = _pattern(
    "ENTITY (WHO AUXILIARY* (BE+ progressive:GERUND | verb:VERB) | participle:GERUND) object:NOUN?"
)
# the cat that was chased by the dog slept: a relative clause that says more of a subject
_ON_A_SUBJECT = _pattern(
    "head:NOUN COMMA? WHO AUXILIARY* BE+ verb:PARTICIPLE BY agent:NOUN COMMA?"
    " (?=ADVERB*AUXILIARY*(BE+ADVERB*)?VERB)"
)


class AnswerClause(NamedTuple):
    """A clause that was read.

    Attributes:
        subject: The symbol of its grammatical subject.
        event: What it states.
        relatives: What the relative clauses on its object state.
        end: The place after it in the reading.
    """

    subject: str
    event: Event
    relatives: tuple[Event, ...]
    end: int


class Reader:
    """What a sentence says, and one way to read an answer with its words.

    Attributes:
        n: Number of events, and of entities.
        events: Innermost first.
        true_events: The same as a set.
    """

    def __init__(self, events: Sequence[Event], vocabulary: EventVocabulary) -> None:
        self.n = len(events)
        self.events = list(events)
        self.true_events = frozenset(events)
        self._vocabulary = vocabulary

    def read(self, text: str) -> str:
        """Symbols of a text, without separators and adverbs of order at its ends.

        Descriptions of an entity become its noun, and a true passive relative clause on a subject
        goes, "the cat that was chased by the dog slept"; one in the active, as center-embedded
        sentences have it, stays and is not read.
        """
        reading = self._vocabulary.read(text).strip(",a")
        if "e" in reading:
            reading = _OF_PATIENT.sub(self._patient, reading)
            reading = _OF_OBJECT.sub(self._object, reading)
            reading = _OF_SUBJECT.sub(self._subject, reading)
        return _ON_A_SUBJECT.sub(self._head, reading) if "r" in reading else reading

    def _patient(self, match: re.Match[str]) -> str:
        if match["actor"]:
            return self._only(o for s, _, o in self.events if s == _number(match["actor"]))
        agent, verb = _number(match["agent"]), _number(match["verb"])
        return self._only(o for s, v, o in self.events if v == verb and agent in (NO_OBJECT, s))

    def _object(self, match: re.Match[str]) -> str:
        wanted = (_number(match["agent"]), _number(match["verb"]))
        return self._only(o for s, v, o in self.events if (s, v) == wanted)

    def _subject(self, match: re.Match[str]) -> str:
        verb = match["progressive"] or match["verb"] or match["participle"]
        wanted = (_number(verb), _number(match["object"]))
        return self._only(s for s, v, o in self.events if (v, o) == wanted)

    def _head(self, match: re.Match[str]) -> str:
        event = (_number(match["agent"]), _number(match["verb"]), _number(match["head"]))
        return match["head"] if event in self.true_events else UNKNOWN

    def _only(self, entities: Iterable[int]) -> str:
        """The noun of the one entity that a description fits; unknown where none or several do."""
        found = list(entities)
        is_one = len(found) == 1 and found[0] != NO_OBJECT
        return noun_symbol(found[0]) if is_one else UNKNOWN


class Sentence:
    """The events of one sentence and the ways to read an answer with its words.

    Args:
        events: Innermost first, as in a row: `subject`, `verb` (`base`, `past`, `participle`,
            `gerund`, `third`, `tail`), `object`.

    Attributes:
        n: Number of events, and of entities.
        events: Innermost first.
        readers: One; two where a word is a noun and a verb of the sentence, "nurse": without an
            article it may be either.

    Raises:
        ValueError: The events are no chain: an object is not the next event's subject, or the
            outermost event has one; or they are too many.
    """

    def __init__(self, events: Sequence[Mapping[str, Any]]) -> None:
        subjects = [event["subject"] for event in events]
        objects = [event["object"] for event in events]
        if objects != [*subjects[1:], None]:
            expected = f"{[*subjects[1:], None]}, innermost first"
            raise ValueError(f"events, got objects {objects}; expected {expected}")
        if len(events) > len(NUMBERS):
            raise ValueError(f"events, got {len(events)}; expected at most {len(NUMBERS)}")
        verbs = [event["verb"] for event in events]
        names = [(verb["base"], verb["tail"]) for verb in verbs]
        verb_numbers = [names.index(name) for name in names]
        self.n = len(events)
        self.events: list[Event] = [
            (i, verb, i + 1 if i + 1 < self.n else NO_OBJECT) for i, verb in enumerate(verb_numbers)
        ]
        vocabularies = [EventVocabulary(subjects, verbs, verb_numbers)]
        if vocabularies[0].homographs:
            vocabularies += [EventVocabulary(subjects, verbs, verb_numbers, prefers_nouns=True)]
        self.readers = [Reader(self.events, vocabulary) for vocabulary in vocabularies]


def noun_symbol(entity: int) -> str:
    """Symbol that stands for an entity in a reading."""
    return NOUN + NUMBERS[entity]


def read_clause(reading: str, start: int = 0) -> AnswerClause | None:
    """Clause that begins at `start`, in any voice and tense, with relative clauses on its object.

    A relative clause on the subject is never read: an answer that repeats the center-embedded
    sentence shows no parse.

    Returns:
        None where no clause begins there.
    """
    if match := _PASSIVE_CLAUSE.match(reading, start):
        event = (_number(match["agent"]), _number(match["verb"]), _number(match["patient"]))
        return AnswerClause(match["patient"], event, (), match.end())
    if match := _ACTIVE_CLAUSE.match(reading, start):
        subject, verb, obj = (
            match["subject"],
            match["progressive"] or match["verb"],
            match["object"],
        )
        event = (_number(subject), _number(verb), _number(obj))
        relatives: tuple[Event, ...] = ()
        end = match.end()
        if obj:
            relatives, end = read_relatives(reading, end, event[2])
        return AnswerClause(subject, event, relatives, end)
    return None


def read_relatives(reading: str, start: int, head: int) -> tuple[tuple[Event, ...], int]:
    """Events of the relative clauses that begin at `start`, and the place after them.

    Args:
        reading: Symbols of an answer.
        start: The place after a noun.
        head: The entity of that noun; each further clause is on the object of the one before.
    """
    events: list[Event] = []
    while found := _read_relative(reading, start, head):
        event, start = found
        events.append(event)
        if event[0] != head or event[2] == NO_OBJECT:
            break
        head = event[2]
    return tuple(events), start


def _read_relative(reading: str, start: int, head: int) -> tuple[Event, int] | None:
    for pattern in (_PASSIVE_RELATIVE, _OBJECT_RELATIVE):
        if match := pattern.match(reading, start):
            return (_number(match["agent"]), _number(match["verb"]), head), match.end()
    if match := _SUBJECT_RELATIVE.match(reading, start):
        verb = match["progressive"] or match["verb"]
        return (head, _number(verb), _number(match["object"])), match.end()
    return None


def _number(symbol: str | None) -> int:
    """Number of a noun or verb; `NO_OBJECT` for none."""
    return _VALUES[symbol[1]] if symbol else NO_OBJECT
