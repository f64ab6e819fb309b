"""Answers in replies that cut a text into parts, or that name one of some choices."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from .replies import CORRECTION, affirmed, is_denied, is_wrong, said

SEPARATORS = frozenset(
    "/／∕⁄\\|｜‖∥¦+⊕·‧・•∙⋅@#-_,，、;；:：=&%^$␣⎵→⇒\"'`*~“”„«»‹›‘’「」『』[](){}（）【】《》〈〉<>"
)
STOPS = frozenset(".。．｡")
_HYPHENS = {**dict.fromkeys(map(ord, "‐‑‒–—−\xad"), "-"), **dict.fromkeys([0x200B, 0xFEFF])}
_BULLETS = re.compile(r"(?:^|(?<=\s))(?:[-+*•](?=\s)|\(?\d{1,3}(?:[.)]\s|、))[ \t]*", re.MULTILINE)
_NAMED = re.compile(r"->|=>|[→⇒➔:：=]|(?<=\s)(?:is|are|as|into|of|ist|sind|zijn)(?=\s)")
_TAG = re.compile(
    r"[/_|#:\t][A-Za-z]{1,4}\d?(?=\s|$)|(?<=[。，？！])[a-z]{1,2}(?=\s|$)"
    r"|\s?[:：]\s?(?:\w{1,3}词|\w{1,3}詞|标点(?:符号)?)(?=\W|$)"
)  # of parts of speech
_GLOSS = re.compile(
    r"\s?[(（\[][^()（）\[\]\n]+[)）\]]|\s[–—-] [\w ]+$|[:：] [\w ]+(?=$|,)", re.MULTILINE
)
_LABEL = re.compile(r"(?<![\"'*])[\"'*]*\w[\w ]{0,20}[\"'*]*\s*[:：]")
_ELEMENT = re.compile(r"</?\w+>")
_COURTESY = re.compile(
    r"^(?:好的?|您好|你好|当然(?:可以)?|没问题|可以|sure|okay|certainly|of course|gerne)"
    r"[,，!！.。]\s*",
    re.IGNORECASE,
)
_REVISION = re.compile(
    rf"(?:^|(?<=[.。!！?？]))[ \t]*{CORRECTION}[:：,，!！]", re.IGNORECASE | re.MULTILINE
)
_UMLAUTS = {ord(letter): two for letter, two in zip("äöü", ("ae", "oe", "ue"), strict=True)}
_SENTENCE = re.compile(r"(?<=[.!?;。！？；])\s+")
_UNIT = re.compile(r"(?<=[.!?。！？;])\s+|(?<=[。！？；])|\n+")
_CORRECTION = re.compile(rf"^(?:(?:oh )?{CORRECTION}[\s,.:;!-]*)+")
_INLINE = re.compile(
    r"\s*(?:[,;–—]|\.{3}| -)\s+(?=(?:no|wait|oh wait|nein|halt|nee|wacht)(?:,| wait\b| actually\b))"
)
_EXPLAINS = re.compile(
    r"^\W*(?:explanation|reason(?:ing)?|erkl(?:ä|ae)rung|begr(?:ü|ue)ndung|uitleg|toelichting|解释"
    r"|解析|理由)\W{0,3}:"
)
_CONCLUSION = re.compile(
    r"^(?:also|daher|deshalb|folglich|somit|demnach|damit|insgesamt|dus|daarom|so|therefore|thus"
    r"|hence|所以|因此)\b"
)
_WHY = re.compile(
    r"^(?:weil|da|because|since|omdat)\b[^,]*, (?=(?:\w+t|is|it|the|de) )"
    r"|[,;(–]? ?\b(?:weil|da|denn|because|since|omdat|want|obwohl|auch wenn)\b.*$|因为.*$",
    re.DOTALL,
)
_OPTION = re.compile(
    r"^\s*(?:[-+*•]\s+|\(?(?:[a-h]|\d{1,2})[.):]\s*)|\b(?:d(?:e[rnm]?|ie|as)|the|het)\b"
)
_NEITHER = re.compile(r"\b(?:weder\b.*\bnoch\b.*,? sondern|neither\b.*\bnor\b.*,? but)\b")
_HEDGE = re.compile(
    r"\b(?:oder|auch|koennten?|vielleicht|moeglich\w*|eventuell|or|could|might|maybe|perhaps"
    r"|possibly|alternativ\w*|of (?=de|het)|ook|misschien|mogelijk|falsch|wrong|waehle\w*|nehme)\b"
)
_REOPENS = re.compile(f"{_HEDGE.pattern}|{_CONCLUSION.pattern}")
_CLAUSE = re.compile(r"[,;–—]|\b(?:und|and|en|waehrend|while|terwijl)\b")
_PASSIVE = (  # participles in -t alone: those in -en may be infinitives of a future
    r"(?=.*\bw(?:ird|urde)\b).*\b(?!(?:bestimmt|ueberhaupt|erst)\b)"
    r"(?:(?:ge|be|ver|ent|er|ueber|unter)\w+t|\w+iert)\b"
)
_ROLES = {
    "subject": re.compile(r"\bsubje[ck]t|\bnominati|\bonderwerp\b|\bjemande[nm]\b"),
    "object": re.compile(
        r"obje[ck]t(?:s|es)?\b|\ba[ck]{2}usati|\bdati(?:v|ef)|\blijdend|\bmeewerkend"
        rf"|^\W*jemand\b|{_PASSIVE}"
    ),
}  # words that give the one noun of a clause its role
_AGENT = r"\b(?:vom|(?:von|durch|by|door)(?: \w+)?)"
_OBJECT = (  # of no preposition
    r"(?<!\b(?:an|in|um|zu) )(?<!\b(?:auf|bei|mit|vor|von) )(?<!\b(?:fuer|nach) )"
    r"(?<!\b(?:gegen|neben|ueber) )\b(?:d|ein|dies)e[nm]"
)


def first_line(reply: str) -> str:
    """First line of the answer in a reply that is not blank; "" for none."""
    return next(iter(_lines(said(reply))), "")


def _lines(text: str) -> list[str]:
    return [line for line in map(str.strip, text.split("\n")) if line]


# --- replies that cut a text
def cut_text(reply: str, text: str) -> list[str]:
    """Parts into which a reply cuts a text, at blanks, slashes, bars, hyphens; [] if it is another.

    The parts are those of the text, whatever case or Unicode form the reply has. A line that says
    the text uncut counts where none cuts it; two lines that cut it differently say nothing, unless
    a correction stands between them.

    Example:
        >>> cut_text("boats -> `boat-s`.", "boats"), cut_text("ship-s", "boats")
        (['boat', 's'], [])
    """

    def with_bars(word: re.Match[str]) -> str:  # `_` is markup beside punctuation
        return word[0].replace("_", "|") if len(_cut(word[0], text)) > 1 else word[0]

    reply = re.sub(r"[^\s:：]*_[^\s:：]*", with_bars, reply)
    uncut: list[str] = []
    for has_markers in (True, False):  # a sentence may have the words of a marker
        answer = said(reply, has_markers=has_markers)
        plain = unicodedata.normalize("NFC", answer).translate(_HYPHENS)
        for part in dict.fromkeys((_REVISION.split(plain)[-1], plain)):
            for found in _ways(part, text):
                if len(found) > 1 or any(len(cut) > 1 for cut in found):
                    return list(found.pop()) if len(found) == 1 else []
                uncut = uncut or (list(found.pop()) if found else [])
    return uncut


def _ways(part: str, text: str) -> Iterator[set[tuple[str, ...]]]:
    """Cuts of an answer by its lines, as one line, and without what may stand beside parts."""
    yield _cuts(_lines(part), text)
    yield _cuts([_BULLETS.sub(" ", part)], text)
    for pattern in (_ELEMENT, _TAG, _GLOSS, _LABEL):
        if not is_denied(" ".join(pattern.findall(part))):
            found = _cuts([_BULLETS.sub(" ", pattern.sub(" ", part))], text)
            yield {cut for cut in found if len(cut) > 1}


def _cuts(lines: Sequence[str], text: str) -> set[tuple[str, ...]]:
    """What lines make of a text: the ways in which they cut it, else what says it uncut."""
    cuts = {
        cut
        for line in lines
        for piece, rest in _pieces(line, text)
        if not is_denied(rest) and (cut := _cut(piece, text))
    }
    return {cut for cut in cuts if len(cut) > 1} or cuts


def _pieces(line: str, text: str) -> Iterator[tuple[str, str]]:
    """A line, what is behind its last arrow, colon or equals sign, words; with what may deny it.

    A word is denied by what its sentence has before it, and by what calls it wrong behind it; one
    of a sentence that has no separator is a quotation.
    """
    yield line, ""
    *named, last = _NAMED.split(line)
    yield last, _beside(" ".join(named), text)
    yield _TAG.sub("", line), ""
    yield _COURTESY.sub("", line), ""
    yield affirmed(line), ""
    for sentence in map(affirmed, _SENTENCE.split(line)):
        words = sentence.split()
        for i, word in enumerate(words):
            if not SEPARATORS.isdisjoint(re.sub(r"^\W+|\W+$", "", word)):
                is_no = is_wrong(" ".join(words[i + 1 :]))
                yield word, "not" if is_no else _beside(" ".join(words[:i]), text)


def _beside(words: str, text: str) -> str:
    """What is said beside the text itself."""
    return "" if _cut(words, text) else words.replace(text, "")


def _cut(piece: str, text: str) -> tuple[str, ...]:
    """The parts of a text that a piece spells with separators between them; () if it does not."""
    ends, place, is_open = [], 0, False
    for letter in piece:
        own = text[place : place + 1]
        if own and (letter.casefold() == own.casefold() or {letter, own} <= STOPS):
            ends += [place] if is_open and place else []
            place, is_open = place + 1, False
        elif letter.isspace() or letter in SEPARATORS or (letter in "!.。" and not own):
            is_open = True
        else:
            return ()
    if place and place == len(text) - 1 and ends and text[place] in STOPS:  # it is left out
        ends, place = [*ends, place], place + 1
    if place < len(text):
        return ()
    return tuple(text[a:b] for a, b in pairwise([0, *ends, len(text)]))


# --- replies that name one of some choices
class _Unit(NamedTuple):
    """A sentence: the choices that it answers with, and whether their role tells so."""

    text: str
    named: tuple[str, ...]
    is_by_role: bool


def chosen_text(reply: str, choices: Sequence[str], role: str | None = None) -> str | None:
    """The one choice that a reply names, without its full stop; None for none or several.

    What follows the last "no, wait" counts, then what follows the last "so", then the sentence
    that tells the choice by its role, then the first that names one. A choice that is denied, or
    that has the other role, is not named. A sentence that names another takes the answer back: of
    an answer by role, only one that is by role too, is in doubt, or is the choice alone. The role
    is "subject" or "object", as the question asks; None leaves roles unread.

    Example:
        >>> chosen_text("der Arzt", ["Der Arzt.", "Der Patient."])
        'Der Arzt.'
        >>> chosen_text("Nicht der Arzt, sondern der Patient.", ["Der Arzt.", "Der Patient."])
        'Der Patient.'
        >>> chosen_text("Der Koch ist Objekt. Der Arzt ist Subjekt.", ["Koch.", "Arzt."], "subject")
        'Arzt.'
    """
    plain = {choice: _plain(choice.rstrip(".")) for choice in choices}
    units = _units(_INLINE.sub(". ", _plain(said(reply))), plain, role)
    told = [i for i, unit in enumerate(units) if _CONCLUSION.match(unit.text)]
    units = units[told[-1] :] if told else units
    if not told and any(unit.is_by_role for unit in units):
        alone = {_bare(text) for text in plain.values()}  # or in doubt
        units = [
            unit
            for unit in units
            if unit.is_by_role or _HEDGE.search(unit.text) or _bare(unit.text) in alone
        ]
    firsts = units[:1]  # what names several and tells nothing, such as the sentence again, is left
    units = firsts + [u for u in units[1:] if len(u.named) == 1 or _HEDGE.search(u.text)]
    named = {unit.named for unit in units}
    return named.pop()[0] if len(named) == 1 and len(units[0].named) == 1 else None


def _units(reply: str, plain: Mapping[str, str], role: str | None) -> list[_Unit]:
    """The sentences that name a choice, from the last correction on.

    What explains an answer takes it back only by a role, a doubt or a conclusion.
    """
    texts = [text.strip() for text in _UNIT.split(reply)]
    texts = [text for text in texts if text and (text[-1] != "?" or _HEDGE.match(text))]
    labels = [i for i, text in enumerate(texts) if i and _EXPLAINS.match(text)]
    texts = [_EXPLAINS.sub("", text).strip() for text in texts]
    why = texts[labels[0] :] if labels else []
    last = max((i for i, text in enumerate(texts) if _CORRECTION.match(text)), default=0)
    units = [_unit(_CORRECTION.sub("", text), plain, role) for text in texts[last:]]
    units = [unit for unit in units if unit.named]
    if not units or units[0].text in why:
        return units
    return [u for u in units if u.text not in why or u.is_by_role or _REOPENS.search(u.text)]


def _unit(text: str, plain: Mapping[str, str], role: str | None) -> _Unit:
    """A sentence and the choices that it names, does not deny, and gives no other role."""
    affirms = _WHY.sub("", affirmed(_NEITHER.sub("", text)))
    named = tuple(choice for choice, noun in plain.items() if _count(noun, affirms))
    rest = affirms
    for choice in named:
        rest = rest.replace(plain[choice], " ")
    if is_denied(rest):
        return _Unit(text, (), False)
    nouns = {plain[choice] for choice in named}
    is_told = len(named) > 1 or any(words.search(rest) for words in _ROLES.values())
    is_clear = not _HEDGE.search(affirms) and all(_count(noun, affirms) == 1 for noun in nouns)
    if role is None or (len(named) > 1 and not is_clear):
        return _Unit(text, named, False)
    roles = _roles(affirms, nouns)
    asked = tuple(choice for choice in named if roles.get(plain[choice]) == role)
    others = tuple(choice for choice in named if plain[choice] not in roles)
    found = asked or (others if roles else named)
    return _Unit(text, found, is_told and bool(roles) and len(found) == 1)


def _roles(text: str, nouns: Collection[str]) -> dict[str, str]:
    """Roles that a sentence tells of nouns: by their articles, or by words in a noun's clause."""
    found = {}
    for clause in _CLAUSE.split(text) if len(nouns) > 1 else [text]:
        here = [noun for noun in nouns if _count(noun, clause)]
        for noun in here:
            if role := _role(noun, clause, is_alone=len(here) == 1):
                found[noun] = role
    return found


def _role(noun: str, clause: str, *, is_alone: bool) -> str | None:
    behind = rf"\W{{1,3}}{re.escape(noun)}(?!\w)"
    bare = clause.replace(noun, " ")
    if re.search(_AGENT + behind, clause) and re.search(_PASSIVE, bare):
        return "subject"
    if re.search(_OBJECT + behind, clause):
        return "object"
    told = [role for role, words in _ROLES.items() if words.search(bare)]
    return told[0] if is_alone and len(told) == 1 else None


def _count(noun: str, text: str) -> int:
    # letters of scripts without blanks are no part of a word
    return len(re.findall(rf"(?<![^\W⺀-鿿]){re.escape(noun)}(?![^\W⺀-鿿])", text))


def _plain(text: str) -> str:
    """A text in lower case, one blank for each kind of blank, umlauts as two letters."""
    text = unicodedata.normalize("NFKC", text).casefold().translate(_UMLAUTS)
    return re.sub(r"[^\S\n]+", " ", text)


def _bare(unit: str) -> str:
    return " ".join(re.findall(r"\w+", _OPTION.sub("", unit)))
