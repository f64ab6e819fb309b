"""Which of some records belongs to which row, by what both have."""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

from ground.records import Records
from metrics._shared.plain_text import TextError, cut

By = Literal["id", "text", "order"]


@dataclass(frozen=True)
class Matched:
    """Records and rows."""

    places: list[int | None]  # number of the record of each row, None where there is none
    by: By
    n_left: int  # records that belong to no row

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


def key_with_blanks(text: str) -> str:
    """As `key_of`, but its blanks are kept, each stretch as one."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def key_for(texts: Sequence[str]) -> Callable[[str], str]:
    """How texts are compared with these: with their blanks where two differ in nothing else."""
    exact = set(map(key_with_blanks, texts))
    return key_of if len(set(map(key_of, exact))) == len(exact) else key_with_blanks


def by_keys(keys: Sequence[Hashable | None], wanted: Sequence[Hashable], by: By) -> Matched:
    """Records and rows of one key; the k-th of several records belongs to the k-th row."""
    queues: dict[Hashable, list[int]] = defaultdict(list)
    for record, key in enumerate(keys):
        if key is not None:
            queues[key].append(record)
    used: set[int] = set()
    seen: dict[Hashable, int] = defaultdict(int)
    places: list[int | None] = []
    for key in wanted:
        queue = queues.get(key, [])
        # a text that stands once serves all rows that have it: a system says the same of each
        place = queue[min(seen[key], len(queue) - 1)] if queue else None
        seen[key] += 1
        if len(queue) > 1 and place in used:
            place = None
        places.append(place)
        used |= set() if place is None else {place}
    return Matched(places, by, len(keys) - len(used))


def check_texts(
    records: Records, matched: Matched, texts: Sequence[str | None], row_texts: Sequence[str]
) -> None:
    """A ValueError that names the first id beside the text of another row, by `key_of`."""
    known = set(map(key_of, row_texts))
    for place, wanted in zip(matched.places, row_texts, strict=False):
        text = None if place is None else texts[place]
        if text is not None and key_of(text) != key_of(wanted) and key_of(text) in known:
            got = f"{records.place(place or 0)}: text, got {cut(text)!r}"
            raise TextError(f"{got}; expected that of its id, {cut(wanted)!r}")
