"""Which results a leaderboard can compare: the published draw, by the metric's defaults.

`push.py result` and the leaderboard's page refuse the same ones; the page has these lists inside.
"""

from dataset_scripts.headlines import HEADLINES
from dataset_scripts.registry import suite_builder
from metrics._shared.option_fields import Signature
from publish.build.metric_files import metric_version

NEEDED = ("suite", "suite_version", "config", "split", "draw", "system")
PUBLISHED = "0"
HARMLESS = ("seed", "n_resamples", "confidence", "lexicon", "compared_with", "compare_with")
"""Options that leave the headline as it is."""


def compared_by(suite: str, config: str) -> dict[str, str]:
    """What the signature of a comparable result says, in the order in which it is asked for."""
    metric = HEADLINES[suite].metric
    return {
        "suite_version": suite_builder(suite).version_of(config),
        "draw": PUBLISHED,
        "edition": "generated",
        "metric": metric,
        "version": metric_version(metric),
    }


def check_comparable(signature: Signature) -> None:
    """Raises a ValueError where a result was not made as a leaderboard's others are."""
    run = signature.run
    if missing := [name for name in NEEDED if name not in run]:
        given = ", ".join(f'"{name}": ...' for name in missing)
        raise ValueError(
            f"signature: {missing[0]}, got none; expected it of `compute(..., run={{{given}}})`"
        )
    if run["suite"] not in HEADLINES:
        raise ValueError(f"suite, got {run['suite']!r}; expected one of {', '.join(HEADLINES)}")
    configs = [c.name for c in suite_builder(run["suite"]).CONFIGS if c.kind != "training"]
    if run["config"] not in configs:
        raise ValueError(f"config, got {run['config']!r}; expected one of {', '.join(configs)}")
    end = "by which the suite's results are compared"
    got = {"edition": "generated", **run}
    got |= {"metric": signature.metric, "version": signature.version}
    for name, value in compared_by(run["suite"], run["config"]).items():
        if got[name] != value:
            raise ValueError(f"{name}, got {got[name]}; expected {value}, {end}")
    for name, option in signature.options.items():
        if name not in HARMLESS:
            raise ValueError(f"option, got {name}={option!r}; expected the default, {end}")
