"""Sentences of the project's prose: Markdown without tables, code and headings, cut by spaCy."""

import functools
import re
from collections.abc import Iterator
from typing import Any

from markdown_it import MarkdownIt

LONGEST, MEAN = 35, 20  # words of a sentence, and on average
BANNED = {
    r"\bstands? (in|on|at|beside|there)\b": "is in, documents, shows",
    r"\b(know|knows|knowing) nothing\b": "ignores",
    r"\bwhoever\b": "the reader, the system",
    r"\bbesides[.;]": "also",
    r"(^|[.:] )What (is|was) \w+ (is|are|stands?)\b": "name the thing",
    r"\b(is|are) worth\b(?! [\d{])": "gets, gives",
    r"\bas their name says\b": "say what",
}


@functools.cache
def _cutter() -> Any:
    import spacy

    made = spacy.blank("en")
    made.add_pipe("sentencizer")
    return made


def sentences(markdown: str) -> Iterator[str]:
    """The sentences of a Markdown text's paragraphs and lists; code is one word each. A card's
    front matter is left out, and each placeholder counts as one word."""
    text = re.sub(r"\A---\n.*?\n---\n", "", markdown, flags=re.DOTALL)
    text = re.sub(r"\{%.*?%\}", "", re.sub(r"\{\{.*?\}\}", "7", text, flags=re.DOTALL))
    inside: list[str] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.nesting:
            inside = [*inside, token.type] if token.nesting > 0 else inside[:-1]
        elif token.type == "inline" and not {"table_open", "heading_open"} & set(inside):
            shown = {"text": lambda one: one.content, "code_inline": lambda one: "code"}
            parts = [shown.get(one.type, _blank)(one) for one in token.children or ()]
            yield from plain_sentences("".join(parts))


def plain_sentences(text: str) -> Iterator[str]:
    """The sentences of a text without marks."""
    yield from (" ".join(one.text.split()) for one in _cutter()(text).sents if n_words(one.text))


def n_words(sentence: str) -> int:
    """Words of a sentence: what blanks part and holds a letter or a digit."""
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def faults(found: list[str]) -> list[str]:
    """What the rules of editing forbid in some sentences, one line each."""
    long = [f"{n} words: {one}" for one in found if (n := n_words(one)) > LONGEST]
    banned = [
        f"{match[0].strip()!r}, better {better!r}: {one}"
        for one in found
        for pattern, better in BANNED.items()
        if (match := re.search(pattern, one, re.IGNORECASE if pattern[0] == "\\" else 0))
    ]
    mean = sum(map(n_words, found)) / max(len(found), 1)
    return [*long, *banned, *([f"{mean:.1f} words on average"] if mean > MEAN else [])]


def _blank(token: Any) -> str:
    return " " if token.type.endswith("break") else ""
