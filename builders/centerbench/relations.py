"""The knowledge base: which relations of two entities are licensed, neutral or violations.

Nouns have a sort ("raptor", "officer", "ferry"), a rank (animals: place in the food chain; people:
authority; vehicles: mass) and the settings they are at home in. Verbs restrict the sorts of their
subject and object; a directional verb wants a subject that outranks its object. A pair of sorts is
licensed for classes of verbs. Exceptions name single nouns.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from builders.centerbench.events import CenterVerb
from ground.tables import DataFileError, check_values, read_table

DATA = Path(__file__).parent / "data"

Domain = Literal["animals", "people", "vehicles"]
Status = Literal["licensed", "neutral", "violates"]
Restriction = Literal["rank", "subject_sort", "object_sort"]
VerbClass = Literal[
    "perception", "communication", "contact", "control", "service",
    "pursuit", "stalking", "attack", "startle", "expulsion", "voicing",
    "flight", "evasion", "retreat", "cowering",
    "command", "dispatch", "rebuke", "career", "instruction", "oversight", "medicine", "childcare",
    "ministry", "law", "deference", "request", "attendance", "defiance", "study", "submission",
    "infancy", "escape",
    "disturbance", "displacement", "passage", "approach", "overflight", "gunfire", "release",
    "patrol", "boarding", "leaving", "rebound", "shelter", "wake", "manner", "away", "yielding",
    "inactivating", "transport", "lethal",
    "voice", "cry", "posture", "motion", "skill", "plight", "death",
]  # fmt: skip

DOMAINS: tuple[Domain, ...] = get_args(Domain)
DISABLING: tuple[VerbClass, ...] = ("inactivating", "transport", "lethal")


@dataclass(frozen=True)
class SortEntry:
    """A kind of entity, `gloss` in a linguist's words."""

    sort: str
    domain: Domain
    gloss: str


@dataclass(frozen=True)
class NounEntry:
    """A noun; `head` is its last word.

    `rank` orders it within its domain, `zipf` is its log10 frequency per billion words.
    """

    noun: str
    head: str
    sort: str
    rank: int
    settings: tuple[str, ...]
    zipf: float


@dataclass(frozen=True)
class VerbEntry:
    """A verb with the forms of its first word and its tail.

    Attributes:
        passive: The participle of a passive clause with the tail, None if none is well formed.
        meaning: Verbs of one meaning say nearly the same.
        direction: `down` wants a subject that outranks its object, `up` the reverse (to flee);
            `role` is a matter of the subject alone (only doctors vaccinate); `any` is symmetric.
        subjects, objects: What is expected: sorts, nouns or domains; `tolerated` subjects are
            neither expected nor wrong.
        margin: A directional verb is violated where the rank that should be higher is below so
            many times the other.
    """

    verb: str
    base: str
    past: str
    participle: str
    gerund: str
    third: str
    tail: str | None
    passive: str | None
    frame: Literal["transitive", "final"]
    verb_class: VerbClass
    meaning: str
    direction: Literal["down", "up", "role", "any"] | None
    subjects: tuple[str, ...]
    tolerated: tuple[str, ...]
    objects: tuple[str, ...]
    margin: float | None
    zipf: float


@dataclass(frozen=True)
class LicenceEntry:
    """A pair of sorts and the classes of verbs that may relate them."""

    subject_sort: str
    object_sort: str
    verb_classes: tuple[VerbClass, ...]


@dataclass(frozen=True)
class ExceptionEntry:
    """Events that are neither expected nor wrong, whatever the rest says.

    Subject and object are nouns or sorts, the verb is one or a class; an absent one is any.
    """

    subject: str | None
    verb: str | None
    object: str | None
    reason: str


class Judgement(NamedTuple):
    """What the knowledge base says of an event, and the restrictions that it violates."""

    status: Status
    restrictions: tuple[Restriction, ...] = ()


class KnowledgeBase:
    """The tables of a folder, checked against each other, and what follows from them.

    A DataFileError where one breaks its schema, names something that another does not have, or has
    two nouns with one head.
    """

    def __init__(self, folder: Path = DATA) -> None:
        self.folder = folder
        self.sorts = {entry.sort: entry for entry in read_table(folder / "sorts.tsv", SortEntry)}
        self.nouns = {entry.noun: entry for entry in read_table(folder / "nouns.tsv", NounEntry)}
        self.verbs = {entry.verb: entry for entry in read_table(folder / "verbs.tsv", VerbEntry)}
        self._licences = {
            (e.subject_sort, e.object_sort): frozenset(e.verb_classes)
            for e in read_table(folder / "licences.tsv", LicenceEntry)
        }
        exceptions = read_table(folder / "exceptions.tsv", ExceptionEntry)
        self._check(exceptions)
        every = self.verbs.values()
        self._exempt: dict[str | None, set[tuple[str | None, str | None]]] = {None: set()}
        for entry in exceptions:
            nouns = (entry.subject, entry.object)
            subjects, objects = (self._expand((one,)) if one else (None,) for one in nouns)
            of_class = [verb.verb for verb in every if verb.verb_class == entry.verb]
            verbs: Sequence[str | None] = of_class or [entry.verb]
            for name in verbs:
                self._exempt.setdefault(name, set()).update(product(subjects, objects))
        self._subjects = {verb.verb: self._expand(verb.subjects) for verb in every}
        self._possible = {v.verb: self._expand(v.subjects + v.tolerated) for v in every}
        self._objects = {verb.verb: self._expand(verb.objects) for verb in every}

    def domain(self, noun: NounEntry) -> Domain:
        """The domain of a noun's sort."""
        return self.sorts[noun.sort].domain

    @property
    def transitive(self) -> list[VerbEntry]:
        """The verbs that have an object."""
        return [verb for verb in self.verbs.values() if verb.frame == "transitive"]

    @property
    def finals(self) -> list[VerbEntry]:
        """The verbs that have none."""
        return [verb for verb in self.verbs.values() if verb.frame == "final"]

    @cached_property
    def people(self) -> frozenset[str]:
        """The nouns that a question asks for with "Who"."""
        return frozenset(noun.noun for noun in self.nouns.values() if self.domain(noun) == "people")

    @cached_property
    def forms(self) -> dict[str, CenterVerb]:
        """The verbs as events carry them."""
        return {
            v.verb: CenterVerb(v.base, v.past, v.participle, v.gerund, v.third, v.tail or "")
            for v in self.verbs.values()
        }

    def judge(
        self, subject: NounEntry, verb: VerbEntry, object_: NounEntry | None = None
    ) -> Judgement:
        """Judges one event; `object_` is None for a final verb.

        It `violates` with every restriction that is broken; else it is `licensed` where the sorts
        are for the verb's class and the nouns share a setting (of a final verb only its subject's
        sort counts); else `neutral`.
        """
        if self._is_exempt(subject, verb, object_):
            return Judgement("neutral")
        if self._is_expected(subject, verb, object_):
            return Judgement("licensed")
        broken: list[Restriction] = []
        if object_ and self._has_wrong_rank(subject, verb, object_):
            broken.append("rank")
        if subject.noun not in self._possible[verb.verb]:
            broken.append("subject_sort")
        if object_ and verb.direction != "role" and object_.noun not in self._objects[verb.verb]:
            broken.append("object_sort")
        return Judgement("violates" if broken else "neutral", tuple(broken))

    def has_wrong_subject(
        self, subject: NounEntry, verb: VerbEntry, object_: NounEntry | None = None
    ) -> bool:
        """Whether an event is wrong for its subject.

        With a verb that runs up or down, its rank is wrong; to be of another sort than the verb
        expects is not enough, since whoever flees or chases may do so in many ways. With any other
        verb it is of an impossible sort.
        """
        if self._is_exempt(subject, verb, object_):
            return False
        if object_ and verb.margin is not None and self.domain(subject) == self.domain(object_):
            return self._has_wrong_rank(subject, verb, object_)
        return subject.noun not in self._possible[verb.verb]

    def wrong_subjects(self, verb: VerbEntry, nouns: Sequence[NounEntry]) -> npt.NDArray[np.bool_]:
        """What `has_wrong_subject` says of every noun (row) acting on every other (column)."""
        ranks = np.array([noun.rank for noun in nouns])
        if verb.margin is None:
            possible = [noun.noun in self._possible[verb.verb] for noun in nouns]
            wrong = np.repeat(~np.array(possible)[:, None], len(nouns), axis=1)
        else:
            wrong = _is_outranked(verb, ranks[:, None], ranks[None, :])
        places: dict[str | None, Any] = {noun.noun: i for i, noun in enumerate(nouns)}
        places[None] = slice(None)
        for subject, patient in chain(*(self._exempt.get(one, ()) for one in (None, verb.verb))):
            wrong[places.get(subject, slice(0)), places.get(patient, slice(0))] = False
        return wrong

    def licensed_verbs(
        self, subject: NounEntry, object_: NounEntry, verbs: Iterable[VerbEntry]
    ) -> list[VerbEntry]:
        """Those of `verbs` that are licensed between two nouns."""
        classes = self._licensed_classes(subject, object_)
        candidates = [verb for verb in verbs if verb.verb_class in classes] if classes else []
        expected = [verb for verb in candidates if self._is_expected(subject, verb, object_)]
        return [verb for verb in expected if not self._is_exempt(subject, verb, object_)]

    def _has_wrong_rank(self, subject: NounEntry, verb: VerbEntry, object_: NounEntry) -> bool:
        is_ranked = verb.margin is not None and self.domain(subject) == self.domain(object_)
        return is_ranked and bool(_is_outranked(verb, subject.rank, object_.rank))

    def _is_expected(self, subject: NounEntry, verb: VerbEntry, object_: NounEntry | None) -> bool:
        if object_ is None or not self.can_act(subject, verb):
            return self.can_act(subject, verb)
        # the coyote stalked the coyote: neither wrong nor expected
        if verb.direction in ("down", "up") and self.domain(subject) == self.domain(object_):
            lower, upper = (subject, object_) if verb.direction == "up" else (object_, subject)
            if lower.rank >= upper.rank:
                return False
        is_fit = object_.noun in self._objects[verb.verb]
        return is_fit and verb.verb_class in self._licensed_classes(subject, object_)

    def can_act(self, noun: NounEntry, verb: VerbEntry) -> bool:
        """Whether a noun is among the subjects that a verb expects."""
        return noun.noun in self._subjects[verb.verb]

    def may_meet(self, noun: NounEntry, other: NounEntry) -> bool:
        """Whether two nouns share a setting; of two domains, whether their sorts are licensed."""
        if self.domain(noun) == self.domain(other):
            return not set(noun.settings).isdisjoint(other.settings)
        sorts = (noun.sort, other.sort)
        return sorts in self._licences or sorts[::-1] in self._licences

    def _licensed_classes(self, subject: NounEntry, object_: NounEntry) -> frozenset[VerbClass]:
        # the seal hunted the robin: the sorts of hunter and prey, perhaps, but they never meet
        classes = self._licences.get((subject.sort, object_.sort), frozenset())
        return classes if classes and self.may_meet(subject, object_) else frozenset()

    def _is_exempt(self, subject: NounEntry, verb: VerbEntry, object_: NounEntry | None) -> bool:
        patient = object_.noun if object_ else None
        nouns = ((subject.noun, patient), (subject.noun, None), (None, patient))
        of_verb = self._exempt.get(verb.verb, self._exempt[None])
        return not (self._exempt[None].isdisjoint(nouns) and of_verb.isdisjoint(nouns))

    def _expand(self, names: Iterable[str]) -> frozenset[str]:
        """The nouns that sorts, domains and single nouns stand for."""
        return frozenset(noun for name in names for noun in self._members.get(name, (name,)))

    @cached_property
    def _members(self) -> dict[str, list[str]]:
        members: dict[str, list[str]] = {}
        for noun in self.nouns.values():
            members.setdefault(noun.sort, []).append(noun.noun)
            members.setdefault(self.domain(noun), []).append(noun.noun)
        return members

    def _check(self, exceptions: Sequence[ExceptionEntry]) -> None:
        known = {*self.sorts, *self.nouns, *DOMAINS}
        sorts = [noun.sort for noun in self.nouns.values()]
        check_values(self.folder / "nouns.tsv", "sort", sorts, self.sorts)
        path = self.folder / "verbs.tsv"
        for verb in self.verbs.values():
            names = (*verb.subjects, *verb.tolerated, *verb.objects)
            check_values(path, f"subject or object of {verb.verb!r}", names, known)
        check_values(self.folder / "licences.tsv", "sort", chain(*self._licences), self.sorts)
        path, verbs = self.folder / "exceptions.tsv", {*self.verbs, *get_args(VerbClass)}
        for entry in exceptions:
            check_values(path, "noun or sort", filter(None, (entry.subject, entry.object)), known)
            check_values(path, "verb or class", filter(None, (entry.verb,)), verbs)
        seen: dict[str, str] = {}
        for noun in self.nouns.values():
            other = seen.setdefault(noun.head, noun.noun)
            if noun.noun.split()[-1] != noun.head or other != noun.noun:
                is_other = other != noun.noun
                expected = f"another head than {other!r}" if is_other else "its last word"
                where = f"{self.folder / 'nouns.tsv'}: head of {noun.noun!r}"
                raise DataFileError(f"{where}, got {noun.head!r}; expected {expected}")


def _is_outranked(verb: VerbEntry, subject: Any, object_: Any) -> Any:
    """Whether ranks, or arrays of them, are the wrong ones for a directional verb."""
    # the lynx fled from the hare: fleeing runs upwards; the hare stalked the lynx: downwards
    higher, lower = (object_, subject) if verb.direction == "up" else (subject, object_)
    return higher < verb.margin * lower
