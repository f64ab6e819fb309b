"""The items of a frame: a choice of its words in one setting, and the pairs of rows it gives.

The members of a pair have the same words and differ in one factor:

    # topology      Mit dem Fernglas beobachtet der Jäger den Wanderer .         verb
    #               Den Wanderer mit dem Fernglas beobachtet der Jäger .         noun
    # verb          Der Gast lenkt den Blick auf das Meer .                      verb
    #               Der Gast genießt den Blick auf das Meer .                    noun
    # preposition   Die Polizei verheimlicht die Fahndung vor dem Dieb .         verb
    #               Die Polizei verheimlicht die Fahndung nach dem Dieb .        noun
"""

from collections.abc import Iterator
from typing import NamedTuple

from builders.pp_attachment.frames import (
    GERMAN,
    AttachmentFrame,
    adverbs,
    companions,
    prepositions,
    verb_forms,
)
from builders.pp_attachment.realizer import (
    VERB,
    ClauseRow,
    Part,
    nonfinite_part,
    noun_of,
    noun_phrase,
    prepositional_part,
    pronoun_phrase,
    realize,
    time_part,
    with_genitive,
)
from builders.sorts.lexicon import split_phrase
from builders.sorts.phrases import HEAD, PhraseWord
from builders.sorts.realizer import finite_word, frame_words

PHRASE_FORMS = ("plain", "genitive", "pronoun", "time", "genitive_time")
# orders with a place for dort
WITH_LOCAL = ("adverb", "adverb_inside", "adverb_last", "inside_adverb")
LAST = ("adverb_last", "after_last", "next_last", "time_last")  # orders of a clause behind weil
WITHOUT_DENN = ("but", "inside_but")
SINCE = "seit"  # what goes on from a time on: never a future
SUBJECT, OBJECT = "S", "O"
STILL = "present"  # the tense without a right bracket
AUXILIARIES = {"perfect": ("hat", "haben"), "future": ("wird", "werden")}
AUXILIARY_PLURALS = {"perfect": "haben", "future": "werden"}
TIME_ADJECTIVES = {"present": "kommend", "perfect": "vergangen", "future": "kommend"}


class Words(NamedTuple):
    """One choice of a frame's cells; `other` is the one of `contrast`, "" where there is none."""

    verb: str
    subject: str
    object: str
    filler: str
    other: str


class FrameSetting(NamedTuple):
    """What an item has besides its words."""

    form: str  # of PHRASE_FORMS
    tense: str
    article: str
    relative: str
    time: str
    adverbs: tuple[int, int, int]  # before the verb, another one, and on the sentence
    is_pronoun: bool  # for the phrase's noun
    is_bracketed: bool  # whether an undecided phrase also comes after the right bracket
    has_denn: bool = False  # before clauses whose verb is second


class Variant(NamedTuple):
    """One row of an item: how it differs from it, its order, what is gold, and what decides."""

    order: str
    head: str
    dependent: str
    resolved_by: str
    verb: str | None = None
    object: str | None = None
    filler: str | None = None
    preposition: str | None = None
    article: str | None = None
    tense: str | None = None
    is_pronoun: bool | None = None
    second_adverb: bool = False


class FramePair(NamedTuple):
    """Two rows that differ in one factor; `kind` names the pair within its item."""

    kind: str
    factor: str
    first: Variant
    second: Variant


Pairs = Iterator[FramePair]


def build_clause(
    frame: AttachmentFrame, words: Words, setting: FrameSetting, variant: Variant
) -> ClauseRow:
    """The clause of a row; a ValueError where a word of it has no form there."""
    verb, tense = variant.verb or words.verb, variant.tense or setting.tense
    if tense == "future" and (variant.preposition or frame.preposition) == SINCE:
        tense = "perfect"
    fixed = {symbol: tuple(own) for symbol, own in frame_words(GERMAN).items()}
    parts = {"PP": _prepositional(frame, words, setting, variant)}
    parts |= {mark: fixed[mark] for mark in ".,;"}
    host_is_subject = variant.order in ("subject", "between") and "subject_hosts" in frame.traits
    subject, number = noun_phrase(words.subject, "definite", "nominative"), "singular"
    if setting.form == "pronoun" and not host_is_subject:
        subject = pronoun_phrase(words.subject, "nominative")
        parts[SUBJECT] = subject.labelled("nsubj")
    elif "genitive" in setting.form and not host_is_subject and is_person(words.subject):
        relative = noun_phrase(setting.relative, "definite", "nominative")
        parts[SUBJECT] = with_genitive(relative, words.subject, "nsubj")
    else:
        parts[SUBJECT], number = subject.labelled("nsubj"), subject.number
    if object_ := variant.object or words.object:
        case = frame.object_case or "accusative"  # an obj in the dative too, as in `sorts`
        parts[OBJECT] = noun_phrase(object_, "definite", case).labelled("obj")
        if "genitive" in setting.form and host_is_subject and is_person(object_):
            relative = noun_phrase(setting.relative, "definite", case)
            parts[OBJECT] = with_genitive(relative, object_, "obj")
    parts |= _verb_parts(verb, tense, number)
    first, second, comment = setting.adverbs
    chosen = {"A": ("fronted", second if variant.second_adverb else first)}
    chosen["B"] = ("postposed", second)
    if variant.order in WITH_LOCAL:
        chosen["D"] = ("local", 0)
    if variant.order != "bracket" or frame.group == "verb":
        chosen["X"] = ("sentence", comment)
    for symbol, (kind, place) in chosen.items():
        adverb = adverbs(kind)[place % len(adverbs(kind))]
        tags = ("ADV", adverb.xpos, "_", HEAD, "advmod")
        parts[symbol] = (PhraseWord(adverb.form, adverb.form, *tags),)
    if "time" in setting.form and frame.group == "topology":
        parts["T"] = time_part(setting.time, TIME_ADJECTIVES[tense])
    parts["K"] = time_part(setting.time)
    if variant.order in LAST:
        parts["W"] = fixed["W"]
    elif setting.has_denn and variant.order not in WITHOUT_DENN:
        parts["N"] = fixed["N"]
    if "reflexive" in frame.traits:
        parts["R"] = fixed["R"]
    return realize(parts, variant.head, variant.order)


def _prepositional(
    frame: AttachmentFrame, words: Words, setting: FrameSetting, variant: Variant
) -> Part:
    preposition = variant.preposition or frame.preposition
    case = frame.case if preposition == frame.preposition else prepositions()[preposition].cases[0]
    filler, article = variant.filler or words.filler, variant.article or setting.article
    if has_pronoun(setting, variant):
        return prepositional_part(preposition, pronoun_phrase(filler, case), variant.dependent)
    phrase = noun_phrase(filler, None if article == "bare" else article, case)  # type: ignore[arg-type]  # checked by the draw
    return prepositional_part(preposition, phrase, variant.dependent)


def _verb_parts(verb: str, tense: str, number: str) -> dict[str, Part]:
    forms, is_plural = verb_forms()[verb], number == "plural"
    if tense == STILL:
        form = forms.infinitive if is_plural else forms.third_singular
        return {"F": (finite_word(form, verb, "VERB", "VVFIN", number),)}
    form, lemma = AUXILIARIES[tense]
    form = AUXILIARY_PLURALS[tense] if is_plural else form
    is_perfect = tense == "perfect"
    return {
        "F": (finite_word(form, lemma, "AUX", "VAFIN", number),),
        "I": nonfinite_part(forms.participle if is_perfect else verb, verb, is_perfect),
    }


def has_pronoun(setting: FrameSetting, variant: Variant) -> bool:
    """Whether a pronoun stands for the phrase's noun in a row."""
    return setting.is_pronoun if variant.is_pronoun is None else variant.is_pronoun


def is_person(cell: str) -> bool:
    """Whether a cell names one person."""
    noun = noun_of(cell)
    is_singular = split_phrase(cell)[2] == "" and noun.gender is not None
    return noun.animacy == "animate" and noun.lemma not in companions("animal") and is_singular


def can_be_pronoun(cell: str) -> bool:
    """Whether a pronoun can stand for a cell: a person, named by a noun that is not neuter."""
    return is_person(cell) and noun_of(cell).gender in ("masc", "fem")


def is_marked(subject: str, object_: str) -> bool:
    """Whether one of two phrases shows its case, or only one can be the subject.

    A masculine singular shows it: *Den Wanderer beobachtet die Jägerin* has one subject.
    """
    return noun_of(object_).animacy == "inanimate" or any(
        noun_of(cell).gender == "masc" and not split_phrase(cell)[2] for cell in (subject, object_)
    )


def relatives_for(words: Words) -> list[str]:
    """Relatives that are no word of an item, and show their case where the object does not."""
    taken = {split_phrase(cell)[1] for cell in words[1:] if cell}
    is_needed = bool(words.object) and not is_marked(words.object, words.object)
    return [
        noun
        for noun in companions("relative")
        if noun not in taken and (not is_needed or noun_of(noun).gender == "masc")
    ]


def _topology(frame: AttachmentFrame, words: Words, setting: FrameSetting) -> Pairs:
    def verb(order: str, tense: str | None = None) -> Variant:
        return Variant(order, VERB, "obl", "topology", tense=tense)

    def noun(order: str, head: str = OBJECT, tense: str | None = None) -> Variant:
        return Variant(order, head, "nmod", "topology", tense=tense)

    yield FramePair("front", "topology", verb("front"), noun("inside"))
    yield FramePair("but", "topology", verb("but"), noun("inside_but"))
    if "subject_hosts" in frame.traits and setting.form != "pronoun":
        yield FramePair("subject", "topology", verb("between"), noun("subject", SUBJECT))
    if "dort" in frame.traits:
        yield FramePair("adverb", "topology", verb("adverb"), noun("adverb_inside"))
    is_time = prepositions()[frame.preposition].role == "time"  # no second one beside it
    if setting.form != "pronoun" and "reflexive" not in frame.traits and not is_time:
        # members with the same parts of speech, two to each side of the phrase, in the present
        # Weil der Jäger den Wanderer wohl diesen Montag mit dem Fernglas beobachtet .
        # Den Wanderer mit dem Fernglas beobachtet , wohl diesen Montag , der Jäger .
        last, inside = verb("time_last", STILL), noun("inside_time", tense=STILL)
        yield FramePair("time", "topology", last, inside)
        if "dort" in frame.traits:
            # Weil dort der Jäger den Wanderer wohl mit dem Fernglas beobachtet diesen Montag .
            # Den Wanderer dort mit dem Fernglas beobachtet diesen Montag wohl der Jäger .
            last, inside = verb("adverb_last", STILL), noun("inside_adverb", tense=STILL)
            yield FramePair("adverb_last", "topology", last, inside)
    head, label = (VERB, "obl") if frame.prefers == "verb" else (OBJECT, "nmod")
    tense = _bracketed(setting)
    undecided = Variant("next", head, label, "none", tense=tense)
    if setting.is_bracketed:
        after = Variant("bracket", VERB, "obl", "none", tense=tense)
        yield FramePair("bracket", "position", undecided, after)
    else:
        yield FramePair("middle", "position", undecided, undecided._replace(order="middle"))


def _bracketed(setting: FrameSetting) -> str:
    """A tense with a right bracket."""
    return "perfect" if setting.tense == STILL else setting.tense


def _verb(frame: AttachmentFrame, words: Words, setting: FrameSetting) -> Pairs:
    alone = Variant("front", VERB, "obl:arg", "topology")
    beside = Variant("next" if frame.objects else "middle", VERB, "obl:arg", "selection_verb")
    yield FramePair("front", "position", alone, beside)
    tense = _bracketed(setting)
    after = Variant("bracket", VERB, "obl:arg", "selection_verb", tense=tense)
    yield FramePair("bracket", "position", alone._replace(order="comment", tense=tense), after)
    last = [beside._replace(order=order) for order in ("next_last", "after_last")]
    yield FramePair("last", "position", *last)
    yield from _filler_pairs(frame, words, setting, beside._replace(order="middle"))


def _noun(frame: AttachmentFrame, words: Words, setting: FrameSetting) -> Pairs:
    beside = Variant("next", OBJECT, "nmod", "selection_noun")
    inside = Variant("inside", OBJECT, "nmod", "topology")
    yield FramePair("front", "position", inside, beside)
    tense = _bracketed(setting)
    middle = beside._replace(order="middle")
    after = beside._replace(order="bracket", tense=tense)
    yield FramePair("bracket", "position", middle._replace(tense=tense), after)
    last = [beside._replace(order=order) for order in ("next_last", "after_last")]
    yield FramePair("last", "position", *last)
    # An der Musik verliert der Schüler das Interesse .     with a frame's first verb only
    if "extractable" in frame.traits and words.verb == frame.verbs[0]:
        apart = beside._replace(order="front")
        yield FramePair("apart", "position", apart, beside._replace(order="between"))
    yield from _filler_pairs(frame, words, setting, middle)


def _filler_pairs(
    frame: AttachmentFrame, words: Words, setting: FrameSetting, variant: Variant
) -> Pairs:
    """Noun against pronoun where it is a person, else definite against indefinite."""
    first = variant._replace(second_adverb=True, is_pronoun=False)
    if can_be_pronoun(words.filler):
        yield FramePair("pronoun", "pronoun", first, first._replace(is_pronoun=True))
    elif {"definite", "indefinite"} <= set(frame.articles):
        definite, indefinite = (first._replace(article=a) for a in ("definite", "indefinite"))
        yield FramePair("article", "definiteness", definite, indefinite)


def _adjunct(frame: AttachmentFrame, words: Words, setting: FrameSetting) -> Pairs:
    alone = Variant("front", VERB, "obl", "topology", preposition=words.other)
    beside = Variant("next", VERB, "obl", "exclusion", preposition=words.other)
    yield FramePair("front", "position", alone, beside)
    tense = _bracketed(setting)
    after = beside._replace(order="bracket", tense=tense)
    yield FramePair("bracket", "position", alone._replace(order="between", tense=tense), after)


def _contrast_verb(frame: AttachmentFrame, words: Words, setting: FrameSetting) -> Pairs:
    selects = "noun_selects" in frame.traits
    resolved = "selection_noun" if selects else "exclusion"
    for order in ("next", "middle", "next_last", *(("bracket",) if selects else ())):
        tense = _bracketed(setting) if order == "bracket" else setting.tense
        asks = Variant(order, VERB, "obl:arg", "selection_verb", verb=words.other, tense=tense)
        takes_none = Variant(order, OBJECT, "nmod", resolved, tense=tense)
        yield FramePair(order, "verb", asks, takes_none)


def _contrast_noun(frame: AttachmentFrame, words: Words, setting: FrameSetting) -> Pairs:
    for order in ("next", "middle", "next_last", "bracket"):
        tense = _bracketed(setting) if order == "bracket" else setting.tense
        asks = Variant(order, VERB, "obl:arg", "selection_verb", tense=tense)
        noun = Variant(order, OBJECT, "nmod", "selection_noun", object=words.other, tense=tense)
        yield FramePair(order, "noun", asks, noun)


def _contrast_preposition(frame: AttachmentFrame, words: Words, setting: FrameSetting) -> Pairs:
    for order in ("next", "middle", "next_last"):  # not behind the bracket: the verb pulls there
        noun = Variant(order, OBJECT, "nmod", "selection_noun")
        asks = Variant(order, VERB, "obl:arg", "selection_verb", preposition=words.other)
        yield FramePair(order, "preposition", noun, asks)


def _plausibility(frame: AttachmentFrame, words: Words, setting: FrameSetting) -> Pairs:
    for order in ("next", "middle"):
        tool = Variant(order, VERB, "obl", "plausibility")
        part = Variant(order, OBJECT, "nmod", "plausibility", filler=words.other)
        yield FramePair(order, "filler", tool, part)


PAIRS = {
    "topology": _topology,
    "verb": _verb,
    "noun": _noun,
    "adjunct": _adjunct,
    "contrast_verb": _contrast_verb,
    "contrast_noun": _contrast_noun,
    "contrast_preposition": _contrast_preposition,
    "plausibility": _plausibility,
}
