"""From a reply to the answer in it, as a person reads it: no reasoning, labels, markup, small talk.

Whatever a model wrote comes in; lower-case plain text in units (a sentence, a line, a list item
each) goes out.
"""

import re
import unicodedata

from .frames import CHATTER, LEAD, TRAIL

_PICTURES = frozenset({"So", "Sk", "Mn", "Cs"})  # emoji and what modifies them
_INVISIBLE = dict.fromkeys(
    [0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x2060, 0xFEFF, *range(0x202A, 0x202F)]
)
_PLAIN = {
    **dict.fromkeys(map(ord, "‘’‛ʼ′"), "'"),
    **dict.fromkeys(map(ord, "“”„″«»"), '"'),
    **dict.fromkeys(map(ord, "‐‑‒"), "-"),
    **dict.fromkeys(map(ord, "–—―"), " - "),
    **dict.fromkeys(map(ord, "→⇒➔➜⟶↦"), " then "),
    **dict.fromkeys(map(ord, "•▪‣●◦"), "\n"),
}
# <think> of DeepSeek and Qwen, the names other models and prompts use, and gpt-oss's channels
_REASONING_END = re.compile(
    r"</(?:think|thinking|thought|reasoning|analysis|scratchpad)>|<\|channel\|>final<\|message\|>"
)
_REASONING_START = re.compile(
    r"<(?:think|thinking|thought|reasoning|analysis|scratchpad)>|<\|channel\|>analysis"
)
_NAMES = r"(?:answer|response|reply|result|output|solution|conclusion)"
_MARKER = re.compile(
    rf"\b(?:final |short |correct |my |the )?{_NAMES}[\"']?\s*:\s*"  # Answer:
    # the answer is
    r"|\b(?:the|my) (?:final |short |correct )?answer (?:is|was|would be|should be)\b\s*:?\s*"
    rf"|^\s*(?:final )?{_NAMES}\s*$\n"  # a heading
    r"|^\s*a\s*:\s*"  # A:
    r"|\\boxed\{",
    re.MULTILINE,
)
_MARKER_WORD = re.compile(rf"{_NAMES}|boxed|^\s*a\s*:", re.MULTILINE)
_LATEX = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf)\s*\{|[${}]|\\[()\[\]]")
_MARKUP = re.compile(
    r"[*`#~]|(?<!\w)_+|_+(?!\w)|^\s*>|</?(?:answer|b|i|em|strong|p|br)\s*/?>", re.MULTILINE
)
_ITEM = re.compile(r"^\s*(?:[-+]|\(?\d{1,2}[.)])\s+", re.MULTILINE)
_INLINE_ITEM = re.compile(r"(?:^|(?<=[\s,;]))\(?\d{1,2}[.)]\s+")
_UNIT_END = re.compile(r"(?<=[.!?])\s+|\n+")
_QUOTE = re.compile(r"(?<![^\W\d_])'|'(?![^\W\d_])")
_HYPHEN = re.compile(r"(?<=\w)-(?=\w)")


def answer_units(reply: str, *, has_items: bool = True) -> list[str]:
    r"""Units of the answer in a reply, in lower case.

    Args:
        reply: The whole reply. Reasoning up to `</think>` is cut, an unfinished one leaves nothing;
            the last `Answer:` that has something after it wins; markdown, invisible characters,
            questions and small talk before the answer go.
        has_items: Whether `1.` before a word numbers an item and goes too; not so where the answer
            is a number.

    Returns:
        Sentences, lines or list items without outer blanks; none for a reply that gives no answer.

    Example:
        >>> answer_units("<think>The dog... no.</think>**Answer:** The cat chased\u200b the dog.")
        ['the cat chased the dog.']
    """
    text = _plain(reply)
    is_bare = text.replace(" ", "").isalnum()
    if is_bare and not _MARKER_WORD.search(text) and not LEAD.match(text):
        return [text]
    if "<" in text:
        text = _after_reasoning(text)
    if _MARKER_WORD.search(text):
        text = _after_last_marker(text)
    return _without_preface(_split(_LATEX.sub("", text), has_items))


def without_frame(unit: str) -> str:
    """A unit without introductions and closing words, "so" or "as stated in the sentence"."""
    while (lead := LEAD.match(unit)) and lead.end() < len(unit):
        unit = unit[lead.end() :]
    return TRAIL.sub("", unit)


def _plain(reply: str) -> str:
    text = reply.strip()
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE)).translate(_PLAIN)
        text = "".join(c for c in text if unicodedata.category(c) not in _PICTURES).strip()
    text = text.lower().replace('"', "")
    if "'" in text:
        text = _QUOTE.sub("", text)
    return text.replace("->", " then ").replace("=>", " then ") if ">" in text else text


def _after_reasoning(text: str) -> str:
    ends = list(_REASONING_END.finditer(text))
    rest = text[ends[-1].end() :] if ends else text
    start = _REASONING_START.search(rest)
    return rest[: start.start()] if start else rest


def _after_last_marker(text: str) -> str:
    bare = _MARKUP.sub("", text)
    parts = _MARKER.split(bare)
    if len(parts) == 1:
        return text
    return next((part for part in reversed(parts[1:]) if part.strip(" \n.}$")), "").strip(" \n}$")


def _split(text: str, has_items: bool) -> list[str]:
    if has_items:
        text = _INLINE_ITEM.sub("\n", _ITEM.sub("\n", text))
    text = _HYPHEN.sub(" ", _MARKUP.sub("", text))
    return [unit for unit in map(str.strip, _UNIT_END.split(text)) if unit.strip(".,;:!'\"")]


def _without_preface(units: list[str]) -> list[str]:
    while len(units) > 1 and (units[0].endswith("?") or CHATTER.match(units[0])):
        units = units[1:]
    return [without_frame(units[0]), *units[1:]] if units else units
