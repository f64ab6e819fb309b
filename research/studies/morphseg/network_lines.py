"""What the paper says of seq2seq networks beside the CRFs, on what was measured of them.

Networks cost so much that they were trained on the first data sets only, so that CRFs are compared
with them on the same ones.

Source: Liu & Prud'hommeaux (2022), Table 2 and 7.1.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from builders.morphseg.sampling import SPLITS, Setting
from builders.morphseg.scores import FOLDER, MeasuredSetting, read_scores, setting_of
from builders.morphseg.sources import languages
from ground.markdown import percent
from metrics._shared.columns import FloatArray
from research.studies.morphseg.claims import Finding, is_example, line
from research.studies.morphseg.plan import FAST_MODELS, PAPER_MODELS
from research.studies.morphseg.report import published_row
from research.studies.morphseg.results import setting_title

(NETWORK,) = set(PAPER_MODELS) - set(FAST_MODELS)
CRFS = ("1-crf", "2-crf", "3-crf", "4-crf")
N_PUBLISHED = 50
ERRORS = 3  # standard errors of the difference that a mean may be off


class NetworkScores(NamedTuple):
    """The networks of one setting and the CRFs on the same data sets.

    Attributes:
        setting: The setting.
        f1: By model the F1 in percent of each data set, the mean of its five splits.
    """

    setting: Setting
    f1: Mapping[str, FloatArray]

    @property
    def n_data_sets(self) -> int:
        """How many data sets the networks have whole."""
        return len(self.f1[NETWORK])

    @property
    def lead(self) -> float:
        """Points by which the CRFs of order 1 to 4 are above the networks, on average."""
        return float(np.mean([self.f1[model] for model in CRFS]) - self.f1[NETWORK].mean())


def network_settings(folder: Path = FOLDER) -> list[NetworkScores]:
    """The settings with networks, in order."""
    found: dict[MeasuredSetting, dict[str, dict[int, list[float]]]] = {}
    for row in read_scores(folder).scores:
        by_set = found.setdefault(setting_of(row), {}).setdefault(row.model, {})
        by_set.setdefault(row.data_set, []).append(percent(row.f1))
    return [
        NetworkScores(_setting(keys), _means(by_model))
        for keys, by_model in found.items()
        if {NETWORK, *CRFS} <= by_model.keys()
    ]


def _means(by_model: Mapping[str, Mapping[int, Sequence[float]]]) -> dict[str, FloatArray]:
    """Means of the data sets that the networks and the CRFs have whole."""
    models = (NETWORK, *CRFS)
    whole = [
        n
        for n in sorted(by_model[NETWORK])
        if all(len(by_model[m].get(n, ())) == len(SPLITS) for m in models)
    ]
    return {m: np.array([np.mean(by_model[m][n]) for n in whole]) for m in models}


def _setting(keys: MeasuredSetting) -> Setting:
    return Setting(pool_size=languages()[keys.language].n_types, **asdict(keys))


def network_lines(networks: Sequence[NetworkScores]) -> list[dict[str, object]]:
    """The mean of Table 2, and whether the CRFs are better."""
    example = [one for one in networks if is_example(one.setting.language, one.setting.size)]
    n, is_whole = f"{len(example)} of 2", len(example) == 2
    better = _are_better(example, [one for one in networks if one not in example])
    return [
        line("Table 2", "mean F1 of seq2seq", _as_published(example), n, is_whole=is_whole),
        line("7.1", "CRFs are better overall than seq2seq", better, n, is_whole=is_whole),
    ]


def _as_published(example: Sequence[NetworkScores]) -> Finding:
    """Whether our means are within three standard errors, by the published deviation."""
    shown, errors = [], []
    for one in example:
        published = published_row(one.setting, NETWORK)
        if published is None:
            raise LookupError(f"published, got no {NETWORK}; expected Table 2 to have it")
        ours = float(one.f1[NETWORK].mean())
        error = published.sd * math.sqrt(1 / N_PUBLISHED + 1 / one.n_data_sets)
        errors.append((ours - published.mean) / error)
        shown.append(
            f"{ours:.1f} for {published.mean:.1f}, {errors[-1]:+.1f} standard errors, over"
            f" {one.n_data_sets} data sets"
        )
    if not example:
        return Finding(None, "not measured yet")
    return Finding(all(abs(error) <= ERRORS for error in errors), "; ".join(shown))


def _are_better(example: Sequence[NetworkScores], others: Sequence[NetworkScores]) -> Finding:
    """Whether CRFs with context have the better mean in the example, and how it is elsewhere."""
    if not example:
        return Finding(None, "not measured yet")
    shown = ", ".join(f"{one.lead:.1f}" for one in example)
    evidence = f"order 1 to 4 ahead by {shown} points on the same data sets"
    if others:
        leads = ", ".join(f"{setting_title(one.setting)}: {one.lead:.1f}" for one in others)
        evidence += f"; elsewhere: {leads}"
    return Finding(all(one.lead > 0 for one in example), evidence)
