"""Does ERAS predict text? Segmenters on its pairs and on ambiguous strings that occur.

    python -m studies eras validity
    python -m studies eras validity --systems jieba pkuseg --natural my_gold_text.txt

Every system on the 39 paradigms, the extended ones where this version has them, and the places of
`natural_lite` in the texts that it has not learned of: rank correlation over systems, and within a
system what decides between the two words: frequency, place, or the sentence.

Source: the question of a constructed suite's validity is ours; frequency and place as in studies of
overlapping ambiguous strings, Huang & Li (2024), Liao et al. (2024).
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ground.markdown import percent
from metrics.columns import BoolArray, FloatArray
from studies.eras.cut_choice import choice, coefficients, explained, row_features
from studies.eras.rank_agreement import agreement, stack_sums
from studies.eras.site_outcomes import SiteOutcomes, parts_of, read_outcomes, site_scores
from studies.eras.validity_rows import BATCHES, ItemSet, read_parts, script_of, seen_texts
from studies.eras.validity_text import result_text, validity_plot
from studies.options import Option
from studies.study import Options, Run, Shown, Study
from systems.crf_segmenter import word_f1

TEXTS = ("daily", "msr", "pku", "as", "cityu")
NULLS = ("maxmatch", "maxmatch-backward", "cut-everywhere", "cut-nowhere")
"""Systems that know neither frequencies nor the sentence; with words, those of jieba."""
TEXT, ONE = "natural", "one character"
"""All places, and those whose neighbour has one character, as in the pairs."""
COMPARED = (("resolution", "resolution"), ("pair_accuracy", "site_accuracy"))
LEAST_SYSTEMS = 3
GROUPS = {
    "frequency": ("advantage",),
    "branching": ("is_left",),
    "neighbour": ("is_longer",),
    "word class": ("is_noun", "is_verb"),
}


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

    def select(self, is_kept: BoolArray) -> "Answered":
        """Some of the rows."""
        features = {name: values[is_kept] for name, values in self.features.items()}
        return self._replace(
            outcomes=self.outcomes.select(is_kept),
            features=features,
            corpus=self.corpus[is_kept],
            part=self.part._replace(table=self.part.table.filter(is_kept)),
        )


def score(parts: Mapping[str, ItemSet], run: Run) -> dict[str, Any]:
    """Scores of every system on every set, how sets agree, and what decides within a system."""
    seen = seen_texts()
    features = {name: row_features(part.table, part.script) for name, part in parts.items()}
    answered = {
        name: _answered(run, name, parts, features, seen.get(name, frozenset()))
        for name in run.options.systems
    }
    real = {name: found for name, found in answered.items() if name not in NULLS}
    return {
        "systems": [_system_row(name, found, seen) for name, found in answered.items()],
        "frequent_first": _frequent_first(parts),
        "agreement": _agreements(real),
        "within": [
            {"system": name, "set": which} | choice(one.outcomes, one.features)
            for name, found in real.items()
            for which, one in found.items()
        ],
        "pooled": [
            {"set": which} | _pooled([found[which] for found in real.values() if which in found])
            for which in dict.fromkeys(which for found in real.values() for which in found)
        ],
        "known": [_known(real, which) for which in ("ERAS", TEXT)],
        "sizes": {name: part.table.num_rows for name, part in parts.items()},
    }


def _answered(
    run: Run,
    name: str,
    parts: Mapping[str, ItemSet],
    features: Mapping[str, Mapping[str, FloatArray]],
    seen: frozenset[str],
) -> dict[str, Answered]:
    """What a system did with each set in its script, places of texts that it has seen left out."""
    system = run.system(name)
    found = {}
    for key, part in parts.items():
        if part.script != script_of(system):
            continue
        words = [w for batch in BATCHES.answers(system, part, run) for w in batch["words"]]
        n, table = part.table.num_rows, part.table
        outcomes = read_outcomes(table, words[:n], words[n:])
        is_text = "corpus" in table.column_names
        corpus = np.array(table["corpus"].to_pylist() if is_text else [""] * n)
        gold = table["test_words"].to_pylist() if is_text else []
        f1 = {
            one: word_f1(
                *([side[i] for i in np.flatnonzero(corpus == one)] for side in (gold, words))
            )
            for one in sorted(set(corpus.tolist()) - {""})
        }
        kept = ~np.isin(corpus, sorted(seen))
        every = Answered(outcomes, features[key], corpus, f1, system.lexicon, part)
        if kept.any():
            found[part.name] = every.select(kept)
        if part.name == TEXT and (is_one := kept & (every.features["is_longer"] == 0)).any():
            found[ONE] = every.select(is_one)
    return found


def _system_row(
    name: str, found: Mapping[str, Answered], seen: Mapping[str, frozenset[str]]
) -> dict[str, Any]:
    texts = found[TEXT].corpus if TEXT in found else np.array([])
    return {
        "system": name,
        "script": next(iter(found.values())).part.script,
        "is_null": name in NULLS,
        "seen": sorted(seen.get(name, ())),
        "sets": {which: site_scores(one.outcomes) for which, one in found.items()},
        "texts": {
            text: site_scores(found[TEXT].select(texts == text).outcomes)
            | {"f1": found[TEXT].f1[text]}
            for text in sorted(set(texts.tolist()))
        },
    }


def _frequent_first(parts: Mapping[str, ItemSet]) -> dict[str, dict[str, float]]:
    """The null that takes the more frequent word of the text, at the place of each text."""
    natural = [part.table for part in parts.values() if part.name == TEXT]
    right = np.concatenate(
        [t["is_true_more_frequent"].to_numpy(zero_copy_only=False) for t in natural]
    )
    corpus = np.array([name for table in natural for name in table["corpus"].to_pylist()])
    return {
        "natural": {"resolution": float(right.mean()), "n": len(right)},
        **{
            text: {
                "resolution": float(right[corpus == text].mean()),
                "n": int((corpus == text).sum()),
            }
            for text in sorted(set(corpus.tolist()))
        },
    }


def _agreements(real: Mapping[str, Mapping[str, Answered]]) -> list[dict[str, Any]]:
    """How the natural places rank systems, beside each set of pairs and each of its scores."""
    found = []
    sets = itertools.product(("ERAS", "extended"), (TEXT, ONE), COMPARED)
    for which, text, (first, second) in sets:
        both = {n: one for n, one in real.items() if which in one and text in one}
        groups = {"all": list(both), "without MaxMatch": [n for n in both if "maxmatch" not in n]}
        for group, names in groups.items():
            if len(names) < LEAST_SYSTEMS:
                continue
            pairs = stack_sums([_sums(both[name][which], first) for name in names])
            natural = stack_sums([_sums(both[name][text], second) for name in names])
            row: dict[str, Any] = {
                "set": which,
                "text": text,
                "systems": group,
                "n_systems": len(names),
            }
            row |= {"first": first, "second": second}
            found.append(row | agreement(pairs, natural))
    return found


def _sums(answered: Answered, name: str) -> dict[int, tuple[float, float]]:
    """Numerator and denominator of a score by cluster, one name for a cluster in all systems."""
    top, bottom = parts_of(answered.outcomes, name)
    found: dict[int, tuple[float, float]] = {}
    base = 1_000_000 * (answered.part.script == "traditional" and answered.part.name == TEXT)
    for cluster, a, b in zip((answered.outcomes.cluster + base).tolist(), top, bottom, strict=True):
        old = found.get(cluster, (0.0, 0.0))
        found[cluster] = (old[0] + float(a), old[1] + float(b))
    return found


def _pooled(answers: Sequence[Answered]) -> dict[str, Any]:
    """What makes the true word come out, over all systems, each with a level of its own."""
    commits = [one.outcomes.is_true | one.outcomes.is_canary for one in answers]
    y = np.concatenate([one.outcomes.is_true[c] for one, c in zip(answers, commits, strict=True)])
    system = np.concatenate([np.full(c.sum(), i) for i, c in enumerate(commits)])
    levels = (system[:, None] == np.arange(len(answers))).astype(float)
    names = [name for columns in GROUPS.values() for name in columns]
    found = {
        name: np.concatenate([a.features[name][c] for a, c in zip(answers, commits, strict=True)])
        for name in names
    }
    kept = {n: v for n, v in found.items() if np.isfinite(v).all() and np.ptp(v) > 0}
    cluster = np.concatenate(
        [
            a.outcomes.cluster[c]
            + 1_000_000 * (a.part.script == "traditional" and a.part.name == TEXT)
            for a, c in zip(answers, commits, strict=True)
        ]
    )
    columns = kept | {f"system {i}": levels[:, i] for i in range(len(answers))}
    groups = {
        group: np.column_stack([kept[name] for name in of_group])
        for group, of_group in GROUPS.items()
        if all(name in kept for name in of_group)
    }
    fitted = coefficients(columns, y.astype(float), cluster)
    return {
        "coefficients": {k: v for k, v in fitted.items() if not k.startswith("system ")},
        "explained": explained({**groups, "system": levels[:, 1:]}, y.astype(float)),
        "n": len(y),
    }


def _known(real: Mapping[str, Mapping[str, Answered]], which: str) -> dict[str, Any]:
    """Resolution and commitment by what systems with a lexicon have in it, all together."""
    cells: dict[str, list[BoolArray]] = {}
    for found in real.values():
        one = found.get(which)
        if one is None or one.lexicon is None:
            continue
        has = [
            np.array([word in one.lexicon for word in one.part.table[f"{kind}_word"].to_pylist()])
            for kind in ("true", "canary")
        ]
        for name, wanted in (
            ("both", (True, True)),
            ("true only", (True, False)),
            ("canary only", (False, True)),
            ("neither", (False, False)),
        ):
            is_in = (has[0] == wanted[0]) & (has[1] == wanted[1])
            cells.setdefault(name, []).append(
                np.stack([one.outcomes.is_true[is_in], one.outcomes.is_canary[is_in]])
            )
    rows = {}
    for name, parts in cells.items():
        true, canary = np.concatenate(parts, axis=1)
        commits = (true | canary).sum()
        rows[name] = {
            "n": len(true),
            "resolution": float(true.sum() / commits) if commits else float("nan"),
            "site_accuracy": float(true.mean()) if len(true) else float("nan"),
        }
    return {"set": which, "rows": rows}


def show(scored: Mapping[str, Any], options: Options) -> list[Shown]:
    """Tables, figures and the plot."""
    figures = {
        "systems": {
            row["system"]: {
                f"{which} {name}": percent(scores[name])
                for which, scores in row["sets"].items()
                for name in ("pair_accuracy", "site_accuracy", "resolution")
                if name in scores
            }
            for row in scored["systems"]
            if not row["is_null"]
        },
        "agreement": {
            ", ".join(str(row[name]) for name in ("set", "text", "systems", "first")): {
                name: row[name] for name in row if name.startswith("spearman")
            }
            for row in scored["agreement"]
        },
        "pooled": {row["set"]: row["coefficients"] for row in scored["pooled"]},
    }
    is_of_read_texts = tuple(options.natural) == TEXTS
    plot = lambda: validity_plot(scored)  # noqa: E731  # drawn only where it is written
    return [Shown("validity", result_text(scored, has_readings=is_of_read_texts), figures, plot)]


STUDY = Study(
    __name__,
    __doc__,
    read_parts,
    score,
    show,
    metrics=("garden_path_accuracy",),
    work=BATCHES.work,
    options=(
        Option(
            "natural",
            "gold-segmented texts, files or names of corpora",
            list(TEXTS),
            nargs="+",
            metavar="FILE",
        ),
    ),
    kind="segmenter",
    systems=(
        *("jieba", "jieba-no-hmm", "maxmatch:as", "maxmatch:cityu", "maxmatch:msr", "maxmatch:pku"),
        *("crf:as", "crf:cityu", "crf:daily", "crf:msr", "crf:pku"),
        *("snownlp", "pkuseg", "thulac", "lac", "lac-small", "wapic"),
        *NULLS,
    ),
)
