"""The authors' edition: their two JSON files as rows of the same schema as the generated suite.

Events are parsed from the sentence, since the authors' structures lose words; depth is the place in
their structure. What does not follow from the sentence is put right, and the row says what kind of
difference it was; the authors' strings stay beside it. The differences are tried from the slightest
to the gravest, each on top of those before it: `variant` is another right wording, left alone but
for stray blanks; `structure` a row that does not say what its sentence says; `ours` what nothing
else explains.

Source: https://github.com/Sangmitra-06/CENTERBENCH; Madhusudan, Chen and Emami (2026).
"""

import functools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from builders.centerbench.columns import (
    CONDITIONS,
    RELEASED_QUESTION_SCHEMA,
    RELEASED_SENTENCE_SCHEMA,
    Condition,
    text_columns,
)
from builders.centerbench.draw import default_drawer
from builders.centerbench.events import CenterVerb, Event
from builders.centerbench.parser import CenterLexicon, CenterReading
from builders.centerbench.questions import DIFFICULTY, CenterQuestion, ask_questions
from ground.downloads import SourceFile, known_files
from ground.tables import DataFileError, read_bytes, read_settings, read_table

DATA = Path(__file__).parent / "data"
Tables = dict[str, dict[str, pa.Table]]


@dataclass(frozen=True)
class ReleasedFile:
    """One file of the authors' repository; an excerpt has only the named levels."""

    condition: Condition
    commit: str
    path: str
    bytes: int
    sha256: str
    levels: list[int]
    is_excerpt: bool = False


@dataclass(frozen=True)
class LexiconEntry:
    """A noun or verb that the authors' structures cut short or miss."""

    phrase: str
    kind: Literal["noun", "verb"]


@dataclass(frozen=True)
class ErratumEntry:
    """A sentence whose rows contradict it; `is_repaired` says whether they are put right."""

    sentence_id: str
    is_repaired: bool
    remark: str


class ReleasedSentence(NamedTuple):
    """One of the authors' sentences, with the one reading that it has, or None if it has none."""

    condition: Condition
    level: int
    number: int
    raw: dict[str, Any]
    reading: CenterReading | None

    @property
    def sentence_id(self) -> str:
        """Names the sentence as in the generated suite."""
        return f"{self.level}-{self.number:05d}-{self.condition[0]}"

    @property
    def structure(self) -> CenterReading:
        """What the authors say that its reading is."""
        pairs = [(event["subject"], event["action"]) for event in self.raw["structure"]]
        return CenterReading(*zip(*pairs, strict=True))

    @property
    def best_reading(self) -> CenterReading:
        """Its reading, or for the two that have none the authors' structure."""
        return self.reading or self.structure

    @property
    def has_structure(self) -> bool:
        """Whether the authors' structure is its reading."""
        return self.reading == self.structure


def released_tables(folder: Path) -> Tables:
    """Converts the authors' files in a folder and its subfolders; both conditions or one.

    Returns:
        Tables under config and split, of `columns.RELEASED_QUESTION_SCHEMA` (differences of `Kind`,
        "" if none) and `columns.RELEASED_SENTENCE_SCHEMA`. What they do not give is null.

    Raises:
        DataFileError: No known file is there, one has a known name but another content, or a
            sentence lacks a question.
    """
    sentences = read_sentences(folder)
    forms = inflect_phrases({verb for one in sentences for verb in one.best_reading.verbs})
    people, errata = _people(sentences), read_table(DATA / "released_errata.tsv", ErratumEntry)
    errors = {entry.sentence_id: entry for entry in errata}
    questions: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    for one in sentences:
        events, (nouns, verbs) = one.best_reading.events(forms), one.best_reading
        shared = _shared_columns(one, events, people)
        own = {"id": one.sentence_id, "nouns": list(nouns), "verbs": list(verbs)}
        rows.append({**shared, **own, "has_structure": one.has_structure})
        named = {noun for noun in nouns if _head(noun) in people}
        for question in ask_questions(events, named):
            strings = _repair(one, question, events, errors.get(one.sentence_id))
            questions.append({**shared, **_question_columns(one, question), **strings})
    tables = {
        "released_questions": pa.Table.from_pylist(questions, RELEASED_QUESTION_SCHEMA),
        "released_sentences": pa.Table.from_pylist(rows, RELEASED_SENTENCE_SCHEMA),
    }
    return {name: {"test": table} for name, table in tables.items()}


def downloadable_files() -> list[SourceFile]:
    """The authors' two files, pinned to a commit and a checksum."""
    url = read_settings(DATA / "released.toml")["url"]
    return [
        SourceFile(Path(f.path).name, url.format(commit=f.commit, path=f.path), f.sha256)
        for f in _known_files()
        if not f.is_excerpt
    ]


def read_sentences(folder: Path) -> list[ReleasedSentence]:
    """The authors' sentences, parsed, plausible ones first; errors as in `released_tables`."""
    raw = [
        ReleasedSentence(source.condition, level, number, sentence, None)
        for source, path in _find_files(folder)
        for level in source.levels
        for number, sentence in enumerate(
            json.loads(read_bytes(path))[f"complexity_{level}"]["sentences"]
        )
    ]
    # nouns and verbs of the authors' structures, and those that these cut short or miss
    entries = read_table(DATA / "released_lexicon.tsv", LexiconEntry)
    events = [event for sentence in raw for event in sentence.raw["structure"]]
    nouns = {event["subject"] for event in events} | {e.phrase for e in entries if e.kind == "noun"}
    verbs = {event["action"] for event in events} | {e.phrase for e in entries if e.kind == "verb"}
    lexicon = CenterLexicon(nouns, verbs)
    readings = [lexicon.parse(sentence.raw["sentence"].strip()) for sentence in raw]
    return [
        sentence._replace(reading=found[0] if len(found) == 1 else None)
        for sentence, found in zip(raw, readings, strict=True)
    ]


@cache
def _known_files() -> tuple[ReleasedFile, ...]:
    return tuple(ReleasedFile(**entry) for entry in read_settings(DATA / "released.toml")["files"])


def _find_files(folder: Path) -> list[tuple[ReleasedFile, Path]]:
    """Finds the authors' files by checksum; of a whole file and its excerpt, the whole one."""
    sources = {file.sha256: file for file in _known_files()}
    names = {digits: Path(source.path).name for digits, source in sources.items()}
    found: dict[Condition, tuple[ReleasedFile, Path]] = {}
    for digits, path in known_files(folder, names, (".json",)):
        source = sources[digits]
        known = found.setdefault(source.condition, (source, path))
        if len(source.levels) > len(known[0].levels):
            found[source.condition] = source, path
    if not found:
        expected = " or ".join(sorted({*names.values()}))
        raise DataFileError(f"{folder}: got no file of the authors; expected {expected}")
    return [found[condition] for condition in CONDITIONS if condition in found]


def _people(sentences: Iterable[ReleasedSentence]) -> frozenset[str]:
    """The head nouns that the authors ask for with "Who" more often than with "What"."""
    votes: Counter[str] = Counter()
    for sentence in sentences:
        for row in chain.from_iterable(sentence.raw["questions_by_entity"].values()):
            if row["type"] == "agent_identification":
                votes[_head(row["answer"])] += 1 if row["question"].startswith("Who") else -1
    return frozenset(head for head, n in votes.items() if n > 0)


def _head(noun_phrase: str) -> str:
    return noun_phrase.split()[-1].lower()


def _question_columns(sentence: ReleasedSentence, question: CenterQuestion) -> dict[str, Any]:
    return {
        **question._asdict(),
        "id": f"{sentence.sentence_id}-{question.depth}-{question.question_type}",
        "sentence_id": sentence.sentence_id,
        "difficulty": DIFFICULTY[question.question_type],
    }


def _released_row(sentence: ReleasedSentence, question: CenterQuestion) -> dict[str, str]:
    """Finds the authors' row for a question by the place of its entity in their structure."""
    entity = sentence.raw["structure"][question.depth]["subject"]
    of_entity = sentence.raw["questions_by_entity"].get(entity, ())
    rows = [row for row in of_entity if row["type"] == question.question_type]
    if len(rows) != 1:
        where = f"{sentence.condition} {sentence.raw['id']}"
        what = f"{question.question_type} of {entity!r}"
        raise DataFileError(f"{where}: {what}, got {len(rows)} rows; expected one")
    return {"question": rows[0]["question"], "answer": rows[0]["answer"]}


def _repair(
    sentence: ReleasedSentence,
    expected: CenterQuestion,
    events: Sequence[Event],
    erratum: ErratumEntry | None,
) -> dict[str, str]:
    """Question and answer as they should be and as they were, with the kinds of difference."""
    row: dict[str, str] = {}
    flags = {"is_erratum": erratum is not None, "has_structure": sentence.has_structure}
    unrepaired = ["variant", "ours"]
    if erratum and not erratum.is_repaired:
        unrepaired.append("structure")
    for name, released in _released_row(sentence, expected).items():
        right = getattr(expected, name)
        kind = classify_difference(released, right, events, **flags)
        # an answer fits its question's wording
        is_kept = kind in unrepaired or row.get("question_difference") == "variant"
        row |= {
            # blanks that are double, at an end or before a question mark are left out
            name: " ".join(released.split()).replace(" ?", "?") if is_kept else right,
            f"original_{name}": released,
            f"{name}_difference": kind or "",
        }
    return row


def _shared_columns(
    sentence: ReleasedSentence, events: Sequence[Event], people: frozenset[str]
) -> dict[str, Any]:
    return {
        "pair_id": sentence.sentence_id[:-2],
        "condition": sentence.condition,
        "level": sentence.level,
        "domain": _domain([event.subject for event in events], people),
        **text_columns(sentence.raw["sentence"]),
        "events": [event.as_row() for event in events],
    }


def _domain(nouns: Sequence[str], people: frozenset[str]) -> str:
    """The one domain of the nouns that the project knows, or "mixed"."""
    knowledge = default_drawer().knowledge
    known = {noun.head: knowledge.domain(noun) for noun in knowledge.nouns.values()}
    domains = {"people" if head in people else known.get(head) for head in map(_head, nouns)}
    told = [domain for domain in domains if domain]
    return told[0] if len(told) == 1 else "mixed"


@dataclass(frozen=True)
class InflectionEntry:
    """What is particular about a phrase: forms of its first word, the relative clause."""

    verb: str
    base: str | None
    participle: str | None
    gerund: str | None
    third: str | None
    relative: str | None
    is_separable: bool


def inflect_phrases(phrases: Iterable[str]) -> dict[str, CenterVerb]:
    """The verbs of past-tense phrases, such as "barked at": a form and what follows it.

    By `lemminflect`, without which it is a ModuleNotFoundError, and the table of what that does not
    know.
    """
    entries = {one.verb: one for one in read_table(DATA / "released_verbs.tsv", InflectionEntry)}
    names = ("base", "participle", "gerund", "third", "relative")
    found = {}
    for phrase in sorted(phrases):
        past, _, tail = phrase.partition(" ")
        verb = _regular_verb(past)._replace(tail=tail)
        if entry := entries.get(phrase):
            particular = {name: form for name in names if (form := getattr(entry, name))}
            verb = verb._replace(is_separable=entry.is_separable, **particular)
        found[phrase] = verb
    return found


def _regular_verb(past: str) -> CenterVerb:
    """Inflects a past form; a hyphenated verb is inflected in its last part ("cross-examined")."""
    import lemminflect

    prefix, hyphen, word = past.rpartition("-")
    base = lemminflect.getLemma(word, "VERB")[0]
    forms = (lemminflect.getInflection(base, tag) for tag in ("VBD", "VBN", "VBG", "VBZ"))
    pasts, participles, (gerund, *_), (third, *_) = forms
    is_parallel = word in pasts and len(pasts) == len(participles)
    participle = participles[pasts.index(word)] if is_parallel else participles[0]
    return CenterVerb(*(prefix + hyphen + form for form in (base, word, participle, gerund, third)))  # type: ignore[arg-type]  # five strings


Kind = Literal[
    "whitespace", "punctuation", "case", "wh_word", "modifier", "tense", "variant", "lost_word",
    "added_word", "spelling", "structure", "ours",
]  # fmt: skip
LEAST_SIMILARITY = 0.5


def classify_difference(
    released: str, expected: str, events: Sequence[Event], *, is_erratum: bool, has_structure: bool
) -> Kind | None:
    """Names how a released string differs from the expected one; None if it does not.

    `is_erratum`: the authors' rows are known to contradict the sentence; `has_structure`: their
    structure agrees with it.
    """
    if released == expected:
        return None
    for kind, normalize in _normalizers(events):
        released, expected = normalize(released), normalize(expected)
        if released == expected:
            return kind
    objects = [(event.verb, f"the {event.object}") for event in events]
    for _, normalize in _normalizers(events):
        objects = [(verb, normalize(patient)) for verb, patient in objects]
    if _canonical_wording(released, objects) == _canonical_wording(expected, objects):
        return "variant"
    if is_erratum:
        return "structure"
    words, right = released.split(), expected.split()
    if _is_subsequence(words, right):
        return "lost_word"
    if _is_subsequence(right, words):  # "the entity that whose photos were developed"
        return "added_word"
    # each differing word resembles the expected one and is no verb of the sentence
    pairs = [(a, b) for a, b in zip(words, right, strict=False) if a != b]
    is_similar = all(SequenceMatcher(None, a, b).ratio() >= LEAST_SIMILARITY for a, b in pairs)
    pasts = {event.verb.past for event in events}
    if len(words) == len(right) and is_similar and not any(word in pasts for word, _ in pairs):
        return "spelling"
    return "ours" if has_structure else "structure"


def _normalizers(events: Sequence[Event]) -> Iterator[tuple[Kind, Callable[[str], str]]]:
    # "carry the waiter  out " is "carry the waiter out"
    yield "whitespace", lambda text: re.sub(r"\s+(?=\?|$)", "", " ".join(text.split()))
    yield "punctuation", lambda text: text.removesuffix("?")
    yield "case", str.lower
    yield "wh_word", lambda text: re.sub(r"^(who|what)\b", "wh", text)
    # "the man scared the dog" is "the delivery man scared the dog"
    names = dict.fromkeys(event.subject.lower() for event in events)
    yield "modifier", lambda text: functools.reduce(_with_head, names, text)
    yield "variant", lambda text: re.sub(r"eyeing\b", "eying", text)
    # "chased the cat" is "chase the cat", and "the dog chased the cat which led to" is "the dog
    # chasing the cat which led to"
    pasts = {form: event.verb.past for event in events for form in event.verb[:5]}
    yield "tense", lambda text: " ".join(pasts.get(word, word) for word in text.split())


def _with_head(text: str, name: str) -> str:
    return re.sub(rf"\b{re.escape(name)}\b", name.split()[-1], text)


def _canonical_wording(text: str, objects: Sequence[tuple[CenterVerb, str]]) -> str:
    # "carry out the waiter" is "carry the waiter out"; "lecturing the nurse" is "lecturing to the
    # nurse"; "what happened to the paper" is "what did the paper do"
    for verb, patient in objects:
        if verb.is_separable:
            text = text.replace(f"{verb.tail} {patient}", f"{patient} {verb.tail}")
        if verb.tail.split()[-1:] == ["to"]:
            phrase = f"{verb.past} {verb.tail}"
            text = text.replace(phrase, phrase.removesuffix("to").strip())
    text = re.sub(r"whose (food )?orders? (was|were)", "whose orders were", text)
    return re.sub(r"^wh happened to (.+)$", r"wh did \1 do", text)


def _is_subsequence(words: Sequence[str], of: Sequence[str]) -> bool:
    rest = iter(of)
    return len(words) < len(of) and all(word in rest for word in words)
