"""Pairs for language models: the same words twice, one order of them grammatical, one violated.

    Man sagt, der Wolf jagt die Hasen, oder den Wolf jagen die Hasen.
    Man sagt, den Wolf jagt die Hasen, oder der Wolf jagen die Hasen.       articles exchanged
    Man sagt, der Wolf jagen die Hasen, oder den Wolf jagt die Hasen.       verbs exchanged

    Man staunt, denn der Wolf jagt den Igel dort, und man staunt, dass der Wolf dort den Igel jagt.
    Man staunt, denn der Wolf dort den Igel jagt, und man staunt, dass der Wolf jagt den Igel dort.

What is violated is how words go together, never which there are: the members of a pair have one bag
of words, and every place and every two words side by side that a violation has, the grammatical
member of another pair of the construction has too. In Dutch, whose nouns have no case, a pronoun
has it: Men zegt: hij alleen redt de dokters, of hem alleen redden de dokters.

In the last pair (`verb_place`) the verb changes places with an adverb that has as many letters and
the same last one. So nouns, commas, articles and long words are at the same places in both members.
The two frames are the same but for the order of *denn* and *dass*. Each clause comes in both:

    Man staunt, dass der Wolf dort den Igel jagt, und man staunt, denn der Wolf jagt den Igel dort.

Dutch has *want* and *daar*, of one length too (not *omdat*, behind which some speakers put the verb
second):

    Men is verbaasd, want de ree wekt de vos ooit, en men is verbaasd, daar de ree ooit de vos wekt.

`preference`: clauses whose roles, or whose order in the middle field, change places. Both members
stay grammatical; how much one is preferred has no right answer.

`questions`: a clause, a question about one of its two roles, two nouns to choose between.

    Der Arzt besucht die Nachbarin. Wer besucht jemanden, Arzt oder Nachbarin? Arzt.
    Den Arzt besucht die Nachbarin. Wen besucht jemand, Nachbarin oder Arzt? Arzt.

Both nouns stand in the clause letter for letter, so that copying tells nothing. The cells are
crossed: the roles as a reader would expect them and exchanged, both roles asked for, both orders of
the choices, subject and object first, verb second and last (behind "Das ist gut,"). So whoever
goes by one of these, by meaning or by place, is right in half. Asked about are clauses of two
animate nouns that case settles in both directions, so that wer, wen and wem tell what is asked:
"was" has one form for both roles.
"""

import functools
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from builders.sorts import DRAW
from builders.sorts.columns import CHOICE_SCHEMA, LIKELIHOOD_SCHEMA, PREFERENCE_SCHEMA
from builders.sorts.lexicon import GERMAN, AnyNoun, Case, DutchVerb, Noun, read_lexicon
from builders.sorts.phrases import NounPhrase, PronounPhrase
from builders.sorts.readings import clause_readings
from builders.sorts.realizer import Row
from builders.sorts.twins import CONDITIONS, FAMILIES, Base, all_kinds, base_of, nouns_of
from builders.sorts.variations import governed_case, personal_pronoun
from ground.tables import read_settings
from metrics.subject_object_las.inputs import OVS, SVO

N_TRIPLES = 100
ADVERB_FIRST = ("VF[ADV]LK[V]MF[SO]", "VF[ADV]LK[V]MF[OS]")
VERB_LAST = ("MF[SO]VC[V]", "MF[OS]VC[V]")
DUTCH_FAMILIES = ("invan", "oan", "semas")  # whose objects are animate, as hem is


class SentenceFrame(NamedTuple):
    """How a language puts clauses into a sentence, as its `sentences.toml` says."""

    says: str  # stands before clauses whose verbs are second
    asks: str  # and last
    either: str
    both: Sequence[str]  # a verb that is second before one that is last, and the reverse
    adverbs: Sequence[str]  # that change places with verbs of as many letters
    orders: Sequence[Sequence[str]]  # one with the verb second, one with it last, of the same nouns
    preferred: Sequence[str]  # orders of clauses whose roles change places
    symmetric: Sequence[str] = ()  # verbs whose clause is as true in the other roles: not asked of


@functools.cache
def sentence_frame(tables: Path) -> SentenceFrame:
    """Of a language; that of German where a folder of tables has none of its own."""
    path = tables / "sentences.toml"
    return SentenceFrame(**read_settings(path if path.is_file() else GERMAN / path.name))


class WordPair(NamedTuple):
    """The words of a grammatical clause, or of two, and of its violated partner."""

    construction: str
    word_order: str
    grammatical: str
    violated: str


def likelihood_table(seed: int = 0, tables: Path = GERMAN) -> pa.Table:
    """Rows of `LIKELIHOOD_SCHEMA`: the pairs of `N_TRIPLES` triples, drawn by the seed."""
    rows = [
        {
            "id": f"{base.triple.triple_id}/{pair.construction}/{number}",
            "cluster": base.triple.triple_id,
            **pair._asdict(),
        }
        for base in drawn_bases(seed, tables)
        for number, pair in enumerate(pairs(base, tables))
    ]
    return pa.Table.from_pylist(rows, schema=LIKELIHOOD_SCHEMA)


def preference_table(seed: int = 0, tables: Path = GERMAN) -> pa.Table:
    """Rows of `PREFERENCE_SCHEMA`: clauses that are both grammatical, of the pairs' triples."""
    rows, orders = [], sentence_frame(tables).preferred
    for base in drawn_bases(seed, tables):
        own, turned = base.rows(orders, tables), base.turned().rows(orders, tables)
        contrasts = [("roles", *both) for both in zip(own, turned, strict=True)]
        if not _is_dutch(tables):
            first, second = base.rows(ADVERB_FIRST, tables)
            contrasts.append(("order_in_middle_field", first, second))
        rows += [
            {
                "id": f"{base.triple.triple_id}/{contrast}/{first.word_order}",
                "construction": contrast,
                "cluster": base.triple.triple_id,
                "reverse": base.triple.reverse or "settled",
                "first": sentence(first.tokens),
                "second": sentence(second.tokens),
            }
            for contrast, first, second in contrasts
        ]
    return pa.Table.from_pylist(rows, schema=PREFERENCE_SCHEMA)


def drawn_bases(seed: int, tables: Path = GERMAN, kind: str = "pairs") -> list[Base]:
    """`N_TRIPLES` triples that have pairs or `questions`, or all, in the tables' order."""
    found = list((bases if kind == "pairs" else askable)(tables))
    generator = random.Random(f"sorts/{DRAW}/{kind}/{seed}")
    places = generator.sample(range(len(found)), min(N_TRIPLES, len(found)))
    return [found[place] for place in sorted(places)]


def bases(tables: Path = GERMAN) -> Iterator[Base]:
    """Triples of two nouns whose cases only articles tell; in Dutch of two animate ones."""
    lexicon = read_lexicon(tables)
    for triple in lexicon.triples:
        verb, nouns = lexicon.verbs[triple.verb], list[AnyNoun]()
        if isinstance(verb, DutchVerb):  # de boer belt op , dat hij opbelt: other words
            if triple.family in DUTCH_FAMILIES and verb.particle is None:
                nouns = nouns_of(triple, "", tables)
        elif triple.family in FAMILIES:
            kinds = all_kinds(triple, tables)
            nouns = next((list(found) for kind, _, found in kinds if kind == "case"), [])
        if nouns:
            base = base_of(triple, nouns, tables)
            halves = _either(base, (SVO, OVS), tables)
            violated = [half for what in ("phrase", "verb") for half in _exchanged(*halves, what)]
            if not any(_readings(base, half, tables) for half in violated):
                yield base


def _readings(base: Base, half: "Half", tables: Path) -> list[int]:
    """The readings of a violated clause: die Bauten of the workers may be of one die Baute."""
    first = [word for word in half.words[: half.verb] if word != ALONE]
    phrases, finite = (first, half.words[half.verb + 1 :]), half.words[half.verb]
    return clause_readings(phrases, base.verb, finite, tables=tables)


def pairs(base: Base, tables: Path = GERMAN) -> Iterator[WordPair]:
    """All pairs of a triple."""
    frame = sentence_frame(tables)
    orders: Sequence[str]
    for before, orders in ((frame.says, (SVO, OVS)), (frame.asks, VERB_LAST)):
        if not before:  # no order but SO in Dutch
            continue
        clauses = _either(base, orders, tables)
        for first, second in (clauses, clauses[::-1]):
            right = _joined(before, first, second, frame)
            by_article = _joined(before, *_exchanged(first, second, "phrase"), frame)
            by_verb = _joined(before, *_exchanged(first, second, "verb"), frame)
            yield WordPair("articles", first.row.word_order, right, by_article)
            yield WordPair("verbs", first.row.word_order, right, by_verb)
    for orders in frame.orders:
        # der Wolf jagt den Igel dort , der Wolf dort den Igel jagt
        second_row, last_row = base.rows(orders, tables)
        adverb = _adverb_like(second_row.tokens[second_row.verb], base.triple.number, tables)
        last_words = [*last_row.tokens[1:-1]]
        last_words.insert(second_row.verb, adverb)
        main = " ".join([*_lowered(second_row.tokens)[:-1], adverb])
        subordinate = " ".join(last_words)
        both = ((main, subordinate), (subordinate, main))
        for text, order, told in zip(frame.both, orders, both, strict=True):
            yield WordPair("verb_place", order, text.format(*told), text.format(*told[::-1]))


def _adverb_like(verb: str, number: int, tables: Path) -> str:
    """One of the adverbs that have the verb's number of letters and its last one, in turn."""
    adverbs = sentence_frame(tables).adverbs
    fitting = [one for one in adverbs if (len(one), one[-1]) == (len(verb), verb[-1])]
    if not fitting:
        got = f"pairs: verb, got {verb!r} of {len(verb)} letters; expected as many letters and the"
        raise ValueError(f"{got} last letter of one of {', '.join(adverbs)}: add an adverb")
    return fitting[number % len(fitting)]


ALONE = "alleen"  # behind a Dutch pronoun, so that no case stands right beside a verb


class Half(NamedTuple):
    """A clause of two: its row, and the places among its words of the phrase that both have.

    `words` begin in lower case and have neither weil nor a full stop.
    """

    row: Row
    words: list[str]
    phrase: list[int]
    verb: int


def _either(base: Base, orders: Sequence[str], tables: Path) -> tuple[Half, Half]:
    """A phrase as the subject of one clause and the object of the next, of one other noun."""
    # der Wolf jagt die Hasen , den Wolf jagen die Hasen      in turn the triple's object
    first = base if base.triple.number % 2 else base.turned()
    many = first.object
    if isinstance(many, NounPhrase):
        many = many._replace(number="plural")
    single = first.subject
    if is_dutch := _is_dutch(tables):
        single = PronounPhrase(personal_pronoun(3, "singular", "masc", tables))
    halves = []
    for own, order in zip(((single, many), (many, single)), orders, strict=True):
        (row,) = first._replace(subject=own[0], object=own[1]).rows((order,), tables)
        head = row.subject if own[0] is single else row.object
        first_word = 1 if order in VERB_LAST else 0
        words = [*row.tokens] if first_word else _lowered(row.tokens)
        governors = enumerate(row.heads)
        phrase = [i - first_word for i, g in governors if i == head or g == head + 1]
        words, verb = words[first_word:-1], row.verb - first_word
        if is_dutch:  # hij alleen redt de dokters , hem alleen redden de dokters
            words, verb = [words[0], ALONE, *words[1:]], verb + 1
        halves.append(Half(row, words, phrase, verb))
    return halves[0], halves[1]


def _is_dutch(tables: Path) -> bool:
    return read_lexicon(tables).grammar == "dutch"


def _exchanged(first: Half, second: Half, what: str) -> tuple[Half, Half]:
    """Both clauses, the phrase that they have in common or their verbs exchanged."""
    places = [half.phrase if what == "phrase" else [half.verb] for half in (first, second)]
    words = [half.words.copy() for half in (first, second)]
    for one, other in zip(*places, strict=True):
        words[0][one], words[1][other] = words[1][other], words[0][one]
    return first._replace(words=words[0]), second._replace(words=words[1])


def _joined(before: str, first: Half, second: Half, frame: SentenceFrame) -> str:
    comma = "," if first.row.word_order not in VERB_LAST else ""
    return f"{before}{' '.join(first.words)}{comma} {frame.either} {' '.join(second.words)}."


def _lowered(tokens: Sequence[str]) -> list[str]:
    return [tokens[0][:1].lower() + tokens[0][1:], *tokens[1:]]


def sentence(tokens: Sequence[str]) -> str:
    """Words as a person writes them, the full stop without a blank before it."""
    return f"{' '.join(tokens[:-1])}{tokens[-1]}"


def same_word_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Rows whose members are one sentence, or differ in more than place and, in German, case."""
    names = ("grammatical", "violated") if "violated" in columns else ("first", "second")
    for identifier, *texts in zip(columns["id"], *(columns[n] for n in names), strict=True):
        bags = [sorted(text.lower().rstrip(".?").replace(",", "").split(" ")) for text in texts]
        if texts[0] == texts[1] or bags[0] != bags[1]:
            yield f"{identifier}: members, got {texts}; expected two orders of the same words"


ASKED_FAMILIES = ("dat_oan", "dat_semas", "oan", "semas")
ORDERS = (SVO, OVS, *VERB_LAST)
MATRIX = "Das ist gut,"
# Question word and indefinite pronoun of each case: closed classes of German.
QUESTION_WORD: dict[Case, str] = {"nominative": "Wer", "accusative": "Wen", "dative": "Wem"}
SOMEBODY: dict[Case, str] = {"nominative": "jemand", "accusative": "jemanden", "dative": "jemandem"}


def question_table(seed: int = 0, tables: Path = GERMAN) -> pa.Table:
    """Rows of `CHOICE_SCHEMA`: the questions about `N_TRIPLES` triples, drawn by the seed."""
    rows = []
    for base in drawn_bases(seed, tables, "questions"):
        for condition, one in zip(CONDITIONS, (base, base.turned()), strict=True):
            orders = one.rows(ORDERS, tables)
            for row, role, is_first in product(orders, ("subject", "object"), (True, False)):
                rows.append(_question_row(one, condition, row, role, is_first))
    return pa.Table.from_pylist(rows, schema=CHOICE_SCHEMA)


def _question_row(
    base: Base, condition: str, row: Row, role: str, is_right_first: bool
) -> dict[str, Any]:
    cases: list[Case] = ["nominative", governed_case(base.verb)]
    nouns = [spec.noun for spec in (base.subject, base.object) if isinstance(spec, NounPhrase)]
    is_subject = role == "subject"
    case, other = cases if is_subject else cases[::-1]
    right, wrong = nouns if is_subject else nouns[::-1]
    shown = [right, wrong] if is_right_first else [wrong, right]
    asked = f"{QUESTION_WORD[case]} {base.verb.third_singular} {SOMEBODY[other]}"
    text, (first, *rest) = sentence(row.tokens), row.tokens
    if row.word_order in VERB_LAST:
        text = f"{MATRIX} {first.lower()} {sentence(rest)}"
    cell = f"{role}-{'right' if is_right_first else 'wrong'}_first"
    return {
        "id": f"{base.triple.triple_id}/{condition}/{row.word_order}/{cell}",
        "construction": QUESTION_WORD[case].lower(),
        "cluster": base.triple.triple_id,
        "condition": condition,
        "word_order": row.word_order,
        "role": role,
        "is_right_first": is_right_first,
        "sentence": text,
        "question": f"{asked}, {shown[0]} oder {shown[1]}?",
        "choices": [f"{noun}." for noun in shown],
        "answer": f"{right}.",
    }


def askable(tables: Path = GERMAN) -> Iterator[Base]:
    """Triples of two animate nouns of one form, whose clauses have one reading both ways.

    Der Onkel ähnelt dem Sohn: asked who is like whom, both would be right.
    """
    symmetric = sentence_frame(tables).symmetric
    for triple in read_lexicon(tables).triples:
        is_asked = triple.family in ASKED_FAMILIES and triple.verb not in symmetric
        nouns = nouns_of(triple, "", tables) if is_asked else []
        german = [noun for noun in nouns if isinstance(noun, Noun) and noun.animacy == "animate"]
        if len([one for one in german if one.accusative == one.dative == one.lemma]) < 2:
            continue
        base = base_of(triple, german, tables)
        n_readings = []
        for one in (base, base.turned()):
            ((*words, _),) = [row.tokens for row in one.rows((SVO,), tables)]
            both, finite = (words[:2], words[3:]), one.verb.third_singular
            n_readings.append(len(clause_readings(both, one.verb, finite, tables=tables)))
        if n_readings == [1, 1]:
            yield base


def question_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Rows whose answer is elsewhere than they say, or choices not in the clause; missing cells."""
    cells: dict[tuple[str, str, str], set[tuple[str, bool]]] = {}
    names = ("id", "cluster", "condition", "word_order", "role", "is_right_first", "choices")
    for identifier, *cell, role, is_first, choices, answer, text in zip(
        *(columns[name] for name in (*names, "answer", "sentence")), strict=True
    ):
        if len(set(choices)) != 2 or choices[0 if is_first else 1] != answer:
            yield f"{identifier}: answer, got {answer!r} of {choices}; expected it at its place"
        words = text.rstrip(".").split(" ")
        if any(choice.rstrip(".") not in words for choice in choices):
            yield f"{identifier}: choices, got {choices}; expected two words of {text!r}"
        cells.setdefault((cell[0], cell[1], cell[2]), set()).add((role, is_first))
    for place, found in cells.items():
        if len(found) != 4:
            yield f"{'/'.join(place)}: cells, got {len(found)}; expected 4"
