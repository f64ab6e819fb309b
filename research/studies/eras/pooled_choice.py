"""What decides between the two words of an ambiguous string, in a system and over all systems.

    chosen left = base + frequency x (log10 of how much more frequent the left word is)
                       + context x (whether the left word is the true one, +1/2 or -1/2)

over the sentences in which a segmenter commits itself. A segmenter that reads nothing but its
dictionary has a context of 0, one that is never misled 1; base is 1/2 without a preference for a
side. Frequencies are those of jieba's dictionary for all systems, 0 counted as 1. Over all systems

    true word came out = level of the system + frequency + branching + neighbour + word class

and for systems that go by a lexicon also whether it has the true and the canary word. Columns that
do not vary, or that a row lacks, are left out. Linear probabilities with errors that allow for
clusters (`fit_clustered`); shares of the variance are Shapley values over the groups of columns.
"""

import argparse
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from builders.eras.dictionary import read_dictionary, zipf_frequency
from builders.eras.natural_rows import Vocabulary, word_class
from dataset_scripts.eras import Eras
from dataset_scripts.registry import split_table
from ground.tables import read_table
from metrics._shared.columns import BoolArray, FloatArray, IntArray
from metrics._shared.uncertainty import student_quantile
from research.studies.answer_batches import Batches
from research.studies.eras.segmentation import segment, sentences
from research.studies.eras.site_outcomes import SiteOutcomes
from research.studies.morphseg.clustered_regression import ClusteredRows, fit_clustered

SCRIPTS = ("simplified", "traditional")
PAIR_CONFIGS = {
    "ERAS": {script: f"{script}_lite" for script in SCRIPTS},
    "extended": {"simplified": "extended", "traditional": "extended_traditional"},
}
TEXT = "natural"
SEEN = Path(__file__).resolve().parent.parent / "data" / "eras_seen_texts.tsv"
ANSWERS = pa.schema([("words", pa.list_(pa.list_(pa.string()))), ("seconds", pa.float64())])


class ItemSet(NamedTuple):
    """Rows of one script that a system is given at once: `ERAS`, `extended` or `natural`."""

    name: str
    script: str
    table: pa.Table


@dataclass(frozen=True)
class SeenText:
    """One row of `eras_seen_texts.tsv`: what a system has learned of a corpus of `corpora.toml`."""

    key: str
    system: str
    corpus: str
    how: str
    said_by: str


def read_parts(options: argparse.Namespace) -> dict[str, ItemSet]:
    """The parts by `name/script`; the extended pairs where this version has them."""
    known = {config.name for config in Eras.BUILDER_CONFIGS}
    parts = [
        ItemSet(name, script, split_table("eras", config, "test"))
        for name, configs in PAIR_CONFIGS.items()
        for script, config in configs.items()
        if config in known
    ]
    natural = split_table("eras", "natural_lite", "test", {"natural": tuple(options.natural)})
    parts += [
        ItemSet(TEXT, script, found)
        for script in SCRIPTS
        for found in [natural.filter(pc.equal(natural["script"], script))]
        if found.num_rows
    ]
    return {f"{part.name}/{part.script}": part for part in parts}


def script_of(system: Any) -> str:
    """The script in which a system is scored: its own, simplified where it takes both."""
    return system.script or SCRIPTS[0]


def part_sentences(system: Any, part: ItemSet) -> Sequence[str] | pa.ChunkedArray:
    """The sentences of a part that a system is given, none of another script than its own."""
    if part.script != script_of(system):
        return []
    if "control" in part.table.column_names:
        return sentences(system, part.table)
    return part.table["test"]


def seen_texts() -> Mapping[str, frozenset[str]]:
    """Corpora that a system has learned of, by its name."""
    found: dict[str, frozenset[str]] = {}
    for row in read_table(SEEN, SeenText):
        found[row.system] = found.get(row.system, frozenset()) | {row.corpus}
    return found


BATCHES = Batches(ANSWERS, part_sentences, segment)


BASE = ("base", "frequency", "context")


def zipf_or_least(word: str, script: str) -> float:
    """Zipf frequency of a word by jieba's dictionary; as if seen once where it is not there."""
    simplified = Vocabulary({}, {}, 1, script).simplified(word)
    found = zipf_frequency(simplified)
    return math.log10(1e9 / sum(read_dictionary().values())) if math.isnan(found) else found


def row_features(table: pa.Table, script: str) -> dict[str, FloatArray]:
    """What is known of each row before it is cut, arrays of shape (n,).

    `advantage`, log10 of how much more frequent the true word is than the canary word; `true_zipf`,
    `canary_zipf`, log10 of either's occurrences per billion words; as 0 and 1 `is_left`, the true
    word is the left one; `is_longer`, the neighbour, the word that has the third character of the
    string, has more; `is_noun`, `is_verb`, of the true word.
    """
    true, canary = (table[f"{kind}_word"].to_pylist() for kind in ("true", "canary"))
    known = Vocabulary({}, {}, 1, script)
    zipf = {word: zipf_or_least(word, script) for word in {*true, *canary}}
    of_true, of_canary = (np.array([zipf[word] for word in words]) for words in (true, canary))
    classes = [word_class(word, known) for word in true]
    flags = {
        "is_left": [side == "left" for side in table["branching"].to_pylist()],
        "is_longer": [length > 1 for length in neighbour_lengths(table)],
        **{f"is_{name}": [one == name for one in classes] for name in ("noun", "verb")},
    }
    zipfs = {"advantage": of_true - of_canary, "true_zipf": of_true, "canary_zipf": of_canary}
    return zipfs | {name: np.array(values, float) for name, values in flags.items()}


def neighbour_lengths(table: pa.Table) -> list[int]:
    """Characters of the word beside the true word that has the third character of the string.

    Example:
        >>> row = {"test_words": ["有", "信心", "机动", "的"], "site_start": 1, "branching": "left"}
        >>> neighbour_lengths(pa.Table.from_pylist([row]))
        [2]
    """
    columns = (table[name].to_pylist() for name in ("test_words", "site_start", "branching"))
    found = []
    for words, start, side in zip(*columns, strict=True):
        ends = list(itertools.accumulate(map(len, words)))
        place = ends.index(start + 2) + 1 if side == "left" else ends.index(start + 1)
        found.append(len(words[place]))
    return found


def choice(outcomes: SiteOutcomes, features: Mapping[str, FloatArray]) -> dict[str, float]:
    """The three coefficients of a system, as the module says, each with `_low` and `_high`.

    `frequency_share` and `context_share` are parts of the variance of what is chosen.
    """
    commits = outcomes.is_true | outcomes.is_canary
    side = np.where(features["is_left"] > 0, 1.0, -1.0)[commits]
    columns = {
        "base": np.ones(commits.sum()),
        "frequency": features["advantage"][commits] * side,
        "context": side / 2,
    }
    chosen = (outcomes.is_true[commits] == (side > 0)).astype(float)
    found = coefficients(columns, chosen, outcomes.cluster[commits])
    shares = explained({name: columns[name][:, None] for name in BASE[1:]}, chosen)
    return found | {f"{name}_share": value for name, value in shares.items()}


def coefficients(
    columns: Mapping[str, FloatArray], y: FloatArray, cluster: Any
) -> dict[str, float]:
    """Coefficients with 95 % ends, `_low`, `_high`; nan where rows are no more than columns."""
    if len(y) <= len(columns):
        names = [f"{name}{end}" for name in columns for end in ("", "_low", "_high")]
        return dict.fromkeys(names, math.nan)
    order = np.argsort(cluster, kind="stable")
    x = np.column_stack(list(columns.values()))[order]
    fit = fit_clustered(list(columns), [ClusteredRows(x, y[order], cluster[order])])
    reach = student_quantile(0.975, max(1, fit.n_clusters - 1))
    return {
        f"{name}{end}": one.value + sign * reach * one.error if sign else one.value
        for name, one in fit.coefficients.items()
        for end, sign in (("", 0), ("_low", -1), ("_high", 1))
    }


def explained(groups: Mapping[str, FloatArray], y: FloatArray) -> dict[str, float]:
    """Share of the variance of y, shape (n,), that each group explains: its Shapley value.

    The mean, over all orders in which the groups could come, of what a group, shape (n, p), adds to
    R squared; a constant is added.
    """
    names = list(groups)
    total = float(((y - y.mean()) ** 2).sum())
    if not total:
        return dict.fromkeys(names, math.nan)

    def fit(subset: Sequence[str]) -> float:
        x = np.column_stack([np.ones(len(y)), *(groups[name] for name in subset)])
        rest = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
        return 1 - float((rest**2).sum()) / total

    sizes = range(len(names) + 1)
    fits = {subset: fit(subset) for n in sizes for subset in itertools.combinations(names, n)}
    weights = [1 / (len(names) * math.comb(len(names) - 1, n)) for n in range(len(names))]
    return {
        name: sum(
            weights[len(subset)] * (fits[_with(names, subset, name)] - value)
            for subset, value in fits.items()
            if name not in subset
        )
        for name in names
    }


def _with(names: Sequence[str], subset: Sequence[str], name: str) -> tuple[str, ...]:
    return tuple(one for one in names if one in subset or one == name)


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
    """What a system did with a part; features are of its rows, `f1` of all words of each text.

    `corpus` is "" for pairs, `lexicon` None where a system does not go by any.
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

    `apart` has the frequencies of the two words apart, `known` the columns `KNOWN` too, of the
    systems that go by a lexicon; it is empty without any.
    """
    y, cluster, columns, levels = _stack(answers, GROUPS)
    with_lexicon = [one.with_known() for one in answers if one.lexicon is not None]
    return {
        "coefficients": _fit(y, cluster, columns, levels),
        "explained": explained({**_grouped(columns, GROUPS), "system": levels[:, 1:]}, y),
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
    return explained(_grouped(columns, wanted), y)


def _grouped(
    columns: Mapping[str, FloatArray], groups: Mapping[str, Sequence[str]]
) -> dict[str, FloatArray]:
    """The columns of each group that is there whole."""
    return {
        name: np.column_stack([columns[one] for one in of_group])
        for name, of_group in groups.items()
        if columns.keys() >= set(of_group)
    }


def longer_neighbours(parts: Iterable[ItemSet]) -> dict[str, tuple[int, int]]:
    """In how many of how many paradigms of each set the neighbour is longer than a character."""
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
        parts = {"both": true & canary, "true only": true & ~canary}
        parts |= {"canary only": ~true & canary, "neither": ~true & ~canary}
        came_out = np.stack([one.outcomes.is_true, one.outcomes.is_canary])
        for name, is_in in parts.items():
            cells.setdefault(name, []).append(came_out[:, is_in])
    return {name: _cell(np.concatenate(found, axis=1)) for name, found in cells.items()}


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
