"""The training views of morphseg: words with their morphemes, as tags and as text.

`items`: words beyond those of the published pool; `test` is the first of the pool. `words`: the
roots of the invented language divided by a hash, alternating stems and roots that lie one inside
the other together; of a language of the study, whose roots are not marked, `test` are the words
whose morphemes differ most. `constructions`: one invented language for each part.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from builders import views
from builders.morphseg.columns import TAGS_VIEW_SCHEMA, TEXT2TEXT_VIEW_SCHEMA
from builders.morphseg.divergent_splits import divergent_split
from builders.morphseg.draw import draw
from builders.morphseg.generator import DEFAULT_SIZE, InventedLanguage, profiles
from builders.morphseg.sampling import derive_seed
from builders.views import PARTS, Kind, Part, Promise, View, ViewKind
from metrics._shared.module import BMES, cut_words, tags_of_words

SALT = "morphseg views"
LANGUAGE = "synthetic"
LANGUAGES: Mapping[Part, str] = {
    "train": LANGUAGE,
    "validation": "synthetic_fusional",
    "test": "synthetic_polysynthetic",
}
WORDS: Mapping[Part, int] = {"train": 6_000, "validation": 600, "test": 2_000}
TRAINING_SHARES = (0.9, 0.1)  # of a language's words that are not test
TEST_SHARE = 0.25
GENERATED = 26_000  # words of the invented language, of which the pool has the first 10,000
SHORTEST_ROOT = 4
PUBLISHED = ("synthetic", "synthetic_fusional", "synthetic_polysynthetic")


class Entry(NamedTuple):
    """A word of a view: its id, which names the language, and its morphemes."""

    id: str
    morphemes: tuple[str, ...]


def studied_views(code: str) -> tuple[View, ...]:
    """The views of one of the study's languages, which need its source files."""
    entries = functools.partial(_studied_entries, code)
    apart = ViewKind("the test's morphemes differ most", Promise(("word",), ()), entries)
    made = views.make_views(FORMATS, {"words": apart}, entries)
    return tuple(view._replace(name=f"{view.name}_{code}") for view in made)


@functools.cache
def view_entries(kind: Kind) -> Mapping[Part, list[Entry]]:
    """The words of a kind of view."""
    return KINDS[kind].divide()


@functools.cache
def _invented(language: str, *, is_new: bool) -> list[Entry]:
    """Words of an invented language: those of its published pool, or others."""
    start, size = (DEFAULT_SIZE, GENERATED) if is_new else (0, None)
    words = draw(pool=language, size=size)[start:]
    return [Entry(f"{language}-{i:05d}", word.morphemes) for i, word in enumerate(words, start)]


def _divide_items() -> dict[Part, list[Entry]]:
    n_train, new = WORDS["train"], _invented(LANGUAGE, is_new=True)
    return {
        "train": new[:n_train],
        "validation": new[n_train:][: WORDS["validation"]],
        "test": _invented(LANGUAGE, is_new=False)[: WORDS["test"]],
    }


def _divide_words() -> dict[Part, list[Entry]]:
    parts = {root: views.hashed_part(group, SALT) for root, group in _groups().items()}
    found: dict[Part, list[Entry]] = {}
    for part in PARTS:
        words = ((w, roots_of(w.morphemes)) for w in _invented(LANGUAGE, is_new=part != "test"))
        own = (word for word, roots in words if {parts[root] for root in roots} == {part})
        found[part] = list(islice(own, WORDS[part]))
    return found


def _divide_constructions() -> dict[Part, list[Entry]]:
    every = {part: _invented(LANGUAGES[part], is_new=part != "test") for part in PARTS}
    return {part: words[: WORDS[part]] for part, words in every.items()}


def _studied_entries(code: str, folder: Path) -> dict[Part, list[Entry]]:
    words = draw(pool=code, folder=folder)
    seed = derive_seed(SALT, code)
    n_test = int(TEST_SHARE * len(words))
    test = set(divergent_split([word.morphemes for word in words], n_test, seed).tolist())
    found: dict[Part, list[Entry]] = {part: [] for part in PARTS}
    for i, word in enumerate(words):
        part = "test" if i in test else views.hashed_part(word.word, SALT, TRAINING_SHARES)
        found[part].append(Entry(f"{code}-{i:05d}", word.morphemes))
    return found


@functools.cache
def _groups() -> Mapping[str, str]:
    """For each stem of the invented language, the group of stems that go together."""
    roots = InventedLanguage(profiles()[LANGUAGE], 0).roots
    stems = {stem for root in roots for stem in root}
    return views.components([*roots, *views.containments(stems, SHORTEST_ROOT)])


@functools.cache
def roots_of(morphemes: tuple[str, ...]) -> frozenset[str]:
    """Stems among the morphemes of an invented word, else the longest at an end of one."""
    stems = _groups()
    if found := frozenset(morph for morph in morphemes if morph in stems):
        return found
    longest = set()
    for morph in morphemes:
        sizes = range(len(morph), 0, -1)
        for pieces in ([morph[:n] for n in sizes], [morph[-n:] for n in sizes]):
            longest.update([piece for piece in pieces if piece in stems][:1])
    return frozenset(longest)


def _tags(entries: Sequence[Entry]) -> pa.Table:
    return pa.table(
        {
            "tokens": [list("".join(entry.morphemes)) for entry in entries],
            "tags": [list(map(BMES.index, tags_of_words(entry.morphemes))) for entry in entries],
            "id": [entry.id for entry in entries],
        }
    )


def _text2text(entries: Sequence[Entry]) -> pa.Table:
    return pa.table(
        {
            "text": ["".join(entry.morphemes) for entry in entries],
            "target": [" ".join(entry.morphemes) for entry in entries],
            "id": [entry.id for entry in entries],
        }
    )


FORMATS = {
    "tags": ("letters and their B, M, E, S tags", TAGS_VIEW_SCHEMA, _tags),
    "text2text": ("a word and its morphemes, blanks between", TEXT2TEXT_VIEW_SCHEMA, _text2text),
}
NEW, ROOTS = Promise(("word",), ("word",)), Promise(("word", "root"), ("word",))
WHOLE = Promise(("language",), ("word",))
KINDS: Mapping[Kind, ViewKind] = {
    "items": ViewKind("no word of the published pool", NEW, _divide_items),
    "words": ViewKind("no root in two parts", ROOTS, _divide_words),
    "constructions": ViewKind("whole languages held out", WHOLE, _divide_constructions),
}
VIEWS: tuple[View, ...] = views.make_views(FORMATS, KINDS, view_entries)


def facts(table: pa.Table) -> dict[str, set[str]]:
    """What words are made of: themselves, morphemes, roots (invented language), languages."""
    found: dict[str, set[str]] = {name: set() for name in ("word", "morpheme", "root", "language")}
    for identifier, morphemes in zip(table["id"].to_pylist(), _segmented(table), strict=True):
        language = identifier.rpartition("-")[0]
        found["word"].add(f"{language} {''.join(morphemes)}")
        found["morpheme"] |= set(morphemes)
        found["language"].add(language)
        if language == LANGUAGE:
            found["root"] |= {_groups()[root] for root in roots_of(tuple(morphemes))}
    return found


def _segmented(table: pa.Table) -> Iterator[Sequence[str]]:
    if "morphemes" in table.column_names:
        yield from table["morphemes"].to_pylist()
    elif "target" in table.column_names:
        yield from (target.split(" ") for target in table["target"].to_pylist())
    else:
        columns = (table[name].to_pylist() for name in ("tokens", "tags"))
        for tokens, tags in zip(*columns, strict=True):
            yield cut_words(tokens, [BMES[tag] for tag in tags])
