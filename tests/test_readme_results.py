"""The README's table of results says what the studies wrote."""

import json
import re
from typing import Any

from ground.paths import RESULTS, ROOT

LINE = re.compile(r"^\|[^|]*\| ([^|]+) \| ([^|]+) \| ([\d.]+) \|$", re.MULTILINE)
NUMBERS = re.compile(r"(\d+\.\d) \[(\d+\.\d), (\d+\.\d)\]")


def figures(suite: str, name: str) -> Any:
    return json.loads((RESULTS / suite / f"{name}.json").read_text(encoding="utf-8"))["figures"]


def recorded(system: str) -> tuple[Any, str, float]:
    """Figures of a system, the name of its headline among them, and its null value."""
    if system.startswith("gguf:"):
        results = figures("sorts", "likelihoods")["pairs: whole"]
        [found] = [r for r in results if (r["system"], r["construction"]) == (system, "all")]
        return found, "accuracy", found["chance"]
    if system.startswith("spacy:"):
        found = figures("centerbench", "answers")[system]
        return found, "accuracy_core", found["chance_next_noun_core"]
    found = figures("eras", "segmentation")[f"{system}/simplified_lite"]
    return found, "pair_accuracy", found["pair_accuracy_chance"]


def test_every_line_is_what_a_study_wrote() -> None:
    lines = LINE.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(lines) == 8
    for system, headline, null in lines:
        found, name, chance = recorded(system.split(",")[0])
        expected = [f"{100 * found[key]:.1f}" for key in (name, f"{name}_low", f"{name}_high")]
        match = NUMBERS.search(headline)
        assert match is not None
        assert list(match.groups()) == expected, system
        assert null == f"{100 * chance:.1f}", system
        # ERAS compares with the same cuts' own chance, paradigm by paradigm
        above = found.get(f"{name}_above_chance_low", found[f"{name}_low"] - chance)
        assert ("not above NULL" in headline) == (above <= 0), system


def test_what_is_said_of_text_is_what_the_study_wrote() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    paragraph = next(part for part in text.split("\n\n") if part.startswith("Does the constructed"))
    said = re.findall(r"-?\d+\.\d+ \[-?\d+\.\d+, -?\d+\.\d+\]", paragraph)
    found = figures("eras", "validity")
    ranks = [
        found["agreement"][f"ERAS, natural, {group}, {score}"]
        for group, score in (
            ("all", "resolution"),
            ("without MaxMatch", "resolution"),
            ("all", "pair_accuracy"),
        )
    ]
    expected = [
        "{spearman:.2f} [{spearman_low:.2f}, {spearman_high:.2f}]".format(**row) for row in ranks
    ]
    for name in ("ERAS", "natural"):
        value, low, high = (
            100 * found["pooled"][name][f"advantage{e}"] for e in ("", "_low", "_high")
        )
        expected.append(f"{value:.1f} [{low:.1f}, {high:.1f}]")
    assert said == expected
    assert f"{len(found['systems'])} segmenters" in paragraph
