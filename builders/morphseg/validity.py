"""Rules that every row of a pool keeps: nothing here knows how the rows were made."""

import pyarrow as pa

from builders.morphseg.columns import split_segmentations
from builders.morphseg.likelihoods import shift_problems
from builders.morphseg.sources import bmes


def problems(table: pa.Table) -> list[str]:
    """One line per row and broken rule, with the row's id; [] for a valid pool."""
    if "separator" in table.column_names:
        return list(shift_problems(table.to_pydict()))
    found = []
    seen: set[str] = set()
    for row in table.to_pylist():
        word, morphemes = row["word"], row["morphemes"]
        alternatives = split_segmentations(row["alternatives"])
        rules = {
            "a morpheme holds a blank or a bar": not any(c in word for c in " |"),
            "morphemes do not concatenate to the word": all(
                "".join(s) == word for s in [morphemes, *alternatives]
            ),
            "the first alternative is not the gold": alternatives[0] == morphemes,
            "tags and morphemes differ in number": len(row["tags"]) == len(morphemes),
            "labels do not fit the morphemes": row["bmes"] == bmes(morphemes),
            "the word occurs twice": word not in seen,
        }
        found += [f"{row['id']}: {problem}" for problem, is_kept in rules.items() if not is_kept]
        seen.add(word)
    return found
