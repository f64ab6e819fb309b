"""Results of metrics in what a study scored: signed with what was run, found again, named as files.

A signature says how a result can be done again (`metrics._shared.option_fields`). The metric knows
itself and its options; what it was run on the study knows.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from dataset_scripts.registry import suite_builder, suite_names
from metrics._shared.option_fields import LONGEST, read_signature

N_HEX = 12


def about_run(
    suite: str, system: Any, *, config: str = "", split: str = "test", seed: int = 0
) -> dict[str, str]:
    """What a signature says of a run.

    Args:
        suite: Of which the study is.
        system: What was scored.
        config: Config of the suite all of whose rows were scored; "" for other rows, of which no
            draw is claimed, so that the result is compared with no other.
        split: Split of the config.
        seed: Of the draw; a released edition has none.
    """
    known = {"suite": suite} if suite in suite_names() else {}
    if known and config:
        is_released = config.startswith("released")
        known |= {
            "edition": "released" if is_released else "generated",
            "suite_version": suite_builder(suite).version_of(config),
            "config": config,
            "split": split,
            "draw": "" if is_released else str(seed),
        }
    known |= {"system": _fitting(system.name), "revision": _fitting(system.version)}
    return {name: text for name, text in known.items() if text}


def _fitting(text: str) -> str:
    """A text as a signature may hold it: a long one ends in a hash of all of it."""
    text = text.strip()
    if len(text) <= LONGEST:
        return text
    digits = hashlib.sha256(text.encode()).hexdigest()[:N_HEX]
    return f"{text[: LONGEST - N_HEX - 1]}#{digits}"


def signed_results(scored: Any) -> Iterator[Mapping[str, Any]]:
    """Results of metrics about one system, wherever they stand in what a study scored."""
    if isinstance(scored, Mapping):
        if isinstance(signature := scored.get("signature"), str):
            if "system" in read_signature(signature).run:
                yield scored
            return
        scored = scored.values()
    elif not isinstance(scored, list | tuple):
        return
    for value in scored:
        yield from signed_results(value)


def file_name(signature: str) -> str:
    """Name of a result's file: of its system, config and split, and a hash that tells it apart.

    Example:
        >>> file_name("suite:eras|config:lite|split:test|system:a:b|metric:gper|version:2.0.0")
        'a-b.lite.test.1c04c16d.json'
    """
    run = read_signature(signature).run
    parts = [run[name] for name in ("system", "config", "split") if name in run]
    digits = hashlib.sha256(signature.encode()).hexdigest()[:8]
    return ".".join([*(re.sub(r"[^\w-]+", "-", part) for part in parts), digits, "json"])
