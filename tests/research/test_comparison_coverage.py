"""Coverage of what `garden-path compare` says, in worlds whose difference is known."""

from typing import Any

import numpy as np
import pytest

from dataset_scripts.registry import split_table
from garden_path.rank.comparison import item_kinds
from metrics._shared.paired_items import PairedItems, compared_row, with_lexemes
from research.worlds.subject_object_las import noun_skills, studied


def compared(scores: Any, clusters: Any, rows: Any = None) -> dict[str, Any]:
    """The first system less the second, as `garden-path compare` has it."""
    n = len(clusters)
    kind = item_kinds()[0]
    names = ("a", "b")
    items = PairedItems(
        kind, names, np.array(scores), "c", clusters, np.ones(n), rows or [{}] * n, 0
    )
    return compared_row(items, np.ones(n, bool))


@pytest.mark.parametrize(
    ("n_clusters", "size", "bad", "low"),
    [
        (19, 20, 0.05, 0.3),
        (60, 10, 0.05, 0.3),
        pytest.param(300, 4, 0.01, 0.5, marks=pytest.mark.slow),
    ],
)
def test_a_comparison_covers_near_the_ceiling(n_clusters, size, bad, low):
    """One system is perfect; of the other a few clusters are bad, which a study may have missed."""
    generator = np.random.default_rng(0)
    clusters, truth, covered = np.repeat(np.arange(n_clusters), size), bad * (1 - low), 0
    for _ in range(150):
        skills = np.where(generator.random(n_clusters) < bad, low, 1.0)[clusters]
        row = compared([np.ones(len(clusters)), generator.random(len(clusters)) < skills], clusters)
        covered += row["difference_low"] <= truth <= row["difference_high"]
    assert covered >= 0.91 * 150  # statistics.md, 4 and 5: at least 91 % near the ceiling


def test_a_comparison_covers_where_triples_share_nouns():
    """Two parsers of one skill, to which nouns and verbs add what all their triples share."""
    study = studied("conll_lite", "part_amb")
    table = split_table("sorts", "conll_lite", "part_amb").to_pylist()
    rows = with_lexemes([{}] * len(study.items), [table[i] for i in study.items])
    clusters = np.unique(study.triple[study.items], return_inverse=True)[1]
    generator, covered, n = np.random.default_rng(0), 0, 100
    for _ in range(n):
        skills = [noun_skills(study, generator)[study.items] for _ in range(2)]
        gains = [generator.binomial(2, one**2) - 1.0 for one in skills]
        row = compared(gains, clusters, rows)
        covered += row["difference_low"] <= 0 <= row["difference_high"]
    assert 0.91 * n <= covered <= 0.995 * n
