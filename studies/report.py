"""What a study leaves behind: a Markdown table, its figures and a plot in `cards/results/<suite>/`, stamped with what they were run on.

A result `<name>` is `<name>.md` (what the cards insert), `<name>.json` (VERSION and content hash of
the suite, the command, figures) and, where there is a plot, `<name>.png`. `push.py check` compares
the stamp with the built suite, so that no stale figure is published.
"""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ground.files import write_whole
from ground.paths import RESULTS


def png(figure: Any) -> bytes:
    """Gives a matplotlib figure as the bytes of a PNG, without a date, so that the same figure gives the same bytes."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=150, metadata={"Software": None})
    return buffer.getvalue()


def write_result(
    suite: str,
    name: str,
    text: str,
    *,
    version: str,
    content_hash: str,
    command: str,
    figures: Mapping[str, Any],
    plot: bytes | None = None,
) -> Path:
    """Writes a study's result, whole or not at all, and gives the path of its Markdown file.

    Args:
        suite: The suite it was measured on, such as `eras`.
        name: The study's name; the cards insert it by this name.
        text: Markdown: the table and one or two sentences of what was run.
        version: VERSION of the suite.
        content_hash: Content hash of the suite that was scored; a figure of another hash is stale.
        command: The line that makes this result again.
        figures: Figures that tests and cards may quote, JSON-like.
        plot: A PNG, if there is one.
    """
    folder = RESULTS / suite
    if plot is not None:
        write_whole(folder / f"{name}.png", plot)
    stamp = {
        "version": version,
        "content_hash": content_hash,
        "command": command,
        "figures": figures,
    }
    write_whole(
        folder / f"{name}.json",
        (
            json.dumps(stamp, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=True) + "\n"
        ).encode(),
    )
    write_whole(folder / f"{name}.md", text.rstrip().encode() + b"\n")
    return folder / f"{name}.md"
