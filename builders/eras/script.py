"""Traditional script: every word of the suite is converted once, alone.

Sentences are assembled from the converted words. Converting whole sentences breaks pairs, since
converters look across word edges (冲 becomes 衝 before 刺 and 沖 before 鋒).
The wording stays that of the mainland: 信息 becomes 信息, not 資訊.
"""

import functools
from dataclasses import dataclass
from pathlib import Path

from builders.eras.paradigms import DATA
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
    """Reads the reviewed conversions.

    Raises:
        DataFileError: A conversion changes the number of characters.
    """
    rows = read_table(path, Override)
    for row in rows:
        if len(row.simplified) != len(row.traditional):
            raise DataFileError(
                f"{path}: {row.simplified}: traditional, got {row.traditional!r}; "
                "expected as many characters"
            )
    return {row.simplified: row.traditional for row in rows}


def to_traditional(word: str) -> str:
    """Word of the suite in traditional script, character by character in the same places.

    Raises:
        DataFileError: The conversion changes the number of characters; an override is needed.
    """
    import chinese_converter

    converted = read_overrides().get(word) or str(chinese_converter.to_traditional(word))
    if len(converted) != len(word):
        raise DataFileError(
            f"{OVERRIDES}: {word}: conversion, got {converted!r}; "
            "expected as many characters: add an override"
        )
    return converted
