"""Answers in replies that cut a text into parts, or that name one of some choices."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from .replies import affirmed, affirmed_lines, first_turn, is_denied, said, split_reply

SEPARATORS = frozenset("/|+·‧@#-_,，、;；\"'`*~“”„«»‘’「」『』[](){}【】<>")
_HYPHENS = {**dict.fromkeys(map(ord, "‐‑‒–—−"), "-"), **dict.fromkeys([0xAD, 0x200B, 0xFEFF])}
_BULLETS = re.compile(r"^[ \t]*(?:[-+*•]|\(?\d{1,3}[.)])[ \t]+", re.MULTILINE)
_NAMED = re.compile(r"->|=>|[→⇒➔:：=]")
_TAG = re.compile(
    r"[/_][A-Za-z]{1,4}\d?(?=\s|$)|(?<=[。，？！])[a-z]{1,2}(?=\s|$)"
    r"|\s?[(（](?:[A-Za-z]{1,12}\.?|\w{1,3}词|\w{1,3}詞|标点(?:符号)?)[)）](?=\W|$)"
)  # of parts of speech
_UMLAUTS = {ord(letter): two for letter, two in zip("äöü", ("ae", "oe", "ue"), strict=True)}
_UNIT = re.compile(r"(?<=[.!?。！？;])\s+|(?<=[。！？；])|\n+")
_CORRECTION = re.compile(
    r"^(?:(?:nein|halt|moment|warte|korrektur|doch|entschuldigung|pardon|nee|wacht|correctie|no|wait"
    r"|sorry|actually|correction|oder vielmehr|besser gesagt|不对|等等|更正)\b[\s,.:;!-]*)+"
)
_CONCLUSION = re.compile(
    r"^(?:also|daher|deshalb|folglich|somit|demnach|damit|insgesamt|dus|daarom|so|therefore|thus"
    r"|hence|所以|因此)\b"
)
_WHY = re.compile(
    r"[,;(–]? ?\b(?:weil|da|denn|because|since|omdat|want|obwohl|auch wenn)\b.*$|因为.*$", re.DOTALL
)
_OPTION = re.compile(r"^\s*(?:[-+*•]\s+|\(?(?:[a-h]|\d{1,2})[.):]\s*)")


def first_line(reply: str) -> str:
    """First line of the answer in a reply that is not blank; "" for none."""
    return next(iter(_lines(said(reply))), "")


def _lines(text: str) -> list[str]:
    return [line for line in map(str.strip, text.split("\n")) if line]


# ----------------------------------------------------------------------------------------------
# replies that cut a text


def cut_text(reply: str, text: str) -> list[str]:
    """Parts into which a reply cuts a text, at blanks, slashes, bars, hyphens; [] if it is another.

    The parts are those of the text, whatever case or Unicode form the reply has. A line that says
    the text uncut counts where none cuts it; two lines that cut it differently say nothing.

    Example:
        >>> cut_text("boats -> `boat-s`.", "boats"), cut_text("ship-s", "boats")
        (['boat', 's'], [])
    """
    unmarked = affirmed_lines(first_turn(split_reply(reply).text))
    for answer in (said(reply), unmarked):  # a sentence may have the words of a marker
        plain = unicodedata.normalize("NFC", answer).translate(_HYPHENS)
        for lines in (_lines(plain), [_BULLETS.sub("", plain)]):
            cuts = {
                cut
                for line in lines
                for piece, rest in _pieces(line)
                if not is_denied(rest) and (cut := _cut(piece, text))
            }
            if found := {cut for cut in cuts if len(cut) > 1} or cuts:
                return list(next(iter(found))) if len(found) == 1 else []
    return []


def _pieces(line: str) -> Iterator[tuple[str, str]]:
    """A line, what is behind its last arrow, colon or equals sign, words; with what may deny it.

    A word is denied by the two before it: `not boat-s`.
    """
    yield line, ""
    *named, last = _NAMED.split(line)
    yield last, " ".join(named[1:])
    yield _TAG.sub("", line), ""
    words = line.split()
    yield from ((word, " ".join(words[:i][-2:])) for i, word in enumerate(words))


def _cut(piece: str, text: str) -> tuple[str, ...]:
    """The parts of a text that a piece spells with separators between them; () if it does not."""
    ends, place, is_open = [], 0, False
    for letter in piece:
        if place < len(text) and letter.casefold() == text[place].casefold():
            ends += [place] if is_open and place else []
            place, is_open = place + 1, False
        elif letter.isspace() or letter in SEPARATORS or (letter in ".。" and place == len(text)):
            is_open = True
        else:
            return ()
    if place < len(text):
        return ()
    return tuple(text[a:b] for a, b in pairwise([0, *ends, len(text)]))


# ----------------------------------------------------------------------------------------------
# replies that name one of some choices


def chosen_text(reply: str, choices: Sequence[str]) -> str | None:
    """The one choice that a reply names, without its full stop; None for none or several.

    What follows the last "no, wait" counts, then what follows the last "so", then the first
    sentence that names one. A choice that is denied is not named; another one, alone on a later
    line, takes the first back.

    Example:
        >>> chosen_text("der Arzt", ["Der Arzt.", "Der Patient."])
        'Der Arzt.'
        >>> chosen_text("Nicht der Arzt, sondern der Patient.", ["Der Arzt.", "Der Patient."])
        'Der Patient.'
    """
    plain = {choice: _plain(choice.rstrip(".")) for choice in choices}
    units = [unit.strip() for unit in _UNIT.split(_plain(said(reply)))]
    units = [unit for unit in units if unit and not unit.endswith("?")]
    last = max((i for i, unit in enumerate(units) if _CORRECTION.match(unit)), default=0)
    units = units[last:]
    named = [_named_choices(_CORRECTION.sub("", unit), plain) for unit in units]
    sure = [i for i, found in enumerate(named) if found]
    if not sure:
        return None
    told = [i for i in sure if i and _CONCLUSION.match(units[i])]
    place = told[-1] if told else sure[0]
    if len(named[place]) > 1:
        return None
    (chosen,) = named[place]
    bare = {_bare(units[i]) for i in sure if i > place}
    is_open = any(_bare(plain[other]) in bare for other in choices if other != chosen)
    return None if is_open else chosen


def _named_choices(unit: str, plain: Mapping[str, str]) -> list[str]:
    """Choices that a sentence names and does not deny."""
    unit = _WHY.sub("", affirmed(unit))
    named = [
        choice
        for choice, text in plain.items()
        if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", unit)
    ]
    rest = unit
    for choice in named:
        rest = rest.replace(plain[choice], " ")
    return [] if is_denied(rest) else named


def _plain(text: str) -> str:
    """A text in lower case, one blank for each kind of blank, umlauts as two letters."""
    text = unicodedata.normalize("NFKC", text).casefold().translate(_UMLAUTS)
    return re.sub(r"[^\S\n]+", " ", text)


def _bare(unit: str) -> str:
    return " ".join(re.findall(r"\w+", _OPTION.sub("", unit)))
