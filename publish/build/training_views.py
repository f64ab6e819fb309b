"""Training views as they were built: what their parts share, proved over all rows, and a table.

Nothing here knows how a view was drawn: a suite's `facts` tells from the Parquet files what rows
are made of, and the promises of its VIEWS say of what two parts have nothing in common.
"""

import functools
import importlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from builders.shallow import shallow_readers
from builders.views import (
    PARTS,
    PUBLISHED,
    Facts,
    View,
    broken_promises,
    overlaps,
    shared_with_train,
)
from dataset_scripts.registry import suite_builder, suite_names
from dataset_scripts.suite import canary
from ground.markdown import markdown_table
from ground.paths import ROOT
from publish.build.parquet import split_paths


def view_problems(name: str, folder: Path) -> list[str]:
    """What the parts of a suite's built views share against their promises, one line each."""
    problems, views = [], built_views(name, folder)
    published = _published_facts(name, folder) if views else {}
    for view, config in views:
        try:
            parts = {**_facts(name, config, folder), PUBLISHED: published}
            lines = list(broken_promises(parts, view.promise))
        except ValueError as error:
            lines = [str(error)]
        problems += [f"{folder}: {config}: {line}" for line in lines]
    return problems


def overlap_text(folder: Path, name: str) -> str:
    """Markdown table of what the parts of each kind of view share, "" where none was built."""
    rows = []
    for kind, (view, parts) in _parts_by_kind(name, folder).items():
        found = overlaps({**parts, PUBLISHED: _published_facts(name, folder)}, view.promise)
        for fact in (fact for fact in parts["train"] if all(parts[part][fact] for part in PARTS)):
            cells = {
                f"{one.first} in {one.second}": f"{one.n_shared:,} of {one.n_second:,}"
                + (", promised" if one.is_promised else "")
                for one in found
                if one.fact == fact and one.first == "train"
            }
            rows.append({"views": f"`{kind}`", "shared": fact.replace("_", " "), **cells})
    return markdown_table(rows).strip() if rows else ""


def shared_text(folder: Path, name: str) -> str:
    """The names of what validation or test share with train, folded; "" where none is listed."""
    blocks = []
    for kind, (view, parts) in _parts_by_kind(name, folder).items():
        what = f"What <code>train</code> of <code>{kind}</code> shares with the other parts"
        for fact in view.promise.listed:
            shared = shared_with_train(parts, fact)
            summary = f"<summary>{what}: {fact.replace('_', ' ')} ({len(shared)})</summary>"
            blocks.append(f"<details>{summary}\n\n{', '.join(shared)}\n\n</details>")
    return "\n\n".join(blocks)


def _parts_by_kind(name: str, folder: Path) -> dict[str, tuple[View, dict[str, Facts]]]:
    """For each kind of view the first that was built, and what its parts are made of."""
    first: dict[str, tuple[View, str]] = {}
    for view, config in built_views(name, folder):
        first.setdefault(view.pattern, (view, config))
    return {kind: (view, _facts(name, config, folder)) for kind, (view, config) in first.items()}


TEXT = Path(__file__).with_name("training_views.md.txt")


def training_text(name: str, folder: Path, provenance: Mapping[str, Any]) -> str:
    """What a card says of its training views, or how they are built where it has none."""
    if not built_views(name, folder):
        return f"This build has none; `python push.py build {name} --views` adds them."
    shared = filter(None, (overlap_text(folder, name), shared_text(folder, name)))
    parts = {"views": views_table(name, folder, provenance), "overlaps": "\n\n".join(shared)}
    text = TEXT.read_text(encoding="utf-8").strip()
    return text.format(name=name, canary=canary(f"{name}/training"), **parts)


def views_table(name: str, folder: Path, provenance: Mapping[str, Any]) -> str:
    """Markdown table of the views of a built suite: rows by part, and the best shallow reader."""
    descriptions = {c.name: c.description for c in suite_builder(name).BUILDER_CONFIGS}
    rows, readers = [], [one for one in shallow_readers(name) if one.is_shallow]
    for _, config in built_views(name, folder):
        found = [one.value for one in readers if one.config == f"{config}/test"]
        told = descriptions[config].removeprefix("Training: ").removesuffix(".")
        row = {"config": f"`{config}`", "a row; what parts do not share": told}
        row |= {part: f"{provenance['rows'][f'{config}/{part}']:,}" for part in PARTS}
        best = f"{100 * max(found):.1f}" if found else "not searched"
        rows.append(row | {"best shallow reader": best})
    dropped = [f"\nDropped: {line}." for line in provenance["dropped_views"]]
    return "\n".join([markdown_table(rows).strip(), *dropped])


def parallel_problems(table: pa.Table) -> list[str]:
    """Rows whose lists of tokens and of labels differ in length, a line each."""
    if "tokens" not in table.column_names:
        return []
    lengths = pc.list_value_length(table["tokens"])
    problems = []
    for name in ("tags", "upos", "heads", "deprels"):
        if name in table.column_names:
            differs = pc.not_equal(pc.list_value_length(table[name]), lengths)
            ids = table["id"].filter(differs).to_pylist()
            problems += [f"{i}: {name}, got another length than tokens; expected one" for i in ids]
    return problems


def built_views(name: str, folder: Path) -> list[tuple[View, str]]:
    """The views that a folder has, each with its config's name."""
    if name not in suite_names() or not (ROOT / "builders" / name / "views.py").is_file():
        return []
    module, found = importlib.import_module(f"builders.{name}.views"), []
    known = {view.name: view for view in module.VIEWS}
    for config in (c.name for c in suite_builder(name).CONFIGS if c.kind == "training"):
        if any((folder / config).glob("train-*.parquet")):
            code = config.rpartition("_")[2]  # else a view of one of the study's languages
            others = () if config in known else module.studied_views(code)
            found.append((known.get(config) or next(v for v in others if v.name == config), config))
    return found


@functools.lru_cache(maxsize=256)
def _facts_of(name: str, config: str, path: Path, _: int) -> Facts:
    module = importlib.import_module(f"builders.{name}.views")
    return dict(module.facts(_with_words(module.VIEWS, config, path)))


def _with_words(views: Sequence[View], config: str, path: Path) -> pa.Table:
    """A view's rows, with lemmas and tags out of the built view of the same rows that says them."""
    table = pq.read_table(path)
    pattern = next((view.pattern for view in views if view.name == config), None)
    twins = [v.name for v in views if v.pattern == pattern and "lemmas" in v.schema.names]
    if "lemmas" in table.column_names or not twins:
        return table
    twin = pq.read_table(path.parents[1] / twins[0], columns=["tokens", "lemmas", "upos"])
    words = {" ".join(row["tokens"]): row for row in twin.to_pylist()}
    texts = table["text" if "text" in table.column_names else "tokens"].to_pylist()
    texts = [text if isinstance(text, str) else " ".join(text) for text in texts]
    if foreign := [text for text in texts if text not in words]:
        raise ValueError(f"row, got {foreign[0]!r}; expected one that {twins[0]} has")
    for column in ("lemmas", "upos"):
        table = table.append_column(column, pa.array([words[text][column] for text in texts]))
    return table


def _facts(name: str, config: str, folder: Path) -> dict[str, Facts]:
    splits = {part: split_paths(folder / config, part) for part in PARTS}
    return {part: _facts_together(name, {config: paths}) for part, paths in splits.items()}


def _published_facts(name: str, folder: Path) -> Facts:
    """What the published configs of a folder are made of, all splits together."""
    configs = importlib.import_module(f"builders.{name}.views").PUBLISHED
    return _facts_together(name, {c: sorted((folder / c).glob("*.parquet")) for c in configs})


def _facts_together(name: str, files: Mapping[str, Iterable[Path]]) -> Facts:
    """What all rows of some configs' files are made of."""
    found: dict[str, set[str]] = {}
    for config, path in ((config, path) for config, paths in files.items() for path in paths):
        for fact, values in _facts_of(name, config, path, path.stat().st_mtime_ns).items():
            found.setdefault(fact, set()).update(values)
    return found
