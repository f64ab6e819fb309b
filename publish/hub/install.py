"""Makes bare names work from any folder: `load_dataset("eras", ...)`, `evaluate.load("gper")`.

A Hub cannot serve a name without a namespace, but both libraries fall back to their caches:
`datasets` to the last loaded copy, `evaluate` to the last module `evaluate-metric--<name>`.
Installing fills both and writes down what it put there, so that `--remove` takes away nothing else.
"""

import hashlib
import json
import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

from tqdm import tqdm

from dataset_scripts.registry import suite_names
from ground.files import write_whole
from publish.build.cards import read_card
from publish.build.exchange import fresh_folder, locked, swap
from publish.build.manifest import check_whole, read_provenance
from publish.check.again import made_again
from publish.check.check import source_problems
from publish.check.secrets import secret_problems
from publish.check.verified import is_made, remember

RECORD = "garden-path-installed.json"
MODULE_KINDS = ("metric", "comparison", "measurement")


def install(out: Path, names: list[str], *, trusts: bool = False) -> dict[str, list[Path]]:
    """Puts built suites and metrics into the two caches; gives the folders that each name now has.

    A ValueError where one is not built, holds a key, or, unless `trusts`, is not what this tree
    makes.
    """
    check_whole(out, names)
    foreign = [name for name in names if not is_made(out / name)]
    if problems := [line for name in foreign for line in secret_problems(out / name)]:
        raise ValueError("\n".join(problems))
    if not trusts:
        _refuse_foreign(out, foreign)
    installed = {}
    with locked(_record().parent), tqdm(names, desc="install", unit="folder", leave=False) as bar:
        for name in bar:
            bar.set_postfix_str(name)
            is_suite = name in suite_names()
            folders = _install_suite(out / name) if is_suite else [_install_metric(out / name)]
            before = _read_record()
            left = _delete([path for path in before.get(name, []) if path not in folders])
            _write_record({**before, name: [*folders, *left]})  # the next install tries again
            installed[name] = folders
    return installed


def _refuse_foreign(out: Path, names: list[str]) -> None:
    """A ValueError where a folder was built elsewhere, or differs from what the tree makes."""
    for name in names:
        folder = out / name
        problems = source_problems(name, folder, read_provenance(folder))
        if not problems:
            again = made_again(name, folder)
            problems = [*again.problems, *again.left]
        if problems:
            advice = "build it here, or give --trust if you know who built it"
            why = f"{folder} was built elsewhere, or not by this tree alone: {advice}"
            raise ValueError(f"{problems[0]}; {why}")
        remember([folder], "made")


def remove(names: list[str]) -> dict[str, list[Path]]:
    """Deletes what `install` put into the caches; gives the folders, by name."""
    with locked(_record().parent):
        before = _read_record()
        left = {name: _delete(before[name]) for name in names if name in before}
        _write_record({name: paths for name, paths in {**before, **left}.items() if paths})
    if kept := [path for paths in left.values() for path in paths]:
        raise ValueError(f"{kept[0]}: folder, got it still; expected to delete it: run it again")
    return {name: before[name] for name in names if name in before}


def module_kind(folder: Path) -> str:
    """What a staged metric is to evaluate, by a tag of its card: one of MODULE_KINDS."""
    card, known = folder / "README.md", ", ".join(MODULE_KINDS)
    tags = read_card(card)[0].get("tags", [])
    kinds = [kind for kind in MODULE_KINDS if kind in tags]
    if len(kinds) != 1:
        raise ValueError(f"{card}: tags, got {tags}; expected exactly one of {known}")
    return kinds[0]


def _install_suite(folder: Path) -> list[Path]:
    """Loads every config, the default one last; returns their folders in the cache."""
    default = default_config(folder)
    configs = sorted({key.split("/")[0] for key in read_provenance(folder)["rows"]})
    folders: dict[Path, None] = {}
    for config in sorted(configs, key=lambda config: config == default):
        folders |= dict.fromkeys(_load_config(folder, config))
    now = time.time()
    for path in folders:  # asked for no config, datasets takes the copy that changed last
        is_default = path.parent.parent.name == default
        os.utime(path, (now, now if is_default else now - 1))
    return sorted(folders)


def default_config(folder: Path) -> str:
    """The config that the card of a built suite marks as the default one."""
    front, _ = read_card(folder / "README.md")
    return next(str(entry["config_name"]) for entry in front["configs"] if entry.get("default"))


def _load_config(folder: Path, config: str) -> list[Path]:
    from datasets import disable_progress_bars, enable_progress_bars, load_dataset

    disable_progress_bars()
    try:  # datasets names its copy after the config: without force an older build would be kept
        splits = load_dataset(str(folder.resolve()), config, download_mode="force_redownload")
    finally:
        enable_progress_bars()
    files = [file for files in splits.cache_files.values() for file in files]
    return [_own_folder(path) for path in {Path(file["filename"]).parent for file in files}]


def _own_folder(path: Path) -> Path:
    """Moves a copy to a name of its own: datasets refuses to choose between configs of one name."""
    config = path.parent.parent.name
    own = path.with_name(hashlib.sha256(f"{config}\0{path.name}".encode()).hexdigest()[:16])
    _lock_of(path).unlink(missing_ok=True)
    swap(path, own)
    shutil.rmtree(path, ignore_errors=True)  # the copy of an earlier install
    return own


def _lock_of(path: Path) -> Path:
    """The file by which `datasets` locks a copy, in the root of its cache."""
    name = path.as_posix().replace("/", "_")
    return path.parents[min(3, len(path.parents) - 1)] / f"{name}.lock"


def _install_metric(folder: Path) -> Path:
    from evaluate.loading import init_dynamic_modules

    name = f"evaluate-{module_kind(folder)}--{folder.name}"
    module = Path(init_dynamic_modules()) / "metrics" / name
    files = {path.name: path.read_bytes() for path in sorted(folder.glob("*.py"))}
    content = b"".join(key.encode() + b"\0" + text for key, text in files.items())
    target = module / hashlib.sha256(content).hexdigest()
    module.mkdir(parents=True, exist_ok=True)
    (module / "__init__.py").touch()
    for left in module.glob(".building-*"):
        shutil.rmtree(left, ignore_errors=True)
    with fresh_folder(target, ".building-") as fresh:  # evaluate takes whole hashes
        for file, text in {"__init__.py": b"", **files}.items():
            (fresh / file).write_bytes(text)
    return target


def _record() -> Path:
    from datasets import config

    return Path(config.HF_CACHE_HOME).expanduser() / RECORD


def _read_record() -> dict[str, list[Path]]:
    path = _record()
    entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: [Path(entry) for entry in paths] for name, paths in entries.items()}


def _write_record(entries: Mapping[str, list[Path]]) -> None:
    if not entries:
        _record().unlink(missing_ok=True)
        return
    told = {name: [str(entry) for entry in paths] for name, paths in entries.items()}
    write_whole(_record(), json.dumps(told, indent=1))


def _delete(paths: list[Path]) -> list[Path]:
    """Deletes folders of the caches, and those above that hold nothing else; gives what is left."""
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)
        _lock_of(path).unlink(missing_ok=True)
        for parent in path.parents:
            if parent.name in ("datasets", "metrics") or not parent.is_dir():
                break
            kept = (entry for entry in parent.iterdir() if entry.suffix != ".lock")
            if {entry.name for entry in kept} - {"__init__.py", "__pycache__"}:
                break
            shutil.rmtree(parent)
    return [path for path in paths if path.exists()]
