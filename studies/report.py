"""What a study leaves behind for the cards.

Markdown, figures and a plot, stamped with what they were run on.

A result `<name>` in `cards/results/<suite>/` is `<name>.md` (what the cards insert), `<name>.json`
(suite, VERSION, draw and content hash, the command, figures) and, where there is a plot,
`<name>.png`. `push.py check` compares the stamp with the built suite, so that no stale figure is
published.
"""

import importlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dataset_scripts import registry
from ground.files import write_whole
from ground.paths import RESULTS

if TYPE_CHECKING:
    from studies.study import Shown, Study


def png(figure: Any) -> bytes:
    """A matplotlib figure as a PNG without a date, so that the same figure gives the same bytes."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=150, metadata={"Software": None})
    return buffer.getvalue()


def numbers(results: Iterable[Mapping[str, Any]], *named_by: str) -> dict[str, dict[str, float]]:
    """The scores of each result, by what names it."""
    return {
        "/".join(result[name] for name in named_by): {
            key: value for key, value in result.items() if isinstance(value, float)
        }
        for result in results
    }


def metric_versions(names: Iterable[str]) -> dict[str, str]:
    """VERSION of each metric."""
    modules = {name: importlib.import_module(f"metrics.{name}.scoring") for name in names}
    return {name: str(module.VERSION) for name, module in modules.items()}


def write_result(
    study: "Study",
    shown: "Shown",
    command: str,
    plot: bytes | None = None,
    signatures: Sequence[str] = (),
    systems: Mapping[str, Any] | None = None,
) -> Path:
    """Writes a study's result, whole or not at all; gives the path of its Markdown file.

    Args:
        study: Whose suite and metrics the result rests on.
        shown: Name, text and figures.
        command: The line that makes this result again.
        plot: A PNG, if there is one.
        signatures: Of the results of metrics that it rests on, one for each system and config.
        systems: The systems that were loaded, by name: their versions and parameters are recorded.
    """
    folder = RESULTS / study.suite
    content = {
        "suite": study.suite,
        **(study.stamp() if study.stamp else registry.suite_stamp(study.suite)),
        "metrics": metric_versions(study.metrics),
        "draw": {},  # options of the build, as MANIFEST.json has them; none is the default draw
        "command": command,
        "signatures": list(signatures),
        "systems": {
            name: {"version": system.version, "n_parameters": system.n_parameters}
            for name, system in (systems or {}).items()
        },
        "figures": shown.figures,
    }
    text = json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=True)
    if plot is not None:
        write_whole(folder / f"{shown.name}.png", plot)
    write_whole(folder / f"{shown.name}.json", f"{text}\n")
    write_whole(folder / f"{shown.name}.md", f"{shown.text.rstrip()}\n")
    return folder / f"{shown.name}.md"
