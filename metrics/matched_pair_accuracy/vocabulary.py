"""The words of one sentence: from the text of an answer to a reading, one symbol per word.

Nouns and verbs come from the row's `events`, which carry every form of every verb; words of the
closed classes come from `wording`. No parser, no model, no word list of a suite.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .wording import ARTICLES, PHRASES, SYMBOLS

# Classes of words that carry the number of their entity or verb: `N0` is the first noun, `P2` the
# participle of the third verb. A tail belongs to its verb: "barked at" is one symbol.
NOUN = "N"  # the dog, the police officer
ACTIVE = "V"  # chase, chases; chased where the participle is another word (ate, eaten)
PARTICIPLE = "P"  # chased
GERUND = "G"  # chasing
SHORT_PASSIVE = "S"  # a participle whose tail has lost its `to`: "was assigned homework"
UNKNOWN = "!"  # a word that is neither of the sentence nor of `wording`
NUMBERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Phrase = tuple[str, ...]
_WORD = re.compile(r"[^\W\d_]+(?=n't)|n't|'[a-z]+|[^\W\d_]+|\d+|[^\s]")
_DOUBLES_L = re.compile(r"[aeiouy].*[^aeiouy][aeiou]l$")  # pedal, but not crawl


class _VerbForm(NamedTuple):
    """One form of a verb: its words, the words of the verb's tail, and what kind of form it is."""

    number: str
    words: Phrase
    tail: Phrase
    kind: str


class EventVocabulary:
    """How each word of a sentence is read.

    Args:
        subjects: The noun of each entity, innermost first.
        verbs: The verb of each event, as in a row.
        verb_numbers: Number of each verb; two events with one verb have one number.
        prefers_nouns: Whether a word that is both a noun and a verb of the sentence (nurse) is the
            noun even without an article before it.
    """

    def __init__(
        self,
        subjects: Sequence[str],
        verbs: Sequence[Mapping[str, Any]],
        verb_numbers: Sequence[int],
        *,
        prefers_nouns: bool = False,
    ) -> None:
        self._nouns = _noun_entries(subjects)
        self._verbs = _verb_entries(verbs, verb_numbers)
        self.homographs = frozenset(self._nouns.keys() & self._verbs.keys())
        self._verbs_without_article = frozenset() if prefers_nouns else self.homographs
        for word in self._verbs_without_article:
            self._verbs[_as_verb(word)] = [
                form._replace(words=(_as_verb(word), *form.words[1:]))
                for form in self._verbs.pop(word)
            ]
        self._plain_words = _plain_words(self._nouns, self._verbs)

    def read(self, text: str) -> str:
        """Symbols of the words of a text, in lower case, without articles."""
        words = _WORD.findall(text)
        if self._verbs_without_article:  # the nurse / to nurse: a noun only after its article
            before = ["", *words]
            words = [
                _as_verb(w) if w in self._verbs_without_article and b not in ARTICLES else w
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
        return "".join(symbols)

    def _read_word(self, words: list[str], i: int) -> tuple[str, int]:
        """Symbol of the word, or of the phrase that begins with it, and the place after it."""
        word = words[i]
        for noun, symbol in self._nouns.get(word, ()):
            if _is_at(words, i, noun):
                return symbol, i + len(noun)
        if word in self._verbs and (found := self._read_verb(words, i)):
            return found
        for phrase, symbol in PHRASES.get(word, ()):
            # that led, where the sentence has the verb lead
            is_verb = len(phrase) == 2 and phrase[1] in self._verbs
            if not is_verb and _is_at(words, i, phrase):
                return symbol, i + len(phrase)
        return SYMBOLS.get(word, UNKNOWN), i + 1

    def _read_verb(self, words: list[str], i: int) -> tuple[str, int] | None:
        for number, form, tail, kind in self._verbs[words[i]]:
            after = i + len(form)
            if not _is_at(words, i, form):
                continue
            if _is_at(words, after, tail):  # bark at the dog
                return kind + number, after + len(tail)
            if (noun := self._read_noun(words, after)) and (
                end := _tail_end(words, noun[1], tail)
            ):  # carry the dog out
                return kind + number + noun[0], end
            if tail[-1] == "to" and kind == PARTICIPLE and _is_at(words, after, tail[:-1]):
                return SHORT_PASSIVE + number, after + len(tail) - 1
        return None

    def _read_noun(self, words: list[str], i: int) -> tuple[str, int] | None:
        word = words[i] if i < len(words) else ""
        for noun, symbol in self._nouns.get(word, ()):
            if _is_at(words, i, noun):
                return symbol, i + len(noun)
        return ("i", i + 1) if SYMBOLS.get(word) == "i" else None


def _is_at(words: list[str], i: int, phrase: Phrase) -> bool:
    return not phrase or tuple(words[i : i + len(phrase)]) == phrase


def _tail_end(words: list[str], i: int, tail: Phrase) -> int | None:
    """Place after a tail that follows the object: whole, or without its `to`; None if neither."""
    if _is_at(words, i, tail):  # carried the dog out
        return i + len(tail)
    # assigned the dog homework
    is_dative = len(tail) > 1 and tail[-1] == "to" and _is_at(words, i, tail[:-1])
    return i + len(tail) - 1 if is_dative else None


def _as_verb(word: str) -> str:
    return f"{word}/verb"


def _words(text: str) -> Phrase:
    return tuple(
        word for word in _WORD.findall(text.lower().replace("-", " ")) if word not in ARTICLES
    )


def _plain_words(
    nouns: Mapping[str, list[tuple[Phrase, str]]], verbs: Mapping[str, list[_VerbForm]]
) -> dict[str, str]:
    """The words that have one symbol whatever follows: most of them, and most of an answer."""
    plain = {
        word: found[0][1]
        for word, found in nouns.items()
        if len(found) == 1 and len(found[0][0]) == 1
    }
    for word, (verb, *others) in verbs.items():
        if not others and not verb.tail and len(verb.words) == 1 and word not in nouns:
            plain[word] = verb.kind + verb.number
    return {
        word: symbol
        for word, symbol in SYMBOLS.items()
        if word not in nouns and word not in verbs and word not in PHRASES
    } | plain


def _noun_entries(nouns: Sequence[str]) -> dict[str, list[tuple[Phrase, str]]]:
    """Nouns by their first word, longest first.

    A noun may be cut to its last words where no other noun of the sentence ends in them: "officer"
    for "police officer".
    """
    phrases = [_words(noun) for noun in nouns]
    entries: dict[str, list[tuple[Phrase, str]]] = {}
    for number, phrase in zip(NUMBERS, phrases, strict=False):
        for start in range(len(phrase)):
            ending = phrase[start:]
            if start == 0 or sum(other[-len(ending) :] == ending for other in phrases) == 1:
                entries.setdefault(ending[0], []).append((ending, NOUN + number))
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
) -> dict[str, list[_VerbForm]]:
    """Every form of every verb by its first word, longest tail first."""
    entries: dict[str, list[_VerbForm]] = {}
    for number, verb in zip(numbers, verbs, strict=True):
        tail = _words(verb["tail"])
        kinds = {_words(verb["base"]): ACTIVE, _words(verb["third"]): ACTIVE}
        for name, kind in (("past", ACTIVE), ("gerund", GERUND), ("participle", PARTICIPLE)):
            kinds |= {_words(spelling): kind for spelling in _spellings(verb["base"], verb[name])}
        for words, kind in kinds.items():
            form = _VerbForm(NUMBERS[number], words, tail, kind)
            entries.setdefault(words[0], []).append(form)
    for choices in entries.values():
        choices.sort(key=lambda form: -len(form.tail))
    return entries
