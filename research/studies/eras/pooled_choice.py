"""What decides between the two words, over all systems and, in shares of the variance, in each.

    true word came out = level of the system + frequency + branching + neighbour + word class

over the sentences in which a system commits itself; for systems that go by a lexicon also whether
it has the true and the canary word. Columns that do not vary, or that a row lacks, are left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from metrics._shared.columns import BoolArray, FloatArray, IntArray
from research.studies.eras.cut_choice import coefficients, explained, neighbour_lengths
from research.studies.eras.site_outcomes import SiteOutcomes
from research.studies.eras.validity_rows import TEXT, ItemSet

GROUPS: Mapping[str, tuple[str, ...]] = {
    "frequency": ("advantage",),
    "branching": ("is_left",),
    "neighbour": ("is_longer",),
    "word class": ("is_noun", "is_verb"),
}
KNOWN: Mapping[str, tuple[str, ...]] = {"lexicon": ("has_true", "has_canary")}
APART: Mapping[str, tuple[str, ...]] = {**GROUPS, "frequency": ("true_zipf", "canary_zipf")}
"""Groups with the frequencies of the two words apart."""
TRADITIONAL_BASE = 1_000_000  # strings of traditional texts are others than those of simplified


class Answered(NamedTuple):
    """What a system did with a part.

    Attributes:
        outcomes: Of the rows.
        features: Of the same rows, see `row_features`.
        corpus: Their text; "" for pairs.
        f1: F1 of all words of each text.
        lexicon: The words that the system knows, None where it does not go by any.
        part: The part itself.
    """

    outcomes: SiteOutcomes
    features: Mapping[str, FloatArray]
    corpus: npt.NDArray[np.str_]
    f1: Mapping[str, float]
    lexicon: frozenset[str] | None
    part: ItemSet

    @property
    def commits(self) -> BoolArray:
        """Whether one of the two words came out."""
        return self.outcomes.is_true | self.outcomes.is_canary

    @property
    def clusters(self) -> IntArray:
        """Cluster of each row, by one name in all systems."""
        is_other = self.part.script == "traditional" and self.part.name == TEXT
        return self.outcomes.cluster + TRADITIONAL_BASE * is_other

    def select(self, is_kept: BoolArray) -> "Answered":
        """Some of the rows."""
        features = {name: values[is_kept] for name, values in self.features.items()}
        return self._replace(
            outcomes=self.outcomes.select(is_kept),
            features=features,
            corpus=self.corpus[is_kept],
            part=self.part._replace(table=self.part.table.filter(is_kept)),
        )

    def with_known(self) -> "Answered":
        """The same with `has_true` and `has_canary`, 1 where the lexicon has the word."""
        known = self.lexicon or frozenset()
        has = {
            f"has_{kind}": np.array(
                [word in known for word in self.part.table[f"{kind}_word"].to_pylist()], float
            )
            for kind in ("true", "canary")
        }
        return self._replace(features={**self.features, **has})


def pooled(answers: Sequence[Answered]) -> dict[str, Any]:
    """What makes the true word come out, over all systems, each with a level of its own.

    Returns:
        `coefficients` and `explained` of `GROUPS`, `apart` (coefficients with the frequencies of
        the two words apart), `known` (coefficients with `KNOWN` too, of the systems that go by a
        lexicon; empty without any), `n`.
    """
    y, cluster, columns, levels = _stack(answers, GROUPS)
    fitted = _fit(y, cluster, columns, levels)
    groups = {
        name: np.column_stack([columns[one] for one in of_group])
        for name, of_group in GROUPS.items()
        if all(one in columns for one in of_group)
    }
    with_lexicon = [one.with_known() for one in answers if one.lexicon is not None]
    return {
        "coefficients": fitted,
        "explained": explained({**groups, "system": levels[:, 1:]}, y),
        "apart": _fit(*_stack(answers, APART)),
        "known": _fit(*_stack(with_lexicon, {**GROUPS, **KNOWN})) if with_lexicon else {},
        "n": len(y),
    }


def shares(one: Answered) -> dict[str, float]:
    """Share of the variance of a system's outcomes that each group of columns explains.

    Shapley values over `GROUPS` and, where the system goes by a lexicon, `KNOWN`; a group that
    does not vary is left out, all are nan where every outcome is the same.
    """
    wanted = {**GROUPS, **(KNOWN if one.lexicon is not None else {})}
    if not one.commits.any():
        return {}
    y, _, columns, _ = _stack([one.with_known()], wanted)
    groups = {
        name: np.column_stack([columns[column] for column in of_group])
        for name, of_group in wanted.items()
        if all(column in columns for column in of_group)
    }
    return explained(groups, y)


def longer_neighbours(parts: Iterable[ItemSet]) -> dict[str, tuple[int, int]]:
    """By set of pairs, in how many of how many paradigms the neighbour is longer than a character.

    A cut into few and long words is the right one there.
    """
    found = {}
    for part in parts:
        if "paradigm_id" in part.table.column_names:
            ids = part.table["paradigm_id"].to_pylist()
            longest = dict(zip(ids, neighbour_lengths(part.table), strict=True))
            found[part.name] = (sum(length > 1 for length in longest.values()), len(longest))
    return found


def known_cells(answers: Sequence[Answered]) -> dict[str, dict[str, float]]:
    """Resolution and site accuracy by what systems with a lexicon have in it, all together."""
    cells: dict[str, list[BoolArray]] = {}
    for one in (answer.with_known() for answer in answers if answer.lexicon is not None):
        true, canary = (one.features[f"has_{kind}"] > 0 for kind in ("true", "canary"))
        for name, is_in in (
            ("both", true & canary),
            ("true only", true & ~canary),
            ("canary only", ~true & canary),
            ("neither", ~true & ~canary),
        ):
            cells.setdefault(name, []).append(
                np.stack([one.outcomes.is_true[is_in], one.outcomes.is_canary[is_in]])
            )
    return {name: _cell(np.concatenate(parts, axis=1)) for name, parts in cells.items()}


def _cell(came_out: BoolArray) -> dict[str, float]:
    true, canary = came_out
    commits = (true | canary).sum()
    return {
        "n": len(true),
        "resolution": float(true.sum() / commits) if commits else float("nan"),
        "site_accuracy": float(true.mean()) if len(true) else float("nan"),
    }


def _stack(
    answers: Sequence[Answered], groups: Mapping[str, Sequence[str]]
) -> tuple[FloatArray, IntArray, dict[str, FloatArray], FloatArray]:
    """Outcomes, clusters, columns that vary, and systems as 0 and 1, of all that committed."""
    commits = [one.commits for one in answers]

    def joined(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        return np.concatenate([part[c] for part, c in zip(parts, commits, strict=True)])

    system = np.concatenate([np.full(c.sum(), i) for i, c in enumerate(commits)])
    levels = (system[:, None] == np.arange(len(answers))).astype(float)
    names = [name for columns in groups.values() for name in columns]
    found = {name: joined([one.features[name] for one in answers]) for name in names}
    varying = {n: v for n, v in found.items() if np.isfinite(v).all() and np.ptp(v) > 0}
    y = joined([one.outcomes.is_true for one in answers]).astype(float)
    return y, joined([one.clusters for one in answers]), varying, levels


def _fit(
    y: FloatArray, cluster: IntArray, columns: Mapping[str, FloatArray], levels: FloatArray
) -> dict[str, float]:
    own = {f"system {i}": level for i, level in enumerate(levels.T)}
    fitted = coefficients({**columns, **own}, y, cluster)
    return {name: value for name, value in fitted.items() if not name.startswith("system ")}
