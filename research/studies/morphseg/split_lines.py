"""What the paper says of splits that are not random, as `research morphseg splits` found them.

Source: Liu & Prud'hommeaux (2022), 7.4.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ground.markdown import percent
from research.studies.morphseg.claims import Finding, line
from research.studies.morphseg.plan import published_settings


def split_lines(splits: Mapping[str, Any]) -> list[dict[str, object]]:
    """What 7.4 says of splits that are not random, from the record of `splits`."""
    if not splits:
        text = "few data sets can be split by a threshold; adversarial ones can"
        return [line("7.4", text, Finding(None, "not measured yet"), "0", is_whole=False)]
    heuristic = splits["heuristic"]
    n_few = sum(share < 0.5 for share in heuristic.values())
    largest = max(heuristic, key=heuristic.__getitem__)
    n = f"{len(heuristic)} of {len(list(published_settings()))}"
    is_whole = len(heuristic) == len(list(published_settings()))
    few = Finding(
        n_few > len(heuristic) / 2,
        f"under half of the data sets in {n_few} settings; most, {percent(heuristic[largest]):.0f}"
        f" %, in {largest} (published: 70 % of Wixarika, 1,000 words without replacement)",
    )
    overlap = splits["overlap"]
    n_low = sum(value <= 0.55 for value in overlap.values())
    far = Finding(
        n_low > len(overlap) / 2,
        f"its test words overlap with random ones by {percent(np.mean([*overlap.values()])):.0f} %"
        f" on average, 40 % being chance; but two of its five splits share"
        f" {percent(np.mean([*splits['copies'].values()])):.0f} % of their test words",
    )
    lower = splits["lower"]
    falls = Finding(
        all(value > 0 for value in lower.values()),
        ", ".join(f"{name} {value:.1f} points" for name, value in lower.items())
        + " of F1, 2-CRF (published: Zulu 17.9, Russian 6.8)",
    )
    few_text = "few data sets can be split by a threshold of morphemes per word"
    return [
        line("7.4", few_text, few, n, is_whole=is_whole),
        line("7.4", "adversarial splits are unlike random ones", far, n, is_whole=is_whole),
        line("7.4", "scores of adversarial splits are lower", falls, "24 of 24", is_whole=True),
    ]
