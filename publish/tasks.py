"""Tasks of a harness as a folder that needs no clone and nothing installed of this project.

A folder of `integrations/` is written with all that it imports, as a package of its own beside its
files; lm-eval's gets a task for each construction, level or paradigm too. A folder of
`integrations/upstream/` is what a pull request adds to that harness's repository: plain tasks by
the harness's own scoring, filled from the configs whose pairs have a right member.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2
import pyarrow.parquet as pq
import yaml

from builders.suites import suites_with
from ground.files import write_whole
from ground.found import imported_files
from ground.paths import ROOT
from metrics.minimal_pair_preference.members import WHOLE
from publish.wheel import ROOMS, inwards

INTEGRATIONS = ROOT / "integrations"
UPSTREAM = INTEGRATIONS / "upstream"
PACKAGE = "garden_path_scoring"
ALL_ROOMS = (*ROOMS, "garden_path", "integrations")
IN_A_CLONE, IN_A_FOLDER = "resolve().parents[2]", "resolve().parent"
END = ".jinja"
DATA = ("builders/*/suite.toml", "garden_path/models/data/*_prompts.toml", "integrations/*.toml")


def write_tasks(tool: str, hub: Path, to: Path, upstream: str = "") -> list[Path]:
    """Writes the folder; gives the paths of its task files.

    What else the folder holds stays. With `upstream`, who has published the suites, the files of a
    pull request are written.
    """
    place, kind = (UPSTREAM, "**/*.jinja") if upstream else (INTEGRATIONS, "*.py")
    known = sorted(path.name for path in place.iterdir() if any(path.glob(kind)))
    known = [name for name in known if name != UPSTREAM.name]
    if tool not in known:
        raise ValueError(f"TOOL, got {tool!r}; expected one of {', '.join(known)}")
    made = _request(place / tool, hub, upstream) if upstream else _folder(place / tool, hub)
    files = sorted(dict(made).items())
    for name, content in files:
        write_whole(to / name, content)
    return [to / name for name, _ in files if not name.startswith(PACKAGE)]


def _folder(folder: Path, hub: Path) -> Iterator[tuple[str, str]]:
    """Place and text of the tool's files, of the parts, and of what they import and read."""
    own = sorted(folder.glob("*.py"))
    for path in own:
        yield path.name, _turned(path).replace(IN_A_CLONE, IN_A_FOLDER)
    tasks = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.yaml")}
    yield from tasks.items()
    if tasks:
        yield from _parts(folder, hub)
    read = {path for pattern in DATA for path in ROOT.glob(pattern)}
    for path in sorted(imported_files(own, ROOT) - set(own) | read):
        text = path.read_text(encoding="utf-8") if path in read else _turned(path)
        yield f"{PACKAGE}/{path.relative_to(ROOT).as_posix()}", text
    yield "LICENSE", (ROOT / "LICENSE").read_text(encoding="utf-8")


def _turned(path: Path) -> str:
    return inwards(path.read_text(encoding="utf-8"), PACKAGE, ALL_ROOMS)


class _Loader(yaml.SafeLoader):
    """Reads `!function` as its name."""


_Loader.add_constructor("!function", lambda _, node: str(node.value))


def read_task(path: Path) -> dict[str, Any]:
    """A task file of lm-eval with what it includes; a function is its name."""
    found: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    return read_task(path.parent / found.pop("include")) | found if "include" in found else found


def _parts(folder: Path, hub: Path) -> Iterator[tuple[str, str]]:
    """A task for each value of the column that a task calls its `parts`, and a group of them."""
    from integrations import suites

    for path in sorted(folder.glob("garden_path_*.yaml")):
        task = read_task(path)
        column = task.get("metadata", {}).get("parts")
        if not column or "group" in task:
            continue
        told = task["dataset_kwargs"]
        where = told.get("where", {})
        if "config" in told:
            rows = suites.those(suites.rows(told["suite"], told["config"], hub=str(hub)), where)
        else:
            rows = suites.asked(told["suite"], str(hub))
        names = []
        for value in sorted({row[column] for row in rows}):
            name = f"{path.stem}_{_slug(value)}"
            own = told | {"where": {**where, column: value}}
            names.append(name)
            yield f"{name}.yaml", _dump({"include": path.name, "task": name, "dataset_kwargs": own})
        group = f"{path.stem}_by_{column}"
        yield f"{group}.yaml", _dump({"group": group, "task": names, "metadata": {"version": 1.0}})


def _slug(value: object) -> str:
    """A value as a part of a name; a number with two digits, so that names are in order.

    Example:
        >>> _slug("verb place"), _slug(7)
        ('verb_place', '07')
    """
    return f"{value:02}" if isinstance(value, int) else str(value).replace(" ", "_")


def _dump(content: dict[str, Any]) -> str:
    return yaml.safe_dump(content, allow_unicode=True, sort_keys=False)


def twins(hub: Path) -> Iterator[dict[str, Any]]:
    """Pairs of which the first member is right, a record for each construction."""
    for suite, configs in suites_with("scored").items():
        for config in configs:
            files = sorted((hub / suite / config).glob("test-*.parquet"))
            if not files:
                raise ValueError(f"{hub / suite / config}: rows, got none; expected a built suite")
            columns = pq.read_schema(files[0]).names
            for right, wrong in (WHOLE[0], WHOLE[2]):
                if right not in columns or wrong not in columns:
                    continue
                rows = pq.read_table(files, columns=["construction"])["construction"].to_pylist()
                for one in sorted(set(rows)):
                    name = f"garden_path_{f'{suite}_{config}'.removesuffix('_pairs')}_{one}"
                    record = {"suite": suite, "config": config, "construction": one, "name": name}
                    yield record | {"right": right, "wrong": wrong, "n": rows.count(one)}


def _request(folder: Path, hub: Path, namespace: str) -> Iterator[tuple[str, str]]:
    """Place and text of each file; one with `{name}` in its place is there for each record."""
    engine = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    records = list(twins(hub))
    for path in sorted(folder.rglob(f"*{END}")):
        place = path.relative_to(folder).as_posix().removesuffix(END)
        template = engine.from_string(path.read_text(encoding="utf-8"))
        for one in records if "{name}" in place else [{}]:
            text = template.render(twins=records, namespace=namespace, **one)
            yield place.format(**one), text
