"""What the site says of natural text is what the study wrote; it cites what CITATION.cff does."""

import json
import re
from typing import Any

import yaml

from builders.eras import EXTENDED_VERSION
from dataset_scripts.headlines import HEADLINES
from ground.paths import RESULTS, ROOT

BEGIN = "<!-- python -m research overview --write -->"
SHORT = "extended, one character resolution"
RANK = "{spearman:.2f} [{spearman_low:.2f}, {spearman_high:.2f}]"
SHORT_IN_TEXT = "extended, one character, natural, without MaxMatch, resolution"


def figures(suite: str, name: str) -> Any:
    return json.loads((RESULTS / suite / f"{name}.json").read_text(encoding="utf-8"))["figures"]


def test_what_is_said_of_text_is_what_the_study_wrote():
    text = (ROOT / "docs" / "explanation" / "text.md").read_text(encoding="utf-8")
    paragraph = " ".join(text.partition("\n\n")[2].partition("`push.py build")[0].split())
    said = re.findall(r"-?\d+\.\d+ \[-?\d+\.\d+, -?\d+\.\d+\]", paragraph)
    found = figures("eras", "validity")
    ranks = [
        "extended, natural, without MaxMatch, pair_accuracy",
        *(f"ERAS, natural, all, {score}" for score in ("pair_accuracy", "resolution")),
        *("ERAS, natural, without MaxMatch, resolution", SHORT_IN_TEXT),
    ]
    expected = [RANK.format(**found["agreement"][name]) for name in ranks]
    for name in ("ERAS", "natural"):
        ends = [100 * found["pooled"][name][f"advantage{end}"] for end in ("", "_low", "_high")]
        expected.append("{:.1f} [{:.1f}, {:.1f}]".format(*ends))
    assert said == expected
    assert f"{len(found['systems'])} segmenters" in paragraph
    widths = found["half_widths"]["extended, pair_accuracy"]
    half, most = (100 * widths[name] for name in ("median", "largest"))
    text = paragraph
    assert f"reaches {half:.1f} points to either side in the median system, {most:.1f} at" in text
    null = found["nulls"]["maxmatch"][SHORT]
    assert f"longest match resolves {null:.1f} percent and the trained" in text
    trained = [row[SHORT] for name, row in found["systems"].items() if "maxmatch" not in name]
    assert f"segmenters {min(trained):.1f} to {max(trained):.1f}. Their order" in text
    longer, n = found["longer_neighbour"]["extended"]
    assert f"On our {n} extended paradigms" in text
    assert f"In {n - longer} of the extended paradigms the word beside" in text


def test_the_card_says_of_the_extended_paradigms_what_the_study_wrote():
    card = " ".join((ROOT / "cards" / "datasets" / "eras.md").read_text("utf-8").split())
    found = figures("eras", "validity")
    (longer, n), (longer_of_39, n_39) = (
        found["longer_neighbour"][name] for name in ("extended", "ERAS")
    )
    assert f"In {longer} of the {n} paradigms ({longer_of_39} of the {n_39})" in card
    assert f"In the other {n - longer} it is one character" in card
    nulls = [found["nulls"][name][SHORT] for name in ("maxmatch", "maxmatch-backward")]
    trained = [row[SHORT] for name, row in found["systems"].items() if "maxmatch" not in name]
    ends = f"the trained segmenters {min(trained):.1f} to {max(trained):.1f}"
    assert f"{nulls[0]:.1f} from the left, {nulls[1]:.1f} from the right, {ends}" in card
    words, resolution = (
        found["half_widths"][f"extended, {name}"] for name in ("pair_accuracy", "resolution")
    )
    assert words["n_within"] == words["n_systems"] == resolution["n_within"] == 17
    assert "All intervals of 17 systems are within 6 points" in card
    half = [100 * one[name] for one in (words, resolution) for name in ("median", "largest")]
    assert "within {:.1f} points (median) and {:.1f} (largest)".format(*half[:2]) in card
    assert "those of `resolution` within {:.1f} and {:.1f}".format(*half[2:]) in card
    rank = RANK.format(**found["agreement"][SHORT_IN_TEXT])
    assert f"on the 344 goes with resolution in text (Spearman {rank})" in card
    assert found["extended_version"] == EXTENDED_VERSION
    polar = figures("eras", "polar")["systems"]
    counts = {name.partition(", ")[2]: row["n_clusters"] for name, row in polar.items()}
    assert f"{counts['both']} families instead of {counts['the 39 paradigms']}" in card
    text = (RESULTS / "eras" / "polar.md").read_text(encoding="utf-8")
    effect, excess = re.findall(r"(\d\.\d\d) times", text)
    assert f"are {effect} and {excess} times as wide" in card


def test_the_readme_says_what_each_score_counts():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first, _, then = text.partition("\n## Which suite for me?\n")
    scores = {
        row.split(" | ")[2] for row in first.partition(BEGIN)[2].split("\n")[3:] if " | " in row
    }
    told = re.findall(r" \*([\w ]+)\*: ", then.partition("\n## ")[0])
    assert sorted(map(str.lower, told)) == sorted(map(str.lower, scores))
    known = {one.title.lower() for one in HEADLINES.values()} | {"preference"}  # of `pairs`
    assert {score.lower() for score in scores} <= known


def test_the_packages_bibtex_is_that_of_the_citation_file():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    fields = dict(re.findall(r'^    (\w+) = "(.+)",$', text, re.MULTILINE))
    assert fields == {
        "title": cited["title"],
        "author": "{" + cited["authors"][0]["name"] + "}",
        "year": str(cited["date-released"])[:4],
        "version": cited["version"],
    }
