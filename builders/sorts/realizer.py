"""The realizer: features of a clause in, words with a UD tree and topological fields out.

    # Deshalb  wird  der  Leser  in    dem  Jahr  einen  Roman  lesen  .
    # advmod   aux   det  nsubj  case  det  obl   det    obj    root   punct
    # VF       LK    MF   MF     MF    MF   MF    MF     MF     VC     _

The constituents of a clause are built once and put in each word order by a template per placement,
word order and pronouns:

    # VF[S]LK[V]MF[O], placement paper
    # VF         LK    MF                     VC
    # S          F     PP          O          I
    # Der Leser  wird  in dem Jahr einen Roman  lesen .
    #
    # the same, placement idiomatic, the object a pronoun
    # S          F     O    PP                I
    # Der Leser  wird  ihn  in dem Jahr       lesen .

`paper` and `head` are what the authors did in 2020 and do now; `idiomatic`, the default, puts
personal pronouns before the prepositional phrase, and that phrase between the two arguments where
both stand in the middle field.

Source: Fischer et al. (2020), sections 3.1 and 3.2; the placements paper and head are measured on
their files.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from builders.sorts.lexicon import GERMAN, DutchVerb, GermanVerb, Verb, read_lexicon
from builders.sorts.morphology import finite_form, inverted_form
from builders.sorts.phrases import HEAD, NUMBER_VALUES, Phrase, PhraseWord, tagged_word
from ground.tables import DataFileError, check_values, read_table
from metrics.subject_object_las.inputs import WORD_ORDERS

Placement = Literal["idiomatic", "paper", "head"]
Pronouns = Literal["any", "subject", "object", "both"]
PLACEMENTS: tuple[Placement, ...] = ("idiomatic", "paper", "head")
PERSONAL = "personal"


Slots = tuple[tuple[str, str], ...]
"""Places of a template: a topological field, `_` of punctuation, and a symbol."""


@dataclass(frozen=True)
class Template:
    """One row of `placements.tsv`; `pronouns` says which arguments are personal pronouns."""

    placement: Placement
    word_order: str
    pronouns: Pronouns
    template: tuple[str, ...]


@functools.cache
def slots(
    word_order: str, placement: Placement, pronouns: Pronouns, tables: Path = GERMAN
) -> Slots:
    """Places of a clause, in order; a ValueError where there is no such order or placement."""
    templates = _templates(tables)
    if placement not in (known := {name for name, *_ in templates}):
        expected = ", ".join(name for name in PLACEMENTS if name in known)
        raise ValueError(f"placement: got {placement!r}; expected {expected}")
    orders = [order for order in WORD_ORDERS if (placement, order, "any") in templates]
    if word_order not in orders:
        raise ValueError(f"word order: got {word_order!r}; expected {', '.join(orders)}")
    return (
        templates.get((placement, word_order, pronouns)) or templates[placement, word_order, "any"]
    )


def pronouns_among(is_subject_pronoun: bool, is_object_pronoun: bool) -> Pronouns:
    """Name of which of the two arguments are personal pronouns."""
    if is_subject_pronoun and is_object_pronoun:
        return "both"
    return "subject" if is_subject_pronoun else "object" if is_object_pronoun else "any"


def is_marked_order(subject: str, object_: str, word_order: str) -> bool:
    """Whether a full phrase stands before a pronoun in the middle field, which needs stress."""
    # Schützt der Helm dich ?     Deshalb stoppt einen Einbrecher er .
    first, second = (object_, subject) if "MF[OS]" in word_order else (subject, object_)
    is_in_middle_field = "MF[SO]" in word_order or "MF[OS]" in word_order
    return is_in_middle_field and first != PERSONAL and second == PERSONAL


def capitalized(word: str) -> str:
    """A word with a capital first letter, the rest as it is."""
    return word[:1].upper() + word[1:]


@functools.cache
def _templates(tables: Path) -> dict[tuple[str, str, str], Slots]:
    path = tables / "placements.tsv"
    rows = read_table(path, Template)
    check_values(path, "word order", (row.word_order for row in rows), WORD_ORDERS)
    templates: dict[tuple[str, str, str], Slots] = {
        (row.placement, row.word_order, row.pronouns): slots_of(row.template) for row in rows
    }
    orders = {row.word_order for row in rows}
    for placement in sorted({row.placement for row in rows}):
        for order in (order for order in WORD_ORDERS if order in orders):
            if (placement, order, "any") not in templates:
                got = f"{path}: placement {placement}, got no row any for {order}"
                raise DataFileError(f"{got}; expected one for each word order")
    return templates


def slots_of(template: Iterable[str]) -> Slots:
    """Places of a template, whose chunks are a field and its symbols: `MF S PP O`."""
    chunks = (chunk.split(" ") for chunk in template)
    return tuple((field, symbol) for field, *symbols in chunks for symbol in symbols)


ROOT = "root"
Constituent = list[PhraseWord]
"""What stands in one slot."""


class Clause(NamedTuple):
    """Features of a clause: its phrases in their cases, its verb, what stands besides them.

    In Dutch an auxiliary may govern a participle instead of an infinitive.
    """

    subject: Phrase
    verb: Verb
    object: Phrase
    has_auxiliary: bool = False
    has_pp: bool = False
    has_participle: bool = False

    def frequencies(self) -> dict[str, float | None]:
        """Columns of its words' frequencies, where the tables have them."""
        zipf = {"subject_zipf": self.subject.zipf, "verb_zipf": self.verb.zipf}
        return {**zipf, "object_zipf": self.object.zipf}


class Row(NamedTuple):
    """A realized clause, in the columns of config `conll`."""

    word_order: str
    tokens: list[str]
    lemmas: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]
    heads: list[int]
    deprels: list[str]
    fields: list[str]
    subject: int
    verb: int
    object: int


@dataclass(frozen=True)
class FrameWord:
    """A word that stands in every clause of some order; its `head` is a position in the phrase."""

    symbol: str
    position: int
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str | None
    head: int | None
    deprel: str


def realize(
    clause: Clause,
    word_orders: Iterable[str],
    placement: Placement = "idiomatic",
    tables: Path = GERMAN,
) -> Iterator[Row]:
    """Realizes a clause in several word orders; errors as in `slots`."""
    parts = _constituents(clause, tables)
    pronouns = pronouns_among(clause.subject.kind == "personal", clause.object.kind == "personal")
    for order in word_orders:
        every = slots(order, placement, pronouns, tables)
        filled = [(field, symbol) for field, symbol in every if symbol in parts]
        _, places, verb, columns = word_columns(filled, parts)
        yield Row(order, **columns, subject=places["S"], verb=verb, object=places["O"])


@functools.cache
def auxiliary(tables: Path = GERMAN) -> Verb:
    """The auxiliary of the future: the verb without an object."""
    (verb,) = [verb for verb in read_lexicon(tables).verbs.values() if verb.object_case is None]
    return verb


@functools.cache
def perfect_auxiliary(tables: Path) -> Verb:
    """The Dutch auxiliary that governs a participle."""
    verbs = read_lexicon(tables).verbs.values()
    (verb,) = [v for v in verbs if isinstance(v, DutchVerb) and "participle" in v.governs]
    return verb


def _constituents(clause: Clause, tables: Path) -> dict[str, Constituent]:
    subject, verb, parts = clause.subject, clause.verb, dict(frame_words(tables))
    if not clause.has_pp:
        del parts["PP"]
    for symbol, phrase, deprel in (("S", subject, "nsubj"), ("O", clause.object, "obj")):
        parts[symbol] = list(phrase.labelled(deprel))
    if isinstance(verb, DutchVerb):
        return parts | _dutch_verbs(clause, verb, tables)
    finite, tags = auxiliary(tables) if clause.has_auxiliary else verb, read_lexicon(tables).tags
    assert isinstance(finite, GermanVerb)  # of the same tables
    number, person = subject.number, subject.person
    form, xpos = finite_form(finite, person, number), finite.tag + tags["finite"]
    upos = "AUX" if clause.has_auxiliary else "VERB"
    parts["F"] = [finite_word(form, finite.infinitive, upos, xpos, number, person)]
    if clause.has_auxiliary:
        form, xpos = verb.infinitive, verb.tag + tags["infinitive"]
        parts["I"] = [PhraseWord(form, form, "VERB", xpos, "VerbForm=Inf", HEAD, ROOT)]
    return parts


def finite_word(
    form: str, lemma: str, upos: str, xpos: str, number: str, person: int = 3
) -> PhraseWord:
    """A German verb in the present indicative: the main verb, or an auxiliary."""
    feats = f"Mood=Ind|Number={NUMBER_VALUES[number]}|Person={person}|Tense=Pres|VerbForm=Fin"
    return PhraseWord(form, lemma, upos, xpos, feats, HEAD, "aux" if upos == "AUX" else ROOT)


def _dutch_verbs(clause: Clause, verb: DutchVerb, tables: Path) -> dict[str, Constituent]:
    # De jurist   stelt  een contract  op .         F, T: the particle is apart
    # Lees        jij    een roman ?                V: no -t before jij
    # Omdat de jurist een contract     opstelt .    L: one word at the end
    # Omdat de jurist een contract zal opstellen .  L, I: an infinitive follows its auxiliary
    # Omdat de jurist een contract opgesteld heeft .  P, L: a participle stands before it
    finite, deprel, tags = verb, ROOT, read_lexicon(tables).word_tags
    parts = {}
    if clause.has_auxiliary:
        is_participle = clause.has_participle
        chosen = perfect_auxiliary(tables) if is_participle else auxiliary(tables)
        assert isinstance(chosen, DutchVerb)  # of the same tables
        finite, deprel = chosen, "aux"
        form = str(verb.participle) if is_participle else verb.infinitive
        tag = tags["participle" if is_participle else "infinitive"]
        main = tagged_word(tag, form, verb.infinitive, HEAD, ROOT)
        parts["P" if is_participle else "I"] = [main]
    elif (particle := verb.particle) is not None:
        parts["T"] = [tagged_word(tags["particle"], particle, particle, HEAD, "compound:prt")]
    # hij leest: with -t    ik lees, lees jij, hij eet: without    wij lezen
    person, number = clause.subject.person, clause.subject.number
    words = []
    for form in (finite_form(finite, person, number), inverted_form(finite, person, number)):
        has_t = form in (finite.second_singular, finite.third_singular)
        singular = "finite_with_t" if has_t and form != finite.first_singular else "finite_singular"
        tag = tags["finite_plural" if number == "plural" else singular]
        word = tagged_word(tag, form, finite.infinitive, HEAD, deprel)
        words.append(word._replace(upos="AUX") if deprel == "aux" else word)
    after, before = words
    last = after._replace(form=(finite.particle or "") + after.form)
    return parts | {"F": [after], "V": [before], "L": [last]}


@functools.cache
def frame_words(tables: Path) -> dict[str, Constituent]:
    """What stands in every clause of some order, by symbol; a head is None where it is outside."""
    phrases: dict[str, Constituent] = {}
    for row in read_table(tables / "frame_words.tsv", FrameWord):
        head, feats = HEAD if row.head is None else row.head - 1, row.feats or "_"
        word = PhraseWord(row.form, row.lemma, row.upos, row.xpos, feats, head, row.deprel)
        phrases.setdefault(row.symbol, []).append(word)
    return phrases


def word_columns(
    slots: Sequence[tuple[str, str]],
    parts: Mapping[str, Sequence[PhraseWord]],
    governors: Mapping[str, str] = MappingProxyType({}),
) -> tuple[dict[str, int], dict[str, int], int, dict[str, Any]]:
    """Words of the parts in some slots: where each part starts, where its head is, the main verb.

    Last come the words' columns. A part hangs on the main verb, or on the head of the part that
    `governors` names for it.
    """
    starts: dict[str, int] = {}
    words: Constituent = []
    fields: list[str] = []
    for field, symbol in slots:
        starts[symbol] = len(words)
        words += parts[symbol]
        fields += [field] * len(parts[symbol])
    places = {
        s: start + [word.head for word in parts[s]].index(HEAD) for s, start in starts.items()
    }
    tokens, lemmas, upos, xpos, feats, _, deprels = map(list, zip(*words, strict=True))
    tokens[0], verb = capitalized(tokens[0]), deprels.index(ROOT)
    heads = []
    for _, symbol in slots:
        governor = places.get(governors.get(symbol, ""), verb)
        for word in parts[symbol]:
            head = governor if word.head == HEAD else starts[symbol] + word.head
            heads.append(0 if word.deprel == ROOT else head + 1)
    columns = {"tokens": tokens, "lemmas": lemmas, "upos": upos, "xpos": xpos, "feats": feats}
    return starts, places, verb, columns | {"heads": heads, "deprels": deprels, "fields": fields}
