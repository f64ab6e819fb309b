"""Pairs of a draw as a table, in either script, from one table of words and indices into it.

A sentence is its words joined, so words and sentence cannot disagree; both scripts share the
indices, so they cannot either. Every word is converted once, alone: converting whole sentences
breaks pairs, since converters look across word edges (冲 becomes 衝 before 刺 and 沖 before 鋒).
The wording stays that of the mainland: 信息 becomes 信息, not 資訊.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from builders.eras.columns import PAIR_SCHEMA, SLOT_NAMES, SLOT_STRUCT
from builders.eras.draw import ParadigmDraw
from builders.eras.paradigms import DATA, SITE_LENGTH, Template, TemplateParadigm, gapped
from ground.tables import DataFileError, read_table

OVERRIDES = DATA / "overrides.tsv"


@dataclass(frozen=True)
class Override:
    """One row of overrides.tsv: a word that chinese-converter gets wrong when it stands alone."""

    simplified: str
    traditional: str
    reason: str


@functools.cache
def read_overrides(path: Path = OVERRIDES) -> dict[str, str]:
    """The reviewed conversions; a DataFileError where one changes the number of characters."""
    found = {row.simplified: row.traditional for row in read_table(path, Override)}
    for word, written in found.items():
        if len(word) != len(written):
            got = f"traditional, got {written!r}; expected as many characters"
            raise DataFileError(f"{path}: {word}: {got}")
    return found


def to_traditional(word: str) -> str:
    """A word in traditional script; a DataFileError where its number of characters changes."""
    import chinese_converter

    converted = read_overrides().get(word) or str(chinese_converter.to_traditional(word))
    if len(converted) != len(word):
        got = f"conversion, got {converted!r}; expected as many characters: add an override"
        raise DataFileError(f"{OVERRIDES}: {word}: {got}")
    return converted


MASK = "[MASK]"
Script = Literal["simplified", "traditional"]
Places = npt.NDArray[np.int32]
CONVERSIONS: dict[str, Callable[[str], str]] = {"simplified": str, "traditional": to_traditional}


class FillerVocabulary:
    """All words of the suite in one script, each converted once.

    `place` maps a simplified word to its place in `texts`; `written` has those that are written by
    hand in that script instead.
    """

    def __init__(
        self, words: Sequence[str], script: Script, written: Mapping[str, str] | None = None
    ) -> None:
        convert, known, distinct = CONVERSIONS[script], written or {}, sorted(set(words))
        self.place = {word: i for i, word in enumerate(distinct)}
        texts = [known[word] if word in known else convert(word) for word in distinct]
        self.texts = pa.array(texts, pa.string())

    def take(self, places: Places) -> pa.Array:
        """Words at these places."""
        return self.texts.take(pa.array(places))


def pair_table(
    drawn: Sequence[ParadigmDraw], script: Script, written: Mapping[str, str] | None = None
) -> pa.Table:
    """Pairs of a draw as a table of `PAIR_SCHEMA`, a chunk for each paradigm: `pair_batches`."""
    return pa.concat_tables(pair_batches(drawn, script, written))


def pair_batches(
    drawn: Sequence[ParadigmDraw], script: Script, written: Mapping[str, str] | None = None
) -> Iterator[pa.Table]:
    """The same pairs, a table for each paradigm, made as it is read."""
    templates = [t for part in drawn for t in (part.paradigm.test, part.paradigm.control)]
    words = [word for template in templates for word in template if isinstance(word, str)]
    words += [word.word for part in drawn for of_slot in part.lists for word in of_slot]
    vocabulary = FillerVocabulary(words, script, written)
    for part in drawn:
        yield pa.Table.from_batches([_paradigm_batch(part, vocabulary)], schema=PAIR_SCHEMA)


def _paradigm_batch(part: ParadigmDraw, vocabulary: FillerVocabulary) -> pa.RecordBatch:
    paradigm, row, n = part.paradigm, part.paradigm.row, len(part.picks)
    slot_places = [
        np.array([vocabulary.place[word.word] for word in words], dtype=np.int32)[part.picks[:, i]]
        for i, words in enumerate(part.lists)
    ]
    place = paradigm.site_start + paradigm.occluded
    width = 3 if row.source_index is None else 2  # all ids of an edition have one length
    columns = _slot_columns(part, slot_places, vocabulary)
    columns["id"] = pa.array([f"{row.paradigm_id:0{width}d}-{k:05d}" for k in range(n)])
    constant: dict[str, object] = {"site_start": paradigm.site_start}
    constant |= dict(zip(("true_sentiment", "canary_sentiment"), row.sentiments, strict=True))
    for side, template in (("control", paradigm.control), ("test", paradigm.test)):
        words = _word_lists(template, slot_places, vocabulary)
        text = pc.binary_join(words, "")
        masked = pc.utf8_replace_slice(text, place, place + 1, MASK)
        columns |= {side: text, f"{side}_words": words, f"occluded_{side}": masked}
        constant[f"{side}_site"] = site = _site(paradigm, template, vocabulary)
    both = (site[:2], site[1:])[:: 1 if row.branching == "left" else -1]
    constant |= dict(zip(("true_word", "canary_word"), both, strict=True))
    columns["n_chars"] = pc.utf8_length(columns["test"])
    for name in ("paradigm_id", "branching"):
        constant[name] = getattr(row, name)
    for field in PAIR_SCHEMA:  # people's ratings are null
        if field.name not in columns:
            value = pa.scalar(constant.get(field.name), field.type)
            columns[field.name] = pa.repeat(value, n)
    return pa.record_batch([columns[name] for name in PAIR_SCHEMA.names], schema=PAIR_SCHEMA)


def _word_lists(
    template: Template, slot_places: Sequence[Places], vocabulary: FillerVocabulary
) -> pa.Array:
    """Words of every sentence, from a matrix of places with one column per word of the template."""
    fillers = iter(slot_places)
    matrix = np.empty((len(slot_places[0]), len(template)), dtype=np.int32)
    for column, word in enumerate(template):
        matrix[:, column] = vocabulary.place[word] if isinstance(word, str) else next(fillers)
    offsets = np.arange(0, matrix.size + 1, len(template), dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), vocabulary.take(matrix.ravel()))


def _slot_columns(
    part: ParadigmDraw, slot_places: Sequence[Places], vocabulary: FillerVocabulary
) -> dict[str, pa.Array]:
    """One column of structs per slot; null for the third slot of a paradigm with two."""
    n = len(part.picks)
    lengths = pc.utf8_length(vocabulary.texts).to_numpy()
    columns: dict[str, pa.Array] = {name: pa.nulls(n, SLOT_STRUCT) for name in SLOT_NAMES}
    position, place = np.zeros(n, dtype=np.int32), 0
    for word in part.paradigm.test:
        if isinstance(word, str):
            position = position + len(word)
            continue
        zipf = np.array([w.zipf for w in part.lists[place]], np.float32)[part.picks[:, place]]
        start, taken = pa.array(position.astype(np.int32)), vocabulary.take(slot_places[place])
        values = [pa.repeat(word.type, n), taken, start, pa.array(zipf)]
        columns[SLOT_NAMES[place]] = pa.StructArray.from_arrays(values, fields=list(SLOT_STRUCT))
        position, place = position + lengths[slot_places[place]], place + 1
    return columns


def _site(paradigm: TemplateParadigm, template: Template, vocabulary: FillerVocabulary) -> str:
    texts, place = vocabulary.texts, vocabulary.place
    words = (texts[place[w]].as_py() if isinstance(w, str) else w for w in template)
    return gapped(tuple(words))[paradigm.site_start :][:SITE_LENGTH]
