"""What commands write: each file of its own, and results as JSON."""

import json
import math
import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

OUTPUTS = ("json", "out", "markdown", "latex", "plot", "answers")


def check_outputs(
    options: Namespace,
    read: Sequence[Any] = (),
    names: Sequence[str] = OUTPUTS,
    of_out: Sequence[Path] = (),
) -> None:
    """A ValueError for two outputs in one file, or one where a folder or what is read lies."""
    inputs = [path for one in read if one and os.path.exists(path := Path(one).expanduser())]
    known = {path.expanduser().resolve(): "out" for path in of_out}
    for name in names:
        given = getattr(options, name, None)
        out = Path(given).expanduser() if given else None
        if out is None or (out.exists() and not out.is_file() and not out.is_dir()):
            continue  # a device takes all
        if (other := known.setdefault(out.resolve(), name)) != name:
            raise ValueError(f"--{name}, got {out}, as --{other} has it; expected another file")
        if not out.exists():
            continue
        if out.is_dir():
            raise ValueError(f"--{name}, got the folder {out}; expected a file")
        if any(out.samefile(one) or out.parent.samefile(one) for one in inputs):
            raise ValueError(f"--{name}, got {out}, which is read; expected another file")


def as_json(result: Mapping[str, Any]) -> str:
    """The whole result as JSON; what is undefined is null."""
    return json.dumps(_plain(result), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
