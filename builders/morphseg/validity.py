"""Rules that every row of a pool keeps: nothing here knows how the rows were made."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from builders.morphseg.columns import FEATURES, SCORES
from builders.morphseg.likelihoods import shift_problems
from builders.morphseg.sampling import METHODS, PROTOCOLS, SPLITS
from builders.morphseg.sources import bmes
from metrics.morpheme_segmentation.inputs import split_segmentations


def problems(table: pa.Table) -> list[str]:
    """One line per row and broken rule, with the row's id; [] for a valid pool."""
    if "separator" in table.column_names:
        return list(shift_problems(table.to_pydict()))
    if "library" in table.column_names:
        return [problem for row in table.to_pylist() for problem in score_problems(row)]
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


def score_problems(row: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a row of `morphseg_scores`, a line each.

    Recall and the mean of words' F1 may pass 1 where morphemes repeat, as the published measure has
    it; a mean over hundreds of words does not reach 1.1.
    """
    ranges = dict.fromkeys(SCORES, (0.0, 1.1)) | {"distance": (0.0, float("inf"))}
    values = {name: row[name] for name in SCORES}
    if not all(ranges[name][0] <= value <= ranges[name][1] for name, value in values.items()):
        yield f"{row['id']}: scores, got {values}; expected shares, and a distance of 0 or more"
    chosen = {"method": METHODS, "protocol": tuple(PROTOCOLS), "random_split": SPLITS}
    for name, known in chosen.items():
        if row[name] not in known:
            yield f"{row['id']}: {name}, got {row[name]!r}; expected one of {', '.join(known)}"
    if row["size"] < 5 or row["data_set"] < 1:
        yield f"{row['id']}: size, data_set, got {row['size']}, {row['data_set']}; expected 5, 1"
    if len({row[name] is None for name in FEATURES}) > 1:
        yield f"{row['id']}: characteristics, got some; expected all or none"
