"""What an analysis gives: tables to be shown, and ratings in the layout that a build takes."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from dataset_scripts.ratings import Level, Rating, krippendorff_alpha

T = TypeVar("T")


class Table(NamedTuple):
    """A title and rows."""

    title: str
    rows: list[dict[str, Any]]


@dataclass(frozen=True)
class TableAnalysis:
    """What the answers to a form say: shares in [0, 1], nan where undefined, and tables.

    `ratings` has one per row of the suite and rater, `replies` what people wrote, as `id`, `system`
    and `answer`: what an audit asks about.
    """

    figures: Mapping[str, Any]
    tables: Sequence[Table]
    ratings: Sequence[Rating]
    replies: Sequence[Mapping[str, str]] = field(default=())


def groups(values: Iterable[T], key: Callable[[T], Hashable]) -> dict[Any, list[T]]:
    """Values by a key, in the order of the keys."""
    found: dict[Any, list[T]] = {}
    for value in values:
        found.setdefault(key(value), []).append(value)
    return dict(sorted(found.items()))


def alpha(values: Iterable[tuple[str, str, float]], level: Level) -> float:
    """Krippendorff's alpha of (item, rater, value); nan where nothing was answered twice."""
    return krippendorff_alpha([Rating(i, r, "", value) for i, r, value in values], level)
