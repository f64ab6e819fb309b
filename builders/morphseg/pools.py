"""The pools that data sets are drawn from: the study's languages, read from their sources, and the invented ones."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from builders.morphseg.generator import DEFAULT_SIZE, generate, profiles
from builders.morphseg.sources import Word, bmes, has_files, language, languages, read_language

VERSION = "1.0.0"


def pool_names() -> list[str]:
    """Gives the invented languages, then the study's by code."""
    return [*profiles(), *languages()]


def read_pool(
    name: str, folder: Path | None = None, size: int | None = None, seed: int = 0
) -> list[Word]:
    """Gives the words of a pool.

    Args:
        name: One of `pool_names`.
        folder: Folder of the source files; needed for the study's languages only.
        size: Number of words of an invented language, by default 10,000; the study's have as many
            as Table 1 says.
        seed: Seed of an invented language.

    Raises:
        ValueError: The name is unknown, or a study's language has no folder.
        DataFileError: Its files are missing or wrong.
    """
    if name in profiles():
        return generate(name, DEFAULT_SIZE if size is None else size, seed)
    language(name)
    if folder is None:
        raise ValueError(
            f"pool {name}: folder, got None; expected the folder of its source files (--released DIR)"
        )
    return read_language(name, folder)


def has_pool(name: str, folder: Path) -> bool:
    """Says whether a pool can be read: always for the invented languages, else if all its files are in the folder."""
    return name in profiles() or has_files(name, folder)


def pool_hash(words: Sequence[Word]) -> str:
    """Gives the SHA-256 of a pool's segmentations in order: what results on it depend on, besides the plan."""
    digest = hashlib.sha256()
    for w in words:
        digest.update(
            "|".join("+".join(segmentation) for segmentation in w.alternatives).encode() + b"\n"
        )
    return digest.hexdigest()


def pool_columns(name: str, words: Sequence[Word]) -> dict[str, list[object]]:
    """Gives the columns of a pool's rows; the id ends in the word's index in the pool, to which the sampling plan points."""
    return {
        "id": [f"{name}-{i:05d}" for i in range(len(words))],
        "word": [w.word for w in words],
        "morphemes": [list(w.morphemes) for w in words],
        "alternatives": [[list(segmentation) for segmentation in w.alternatives] for w in words],
        "tags": [list(w.tags) for w in words],
        "bmes": [bmes(w.morphemes) for w in words],
    }


def pool_problems(columns: dict[str, list[object]]) -> list[str]:
    """Checks the rows of a pool; gives one line per row that breaks a rule of the schema."""
    problems = []
    seen: set[object] = set()
    for number, word, morphemes, alternatives, tags, labels in zip(*columns.values(), strict=True):
        rules = {
            "morphemes do not concatenate to the word": all(
                "".join(s) == word for s in [morphemes, *alternatives]
            ),
            "the first alternative is not the gold": alternatives[0] == morphemes,
            "tags and morphemes differ in number": len(tags) == len(morphemes),
            "labels do not fit the morphemes": labels == bmes(morphemes),
            "the word occurs twice": word not in seen,
        }
        problems += [f"{number}: {problem}" for problem, is_kept in rules.items() if not is_kept]
        seen.add(word)
    return problems
