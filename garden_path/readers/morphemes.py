"""Morphemes of words: a user's file in, lists of morphemes aligned with the words out."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from builders.notations import list_of, odd_letters, rejoined, with_words
from garden_path.readers.files import (
    IDS,
    TEXTS,
    given_lists,
    read_records,
    texts_of,
    with_ids,
    with_one_column,
)
from garden_path.readers.predictions import Predictions, aligned, check_cut
from ground.matching import Matched, key_of
from ground.records import Records
from metrics._shared.plain_text import TextError, cut
from metrics.morpheme_segmentation import inputs as spelling

MORPHEMES = ("morphemes", "segmentation", "segmented", "prediction", "predictions", "output")
SHARE_OF_OWN = 0.01  # of words that are spelled, from which on an order is one
BARE = re.compile(r"@@|##|[▁Ġ+|·/=~_`*\-\u2010-\u2013\u2212\u00ad]")


def read_morphemes(
    path: str | Path, words: Sequence[str], ids: Sequence[str] | None = None
) -> Predictions:
    """Morphemes of each word.

    A file has a word a line, its morphemes between blanks or with marks (`@@`, `##`, `▁`, hyphens,
    `+`, tags), also behind the word and a tab; or a table or JSON with `morphemes` and `id` or
    `word`.
    """
    records = with_one_column(read_records(path, (*MORPHEMES, "word", *TEXTS, *IDS)), MORPHEMES)
    records = with_words(with_ids(records, ids))
    given = given_lists(records, MORPHEMES, "morphemes")
    records, given = rejoined(records, given, words)
    for i, value in enumerate(given):
        if isinstance(value, list) and any(isinstance(one, list | dict) for one in value):
            got = cut(repr(value))
            raise TextError(f"{records.place(i)}: morphemes, got {got}; expected a list of texts")
    known = set(map(key_of, words))
    told = texts_of(records, ("word", *TEXTS))
    texts = [
        text if text is not None else _spelled(value, known)
        for text, value in zip(told, given, strict=True)
    ]
    if any(text is None for text in texts) and len(texts) == len(words):
        _check_order(records, texts, given, words)
        texts = [None] * len(texts)  # by order, if all is of the suite's length
    expected = f"one of {', '.join(MORPHEMES)}"
    made = aligned(records, texts, words, ids, lambda _, place: given[place], expected, told=told)
    marks: dict[str, None] = {}
    values = []
    for value, word, place in zip(made.values, words, made.matched.places, strict=True):
        found = None if value is None else _cut(value, word)
        marks |= dict.fromkeys(found[1] if found else ())
        values.append(found[0] if found else None if value is None else list_of(value))
        if place is not None and (odd := odd_letters(values[-1] or [], word)):
            raise TextError(
                f"{records.place(place)}: morphemes, got {cut(str(value))!r} with {odd!r}; expected"
                f" those of {word!r}, with blanks between them"
            )
    said = [f"taken off: {', '.join(marks)}"] if marks else []
    _check_words(records, made.matched, values, words)
    made = replace(made, values=values, said=(*made.said, *said))
    check_cut(records, made, given, "morphemes")
    return made


def _check_words(
    records: Records, matched: Matched, values: Sequence[list[str] | None], words: Sequence[str]
) -> None:
    """Refuses words of other rows, and rows by order where nothing says that they are theirs."""
    found = [None if of is None else key_of("".join(of)) for of in values]
    keys = list(map(key_of, words))
    n_own = sum(one == word for one, word in zip(found, keys, strict=True))
    expected, odd = spelling.alike([of or [] for of in values], words)
    if odd:
        got = f"{cut(str(values[odd[0]]))} for {words[odd[0]]!r}, {len(odd):,} alike"
    elif odd := spelling.moved(found, keys):
        got = f"those of {found[odd[0]]!r}, and {len(odd):,} alike"
        expected = f"those of {words[odd[0]]!r}"
    elif matched.by == "order" and len(words) > 2 and n_own < SHARE_OF_OWN * len(words):
        odd, got = [0], f"{found[0]!r} for {words[0]!r}, and nearly none that spell their words"
        expected = "them in the order of the rows, or ids or words beside them"
    else:
        return
    place = records.place(matched.places[odd[0]] or 0)
    raise TextError(f"{place}: morphemes, got {got}; expected {expected}")


def _check_order(
    records: Records, texts: Sequence[str | None], given: Sequence[Any], words: Sequence[str]
) -> None:
    """Refuses to go by order where lines that spell a word spell that of another row."""
    pairs = zip(texts, words, strict=True)
    if any(text is not None and key_of(text) != key_of(word) for text, word in pairs):
        i = texts.index(None)
        raise TextError(
            f"{records.place(i)}: morphemes, got {cut(str(given[i]))!r}, which spell no word of the"
            " suite; expected ids or words beside them, since the lines are not in its order"
        )


def _spelled(value: Any, known: Collection[str]) -> str | None:
    """The word of the suite that morphemes spell, with or without marks; None for none."""
    parts = list_of(value) or []
    whole = "".join(parts)
    if isinstance(value, str) and (arrow := spelling.ARROW.split(value))[1:]:
        whole = arrow[0].strip(spelling.QUOTES)
    untagged = "".join(spelling.TAG.sub("", part) for part in parts)
    for text in (whole, BARE.sub("", whole), BARE.sub("", whole).strip(spelling.STOPS), untagged):
        if (key := key_of(text)) in known:
            return key
    return None


def _cut(value: Any, word: str) -> tuple[list[str], list[str]] | None:
    if isinstance(value, str) and not value.lstrip().startswith("["):
        return spelling.morphemes_of(value, word)
    return spelling.without_marks(list_of(value) or [], word)
