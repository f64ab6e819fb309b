"""The registry of systems: names, settings, users' own functions, one protocol."""

import re
from typing import Any

import pytest

from garden_path.models.questions import Answer, Question
from garden_path.models.registry import FUNCTION
from garden_path.models.system import DTYPES, Loader, Settings, System
from ground.command_line import option_fields
from ground.hashes import fingerprint
from ground.revisions import split_revision
from research.systems.registry import kinds, known, load, settings_of
from tests.support.cases import cases

KINDS = (
    *("answerer", "classifier", "language_model"),
    *("morphological_segmenter", "parser", "segmenter"),
)
QUESTION = Question("The goat bleated.", "What did the goat do?", "goat", "action_performed")
CLAUSES = {"tokens": [["Hunde", "schlafen"]]}
BATCHES = {
    "answerer": [QUESTION],
    "classifier": ["abc"],
    "language_model": ["ab"],
    "morphological_segmenter": ["talked"],
    "parser": CLAUSES,
    "segmenter": ["天气"],
}
OWN = "python:tests.support.own_systems"


def test_every_kind_is_found():
    assert set(kinds()) == {*KINDS, "chooser"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_knows_how_its_systems_are_named(kind):
    names = known(kind)
    assert len(names) == len(set(names)) >= 2
    assert names[-1] == FUNCTION
    told = f"{kind}, got 'no-such'; expected one of {', '.join(names)}"
    with pytest.raises(ValueError, match=f"{re.escape(told)}$"):
        load(kind, "no-such")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_tells_its_settings(kind):
    settings = option_fields(settings_of(kind))
    assert list(settings)[:4] == ["device", "dtype", "batch_size", "revision"]
    made = settings_of(kind)()  # every field has a default
    assert made.dtype in DTYPES
    message = rf"setting of a {kind}, got 'colour'; expected one of dev"
    with pytest.raises(ValueError, match=message):
        load(kind, "no-such", colour="red")


@pytest.mark.parametrize(*cases("systems/settings_check_themselves"))
def test_settings_check_themselves(settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        load("segmenter", "maxmatch", **settings)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind of system, got 'tagger'; expected one of answerer,"):
        load("tagger", "jieba")


def test_the_batch_size_of_the_caller_counts():
    assert load("segmenter", "jieba", batch_size=7).batch_size == 7
    assert load("segmenter", "jieba").batch_size == 4096


@pytest.mark.parametrize(
    ("loader", "shown", "accepted"),
    [
        (Loader(print), "x", [""]),
        (Loader(print, "FILE"), "x:FILE", ["a"]),
        (Loader(print, "FILE", is_optional=True), "x[:FILE]", ["", "a"]),
    ],
)
def test_a_loader_says_what_it_takes(loader, shown, accepted):
    assert loader.shown("x") == shown
    assert [argument for argument in ("", "a") if loader.accepts(argument)] == accepted


def test_a_missing_package_is_told_with_what_to_install(monkeypatch):
    from garden_path.models import segmenters

    def load_missing(name: str, argument: str, settings: Settings) -> System:
        raise ModuleNotFoundError("No module named 'quux'", name="quux")

    table = {"quux": Loader(load_missing, install="'.[research]'")}
    monkeypatch.setattr(segmenters, "LOADERS", table)
    with pytest.raises(ModuleNotFoundError) as error:
        load("segmenter", "quux")
    told = "segmenter quux: package quux is not installed; pip install '.[research]'"
    assert str(error.value) == told


# --- users' own functions
def predicted(kind: str, system: Any) -> Any:
    """What a user's function gives through the protocol, for a batch of one."""
    if kind == "morphological_segmenter":
        system = system.train([["walk", "ed"]], 0)
    found = system.predict(BATCHES[kind])
    if kind == "language_model":
        return [values.tolist() for values in vars(found[0]).values()]
    return found.tolist() if kind == "classifier" else found


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("segmenter", [["天", "气"]]),
        ("classifier", [0.3]),
        ("parser", CLAUSES | {"heads": [[0, 1]], "deprels": [["root", "obj"]]}),
        ("answerer", [Answer("action_performed", "goat")]),
        ("language_model", [[0], [2], [-3.0]]),
        ("morphological_segmenter", [["talk", "ed"]]),
    ],
)
def test_a_function_of_ones_own(kind, expected):
    system = load(kind, f"{OWN}:{kind}")
    assert system.name == f"{OWN}:{kind}"
    assert re.fullmatch(r"source [0-9a-f]{16}", system.version)
    assert system.n_parameters is None
    assert predicted(kind, system) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", ["nothing", "too_few", "wrong"])
def test_a_function_of_another_shape_is_refused(kind, function):
    with pytest.raises(ValueError, match=rf"{OWN}:{function}: .*(got|expected)"):
        predicted(kind, load(kind, f"{OWN}:{function}"))


def test_a_changed_module_is_another_system(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    path, versions = tmp_path / "module_that_changes.py", set()
    for text in ("def cut(sentences): pass\n", "def cut(sentences): return 1\n"):
        path.write_text(text, encoding="utf-8")
        versions.add(load("segmenter", f"python:{path.stem}:cut").version)
    assert len(versions) == 2


@pytest.mark.parametrize(*cases("systems/a_function_that_is_not_there"))
def test_a_function_that_is_not_there(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        load("segmenter", text)


def test_a_value_is_no_function():
    with pytest.raises(ValueError, match="got none named 'VALUE'; expected one of answerer, choo"):
        load("segmenter", f"{OWN}:VALUE")


# --- models
def test_the_revision_of_a_model(tmp_path):
    assert split_revision("a/b") == ("a/b", None)
    for given in (("a/b@c0ffee",), ("a/b", "c0ffee"), ("a/b@c0ffee", "c0ffee")):
        assert split_revision(*given) == ("a/b", "c0ffee")
    folder = tmp_path / "a@b"
    folder.mkdir()
    assert split_revision(str(folder)) == (str(folder), None)
    with pytest.raises(ValueError, match="revision, got also 'v2'; expected one of the two"):
        split_revision("a/b@v1", "v2")
    with pytest.raises(ValueError, match="revision, got 'v2'; expected none for a folder"):
        split_revision(str(folder), "v2")


def test_a_fingerprint_is_of_names_and_contents(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "a").write_text("1", encoding="utf-8")
    (tmp_path / "deep" / "b").write_text("2", encoding="utf-8")
    first = fingerprint(tmp_path)
    assert re.fullmatch("[0-9a-f]{16}", first)
    assert fingerprint(tmp_path) == first
    (tmp_path / "a").rename(tmp_path / "c")
    renamed = fingerprint(tmp_path)
    (tmp_path / "deep" / "b").write_text("3", encoding="utf-8")
    assert len({first, renamed, fingerprint(tmp_path), fingerprint(tmp_path / "c")}) == 4


def test_a_model_that_is_not_there_is_told(tmp_path):
    pytest.importorskip("transformers", reason="transformers is not installed")
    with pytest.raises(ValueError, match=r"transformers:.*: model, got .*; expected a folder of"):
        load("classifier", f"transformers:{tmp_path}")
