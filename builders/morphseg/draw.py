"""The pools that data sets are drawn from: invented languages, and those of the study."""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from builders.morphseg.generator import DEFAULT_SIZE, generate_batches, profiles
from builders.morphseg.sources import Word, check_files, has_files, language, read_language


def draw(
    seed: int = 0, size: int | None = None, *, pool: str = "synthetic", folder: Path | None = None
) -> list[Word]:
    """Words of a pool: an invented language, 10,000 by default, or one of the study by its code.

    A ValueError for an unknown pool, one of the study without a folder, or too many words; a
    DataFileError where source files are missing, wrong, or others than the recorded ones.
    """
    return list(chain.from_iterable(draw_batches(seed, size, pool=pool, folder=folder)))


def draw_batches(
    seed: int = 0, size: int | None = None, *, pool: str = "synthetic", folder: Path | None = None
) -> Iterator[list[Word]]:
    """The same words in parts: those of an invented language are never all in memory."""
    if pool in profiles():
        yield from generate_batches(profiles()[pool], DEFAULT_SIZE if size is None else size, seed)
        return
    language(pool)
    if folder is None:
        expected = "the folder of its source files (--released DIR)"
        raise ValueError(f"pool {pool}: folder, got None; expected {expected}")
    check_files(pool, folder)
    yield read_language(pool, folder)


def has_pool(name: str, folder: Path) -> bool:
    """Whether a pool can be read: always if invented, else where `folder` has all its files."""
    return name in profiles() or has_files(name, folder)


def pool_hash(words: Sequence[Word]) -> str:
    """SHA-256 of a pool's segmentations in order, on which results depend besides the plan."""
    digest = hashlib.sha256()
    for word in words:
        digest.update(("|".join(map("+".join, word.alternatives)) + "\n").encode())
    return digest.hexdigest()
