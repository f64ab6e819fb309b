"""A build that was doctored, its manifest made to fit: each kind is refused, and its file named."""

import base64
import itertools
import json
import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import publish.check.verified
import push
from dataset_scripts.content import combined_hash, content_hash_of_files
from dataset_scripts.registry import suite_builder
from publish.build.manifest import PROVENANCE, read_provenance, write_manifest
from publish.build.parquet import features_of, split_paths
from publish.check.check import check_folder
from publish.hub.install import install
from tests.support.publishing import METRIC, SUITE, drawn_once

LITE = "simplified_lite/test-00000-of-00001.parquet"
PARADIGMS = "paradigms/test-00000-of-00001.parquet"
SCRIPT = "<script>alert(1)</script>"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'


@pytest.fixture(scope="module", autouse=True)
def draws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with drawn_once(tmp_path_factory.mktemp("draws")):
        yield


@pytest.fixture(autouse=True)
def record(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(publish.check.verified, "RECORD", tmp_path / "verified.json")


def written(name: str, content: str | bytes) -> Callable[[Path], None]:
    """Puts a file into a build."""

    def doctor(folder: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        raw = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(raw)

    return doctor


def added(name: str, text: str) -> Callable[[Path], None]:
    """Adds a text to a file of a build."""
    return lambda folder: written(name, (folder / name).read_text("utf-8") + text)(folder)


def replaced(name: str, old: str, new: str) -> Callable[[Path], None]:
    """Replaces what a file of a build says."""

    def doctor(folder: Path) -> None:
        text = (folder / name).read_text("utf-8")
        assert old in text
        written(name, text.replace(old, new, 1))(folder)

    return doctor


def claimed(**values: Any) -> Callable[[Path], None]:
    """Has a build say something else of itself."""
    return lambda folder: written(
        PROVENANCE, json.dumps({**read_provenance(folder), **values}, indent=1) + "\n"
    )(folder)


def other_rows(change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], None]:
    """Changes rows, and every hash that the build says of them."""

    def doctor(folder: Path) -> None:
        table = pq.read_table(folder / LITE)
        pq.write_table(change(table).replace_schema_metadata(table.schema.metadata), folder / LITE)
        found, paths = read_provenance(folder), split_paths(folder / "simplified_lite", "test")
        hashes = dict(found["content_hashes"])
        hashes["simplified_lite/test"] = content_hash_of_files(paths, features_of(paths[0]))
        stamped = suite_builder(SUITE).stamped_configs()
        own = {key: text for key, text in hashes.items() if key.split("/")[0] in stamped}
        claimed(content_hashes=hashes, content_hash=combined_hash(own))(folder)

    return doctor


def with_column(
    name: str, values: Callable[[pa.Table], pa.Array]
) -> Callable[[pa.Table], pa.Table]:
    return lambda table: table.set_column(
        table.schema.get_field_index(name), table.schema.field(name), values(table)
    )


def rated(table: pa.Table) -> pa.Table:
    return with_column("rating_mean", lambda t: pa.array([4.5] * len(t), pa.float64()))(table)


def renamed(table: pa.Table) -> pa.Table:
    return with_column("id", lambda t: pa.array(["x", *t["id"].to_pylist()[1:]]))(table)


def reversed_rows(table: pa.Table) -> pa.Table:
    return table.take(list(range(len(table)))[::-1])


def more_metadata(folder: Path) -> None:
    table = pq.read_table(folder / LITE)
    hidden = {**table.schema.metadata, b"payload": pickle.dumps("x")}
    pq.write_table(table.replace_schema_metadata(hidden), folder / LITE)


def another_config(folder: Path) -> None:
    shutil.copytree(folder / "simplified_lite", folder / "simplified_more")


def same_control(table: pa.Table) -> pa.Table:
    first, *others = table.to_pylist()
    return pa.Table.from_pylist([first | {"control": first["test"]}, *others], table.schema)


def fewer_paradigms(folder: Path) -> None:
    pq.write_table(pq.read_table(folder / PARADIGMS).slice(0, 38), folder / PARADIGMS)


def without_canary(folder: Path) -> None:
    table = pq.read_table(folder / PARADIGMS)
    kept = {b"huggingface": table.schema.metadata[b"huggingface"]}
    pq.write_table(table.replace_schema_metadata(kept), folder / PARADIGMS)


DAMAGES = [  # what is said of each
    (other_rows(same_control), "expected the masked control sentence"),
    (fewer_paradigms, f"{PARADIGMS}: content hash, got "),
    (without_canary, "canary, got ''; expected 'garden-path/eras canary GUID"),
    (claimed(source_hash="0" * 64), "source hash, got 000000000000; expected "),
    (written("eras.py", "print()\n"), "eras.py, got a loading script; expected none"),
    (
        replaced("README.md", "_name: paradigms\n", "_name: paradigms\n  default: true\n"),
        "default config, got ['simplified', 'paradigms']; expected ['simplified']",
    ),
    (another_config, "splits, got "),
    (replaced("README.md", "num_examples: 39\n", "num_examples: 40\n"), "paradigms: rows, got "),
]
METRICS = {
    "a scorer that cheats where there are many": (
        "scoring.py",
        added("scoring.py", "\n_score = score\ndef score(*a, **k):\n    return {'las': 1.0}\n"),
    ),
    "a module": ("evil.py", written("evil.py", "import os\n")),
    "a module in a folder": ("more/evil.py", written("more/evil.py", "import os\n")),
    "a page that runs commands": ("app.py", added("app.py", "\nos.system('id')\n")),
    "a requirement": ("requirements.txt", added("requirements.txt", "evil-package\n")),
    "a script in the page": ("index.html", added("index.html", SCRIPT)),
    "settings": (".env", written(".env", "A=1\n")),
    "choices of the page": ("space.toml", added("space.toml", "\n# other\n")),
    "an example": ("examples/more.txt", written("examples/more.txt", "x\n")),
    "a pickle": ("model.pkl", written("model.pkl", pickle.dumps({}))),
    "numbers of the card": ("README.md", added("README.md", "\nLAS is 99.9.\n")),
    "another version": (PROVENANCE, claimed(version="9.9.9")),
    "another hash of its content": (PROVENANCE, claimed(content_hash="f" * 64)),
    "no provenance": ("", lambda folder: (folder / PROVENANCE).unlink()),
}
SUITES = {
    "something more of itself": (PROVENANCE, claimed(signed="yes")),
    "a plot that runs": ("plots/nulls.svg", written("plots/nulls.svg", SVG)),
    "another plot": ("plots/cuts.png", written("plots/cuts.png", base64.b64decode("iVBORw0KGgo="))),
    "numbers of the card": ("README.md", added("README.md", "\nJieba reaches 99.9.\n")),
    "a licence": ("README.md", replaced("README.md", "license: cc-by-4.0", "license: mit")),
    "a pickle": ("rows.pkl", written("rows.pkl", pickle.dumps([]))),
    "a script": ("eras.py", written("eras.py", "print()\n")),
    "tasks": ("eval.yaml", written("eval.yaml", "name: eras\n")),
    "a number of rows": (PROVENANCE, claimed(rows={"simplified/test": 1})),
    "another version": (PROVENANCE, claimed(version="9.9.9")),
    "views that were dropped": (PROVENANCE, claimed(dropped_views=["x"])),
    "a row changed": (LITE, other_rows(renamed)),
    "rows in another order": (LITE, other_rows(reversed_rows)),
    "rows taken away": (LITE, other_rows(lambda table: table.slice(1))),
    "ratings that nobody gave": (LITE, other_rows(rated)),
    "more in a file's metadata": (LITE, more_metadata),
    "another seed": (LITE, claimed(options={"seed": 1, "size": 390})),
    "a config more": ("simplified_more/test-00000-of-00001.parquet", another_config),
}  # fmt: skip


def rounds() -> list[tuple[str, list[str]]]:
    """Kinds of one round are in one copy, since each is told of by a file of its own.

    Rows come first, then what a build says of itself, then what lies around: of these the first
    that differs is told, so that a kind of the first two is alone.
    """
    found = []
    for name, kinds in ((METRIC, METRICS), (SUITE, SUITES)):
        around: dict[str, list[str]] = {}
        for kind, (file, _) in kinds.items():
            if file in ("", LITE, PROVENANCE):
                found.append((name, [kind]))
            else:
                around.setdefault(file, []).append(kind)
        columns = itertools.zip_longest(*around.values())
        found += [(name, [kind for kind in column if kind]) for column in columns]
    return found


QUICK = (
    "a row changed",
    "more in a file's metadata",
    "something more of itself",
)


def trials() -> list[Any]:
    """Of the kinds that are alone a few are quick: each makes a suite again."""
    return [
        pytest.param(name, kinds, marks=pytest.mark.slow if is_slow else ())
        for name, kinds in rounds()
        for is_slow in [name == SUITE and len(kinds) == 1 and kinds[0] not in QUICK]
    ]


@pytest.mark.parametrize(("name", "kinds"), trials())
def test_a_doctored_build_is_refused_and_its_files_named(small, tmp_path, name, kinds):
    folder = Path(shutil.copytree(small / name, tmp_path / name))
    doctors = [(SUITES if name == SUITE else METRICS)[kind] for kind in kinds]
    for _, doctor in doctors:
        doctor(folder)
    write_manifest(folder)
    problems = check_folder(name, folder)
    for kind, (file, _) in zip(kinds, doctors, strict=True):
        assert any(str(folder / file) in line for line in problems), (kind, problems)
    assert all("got " in line and "expected" in line for line in problems)


@pytest.mark.parametrize(
    ("doctor", "message"),
    [
        pytest.param(*one, id=one[1], marks=pytest.mark.slow if i % 3 else ())
        for i, one in enumerate(DAMAGES)
    ],
)
def test_damage_is_named_even_under_a_manifest_that_fits_it(small, tmp_path, doctor, message):
    folder = Path(shutil.copytree(small / SUITE, tmp_path / SUITE))
    doctor(folder)
    write_manifest(folder)
    problems = check_folder(SUITE, folder)
    assert any(message in problem for problem in problems), problems


def test_what_was_not_doctored_is_in_order(small):
    assert [check_folder(name, small / name) for name in (SUITE, METRIC)] == [[], []]


def test_a_doctored_metric_is_not_run(small, tmp_path, monkeypatch, capsys):
    def never(*_: object) -> None:
        raise AssertionError("what is doctored is not loaded")

    folder = Path(shutil.copytree(small / METRIC, tmp_path / "hub" / METRIC))
    added("scoring.py", "\nprint('run')\n")(folder)
    write_manifest(folder)
    monkeypatch.setattr(publish.check.check, "loading", never)
    assert push.main(["check", METRIC, "--out", str(folder.parent)]) == 1
    assert f"{folder / 'scoring.py'}: bytes, got " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("doctor", "message"),
    [
        (added("scoring.py", "\n"), "scoring.py: bytes, got "),
        (claimed(source_hash="0" * 64), "source hash, got 000000000000; expected "),
    ],
)
def test_what_another_tree_built_is_installed_on_trust_only(
    small, tmp_path, monkeypatch, doctor, message
):
    import datasets.config
    import evaluate.loading

    monkeypatch.setattr(datasets.config, "HF_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(evaluate.loading, "init_dynamic_modules", lambda: str(tmp_path / "modules"))
    folder = Path(shutil.copytree(small / METRIC, tmp_path / "hub" / METRIC))
    doctor(folder)
    write_manifest(folder)
    with pytest.raises(ValueError, match=message) as told:
        install(folder.parent, [METRIC])
    assert "was built elsewhere" in str(told.value)
    assert "--trust" in str(told.value)
    assert not (tmp_path / "modules").exists()
    assert install(folder.parent, [METRIC], trusts=True)[METRIC]
