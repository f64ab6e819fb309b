"""A row of the suite with the columns that are checked."""

from collections.abc import Sequence
from typing import NamedTuple

from builders.sorts.design import SYNCRETISM


class CheckedClause(NamedTuple):
    """A row, with the columns that are checked."""

    id: str
    triple_id: str
    properties: Sequence[str]
    resolved_by: str
    tokens: Sequence[str]
    lemmas: Sequence[str]
    upos: Sequence[str]
    xpos: Sequence[str]
    feats: Sequence[str]
    heads: Sequence[int]
    deprels: Sequence[str]
    fields: Sequence[str]
    subject: int
    verb: int
    object: int

    def phrase(self, head: int) -> list[str]:
        """Words of a head and of what depends on it."""
        return [
            token for i, token in enumerate(self.tokens) if i == head or self.heads[i] == head + 1
        ]

    @property
    def is_syncretic(self) -> bool:
        """Whether neither phrase may tell its case, nor both their number."""
        return self.id.startswith(f"{SYNCRETISM}/") or SYNCRETISM in self.properties


CHECKED = CheckedClause._fields
