"""Which record of a file belongs to which row of a suite: by id, by text, or by order.

Ids win where the file has some that are known; then texts, of which the k-th of several equal ones
belongs to the k-th row; then order, where the file has exactly as many records as there are rows
and nothing in it that says otherwise. What is missing and what is left over is counted.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

from metrics._shared.plain_text import TextError, cut

By = Literal["id", "text", "order"]


@dataclass(frozen=True)
class Matched:
    """Records and rows.

    Attributes:
        places: Number of the record of each row, None where there is none.
        by: How they were matched.
        n_left: Records that belong to no row.
    """

    places: list[int | None]
    by: By
    n_left: int

    @property
    def n_missing(self) -> int:
        """Rows without a record."""
        return self.places.count(None)


def key_of(text: str) -> str:
    r"""A text as texts are compared: in NFC and without blanks of any kind.

    Example:
        >>> key_of("他 有\u3000信心")
        '他有信心'
    """
    return "".join(unicodedata.normalize("NFC", text).split())


def match(
    where: str,
    ids: Sequence[str | None],
    texts: Sequence[str | None],
    row_ids: Sequence[str] | None,
    row_texts: Sequence[str] | None,
) -> Matched:
    """Finds the record of each row.

    Args:
        where: The file, for messages.
        ids: Id of each record, None without one.
        texts: Text of each record, None without one; compared by `key_of`.
        row_ids: Id of each row; None where rows have none.
        row_texts: Text of each row; None where rows have none.

    Raises:
        ValueError: An id stands twice, or neither ids nor texts nor the number of records fit.
    """
    if row_ids is not None and (known := set(row_ids) & {one for one in ids if one is not None}):
        _check_once(where, [one for one in ids if one in known])
        return _by_keys(list(ids), list(row_ids), "id")
    keys = [None if text is None else key_of(text) for text in texts]
    has_texts = any(key is not None for key in keys)
    if row_texts is not None and has_texts:
        row_keys = [key_of(text) for text in row_texts]
        found = _by_keys(keys, row_keys, "text")
        _check_own_records(where, found, keys, row_keys)
        if found.n_missing < len(row_keys):
            return found
        got = next(text for text in texts if text is not None)
        raise TextError(
            f"{where}: texts, got none of the suite, such as {cut(got)!r}; expected such as"
            f" {cut(row_texts[0])!r}: `garden-path inputs` writes them"
        )
    n_rows = len(row_ids if row_ids is not None else row_texts or ())
    if any(one is not None for one in ids) and row_ids is not None:
        got = next(one for one in ids if one is not None)
        raise TextError(f"{where}: id, got {cut(got)!r}; expected such as {row_ids[0]!r}")
    if len(ids) != n_rows:
        raise TextError(
            f"{where}: predictions, got {len(ids):,} without id or text; expected {n_rows:,}, in"
            " the order of the rows"
        )
    return Matched(list(range(n_rows)), "order", 0)


def _by_keys(keys: Sequence[Hashable | None], wanted: Sequence[Hashable], by: By) -> Matched:
    queues: dict[Hashable, list[int]] = defaultdict(list)
    for record, key in enumerate(keys):
        if key is not None:
            queues[key].append(record)
    used: set[int] = set()
    seen: dict[Hashable, int] = defaultdict(int)
    places: list[int | None] = []
    place: int | None
    for key in wanted:
        queue = queues.get(key, [])
        # a text that stands once serves all rows that have it: a system says the same of each
        place = None if not queue else queue[min(seen[key], len(queue) - 1)]
        seen[key] += 1
        if place is not None and len(queue) > 1 and place in used:
            place = None
        places.append(place)
        used |= {place} if place is not None else set()
    return Matched(places, by, len(keys) - len(used))


def _check_own_records(
    where: str, found: Matched, keys: Sequence[str | None], row_keys: Sequence[str]
) -> None:
    """One record a row, yet a row has another's: its own has a text that differs."""
    used = [place for place in found.places if place is not None]
    if len(keys) != len(row_keys) or len(set(used)) == len(used):
        return
    known = set(row_keys)
    left = [(i, key) for i, key in enumerate(keys) if key is not None and key not in known]
    if left:
        number, text = left[0]
        raise TextError(
            f"{where}: record {number + 1:,}, got the text {cut(text)!r}; expected one of"
            " the suite, since the file has as many records as the suite has rows"
        )


def _check_once(where: str, ids: Sequence[str | None]) -> None:
    seen: set[str | None] = set()
    for one in ids:
        if one in seen:
            raise TextError(f"{where}: id, got {one!r} twice; expected every id once")
        seen.add(one)
