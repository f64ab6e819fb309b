"""What the README says of natural text is what the study wrote; it cites what CITATION.cff does."""

import json
import re
from typing import Any

import yaml

from ground.paths import RESULTS, ROOT


def figures(suite: str, name: str) -> Any:
    return json.loads((RESULTS / suite / f"{name}.json").read_text(encoding="utf-8"))["figures"]


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
    ranks.append(found["agreement"]["extended, natural, without MaxMatch, pair_accuracy"])
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
    half = 100 * found["half_widths"]["extended, pair_accuracy"]["median"]
    assert f"reaches {half:.1f} points to either side" in paragraph
    null = found["nulls"]["maxmatch"]["extended resolution"]
    assert f"longest match resolves {null:.1f} percent of them" in " ".join(paragraph.split())


def test_the_card_says_of_the_extended_paradigms_what_the_study_wrote() -> None:
    card = " ".join((ROOT / "cards" / "datasets" / "eras.md").read_text("utf-8").split())
    found = figures("eras", "validity")
    (longer, n), (longer_of_39, n_39) = (
        found["longer_neighbour"][name] for name in ("extended", "ERAS")
    )
    assert f"In {longer} of the {n} paradigms ({longer_of_39} of the {n_39})" in card
    null = found["nulls"]["maxmatch"]["extended resolution"]
    lowest = min(
        scores["extended resolution"]
        for name, scores in found["systems"].items()
        if not name.startswith("maxmatch")
    )
    assert f"a null, has a resolution of {null:.1f}, the trained segmenters {lowest:.1f}" in card
    short = found["nulls"]["maxmatch"]["extended, one character resolution"]
    assert (
        f"In the other {n - longer}, where it is one character, longest match has {short:.1f}."
        in card
    )
    words = found["half_widths"]["extended, pair_accuracy"]
    assert f"within {100 * words['median']:.1f} points (median of 17 systems)" in card
    polar = figures("eras", "polar")["systems"]
    counts = {name.partition(", ")[2]: row["n_clusters"] for name, row in polar.items()}
    assert f"{counts['both']} families instead of {counts['the 39 paradigms']}" in card
    text = (RESULTS / "eras" / "polar.md").read_text(encoding="utf-8")
    effect, excess = re.findall(r"(\d\.\d\d) times", text)
    assert f"are {effect} and {excess} times as wide" in card


def test_the_packages_bibtex_is_that_of_the_citation_file() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    fields = dict(re.findall(r'^    (\w+) = "(.+)",$', text, re.MULTILINE))
    assert fields == {
        "title": cited["title"],
        "author": "{" + cited["authors"][0]["name"] + "}",
        "year": str(cited["date-released"])[:4],
        "version": cited["version"],
    }
