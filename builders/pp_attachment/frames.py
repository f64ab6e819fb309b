"""The frames of the suite: typed records of its tables, their links checked once.

A frame is a verb or noun with its preposition and the words that go with them; each cell lists
alternatives, and every choice of one from each makes a sentence. Frames are the families of the
suite's items.

    # Der Jäger  beobachtet  den Wanderer  mit dem Fernglas .
    # subject    verb        object        preposition, filler      topology/mit_fernglas
"""

import functools
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal, get_args

from builders.sorts.lexicon import Case, Lexicon, read_lexicon, split_phrase
from ground.tables import DataFileError, check_values, read_table

DATA = Path(__file__).parent / "data"
GERMAN = DATA / "german"

Group = Literal[
    "adjunct", "contrast_noun", "contrast_preposition", "contrast_verb", "noun", "plausibility",
    "topology", "verb",
]  # fmt: skip
Position = Literal["before_verb", "inside_np", "next_to_noun", "away_from_noun", "after_bracket"]
Article = Literal["definite", "indefinite", "bare"]
Trait = Literal["dort", "extractable", "noun_selects", "pronoun", "reflexive", "subject_hosts"]


@dataclass(frozen=True)
class AttachmentFrame:
    """One row of `frames.tsv`, whose notes say what the columns hold in each group."""

    group: Group
    frame: str
    preposition: str
    case: Case
    verbs: tuple[str, ...]
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    object_case: Literal["accusative", "dative"] | None
    fillers: tuple[str, ...]
    articles: tuple[str, ...]
    contrast: tuple[str, ...]
    traits: tuple[str, ...]
    prefers: Literal["verb", "noun"] | None

    @property
    def family(self) -> str:
        """Group and name, such as `topology/mit_fernglas`."""
        return f"{self.group}/{self.frame}"


@dataclass(frozen=True)
class VerbForms:
    """A verb in the third person, with its participle; the perfect is made with `haben`."""

    infinitive: str
    third_singular: str
    participle: str
    zipf: float | None


@dataclass(frozen=True)
class Order:
    """Where the words of a clause stand; `host` is the noun next to the phrase, if there is one."""

    order: str
    position: Position
    host: Literal["S", "O"] | None
    template: tuple[str, ...]


@dataclass(frozen=True)
class Adverb:
    """An adverb: before the finite verb, on the sentence, inside a noun phrase, behind a phrase."""

    kind: Literal["fronted", "sentence", "local", "postposed"]
    form: str
    xpos: str


@dataclass(frozen=True)
class Contraction:
    """Preposition and article as one word."""

    preposition: str
    article: str
    form: str


@dataclass(frozen=True)
class Preposition:
    """A preposition: its cases in the frames, and its role whatever its noun, if it has one."""

    preposition: str
    cases: tuple[Case, ...]
    role: Literal["time", "cause", "concession"] | None


@dataclass(frozen=True)
class Exclusion:
    """What cannot be: a phrase of some role with a host, `*` for all hosts; and why."""

    relation: Literal["attribute", "adverbial"]
    role: Literal["time", "cause", "concession", "modifier"]
    host: str
    reason: str


@dataclass(frozen=True)
class Companion:
    """A noun that takes a genitive (whose person it is), that names a time, or is no person."""

    noun: str
    kind: Literal["relative", "time", "animal"]


@dataclass(frozen=True)
class Holder:
    """A topology frame with some of its verbs, places, and verbs of telling and of having."""

    frame: str
    verbs: tuple[str, ...]
    says: str
    has: str
    places: tuple[str, ...]


@dataclass(frozen=True)
class Telling:
    """A time, and how to say who had something: that one is named first, or last."""

    time: str
    first: str
    last: str


@dataclass(frozen=True)
class OtherVerbs:
    """Two verbs that do not take a frame's phrase, around its selecting verb in the alphabet."""

    frame: str
    earlier: str
    later: str


@functools.cache
def lexicon() -> Lexicon:
    """The words of `builders.sorts` and this suite's own."""
    return read_lexicon(GERMAN)


@functools.cache
def frames() -> tuple[AttachmentFrame, ...]:
    """All frames, sorted by group and name; a DataFileError where one names what there is not."""
    path = DATA / "frames.tsv"
    rows = tuple(read_table(path, AttachmentFrame))
    for row in rows:
        place = f"of {row.family}"
        others = dict.fromkeys(get_args(Group), ()) | {row.group: row.contrast}
        verbs = (*row.verbs, *others["contrast_verb"])
        cells = (*row.subjects, *row.objects, *row.fillers, *others["contrast_noun"])
        nouns = (split_phrase(cell)[1] for cell in (*cells, *others["plausibility"]))
        known = (row.preposition, *others["contrast_preposition"], *others["adjunct"])
        check_values(path, f"verb {place}", verbs, verb_forms())
        check_values(path, f"noun {place}", nouns, lexicon().nouns)
        check_values(path, f"preposition {place}", known, prepositions())
        check_values(path, f"case {place}", [row.case], prepositions()[row.preposition].cases)
        check_values(path, f"article {place}", row.articles, get_args(Article))
        check_values(path, f"trait {place}", row.traits, get_args(Trait))
    return rows


@functools.cache
def frame_of(family: str) -> AttachmentFrame:
    """Frame of a family; a KeyError where there is none."""
    return {frame.family: frame for frame in frames()}[family]


@functools.cache
def verb_forms() -> dict[str, VerbForms]:
    """Verbs by infinitive."""
    return {row.infinitive: row for row in read_table(DATA / "verb_forms.tsv", VerbForms)}


@functools.cache
def orders() -> dict[str, Order]:
    """Orders by name."""
    return {row.order: row for row in read_table(DATA / "orders.tsv", Order)}


@functools.cache
def adverbs(kind: str) -> tuple[Adverb, ...]:
    """Adverbs of a kind."""
    return tuple(row for row in read_table(DATA / "adverbs.tsv", Adverb) if row.kind == kind)


@functools.cache
def contractions() -> dict[tuple[str, str], str]:
    """Form of preposition and article that are one word."""
    rows = read_table(DATA / "contractions.tsv", Contraction)
    return {(row.preposition, row.article): row.form for row in rows}


@functools.cache
def prepositions() -> dict[str, Preposition]:
    """Prepositions by lemma."""
    rows = read_table(DATA / "prepositions.tsv", Preposition)
    return {row.preposition: row for row in rows}


@functools.cache
def exclusions() -> tuple[Exclusion, ...]:
    """What cannot be."""
    return tuple(read_table(DATA / "exclusions.tsv", Exclusion))


@functools.cache
def holders() -> dict[str, Holder]:
    """Topology frames whose phrase names what a person then has; a DataFileError for others."""
    path = DATA / "holders.tsv"
    rows = read_table(path, Holder)
    known = {frame.frame: frame.verbs for frame in frames() if frame.group == "topology"}
    check_values(path, "frame", (row.frame for row in rows), known)
    for row in rows:
        check_values(path, f"verb of {row.frame}", row.verbs, known[row.frame])
    return {row.frame: row for row in rows}


@functools.cache
def tellings() -> tuple[Telling, ...]:
    """Ways to tell who had something."""
    return tuple(read_table(DATA / "tellings.tsv", Telling))


@functools.cache
def other_verbs() -> dict[str, tuple[str, str]]:
    """Verbs before and behind the selecting one in the alphabet, by frame; else a DataFileError."""
    path, forms = DATA / "other_verbs.tsv", verb_forms()
    rows = read_table(path, OtherVerbs)
    selecting = {one.frame: one.contrast[0] for one in frames() if one.group == "contrast_verb"}
    check_values(path, "frame", (row.frame for row in rows), selecting)
    for row in rows:
        three = (row.earlier, selecting[row.frame], row.later)
        check_values(path, f"verb of {row.frame}", three, forms)
        alphabet = [forms[verb].third_singular for verb in three]
        if alphabet != sorted(alphabet):
            raise DataFileError(f"{path}: {row.frame}, got {alphabet}; expected them by alphabet")
    verbs = sorted(verb for row in rows for verb in (row.earlier, row.later))
    for verb, after in pairwise(verbs):
        if verb == after:  # what is told of it in one frame would be told in the other
            raise DataFileError(f"{path}: verb, got {verb!r} twice; expected it once")
    return {row.frame: (row.earlier, row.later) for row in rows}


@functools.cache
def companions(kind: str) -> tuple[str, ...]:
    """Nouns of a kind: relatives, times or animals; a DataFileError for one of no lexicon."""
    path = DATA / "companions.tsv"
    rows = read_table(path, Companion)
    check_values(path, "noun", (row.noun for row in rows), lexicon().nouns)
    return tuple(row.noun for row in rows if row.kind == kind)
