"""Makes the bare names work from any folder of this machine: `load_dataset("eras", "traditional")`, `evaluate.load("gper")`.

A Hub cannot serve a name without a namespace, but both libraries fall back to their caches, online
and offline: `datasets` to the last loaded copy of a data set of that name, `evaluate` to the last
module `evaluate-metric--<name>`. Installing fills the two caches and writes down what it put there,
so that `--remove` takes away that and nothing else.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from dataset_scripts.registry import suite_names
from ground.files import write_whole
from publish.cards import read_card
from publish.manifest import read_provenance

RECORD = "garden-path-installed.json"
MODULE_KINDS = ("metric", "comparison", "measurement")


def install(out: Path, names: list[str]) -> dict[str, list[Path]]:
    """Puts built suites and metrics into the caches of `datasets` and `evaluate`.

    Args:
        out: Where built folders lie.
        names: Suites and metrics.

    Returns:
        The folders of the caches that each name now has; those of an earlier install are gone.

    Raises:
        ValueError: Something is not built.
    """
    installed = {}
    for name in names:
        if not read_provenance(out / name):
            raise ValueError(
                f"{out / name}: build, got none; expected a folder made by push.py build {name}"
            )
    for name in names:
        folders = (
            _install_suite(out / name) if name in suite_names() else [_install_metric(out / name)]
        )
        before = _read_record()
        _delete([path for path in before.get(name, []) if path not in folders])
        _write_record({**before, name: folders})
        installed[name] = folders
    return installed


def remove(names: list[str]) -> dict[str, list[Path]]:
    """Takes away what `install` put into the caches; gives the folders deleted for each name that was installed."""
    before = _read_record()
    for name in names:
        _delete(before.get(name, []))
    _write_record({name: paths for name, paths in before.items() if name not in names})
    return {name: before[name] for name in names if name in before}


def module_kind(folder: Path) -> str:
    """Gives what a staged metric is to evaluate, `metric`, `comparison` or `measurement`: a tag of its card.

    Raises:
        ValueError: The card has none of these tags.
    """
    tags = read_card(folder / "README.md")[0].get("tags", [])
    kinds = [kind for kind in MODULE_KINDS if kind in tags]
    if len(kinds) != 1:
        raise ValueError(
            f"{folder / 'README.md'}: tags, got {tags}; expected exactly one of {', '.join(MODULE_KINDS)}"
        )
    return kinds[0]


def _install_suite(folder: Path) -> list[Path]:
    from datasets import load_dataset

    configs = sorted({key.split("/")[0] for key in read_provenance(folder)["rows"]})
    folders = set()
    for config in configs:
        # datasets names its copy after the config, not the content: without force an older build
        # would be taken for this one
        splits = load_dataset(str(folder.resolve()), config, download_mode="force_redownload")
        folders |= {
            Path(file["filename"]).parent for files in splits.cache_files.values() for file in files
        }
    for path in folders:
        os.utime(path)  # datasets takes the copy that changed last
    return sorted(folders)


def _install_metric(folder: Path) -> Path:
    from evaluate.loading import init_dynamic_modules

    name = f"evaluate-{module_kind(folder)}--{folder.name}"
    module = Path(init_dynamic_modules()) / "metrics" / name
    files = {path.name: path.read_bytes() for path in sorted(folder.glob("*.py"))}
    target = (
        module
        / hashlib.sha256(
            b"".join(key.encode() + b"\0" + text for key, text in files.items())
        ).hexdigest()
    )
    target.mkdir(parents=True, exist_ok=True)
    (module / "__init__.py").touch()
    for file, text in {"__init__.py": b"", **files}.items():
        (target / file).write_bytes(text)
    return target


def _record() -> Path:
    from datasets import config

    return Path(config.HF_CACHE_HOME).expanduser() / RECORD


def _read_record() -> dict[str, list[Path]]:
    path = _record()
    entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: [Path(entry) for entry in paths] for name, paths in entries.items()}


def _write_record(entries: Mapping[str, list[Path]]) -> None:
    path = _record()
    if not entries:
        path.unlink(missing_ok=True)
        return
    write_whole(
        path,
        json.dumps(
            {name: [str(entry) for entry in paths] for name, paths in entries.items()}, indent=1
        ),
    )


def _delete(paths: list[Path]) -> None:
    """Deletes folders of the two caches, and the folders of their data set or module that hold nothing else."""
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)
        for parent in path.parents:
            if parent.name in ("datasets", "metrics") or not parent.is_dir():
                break
            if any(
                entry.name not in ("__init__.py", "__pycache__") and entry.suffix != ".lock"
                for entry in parent.iterdir()
            ):
                break
            shutil.rmtree(parent)
