"""Items that a system got wrong, and the fact of the row that misled it, as the suites say it."""

import importlib
from collections import defaultdict
from collections.abc import Hashable, Sequence

from builders.columns import Row
from builders.mistakes import Mistake, Readers
from builders.suites import FOLDER
from ground.found import found
from ground.paths import ROOMS


def find_mistakes(
    metric: str, rows: Sequence[Row], items: Sequence[Row], limit: int
) -> tuple[int, list[Mistake]]:
    """How many items are wrong, and some of them, no text twice; `items` are one for each row.

    First those in which the row itself misleads; among them one of each group in turn.
    """
    reader = _readers().get(metric)
    if reader is None or len(rows) != len(items):
        return 0, []
    pairs: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        pairs[row.get("pair_id", "")].append(row)
    read = (reader(row, item, pairs) for row, item in zip(rows, items, strict=True))
    wrong = [mistake for mistake in read if mistake is not None]
    turn: dict[Hashable, int] = defaultdict(int)
    ranked = []
    for mistake in sorted(wrong, key=lambda one: not one.is_told):
        ranked.append((not mistake.is_told, turn[mistake.group], mistake))
        turn[mistake.group] += 1
    ranked.sort(key=lambda one: one[:2])
    shown: dict[str, Mistake] = {}
    for *_, mistake in ranked:
        shown.setdefault("".join(piece for piece, _ in mistake.text), mistake)
    return len(wrong), list(shown.values())[:limit]


def _readers() -> Readers:
    modules = [importlib.import_module(f"{ROOMS}builders.{n}") for n in found(FOLDER, "MISTAKES")]
    return {metric: read for one in modules for metric, read in one.MISTAKES.items()}
