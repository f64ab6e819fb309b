"""A decision among options, which is what every config with a gold label comes down to.

A row asks for one of some texts, nouns, heads or tags. Readers see **cues** of each option, which
are numbers, and **symbols**, which are strings; they never see the gold tree.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from builders.shallow import Kind
from metrics._shared.columns import BoolArray, FloatArray, IntArray

Cues = dict[str, float]
Measure = Literal["share", "units", "informedness"]
"""How decisions become a score.

    share         the share that is right
    units         the share of units all of whose decisions are right
    informedness  the mean over units of the number right, less all but one of its decisions
"""
Design = Literal["own", "headline", "paper", "training"]
"""What bounds a shallow reader: 10 points above chance, 40 percent, or it is said beside scores."""


class OptionChoice(NamedTuple):
    """A choice among texts, the seed of coins; among none where cuts are written.

    Readers are fitted on one half of the clusters. Decisions of a `unit` count as one, by its
    `weight`; those of a `kind` have readers of their own. Of each option `cues` are numbers, a
    missing one the least of all, and `symbols` are strings by family, of which a reader learns what
    each is worth. `row` is the row's id, where a headline's item is compared with a system's.
    """

    options: Sequence[str]
    gold: int
    cluster: str
    unit: str
    cues: Sequence[Cues]
    symbols: Mapping[str, Sequence[Sequence[str]]] = {}
    kind: str = ""
    row: str = ""
    weight: float = 1.0


@dataclass(frozen=True)
class ShallowReading:
    """What a reader decides: with which probability or credit, `right`, each decision is right.

    It knows nothing (`null`), reads one real cue (`shortcut`), was told the construction's rule
    (`rule`), or has the answers (`leak`).
    """

    says: str
    right: FloatArray
    kind: Kind


@dataclass(frozen=True)
class Problem:
    """The decisions of a config, with its split behind a slash where it has several.

    Attributes:
        real: Names of cues and families of symbols that are a real cue; the rest knows nothing.
        rules: Names of cues that apply the rule of the construction itself.
        strengths: How freely weights of symbols follow the fitted half: a reader for each. Where
            symbols are many for their rows, a weak one reads more.
        together: Families of symbols that random trees read at once, with all cues, by a name.
        taught: Decisions of a training split, on which readers are fitted too.
        answered: Decisions of the config's other split, which may be of the same clusters.
        cutters: Makes readers that write their own answer, such as cuts, from which decisions are
            of the first half, and those of a training split. A coin is worth nothing then.
    """

    config: str
    score: str
    decisions: Sequence[OptionChoice]
    measure: Measure = "share"
    design: Design = "own"
    real: frozenset[str] = field(default_factory=frozenset)
    rules: frozenset[str] = field(default_factory=frozenset)
    strengths: tuple[float, ...] = (1.0,)
    together: Mapping[str, Sequence[str]] = field(default_factory=dict)
    taught: Sequence[OptionChoice] = ()
    answered: Sequence[OptionChoice] = ()
    cutters: "Cutters | None" = None

    def kind_of(self, *names: str) -> Kind:
        """What a reader of these cues or symbols knows."""
        if not self.rules.isdisjoint(names):
            return "rule"
        return "null" if self.real.isdisjoint(names) else "shortcut"


Cutters = Callable[[BoolArray, Sequence[OptionChoice]], Iterator[ShallowReading]]


@dataclass(frozen=True)
class Cued:
    """Decisions as arrays: `values` (n, most options, cues), `is_option`, `gold`."""

    names: Sequence[str]
    values: FloatArray
    is_option: BoolArray
    gold: IntArray

    @property
    def is_gold(self) -> BoolArray:
        """Which option is the right one, shape (n, most options)."""
        return np.asarray(np.arange(self.is_option.shape[1])[None, :] == self.gold[:, None])

    @classmethod
    def of(cls, decisions: Sequence[OptionChoice]) -> "Cued":
        """The cues of some decisions, constant ones left out."""
        names = sorted({name for one in decisions for cues in one.cues for name in cues})
        most = max(len(one.options) for one in decisions)
        values = np.full((len(decisions), most, len(names)), -np.inf)
        is_option = np.zeros((len(decisions), most), bool)
        for i, one in enumerate(decisions):
            is_option[i, : len(one.options)] = True
            for k, cues in enumerate(one.cues):
                for j, name in enumerate(names):
                    values[i, k, j] = cues.get(name, -1e6)
        kept = [j for j in range(len(names)) if np.unique(values[is_option][:, j]).size > 1]
        gold = np.array([one.gold for one in decisions])
        return cls([names[j] for j in kept], values[:, :, kept], is_option, gold)


def chance_of(decisions: Sequence[OptionChoice], measure: Measure) -> float:
    """What a coin for each decision is worth."""
    shares = [1 / len(one.options) if one.options else 0.0 for one in decisions]
    return score_of(decisions, np.array(shares), measure)


def score_of(decisions: Sequence[OptionChoice], right: FloatArray, measure: Measure) -> float:
    """The score of decisions that are right with these probabilities."""
    sums, sizes = cluster_sums(decisions, right, measure)
    return float(sums.sum() / sizes.sum())


def cluster_sums(
    decisions: Sequence[OptionChoice], right: FloatArray, measure: Measure
) -> tuple[FloatArray, FloatArray]:
    """Sum and weight of the scored units of each cluster."""
    units: dict[tuple[str, str, float], list[float]] = {}
    for i, (one, share) in enumerate(zip(decisions, right, strict=True)):
        unit = str(i) if measure == "share" else one.unit
        units.setdefault((one.cluster, unit, one.weight), []).append(float(share))
    clusters: dict[str, list[tuple[float, float]]] = {}
    for (cluster, _, weight), shares in units.items():
        value = sum(shares) - len(shares) + 1 if measure == "informedness" else np.prod(shares)
        clusters.setdefault(cluster, []).append((weight * float(value), weight))
    return (
        np.array([sum(value for value, _ in values) for values in clusters.values()]),
        np.array([sum(weight for _, weight in values) for values in clusters.values()]),
    )
