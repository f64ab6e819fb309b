"""Reads an answer with the words of its sentence: text -> one symbol per word -> the events it states.

The words come from the row's `events` (innermost first), which carry every form of every verb; no
parser, no model, no word list of a suite.
A reading has one character per word: a noun, verb or closed-class word (`wording.SYMBOLS`); `!` for
every other word, which fits no
    pattern.
An event is a triple of numbers: subject, verb, object (`NO_OBJECT` where there is none); entities
are numbered as their events are.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .wording import ARTICLES, PHRASES, SYMBOLS

Event = tuple[int, int, int]
NO_OBJECT = -1
_WORD = re.compile(r"[^\W\d_]+(?=n't)|n't|'[a-z]+|[^\W\d_]+|\d+|[^\s]")

_DOUBLES_L = re.compile(r"[aeiouy].*[^aeiouy][aeiou]l$")

# One character per noun, or per verb together with its tail. 0x400: a participle whose tail lacks
# its last `to` ("was assigned homework").
_NOUN, _ACTIVE, _PARTICIPLE, _SHORT_PASSIVE, _GERUND = 0x100, 0x200, 0x300, 0x400, 0x500
_N, _V, _P, _G = (
    "([\u0100-\u01ff])",
    "([\u0200-\u03ff\u0500-\u05ff])",
    "([\u0300-\u04ff])",
    "([\u0500-\u05ff])",
)

# the dog being chased by the cat         the dog    had        chased the cat / was    chasing the
# cat
_PASSIVE_CLAUSE = re.compile(f"{_N}a*x*b*a*{_P}y{_N}")
_ACTIVE_CLAUSE = re.compile(f"{_N}a*(?:x+a*)?(?:b+a*{_G}|{_V}){_N}?")
# the dog which was chased by the cat / that chased the cat / that was chasing the cat / that the
# cat chased
_RELATIVE = re.compile(f",?(?:(?:rx*b+)?{_P}y{_N}|ra*x*(?:b+a*{_G}|{_V}){_N}?|r{_N}x*{_V})")
# the entity that was chased by the cat / the entity acted upon by the cat
_DESCRIPTION = re.compile(f"e(?:rb|b)?{_P}(?:y{_N})?|e(?:rb)?uy{_N}")


class Clause(NamedTuple):
    """A clause that was read: its grammatical subject, its event, the events of the relative clauses on its object, its end."""

    subject: str
    event: Event
    relatives: tuple[Event, ...]
    end: int


class _Verb(NamedTuple):
    """One verb as it may start at a word: its number, the words of this form, its tail, and the kind of form."""

    number: int
    form: tuple[str, ...]
    tail: tuple[str, ...]
    kind: int


class Sentence:
    """The events of one sentence and how its words may be written.

    Args:
        events: Innermost first, as in a row: `subject`, `verb` (`base`, `past`, `participle`,
            `gerund`, `third`, `tail`), `object`.
        prefers_nouns: Whether a word that is a noun and a verb of the sentence (nurse) is the noun
            even without an article; the sentence that prefers the verb has the other one as
            `other_reading`.

    Raises:
        ValueError: The events are no chain: an object is not the next event's subject, or the
            outermost event has one.
    """

    def __init__(self, events: Sequence[Mapping[str, Any]], *, prefers_nouns: bool = False) -> None:
        subjects = [event["subject"] for event in events]
        if [event["object"] for event in events] != [*subjects[1:], None]:
            raise ValueError(
                f"events, got objects {[event['object'] for event in events]}; expected {[*subjects[1:], None]}, innermost first"
            )
        verbs = [event["verb"] for event in events]
        names = [(verb["base"], verb["tail"]) for verb in verbs]
        numbers = [names.index(name) for name in names]  # a verb that is used twice has one number
        self.n = len(events)
        self.events: list[Event] = [
            (i, numbers[i], i + 1 if i + 1 < self.n else NO_OBJECT) for i in range(self.n)
        ]
        self.true_events = frozenset(self.events)
        self._nouns = _noun_entries(subjects)
        self._verbs = _verb_entries(verbs, numbers)
        homographs = self._nouns.keys() & self._verbs.keys()
        self._homographs = homographs if not prefers_nouns else set()
        self.other_reading = Sentence(events, prefers_nouns=True) if self._homographs else None
        for word in self._homographs:
            self._verbs[_as_verb(word)] = [
                verb._replace(form=(_as_verb(word), *verb.form[1:]))
                for verb in self._verbs.pop(word)
            ]
        self._plain_words = _plain_words(self._nouns, self._verbs)

    def read(self, text: str) -> str:
        """Gives the symbols of a text, without separators and adverbs of order at its ends."""
        words = _WORD.findall(text)
        if self._homographs:  # the nurse / to nurse: a noun only after its article
            before = ["", *words]
            words = [
                _as_verb(w) if w in self._homographs and b not in ARTICLES else w
                for b, w in zip(before, words, strict=False)
            ]
        words = [word for word in words if word not in ARTICLES]
        symbols, i = [], 0
        while i < len(words):
            symbol = self._plain_words.get(words[i])
            if symbol is None:
                symbol, i = self._read_word(words, i)
            else:
                i += 1
            symbols.append(symbol)
        reading = "".join(symbols).strip(",a")
        return _DESCRIPTION.sub(self._described, reading) if "e" in reading else reading

    def _read_word(self, words: list[str], i: int) -> tuple[str, int]:
        word = words[i]
        for noun, symbol in self._nouns.get(word, ()):
            if len(noun) == 1 or tuple(words[i : i + len(noun)]) == noun:
                return symbol, i + len(noun)
        if word in self._verbs and (found := self._read_verb(words, i)):
            return found
        for phrase, symbol in PHRASES.get(word, ()):
            is_verb = (
                len(phrase) == 2 and phrase[1] in self._verbs
            )  # that led, where the sentence has led
            if not is_verb and tuple(words[i : i + len(phrase)]) == phrase:
                return symbol, i + len(phrase)
        return SYMBOLS.get(word, "!"), i + 1

    def _read_verb(self, words: list[str], i: int) -> tuple[str, int] | None:
        for number, form, tail, kind in self._verbs[words[i]]:
            after = i + len(form)
            if not _is_at(words, i, form):
                continue
            if _is_at(words, after, tail):  # bark at the dog
                return chr(kind + number), after + len(tail)
            if (noun := self._read_noun(words, after)) and (
                end := _tail_end(words, noun[1], tail)
            ):  # carry the dog out
                return chr(kind + number) + noun[0], end
            if (
                tail[-1] == "to" and kind == _PARTICIPLE and _is_at(words, after, tail[:-1])
            ):  # the dog was assigned homework
                return chr(_SHORT_PASSIVE + number), after + len(tail) - 1
        return None

    def _read_noun(self, words: list[str], i: int) -> tuple[str, int] | None:
        word = words[i] if i < len(words) else ""
        for noun, symbol in self._nouns.get(word, ()):
            if _is_at(words, i, noun):
                return symbol, i + len(noun)
        return ("i", i + 1) if SYMBOLS.get(word) == "i" else None

    def _described(self, match: re.Match[str]) -> str:
        verb, agent, subject = (group and ord(group) & 0xFF for group in match.groups())
        found = [o for s, v, o in self.events if (v == verb and agent in (None, s)) or s == subject]
        return chr(_NOUN + found[0]) if len(found) == 1 and found[0] != NO_OBJECT else "!"


def _plain_words(
    nouns: Mapping[str, list[tuple[tuple[str, ...], str]]], verbs: Mapping[str, list["_Verb"]]
) -> dict[str, str]:
    """The words that have one symbol whatever follows: most of them, and most of an answer."""
    plain = {
        word: found[0][1]
        for word, found in nouns.items()
        if len(found) == 1 and len(found[0][0]) == 1
    }
    for word, (verb, *others) in verbs.items():
        if not others and not verb.tail and len(verb.form) == 1 and word not in nouns:
            plain[word] = chr(verb.kind + verb.number)
    return {
        word: symbol
        for word, symbol in SYMBOLS.items()
        if word not in nouns and word not in verbs and word not in PHRASES
    } | plain


def noun_symbol(entity: int) -> str:
    """Gives the character that stands for an entity in a reading."""
    return chr(_NOUN + entity)


def read_clause(reading: str, start: int = 0) -> Clause | None:
    """Reads one clause, in any voice and tense, and the relative clauses on its object; None where there is none.

    A relative clause on the subject is never read: an answer that repeats the centre-embedded
        sentence shows no parse.
    """
    if match := _PASSIVE_CLAUSE.match(reading, start):
        patient, verb, agent = map(_number, match.groups())
        return Clause(match[1], (agent, verb, patient), (), match.end())
    if match := _ACTIVE_CLAUSE.match(reading, start):
        subject, gerund, other, obj = match.groups()
        event = (_number(subject), _number(gerund or other), _number(obj))
        relatives, end = (
            read_relatives(reading, match.end(), event[2]) if obj else ((), match.end())
        )
        return Clause(subject, event, relatives, end)
    return None


def read_relatives(reading: str, start: int, head: int) -> tuple[tuple[Event, ...], int]:
    """Reads the relative clauses that follow the noun `head`, each on the object of the one before; gives their events and their end."""
    events: list[Event] = []
    while match := _RELATIVE.match(reading, start):
        participle, agent, gerund, active, obj, subject, gapped = match.groups()
        start = match.end()
        if gerund or active:
            events.append((head, _number(gerund or active), _number(obj)))
        else:
            events.append((_number(agent or subject), _number(participle or gapped), head))
        if not obj:
            break
        head = _number(obj)
    return tuple(events), start


def _number(symbol: str | None) -> int:
    return ord(symbol) & 0xFF if symbol else NO_OBJECT


def _is_at(words: list[str], i: int, phrase: tuple[str, ...]) -> bool:
    return not phrase or tuple(words[i : i + len(phrase)]) == phrase


def _tail_end(words: list[str], i: int, tail: tuple[str, ...]) -> int | None:
    """Where a tail ends that follows the object: whole (`out`), or without its `to` ("assign the dog homework")."""
    if _is_at(words, i, tail):
        return i + len(tail)
    is_dative = len(tail) > 1 and tail[-1] == "to" and _is_at(words, i, tail[:-1])
    return i + len(tail) - 1 if is_dative else None


def _as_verb(word: str) -> str:
    return f"{word}/verb"


def _words(text: str) -> tuple[str, ...]:
    return tuple(
        word for word in _WORD.findall(text.lower().replace("-", " ")) if word not in ARTICLES
    )


def _noun_entries(nouns: Sequence[str]) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """By first word, longest first: each noun, and its last words where no other noun of the sentence ends in them."""
    phrases = [_words(noun) for noun in nouns]
    entries: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for number, phrase in enumerate(phrases):
        for start in range(len(phrase)):
            ending = phrase[start:]
            if start == 0 or sum(other[-len(ending) :] == ending for other in phrases) == 1:
                entries.setdefault(ending[0], []).append((ending, chr(_NOUN + number)))
    for choices in entries.values():
        choices.sort(key=lambda choice: -len(choice[0]))
    return entries


def _spellings(base: str, form: str) -> list[str]:
    """A form of a verb and its other spelling: eyeing and eying, pedaled and pedalled."""
    if base.endswith("e") and form.endswith("ing"):
        return [form, f"{base}ing", f"{base[:-1]}ing"]
    if _DOUBLES_L.search(base) and form.endswith(("ed", "ing")):
        ending = "ed" if form.endswith("ed") else "ing"
        return [form, base + ending, f"{base}l{ending}"]
    return [form]


def _verb_entries(
    verbs: Sequence[Mapping[str, Any]], numbers: Sequence[int]
) -> dict[str, list[_Verb]]:
    """By first word, longest tail first: every form of every verb."""
    entries: dict[str, list[_Verb]] = {}
    for number, verb in zip(numbers, verbs, strict=True):
        tail = _words(verb["tail"])
        kinds = {_words(verb["base"]): _ACTIVE, _words(verb["third"]): _ACTIVE}
        for name, kind in (("past", _ACTIVE), ("gerund", _GERUND), ("participle", _PARTICIPLE)):
            kinds |= {_words(spelling): kind for spelling in _spellings(verb["base"], verb[name])}
        for form, kind in kinds.items():
            entries.setdefault(form[0], []).append(_Verb(number, form, tail, kind))
    for choices in entries.values():
        choices.sort(key=lambda verb: -len(verb.tail))
    return entries
