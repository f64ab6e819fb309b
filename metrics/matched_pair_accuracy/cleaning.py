"""From a reply to the answer in it, as a person would read it: no reasoning, no labels, no markup, the first sentence.

Comes in: whatever a model wrote. Goes out: lower-case plain text in units (a sentence, a line, a
list item each).
"""

import re
import unicodedata

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
_MARKER = re.compile(
    r"\b(?:final |short |correct |my )?answer[\"']?\s*:\s*"  # Answer:
    r"|\b(?:the|my) (?:final |short |correct )?answer (?:is|was|would be|should be)\b\s*:?\s*"  # the answer is
    r"|^\s*(?:final )?answer\s*$\n"  # a heading
    r"|\\boxed\{",
    re.MULTILINE,
)
_MARKUP = re.compile(
    r"[*`#~]|(?<!\w)_+|_+(?!\w)|^\s*>|</?(?:answer|b|i|em|strong|p|br)\s*/?>", re.MULTILINE
)
_ITEM = re.compile(r"^\s*(?:[-+]|\(?\d{1,2}[.)])\s+", re.MULTILINE)
_INLINE_ITEM = re.compile(r"(?:^|(?<=[\s,;]))\(?\d{1,2}[.)]\s+")
_UNIT_END = re.compile(r"(?<=[.!?])\s+|\n+")
_QUOTE = re.compile(r"(?<![^\W\d_])'|'(?![^\W\d_])")
_HYPHEN = re.compile(r"(?<=\w)-(?=\w)")
_LEAD = re.compile(
    r"^(?:(?:so|thus|therefore|hence|okay|ok|sure|certainly|well|yes|hmm)\b[,.!:]?\s+(?=\S)"
    r"|(?:based on|according to|given|in|from|per) (?:the|this) (?:given |provided "
    r")?(?:sentence|text|passage|structure|parse)\s*[,:]?\s+"
    r"|(?:the )?(?:direct )?(?:consequence|result|outcome|effect)\b[^.]{0,60}?\b(?:is|was)\b(?: "
    r"that)?[,:]?\s+"
    r"|(?:the )?(?:series|sequence|chain) of events\b[^.]{0,60}?\b(?:is|was|were)\b(?: "
    r"that)?[,:]?\s+"
    r"|(?:the )?(?:series|sequence|chain) of events\b[^.]{0,60}?:\s*"
    r"|(?:it|this|that|[^.,;:]{1,40}'s involvement) (?:(?:led|leads) to|(?:resulted|results) "
    r"in|caused|causes)\s+"
    r"|(?:the )?(?:prior |following )?events\b[^.:]{0,40}:\s*)"
)
_CHATTER = re.compile(
    r"^(?:let me|let's|let us|first, (?:let|i|we)|i need to|we need to|i will|i'll|to answer|to "
    r"find|to determine|looking at"
    r"|okay|ok|sure|certainly|hmm|well|of course|great question|here is|here's|here are|step "
    r"\d|based on the sentence:?$)\b[^\n]*[.!:,]?$"
)


def answer_units(reply: str, *, has_items: bool = True) -> list[str]:
    r"""Units of the answer in a reply, in lower case; the first one is the answer unless the answer is a list.

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
    if (
        text.replace(" ", "").isalnum() and "answer" not in text and not _LEAD.match(text)
    ):  # nothing to take away
        return [text]
    if "<" in text:
        text = _after_reasoning(text)
    if "answer" in text or "\\boxed" in text:
        text = _after_last_marker(text)
    units = _split(text, has_items)
    return _without_preface(units) if len(units) > 1 or _LEAD.match(text) else units


def _plain(reply: str) -> str:
    text = reply.strip()
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE)).translate(_PLAIN).strip()
    text = text.lower()
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
    return next((part for part in reversed(parts[1:]) if part.strip(" \n.}")), "").strip(" \n}")


def _split(text: str, has_items: bool) -> list[str]:
    if has_items:
        text = _INLINE_ITEM.sub("\n", _ITEM.sub("\n", text))
    text = _HYPHEN.sub(" ", _MARKUP.sub("", text))
    return [unit for unit in map(str.strip, _UNIT_END.split(text)) if unit.strip(".,;:!'\"")]


def _without_preface(units: list[str]) -> list[str]:
    while len(units) > 1 and (units[0].endswith("?") or _CHATTER.match(units[0])):
        units = units[1:]
    while units and (lead := _LEAD.match(units[0])) and lead.end() < len(units[0]):
        units = [units[0][lead.end() :], *units[1:]]
    return units
