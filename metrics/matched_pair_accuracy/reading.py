"""From a reply to the events that it states: units, symbols of words, a small grammar."""

import functools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from .._shared.plain_text import with_digits
from .._shared.replies import CORRECTION as TAKES_BACK
from .._shared.replies import affirmed, is_denied, said

# --- What stands around an answer, in lower case, and says nothing of it: introductions, closing
# words, small talk; and cues that what follows replaces, or sums up, what came before

_SENTENCE = (
    r"(?:the|this) (?:given |provided |above |original )?(?:sentence|text|passage|statement)"
)
_STRUCTURE = (
    rf"(?:the |its )?(?:(?:nested |embedded |syntactic |grammatical )?(?:structure|parse|syntax)"
    rf" of {_SENTENCE}|(?:given |provided )?(?:structure|parse|context|information))"
)
_EVENTS = r"(?:the )?(?:full |complete |whole )?(?:series|sequence|chain|order) of events\b"

# Before an answer; the answer itself must follow.
_LABEL = (
    r"(?:direct |immediate |prior |preceding |causal |following |next )?"
    r"(?:action|event|consequence|sequence|cause)(?: performed| taken| done)?"
)
LEAD = re.compile(
    r"^(?:"
    # that would be ... / my guess is ... / i'd go with ...
    r"(?:that|it|this) would be\s+|(?:my|the) (?:best )?(?:guess|choice|pick) (?:is|would be)\s+"
    r"|i(?:'d| would|'ll| will)? (?:go with|go for|choose|pick|select)\s+"
    r"|(?:that(?:'s| is| was)|this is|it (?:must|has to|can only|would have to) (?:be|have been))"
    r" (?=(?:the|an?) )"
    r"|(?:here you go|in (?:a|one) word|(?:to answer|in response to) (?:your|the) question"
    r"|upon analysis|absolutely|obviously|definitely|of course|right)[,:]?\s+"
    # das ist ... / ich denke, es ist ... / somit: ... / ik denk dat het ... is / 所以是...
    r"|(?:das|es|dies|gemeint|gesucht|richtig|(?:im|in diesem) satz|dat|het|dit)"
    r" (?:ist|war|wäre|is|was)(?: es)?:?\s+"
    r"|ich (?:denke|glaube|vermute|würde sagen|tippe auf)[,:]?(?: es ist)?\s+"
    r"|ik denk(?: dat)?(?: het(?: antwoord)?)?\s+"
    r"|(?:natürlich|eindeutig|ganz klar|vermutlich|wahrscheinlich|klar|somit|daher|also|gerne|kurz"
    r"(?: gesagt| und knapp)?|laut satz|nach dem satz|meiner meinung nach|dus|daarom|natuurlijk"
    r"|zeker"
    r"|waarschijnlijk|kortom)[,:!]?\s+"
    r"|(?:好的|所以|因此|综上(?:所述)?|我认为|我觉得)?[,!]?\s*(?:应该)?[是为]\s*|(?:好的|所以|因此|综上)[,!]\s*|"
    # so, ... / well, ...
    r"(?:so|thus|therefore|hence|okay|ok|sure|certainly|well|yes|hmm|alright|and|now|here|then|ans"
    r"|(?:most |very )?(?:likely|probably)|presumably)\b[,.!:]?\s+(?=\S)"
    # based on the sentence, ... / given its structure, ... / as stated in the sentence, ...
    rf"|(?:based on|according to|given|looking at|from|in|per|analy[sz]ing|following)"
    rf" (?:{_STRUCTURE}|{_SENTENCE}|the question)(?: structure)?\s*[,:]?\s+"
    rf"|as (?:stated|described|given|mentioned|indicated|shown) (?:in|by) {_SENTENCE}\s*[,:]?\s+"
    # the sentence says that ... / it appears that ... / i think ... / we can see that ...
    rf"|{_SENTENCE} (?:says|states|tells us|indicates|shows|implies|means|suggests|describes)"
    r"(?: that)?[,:]?\s+"
    r"|(?:it|this) (?:appears|seems|is clear|is stated|follows|looks like|can be seen|means)"
    r"(?: that)?[,:]?\s+"
    r"|(?:i|we)(?: would|'d| can| will|'ll| could)?"
    r" (?:think|believe|say|conclude|see|find|guess|know|infer|get|understand|answer)"
    r"(?: that)?[,:]?\s+"
    # in conclusion, ... / to summarize, ... / in other words, ...
    r"|(?:in (?:conclusion|summary|short|other words|the end|total|all)"
    r"|to (?:summari[sz]e|conclude|sum up|put it simply|answer the question|be precise)"
    r"|(?:simply|clearly|specifically|overall|finally|ultimately|basically)"
    r"|that (?:is|means)|this means)(?: that)?\s*[,:]\s*(?=\S)"
    # the consequence of ... is that ... / the series of events that ... is: ...
    r"|(?:the )?(?:direct |immediate )?(?:consequence|result|outcome|effect)\b"
    r"[^.]{0,60}?\b(?:is|was)\b(?: that)?[,:]?\s+"
    rf"|{_EVENTS}[^.]{{0,60}}?\b(?:is|was|were|are)\b(?: as follows| that)?[,:]?\s+"
    rf"|{_EVENTS}[^.]{{0,60}}?:\s*"
    r"|(?:it|this|that|[^.,;:]{1,40}'s involvement)"
    r" (?:(?:led|leads) to|(?:resulted|results) in|caused|causes)\s+"
    r"|(?:the )?(?:prior |following )?events\b[^.:]{0,40}:\s*"
    # action: ... / the action performed by the dog is ... / the prior event was that ...
    rf"|(?:the )?{_LABEL}\s*:\s*(?=\w)"
    rf"|(?:the|its|his|her) {_LABEL}(?: (?:by|of) [^.,;:]{{1,40}}?)?"
    r" (?:is|was|would be)(?: that| to)?[,:]?\s+(?!not\b)"
    r")"
)

# After an answer.
TRAIL = re.compile(
    r"(?<![\s,;(-])[\s,;(-]*(?<!\w)"  # from where a run of marks begins, which may be long
    r"(?:as (?:stated|described|given|mentioned|indicated|shown|per) (?:(?:in|by) )?"
    rf"{_SENTENCE}|(?:based on|according to|given|in|from|per) (?:{_STRUCTURE}|{_SENTENCE})"
    r"(?: structure)?|in this (?:case|scenario|context)|here|final answer|as a result"
    r"|i think|i believe|obviously|of course|clearly|definitely"
    r"|is|(?:is|would be) (?:correct|right|(?:the|my) (?:correct |right |final )?answer)"
    r"|\[?\(?(?:high )?confidence(?:: [\w.%]+)?\]?)[\s).]*$"
)

# A unit that only announces what follows.
CHATTER = re.compile(
    r"^(?:natürlich|gerne?|klar|natuurlijk|zeker|好的)!$"
    r"|^(?:let me|let's|let us|first, (?:let|i|we)|i need to|we need to|i will|i'll|to answer"
    r"|to find|to determine|looking at|okay|ok|sure|certainly|hmm|well|of course|great question"
    r"|here is|here's|here are|step \d|based on the sentence:?$)\b[^\n]*[.!:,]?$"
    r"|^[^\d\n]*\bentities\b[^\d\n]*:$"
    r"|^.*\b(?:events|sequence|series|chain|follows|steps|order|answer|response|consequence"
    r"|analysis|breakdown|explanation)\b[^\n]*:$"
)


def _set_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words of talk about the sentence: a unit with one of them states nothing.
TALK = _set_of(
    "sentence question clause clauses phrase verb verbs noun nouns subject object structure parse"
    " relative embedded nested means meaning refers asks asked asking need needs identify determine"
    " break down analyze analyse look looking find step because since understand understanding"
    " modifies describes main reading word words innermost outermost passive"
    " reason explanation justification evidence note"
)

# What follows sums up.
CONCLUSION = re.compile(
    r"^(?:so|thus|therefore|hence|consequently|accordingly|overall|finally|ultimately"
    r"|in (?:conclusion|summary|short|the end)|to (?:conclude|summari[sz]e|sum up)"
    r"|(?:this|that|which) means)\b[,:]?\s*(?:that\b)?\s*"
)
# What follows takes back what was said.
CORRECTION = re.compile(
    rf"^(?:(?:oh )?{TAKES_BACK}[\s,.:;!-]*)+"
    r"(?:it(?:'s| is| was| should be| must be)\s+|the (?:correct|right) (?:one|answer) is\s+)?"
)
_INLINE = re.compile(
    r"(?:[,;]| -|\.{3})\s+(?=(?:no|wait|oh wait|nein|nee|wacht)(?:,| wait\b| actually\b))"
)
# What follows is set against what was said, or stands behind a label or an adverb of any kind.
OPENER = re.compile(
    r"^(?P<contrast>(?:(?:but|however|yet|though|although|then again|that said)\b[\s,:-]*)+)"
    r"|^[^,:]{1,40}[,:]\s+"
)
# The answer is left open.
HEDGE = re.compile(
    r"\b(?:not (?:\w+ )?(?:sure|certain)|possible|or|maybe|perhaps|alternatively|possibly|could"
    r"|might|either|unsure|uncertain|unless|oder|entweder|vielleicht|möglicherweise|misschien|ofwel"
    r"|of (?:het|de))\b|或|还是|可能"
)

# --- The closed classes of words in which answers are given: numbers, constants, auxiliaries
#
# The words of a sentence come from its events, not from here. A symbol is one character for what a
# word does in a clause: `x` auxiliary, `t` to, `b` form of be or get, `y` by, `r` relative pronoun,
# `i` pronoun, `a` adverb of order, `,` separator, `>` link from cause to effect, `e` entity, `u`
# acted upon, `f` affected, `n` not, and nothing for words that say nothing. A word that is neither
# here nor in the sentence (`or`, `maybe`, another noun) makes a statement unreadable.
ARTICLES = frozenset({"the", "a", "an"})

# around the number in an answer such as "There are three distinct entities in the sentence"
COUNTING_WORDS = _set_of(
    "there are is 's 're was were it they i we you can see find count counted number of distinct"
    " different unique separate individual individuals entity entities noun nouns phrases character"
    " characters participant participants animal animals creature creatures being beings living"
    " people person persons human humans vehicle vehicles thing things object objects actor actors"
    " agent agents figure figures referent referents party parties item items total sum in this"
    " given sentence all altogether mentioned present named listed namely and plus , : . ( ) - !"
    " = + ; contains contain containing includes include including has have features mentions"
    " involves exactly just only which that overall so that's makes equals answer"
    " es gibt sind im satz insgesamt verschiedene entitäten wesen tiere personen"
    " er zijn in totaal verschillende entiteiten dieren wezens"
    " 个 共 有 一共 总共 共有 句中有 一共有 总共有 句子中有 句子里有"
    " 这句话中有 实体 个实体 动物 个动物"
)


def _phrases(*words: Sequence[str]) -> list[str]:
    """All phrases of a word of each kind; "" for none."""
    return [" ".join(filter(None, chosen)) for chosen in product(*words)]


_PRIOR = ("", "prior", "previous", "preceding", "earlier")
NO_PRIOR_EVENTS = {
    *_phrases(("no", "not any"), _PRIOR, ("event", "events")),
    *("none", "nothing", "no series of events", "no prior series of events"),
    *("no prior event occurred", "no prior events occurred", "no events occurred"),
    *("nothing happened", "nothing happened before", "no series of events led to it"),
    *("keine", "keine ereignisse", "keine vorherigen ereignisse", "geen", "没有", "无"),
}
_EFFECTS = ("consequence", "consequences", "effect", "effects", "result", "outcome")
_FOLLOWS = ("event follows", "events follow", "event occurs", "events occur", "event happens")
NO_CONSEQUENCE = {
    *_phrases(("no",), ("", "further", "subsequent", "direct"), _EFFECTS),
    *_phrases(("no",), ("", "further", "subsequent", "other"), _FOLLOWS),
    *("none", "nothing", "nothing happens", "nothing happened", "nothing follows"),
}

# words around a constant: "There is no consequence of the dog's involvement in the sentence."
CONSTANT_FRAME = _set_of(
    "there is are was were 's 're it has had have in this sentence any mentioned stated described"
    " given specified as result"
)

_SYMBOLS = {
    "x": "did do does done had has have having 've 'd",
    "t": "to",
    "n": "not n't never",
    "b": "is are was were am be been being 's 're get gets got getting gotten",
    "y": "by",
    "r": "that which who whom",
    "i": "it he she they him her them",
    "a": "then subsequently afterwards afterward next later finally lastly first firstly second"
    " secondly third thirdly also consequently eventually ultimately",
    ",": ", ; : . ! - and & so thereby",
    ">": "led leads leading causing caused causes making made makes prompting prompted triggering"
    " triggered",
    "e": "entity one animal person vehicle thing character individual creature participant",
    "f": "affected affects",
    "": 'just simply of thus therefore hence ( ) " “ ” [ ]',
}
SYMBOLS = {word: symbol for symbol, words in _SYMBOLS.items() for word in words.split()}

_LINKS = (
    *("led to", "leads to", "resulted in", "results in", "led", "leads"),
    *("caused", "causes", "made", "makes", "prompted", "triggered"),
)
# by their first word, longest first, so that "which led to" is never read as a relative pronoun
_SYMBOL_OF = {
    **dict.fromkeys(_phrases(("which", "that", "this"), ("", "then", "in turn"), _LINKS), ">"),
    **dict.fromkeys((*_LINKS[:4], "leading to", "resulting in"), ">"),
    **dict.fromkeys(("as result", "after that", "after which", "followed by"), ","),
    **{"in turn": "a"},
    **{"acted upon": "u", "acted on": "u"},
}
PHRASES: dict[str, list[tuple[tuple[str, ...], str]]] = {}
for _phrase in sorted((tuple(text.split()) for text in _SYMBOL_OF), key=lambda words: -len(words)):
    PHRASES.setdefault(_phrase[0], []).append((_phrase, _SYMBOL_OF[" ".join(_phrase)]))


# --- The words of one sentence: from the text of an answer to a reading, one symbol per word, by
# the row's `events`, which carry every form of every verb, and the closed classes above

# Classes of words that carry the number of their entity or verb: `N0` is the first noun, `P2` the
# participle of the third verb. A tail belongs to its verb: "barked at" is one symbol.
NOUN = "N"  # the dog, the police officer
ACTIVE = "V"  # chase, chases; chased where the participle is another word (ate, eaten)
PARTICIPLE = "P"  # chased
GERUND = "G"  # chasing
SHORT_PASSIVE = "S"  # a participle whose tail has lost its `to`: "was assigned homework"
UNKNOWN = "!"  # a word that is neither of the sentence nor of a closed class
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


@functools.lru_cache(maxsize=4096)  # the sentences of a suite share their verbs
def _words(text: str) -> Phrase:
    return tuple(
        word for word in _WORD.findall(text.lower().replace("-", " ")) if word not in ARTICLES
    )


def _plain_words(
    nouns: Mapping[str, list[tuple[Phrase, str]]], verbs: Mapping[str, list[_VerbForm]]
) -> dict[str, str]:
    """The words that have one symbol whatever follows: most of them, and most of an answer."""
    own = {*nouns, *verbs, *PHRASES}
    plain = {word: symbol for word, symbol in SYMBOLS.items() if word not in own}
    for word, (noun, *others) in nouns.items():
        if not others and len(noun[0]) == 1:
            plain[word] = noun[1]
    for word, (verb, *more) in verbs.items():
        if not more and not verb.tail and len(verb.words) == 1 and word not in nouns:
            plain[word] = verb.kind + verb.number
    return plain


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
            if not words:
                got = "events, got a verb with a blank form; expected a word"
                raise ValueError(f"matched_pair_accuracy: references: {got}")
            form = _VerbForm(NUMBERS[number], words, tail, kind)
            entries.setdefault(words[0], []).append(form)
    for choices in entries.values():
        choices.sort(key=lambda form: -len(form.tail))
    return entries


# --- From a reply to the units of its answer: lower-case sentences, lines, list items, in English;
# what models leave around an answer goes in `replies`, which all suites share

_PICTURES = frozenset({"So", "Sk", "Mn", "Cs"})  # emoji and what modifies them
_INVISIBLE = dict.fromkeys(
    [0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x2060, 0xFEFF, *range(0x202A, 0x202F)]
)
_PLAIN = {
    **dict.fromkeys(map(ord, "‘’‛ʼ′"), "'"),
    **dict.fromkeys(map(ord, "“”„″«»‹›「」『』《》〈〉"), '"'),
    **dict.fromkeys(map(ord, "‐‑‒−"), "-"),
    **dict.fromkeys(map(ord, "–—―"), " - "),
    **dict.fromkeys(map(ord, "→⇒➔➜⟶↦➡➝➞►▶"), " then "),
    **dict.fromkeys(map(ord, "•·▪‣●◦"), "\n"),
    **dict.fromkeys(map(ord, "。．"), ". "),
}
_BRACES = re.compile(r"[${}]|[【】]|^\[|\]$", re.MULTILINE)
_ITEM = re.compile(
    r"^\s*(?:[-+]|\(?\d{1,2}[.)]|(?:(?:step|event) )?\d{1,2}(?::| -))\s+", re.MULTILINE
)
_INLINE_ITEM = re.compile(r"(?:^|(?<=[\s,;]))(?:\(?\d{1,2}[.)]|(?:event|step) \d{1,2}:)\s+")
_OPTION = re.compile(
    r"(?:^|(?<=[\s,;/]))(?:(?:option|choice) )?(?:\([a-h]\)|[b-h][.)])\s*(?=\w)|^a[.)]\s+"
    r"|^(?:option|choice) [a-h]\s*:\s*|^[b-h]\s*:\s+",
    re.MULTILINE,
)
_SECOND_OPTION = re.compile(r"(?:^|[\s,;/(])[b-h][.):]", re.IGNORECASE | re.MULTILINE)
_NUMBERED = re.compile(r"^\s*\(?(\d{1,2})[.)]\s+(?=\D)", re.MULTILINE)
_NUMBERED_INLINE = re.compile(r"(?<=\S)\s+\(?(\d{1,2})[.)]\s+(?=\D)")
_ONLY_ITEM = re.compile(r"^\(?1[.)]\s+(\d+)\W*$")
_UNIT_END = re.compile(r"(?<=[.!?])\s+|\n+")
_COMMENT = re.compile(r"\s*(?:\(|\s- )([^()\d]*)\)?[\s.!]*$")
_QUOTE = re.compile(r"(?<![^\W\d_])'|'(?![^\W\d_])")
_HYPHEN = re.compile(r"(?<=\w)-(?=\w)")
_CONTRAST = re.compile(
    r"\bnot\b|\bbut\b|n't|rather|instead|opposed|\bni(?:ch|e)t\b|statt|plaats|[不并並非]"
)
# it was not the cat. it was ...
_DENIAL = re.compile(
    r"\bit(?:'s| is| was)(?: not|n't) [^.,;\n]{1,80}[.;] (?=it(?:'s| is| was) (?!not))"
)


def answer_units(reply: str, *, has_items: bool = True) -> list[str]:
    r"""Sentences, lines or list items of the answer in a reply, in lower case; none for no answer.

    What `replies.said` finds, without invisible characters, questions and small talk before the
    answer; "not X, but Y" becomes Y. `has_items`: `1.` before a word numbers an item and goes too;
    where the answer is a number it does so in a list that counts from 1, and numbers become digits.

    Example:
        >>> answer_units("<think>The dog... no.</think>**Answer:** The cat chased\u200b the dog.")
        ['the cat chased the dog.']
    """
    text = _INLINE.sub(". ", _plain(said(reply)))
    if not has_items:
        text = with_digits(_without_numbering(text))
    if text.replace(" ", "").isalnum() and not LEAD.match(text):
        return [affirmed(text) if _CONTRAST.search(text) else text]
    return _without_preface(_split(_BRACES.sub("", text), has_items))


def without_frame(unit: str) -> str:
    """A unit without introductions and closing words, "so" or "as stated in the sentence"."""
    while (lead := LEAD.match(unit)) and lead.end() < len(unit):
        unit = unit[lead.end() :]
    return TRAIL.sub("", unit)


def without_comment(unit: str, reader: "Reader") -> str:
    """A unit without a last parenthesis, or what follows a dash, if it is talk.

    "the cat (this follows from the innermost clause)" is "the cat"; "the cat (or the dog)" and "the
    cat (wrong)", which name an entity, deny something or leave it open, stay what they are.
    """
    match = _COMMENT.search(unit) if "(" in unit or " - " in unit else None
    if match is None or HEDGE.search(match[1]) or is_denied(match[0]):
        return unit
    if TALK.isdisjoint(match[1].split()):
        return unit
    says = set(reader.read(match[1])) & {NOUN, ACTIVE, GERUND, PARTICIPLE, "n"}
    return unit if says else unit[: match.start()]


def lists_options(reply: str) -> bool:
    """Whether a reply has the letters of several options: "(a) the cat (b) the dog"."""
    if not _SECOND_OPTION.search(reply):  # most replies
        return False
    text = _plain(said(reply))
    return len({match[0].strip() for match in _OPTION.finditer(text)}) > 1


def _plain(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE).translate(_PLAIN))
        text = "".join(c for c in text if unicodedata.category(c) not in _PICTURES).strip()
        text = re.sub(" +- +", " - ", text)
    text = text.lower().replace('"', "")
    if "'" in text:
        text = _QUOTE.sub("", text)
    text = re.sub("[-=]>| > ", " then ", text) if ">" in text else text
    return text.strip()


def _without_numbering(text: str) -> str:
    """A text without the numbers of a list that counts 1, 2, 3; of `1. 7` the 7 is left."""
    if only := _ONLY_ITEM.match(text):
        return only[1]
    for pattern in (_NUMBERED, _NUMBERED_INLINE):
        numbers = [int(number) for number in pattern.findall(text)]
        if len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1)):
            return pattern.sub(" ", text)
    return text


def _split(text: str, has_items: bool) -> list[str]:
    if has_items:
        text = _INLINE_ITEM.sub("\n", _ITEM.sub("\n", text))
    text = _HYPHEN.sub(" ", _OPTION.sub("\n", text))
    if "not" in text or "n't" in text:
        text = _DENIAL.sub("", text)
    units = [unit for unit in map(str.strip, _UNIT_END.split(text)) if unit.strip(".,;:!'\"")]
    return [affirmed(unit) if _CONTRAST.search(unit) else unit for unit in units]


def _without_preface(units: list[str]) -> list[str]:
    while len(units) > 1 and (units[0].endswith("?") or CHATTER.match(units[0])):
        units = units[1:]
    return [without_frame(units[0]), *units[1:]] if units else units


# --- A small grammar of answers: from the symbols of an answer's words to the events it states
#
# "The cat was chased by the dog" of a sentence whose nouns are dog (0) and cat (1) and whose first
# verb is chase is `N1bP0yN0`. An event is a triple of numbers: subject, verb, object (`NO_OBJECT`
# where there is none); entities are numbered as their events are, innermost first.

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
    # closed, they are listed above
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
    """A clause that was read."""

    subject: str  # the symbol of its grammatical subject
    event: Event
    relatives: tuple[Event, ...]  # what the relative clauses on its object state
    end: int  # the place after it in the reading


class Reader:
    """What a sentence says, and one way to read an answer with its words.

    `subjects` are the nouns of the entities and `verbs` the verbs of the events as in a row,
    innermost first; two events with one verb have one number of it. A word that is a noun and a
    verb of the sentence (nurse) is the noun even without an article where `prefers_nouns` says so.
    """

    def __init__(
        self,
        subjects: Sequence[str],
        verbs: Sequence[Mapping[str, Any]],
        events: Sequence[Event],
        *,
        prefers_nouns: bool = False,
    ) -> None:
        self.n, self.events, self.true_events = len(events), list(events), frozenset(events)
        self._readings: dict[str, str] = {}  # a sequence is read more than once
        self._nouns = _noun_entries(subjects)
        self._verbs = _verb_entries(verbs, [number for _, number, _ in events])
        self.homographs = frozenset(self._nouns.keys() & self._verbs.keys())
        self._verbs_without_article = frozenset() if prefers_nouns else self.homographs
        for word in self._verbs_without_article:
            self._verbs[_as_verb(word)] = [
                form._replace(words=(_as_verb(word), *form.words[1:]))
                for form in self._verbs.pop(word)
            ]
        self._plain_words = _plain_words(self._nouns, self._verbs)

    def read(self, text: str) -> str:
        """Symbols of a text, without separators and adverbs of order at its ends.

        Descriptions of an entity become its noun; a true passive relative clause on a subject goes,
        "the cat that was chased by the dog slept"; one in the active stays and is not read.
        """
        if text not in self._readings:
            reading = self._symbols(text).strip(",a")
            if "e" in reading:
                reading = _OF_PATIENT.sub(self._patient, reading)
                reading = _OF_OBJECT.sub(self._object, reading)
                reading = _OF_SUBJECT.sub(self._subject, reading)
            reading = _ON_A_SUBJECT.sub(self._head, reading) if "r" in reading else reading
            self._readings[text] = reading
        return self._readings[text]

    def _symbols(self, text: str) -> str:
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
        if noun := self._noun_at(words, i):
            return noun
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
            noun = self._noun_at(words, after)
            if not noun and SYMBOLS.get(words[after] if after < len(words) else "") == "i":
                noun = "i", after + 1
            if noun and (end := _tail_end(words, noun[1], tail)):  # carry the dog out
                return kind + number + noun[0], end
            if tail[-1] == "to" and kind == PARTICIPLE and _is_at(words, after, tail[:-1]):
                return SHORT_PASSIVE + number, after + len(tail) - 1
        return None

    def _noun_at(self, words: list[str], i: int) -> tuple[str, int] | None:
        for noun, symbol in self._nouns.get(words[i], ()) if i < len(words) else ():
            if _is_at(words, i, noun):
                return symbol, i + len(noun)
        return None

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
    """The events of one sentence, innermost first as in a row, and the ways to read an answer.

    There are two `readers` where a word is a noun and a verb of the sentence. A ValueError where an
    object is not the next event's subject, the outermost event has one, or events are too many.
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
        self.n = len(events)
        self.events: list[Event] = [
            (i, names.index(name), i + 1 if i + 1 < self.n else NO_OBJECT)
            for i, name in enumerate(names)
        ]
        self.readers = [Reader(subjects, verbs, self.events)]
        if self.readers[0].homographs:
            self.readers += [Reader(subjects, verbs, self.events, prefers_nouns=True)]


def noun_symbol(entity: int) -> str:
    """Symbol that stands for an entity in a reading."""
    return NOUN + NUMBERS[entity]


@functools.lru_cache(maxsize=8192)  # sentences of one form share their readings
def read_clause(reading: str) -> AnswerClause | None:
    """Clause that a reading begins with, in any voice and tense, with its relatives; None for none.

    A relative clause on the subject is never read: who repeats the sentence shows no parse.
    """
    if match := _PASSIVE_CLAUSE.match(reading):
        event = (_number(match["agent"]), _number(match["verb"]), _number(match["patient"]))
        return AnswerClause(match["patient"], event, (), match.end())
    if match := _ACTIVE_CLAUSE.match(reading):
        subject, verb = match["subject"], match["progressive"] or match["verb"]
        event = (_number(subject), _number(verb), _number(match["object"]))
        if not match["object"]:
            return AnswerClause(subject, event, (), match.end())
        return AnswerClause(subject, event, *read_relatives(reading, match.end(), event[2]))
    return None


def read_relatives(reading: str, start: int, head: int) -> tuple[tuple[Event, ...], int]:
    """Events of the relative clauses that begin at `start`, and the place after them."""
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
